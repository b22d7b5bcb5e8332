"""The shapes in which a tool result travels (message, Command, list), and how a stamp is put on the right message.

A result's content, name, id and type are never changed, and an object that came from the tool is never mutated: it
may be shared or cached.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage, ToolMessage
from langgraph.types import Command

from receipts_middleware.core.keys import KEY_PREFIX, RECEIPT_KEY


def find_message(result: object, tool_call_id: str | None) -> ToolMessage | Mapping[str, Any] | None:
    """The message that answers a call: a ToolMessage, or a message in dict form inside a Command; None if none does."""
    if isinstance(result, ToolMessage):
        return result
    for message in _messages_in(result):
        if _answers(message, tool_call_id):
            return message  # type: ignore[return-value]
    return None


def stamp_result(result: Any, tool_call_id: str | None, stamp: Mapping[str, Any]) -> Any:
    """The result with the stamp on the first message that answers the call, and our keys taken off every other.

    Args:
        result: What the handler returned: a ToolMessage, a Command, or a list of them.
        tool_call_id: Id of the call.
        stamp: Receipt as a plain object.

    Returns:
        The same kind of thing; what needs no change is the same object.
    """
    return _Stamper(tool_call_id, stamp).on(result)


class _Stamper:
    """Walks a result once; the first fitting message gets the stamp."""

    def __init__(self, tool_call_id: str | None, stamp: Mapping[str, Any]) -> None:
        self._id = tool_call_id
        self._stamp: Mapping[str, Any] | None = stamp

    def on(self, result: Any) -> Any:
        if isinstance(result, ToolMessage):
            return self._message(result, fits=True)
        if isinstance(result, Command):
            update = self._update(result.update)
            return result if update is result.update else dataclasses.replace(result, update=update)
        if isinstance(result, list):
            return [self._part(part) for part in result]
        return result

    def _part(self, part: Any) -> Any:
        return self._message(part) if isinstance(part, BaseMessage) else self.on(part)

    def _update(self, update: Any) -> Any:
        """`update` may be a dict, a list of messages (a node fed with a list), or a list of key-value pairs."""
        if isinstance(update, dict):
            return {key: self._value(value) for key, value in update.items()}
        if isinstance(update, list):
            if all(isinstance(item, tuple) and len(item) == 2 for item in update):
                return [(key, self._value(value)) for key, value in update]
            return self._value(update)
        return update

    def _value(self, value: Any) -> Any:
        if isinstance(value, ToolMessage):
            return self._message(value)
        if isinstance(value, list) and any(isinstance(v, BaseMessage) or _is_tool_dict(v) for v in value):
            return [self._message(item) for item in value]
        return value

    def _message(self, message: Any, *, fits: bool = False) -> Any:
        if isinstance(message, BaseMessage):
            kwargs = without_our_keys(message.additional_kwargs)
            if self._stamp is not None and (fits or _answers(message, self._id)):
                kwargs = {**kwargs, RECEIPT_KEY: self._stamp}
                self._stamp = None
            if kwargs is message.additional_kwargs:
                return message
            return message.model_copy(update={"additional_kwargs": kwargs})
        if _is_tool_dict(message) and self._stamp is not None and _answers(message, self._id):
            kwargs = {**without_our_keys(message.get("additional_kwargs") or {}), RECEIPT_KEY: self._stamp}
            self._stamp = None
            return {**message, "additional_kwargs": kwargs}
        return message


def without_our_keys(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The same dict where none of our keys is in it, else a copy without them."""
    for key in kwargs:
        if key.startswith(KEY_PREFIX):
            return {key: value for key, value in kwargs.items() if not key.startswith(KEY_PREFIX)}
    return kwargs


def _messages_in(result: object) -> list[object]:
    if isinstance(result, list):
        return [message for part in result for message in _messages_in(part)]
    if isinstance(result, Command):
        update = result.update
        values: list[object] = []
        if isinstance(update, dict):
            values = list(update.values())
        elif isinstance(update, list):
            pairs = all(isinstance(item, tuple) and len(item) == 2 for item in update)
            values = [value for _, value in update] if pairs else [update]
        return [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [result]


def _is_tool_dict(message: object) -> bool:
    return isinstance(message, dict) and "tool" in (message.get("role"), message.get("type"))


def _answers(message: object, tool_call_id: str | None) -> bool:
    if isinstance(message, ToolMessage):
        return message.tool_call_id == tool_call_id
    return _is_tool_dict(message) and message.get("tool_call_id") == tool_call_id  # type: ignore[attr-defined]
