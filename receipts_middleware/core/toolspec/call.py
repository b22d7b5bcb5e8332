"""What kind one call is, where the tool may do either and the arguments say which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.lexicon.verbs import HTTP_METHOD_KINDS, READING_NOUNS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec.kind import by_verb, leads_with_reading, name_tokens
from receipts_middleware.core.toolspec.spec import ToolKind, ToolSpec

#: Arguments by which a tool that does several things is told which, most telling first.
_SELECTORS: Final = ("action", "command", "operation", "op", "method", "http_method", "verb")
#: A selector is a word or a dotted name (`conversations.history`), not a script.
MAX_SELECTOR = 60


def kind_of_call(spec: ToolSpec, args: object) -> ToolKind:
    """Say what kind a call is.

    Args:
        spec: The tool.
        args: Arguments of the call. Untrusted.

    Returns:
        The kind of the tool, but for a tool that may do either (its kind is unknown, or its description begins
        with looking: "View and edit files") what a selector such as `{"command": "view"}` or `{"method": "POST"}`
        says. A shell stays a shell. Never raises.
    """
    if fixed_kind(spec) is not None or not isinstance(args, Mapping):
        return spec.kind
    for name in _SELECTORS:
        value = args.get(name)
        if isinstance(value, str) and 0 < len(value) <= MAX_SELECTOR and not any(c.isspace() for c in value):
            said = _said(value)
            if said is not None:
                return said
    return spec.kind


#: Programs that change nothing, whatever they are given; what `echo` prints is no act.
_IDLE_PROGRAMS: Final = frozenset("true : echo printf sleep pwd date whoami exit cd clear".split())
_COMMENT: Final = pattern_of(r"(?:^|\s)#.*")
_PARTS: Final = pattern_of(r"&&|\|\||[;|\n]")
_MAX_COMMAND: Final = 2_000


def does_nothing(args: object) -> bool:
    """Whether a command line changes nothing: comments, and programs that only print or wait.

    Args:
        args: Arguments of a call of a shell. Untrusted.
    """
    held = next((args[key] for key in _COMMANDS if key in args), None) if isinstance(args, Mapping) else args
    if not isinstance(held, str) or not held.strip() or len(held) > _MAX_COMMAND:
        return False
    if ">" in held or "$(" in held or "`" in held:
        return False
    parts = (
        _COMMENT.sub("", part).split() for line in held.splitlines() for part in _PARTS.split(_COMMENT.sub("", line))
    )
    return all(not part or part[0] in _IDLE_PROGRAMS for part in parts)


_COMMANDS: Final = ("command", "cmd", "code", "script", "input")


def fixed_kind(spec: ToolSpec) -> ToolKind | None:
    """The kind of all calls of a tool; None where the arguments may say another.

    Args:
        spec: The tool.
    """
    either = spec.kind == "unknown" or (spec.kind == "acting" and leads_with_reading(spec.description))
    return None if either else spec.kind


def _said(value: str) -> ToolKind | None:
    method = HTTP_METHOD_KINDS.get(value.upper()) if value.isalpha() else None
    if method is not None:
        return method
    tokens = name_tokens(value)
    return by_verb(tokens) or ("reading" if tokens[-1:] and tokens[-1] in READING_NOUNS else None)
