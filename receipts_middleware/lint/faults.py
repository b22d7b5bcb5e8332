"""All that is wrong with arguments that do not fit: a walk over schema and arguments side by side.

The library says whether arguments fit; this says where and why not, which libraries do with copies of the arguments in
every error. Keywords that look at one value are asked of the library one by one; what stands here is structure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.lint.extras import Path
from receipts_middleware.lint.leaves import Compiled
from receipts_middleware.lint.refs import References, Schema
from receipts_middleware.lint.words import cut, has_type, shown, type_of

Kind = Literal["missing", "type", "extra", "enum", "value", "format", "undecided"]

#: Faults of one call that are told of, and of one branch that are looked at.
MAX_FAULTS: Final = 50
_MAX_BRANCH_FAULTS: Final = 20
#: Steps of one walk, a few tenths of a second.
_MAX_STEPS: Final = 100_000
_TEXT: Final = ("minLength", "maxLength", "pattern", "format")
_NUMBER: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_EXCLUSIVE: Final = ("exclusiveMinimum", "exclusiveMaximum")
_LIST: Final = ("minItems", "maxItems", "uniqueItems")
_OBJECT: Final = ("minProperties", "maxProperties")
_OLD: Final = frozenset({"draft-04", "draft-06", "draft-07"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        kind: What sort of thing.
        path: Where in the arguments.
        keyword: Where in the schema, by the way that was walked.
        text: What is wrong, without the place; for `missing` and `extra` the name.
        value: What stands there.
        types: For `type`, the types that would do.
        allowed: For `enum`, the values that would do.
        optional: The value may be left out altogether.
    """

    kind: Kind
    path: Path
    keyword: Path
    text: str
    value: object = None
    types: tuple[str, ...] = ()
    allowed: tuple[object, ...] = ()
    optional: bool = False


class _Spent(Exception):
    """The walk takes too long."""


