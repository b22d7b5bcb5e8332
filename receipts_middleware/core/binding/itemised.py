"""Which of several things one call did and which not, as its result tells item by item.

`{"q1": "ok", "q2": null}`, `{"replies": [{...}, {}]}`, `{"n": 3, "s": "SHORT"}`, `[200, 200, 404]`,
`{"deleted_count": 2, "locked": [9104]}`. Numbers and lines of texts are read in `tallies`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence import status_class
from receipts_middleware.core.evidence.body import read_body
from receipts_middleware.core.evidence.own import own_participles, told_participles
from receipts_middleware.core.lexicon.keys import TEXT_THINGS
from receipts_middleware.core.patterns import pattern_of

#: Things of one call that are looked at.
MAX_ITEMS: Final = 200


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the things of one call.

    Attributes:
        done: How many were done; None where that is not told.
        short: How many were not, at least one.
        total: How many there were; None where that is not told.
        missed: Names of those that were not done, in lower case.
        why: Stems by which the result says what was wrong with them.
    """

    done: int | None
    short: int
    total: int | None
    missed: tuple[str, ...]
    why: frozenset[str]

    def shown(self) -> str:
        """One line for the reader of a report."""
        part = f"{self.done} of {self.total} done" if self.done is not None and self.total else f"{self.short} not done"
        return f"{part}: {', '.join(self.missed)}"[:200] if self.missed else part


# --- what the call was given


def given_to(act: Act) -> tuple[str, ...]:
    """Names of the things that a call was given, in order and lower case; empty where it is of one thing."""
    args = act.args
    if not isinstance(args, Mapping):
        return ()
    for held in args.values():
        names = _names(held)
        if len(names) > 1:
            return names[:MAX_ITEMS]
    if act.kind in ("shell", "unknown"):
        parts = (part for held in args.values() if isinstance(held, str) for part in held[:400].split())
        return tuple(dict.fromkeys(part.lower() for part in parts if _NAMED.fullmatch(part)))[:MAX_ITEMS]
    return ()


#: A word of a command that names a thing.
_NAMED: Final = pattern_of(r"(?!-)[\w.@/-]{0,60}\d[\w.@/-]{0,60}|[\w-]{1,60}\.[a-z]{2,5}")


def _names(held: object) -> tuple[str, ...]:
    """Names in a list, in the keys of an object of texts, or in a text that lists them."""
    if isinstance(held, list):
        return tuple(name for item in held[:MAX_ITEMS] if (name := _name_of(item)))
    if isinstance(held, Mapping):
        plain = all(isinstance(value, str | int | float) for value in held.values())
        return tuple(str(key).lower() for key in held) if plain and len(held) > 1 else ()
    if isinstance(held, str) and len(held) <= _MAX_LISTED and "," in held:
        parts = [part.strip().lower() for part in held.split(",")]
        return tuple(parts) if all(parts) and all(len(part.split()) <= _MAX_WORDS for part in parts) else ()
    return ()


_MAX_LISTED: Final = 400
_MAX_WORDS: Final = 3
#: Keys of an object of a list by which it is named.
_NAMING: Final = (
    "id", "name", "key", "sku", "item", "file", "email", "to", "recipient", "title", "user", "member", "order",
    "number",    "n", "line", "code", "path", "tab", "seat", "ref",
)  # fmt: skip


def _name_of(item: object) -> str:
    if isinstance(item, Mapping):
        lower = {str(key).lower(): value for key, value in item.items()}
        item = next((lower[key] for key in _NAMING if isinstance(lower.get(key), str | int)), None)
        if item is None:
            ids = (v for k, v in lower.items() if k.endswith(("id", "name", "number")) and isinstance(v, str | int))
            item = next(ids, None)
    if isinstance(item, bool) or not isinstance(item, str | int):
        return ""
    return str(item).strip().lower()[:64] if not isinstance(item, int) or abs(item) < 10**18 else ""


# --- item by item


def by_items(body: object, given: Sequence[str], act: Act) -> Tally | None:
    """Objects or values for each thing, in a list or under their names."""
    for held in _holders(body):
        outcomes = _of_names(held, given, act) if isinstance(held, Mapping) else _of_list(held, given, act)
        found = counted(outcomes)
        if found is not None:
            return found
    return None


def _holders(body: object) -> Iterator[Mapping[object, object] | list[object]]:
    """A body, and the objects and lists that stand right in it."""
    if isinstance(body, Mapping | list):
        yield body
    for held in list(body.values())[:40] if isinstance(body, Mapping) else ():
        if isinstance(held, Mapping | list) and len(held) > 1:
            yield held


#: A thing in lower case, whether it was done, and what the result says of it.
Outcome = tuple[str, bool, str]


def _of_names(held: Mapping[object, object], given: Sequence[str], act: Act) -> list[Outcome]:
    named = [(str(key).lower(), value) for key, value in list(held.items())[:MAX_ITEMS]]
    own = [(key, value) for key, value in named if key in given]
    if len(own) < 2:
        return []
    shapes = {type(value) for _, value in own if value is not None}
    if not shapes <= {str, bool, dict} and None not in [value for _, value in own]:
        return []
    return judged([(key, not _is_short(value, act), _text_of(value)) for key, value in own], act)


