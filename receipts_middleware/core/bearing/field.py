"""Which receipts of a run hold a thing that a statement names, and how much that tells one from another."""

from __future__ import annotations

from math import log2
from typing import Final

from receipts_middleware.core.bearing.named import Named
from receipts_middleware.core.bearing.shown import shows
from receipts_middleware.core.binding import Act, Run
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.families import NOUN_FAMILIES, VERB_FAMILIES
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.values import Pool, Value, read_arguments

#: What only the tool's description says, or a word of the same meaning, counts less than the word itself.
AKIN: Final = 0.6
#: What other receipts say of a thing that the call names by id.
_ALIAS: Final = 0.8
#: A word inside a longer one: `date` in `parsedate_to_datetime`.
_INSIDE: Final = 0.7
_MIN_INSIDE: Final = 4
#: How much a thing weighs by its kind: values and names are of one thing, words of many.
_WEIGHTS: Final = {"value": 1.5, "name": 1.4, "word": 1.0}
#: Small counts are met everywhere.
_SMALL: Final = 0.6
#: Records of other receipts that are read for one call, pairs of one receipt, characters of a short text.
_MAX_RECORDS: Final = 6
_MAX_PAIRS: Final = 120
_MAX_SHORT: Final = 48
#: In a longer run whole texts are not searched, so that judging stays near-constant for each citation.
_CLOSE: Final = 60
_NONE: Final[frozenset[str]] = frozenset()


