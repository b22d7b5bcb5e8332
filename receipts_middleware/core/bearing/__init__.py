"""Whether a cited receipt bears out the sentence that it stands in: a right id under wrong words is no evidence.

`named` reads a statement, `shown` says whether a receipt has a value and `derived` whether it follows from what a
receipt has, `field` which receipts of the run have what; `rivals` finds another receipt that fits better, `things`
another thing of the same kind, `differs` another value, `states` and `news` the opposite state, `predicate` another
act; `judge` puts them in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.bearing.field import Field
from receipts_middleware.core.bearing.judge import Borne, Share, bears_out
from receipts_middleware.core.bearing.named import Statement, read_statement
from receipts_middleware.core.binding import Act, Run
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.finding import CitationCheck
from receipts_middleware.core.ledger import shown_name

__all__ = ["bear_out"]

#: Characters of a statement that are read.
_MAX_STATEMENT: Final = 2_000


def bear_out(
    checks: Sequence[CitationCheck],
    statements: Sequence[str],
    following: Sequence[str],
    groups: Sequence[int],
    run: Run,
    *,
    unread: bool = False,
) -> tuple[CitationCheck, ...]:
    """Say of each resolved citation whether its receipt bears out the statement that it closes.

    Args:
        checks: Citations, resolved.
        statements: The words that each closes; empty where it closes none. Untrusted.
        following: The words behind each in its sentence. Untrusted.
        groups: Bracket of each; members of one bracket share its statement.
        run: What ran.
        unread: The reply is in a language that no table covers, so that only its values are held against receipts.

    Returns:
        The citations, with `supports` where it can be said, and where it is False with what speaks against it and the
        receipt that would do in `detail`. It is said of the run's own receipts, not of those of its subagents, of
        which only the record is known.
    """
    acts = {act.entry.id: act for act in run.acts}
    beside: dict[str, list[Act]] = {}
    members: dict[int, list[Act]] = {}
    for check, statement, group in zip(checks, statements, groups, strict=True):
        act = acts.get(check.id or "")
        if act is not None:
            beside.setdefault(statement, []).append(act)
            members.setdefault(group, []).append(act)
    field = Field(run)
    read: dict[tuple[str, str], Statement] = {}
    known: dict[tuple[str, str, str, int], Borne] = {}
    found = []
    for check, statement, follows, group in zip(checks, statements, following, groups, strict=True):
        act = acts.get(check.id or "")
        if check.resolution != "resolved" or check.footer or act is None or not statement.strip():
            found.append(check)
            continue
        key = (statement, follows, act.entry.id, group)
        borne = known.get(key)
        if borne is None:
            others = [other for other in beside[statement] if other is not act]
            words = read.get((statement, follows))
            if words is None:
                words = read_statement(statement[-_MAX_STATEMENT:], follows, unread=unread, more=run.words)
                read[statement, follows] = words
            borne = known[key] = bears_out(Share(words, act, members[group], others), field)
        found.append(replace(check, supports=borne.supports, detail=_said(borne)))
    return tuple(found)


def _said(borne: Borne) -> str:
    """What speaks against a receipt, and which one would do."""
    if borne.supports is not False:
        return ""
    better = f"{borne.better.entry.id} ({shown_name(borne.better.traits.name)}) would" if borne.better else ""
    return "; ".join(part for part in (" ".join(borne.why.split())[:120], better) if part)
