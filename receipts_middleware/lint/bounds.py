"""How much work a schema can make of a value, worked out before any value comes.

Validators look at every branch, and branches within branches multiply: a schema of a hundred lines can ask for more
steps than there are atoms. What is worked out here is an upper bound, so that such a check is refused and not begun.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.lint.refs import References, Schema, SchemaProblem, below

#: Schemas that judge one value, one inside the other; real ones have up to ten.
MAX_CHAIN: Final = 100
#: Steps over one value without going deeper. A union of unions of models has some hundred.
MAX_STEPS: Final = 20_000
#: Patterns in a schema, and characters of one: each is compiled, which takes up to a few milliseconds.
MAX_PATTERNS: Final = 500
MAX_PATTERN_CHARS: Final = 4_000
#: Levels of arguments in one another. Validators recurse, and a full stack ends the process.
MAX_ARGUMENT_DEPTH: Final = 100
#: Levels of arguments times schemas in one another: frames of the stack, far below what overflows a small one.
MAX_FRAMES: Final = 1_500
#: Steps of one check, a fraction of a second.
MAX_WORK: Final = 1_000_000
_HUGE: Final = 10**12


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a schema asks for.

    Attributes:
        chain: Most schemas in one another that judge one value.
        steps: Most steps over one value.
        ways: Most ways to come from a value to one of its parts; 1 where work only grows with the value.
        depth: Levels of arguments that may be checked.
    """

    chain: int
    steps: int
    ways: int
    depth: int

    @property
    def is_plain(self) -> bool:
        """Whether the work is a small multiple of the size of the arguments, whatever they are."""
        return self.ways <= 1 and self.steps <= 200


