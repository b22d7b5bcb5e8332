"""What an object holds: fields of dataclasses and pydantic models, and the name of a type.

Fields are read as they are stored. A property or a `__getattr__` of the value's class never runs: it could
raise, hang, change what it reads, or lie.
"""

from __future__ import annotations

from types import GetSetDescriptorType, MemberDescriptorType
from typing import Final, cast

_MRO: Final = type.__dict__["__mro__"].__get__
_NAMES: Final = type.__dict__["__dict__"].__get__
_QUALNAME: Final = type.__dict__["__qualname__"].__get__
_MODULE: Final = type.__dict__["__module__"].__get__

#: What a read gives where nothing is stored.
UNSET: Final = object()

#: Where a pydantic model lists its fields: from 2.10, and before.
_PYDANTIC: Final = ("__pydantic_fields__", "model_fields")


def type_name(kind: type) -> str:
    """`module.qualname` of a type; `?` for a module that is not text."""
    try:
        module = _MODULE(kind)
    except AttributeError:
        module = None
    return f"{module if type(module) is str else '?'}.{_QUALNAME(kind)}"


def fields_of(value: object, kind: type) -> list[tuple[object, object]] | None:
    """Fields of a dataclass or a pydantic model, with the extra fields that the latter was given.

    Args:
        value: Any value. Untrusted.
        kind: Its type, as `type(value)` says.

    Returns:
        Name and stored value of each field that is set. None for anything else, and for an object whose class
        puts something else in place of `__dict__`: what it stores cannot be seen.
    """
    names = _field_names(kind)
    if names is None or type(_class_attribute(kind, "__dict__")) not in (GetSetDescriptorType, object):
        return None
    pairs: list[tuple[object, object]] = [(name, read_field(value, kind, name)) for name in names]
    extra = read_field(value, kind, "__pydantic_extra__")
    if issubclass(type(extra), dict):
        pairs += dict.items(cast("dict[object, object]", extra))
    return [(name, stored) for name, stored in pairs if stored is not UNSET]


def read_field(value: object, kind: type, name: str) -> object:
    """What `value` stores under `name`: in a slot, in its `__dict__`, or as the default of its class.

    Returns:
        The stored value; the descriptor itself where the name is a property; `UNSET` where there is nothing.
    """
    found = _class_attribute(kind, name)
    if type(found) is MemberDescriptorType:
        return _slot(found, value, kind)
    own = _class_attribute(kind, "__dict__")
    stored = _slot(own, value, kind) if type(own) is GetSetDescriptorType else UNSET
    if not issubclass(type(stored), dict):
        return found
    try:
        return dict.get(cast("dict[str, object]", stored), name, found)
    except Exception:  # noqa: BLE001  # a key of the same hash, of a class that fails to compare
        return found


def _field_names(kind: type) -> list[str] | None:
    if _class_attribute(kind, "__dataclass_fields__") is not UNSET:
        import dataclasses  # noqa: PLC0415 - slow to load; who made the class has most often done it

        try:
            return [field.name for field in dataclasses.fields(kind)]
        except Exception:  # noqa: BLE001  # a table of that name which dataclasses did not make
            return None
    for table in _PYDANTIC:
        fields = _class_attribute(kind, table)
        if issubclass(type(fields), dict):
            return [name for name in dict.keys(cast("dict[object, object]", fields)) if type(name) is str]
    return None


def _class_attribute(kind: type, name: str) -> object:
    for base in _MRO(kind):
        names = _NAMES(base)
        try:
            if name in names:
                return names[name]
        except Exception:  # noqa: BLE001  # a key of the same hash, of a class that fails to compare
            return UNSET
    return UNSET


def _slot(descriptor: MemberDescriptorType | GetSetDescriptorType, value: object, kind: type) -> object:
    try:
        return descriptor.__get__(value, kind)
    except (AttributeError, TypeError):  # never set; a slot of another class
        return UNSET
