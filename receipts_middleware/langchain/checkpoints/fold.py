"""Messages of a state that is stored as deltas: LangGraph's reducer of messages over plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from receipts_middleware.langchain.checkpoints.plain import Overwrite, Snapshot

#: Id of a message that stands for removing all before it.
_ALL: Final = "__remove_all__"


def fold_messages(base: object, writes: Iterable[object]) -> list[object]:
    """Apply writes to a list of messages.

    Args:
        base: Messages as plain data; None for none. Untrusted.
        writes: Lists of messages or single messages, the oldest first. Untrusted.

    Returns:
        The messages: one with the id of an earlier one takes its place, one of type `remove` takes it away.
    """
    held: dict[object, object] = {}
    _add(held, base.value if isinstance(base, Snapshot) else base)
    for write in writes:
        is_reset, value = _overwrite(write)
        if is_reset:
            held.clear()
        _add(held, value)
    return list(held.values())


def _overwrite(write: object) -> tuple[bool, object]:
    if isinstance(write, Overwrite):
        return True, write.value
    if isinstance(write, Mapping) and len(write) == 1 and "__overwrite__" in write:
        return True, write["__overwrite__"]
    return False, write


def _add(held: dict[object, object], value: object) -> None:
    if value is None:
        return
    for item in value if isinstance(value, list) else [value]:
        identity = item.get("id") if isinstance(item, Mapping) else None
        key: object = identity if isinstance(identity, str) and identity else (len(held), id(item))
        if not isinstance(item, Mapping) or item.get("type") != "remove":
            held[key] = item
        elif identity == _ALL:
            held.clear()
        else:
            held.pop(key, None)
