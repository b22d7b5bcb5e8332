"""A first `receipts.toml`, written from the tools of a run: everything in it says what is guessed anyway."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.ledger import LedgerBuilder
from receipts_middleware.core.policy.check import MAX_NAME
from receipts_middleware.core.toolspec import ToolKind, ToolSpec, find_spec, kind_of
from receipts_middleware.core.toolspec.kind import leads_with_reading
from receipts_middleware.core.transcript import Transcript

#: A file to be read by a person; further tools are counted.
MAX_TOOLS: Final = 500

_HEAD: Final = """\
# A policy for receipts: what is known of this agent's tools, and what a check of its replies should fail on.
# Every line below says what is guessed without it. Correct what is wrong, and delete what you do not need.
# docs/policy.md tells of every setting; `receipts policy check FILE` names mistakes by line.

# fail_on = "error"             # weakest finding that exits 1: error, warning, note, never
# require_checked = true        # exit 3 where there was nothing to check
# ignore_tools = ["think", "todo_*"]  # calls that a reply need not tell of

# [rules]
# uncited_report = "note"       # severity of a rule: error, warning, note, off
"""


@dataclass(slots=True)
class _Seen:
    """What a run shows of one tool."""

    kinds: set[ToolKind] = field(default_factory=set)
    spec: ToolSpec | None = None
    outcomes: Counter[str] = field(default_factory=Counter)


def suggest_policy(transcript: Transcript) -> str:
    """Write a first policy from the tools of a run.

    Args:
        transcript: The run. Untrusted.

    Returns:
        TOML. Each tool that was bound or called has a table with the kind that was guessed, why, how often it was
        called and how the calls ended. A kind that cannot be told, or that differs from call to call, stands in a
        comment. Reading the text gives a policy under which the run is verified as without one.
    """
    seen = _tools_of(transcript)
    named = {name: tool for name, tool in seen.items() if _is_plain(name)}
    parts = [_HEAD, *(_table(name, named[name]) for name in sorted(named)[:MAX_TOOLS])]
    left = len(seen) - min(len(named), MAX_TOOLS)
    if left:
        parts.append(
            f"# {left} further tool{'s' if left > 1 else ''} left out: too many, or no name that a key can be.\n"
        )
    return "\n".join(parts)


def tools_of_run(transcript: Transcript) -> tuple[str, ...]:
    """Names of the tools of a run, bound or called, in order of first sight.

    Args:
        transcript: The run. Untrusted.
    """
    return tuple(_tools_of(transcript))


def _tools_of(transcript: Transcript) -> dict[str, _Seen]:
    builder = LedgerBuilder(tools=transcript.tools)
    seen = {spec.name: _Seen() for spec in transcript.tools}
    bound: Sequence[ToolSpec] | None = None
    for message in transcript.messages:
        builder.read(message)
        for call in message.calls:
            seen.setdefault(call.tool, _Seen()).kinds.add(builder.kind(call.tool))
        if builder.tools is not bound:  # a turn recorded other tools, and may tell their kinds anew
            bound = builder.tools
            for spec in bound:
                seen.setdefault(spec.name, _Seen())
            for name, tool in seen.items():
                tool.kinds.add(builder.kind(name))
    for entry in builder.ledger():
        seen.setdefault(entry.tool, _Seen()).outcomes[entry.outcome] += 1
    for name, tool in seen.items():
        tool.kinds.add(builder.kind(name))
        tool.spec = find_spec(builder.tools, name)
    return seen


def _is_plain(name: str) -> bool:
    """Whether a name can be a key of its own: no pattern, nothing that UTF-8 or a reader cannot take."""
    return bool(name.strip()) and len(name) <= MAX_NAME and name.isprintable() and not {"*", "?"}.intersection(name)


def _table(name: str, tool: _Seen) -> str:
    return "\n".join([f"# {_calls(tool.outcomes)}", f"[tools.{_key(name)}]", *_kind_lines(name, tool), ""])


def _key(name: str) -> str:
    if name.isascii() and all(c.isalnum() or c in "_-" for c in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _calls(outcomes: Counter[str]) -> str:
    total = outcomes.total()
    if not total:
        return "never called"
    ended = ", ".join(f"{count} {word}" for word, count in sorted(outcomes.items(), key=lambda item: (-item[1], item)))
    return f"called {'once' if total == 1 else f'{total} times'}: {ended}"


def _kind_lines(name: str, tool: _Seen) -> Iterator[str]:
    if len(tool.kinds) > 1:
        yield f'# kind = "acting"  # was guessed as {" and as ".join(sorted(tool.kinds))}, as its description changed'
        return
    (kind,) = tool.kinds
    if kind == "unknown":
        yield '# kind = "acting"  # cannot be told: acting (changes something), reading (only looks) or shell'
    elif kind == "acting" and tool.spec is not None and leads_with_reading(tool.spec.description):
        yield f'# kind = "{kind}"  # may look as well; each call is told apart by its arguments'
    else:
        yield f'kind = "{kind}"  # {_reason(name, kind, tool.spec)}'


def _reason(name: str, kind: ToolKind, spec: ToolSpec | None) -> str:
    if kind_of(name) == kind:
        return "by its name"
    if spec is not None and kind_of(name, spec.description) == kind:
        return "by its description"
    return "by the hints of its author"
