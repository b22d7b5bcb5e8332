"""A call that ran subagents: its children in the receipt, their record on the message, and what the parent is shown.

What a parent's model reads is neutral: what resolved, what did not, what nothing bears out, and what to do next. It is
a pure function of what the message carries, so it never changes from one request to the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from receipts_middleware.core.children import ChildRun, offsets_of
from receipts_middleware.core.children.reduce import judge_run
from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.receipt import Child

#: The whole line, with at most three children told apart.
LINE_CHARS: Final = 400
_TOLD: Final = 3

#: Tools of a host that start a subagent on another server, where no receipt can be collected.
REMOTE_TOOLS: Final = frozenset({"start_async_task", "check_async_task", "update_async_task"})

_ENDS: Final = {
    "cut_off": "it was cut off by a limit",
    "failed": "it failed",
    "cancelled": "it was cancelled",
    "interrupted": "it was interrupted",
    "pending": "it ends on a call without a result",
}


def children_of(runs: Sequence[ChildRun]) -> tuple[Child, ...]:
    """Children as the receipt of their call holds them."""
    return tuple(
        Child(run.agent, run.ended, run.calls, tuple(receipt.to_dict() for receipt in run.receipts)) for run in runs
    )


def child_line(runs: Sequence[ChildRun], call: int = 0) -> str:
    """What a parent's model is told of the subagents of one call.

    Args:
        runs: Children of the call; names are untrusted.
        call: Number of the parent's receipt, for ids as the parent knows them; 0 for the child's own.

    Returns:
        One line of at most 400 characters.
    """
    parts = [_say(run, _prefix(runs, run, call)) for run in runs[:_TOLD]]
    if len(runs) > _TOLD:
        parts.append(f"{len(runs) - _TOLD} more subagents ran.")
    return " ".join(parts)[:LINE_CHARS]


def _say(run: ChildRun, spell: Callable[[str], str]) -> str:
    name = re.sub(r"[^\w .-]", "_", run.agent[:40]).strip()
    who = f"Subagent {name}" if name else "The subagent"
    if run.evidence == "not_collected":
        return f"{who} ran without receipts: what it reports is not checked. Check what matters yourself."
    end = f", {_ENDS[run.ended]}" if run.ended in _ENDS else ""
    if run.evidence == "empty":
        return (
            f"{who} made no tool call{end}: nothing that it reports as done has evidence. Ask again or do it yourself."
        )
    calls = f"{run.calls} call{'s' if run.calls != 1 else ''}"
    judged = judge_run(run)
    checks = judged.citations
    resolved = sum(check.resolution == "resolved" for check in checks)
    if not checks:
        return f"{who} made {calls}{end} and cites none: its report is not borne out as it stands. Ask for receipts."
    if resolved == len(checks):
        return f"{who} made {calls}{end}; all {resolved} of its citations resolved. Nothing bears out what is uncited."
    rest = "; ".join(f"{spell(c.text)} {c.resolution.replace('_', ' ')}" for c in checks if c.resolution != "resolved")
    return f"{who} made {calls}{end}; {resolved} of {len(checks)} citations resolved ({rest[:120]}). Check the rest."


def _prefix(runs: Sequence[ChildRun], run: ChildRun, call: int) -> Callable[[str], str]:
    """How a citation of a child is spelled for its parent."""
    if not call:
        return lambda text: text
    offset = offsets_of(runs)[[id(item) for item in runs].index(id(run))]
    return lambda text: _qualified(text, call, run.base, offset)


def qualify(text: str, call: int, runs: Sequence[ChildRun]) -> str:
    """A child's report with its citations under the ids that its parent knows: `[r1 search]` as `[r4.1 search]`.

    Args:
        text: The report, as the tool message has it. Untrusted.
        call: Number of the parent's receipt.
        runs: Children of that call. Ids that a fork has from its parent stay as they are.

    Returns:
        The text; the same object where nothing is cited.
    """
    run, offset = _author(text, runs)
    return text if run is None else _qualified(text, call, run.base, offset)


def _qualified(text: str, call: int, base: int, offset: int) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, ids in _brackets(text):
        bracket = text[start:end]
        for own in ids:
            bracket = _with_prefix(bracket, own, call, base, offset)
        pieces += [text[at:start], bracket]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def _author(text: str, runs: Sequence[ChildRun]) -> tuple[ChildRun | None, int]:
    """The child that wrote the text; of several the one whose report it is."""
    for run, offset in zip(runs, offsets_of(runs), strict=True):
        if len(runs) == 1 or (run.report and run.report in text):
            return run, offset
    return None, 0


def _brackets(text: str) -> list[tuple[int, int, list[str]]]:
    found: dict[tuple[int, int], list[str]] = {}
    for citation in parse_citations(text):
        if citation.id and not citation.round_brackets:
            found.setdefault((citation.start, citation.end), []).append(citation.id)
    return [(start, end, ids) for (start, end), ids in sorted(found.items())]


def _with_prefix(bracket: str, own: str, call: int, base: int, offset: int) -> str:
    number, dot, rest = own.removeprefix("r").partition(".")
    if not number.isdigit() or len(number) > 10 or int(number) <= base:
        return bracket
    shown = f"r{call}.{int(number) + offset}{dot}{rest}"
    pattern = rf"(?<![\w.])[rR]0*{re.escape(own.removeprefix('r'))}(?![\w.])"
    return re.sub(pattern, shown, bracket, count=1)
