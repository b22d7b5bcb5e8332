"""What a result says, item by item or in numbers, of several things that one call was to be done to.

`{"q1": "ok", "q2": null}`, `{"replies": [{...}, {}]}`, `{"n": 3, "s": "SHORT"}`, `{"sent": 24, "suppressed": 6}`, lines
like `7003,ERR_ADDR_INVALID` and `unmatched........2`. Here is read how many were done, of how many, and which were
not; what a claim makes of it is judged in `shortfalls`. Only acting tools are asked, and only short results.
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
from receipts_middleware.core.lexicon.keys import COUNTS_OF_SUCCESS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec import name_tokens

#: Things of one call that are looked at, characters of a result, and lines of one.
_MAX_ITEMS: Final = 200
_MAX_TEXT: Final = 6_000
_MAX_LINES: Final = 80


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


def tally_of(act: Act) -> Tally | None:
    """What a call did to some of several things and not to others.

    Args:
        act: The call.

    Returns:
        None where its result tells nothing of the kind, where it did all, or where it did nothing.
    """
    if act.kind == "reading" or not act.output or len(act.output) > _MAX_TEXT:
        return None
    body, given = act.body(), _given(act)
    if isinstance(body, Mapping | list):
        found = _by_items(body, given, act) or (_by_lists(body, given, act) if isinstance(body, Mapping) else None)
        numbers = _numbers_of(body) if isinstance(body, Mapping) else []
        return found or _by_numbers(numbers, act, _lists_of_failure(body))
    return _by_lines(act, given) or _by_numbers(_numbers_in(act.output), act, ())


# --- what the call was given


def _given(act: Act) -> tuple[str, ...]:
    """Names of the things that a call was given, in order and lower case; empty where it is of one thing."""
    args = act.args
    if not isinstance(args, Mapping):
        return ()
    for held in args.values():
        names = _names(held)
        if len(names) > 1:
            return names[:_MAX_ITEMS]
    if act.kind in ("shell", "unknown"):
        parts = (part for held in args.values() if isinstance(held, str) for part in held[:400].split())
        return tuple(dict.fromkeys(part.lower() for part in parts if _NAMED.fullmatch(part)))[:_MAX_ITEMS]
    return ()


#: A word of a command that names a thing.
_NAMED: Final = pattern_of(r"(?!-)[\w.@/-]{0,60}\d[\w.@/-]{0,60}|[\w-]{1,60}\.[a-z]{2,5}")


def _names(held: object) -> tuple[str, ...]:
    """Names in a list, in the keys of an object of texts, or in a text that lists them."""
    if isinstance(held, list):
        return tuple(name for item in held[:_MAX_ITEMS] if (name := _name_of(item)))
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
    "id", "name", "key", "sku", "item", "file", "email", "to", "recipient", "title", "user", "member", "order", "number",
    "n", "line", "code", "path", "tab", "seat", "ref",
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


def _by_items(body: object, given: Sequence[str], act: Act) -> Tally | None:
    """Objects or values for each thing, in a list or under their names."""
    for held in _holders(body):
        if isinstance(held, Mapping):
            outcomes = _of_names(held, given, act)
        else:
            outcomes = _of_list(held, given, act)
        found = _counted(outcomes)
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


#: A thing, whether it was done, and what the result says of it.
_Outcome = tuple[str, bool, str]


def _of_names(held: Mapping[object, object], given: Sequence[str], act: Act) -> list[_Outcome]:
    named = [(str(key).lower(), value) for key, value in list(held.items())[:_MAX_ITEMS]]
    own = [(key, value) for key, value in named if key in given]
    if len(own) < 2:
        return []
    shapes = {type(value) for _, value in own if value is not None}
    if not shapes <= {str, bool, dict} and None not in [value for _, value in own]:
        return []
    return [(key, not _is_short(value, act), _text_of(value)) for key, value in own]


def _of_list(held: list[object], given: Sequence[str], act: Act) -> list[_Outcome]:
    items = held[:_MAX_ITEMS]
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


def _is_short(value: object, act: Act) -> bool:
    """Whether what stands for a thing says that it was not done to it."""
    if value is None or value is False or (isinstance(value, Mapping | list) and not value):
        return True
    if isinstance(value, str):
        return _BAD.search(value) is not None or status_class(value, act.traits.name) == "failed"
    if isinstance(value, Mapping):
        body = read_body(value, act.traits.name)
        return body is not None and bool(body.failed)
    return False


#: Codes and words by which a line or a value says of one thing that it was not done.
_BAD: Final = pattern_of(
    r"(?<![A-Za-z])(?:ERR(?:OR)?|FAIL(?:ED|URE)?|INVALID|DENIED|REJECTED|REFUSED|NOT_FOUND|CONFLICT|NAK)(?![a-z])"
    r"|[✗✘❌✖]|\b[Ee]rror:|\b(?:was |were |is |are |could |did |has |does )?not (?:be )?(?:found|sent|done|exist|deliver\w*"
    r"|reach\w*|\w+ed)\b|\b(?:cannot|can't|couldn't|doesn't|didn't|wasn't)\b"
    r"|\b(?:failed|rejected|refused|denied|declined|bounced|skipped|invalid|unavailable|unknown|forbidden|missing|timed out"
    r"|no such|unreachable|duplicate|conflicts?)\b"
)


def _column(items: Sequence[object], act: Act) -> str:
    """The key under which each object of a list says what became of it: done for some, another word for others."""
    rows = [item for item in items if isinstance(item, Mapping)]
    for key in list(rows[0])[:20] if len(rows) > 1 else ():
        words = [row.get(key) for row in rows]
        texts = [word for word in words if isinstance(word, str) and 0 < len(word) <= _MAX_STATUS]
        kinds = set(texts)
        if len(texts) == len(rows) and 1 < len(kinds) <= _MAX_KINDS and any(_is_done(word, act) for word in kinds):
            return str(key)
    return ""


_MAX_STATUS: Final = 30
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
    return not _is_done(word, act) and status_class(word, act.traits.name) != "accepted" and not _AS_GOOD.search(word)


def _text_of(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(v for v in value.values() if isinstance(v, str))[:400]
    return ""


def _counted(outcomes: Sequence[_Outcome]) -> Tally | None:
    """The tally of things that were told one by one; None where all or none of them were done."""
    done = [name for name, is_done, _ in outcomes if is_done]
    short = [(name, text) for name, is_done, text in outcomes if not is_done]
    if not done or not short:
        return None
    why = stems_of(" ".join(text for _, text in short)[:2_000])
    names = tuple(dict.fromkeys(name for name, _ in short if name))
    return Tally(len(done), len(short), len(outcomes), names, why)


# --- lists of those that were left out


#: Last words of a key under which stand things that nothing was done to.
_LEFT_OUT: Final = frozenset(
    """failed failures failure rejected errors errored skipped unprocessed unsuccessful invalid missing notfound bounced
    denied unknown suspended ineligible refused unreachable declined locked blocked protected conflicts conflict unmatched
    suppressed excluded ignored dropped undeliverable undelivered unsent unsubscribed expired inactive closed frozen
    unavailable unresolved overdue full held omitted unassigned unplaced unchangeable mismatched""".split()
)


def _is_left_out(key: str, act: Act) -> bool:
    words = list(words_of(key))
    if not words or own_participles(act.traits.name).intersection(words):
        return False
    return "not" in words or bool(_LEFT_OUT.intersection(words)) or "".join(words) in _LEFT_OUT


def _lists_of_failure(body: object) -> tuple[str, ...]:
    """Names under keys of things that were left out."""
    found: list[str] = []
    for key, held in list(body.items())[:40] if isinstance(body, Mapping) else ():
        if isinstance(held, list) and _LEFT_OUT.intersection(words_of(str(key))):
            found.extend(name for item in held[:_MAX_ITEMS] if (name := _name_of(item)))
    return tuple(found)


def _by_lists(body: Mapping[object, object], given: Sequence[str], act: Act) -> Tally | None:
    """A list of some of what the call was given, under a key that says that nothing was done to it."""
    for key, held in list(body.items())[:40]:
        if not isinstance(held, list) or not held or not _is_left_out(str(key), act):
            continue
        names = tuple(name for item in held[:_MAX_ITEMS] if (name := _name_of(item)))
        known = sum(name in given for name in names)
        if given and known == len(held) < len(given):
            why = stems_of(f"{key} {' '.join(_text_of(item) for item in held)}"[:1_000])
            return Tally(len(given) - len(held), len(held), len(given), names, why)
    return None


# --- numbers


_NUMBERED: Final = pattern_of(
    r"(?<![\w.,-])(\d{1,6})(?![\w.,%:/-]*\d)\s+(?:[a-z]{2,20}\s+){0,2}?([a-z]{2,20})\b"
    r"|\b([A-Za-z][A-Za-z _-]{1,30}?)\s*(?:[:=]|\.{2,})\s*(\d{1,6})(?![\w.,:/%-]*\d)"
)
_ALL: Final = frozenset(
    "attempted tried total requested selected recipients processed received found submitted given".split()
)
_DONE: Final = frozenset({*COUNTS_OF_SUCCESS, "done", "matched", "written", "changed", "sent", "charged", "ok"})


def _numbers_of(body: Mapping[object, object]) -> list[tuple[str, int]]:
    """Numbers of a body under their keys, and those one level below."""
    found: list[tuple[str, int]] = []
    for key, held in list(body.items())[:40]:
        if isinstance(held, int) and not isinstance(held, bool) and 0 <= held < 10**6:
            found.append((str(key), held))
        elif isinstance(held, Mapping) and len(held) <= _MAX_KEYS:
            found.extend(
                (str(k), v) for k, v in held.items() if isinstance(v, int) and not isinstance(v, bool) and 0 <= v < 10**6
            )
        elif isinstance(held, list) and _LEFT_OUT.intersection(words_of(str(key))):
            found.append((str(key), len(held)))
    return found


_MAX_KEYS: Final = 12


def _numbers_in(text: str) -> list[tuple[str, int]]:
    """Numbers of a short text with the words that say what they count."""
    if len(text) > _MAX_NUMBERED:
        return []
    found = []
    for line in text.splitlines()[:_MAX_LINES]:
        for match in _NUMBERED.finditer(line[:400]):
            label, number = (match[2], match[1]) if match[1] else (match[3], match[4])
            near = match[0] if match[1] else label
            found.append((near if match[1] else label, int(number)))
    return found


_MAX_NUMBERED: Final = 1_500


def _by_numbers(numbers: Sequence[tuple[str, int]], act: Act, names: Sequence[str]) -> Tally | None:
    """How many were done, how many were left out, and how many there were, by the words that say so."""
    own = told_participles(act.traits.name)
    done = total = None
    short, why = 0, set()
    for label, number in numbers:
        words = [word for word in words_of(label) if not word.isdigit()]
        if _LEFT_OUT.intersection(words) or "not" in words or any(w[:2] == "un" and w[2:] in own for w in words):
            short = max(short, number)
            why.update(stems_of(label))
        elif _ALL.intersection(words) and not own.intersection(words):
            total = max(total or 0, number)
        elif own.intersection(words) or _DONE.intersection(words):
            done = number if done is None else done
    if total is not None and done is not None and not short and _tells_total(numbers):
        short = total - done
    if not short or not done:
        return None
    whole = done + short
    if total is not None and total not in (whole, done):
        whole = total
    return Tally(done, short, whole, tuple(names), frozenset(why))


def _tells_total(numbers: Sequence[tuple[str, int]]) -> bool:
    return any(not {"attempted", "requested", "recipients", "total"}.isdisjoint(words_of(label)) for label, _ in numbers)


# --- lines


_MARK: Final = pattern_of(r"(?<=[✓✔✅✗✘❌✖])\s+(?=\S)")


def _by_lines(act: Act, given: Sequence[str]) -> Tally | None:
    """Lines that each name one of the things, some of them with an error."""
    if len(given) < 2:
        return None
    good: set[str] = set()
    bad: dict[str, str] = {}
    for line in act.output.splitlines()[:_MAX_LINES]:
        marked = _MARK.search(line) is not None and line.lstrip()[:1] not in "✓✔✅✗✘❌✖"
        for part in _MARK.split(line) if marked else [line]:
            named = {token for token in _TOKEN.findall(part.lower()[:400])}
            named |= {piece for token in named for piece in token.split("/")}
            own = [name for name in given if name in named or (" " in name and name in part.lower())]
            if _BAD.search(_without(part, own)):
                bad.update(dict.fromkeys(own, part))
            else:
                good.update(own)
    missed = [name for name in given if name in bad and name not in good]
    done = [name for name in given if name in good and name not in bad]
    if not missed or not done:
        return None
    why = stems_of(" ".join(bad[name] for name in missed)[:1_000])
    return Tally(len(done), len(missed), len(given), tuple(missed), why)


_TOKEN: Final = pattern_of(r"[\w.@/-]*\w")


def _without(part: str, names: Sequence[str]) -> str:
    """A line without the things that it names: a file may be called errors.log."""
    lowered = part
    for name in names:
        for form in (name, name.upper(), name.capitalize()):
            lowered = lowered.replace(form, " ")
    return lowered


def own_words(act: Act) -> frozenset[str]:
    """Stems of a tool's words and of what the call was given, which say nothing of how it went."""
    return act.arg_words() | act.traits.own | act.traits.told | frozenset(map(stem, name_tokens(act.traits.name)))