class Faults:
    """Finds the faults of arguments against one schema."""

    def __init__(self, root: Schema, references: References, compiled: Compiled) -> None:
        self._root = root
        self._references = references
        self._compiled = compiled
        self._steps = 0
        self._holders: dict[tuple[int, str], dict[str, object]] = {}

    def find(self, arguments: object) -> list[Fault]:
        """All faults, the outermost first; those found so far where the walk takes too long.

        Args:
            arguments: Depth is known to be fine.
        """
        self._steps = 0
        found: list[Fault] = []
        with suppress(_Spent, RecursionError):  # what was found so far is told
            found.extend(islice(self._of(self._root, arguments, (), (), optional=False), MAX_FAULTS))
        return list({(f.kind, f.path, f.text): f for f in reversed(found)}.values())[::-1]

    # --- one schema ----------------------------------------------------------------------------------

    def _of(self, schema: object, value: object, path: Path, keyword: Path, *, optional: bool) -> Iterator[Fault]:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _Spent
        if schema is False:
            yield Fault("value", path, keyword, "is not allowed here", value, optional=optional)
        if not isinstance(schema, Mapping):
            return
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = self._references.target(reference)
            yield from self._of(target, value, path, (*keyword, "$ref"), optional=optional)
            if self._compiled.draft in _OLD:
                return  # beside a reference nothing counts there
        wrong_type = self._type(schema, value, path, keyword, optional=optional)
        if wrong_type is not None:
            yield wrong_type
            return  # what else it says is about values of that type
        yield from self._enum(schema, value, path, keyword, optional=optional)
        yield from self._leaf_keywords(schema, value, path, keyword, optional=optional)
        if isinstance(value, Mapping):
            yield from self._object(schema, value, path, keyword)
        elif isinstance(value, list | tuple):
            yield from self._list(schema, value, path, keyword)
        yield from self._same(schema, value, path, keyword, optional=optional)

    def _fits(self, schema: object, value: object) -> bool:
        return next(self._of(schema, value, (), (), optional=False), None) is None

    @staticmethod
    def _type(schema: Schema, value: object, path: Path, keyword: Path, *, optional: bool) -> Fault | None:
        kind = schema.get("type")
        listed = kind if isinstance(kind, list | tuple) else (kind,)
        kinds = tuple(k for k in listed if isinstance(k, str))
        if not kinds or any(has_type(value, k) for k in kinds):
            return None
        return Fault("type", path, (*keyword, "type"), "", value, kinds, optional=optional)

    def _enum(self, schema: Schema, value: object, path: Path, keyword: Path, *, optional: bool) -> Iterator[Fault]:
        for word in ("enum", "const"):
            if word in schema and self._compiled.fits_keyword(schema, word, value) is False:
                listed = schema[word]
                allowed = tuple(listed) if word == "enum" and isinstance(listed, list | tuple) else (listed,)
                yield Fault("enum", path, (*keyword, word), "", value, allowed=allowed, optional=optional)

    def _leaf_keywords(
        self, schema: Schema, value: object, path: Path, keyword: Path, *, optional: bool
    ) -> Iterator[Fault]:
        kind = type_of(value)
        words = {"string": _TEXT, "integer": _NUMBER, "number": _NUMBER, "array": _LIST, "object": _OBJECT}.get(
            kind, ()
        )
        for word in words:
            if word not in schema or (word in _EXCLUSIVE and isinstance(schema[word], bool)):
                continue  # in the fourth draft these only say how the bound is meant
            fits = self._compiled.fits_keyword(schema, word, value)
            if fits is None:
                text = f"could not be held against {word} {shown(schema[word])}, which gives up"
                yield Fault("undecided", path, (*keyword, word), text, value)
            elif not fits:
                text = f"does not fit {word} {shown(schema[word])}"
                yield Fault(
                    "format" if word == "format" else "value", path, (*keyword, word), text, value, (), (), optional
                )

    # --- what stands inside --------------------------------------------------------------------------

    def _object(self, schema: Schema, value: Mapping[str, object], path: Path, keyword: Path) -> Iterator[Fault]:
        required = schema.get("required")
        wanted = [name for name in required if isinstance(name, str)] if isinstance(required, list | tuple) else []
        for name in wanted:
            if name not in value:
                yield Fault("missing", path, (*keyword, "required"), name)
        yield from self._dependent(schema, value, path, keyword)
        needed = frozenset(wanted)
        for name, part in value.items():
            yield from self._member(schema, str(name), part, path, keyword, optional=name not in needed)
        names = schema.get("propertyNames")
        for name in value if isinstance(names, Mapping) else ():
            if not self._fits(names, name):
                text = f"has a member named {shown(name)}, which is no allowed name"
                yield Fault("value", path, (*keyword, "propertyNames"), text, value)
        if schema.get("unevaluatedProperties") is False:
            known = self._evaluated(schema)
            for name, part in value.items():
                if known is not None and name not in known:
                    yield Fault("extra", path, (*keyword, "unevaluatedProperties"), str(name), part)

    def _member(
        self, schema: Schema, name: str, part: object, path: Path, keyword: Path, *, optional: bool
    ) -> Iterator[Fault]:
        properties, patterns = schema.get("properties"), schema.get("patternProperties")
        below, known = (*path, name), False
        if isinstance(properties, Mapping) and name in properties:
            known = True
            yield from self._of(properties[name], part, below, (*keyword, "properties", name), optional=optional)
        for pattern, inner in patterns.items() if isinstance(patterns, Mapping) else ():
            if isinstance(patterns, Mapping) and self._matches(patterns, pattern, name):
                known = True
                at = (*keyword, "patternProperties", pattern)
                yield from self._of(inner, part, below, at, optional=optional)
        if not known and "additionalProperties" in schema:
            other, at = schema["additionalProperties"], (*keyword, "additionalProperties")
            if other is False:
                yield Fault("extra", path, at, name, part)
            else:
                yield from self._of(other, part, below, at, optional=optional)

    def _matches(self, patterns: Schema, pattern: str, name: str) -> bool:
        # The pattern is a key here; a leaf of its own keeps it compiled.
        holder = self._holders.setdefault((id(patterns), pattern), {"pattern": pattern})
        return self._compiled.fits_keyword(holder, "pattern", name) is True

    def _dependent(self, schema: Schema, value: Mapping[str, object], path: Path, keyword: Path) -> Iterator[Fault]:
        for word in ("dependentRequired", "dependencies"):
            named = schema.get(word)
            for name, wanted in named.items() if isinstance(named, Mapping) else ():
                if name in value and isinstance(wanted, list | tuple):
                    for other in wanted:
                        if isinstance(other, str) and other not in value:
                            yield Fault("missing", path, (*keyword, word, name), other)

    def _evaluated(self, schema: Schema) -> frozenset[str] | None:
        """Names that some branch knows; None where more than names decides."""
        names: set[str] = set()
        waiting: list[object] = [schema]
        seen: set[int] = set()
        while waiting:
            item = waiting.pop()
            if not isinstance(item, Mapping) or id(item) in seen:
                continue
            seen.add(id(item))
            self._steps += 1
            if "patternProperties" in item or "additionalProperties" in item:
                return None
            properties = item.get("properties")
            if isinstance(properties, Mapping):
                names.update(properties)
            waiting.extend(self._references.same(item))
        return frozenset(names)

    def _list(self, schema: Schema, value: Sequence[object], path: Path, keyword: Path) -> Iterator[Fault]:
        first, rest, at = schema.get("prefixItems"), schema.get("items"), "items"
        if isinstance(rest, list | tuple):
            first, rest, at = rest, schema.get("additionalItems"), "additionalItems"
        first = first if isinstance(first, list | tuple) else ()
        for index, part in enumerate(value):
            if index < len(first):
                yield from self._of(
                    first[index], part, (*path, index), (*keyword, "prefixItems", index), optional=False
                )
            elif rest is not None:
                yield from self._of(rest, part, (*path, index), (*keyword, at), optional=False)
        inner = schema.get("contains")
        if (
            isinstance(inner, Mapping)
            and schema.get("minContains") != 0
            and not any(self._fits(inner, p) for p in value)
        ):
            yield Fault("value", path, (*keyword, "contains"), "holds no item that it must contain", value)

    # --- what judges the same value ------------------------------------------------------------------

    def _same(self, schema: Schema, value: object, path: Path, keyword: Path, *, optional: bool) -> Iterator[Fault]:
        branches = schema.get("allOf")
        for index, inner in enumerate(branches if isinstance(branches, list | tuple) else ()):
            yield from self._of(inner, value, path, (*keyword, "allOf", index), optional=optional)
        for word in ("anyOf", "oneOf"):
            branches = schema.get(word)
            if isinstance(branches, list | tuple):
                yield from self._one_of(word, branches, value, path, keyword, optional=optional)
        if "not" in schema and self._fits(schema["not"], value):
            yield Fault("value", path, (*keyword, "not"), "fits what the schema excludes", value, optional=optional)
        if "if" in schema:
            then = "then" if self._fits(schema["if"], value) else "else"
            if then in schema:
                yield from self._of(schema[then], value, path, (*keyword, then), optional=optional)
        for word in ("dependentSchemas", "dependencies"):
            named = schema.get(word)
            given = value if isinstance(value, Mapping) else {}
            for name, inner in named.items() if isinstance(named, Mapping) else ():
                if name in given and isinstance(inner, Mapping):
                    yield from self._of(inner, value, path, (*keyword, word, name), optional=optional)

    def _one_of(
        self, word: str, branches: Sequence[object], value: object, path: Path, keyword: Path, *, optional: bool
    ) -> Iterator[Fault]:
        at = (*keyword, word)
        tried = [
            list(islice(self._of(b, value, path, (*at, n), optional=optional), _MAX_BRANCH_FAULTS))
            for n, b in enumerate(branches)
        ]
        fitting = sum(not faults for faults in tried)
        if fitting:
            if word == "oneOf" and fitting > 1:
                text = f"fits {fitting} of the {len(branches)} alternatives, and must fit exactly one"
                yield Fault("value", path, at, text, value, optional=optional)
            return
        near = [faults for faults in tried if not any(f.kind == "type" and f.path == path for f in faults)]
        if not near:
            kinds = tuple(dict.fromkeys(k for faults in tried for f in faults if f.path == path for k in f.types))
            yield Fault("type", path, at, "", value, kinds, optional=optional)
            return
        if all(len(faults) == 1 and faults[0].kind == "enum" and faults[0].path == path for faults in near):
            allowed = tuple(choice for faults in near for choice in faults[0].allowed)
            kinds = tuple(dict.fromkeys(k for faults in tried for f in faults for k in f.types))
            yield Fault("enum", path, at, "", value, kinds, allowed, optional)
            return
        ranked = sorted(near, key=lambda faults: _farness(faults, path))
        if len(ranked) == 1 or _farness(ranked[0], path) < _farness(ranked[1], path):
            yield from ranked[0]
            return
        first = ranked[0][0]
        text = f"fits none of {len(branches)} alternatives"
        detail = first.text if first.kind not in ("missing", "extra") else f"{first.kind} {cut(first.text)}"
        yield Fault(
            "value", path, at, f"{text}; of the nearest: {detail}" if detail else text, value, optional=optional
        )


def _farness(faults: Sequence[Fault], path: Path) -> tuple[int, int]:
    """How far arguments are from a branch: by what tells branches apart first, then by the number of faults."""
    return sum(f.kind == "enum" and len(f.path) <= len(path) + 1 for f in faults), len(faults)
