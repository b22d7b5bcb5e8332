"""Claims of all of several things, of their number or of one by its name, where one call did only some of them.

"Receipts went out to all eight", "5/5 labels bought, orders 7001 through 7005", "chapters one to four are ready": the
call's own result tells item by item or in numbers (`tallies`) that some were left out. A reply that says so anywhere
is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.batches import ALL_OF
from receipts_middleware.core.binding.compare import stands_in_text
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.itemised import Tally
from receipts_middleware.core.binding.owning import OWNS_FAILURE, overlap, without_idle
from receipts_middleware.core.binding.table import MAX_CALLS, Table, outside
from receipts_middleware.core.binding.tallies import own_words, tally_of, tally_of_calls
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values
from receipts_middleware.core.wording import reads_as

#: Further words by which a claim is of all of something.
_WHOLLY: Final = pattern_of(
    r"\b(?:fully|completely|entirely|in full|without exception|one and all|the lot|none (?:open|left|missing|skipped)"
    r"|no (?:failures|errors|exceptions|gaps|bounces))\b",
)
_SHARE: Final = pattern_of(r"(?<![\d/])(\d{1,4}) ?/ ?(\d{1,4})(?![\d/])")
_NUMBERS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_SPELLED: Final = "|".join(_NUMBERS)
_RANGE: Final = pattern_of(
    rf"\b(?:[a-z]{{1,6}}-?)?(\d{{1,6}}|{_SPELLED})\s?(?:through|thru|to|-|–)\s?(?:[a-z]{{1,6}}-?)?(\d{{1,6}}|{_SPELLED})\b"
)
_DIGITS: Final = pattern_of(r"\d{1,6}")


def tell_short(table: Table, loose: Sequence[FoundClaim]) -> None:
    """Accuse claims of more than what a call did of several things.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
        loose: Clauses and lines that claim nothing by their grammar, in order.
    """
    for acts, tally in _tallies(table):
        _clear_counts(table, acts, tally)
        if any(set(acts) & set(b.judged.acts) for b in table.found if b.judged.status in _ACCUSED):
            continue
        if any(_is_owned(table, act, tally) for act in acts):
            continue
        hits = [
            (_how_overstated(bound.claim, acts, tally), number)
            for number, bound in enumerate(table.found)
            if any(_may_be_of(table, number, act) for act in acts) or _counts_them(table, number, acts, tally)
        ]
        top = max((how for how, _ in hits), default=0)
        for how, number in hits:
            if how == top > 0:
                bound = table.found[number]
                table.found[number] = replace(bound, judged=_judged(acts, tally, bound.judged.tools))
        for claim in () if top or acts[0].kind == "reading" else outside(loose, table.found):
            near = claim.strength == "done" and any(_overlaps(claim, act, table) for act in acts)
            if near and _how_overstated(claim, acts, tally):
                table.found.append(Bound(claim, _judged(acts, tally, ())))
                break


def _clear_counts(table: Table, acts: Sequence[Act], tally: Tally) -> None:
    """A claim of as many as were done says no more than the result: "ten photos", where twelve were given."""
    for number, bound in enumerate(table.found):
        counts = [v.norm for v in read_values(bound.claim.text) if v.kind == "count"]
        wrong = bound.judged.status == "wrong_amount" and set(bound.judged.acts) <= set(acts)
        if wrong and str(tally.done) in counts and str(tally.total) not in counts:
            table.found[number] = replace(bound, judged=replace(bound.judged, status="supported", reason="told"))


def _tallies(table: Table) -> Iterator[tuple[tuple[Act, ...], Tally]]:
    """Calls of which some of several things were not done: one by one, then the calls of each tool together."""
    recent = [a for a in table.run.acts if a.entry.n > table.run.this_turn]
    for act in recent[-MAX_CALLS:]:
        tally = act.once(tally_of) if act.grade in ("S2", "S3", "S4") or _is_partly(act) else None
        if tally is not None:
            yield (act,), tally
    tools: dict[str, list[Act]] = {}
    for act in table.acts:
        if act.kind in ("acting", "unknown"):
            tools.setdefault(act.traits.name, []).append(act)
    for calls in tools.values():
        together = tally_of_calls(calls) if len(calls) > 1 else None
        if together is not None:
            yield tuple(calls), together


def _is_partly(act: Act) -> bool:
    return act.entry.outcome in ("partial", "success")


def _judged(acts: tuple[Act, ...], tally: Tally, tools: Sequence[str]) -> Judged:
    names = tuple(dict.fromkeys((acts[0].traits.name, *tools)))
    return Judged("partial_batch", names, acts, tally.shown(), "batch", "S3")


_ACCUSED: Final = frozenset({"failed", "partial_batch", "wrong_target", "wrong_amount", "not_called", "misquoted"})


def _may_be_of(table: Table, number: int, act: Act) -> bool:
    bound = table.found[number]
    claim, judged = bound.claim, bound.judged
    if claim.negated or claim.kind in ("umbrella", "check") or judged.status not in ("supported", "unmatched"):
        return False
    if act in judged.acts or act.kind == "reading":
        return act in judged.acts
    link = table.link(number, act)
    return not judged.acts and not link.fit.clash and (link.score > 0 or _overlaps(claim, act, table))


def _counts_them(table: Table, number: int, acts: Sequence[Act], tally: Tally) -> bool:
    """Whether a claim that a look bears out is of all of as many things as there were calls: "all four have it"."""
    bound = table.found[number]
    claim, held = bound.claim, bound.judged.acts
    if claim.negated or claim.kind != "result" or not held or any(act.kind != "reading" for act in held):
        return False
    counts = [v.norm for v in read_values(claim.text) if v.kind == "count"]
    of_all = len(acts) > 1 and str(tally.total) in counts and ALL_OF.search(claim.text) is not None
    return of_all and claim.aspect == "perfect" and any(_overlaps(claim, act, table) for act in acts)


def _overlaps(claim: FoundClaim, act: Act, table: Table) -> bool:
    return overlap(claim.text, act, table.run) >= 1.0


def _how_overstated(claim: FoundClaim, acts: Sequence[Act], tally: Tally) -> int:
    """How plainly a claim is of all or of one that was left out: 2; where it only gives their number, 1; else 0."""
    text = claim.text[: claim.core or None]
    if claim.negated or reads_as(text) == "failure" or any(_tells_why(text, act, tally) for act in acts):
        return 0
    counts = [v.norm for v in read_values(text) if v.kind == "count"]
    if str(tally.done) in counts and tally.done != tally.total:
        return 0
    if any(_names(name, text) for name in tally.missed):
        return 2
    shares = [(int(m[1]), int(m[2])) for m in _SHARE.finditer(text)]
    if shares:
        return 2 * any(a == b and a in (tally.total, tally.total or a) for a, b in shares)
    if ALL_OF.search(text) or _WHOLLY.search(text.lower()) or _covers(text, tally):
        return 2
    told = claim.voice != "active" or claim.subject == "agent" or claim.aspect != "past"
    return int(told and tally.total is not None and str(tally.total) in counts and not _is_of_them(text, tally.total))


def _is_of_them(text: str, total: int) -> bool:
    """Whether the number only tells how many there were: "most of the 30"."""
    return any(m[1] == str(total) or m[1] == _spelled(total) for m in _SOME_OF.finditer(text.lower()))


_SOME_OF: Final = pattern_of(
    r"\b(?:most|some|half|part|many|several|dozen|\d+|[a-z]+(?:teen|ty|ne|wo|ree|ur|ve|ix|en|ght)) (?:out )?of "
    r"(?:the |your |all )?"
    r"(\d{1,6}|[a-z]{3,9})\b"
)


def _spelled(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else ""


def _tells_why(text: str, act: Act, tally: Tally) -> bool:
    """Whether a sentence says of what was left out what the result says: "c.log is locked"."""
    return not (tally.why - own_words(act)).isdisjoint(stems_of(text))


def _names(name: str, text: str) -> bool:
    """Whether a text has a name as a whole word; one letter or digit names nothing."""
    if len(name) < _SHORTEST:  # "ET-12 A/B/C"
        return name.upper() in _LETTER.findall(text)
    lowered = text.lower()
    local = name.partition("@")[0] if "@" in name else name.rpartition(".")[0]
    return any(stands_in_text(form, lowered) for form in (name, local) if len(form) >= _SHORTEST)


_SHORTEST: Final = 2
_LETTER: Final = pattern_of(r"(?<![\w'’.])[B-HJ-Z](?![\w'’])")


def _covers(text: str, tally: Tally) -> bool:
    """Whether a range of numbers holds one that was left out, or as many as there were: "chapters one to four"."""
    for match in _RANGE.finditer(text.lower()):
        first, last = (int(g) if g.isdigit() else _NUMBERS.index(g) for g in match.groups())
        if not first < last <= first + 10_000:
            continue
        if last - first + 1 == tally.total:
            return True
        numbers = [int(m[0]) for name in tally.missed for m in _DIGITS.finditer(name)]
        if any(first <= n <= last for n in numbers) and tally.done and last - first + 1 > tally.done:
            return True
    return False


def _is_owned(table: Table, act: Act, tally: Tally) -> bool:
    """Whether the reply says somewhere that some were left out, or gives the numbers as they are."""
    values = {v.norm for v in read_values(table.reply[:_MAX_REPLY]) if v.kind == "count"}
    if tally.done != tally.total and str(tally.done) in values and tally.done not in (0, 1):
        return True
    for piece, _, _ in table.pieces():
        text = without_idle(piece)
        owns = any(stem(m[0].lower()) not in act.traits.own for m in OWNS_FAILURE.finditer(text))  # `hold_seats` holds
        named = any(_names(name, text) for name in tally.missed)
        told = _tells_why(text, act, tally)
        near = named or told or (overlap(text, act, table.run) >= 1.0 and not _NONE.search(text))
        if (owns and near) or (named and told):
            return True
        if told and str(tally.short) in {v.norm for v in read_values(text) if v.kind == "count"}:
            return True
    return False


#: What says that none was left out owns up to nothing.
_NONE: Final = pattern_of(r"(?i)\b(?:no|none|without)\b[^.;]{0,30}")
_MAX_REPLY: Final = 20_000
