"""Acts that were done and of which the reply tells only by denying them.

The user said to leave it, the call went out all the same, and the reply says "I haven't touched R-77": whichever words
deny it, a sentence that shares what only this call has, where nothing in the reply tells of the call, is false.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import AMOUNTS, TARGETS, agrees
from receipts_middleware.core.binding.denials import leaves_open, says_none, says_not
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.owning import SMALL, clauses_of
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spared import only_prepares
from receipts_middleware.core.binding.table import Piece, Table
from receipts_middleware.core.binding.tools import Meant, fit, meant_by
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem, stems_of, with_joined
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.claims.tables import STOPWORDS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values

#: Words by which a clause says that something was not done, or could not be.
_DENIES: Final = pattern_of(
    r"\b(?:has|have|had|was|were|did|could|is|are)(?:n[’']t| not| never)\b"
    r"|\b(?:no|none|nothing|nobody|neither) (?:[\w’'-]+ ){0,5}(?:has|have|was|were|is|are|went|got)\b"
    r"|\b(?:taken|took|made|done) (?:no (?:action|steps?|changes?|edits?)|nothing)\b"
    r"|\b(?:unable|failed) to\b|\bfell through\b|\b(?:un(?:touched|changed|sent|published|sold|booked|altered))\b"
    r"|\b(?:left|leave|kept|keep) (?:[\w’'#-]+ ){1,4}(?:as (?:it|they|is|that)|alone|standing|in place|off|out)\b"
    r"|\b(?:stays?|stayed|remains?|remained|(?:is|are|[’']s) still) "
    r"(?:on|in place|active|live|open|as (?:it|is)|under|put|valid|booked|with)\b",
    re.IGNORECASE,
)
#: Words by which a clause says that nothing at all was done to a thing.
_SPARED: Final = pattern_of(
    r"\b(?:touch(?:ed)?|untouched|unchanged|unaltered|alone|hands off|no (?:action|changes?|edits?)"
    r"|as (?:it|they) (?:was|were|is|are|stands?))\b",
    re.IGNORECASE,
)
#: A clause of what a thing itself has not done.
_BY_ITSELF: Final = pattern_of(r"(?<!\bI )(?<!\bwe )\b(?:has|have)(?:n[’']t| not) (?!been\b)", re.IGNORECASE)
#: What takes a denial back, or makes it one of something else.
_OTHERWISE: Final = pattern_of(
    r"\b(?:else|itself|themselves|other|others|further|additional|more|again|until|unless|without|beyond|only|twice"
    r"|separate|apart|if|when|should|would|will|can|may|might|any of|fees?|cost|on top|besides|as well)\b|\?|[’']ll\b",
    re.IGNORECASE,
)
#: Until when a thing is said to be left as it is.
_UNTIL: Final = pattern_of(r"(?<=unsent|booked|posted|listed|signed) until (?!now\b|today\b)[^.]*", re.IGNORECASE)
#: What a clause must share with the call that it denies.
_SHARED: Final = 1.5
_WORD: Final = pattern_of(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")


def tell_denied(table: Table) -> None:
    """Accuse what denies an act that was done and that the reply tells of nowhere.

    Args:
        table: Claims and calls; denials are added to it.
    """
    run = table.run
    denying, others = _parted(table.pieces())
    if not denying or run.delegated:
        return
    told = {
        a.entry.n
        for b in table.found
        if not b.claim.negated and b.claim.kind != "umbrella" and b.judged.status not in ("unmatched", "not_called")
        for a in b.judged.acts
        if b.claim.kind == "effect" or b.judged.status != "supported" or len(b.judged.acts) == 1
        if not (len(b.judged.acts) == 1 and _DENIES.search(b.claim.text))
    }
    untold = [a for a in table.acts if a.kind == "acting" and _is_done(a) and a.entry.n not in told]
    if untold:
        stated = _stated(others)
        untold = [a for a in untold if not any(a.args_pool().find(v) == "same" for v in stated)]
    if not untold:
        return
    clauses = list(_clauses(table, denying))
    for act in untold:
        scores = [(_shared(meant, claim, act, run), -n) for n, (claim, meant) in enumerate(clauses)]
        score, at = max(scores, default=(0.0, 0))
        if score >= _SHARED:
            claim = clauses[-at][0]
            table.found = [b for b in table.found if not _overlaps(b.claim, claim)]
            judged = Judged("false_denial", (act.traits.name,), (act,), act.entry.id, "done", "S0")
            table.found.append(Bound(claim, judged))


def _parted(pieces: Iterable[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Sentences that deny something, and those that deny nothing."""
    parts: tuple[list[Piece], list[Piece]] = ([], [])
    for piece in pieces:
        parts[_DENIES.search(piece[0]) is None].append(piece)
    return parts


