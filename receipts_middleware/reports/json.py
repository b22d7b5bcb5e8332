"""Verifications as JSON for machines, by docs/schema/verification.schema.json and runs.schema.json. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import SCHEMA_VERSION, Verification
from receipts_middleware.reports.runs import RunResult, Skipped, Totals, run_to_dict, skipped_to_dict

RUNS_SCHEMA_VERSION: Final = 1


def render_json(verification: Verification) -> str:
    """One verification as a JSON object.

    Args:
        verification: What to write.

    Returns:
        ASCII text ended by a newline: everything else is escaped, so that no text of the run can act on a
        terminal.
    """
    return _dump(verification.to_dict())


def render_json_turns(verifications: Sequence[Verification]) -> str:
    """Several turns as one JSON object `{"schema": ..., "turns": [...]}`, in the order of the conversation.

    Args:
        verifications: One for each judged turn.

    Returns:
        ASCII text ended by a newline.
    """
    return _dump({"schema": SCHEMA_VERSION, "turns": [verification.to_dict() for verification in verifications]})


def _dump(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRuns:
    """One JSON object over many runs, by docs/schema/runs.schema.json.

    Attributes:
        turns: Every turn was judged.
    """

    turns: bool = False

    def head(self) -> str:
        """The beginning of the object."""
        return f'{{\n"schema": {RUNS_SCHEMA_VERSION},\n"runs": [\n'

    def between(self) -> str:
        """A comma."""
        return ",\n"

    def piece(self, run: RunResult) -> str:
        """One run."""
        return _line(run_to_dict(run, turns=self.turns))

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """What was left out, and the totals."""
        left_out = _line([skipped_to_dict(item) for item in skipped])
        return f'\n],\n"skipped": {left_out},\n"totals": {_line(totals.to_dict())}\n}}\n'

    def alone(self, run: RunResult) -> str:
        """The verification of the only run, or its turns."""
        return render_json_turns(run.verifications) if self.turns else render_json(run.verifications[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLines:
    """A JSON object a line: each run, then what was left out, then the totals; by docs/schema/runs.schema.json.

    Attributes:
        turns: Every turn was judged.
    """

    turns: bool = False

    def head(self) -> str:
        """Nothing."""
        return ""

    def between(self) -> str:
        """Nothing."""
        return ""

    def piece(self, run: RunResult) -> str:
        """The line of a run."""
        return _line({"kind": "run", **run_to_dict(run, turns=self.turns)}) + "\n"

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """The lines of what was left out, and that of the totals."""
        lines = [_line({"kind": "skipped", **skipped_to_dict(item)}) for item in skipped]
        last = _line({"kind": "totals", "schema": RUNS_SCHEMA_VERSION, **totals.to_dict()})
        return "".join(f"{line}\n" for line in (*lines, last))

    def alone(self, run: RunResult) -> None:
        """No special case: whoever reads lines wants the same lines always."""
        del run


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)