def _of_list(held: list[object], given: Sequence[str], act: Act) -> list[Outcome]:
    items = held[:MAX_ITEMS]
    if len(items) == len(given) > 1 and all(isinstance(item, str | int) for item in items):
        return _of_scalars(items, given, act)
    if len(items) < 2 or not any(isinstance(item, Mapping) for item in items):
        return []
    if not all(item is None or isinstance(item, Mapping) for item in items):
        return []
    placed = len(items) == len(given)
    empty = [not item for item in items]
    if any(empty) and not placed:
        return []
    column = _column(items, act)
    outcomes = []
    for at, item in enumerate(items):
        name = _name_of(item) or (given[at] if placed else "")
        short = _is_short(item, act) or (isinstance(item, Mapping) and column != "" and _is_off(item, column, act))
        outcomes.append((name, not short, _text_of(item)))
    return outcomes


def _of_scalars(items: Sequence[object], given: Sequence[str], act: Act) -> list[Outcome]:
    """Flags, codes or words, one for each thing in the order in which they were given: `[200, 200, 404]`."""
    codes = all(isinstance(item, int) and (isinstance(item, bool) or 200 <= item <= 599) for item in items)
    words = all(isinstance(item, str) for item in items)
    if not (codes or words) or (words and any(str(item).lower() in given for item in items)):
        return []
    short = [(type(item) is int and item >= 400) or _is_short(item, act) for item in items]
    return [(name, not bad, str(item)) for name, bad, item in zip(given, short, items, strict=True)]


def _is_short(value: object, act: Act) -> bool:
    """Whether what stands for a thing says that it was not done to it."""
    if value is None or value is False or (isinstance(value, Mapping | list) and not value):
        return True
    if isinstance(value, str):
        return is_bad(value, act) or status_class(value, act.traits.name) == "failed"
    if isinstance(value, Mapping):
        body = read_body(value, act.traits.name)
        return body is not None and bool(body.failed)
    return False


def is_bad(text: str, act: Act) -> bool:
    """Whether a text says of a thing that it was not done, in words other than those of the tool's own act."""
    own = own_participles(act.traits.name)
    return any(match[0].lower() not in own for match in _BAD.finditer(text[:_MAX_VALUE]))


_MAX_VALUE: Final = 400
#: Codes and words by which a line or a value says of one thing that it was not done.
_BAD: Final = pattern_of(
    r"(?<![A-Za-z])(?:ERR(?:OR)?|FAIL(?:ED|URE)?|INVALID|DENIED|REJECTED|REFUSED|NOT_FOUND|CONFLICT|NAK)(?![a-z])"
    r"|[✗✘❌✖]|\b[Ee]rror:|\b(?:was |were |is |are |could |did |has |does )?not (?:be )?(?:found|sent|done|exist"
    r"|deliver\w*"
    r"|reach\w*|\w+ed)\b|\b(?:cannot|can't|couldn't|doesn't|didn't|wasn't)\b"
    r"|\b(?:failed|rejected|refused|denied|declined|bounced|skipped|invalid|unavailable|unknown|forbidden|missing"
    r"|timed out"
    r"|no such|unreachable|duplicate|conflicts?|locked|in use|busy|protected|expired|over quota|too (?:large|long|big)"
    r"|exceeds|closed|opted out|unsubscribed|suppressed|out of stock|short|ineligible|overlaps)\b"
)


def _column(items: Sequence[object], act: Act) -> str:
    """The key under which each object of a list says what became of it: done for some, another word for others."""
    rows = [item for item in items if isinstance(item, Mapping)]
    for key in list(rows[0])[:20] if len(rows) > 1 else ():
        words = [row.get(key) for row in rows]
        texts = [word for word in words if isinstance(word, str) and 0 < len(word) <= _MAX_STATUS]
        kinds = set(texts)
        told = len(kinds) < len(rows) or not _STATES.isdisjoint(words_of(str(key)))
        if (
            told
            and key not in TEXT_THINGS
            and len(texts) == len(rows)
            and 1 < len(kinds) <= _MAX_KINDS
            and any(_is_done(word, act) for word in kinds)
        ):
            return str(key)
    return ""


_MAX_STATUS: Final = 30
_STATES: Final = frozenset("status state result outcome s".split())
_MAX_KINDS: Final = 4
#: Words for what was not needed.
_AS_GOOD: Final = pattern_of(r"(?i)\b(?:already|unchanged|no change|exist\w*|same|up.to.date|n/?a|none|noop)\b")


def _is_done(word: str, act: Act) -> bool:
    name = act.traits.name
    plain = word.strip().lower()
    if is_participle(plain) and stem(base_form(plain)) in act.traits.own:
        return True
    return plain in told_participles(name) or status_class(word, name) in ("done", "verified")


def _is_off(item: Mapping[object, object], column: str, act: Act) -> bool:
    word = str(item.get(column))
    return not _is_done(word, act) and not _AS_GOOD.search(word)


