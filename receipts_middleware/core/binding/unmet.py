"""Parts of a request that no call met, told as done: in any clause, however little it asserts by its grammar.

"Let Dana know" was asked, `slack_dm` was not called, and the reply says that "Dana knows". A clause counts that names
what only this part names and that has the part's verb, one of its family, or how things stand behind such an act.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.binding.before import says_after
from receipts_middleware.core.binding.checks import is_looking
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.owning import SMALL, clauses_of
from receipts_middleware.core.binding.parts import COMMON, Unmet, codes_of, held_words, is_named, unmet_parts
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.table import SETTLED, Table
from receipts_middleware.core.binding.tools import families, fit, is_related, meant_by
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import is_past_form
from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value, read_values

#: What a clause must share with a part to tell of it.
_TELLS: Final = 1.75
#: Words by which a clause denies, offers, plans, asks or leaves open.
_OPEN: Final = pattern_of(
    r"\b(?:not|no(?! longer)|never|none|nothing|nobody|unable|cannot|failed|error\w*|pending|awaiting|waiting"
    r"|once|will|shall|should|would|could"
    r"|might|(?-i:may)|need\w*|want\w*|still|yet|unfortunately|except|skipp\w*|missing|unavailable|next|later"
    r"|if|unless|let me"
    r"|ready to|happy to|to do|to be|left to|left out|going to|about to|plan\w*|please|already|asked|requested"
    r"|can(?! (?:now )?(?:see|read|open|view|access|edit|follow|join|find)\b)"
    r"|(?:is|are) to|up to|instead|until|to come|remains?|forgot|miss(?:ed|ing)|neither|nor|kept|same"
    r"|unchanged|proceed\w*|assist\w*|decided|must|requires?|be (?=\w+ed\b)|have (?:the|your|it)|eligible"
    r"|shows? that|indicates?|seems?"
    r"|let[’']s|difference|policy|stays?|stayed|alone|offer\w*|suggest\w*|recommend\w*)\b"
    r"|n[’']t\b|[’']ll\b|[’']d\b|\?|^(?:to|before|after|when|while|as soon)\b",
    re.IGNORECASE,
)
#: Words that stand for what was named before.
_REFERS: Final = pattern_of(r"\b(?:it|that|this|them|they|those|these|rest|both|either|other|one)\b", re.IGNORECASE)
#: Forms of what was done or now stands.
_STANDS: Final = pattern_of(
    r"\b(?:is|are|has|have|had|was|were|went|got|gets?|goes|now|knows?|heard|comes?|coming|arrives?|runs|can"
    r"|gone|done|in place|with)\b|[’'](?:s|re|ve)\b"
    r"|:(?=[\s*_]*\w)|✅|✔|\[x\]",
    re.IGNORECASE,
)


#: Words of a part that only names what is wanted; a longer one tells how things are.
_FEW: Final = 5


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    start: int
    said: str
    words: frozenset[str]
    content: frozenset[str]
    values: tuple[Value, ...]


def tell_unmet(table: Table) -> None:
    """Accuse what tells as done a part of the request that no call met.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
    """
    if table.run.this_turn and not table.acts:
        return  # a talk goes on, and what was done before was told before
    parts = [part for part in unmet_parts(table.run) if part.part.verb or len(part.part.words) <= _FEW]
    if not parts:
        return
    held = held_words(table.run)
    clauses = list(_clauses(table))
    for unmet in parts:
        if _is_accused(unmet, table) or _is_owned_up(unmet, table):
            continue
        scores = [(_score(c, unmet, held, table), -n) for n, c in enumerate(clauses)]
        score, at = max(scores, default=(0.0, 0))
        if score >= _TELLS:
            _accuse(table, clauses[-at], unmet)
        elif _is_sure(unmet, table.run.request):
            table.found = [_as_undone(b, unmet) for b in table.found]


def _is_sure(unmet: Unmet, request: str) -> bool:
    """Whether a part was asked for under no condition, and of a tool that speaks of it.

    "Go ahead with the exchange and refund" names nothing that the exchange alone does not have.
    """
    if not unmet.things or not unmet.part.verb or unmet.traits.kind != "acting" or unmet.orphan or not is_named(unmet):
        return False
    return _IF.search(request) is None


def _as_undone(bound: Bound, unmet: Unmet) -> Bound:
    """An umbrella over a part that no call met: "Everything you asked for is done"."""
    text, settled = bound.claim.text, bound.judged.status not in ("supported", "unmatched")
    wide = (bound.claim.kind == "umbrella" and _ALL.search(text)) or _BARE.fullmatch(text)
    if not wide or bound.claim.negated or settled:
        return bound
    return replace(bound, judged=Judged("not_called", (unmet.traits.name,), bound.judged.acts, "", "undone", "S3"))


_IF: Final = pattern_of(r"\b(?:if|unless|in case|once|when|should|otherwise|maybe|or)\b", re.IGNORECASE)
_ALL: Final = pattern_of(r"\b(?:all|both|everything|every|each|the rest|you asked|requested)\b", re.IGNORECASE)
#: Nothing but that all of it is done: "Both are done".
_BARE: Final = pattern_of(
    r"\W*(?:both|all)(?: (?:two|three|four|of (?:them|those|these|it)))?(?: are| were|[’']re| have been)?(?: now)? "
    r"(?:done|sorted|handled|finished|completed?|taken care of|dealt with)\W*",
    re.IGNORECASE,
)


def _is_accused(unmet: Unmet, table: Table) -> bool:
    """Whether a claim of the tool's act stands accused as it is."""
    return any(
        b.judged.status == "not_called" and b.judged.tools[:1] == (unmet.traits.name,) and b.judged.reason == "undone"
        for b in table.found
    ) or any(b.judged.status == "not_called" and b.judged.tools == (unmet.traits.name,) for b in table.found)


