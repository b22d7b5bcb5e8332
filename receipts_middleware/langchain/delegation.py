"""The line that a parent's model is given on the subagents of one call.

It is neutral: what resolved, what did not, what nothing bears out, and what to do next. It is a pure function of
what the message carries, so it never changes from one request to the next. Names and ids in it are untrusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from receipts_middleware.core.children import ChildRun, Ended, Evidence, Naming, name_below
from receipts_middleware.core.children.judge import judge_run
from receipts_middleware.core.finding import CitationCheck
from receipts_middleware.core.ledger import shown_name

#: The whole line, with at most three children told apart.
LINE_CHARS: Final = 400
_TOLD: Final = 3
#: Citations that did not resolve, told apart in the line.
_LISTED: Final = 2
_ID_CHARS: Final = 24

#: Tools of a host that start a subagent on another server, where no receipt can be collected.
REMOTE_TOOLS: Final = frozenset({"start_async_task", "check_async_task", "update_async_task"})

_ENDS: Final = {
    "cut_off": "ended before a final reply",
    "failed": "failed",
    "cancelled": "was cancelled",
    "interrupted": "was interrupted",
    "pending": "stopped at a call without a result",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What the line says of one child.

    Attributes:
        agent: Its name.
        evidence: Whether its receipts are known.
        ended: How it ended.
        calls: Tool calls that it made.
        checks: Citations of its report.
        spell: How an id of its report is spelled for the reader.
    """

    agent: str
    evidence: Evidence
    ended: Ended
    calls: int
    checks: Sequence[CitationCheck]
    spell: Callable[[str], str] = str


def child_line(runs: Sequence[ChildRun], call: int = 0, *, more: int = 0, remote: bool = False) -> str:
    """What a parent's model is told of the subagents of one call.

    Args:
        runs: Children of the call; names are untrusted.
        call: Number of the parent's receipt, for ids as the parent knows them; 0 for the child's own.
        more: Children beyond those.
        remote: They ran on another server.

    Returns:
        One line of at most 400 characters.
    """
    naming = name_below(runs)
    told = [
        Told(
            agent=run.agent,
            evidence=run.evidence,
            ended=run.ended,
            calls=run.calls,
            checks=judge_run(run).citations if run.evidence == "present" else (),
            spell=_speller(naming, at, call),
        )
        for at, run in enumerate(runs[:_TOLD])
    ]
    return say(told, more=more + max(0, len(runs) - _TOLD), remote=remote)


def _speller(naming: Naming, at: int, call: int) -> Callable[[str], str]:
    return (lambda own: naming.spell(own, call, at)) if call else str


def say(told: Sequence[Told], *, more: int = 0, remote: bool = False) -> str:
    """The line on some children, each told apart.

    Args:
        told: At most three.
        more: How many there are beyond them.
        remote: They ran on another server.

    Returns:
        One line of at most 400 characters; empty where there is none.
    """
    if not told:
        return ""
    if remote:
        return _REMOTE
    if len(told) == 1 and not more:
        return _alone(told[0])[:LINE_CHARS]
    rest = [f"{more} more subagent{'s' if more > 1 else ''} not listed"] if more else []
    line = f"{'; '.join([*map(_beside, told), *rest])}. Check what has no resolved citation before you rely on it."
    return line[:LINE_CHARS]


_REMOTE: Final = (
    "This subagent runs on another server, from which no receipts come: what it reports is not checked. Check what "
    "matters yourself."
)


def _alone(one: Told) -> str:
    name = _name(one.agent, 40)
    who = f"Subagent {name}" if name else "The subagent"
    if one.evidence == "not_collected":
        whom = f"subagent {name}" if name else "this subagent"
        return f"No receipts came from {whom}: what it reports is not checked. Check what matters yourself."
    end = f", {_ENDS[one.ended]}" if one.ended in _ENDS else ""
    if one.evidence == "empty":
        return (
            f"{who} made no tool call{end}: nothing that it reports as done has evidence. Ask again or do it yourself."
        )
    did = f"{who} made {_calls(one.calls)}{end}"
    if not one.checks:
        return f"{did} and cites none: its report is not borne out as it stands. Ask for receipts or check it yourself."
    resolved, rest = _split(one.checks)
    if not rest:
        which = f"all {resolved} of its citations" if resolved > 1 else "its one citation"
        return f"{did}; {which} resolved. Nothing bears out what is uncited: check that part."
    listed = "; ".join(_unresolved(check, one.spell) for check in rest[:_LISTED])
    others = f"; {len(rest) - _LISTED} more" if len(rest) > _LISTED else ""
    return (
        f"{did}; {resolved} of {len(one.checks)} citations resolved ({listed}{others}). "
        "Check what did not resolve or is uncited before you rely on it."
    )


def _beside(one: Told) -> str:
    """One of several, in short."""
    who = _name(one.agent, 24) or "a subagent"
    end = f", {_ENDS[one.ended]}" if one.ended in _ENDS else ""
    if one.evidence == "not_collected":
        return f"{who}: no receipts"
    if one.evidence == "empty":
        return f"{who}: no tool call{end}"
    if not one.checks:
        return f"{who}: {_calls(one.calls)}{end}, none cited"
    resolved, _ = _split(one.checks)
    return f"{who}: {_calls(one.calls)}{end}, {resolved} of {len(one.checks)} citations resolved"


def _split(checks: Iterable[CitationCheck]) -> tuple[int, list[CitationCheck]]:
    """How many citations resolved, and those that did not."""
    found = list(checks)
    rest = [check for check in found if check.resolution != "resolved"]
    return len(found) - len(rest), rest


def _unresolved(check: CitationCheck, spell: Callable[[str], str]) -> str:
    """A citation that did not resolve; never as it stands in the report, which may hold anything."""
    word = check.resolution.replace("_", " ")
    if not check.id:
        return f"one {word}"
    cited = spell(check.id)[:_ID_CHARS]
    anchor = f" {shown_name(check.anchor)[:_ID_CHARS]}" if check.anchor else ""
    return f"[{cited}{anchor}] {word}"


def _calls(count: int) -> str:
    return f"{count} call{'s' if count != 1 else ''}"


def _name(agent: str, limit: int) -> str:
    """A name that is one plain word or several, whatever the agent is called."""
    kept = "".join(c if c.isalnum() or c in " _.-" else "_" for c in agent[: 2 * limit])
    return " ".join(kept.split())[:limit].strip()
