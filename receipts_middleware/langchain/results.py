"""The shapes in which a tool result travels (message, Command, list), and how a stamp is put on the right message.

A result's content, name, id and type are never changed, and an object that came from the tool is never mutated: it
may be shared or cached.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import BaseMessage, ToolMessage
from langgraph.types import Command, Overwrite, Send

from receipts_middleware.core.keys import KEY_PREFIX
from receipts_middleware.langchain.state import CHANNEL

#: The host's own dict forms of `Overwrite`.
_OVERWRITE: Final = "__overwrite__"

_Change = Callable[[Any], Any]


class Held:
    """Messages that the state holds already, by id: a handoff returns them, too, and their keys are no forgery."""

    def __init__(self, messages: Sequence[Any]) -> None:
        self._messages = messages
        self._by_id: dict[str, BaseMessage] | None = None

    def find(self, message_id: object) -> BaseMessage | None:
        """The message of the state with this id."""
        if not isinstance(message_id, str) or not message_id:
            return None
        if self._by_id is None:
            self._by_id = {m.id: m for m in self._messages if isinstance(m, BaseMessage) and m.id}
        return self._by_id.get(message_id)


def find_answer(result: object, tool_call_id: str | None, held: Held) -> ToolMessage | Mapping[str, Any] | None:
    """The message that answers a call: a ToolMessage, or one in dict form inside a Command.

    Args:
        result: What the handler returned.
        tool_call_id: Id of the call.
        held: Messages of the state, which answer earlier calls.

    Returns:
        The first such message; None if there is none.
    """
    if isinstance(result, ToolMessage):
        return result
    found: list[Any] = []

    def look(message: Any) -> Any:
        if _answers(message, tool_call_id) and held.find(_field(message, "id")) is None:
            found.append(message)
        return message

    _map_messages(result, look)
    return found[0] if found else None


def stamp_result(result: Any, answer: object, keys: Mapping[str, Any] | None, held: Held) -> Any:
    """The result with the stamp on its answer, and our keys taken off everything else.

    Args:
        result: What the handler returned: a ToolMessage, a Command, or a list of them.
        answer: What `find_answer` found in it; None where no message gets the stamp.
        keys: Our keys for the answer: the receipt as a plain object, and what goes with it.
        held: Messages of the state; the keys that they carry there stay.

    Returns:
        The same kind of thing; what needs no change is the same object.
    """
    pending = keys

    def change(message: Any) -> Any:
        nonlocal pending
        mine = None
        if message is answer and pending is not None:
            mine, pending = pending, None
        return _with_keys(message, mine, held)

    return _map_messages(result, change)


def without_our_keys(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The same dict where none of our keys is in it, else a copy without them."""
    for key in kwargs:
        if _is_ours(key):
            return {key: value for key, value in kwargs.items() if not _is_ours(key)}
    return kwargs


def bare_messages(messages: Sequence[BaseMessage]) -> list[Any]:
    """Messages without our keys: what a model must never get, whatever else failed."""
    out = []
    for message in messages:
        kwargs = without_our_keys(message.additional_kwargs)
        same = kwargs is message.additional_kwargs
        out.append(message if same else message.model_copy(update={"additional_kwargs": kwargs}))
    return out


def _is_ours(key: object) -> bool:
    return isinstance(key, str) and key.startswith(KEY_PREFIX)


def _with_keys(message: Any, keys: Mapping[str, Any] | None, held: Held) -> Any:
    """The message with these keys, else with the keys that the state has on it, else with none of ours."""
    if not isinstance(message, BaseMessage):
        return _dict_with_keys(message, keys, held)
    kwargs = without_our_keys(message.additional_kwargs)
    if keys is not None:
        kwargs = {**kwargs, **keys}
    elif kwargs is not message.additional_kwargs:
        kwargs = {**kwargs, **_keys_of(held.find(message.id))}
    if kwargs is message.additional_kwargs:
        return message
    return message.model_copy(update={"additional_kwargs": kwargs})


def _dict_with_keys(message: dict[str, Any], keys: Mapping[str, Any] | None, held: Held) -> dict[str, Any]:
    """As `_with_keys`, for a dict: unknown keys at its top become additional kwargs, too."""
    if message.get("type") == "constructor":
        inner = _dict_with_keys(message["kwargs"], keys, held)
        return message if inner is message["kwargs"] else {**message, "kwargs": inner}
    given = message.get("additional_kwargs")
    kwargs = without_our_keys(given) if isinstance(given, dict) else {}
    top = without_our_keys(message)
    if keys is not None:
        return {**top, "additional_kwargs": {**kwargs, **keys}}
    if top is message and (kwargs is given or not isinstance(given, dict)):
        return message
    return {**top, "additional_kwargs": {**kwargs, **_keys_of(held.find(message.get("id")))}}


