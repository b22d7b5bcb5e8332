"""How many of several things one call, or several calls of one tool, did: by items, numbers and lines.

`{"sent": 24, "suppressed": 6}`, `unmatched........2`, `7003,ERR_ADDR_INVALID`, "212 of 220 imported". What a claim
makes of it is judged in `shortfalls`. Of looks only numbers are read, and only short results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.itemised import (
    LEFT_OUT,
    MAX_ITEMS,
    Tally,
    by_items,
    by_lists,
    counted,
    given_to,
    is_bad,
    judged,
    lists_of_failure,
    says_as_good,
)
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.evidence.own import told_participles
from receipts_middleware.core.lexicon.keys import COUNTS_OF_SUCCESS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec import name_tokens

#: Characters of a result, and lines of one.
_MAX_TEXT: Final = 6_000
_MAX_LINES: Final = 80


def tally_of(act: Act) -> Tally | None:
    """What a call did to some of several things and not to others.

    Args:
        act: The call.

    Returns:
        None where its result tells nothing of the kind, where it did all, or where it did nothing.
    """
    if not act.output or len(act.output) > _MAX_TEXT:
        return None
    body = act.body()
    if act.kind == "reading":  # a look at how an act went: only its numbers are of that
        return _by_numbers(_numbers_of(body), act, lists_of_failure(body)) if isinstance(body, Mapping) else None
    given = given_to(act)
    if isinstance(body, Mapping | list):
        found = by_items(body, given, act) or (by_lists(body, given, act) if isinstance(body, Mapping) else None)
        numbers = _numbers_of(body) if isinstance(body, Mapping) else []
        return found or _by_numbers(numbers, act, lists_of_failure(body))
    return _by_lines(act, given) or _by_marks(act.output) or _by_numbers(_numbers_in(act.output), act, ())


# --- numbers


_NUMBERED: Final = pattern_of(
    r"(?<![\w.,-])(\d{1,6})(?![\w.,%:/-]*\d)[ \t]+(?:[a-z]{2,20}[ \t]+){0,2}([a-z]{2,20})\b"
    r"|\b([A-Za-z][A-Za-z _-]{1,30}?)\s*(?:[:=]|\.{2,})\s*(\d{1,6})(?![\w.,:/%-]*\d)"
)
_ALL: Final = frozenset(
    """attempted tried total requested selected recipients processed received found submitted given targets
    targeted""".split()
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
                (str(k), v)
                for k, v in held.items()
                if isinstance(v, int) and not isinstance(v, bool) and 0 <= v < 10**6
            )
        elif isinstance(held, list) and LEFT_OUT.intersection(words_of(str(key))):
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
    done, total = _share_of(act, own)
    short = total - done if done is not None and total is not None else 0
    why: set[str] = set()
    for label, number in numbers:
        words = [word for word in words_of(label) if not word.isdigit()]
        if LEFT_OUT.intersection(words) or "not" in words or any(w[:2] == "un" and w[2:] in own for w in words):
            short = max(short, number)
            why.update(stems_of(label))
        elif _ALL.intersection(words) and not own.intersection(words):
            total = max(total or 0, number)
        elif own.intersection(words) or _DONE.intersection(words):
            done = number if done is None else done
    if total is not None and done is not None and not short and (_tells_total(numbers) or not numbers):
        short = total - done
    if not short or not done:
        return None
    whole = done + short
    if total is not None and total not in (whole, done):
        whole = total
    return Tally(done, short, whole, tuple(names), frozenset(why))


def _share_of(act: Act, own: frozenset[str]) -> tuple[int | None, int | None]:
    """How many of how many: "Imported 212 of 220 rows", "3/5 deleted"."""
    for match in _PART.finditer(act.output[:_MAX_NUMBERED]):
        have, want = int(match[1]), int(match[2])
        near = set(words_of(act.output[max(0, match.start() - 24) : match.end() + 24]))
        if 0 < have < want and near & (own | _DONE) and not near & _PLACES:
            return have, want
    return None, None


_PART: Final = pattern_of(r"(?<![\w.,/-])(\d{1,5}) ?(?:/|of|out of) ?(?:the )?(\d{1,5})(?![\w./,-]*\d)")
#: Words by which two numbers say at which place something stands.
_PLACES: Final = frozenset(
    "page step attempt part chapter version round try signatures approvals floor day week season seat copy".split()
)


def _tells_total(numbers: Sequence[tuple[str, int]]) -> bool:
    return any(
        not {"attempted", "requested", "recipients", "total"}.isdisjoint(words_of(label)) for label, _ in numbers
    )


# --- lines


_MARK: Final = pattern_of(r"(?<=[✓✔✅✗✘❌✖])\s+(?=\S)")


def _by_lines(act: Act, given: Sequence[str]) -> Tally | None:
    """Lines that each name one of the things, some of them with an error."""
    if len(given) < 2:
        return None
    told: dict[str, tuple[bool, str]] = {}
    for part in _parts(act.output):
        named = set(_TOKEN.findall(part.lower()[:400]))
        named |= {piece for token in named for piece in token.split("/")}
        own = [name for name in given if name in named or (" " in name and name in part.lower())]
        rest = _without(part, own)
        for name in own:
            fine, before = told.get(name, (False, ""))
            told[name] = (fine or not is_bad(rest, act), before or (rest if len(own) == 1 else ""))
    return counted(judged([(name, *told[name]) for name in given if name in told], act)) if told else None


def _by_marks(text: str) -> Tally | None:
    """Lines that each begin with a mark, whatever they name: "[x] C. Moss - date of birth missing"."""
    marked = [m for line in text.splitlines()[:_MAX_LINES] if (m := _BEGINS.match(line[:200]))]
    if len(marked) < _LEAST:
        return None
    outcomes = [(m[2].strip().lower()[:64], m[1] in "✓✔✅", m[3] or "") for m in marked]
    return counted(outcomes)


_LEAST: Final = 2
_BEGINS: Final = pattern_of(r"\s*[-*]?\s*\[?([✓✔✅✗✘❌✖xX])\]?\s+([^:(–—-]{1,60})(.*)")


def _parts(text: str) -> Iterator[str]:
    """Lines of a text; such as have a mark behind each thing in parts."""
    for line in text.splitlines()[:_MAX_LINES]:
        marked = _MARK.search(line) is not None and line.lstrip()[:1] not in "✓✔✅✗✘❌✖"
        yield from _MARK.split(line) if marked else [line]


_TOKEN: Final = pattern_of(r"[\w.@/-]*\w")


def _without(part: str, names: Sequence[str]) -> str:
    """A line without the things that it names: a file may be called errors.log."""
    lowered = part
    for name in names:
        for form in (name, name.upper(), name.capitalize()):
            lowered = lowered.replace(form, " ")
    return lowered


# --- several calls


def tally_of_calls(calls: Sequence[Act]) -> Tally | None:
    """What became of the things of several calls of one tool, each of which is of one thing.

    Args:
        calls: Of one tool and one turn; a call that was made again with the same arguments counts once.

    Returns:
        None where all or none of them were done, or one is still open.
    """
    groups: dict[str, list[Act]] = {}
    for act in calls[:MAX_ITEMS]:
        groups.setdefault(act.entry.receipt.args_sha256, []).append(act)
    odd = _says_otherwise([a for acts in groups.values() for a in acts if a.done])
    done = [acts for acts in groups.values() if any(a.done and a not in odd for a in acts)]
    short = [acts[-1] for acts in groups.values() if acts not in done]
    short = [a for a in short if not says_as_good(a.output[:_MAX_ANSWER])]  # "already exists"
    made = [a for acts in done for a in acts if a.done]
    if not made or not short or any(a.grade == "S2" or not _is_sibling(a, made) for a in short):
        return None
    said = {text.strip().lower() for acts in done for a in acts for _, text in a.arg_pairs()}
    pairs = (text.strip().lower() for a in short for _, text in a.arg_pairs() if len(text) <= _MAX_NAME)
    names = tuple(dict.fromkeys(text for text in pairs if text and text not in said))
    why = stems_of(" ".join(a.output[:400] for a in short))
    return Tally(len(done), len(short), len(groups), names, why)


def _says_otherwise(acts: Sequence[Act]) -> list[Act]:
    """Of calls that answered in a few words those that do not say what the others say: that it was done."""
    if len(acts) < _FEW or any(a.body() is not None or len(a.output) > _MAX_ANSWER for a in acts):
        return []
    outcomes = [(str(n), True, a.output) for n, a in enumerate(acts)]
    odd = [acts[int(name)] for name, is_done, _ in judged(outcomes, acts[0]) if not is_done]
    return odd if 2 * len(odd) < len(acts) else []


_FEW: Final = 3
_MAX_ANSWER: Final = 80


def _is_sibling(act: Act, made: Sequence[Act]) -> bool:
    """Whether a call that was not done is one of a row: given almost the same, and not made good later."""
    first = act.entry.message_index or 0
    places = [other.entry.message_index or 0 for other in made]
    if max(places) > first and not min(places) <= first:
        return False
    pairs = set(act.arg_pairs())
    keys = {key for key, _ in pairs}
    most = 1 if act.kind == "unknown" else _MAX_APART
    return any(keys == {key for key, _ in o.arg_pairs()} and len(pairs - set(o.arg_pairs())) <= most for o in made)


#: A longer argument names nothing.
_MAX_NAME: Final = 30
#: Arguments in which the calls of a row differ at most.
_MAX_APART: Final = 2


def own_words(act: Act) -> frozenset[str]:
    """Stems of a tool's words and of what the call was given, which say nothing of how it went."""
    return act.arg_words() | act.traits.own | act.traits.told | frozenset(map(stem, name_tokens(act.traits.name)))