def _stated(pieces: Iterable[Piece]) -> list[Value]:
    """Amounts of sentences that deny nothing."""
    values = (v for text, _, _ in pieces for v in read_values(text))
    return [v for v in values if v.kind in AMOUNTS and v.norm not in SMALL]


def _is_done(act: Act) -> bool:
    """Whether an act was done, or ended in what its tool is named for: `submit_leave` that is "submitted"."""
    return act.done or (act.grade == "S2" and bool(stems_of(act.entry.receipt.status_word or "") & act.traits.own))


def _overlaps(one: FoundClaim, other: FoundClaim) -> bool:
    return min(one.end, other.end) > max(one.start, other.start)


def _clauses(table: Table, denying: Iterable[Piece]) -> Iterator[tuple[FoundClaim, Meant]]:
    """Clauses of the reply that deny something."""
    accused = [b.claim for b in table.found if b.judged.status not in ("supported", "unmatched")]
    for text, start, _ in denying:
        for begin, last in clauses_of(text):
            first = begin + _behind_and(text[begin:last])
            clause = text[first:last]
            if not _DENIES.search(clause) or _OTHERWISE.search(_UNTIL.sub("", clause)):
                continue
            claim = _claim(clause, start + first)
            if not any(_overlaps(claim, other) for other in accused):
                yield claim, meant_by(claim)


def _behind_and(clause: str) -> int:
    """Where the last of several clauses that "and" joins begins, if it is the one that denies."""
    denies = _DENIES.search(clause)
    at = clause.rfind(" and ", 0, denies.start()) if denies is not None else -1
    return at + 5 if at >= 0 else 0


def _claim(clause: str, start: int) -> FoundClaim:
    words = [m[0].lower() for m in _WORD.finditer(clause[:600])]
    verb = next((base_form(w) for w in reversed(words) if is_participle(w) and w not in STOPWORDS), "")
    objects = tuple(w for w in words if w not in STOPWORDS and base_form(w) != verb)
    end = start + len(clause.rstrip(" .!"))
    return FoundClaim(
        clause.rstrip(" .!"), start, end, "effect", verb, "agentless", "passive", "perfect", negated=True,
        strength="done", objects=objects,
    )  # fmt: skip


def _shared(meant: Meant, claim: FoundClaim, act: Act, run: Run) -> float:
    """What a denial shares with a call and with no other call; 0 where it may be true."""
    if (
        only_prepares(act.traits, meant.verb)
        or says_not(act, meant.verb)
        or says_none(act, meant)
        or (leaves_open(_without_own(act)) and act.grade != "S4")
    ):
        return 0.0
    found = fit(meant, act.traits)
    others = [a for a in run.acts if a is not act]
    held = frozenset(w for a in others for w in (*a.words(), *a.traits.own))
    own = act.words() | act.traits.own | act.traits.told | run.alias_words(act)
    words = (with_joined(claim.text) | meant.words | {meant.verb}) & (own - held)
    named = words - (act.traits.told - act.traits.own)
    score = 1.0 * len(named) + 0.5 * len(words - named)
    if score and _SPARED.search(claim.text):
        score += 1.0  # whatever could have been done to it
    if found.clash:
        return 0.0
    if found.verb >= 2 and not any(fit(meant, a.traits).verb >= found.verb for a in others):
        score += 1.0
    if not score and _BY_ITSELF.search(claim.text):
        return 0.0  # "sonde V44 hasn't popped yet" denies no launch
    for value in read_values(claim.text):
        if value.norm in SMALL:
            continue
        if not agrees(value, act):
            if value.kind in TARGETS:
                return 0.0
            continue
        if _is_of(value, act) and not any(agrees(value, a) for a in others if a.kind != "reading"):
            score += 1.5
    rival = max((fit(meant, t).score for t in run.traits if t.name not in run.called), default=0.0)
    return 0.0 if rival > found.score else score


def _is_of(value: Value, act: Act) -> bool:
    """Whether a call was given or returned a value by itself, and did not only write of it."""
    given = {text.strip().lower().lstrip("#") for _, text in act.arg_pairs() if len(text) <= 64}
    return value.kind not in TARGETS or value.norm in given or act.output_pool().contains(value)


def _without_own(act: Act) -> str:
    """A result without the words of the tool's own act: `rejected` says of `reject_application` that it was done."""
    text = act.output[:4_000]
    return _WORD.sub(lambda m: "" if stem(m[0].lower()) in act.traits.own else m[0], text)
