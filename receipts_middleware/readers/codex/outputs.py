"""Outputs of tools in a rollout, and what events say of them: exit codes, refusals, calls that were cut short.

An output is a text, blocks, or an object with `success`. Shells wrap theirs: in JSON with `metadata.exit_code`, or
under a head of lines that ends with `Output:`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.transcript import ToolResult
from receipts_middleware.readers.channels import Channels, read_channels
from receipts_middleware.readers.content import field_of, text_field, text_of

#: The head that a shell's output stands under is shorter than this.
_MAX_HEAD: Final = 400
#: A wrapped output is the output of one command, which Codex cuts long before.
_MAX_WRAPPED: Final = 2_000_000
_HEAD: Final = pattern_of(
    r"(?:[^\n]{0,200}\n){0,6}?(?:Process exited with code|Exit code:) (-?\d{1,6})[^\n]{0,60}\n(?:[^\n]{0,200}\n){0,6}?"
    r"Output:(?:\n|\Z)"
)
#: Openings by which Codex itself says how a call ended. Source: strings of codex-rs, 0.20 to 0.130.
_ORIGINS: Final = tuple(
    (origin, pattern_of(pattern))
    for origin, pattern in (
        ("human_rejected", r"(?:exec command|patch|apply_patch) rejected by user|user (?:rejected|cancelled) MCP tool"),
        ("interrupted", r"(?:Wall time: [\d.]{1,12} seconds\n)?aborted by user\b"),
        ("invalid_call", r"(?:unsupported (?:custom tool )?call: |failed to parse function arguments\b)"),
    )
)
_FAILED: Final = pattern_of(
    r"apply_patch verification failed\b|apply_patch handler received|failed in sandbox\b|execution error: |"
    r"exec_command failed\b|tool call error: "
)
_ENDS: Final = frozenset({"exec_command_end", "mcp_tool_call_end", "patch_apply_end"})


@dataclass(slots=True)
class Ends:
    """What the events of a rollout say of how calls ended, by call id, first in first out."""

    _told: dict[str, deque[Channels]] = field(default_factory=lambda: defaultdict(deque))

    def hear(self, event: Mapping[object, object]) -> None:
        """Take in an event; those that say nothing of the kind are passed over.

        Args:
            event: Payload of an `event_msg`. Untrusted.
        """
        if text_field(event, "type") not in _ENDS:
            return
        said = read_channels({key: event.get(key) for key in ("exit_code", "error")})
        result = event.get("result")
        if isinstance(result, Mapping):
            inner = result.get("Ok")
            failed = "Err" in result or field_of(inner, "isError") is True or field_of(inner, "is_error") is True
            said = replace(said, error=True) if failed else said
        if event.get("success") is False:
            said = replace(said, error=True)
        self._told[text_field(event, "call_id")].append(said)

    def of(self, call_id: str) -> Channels:
        """What was said of the next result with this id."""
        waiting = self._told.get(call_id)
        return waiting.popleft() if waiting else Channels()


def read_output(item: Mapping[object, object], ends: Ends) -> ToolResult:
    """Read one output of a tool.

    Args:
        item: A `function_call_output` or one of its relatives. Untrusted.
        ends: What events said of calls.

    Returns:
        The result. Never raises.
    """
    call_id = text_field(item, "call_id", "id")
    output = item.get("output", item.get("tools", ""))
    own, content = Channels(), output
    if isinstance(output, Mapping):
        own = Channels(error=output.get("success") is not True if isinstance(output.get("success"), bool) else None)
        content = output.get("content", output.get("content_items", output))
    text, code = _unwrapped(text_of(content))
    told = ends.of(call_id)
    codes = (code, own.exit_code, told.exit_code)
    error = True if True in (own.error, told.error) or _FAILED.match(text) else own.error
    return ToolResult(
        tool_call_id=call_id,
        tool=text_field(item, "name") or None,
        content="" if content is None else content,
        text=text,
        error=error,
        exit_code=next((found for found in codes if found is not None), None),
        origin=next((origin for origin, pattern in _ORIGINS if pattern.match(text)), None),
    )


def _unwrapped(text: str) -> tuple[str, int | None]:
    """The output of a command without its wrapping, and the exit code that the wrapping says."""
    if text.startswith('{"output"') or text.startswith('{"metadata"'):
        parsed = parse_value(text, limit=_MAX_WRAPPED)
        inner = text_field(parsed.value, "output") if parsed is not None else ""
        if parsed is not None and isinstance(field_of(parsed.value, "output"), str):
            return inner, read_channels(field_of(parsed.value, "metadata")).exit_code
    head = _HEAD.match(text[: 2 * _MAX_HEAD])
    return (text, int(head[1])) if head else (text, None)


def is_output(item: Mapping[object, object]) -> bool:
    """Whether an item of a rollout is the output of a tool."""
    kind = item.get("type")
    return isinstance(kind, str) and kind.endswith("_output")