def judged(outcomes: Sequence[Outcome], act: Act) -> list[Outcome]:
    """Outcomes in which texts that say that it was done tell those apart that say something else.

    Args:
        outcomes: Things, whether nothing says that they were not done, and what the result says of each.
        act: The call.
    """
    own = told_participles(act.traits.name)
    says = [own.intersection(words_of(text)) for _, _, text in outcomes]
    if not any(is_done and said for said, (_, is_done, _) in zip(says, outcomes, strict=True)):
        return list(outcomes)
    return [
        (name, is_done and (bool(said) or not text or says_as_good(text)), text)
        for said, (name, is_done, text) in zip(says, outcomes, strict=True)
    ]


def says_as_good(text: str) -> bool:
    """Whether a text says that nothing was needed: "unchanged", "already exists", and not "already settled".

    Args:
        text: What a result says of a thing. Untrusted.
    """
    words = list(words_of(text))
    if _PLAIN.intersection(words):
        return True
    return _AS_GOOD.search(text) is not None and not any(w.endswith("ed") and w not in _SAME for w in words)


_PLAIN: Final = frozenset("ok okay done success successful true yes".split())
_SAME: Final = frozenset("unchanged existed needed".split())


def _text_of(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(v for v in value.values() if isinstance(v, str))[:400]
    return ""


def counted(outcomes: Sequence[Outcome]) -> Tally | None:
    """The tally of things that were told one by one.

    Args:
        outcomes: Things, whether each was done, and what the result says of it.

    Returns:
        None where all or none of them were done.
    """
    done = [name for name, is_done, _ in outcomes if is_done]
    short = [(name, text) for name, is_done, text in outcomes if not is_done]
    if not done or not short:
        return None
    why = stems_of(" ".join(text for _, text in short)[:2_000])
    names = tuple(dict.fromkeys(name for name, _ in short if name))
    return Tally(len(done), len(short), len(outcomes), names, why)


# --- lists of those that were left out


#: Last words of a key under which stand things that nothing was done to.
LEFT_OUT: Final = frozenset(
    """failed failures failure rejected errors errored skipped unprocessed unsuccessful invalid missing notfound bounced
    denied unknown suspended ineligible refused unreachable declined locked blocked protected conflicts conflict
    unmatched
    suppressed excluded ignored dropped undeliverable undelivered unsent unsubscribed expired inactive closed frozen
    unavailable unresolved overdue full held omitted unassigned unplaced unchangeable mismatched opted
    optedout""".split()
)


def _is_left_out(key: str, act: Act) -> bool:
    words = list(words_of(key))
    if not words or own_participles(act.traits.name).intersection(words):
        return False
    return "not" in words or bool(LEFT_OUT.intersection(words)) or "".join(words) in LEFT_OUT


def lists_of_failure(body: object) -> tuple[str, ...]:
    """Names under keys of things that were left out."""
    found: list[str] = []
    for key, held in list(body.items())[:40] if isinstance(body, Mapping) else ():
        if LEFT_OUT.intersection(words_of(str(key))):
            found.extend(_listed(held))
    return tuple(found)


def _listed(held: object) -> tuple[str, ...]:
    """Names in a list of those that were left out, or in the keys of an object of reasons."""
    if isinstance(held, Mapping):
        return tuple(str(key).lower()[:64] for key in list(held)[:MAX_ITEMS])
    items = held[:MAX_ITEMS] if isinstance(held, list) else ()
    names = (_name_of(_REMARK.split(item, maxsplit=1)[0] if isinstance(item, str) else item) for item in items)
    return tuple(name for name in names if name)


#: Behind a name: "OH2AB: no address", "b.log (locked)".
_REMARK: Final = pattern_of(r":\s|\s[(–—-]")


def _echoed(key: str, held: list[object], given: Sequence[str], act: Act) -> Tally | None:
    """What was given, given back with some of it left out, under the key that it was given under: `reviewers`."""
    names = tuple(name for item in held[:MAX_ITEMS] if (name := _name_of(item)))
    args = act.args if isinstance(act.args, Mapping) else {}
    asked = {word for k, v in args.items() if isinstance(v, list) for word in words_of(str(k))}
    if not names or len(names) != len(held) or not asked.intersection(words_of(key)) or not set(names) < set(given):
        return None
    missed = tuple(name for name in given if name not in names)
    if any(name in act.output.lower() for name in missed):
        return None
    return Tally(len(names), len(missed), len(given), missed, frozenset())


def by_lists(body: Mapping[object, object], given: Sequence[str], act: Act) -> Tally | None:
    """A list of some of what the call was given, under a key that says that nothing was done to it."""
    for key, held in list(body.items())[:40]:
        if isinstance(held, list) and (echoed := _echoed(str(key), held, given, act)) is not None:
            return echoed
        if not isinstance(held, list | Mapping) or not held or not _is_left_out(str(key), act):
            continue
        names = _listed(held)
        known = sum(name in given for name in names)
        if given and known == len(held) < len(given):
            texts = held.values() if isinstance(held, Mapping) else held
            why = stems_of(f"{key} {' '.join(_text_of(item) for item in texts)}"[:1_000])
            return Tally(len(given) - len(held), len(held), len(given), names, why)
    return None
