"""What a reader of another kind than the rules suspects to be a claim: held to the same masks and guards, only added.

Nothing here asks anybody: spans come in from outside (`receipts_middleware.llm`) and are untrusted. A suspicion never
takes anything from a rule: where a rule found a claim, its word stands and the suspicion is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding import Act, Run
from receipts_middleware.core.claims.chains import Chain, find_chains
from receipts_middleware.core.claims.clauses import Clause, read_clauses
from receipts_middleware.core.claims.segment import read_units
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import Claim, Finding
from receipts_middleware.core.ledger import shown_name
from receipts_middleware.core.rules import make_finding
from receipts_middleware.core.toolspec import ToolSpec, find_spec

#: A longer span is a paragraph, not a claim.
MAX_SPAN: Final = 200
#: Suspicions of one reply; whoever has more suspects everything.
MAX_SUSPICIONS: Final = 100
#: Tools of one suspicion; a span that any tool could have done says nothing.
MAX_TOOLS: Final = 8
#: Places in the reply at which one span is tried: the first may stand in code.
_MAX_PLACES: Final = 16
#: Proposed spans that are looked at for each that may stay.
_TRIES: Final = 4

#: Forms of a verb that say nothing of what is done.
_UNDONE: Final = frozenset({"modal", "infinitive", "progressive", "base"})
#: Forms by which a person that is not the agent is said to have acted.
_ACTS: Final = frozenset({"perfect", "past", "base", "present"})
#: Verbs that own up to an attempt.
_ATTEMPTS: Final = frozenset({"try", "attempt", "fail"})
_ORDER: Final = ("S0", "F", "S1", "S2", "S3", "S4")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A span of a reply that may claim something, as somebody else than the rules read it.

    Attributes:
        text: The words, as they stand in the reply.
        start: Offset of the first character.
        end: Offset behind the last.
        tools: Names of the listed tools of which one would have done it.
        action: Base form of its verb; empty where it has none.
    """

    text: str
    start: int
    end: int
    tools: tuple[str, ...]
    action: str = ""


def read_suspicions(
    reply: str,
    proposed: Iterable[tuple[str, Iterable[str]]],
    tools: Sequence[ToolSpec],
    *,
    limit: int = MAX_SUSPICIONS,
) -> list[Suspicion]:
    """Hold proposed spans to the masks and guards that the rules have.

    Args:
        reply: The text. Untrusted.
        proposed: Spans, each with the names of tools. Untrusted; at most four times `limit` are looked at.
        tools: Tools that were listed.
        limit: How many suspicions are kept at most.

    Returns:
        In order of appearance and disjoint: spans that stand verbatim in one sentence of the reply, at most 200
        characters, outside code, quotes, drafts, thinking and questions, that assert something as done, with those of
        their tools that are listed. Never raises over what was proposed.
    """
    found: list[Suspicion] = []
    read: _Read | None = None
    for tried, (text, names) in enumerate(proposed):
        if tried >= limit * _TRIES or len(found) >= limit:
            break
        span = text.strip()
        listed = _listed(names, tools)
        if not listed or not 0 < len(span) <= MAX_SPAN:
            continue
        read = _Read(reply) if read is None else read
        place = _place(read, span, found)
        if place is not None:
            start, action = place
            found.append(Suspicion(text=span, start=start, end=start + len(span), tools=listed, action=action))
    return sorted(found, key=lambda s: s.start)


def _listed(names: Iterable[str], tools: Sequence[ToolSpec]) -> tuple[str, ...]:
    found: list[str] = []
    for _, name in zip(range(MAX_TOOLS * _TRIES), names, strict=False):
        spec = find_spec(tools, name)
        if spec is not None and spec.name not in found:
            found.append(spec.name)
    return tuple(found[:MAX_TOOLS])


class _Read:
    """A reply in its units, each read once however many spans are tried in it."""

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.units = list(read_units(reply))
        self.starts = [unit.tokens[0].start if unit.tokens else unit.segment.start for unit in self.units]
        self._verbs: dict[int, tuple[list[Chain], list[Clause]]] = {}

    def verbs(self, number: int) -> tuple[list[Chain], list[Clause]]:
        """Chains and clauses of a unit."""
        found = self._verbs.get(number)
        if found is None:
            tokens = self.units[number].tokens
            found = self._verbs[number] = (list(find_chains(tokens)), read_clauses(tokens))
        return found