def bounds_of(root: Schema, references: References) -> Bounds:
    """Work out the bounds of a schema.

    Args:
        root: The schema.
        references: Of it.

    Raises:
        SchemaProblem: A reference leads nowhere or outside, the schema refers to itself without going deeper, or it
            asks for too much.
    """
    walk = _Walk(references)
    waiting: list[object] = [root]
    seen: set[int] = set()
    chain = steps = ways = 1
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in seen:
            continue
        seen.add(id(schema))
        found = walk.of(schema, 0)
        chain, steps, ways = max(chain, found[0]), max(steps, found[1]), max(ways, found[2])
        waiting.extend(references.same(schema))
        waiting.extend(below(schema))
    if steps > MAX_STEPS:
        raise SchemaProblem(f"its branches multiply to more than {MAX_STEPS:,} for one value")
    _check_patterns(references)
    return Bounds(chain, steps, ways, min(MAX_ARGUMENT_DEPTH, max(8, MAX_FRAMES // chain)))


class _Walk:
    """Chain, steps and ways of each schema, each worked out once."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._known: dict[int, tuple[int, int, int]] = {}
        self._open: set[int] = set()

    def of(self, schema: Schema, depth: int) -> tuple[int, int, int]:
        key = id(schema)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            raise SchemaProblem("it refers to itself without going deeper into the arguments, which never ends")
        if depth > MAX_CHAIN:
            raise SchemaProblem(f"more than {MAX_CHAIN} schemas in one another judge one value")
        self._open.add(key)
        # What was evaluated is asked for again by `unevaluated...`, once in passing and once for each part.
        again = 3 if "unevaluatedProperties" in schema or "unevaluatedItems" in schema else 1
        chain, steps, ways = 1, 1, _own_ways(schema)
        for inner in self._references.same(schema):
            if isinstance(inner, Mapping):
                below_chain, below_steps, below_ways = self.of(inner, depth + 1)
                chain = max(chain, below_chain + 1)
                steps = min(_HUGE, steps + again * below_steps)
                ways = min(_HUGE, ways + again * below_ways)
            else:
                steps += 1
        self._open.discard(key)
        self._known[key] = (chain, steps, ways)
        return self._known[key]


def _own_ways(schema: Schema) -> int:
    """How often a part of the value may be judged by what this schema itself says of its parts."""
    patterns = schema.get("patternProperties")
    count = len(patterns) if isinstance(patterns, Mapping) else 0
    properties = count + any(
        key in schema for key in ("properties", "additionalProperties", "unevaluatedProperties", "propertyNames")
    )
    items = any(key in schema for key in ("items", "prefixItems", "additionalItems", "unevaluatedItems"))
    return max(properties, items + ("contains" in schema))


def _check_patterns(references: References) -> None:
    count = 0
    for schema in references.all_schemas():
        named = schema.get("patternProperties")
        for pattern in (schema.get("pattern"), *(named if isinstance(named, Mapping) else ())):
            if isinstance(pattern, str):
                count += 1
                if len(pattern) > MAX_PATTERN_CHARS:
                    raise SchemaProblem(f"a pattern of it has more than {MAX_PATTERN_CHARS:,} characters")
    if count > MAX_PATTERNS:
        raise SchemaProblem(f"it has more than {MAX_PATTERNS} patterns")


def depth_and_size(value: object, *, most: int) -> tuple[int, int]:
    """Levels of a value and values in it.

    Args:
        value: Untrusted; may hold itself.
        most: Levels after which nobody needs to know; what lies deeper is not counted.

    Returns:
        At most `most` + 1 levels, and the number of values down to there.
    """
    level: list[object] = [value]
    depth = size = 0
    while level and depth <= most:
        depth += 1
        size += len(level)
        inner: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
            if len(inner) > _MOST_VALUES:
                return depth, size + len(inner)
        level = inner
    return depth, size


#: Values of one level: arguments of a whole record of 64 MiB have fewer.
_MOST_VALUES: Final = 20_000_000


def work_of(schema: Schema, value: object, references: References, *, most: int = MAX_WORK) -> int:
    """Steps that a check of a value can take at most, counted pair by pair of schema and part of the value.

    Args:
        schema: The schema; its bounds are known to be fine.
        value: Arguments; their depth is known to be fine.
        references: Of the schema.
        most: What is too much.

    Returns:
        The number, or something above `most`.
    """
    return _Count(references, most).of(schema, value)


class _Count:
    """Each pair is counted once and remembered; what is remembered is bounded by what is too much."""

    def __init__(self, references: References, most: int) -> None:
        self._references = references
        self._most = most
        self._known: dict[tuple[int, int], int] = {}

    def of(self, schema: object, value: object) -> int:
        if not isinstance(schema, Mapping):
            return 1
        key = (id(schema), id(value))
        if key in self._known:
            return self._known[key]
        if len(self._known) > self._most:
            return self._most + 1
        again = 3 if "unevaluatedProperties" in schema or "unevaluatedItems" in schema else 1
        work = 1
        for inner in self._references.same(schema):
            work += again * self.of(inner, value)
        if work <= self._most:
            work += self._parts(schema, value)
        self._known[key] = work = min(work, self._most + 1)
        return work

    def _parts(self, schema: Schema, value: object) -> int:
        work = 0
        if isinstance(value, Mapping):
            properties, patterns = schema.get("properties"), schema.get("patternProperties")
            others = [schema.get(key) for key in ("additionalProperties", "unevaluatedProperties", "propertyNames")]
            if isinstance(patterns, Mapping):
                others.extend(patterns.values())
            for name, part in value.items():
                if isinstance(properties, Mapping) and name in properties:
                    work += self.of(properties[name], part)
                for other in others:
                    work += self.of(other, part) if isinstance(other, Mapping) else 0
                if work > self._most:
                    break
        elif isinstance(value, list | tuple):
            listed = schema.get("prefixItems", schema.get("items"))
            listed = listed if isinstance(listed, list | tuple) else []
            others = [schema.get(key) for key in ("items", "additionalItems", "unevaluatedItems", "contains")]
            for at, part in enumerate(value):
                if at < len(listed):
                    work += self.of(listed[at], part)
                for other in others:
                    work += self.of(other, part) if isinstance(other, Mapping) else 0
                if work > self._most:
                    break
        return work
