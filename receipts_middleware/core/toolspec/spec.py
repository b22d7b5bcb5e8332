"""The value `ToolSpec`; nothing else belongs here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from receipts_middleware.core.dataclass import dataclass

#: acting changes the world, reading only looks, shell may do either and reports by exit code.
ToolKind = Literal["acting", "reading", "shell", "unknown"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool that an agent had.

    Attributes:
        name: As bound, untrusted.
        description: As bound, untrusted; may be empty.
        kind: What kind of tool it is.
        parameters: JSON Schema of its arguments, where known.
    """

    name: str
    description: str = ""
    kind: ToolKind = "unknown"
    parameters: Mapping[str, object] | None = None