def _keys_of(message: BaseMessage | None) -> dict[str, Any]:
    kwargs = message.additional_kwargs if message is not None else {}
    return {key: value for key, value in kwargs.items() if _is_ours(key)}


def _map_messages(result: Any, change: _Change) -> Any:
    """Rebuild a result with every message changed; what stays the same is the same object."""
    if isinstance(result, Command):
        update, goto = _map_update(result.update, change), _map_goto(result.goto, change)
        same = update is result.update and goto is result.goto
        return result if same else dataclasses.replace(result, update=update, goto=goto)
    if isinstance(result, list):
        return _map_list(result, lambda part: _map_messages(part, change))
    return change(result) if _is_message(result) else result


def _map_update(update: Any, change: _Change) -> Any:
    """An update is a dict, a list of messages, a sequence of key-value pairs, or an object with annotated fields."""
    if isinstance(update, dict):
        # The channel is ours alone: a tool could write receipts of its own into it.
        made = {key: _map_value(value, change) for key, value in update.items() if key != CHANNEL}
        return update if len(made) == len(update) and all(made[key] is update[key] for key in made) else made
    if isinstance(update, list | tuple) and update and all(isinstance(i, tuple) and len(i) == 2 for i in update):
        pairs = [(key, _map_value(value, change)) for key, value in update if key != CHANNEL]
        same = len(pairs) == len(update) and all(new[1] is old[1] for new, old in zip(pairs, update, strict=True))
        return update if same else pairs
    if isinstance(update, list) or _is_message(update):
        return _map_value(update, change)
    return _map_fields(update, change)


def _map_fields(update: Any, change: _Change) -> Any:
    fields = getattr(update, "__dict__", None) or {}
    changed = {name: new for name, old in fields.items() if (new := _map_value(old, change)) is not old}
    if not changed:
        return update
    made = copy.copy(update)
    for name, value in changed.items():
        object.__setattr__(made, name, value)
    return made


def _map_value(value: Any, change: _Change) -> Any:
    if isinstance(value, list):
        return _map_list(value, lambda item: change(item) if _is_message(item) else item)
    if _is_message(value):
        return change(value)
    if isinstance(value, Overwrite):
        inner = _map_value(value.value, change)
        return value if inner is value.value else dataclasses.replace(value, value=inner)
    if isinstance(value, dict):
        key = _OVERWRITE if _OVERWRITE in value else "value" if value.get("type") == _OVERWRITE else None
        if key in value:
            inner = _map_value(value[key], change)
            return value if inner is value[key] else {**value, key: inner}
    return value


def _map_goto(goto: Any, change: _Change) -> Any:
    if isinstance(goto, list | tuple):
        made = [_map_goto(part, change) for part in goto]
        same = all(new is old for new, old in zip(made, goto, strict=True))
        return goto if same else made
    if not isinstance(goto, Send):
        return goto
    arg = _map_update(goto.arg, change)
    return goto if arg is goto.arg else Send(goto.node, arg, timeout=goto.timeout)


def _map_list(items: list[Any], change: _Change) -> list[Any]:
    made = [change(item) for item in items]
    return items if all(new is old for new, old in zip(made, items, strict=True)) else made


def _is_message(value: object) -> bool:
    """A message, or a dict that the host turns into one."""
    if isinstance(value, BaseMessage):
        return True
    if not isinstance(value, dict):
        return False
    if value.get("type") == "constructor":
        return isinstance(value.get("kwargs"), dict)
    return "content" in value and (isinstance(value.get("role"), str) or isinstance(value.get("type"), str))


def _field(message: Any, name: str) -> object:
    if isinstance(message, BaseMessage):
        return getattr(message, name, None)
    return message["kwargs"].get(name) if message.get("type") == "constructor" else message.get(name)


def _answers(message: Any, tool_call_id: str | None) -> bool:
    if isinstance(message, BaseMessage):
        return isinstance(message, ToolMessage) and message.tool_call_id == tool_call_id
    fields, kinds = message, (message.get("role"), message.get("type"))
    if message.get("type") == "constructor":
        path = message.get("id")
        fields, kinds = message["kwargs"], ("tool" if path and str(path[-1]).startswith("ToolMessage") else None, None)
    return "tool" in kinds and fields.get("tool_call_id") == tool_call_id


def content_of(message: ToolMessage | Mapping[str, Any] | None) -> Any:
    """Content of an answer in either form; the empty text where there is none."""
    if message is None:
        return ""
    content = _field(message, "content")
    return content if content is not None else ""
