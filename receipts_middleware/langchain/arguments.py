"""Which arguments of an execution the model can set, kept as they were handed over.

What the host injects (state, store, runtime, call id) is left out: it is not the model's, it may be large or secret,
and it differs from run to run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolRuntime
from langgraph.store.base import BaseStore
from pydantic import BaseModel

#: Deeper arguments stay shared with the tool; the canonical form cuts there, too.
_MAX_DEPTH: Final = 64
_ABSENT: Final = object()


def handed_args(tool: BaseTool, executed: object, asked: object, state: object) -> object:
    """The arguments of one execution without what the host injected.

    Args:
        tool: The tool that is about to run.
        executed: Arguments handed to its `invoke`.
        asked: Arguments of the call as the middleware saw it.
        state: State of the graph, which may have been injected as a whole or in parts.

    Returns:
        A copy of every dict and list, so that a tool which changes its arguments does not change the record. Never
        raises.
    """
    try:
        return freeze(_without_injected(tool, executed, asked, state))
    except Exception:  # noqa: BLE001 - an odd schema of a user's tool must not keep it from running
        return asked


def _without_injected(tool: BaseTool, executed: object, asked: object, state: object) -> object:
    if not isinstance(executed, dict) or not isinstance(asked, dict):
        return executed
    if executed.keys() == asked.keys() and all(executed[name] is value for name, value in asked.items()):
        return executed
    settable = set(tool.args)
    hidden = tool._injected_args_keys | _unshown(tool, settable)
    return {
        name: value
        for name, value in executed.items()
        if value is asked.get(name, _ABSENT)
        or (
            not isinstance(value, ToolRuntime | BaseStore)
            and (name in settable or (name not in hidden and not _is_of_state(value, state)))
        )
    }


def _unshown(tool: BaseTool, settable: set[str]) -> set[str]:
    """Fields of the tool's schema that the model is not shown."""
    schema = tool.args_schema
    if not isinstance(schema, type) or not issubclass(schema, BaseModel):
        return set()
    return {name for name, field in schema.model_fields.items() if name not in settable and field.alias not in settable}


def _is_of_state(value: object, state: object) -> bool:
    """Whether a value that no schema names is the state or a part of it, as the host injects them."""
    parts = state if isinstance(state, Mapping) else getattr(state, "__dict__", {})
    return value is state or any(value is part for part in parts.values())


def freeze(value: Any, depth: int = 0) -> Any:
    """A copy of the dicts and lists of a value; everything else is shared with it."""
    if depth < _MAX_DEPTH:
        if type(value) is dict:
            return {key: freeze(item, depth + 1) for key, item in value.items()}
        if type(value) is list:
            return [freeze(item, depth + 1) for item in value]
    return value