def _clauses(table: Table) -> Iterator[_Clause]:
    """Clauses of the reply that leave nothing open."""
    for text, start, _ in table.pieces():
        for first, last in _cut(text):
            clause = text[first:last].strip(" .!,;*_")
            at = text.find(clause, first)
            if len(clause) > 3 and not _OPEN.search(clause) and not _MARKUP.search(clause):
                said = _ASIDE.sub(" ", clause)
                words = frozenset(stem(w) for w in words_of(said))
                yield _Clause(
                    clause, start + at, said, words, stems_of(said) | codes_of(said), tuple(read_values(said))
                )


def _cut(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of clauses, also those that "and" joins, and labels with what is behind them."""
    for first, last in clauses_of(text):
        at = first
        for match in _AND.finditer(text, first, last):
            yield at, match.start()
            at = match.end()
        yield at, last
    label = _LABEL.match(text)
    if label is not None:
        yield 0, label.end()


#: Code and calls that are written down tell nothing.
_MARKUP: Final = pattern_of(r"[<>{}=]")
#: What stands in brackets.
_ASIDE: Final = pattern_of(r"\([^()\n]{0,200}\)?|^[^()\n]{0,200}\)")
_AND: Final = pattern_of(r"\s+(?:and|then)\s+")
_LABEL: Final = pattern_of(r"[^:.\n]{2,40}: (?:[\w-]+ ?){1,4}(?=[.,;!]|$)")


def _score(clause: _Clause, unmet: Unmet, held: frozenset[str], table: Table) -> float:
    """What a clause shares with a part that no call met; 0 where it tells no act of it."""
    verb = _verb_score(clause, unmet, table.run)
    fresh = clause.content - held
    part = fresh & unmet.things
    own = (fresh & unmet.own) - part if is_named(unmet) else frozenset()
    values = [v for v in clause.values if v.norm not in SMALL and v.text.lower() not in part and _is_of_part(v, unmet)]
    valued = sum(not any(agrees(v, a) for a in table.run.acts) for v in values)
    things = 1.0 * len(part) + 0.75 * min(2, len(own)) + 1.0 * valued
    if not verb or not things:
        return 0.0
    if any(agrees(v, a) and v.norm not in SMALL for v in clause.values for a in table.run.acts if a.kind != "reading"):
        things -= 0.75
    return verb + things if _is_done(clause, unmet) else 0.0


def _is_of_part(value: Value, unmet: Unmet) -> bool:
    return any(value.norm == other.norm for other in read_values(unmet.part.text))


def _verb_score(clause: _Clause, unmet: Unmet, run: Run) -> float:
    """How surely a clause is of the part's act: its verb, one of the family, or how things stand behind it."""
    traits, part = unmet.traits, unmet.part
    if unmet.orphan:
        return 0.5 if len(clause.content & unmet.things) > 1 else 0.0
    exact = {part.verb, part.verb.removeprefix("re"), *traits.acts, traits.lead, traits.head} - COMMON - {""}
    if part.verb and is_named(unmet):
        exact |= {part.verb}
    if not clause.words.isdisjoint(exact):
        return 1.0
    kin = traits.verbs | part.verbs if part.verbs else traits.verbs
    past = frozenset(stem(w) for w in words_of(clause.said) if is_past_form(w))
    if any(is_related(families([w], run.words), kin, traits) for w in past - COMMON - _HEARD):
        return 1.0
    return 0.75 if says_after(clause.said, traits) else 0.0


#: Words by which a reply says that it took something in: "aisle seats noted".
_HEARD: Final = frozenset(stem(w) for w in "noted understood heard".split())


def _is_done(clause: _Clause, unmet: Unmet) -> bool:
    """Whether a clause tells of something done or of how it stands, and names no thing alone."""
    if unmet.traits.kind == "reading" and any(is_looking(w) for w in (unmet.traits.lead, unmet.part.verb)):
        return _LOOKED.search(clause.said) is not None
    own = unmet.traits.acts | {unmet.part.verb} | (unmet.traits.own & unmet.part.words)
    return _STANDS.search(clause.said) is not None or any(
        is_past_form(w) or (w[-1] == "s" and stem(w) in own) for w in words_of(clause.said)
    )


_LOOKED: Final = pattern_of(
    r"\b(?:I|we)(?:[’']ve| have)? (?:also |just )?(?:had|took|looked|checked|went|ran|did|tested|verified|reviewed)\b"
    r"|\b(?:went|ran|put) through\b|\b(?:was|were|been) (?:checked|tested|verified|reviewed|run)\b",
    re.IGNORECASE,
)


def _is_owned_up(unmet: Unmet, table: Table) -> bool:
    """Whether some clause denies, offers or leaves open what the part asked for."""
    speaks = unmet.things | (unmet.own & (unmet.traits.own | {unmet.traits.head}))
    kin = unmet.traits.verbs | unmet.part.verbs
    for text, _, _ in table.pieces():
        before = False
        for first, last in clauses_of(text):
            clause = text[first:last]
            words = frozenset(stem(w) for w in words_of(clause))
            shares = not words.isdisjoint(speaks) or bool(families(words & unmet.traits.acts) & kin)
            if _OPEN.search(clause) and (shares or (before and _REFERS.search(clause))):
                return True
            before = before or shares
    return False


def _accuse(table: Table, clause: _Clause, unmet: Unmet) -> None:
    """Put the accusation in place of what stood there as a claim, of which a part before it is kept."""
    end = clause.start + len(clause.text)
    kept: list[Bound] = []
    tools: list[str] = []
    for bound in table.found:
        claim = bound.claim
        if claim.end <= clause.start or claim.start >= end:
            kept.append(bound)
        elif _is_settled(bound):
            return
        elif claim.start < clause.start - _LEAST:
            kept.append(_until(bound, clause.start))
        elif _is_needed(bound, table):
            return
        else:
            tools.extend(bound.judged.tools)
    names = tuple(dict.fromkeys([unmet.traits.name, *tools]))
    found = FoundClaim(
        clause.text, clause.start, end, "effect", unmet.part.verb, "agentless", "passive", "perfect", negated=False,
        strength="done", objects=tuple(sorted(clause.words)),
    )  # fmt: skip
    table.found = [*kept, Bound(found, Judged("not_called", names, (), "", "undone", "S3"))]


def _is_settled(bound: Bound) -> bool:
    return bound.judged.status not in ("supported", "unmatched") or bound.judged.reason in SETTLED


def _is_needed(bound: Bound, table: Table) -> bool:
    """Whether a call is told by a claim alone, or does just such things to what it names."""
    if bound.judged.status != "supported" or bound.claim.kind == "result":
        return False
    meant = meant_by(bound.claim)
    for act in bound.judged.acts:
        if act.kind == "reading":
            continue
        found = fit(meant, act.traits)
        told = any(act in b.judged.acts and b.judged.status == "supported" for b in table.found if b is not bound)
        if not told or (found.verb >= _VERY and found.noun >= 1):
            return True
    return False


#: As `Fit.verb` says that a verb is a tool's own.
_VERY: Final = 2
#: A claim keeps at least so many characters.
_LEAST: Final = 12


def _until(bound: Bound, end: int) -> Bound:
    claim = bound.claim
    text = _JOINT.sub("", claim.text[: end - claim.start])
    core = claim.core if claim.core <= len(text) else 0
    return replace(bound, claim=replace(claim, text=text, end=claim.start + len(text), core=core))


_JOINT: Final = pattern_of(r"[\s,;:–—-]*(?:\b(?:and|but|then|so)\b)?\s*\Z", re.IGNORECASE)