def _place(read: _Read, span: str, found: Sequence[Suspicion]) -> tuple[int, str] | None:
    """The first place at which a span asserts something, with its verb."""
    at = read.reply.find(span)
    for _ in range(_MAX_PLACES):
        if at < 0:
            break
        end = at + len(span)
        number = bisect_right(read.starts, at + _lead(span)) - 1
        if number >= 0 and not any(s.start < end and at < s.end for s in found):
            action = _asserted(read, number, at, end)
            if action is not None:
                return at, action
        at = read.reply.find(span, at + 1)
    return None


def _lead(span: str) -> int:
    """Characters of marks in front of the first letter or digit, such as those of emphasis."""
    return next((n for n, char in enumerate(span) if char.isalnum()), 0)


def _asserted(read: _Read, number: int, start: int, end: int) -> str | None:
    """The verb of a span of a unit that asserts something, empty where it has none; None where it does not."""
    unit = read.units[number]
    tokens = unit.tokens
    if not tokens or unit.question or tokens[0].kind == "open" or end > max(tokens[-1].end, unit.segment.end):
        return None
    inside = [n for n, token in enumerate(tokens) if token.start >= start and token.end <= end]
    words = sum(tokens[n].kind == "word" for n in inside)
    if not words or (words == 1 and any(tokens[n].kind in ("opaque", "aside") for n in inside)):
        return None  # all of it, or all but a name in front, is in quotes, code or brackets
    first, last = inside[0], inside[-1]
    chains, clauses = read.verbs(number)
    chain = next((c for c in chains if c.start <= last and c.end > first), None)
    if chain is None:
        clause = next((c for c in reversed(clauses) if c.first <= first < c.last), None)
        return "" if clause is None or _says_done(clause) else None
    clause = next((c for c in clauses if c.chain.start == chain.start), None)
    return chain.base if clause is not None and _says_done(clause) else None


def _says_done(clause: Clause) -> bool:
    chain: Chain = clause.chain
    if not clause.asserted or clause.negated or clause.modal or clause.reduced or clause.speech:
        return False
    if chain.base in _ATTEMPTS or (chain.form in _UNDONE and not chain.past):
        return False
    return clause.shape not in ("you", "other") or chain.passive or chain.form not in _ACTS


def judge_suspicions(
    suspicions: Sequence[Suspicion], taken: Sequence[tuple[int, int]], run: Run, *, blocks: bool
) -> Iterator[tuple[Claim, Finding]]:
    """Suspected claims of a reply, each with its finding.

    Args:
        suspicions: As `read_suspicions` gives them.
        taken: Spans of the claims that the rules found.
        run: What ran.
        blocks: A suspicion is an error.

    Yields:
        A claim and its finding for each suspicion that touches no claim of the rules, where no call of any of its
        tools was done. Nothing where work was handed to a subagent: what that did may stand in no call of the run's.
    """
    if run.delegated or not suspicions:
        return
    kinds = {traits.name: traits.kind for traits in run.traits}
    for suspicion in suspicions:
        if any(start < suspicion.end and suspicion.start < end for start, end in taken):
            continue
        acts = [act for act in run.acts if act.traits.name in suspicion.tools or act.entry.tool in suspicion.tools]
        if any(act.done for act in acts):
            continue
        looks = all(kinds.get(tool) == "reading" for tool in suspicion.tools)
        claim = _claim(suspicion, acts, "check" if looks else "effect")
        yield claim, _finding(claim, blocks=blocks)


def _claim(suspicion: Suspicion, acts: Sequence[Act], kind: str) -> Claim:
    return Claim(
        text=suspicion.text,
        start=suspicion.start,
        end=suspicion.end,
        kind=kind,
        action=suspicion.action,
        tools=suspicion.tools,
        status="suspected",
        required="S3",
        grade=max((act.grade for act in acts), key=_ORDER.index, default="S0"),
        receipts=tuple(act.entry.id for act in acts)[:64],
        source="llm",
    )


def _finding(claim: Claim, *, blocks: bool) -> Finding:
    tools = ", ".join(shown_name(tool) for tool in claim.tools[:3])
    message = f'"{" ".join(claim.text.split())[:120]}": a language model reads a claim, and no call of {tools} did it.'
    return make_finding(
        "claim_suspected",
        message,
        start=claim.start,
        end=claim.end,
        receipts=claim.receipts,
        severity="error" if blocks else None,
    )
