"""YAML of a cassette as plain data: libyaml's safe loader with less in it.

Left out is what an untrusted document could make slow or odd: merge keys and aliases that expand to more than the
document holds, numbers in base 60, timestamps (a text stays the text that it is). Tags of any language are refused by
the safe loader itself, nesting beyond a thousand levels by libyaml, or by Python's own limit without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import yaml

from receipts_middleware.core.errors import FormatError

#: Values that a document may hold once its aliases are expanded; a thousand long exchanges are some ten thousand.
MAX_NODES: Final = 5_000_000
#: Longer numbers are no numbers that a body holds, and reading digits takes the square of their count.
MAX_NUMBER_CHARS: Final = 100
_LEFT_OUT: Final = frozenset(f"tag:yaml.org,2002:{name}" for name in ("timestamp", "merge", "value"))
_INT: Final = "tag:yaml.org,2002:int"
_FLOAT: Final = "tag:yaml.org,2002:float"


def load(text: str) -> object:
    """The value of a document.

    Args:
        text: Untrusted.

    Raises:
        FormatError: It is no YAML, nests too deeply, or its aliases expand to too much; the message says where.
    """
    try:
        loader = _Loader(text)
        try:
            value = loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else "the document"
        raise FormatError(f"{where}: not YAML ({error.problem or error.context})") from error
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError, TypeError) as error:
        raise FormatError(f"the document is no YAML that can be read ({type(error).__name__})") from error
    if _size(value) > MAX_NODES:
        raise FormatError(f"the aliases of the document expand to more than {MAX_NODES:,} values, or to themselves")
    return value


def _make_loader() -> type[yaml.SafeLoader]:
    base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers = {
        first: [(tag, pattern) for tag, pattern in known if tag not in _LEFT_OUT]
        for first, known in base.yaml_implicit_resolvers.items()
    }
    made: type[yaml.SafeLoader] = type(
        "CassetteLoader",
        (base,),
        {"yaml_implicit_resolvers": resolvers, "flatten_mapping": lambda self, node: None},
    )
    made.add_constructor(_INT, _int)
    made.add_constructor(_FLOAT, _float)
    return made


def _int(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> object:
    return node.value if _no_number(node) else loader.construct_yaml_int(node)


def _float(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> object:
    return node.value if _no_number(node) else loader.construct_yaml_float(node)


def _no_number(node: yaml.ScalarNode) -> bool:
    return len(node.value) > MAX_NUMBER_CHARS or ":" in node.value


_Loader: Final = _make_loader()


def _size(value: object) -> int:
    """How many values this is once every alias is expanded; beyond the bound for a value that holds itself.

    Each object is looked at once, however often it is referred to.
    """
    sizes: dict[int, int] = {}
    begun: set[int] = set()
    stack: list[tuple[object, bool]] = [(value, False)]
    while stack:
        item, done = stack.pop()
        inner = _inner(item)
        if id(item) in sizes:
            continue
        if done:
            sizes[id(item)] = 1 + sum(sizes.get(id(child), 1) for child in inner)
            continue
        if id(item) in begun:
            return MAX_NODES + 1
        begun.add(id(item))
        stack.append((item, True))
        stack.extend((child, False) for child in inner if isinstance(child, Mapping | list | set | tuple))
    return sizes.get(id(value), 1)


def _inner(item: object) -> list[object]:
    if isinstance(item, Mapping):
        return list(item.values())
    return list(item) if isinstance(item, list | set | tuple) else []
