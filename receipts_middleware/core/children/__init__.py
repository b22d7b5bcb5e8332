"""Subagents: what a child did, as its parent keeps it and reads it back.

`reduce` (from messages to a run) and `judge` (the judgement of its report) stand further up and are imported by name.
"""

from receipts_middleware.core.children.naming import Naming, name_below
from receipts_middleware.core.children.record import children_of, cut, write_record
from receipts_middleware.core.children.reread import below, runs_of
from receipts_middleware.core.children.run import (
    MAX_CHILDREN,
    MAX_DEPTH,
    MAX_RECEIPTS,
    Below,
    ChildRun,
    Ended,
    Evidence,
    ReportState,
)
from receipts_middleware.core.children.team import Team, TeamEntry, TeamMemory, team_of
from receipts_middleware.core.children.words import spans_of

__all__ = [
    "MAX_CHILDREN",
    "MAX_DEPTH",
    "MAX_RECEIPTS",
    "Below",
    "ChildRun",
    "Ended",
    "Evidence",
    "Naming",
    "ReportState",
    "Team",
    "TeamEntry",
    "TeamMemory",
    "below",
    "children_of",
    "cut",
    "name_below",
    "runs_of",
    "spans_of",
    "team_of",
    "write_record",
]
