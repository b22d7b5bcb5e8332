"""A verification as JSON for machines, by docs/schema/verification.schema.json. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from receipts_middleware.core.finding import SCHEMA_VERSION, Verification


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
