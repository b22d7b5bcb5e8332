"""What arguments and results hold as data: bodies, the objects in them, their scalars and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from receipts_middleware.core.binding.words import words_of
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence.literals import parse_value

#: Characters of one result that are read for claims. A longer one is a data set.
MAX_RESULT: Final = 60_000
#: Records of one result.
MAX_RECORDS: Final = 2_000
_MAX_DEPTH: Final = 8
_MAX_KEY: Final = 64


@dataclass(frozen=True, slots=True)
class Record:
    """An object of a result, flat: its scalars under their keys, those of objects inside it too.

    Attributes:
        pairs: Key (words, lower case) and scalar, as text.
    """

    pairs: tuple[tuple[str, str], ...]

    def texts(self) -> frozenset[str]:
        """The scalars, in lower case."""
        return frozenset(text.lower() for _, text in self.pairs)


def body_of(content: object, text: str) -> object:
    """What a result holds as data: the body, or that in the text block that wraps it.

    Args:
        content: As persisted. Untrusted.
        text: Its text, at most `MAX_RESULT` characters. Untrusted.
    """
    if isinstance(content, Mapping) and not isinstance(content.get("type"), str):
        body: object = dict(content)
    else:
        parsed = parse_value(text.strip()) if text.lstrip()[:1] in ("{", "[") else None
        body = parsed.value if parsed is not None else None
    return _unwrap(body)


def _unwrap(body: object) -> object:
    """Without the envelope of text blocks that servers of the Model Context Protocol put around a result."""
    if isinstance(body, Mapping) and isinstance(body.get("content"), list) and len(body) <= 3:
        texts = [b.get("text") for b in body["content"] if isinstance(b, Mapping) and isinstance(b.get("text"), str)]
        if len(texts) == 1 and isinstance(texts[0], str):
            parsed = parse_value(texts[0].strip()) if texts[0].lstrip()[:1] in ("{", "[") else None
            return parsed.value if parsed is not None else texts[0]
    return body


def leaf_texts(value: object, *, keys: bool) -> Iterator[str]:
    """Texts and numbers of a JSON-like value, in order; keys too where asked. Bounded.

    Args:
        value: Untrusted.
        keys: Whether keys of objects are given as well.
    """
    if type(value) is int:  # most arguments are single values
        yield from (str(value),) if abs(value) < 10**18 else ()
        return
    stack: list[tuple[object, int]] = [(value, 0)]
    left = 20_000
    while stack and left > 0:
        item, depth = stack.pop()
        left -= 1
        if isinstance(item, str):
            yield item[:MAX_RESULT]
        elif isinstance(item, bool):
            yield "true" if item else "false"
        elif isinstance(item, int | float):
            if not isinstance(item, int) or abs(item) < 10**18:
                yield str(item)
        elif depth >= _MAX_DEPTH:
            continue
        elif isinstance(item, Mapping):
            for key, inner in reversed(list(item.items())[:left]):
                stack.append((inner, depth + 1))
                if keys and isinstance(key, str):
                    stack.append((key[:_MAX_KEY], depth + 1))
        elif isinstance(item, list | tuple):
            stack.extend((inner, depth + 1) for inner in reversed(item[:left]))


def records_of(body: object) -> Iterator[Record]:
    """Objects of a body, outermost first; each with the scalars of what stands inside it.

    Args:
        body: Untrusted.

    Yields:
        At most 2,000.
    """
    level: list[object] = [body]
    left = MAX_RECORDS
    for _ in range(_MAX_DEPTH):
        inner: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                left -= 1
                if left < 0:
                    return
                yield Record(tuple(pairs_of(item)))
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item[:MAX_RECORDS])
        level = [item for item in inner if isinstance(item, Mapping | list | tuple)]
        if not level:
            return


def pairs_of(
    item: Mapping[object, object], depth: int = 0, prefix: str = "", *, objects: bool = False
) -> Iterator[tuple[str, str]]:
    """Scalars of an object under their keys, those of what stands inside it too.

    Args:
        item: Untrusted.
        depth: How deep it stands.
        prefix: Words of the keys above it.
        objects: Whether objects inside lists are part of it (arguments) or records of their own (results).
    """
    for key, value in list(item.items())[:200]:
        name = _words_of_key(str(key)[:_MAX_KEY])
        name = f"{prefix} {name}".strip() if prefix else name
        if isinstance(value, str):
            yield name, value[:2_000]
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        elif isinstance(value, int | float) and not (isinstance(value, int) and abs(value) >= 10**18):
            yield name, str(value)
        elif isinstance(value, Mapping) and depth < 3:
            yield from pairs_of(value, depth + 1, name, objects=objects)
        elif isinstance(value, list | tuple) and depth < 3:
            for part in value[:50]:
                if isinstance(part, str | int | float) and not isinstance(part, bool):
                    yield name, str(part)[:2_000]
                elif objects and isinstance(part, Mapping):
                    yield from pairs_of(part, depth + 1, name, objects=objects)


@lru_cache(maxsize=4_096)  # the calls of a run share their keys, which are cut
def _words_of_key(key: str) -> str:
    return " ".join(words_of(key))