class Field:
    """The receipts of a run, asked what they hold. Not safe for concurrent use: it remembers what was asked."""

    __slots__ = ("_aliases", "_close", "_held", "_levels", "_made", "_pairs", "_weights", "run")

    def __init__(self, run: Run) -> None:
        self.run = run
        self._close = len(run.acts) <= _CLOSE
        self._levels: dict[tuple[str, str, str, int], float] = {}
        self._weights: dict[tuple[str, str, str], float] = {}
        self._aliases: dict[int, tuple[Pool, str]] = {}
        self._pairs: dict[int, list[tuple[str, str]]] = {}
        self._held: dict[str, list[tuple[str, str, Act]]] | None = None
        self._made: dict[str, list[Act]] | None = None

    def level(self, thing: Named, act: Act) -> float:
        """How far a receipt holds a thing: 1 fully, 0 not at all."""
        key = (*thing.key, act.entry.n)
        known = self._levels.get(key)
        if known is None:
            known = self._levels[key] = self._level(thing, act)
        return known

    def weight(self, thing: Named) -> float:
        """How much a thing tells one receipt from another; 0 where none holds it."""
        known = self._weights.get(thing.key)
        if known is None:
            held = sum(self.level(thing, act) for act in self.run.acts)
            known = _own_weight(thing) * log2((len(self.run.acts) + 1) / max(held, 1.0)) if held else 0.0
            self._weights[thing.key] = known
        return known

    def pairs(self, act: Act) -> list[tuple[str, str]]:
        """Short texts of a receipt and of what its ids stand for, each under the last word of its key."""
        found = self._pairs.get(act.entry.n)
        if found is None:
            raw = [*act.arg_pairs(), *(pair for record in act.records()[:4] for pair in record.pairs)]
            raw += self._told_of(act)
            found = self._pairs[act.entry.n] = [(_last(key), text) for key, text in raw[:_MAX_PAIRS]]
        return found

    def keys_of(self, thing: Named) -> list[tuple[str, str, Act]]:
        """Where receipts have a short text with a name in it: last word of its key, the text, the receipt."""
        if self._held is None:
            self._held = {}
            for act in self.run.acts:
                raw = [*act.arg_pairs(), *(pair for record in act.records()[:20] for pair in record.pairs)]
                for key, text in raw[:_MAX_PAIRS]:
                    if len(text) <= _MAX_SHORT:
                        for token in {*words_of(text.lower()), *text.lower().split()}:
                            self._held.setdefault(token, []).append((_last(key), text.strip().lower(), act))
        return self._held.get(thing.text, [])[:_MAX_RECORDS]

    def _level(self, thing: Named, act: Act) -> float:
        if thing.value is not None:
            return self._level_of_value(thing.value, act)
        if not thing.stem:
            if _holds_token(thing.text, act.text()):
                return 1.0
            return _ALIAS if _holds_token(thing.text, self._alias(act)[1]) else 0.0
        word = thing.stem
        if word in act.words() or word in act.traits.own:
            return 1.0
        if word in self.run.alias_words(act) or _holds_token(word, self._alias(act)[1]):
            return _ALIAS
        if self._close and any(len(w) >= _MIN_INSIDE and w in act.text() for w in (word, thing.text)):
            return _INSIDE
        if word in act.traits.told or VERB_FAMILIES.get(word, _NONE) & act.traits.verbs:
            return AKIN
        return AKIN if NOUN_FAMILIES.get(word, _NONE) & act.traits.nouns else 0.0

    def _level_of_value(self, value: Value, act: Act) -> float:
        if shows(value, act) if self._close else agrees(value, act):
            return 1.0
        if value.kind == "path" and "/" not in value.norm:
            parts = list(words_of(value.text))  # `Settings.load` may be a name of code as well
            if parts and all(part in act.text() for part in parts):
                return _INSIDE
        if value.kind == "email":
            return 0.0  # whose a thing is, nobody need have written to
        return _ALIAS if self._alias(act)[0].find(value) in ("same", "minor_units") else 0.0

    def _alias(self, act: Act) -> tuple[Pool, str]:
        """What other receipts say of the things that a call names by id: values and text."""
        found = self._aliases.get(act.entry.n)
        if found is None:
            pairs = self._told_of(act)
            values: list[Value] = [v for k, t in pairs for v in read_arguments({k.replace(" ", "_"): plain(t)})]
            found = self._aliases[act.entry.n] = (Pool(values), "\n".join(t for _, t in pairs).lower())
        return found

    def _told_of(self, act: Act) -> list[tuple[str, str]]:
        """What other receipts say of the things that a call names by id: records of looks, the call that made it."""
        found: list[tuple[str, str]] = []
        own = {record.pairs for record in act.records()}
        for _, scalar in act.arg_pairs()[:32]:
            name = scalar.strip().lower()
            if not 1 < len(name) <= 64 or not any(c.isdigit() for c in name):
                continue
            for record in self.run.about(name)[:_MAX_RECORDS]:
                pairs = tuple((k, t) for k, t in record.pairs if k != "asked")
                if pairs not in own:
                    found.extend(pairs)
            for maker in self._makers().get(name, ())[:_MAX_RECORDS]:
                if maker is not act:
                    found.extend(maker.arg_pairs())
        return [(k, t) for k, t in found if len(t) <= 200][:_MAX_PAIRS]

    def _makers(self) -> dict[str, list[Act]]:
        """Acts by the ids that their results gave."""
        if self._made is None:
            self._made = {}
            for act in self.run.acts:
                if act.kind == "reading":
                    continue
                given = {text.strip().lower() for _, text in act.arg_pairs()}
                for record in act.records()[:2]:
                    for _, text in record.pairs[:_MAX_PAIRS]:
                        name = text.strip().lower()
                        if _is_id(name) and name not in given:
                            self._made.setdefault(name, []).append(act)
        return self._made


def plain(text: str) -> object:
    """A scalar that was told as a text, as the number that it is.

    Args:
        text: Untrusted.
    """
    try:
        if len(text) >= 16:
            return text
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return text


def _last(key: str) -> str:
    return stem(key.rpartition(" ")[2]) if key else ""


def _is_id(name: str) -> bool:
    return 2 < len(name) <= 40 and any(c.isdigit() for c in name) and any(c.isalpha() for c in name) and " " not in name


def _own_weight(thing: Named) -> float:
    weight = _WEIGHTS[thing.kind]
    value = thing.value
    if value is not None and value.kind == "count" and len(value.norm) < 3:
        return weight * _SMALL
    return weight


def _holds_token(token: str, text: str) -> bool:
    """Whether a name stands in a text as a whole."""
    at = text.find(token) if token else -1
    while at >= 0:
        before, behind = text[max(0, at - 1) : at], text[at + len(token) : at + len(token) + 1]
        if not before.isalnum() and not behind.isalnum():
            return True
        at = text.find(token, at + 1)
    return False
