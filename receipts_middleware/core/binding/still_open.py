"""Claims of an outcome over an act whose result, or a later look at the same thing, leaves its end open.

"The explainer's published" over `firstPublished: null`, "30 flyers printed" over a look that says `Status: Waiting`. A
claim of what the tool itself does at once (created, submitted, sent) is borne out by the call, whatever is still to
come of it; and a reply that anywhere leaves that end open claims no outcome.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.open_marks import Mark, own_marks
from receipts_middleware.core.binding.opened import Opened, open_acts
from receipts_middleware.core.binding.outcome import SPOKEN, mark_for, names_outcome, share_of
from receipts_middleware.core.binding.owning import overlap, without_idle
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.table import Table, outside
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values

#: Words by which a reply leaves the end of an act open.
_OPENS: Final = pattern_of(
    r"\b(?:pending|queued?|queue|await\w*|waiting|waits?|wait[- ]?list\w*|review\w*|approval|in progress"
    r"|under way|underway|processing|still|yet|until|once|as soon as|submitted|requested|request|lodged"
    r"|handed in|sent for|sent off|asked|started|kicked off|initiated|on (?:its|their) way|expect\w*"
    r"|will|soon|shortly|in transit|on hold"
    r"|moderation|tentative\w*|transmitted|scheduled|in line|unconfirmed|to confirm|has to|have to|needs?|so far"
    r"|provisional\w*|subject to|due|running|validating|not|no|nothing|never|without|only|before|if|unless|when|should"
    r"|put in for|applied for|passed (?:on )?to|forwarded|with (?:the|a|your|our)|now with|in for|ballot|draw"
    r"|goes? (?:live|out)|would|can take|may take|takes|parked|held|holding|provided|staged|lies|desk|outstanding"
    r"|register(?:ed)? your interest|accepted for)\b|n['\u2019]t\b|['\u2019]ll\b",
    re.IGNORECASE,
)
#: What asks or offers says nothing of how an act stands.
_OFFERS: Final = pattern_of(
    r"\b(?:want me to|shall i|would you like|let me know|i would be glad|i[’']d be (?:glad|happy)|happy to|nothing else"
    r"|anything else|no (?:other|further))\b[^.!?\n]*|[^.!?\n]{0,200}\?",
    re.IGNORECASE,
)
_NONE: Final = pattern_of(
    r"\b(?:no|none|nothing|nobody|zero|not)\b|(?<![\w.,:/-])0(?![\w.,:/-])|n['\u2019]t\b", re.IGNORECASE
)
_PARTLY: Final = pattern_of(
    r"\b(?:(?:one|two|three|four|five|some|most|half) of|\d{1,3} of (?:the|them|all|your|\d))\b|%", re.IGNORECASE
)
_SPARED: Final = frozenset({"owned", "hedged", "umbrella", "delegated", "batch"})


def tell_open(table: Table, loose: Sequence[FoundClaim]) -> None:
    """Accuse claims of an outcome over acts whose end is open.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
        loose: Clauses and lines that claim nothing by their grammar, in order.
    """
    if table.run.delegated:
        return
    found = open_acts(table.run.acts, table.run.this_turn)
    _clear_what_is_true(table, found)
    for opened in found:
        for number, bound in enumerate(table.found):
            mark = _of_bound(table, number, bound, opened)
            if mark is not None and not _is_left_open(bound.claim, opened, table):
                table.found[number] = replace(bound, judged=_judged(opened, mark, bound.judged.tools))
        if any(b.judged.status == "accepted_only" and opened.act in b.judged.acts for b in table.found):
            continue
        for clause in outside(loose, table.found):
            mark = _of_loose(table, clause, opened)
            if mark is not None and not _is_left_open(clause, opened, table):
                table.found.append(Bound(clause, _judged(opened, mark, ())))
                break


def _clear_what_is_true(table: Table, found: Sequence[Opened]) -> None:
    """Take back denials that a thing happened yet, and shares of it that the result gives, of acts that are open."""
    opened = {opened.act.entry.n for opened in found}
    kept = []
    for bound in table.found:
        judged = bound.judged
        denied = judged.status == "false_denial" and any(a.entry.n in opened for a in judged.acts)
        if denied and _YET.search(bound.claim.text):
            continue
        if judged.status == "accepted_only" and _tells_a_share(bound):
            bound = replace(bound, judged=replace(judged, status="supported", reason="told"))  # noqa: PLW2901
        kept.append(bound)
    table.found[:] = kept


_YET: Final = pattern_of(r"\b(?:yet|so far)\b", re.IGNORECASE)


def _tells_a_share(bound: Bound) -> bool:
    """Whether a claim says how much of it was done so far, as the result does: "38% of the rows are copied"."""
    shares = [v for v in read_values(bound.claim.text) if v.kind == "percent" and v.norm not in ("100", "100.0")]
    return bool(shares) and any(a.output_pool().find(v) == "same" for v in shares for a in bound.judged.acts)


def _judged(opened: Opened, mark: Mark, tools: Sequence[str]) -> Judged:
    names = tuple(dict.fromkeys([opened.act.traits.name, *tools]))
    shown = f"{opened.act.entry.id} {mark.shown}"[:300]
    return Judged("accepted_only", names, (opened.act, *opened.looks[-1:]), shown, "open", "S3")


def _of_bound(table: Table, number: int, bound: Bound, opened: Opened) -> Mark | None:
    claim, judged = bound.claim, bound.judged
    if judged.status not in ("supported", "unmatched") or judged.reason in _SPARED:
        return None
    if claim.kind not in ("effect", "result", "check") or not _asserts(claim):
        return None
    said = table.spoken(number)
    if _is_told_elsewhere(said, judged.acts, opened, claim):
        return None
    at_home = any(a in (opened.act, *opened.looks) for a in judged.acts)
    if not at_home and judged.acts and said.fit(opened.act.traits).verb < _OWN_VERB:
        return None  # an earlier look told it
    if (not at_home or judged.status == "unmatched") and not _shares(said, opened, table.run):
        return None
    return mark_for(said, opened, bound=at_home)


def _is_told_elsewhere(said: Spoken, acts: Sequence[Act], opened: Opened, claim: FoundClaim) -> bool:
    """Whether another call bears a claim out: an act that was done, or a look that shares as much of a result."""
    mine = (opened.act, *opened.looks)
    others = [a for a in acts if a not in mine]
    at_home = len(others) < len(acts)
    if any(a.kind != "reading" and (not at_home or (a.done and not a.once(own_marks).open)) for a in others):
        return True
    looks = [a for a in others if a.kind == "reading"] if claim.kind == "result" else []
    return any(share_of(said, a) >= share_of(said, opened.act) for a in looks)


def _of_loose(table: Table, claim: FoundClaim, opened: Opened) -> Mark | None:
    if claim.strength != "done" or not _asserts(claim):
        return None
    said = Spoken(claim, table.run)
    return mark_for(said, opened, bound=False) if _shares(said, opened, table.run) else None


def _asserts(claim: FoundClaim) -> bool:
    text = claim.text[: claim.core or None]
    return (
        not claim.negated
        and not text.rstrip().endswith("?")
        and _NONE.search(text) is None
        and not _PARTLY.search(text)
    )


def _shares(said: Spoken, opened: Opened, run: Run) -> bool:
    """Whether a claim speaks of an act more than of any other of the turn."""
    mine = max(share_of(said, a) for a in (opened.act, *opened.looks))
    others = [a for a in run.acts if a.entry.n > run.this_turn and a is not opened.act and a not in opened.looks]
    alone = all(a is opened.act or a in opened.looks or a.kind == "reading" for a in [opened.act, *others])
    alone = alone and names_outcome(said.text)
    return mine >= (1 if alone else SPOKEN) and all(share_of(said, a) < mine for a in others if a.kind != "reading")


#: The fit of a verb that is the tool's own or of its family.
_OWN_VERB: Final = 2.0


def _is_left_open(claim: FoundClaim, opened: Opened, table: Table) -> bool:
    """Whether the reply leaves the end open, in the sentence of the claim or one that is of the act."""
    word_texts = [m.word.replace("_", " ") for m in opened.marks if len(m.word) > 5]
    if any(word in table.plain() for word in word_texts):
        return True
    if _OWN_OPENS.search(claim.text):
        return True
    for piece, start, end in table.pieces():
        own = start <= claim.start < end
        near = own or claim.end <= start <= claim.end + _BEHIND
        text = _OFFERS.sub(" ", without_idle(piece))
        text = text.replace(claim.text, " ") if own else text
        if own and _OPENS.search(_BARE_NO.sub(" ", text)):
            return True
        if near and (_OWN_OPENS.search(text) or (_IT.match(text) and _OPENS.search(text))):
            return True
        if not own and _OPENS.search(text):
            shared = overlap(text, opened.act, table.run)
            if shared >= (1.0 if _OWN_OPENS.search(text) else 2.0):
                return True
    return False


#: Words that deny something else beside a claim.
_BARE_NO: Final = pattern_of(r"\b(?:nothing|no|never|only|without|before)\b", re.IGNORECASE)
_IT: Final = pattern_of(
    r"\W*(?:it|they|this|that|these|those|he|she|the (?:draw|decision|job|request))\b", re.IGNORECASE
)
#: How far behind a claim the sentence may begin that leaves its end open, in characters.
_BEHIND: Final = 6
_OWN_OPENS: Final = pattern_of(
    r"\b(?:pending|queued|awaiting|waiting|review|approval|in progress|under way|processing|until|once|as soon as|soon"
    r"|submitted|requested|request|lodged|handed in|sent for|kicked off|initiated|on (?:its|their) way|expected|will"
    r"|in transit|on hold|moderation|tentative\w*|transmitted|scheduled|in line|provisional\w*|subject to|ballot|draw"
    r"|still|yet|must|has to|have to|should|would|if|when|started"
    r"|for (?:approval|review|publication|release|signature|processing|deletion|scanning))\b"
    r"|['\u2019]ll\b",
    re.IGNORECASE,
)
