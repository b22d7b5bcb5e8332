"""From faults to findings: which rule, in which words, and what would fix it.

Two kinds of wrong type have rules of their own. A text that holds the value is *stringified*: reading it as JSON would
fix the call, which is tried and not guessed. Null for what may be left out is how models write "nothing" under strict
schemas, and a note.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.lint import LintFinding, make_lint_finding
from receipts_middleware.lint.extras import Extras, Path
from receipts_middleware.lint.faults import Fault
from receipts_middleware.lint.leaves import Compiled
from receipts_middleware.lint.tools import DeclaredTool
from receipts_middleware.lint.words import (
    MAX_LISTED,
    cut,
    has_type,
    nearest,
    place,
    pointer,
    shown,
    type_of,
    types_in_words,
)

#: Characters of a text that is read as JSON to say whether that would fix the call.
_MAX_TEXT: Final = 100_000
#: Likewise where it is a literal of Python, which takes longer to read.
_MAX_LITERAL: Final = 20_000
#: Arguments of a tool that a hint lists.
_MAX_SIGNATURE: Final = 12


def tell(
    faults: Sequence[Fault], arguments: Mapping[str, object], tool: DeclaredTool, extras: Extras, compiled: Compiled
) -> Iterator[LintFinding]:
    """Findings for the faults of one call.

    Args:
        faults: As found. Where there are none, the call is said not to fit as a whole.
        arguments: Of the call.
        tool: Whose schema they were held against.
        extras: Of the schema; knows the names.
        compiled: The schema; asked whether reading texts as JSON would fix the call.

    Yields:
        In the order of the faults.
    """
    if not faults:
        message = f"The arguments do not fit the schema of {shown(tool.name)} as a whole."
        yield make_lint_finding("args_value", message)
        return
    held = {fault.path: _held(fault) for fault in faults if fault.kind in ("type", "enum")}
    fixes = {path: value[0] for path, value in held.items() if value is not None}
    fixed = bool(fixes) and _fits_when(arguments, fixes, faults, compiled)
    for fault in faults:
        yield _one(fault, held.get(fault.path), extras, arguments, fixed=fixed)


def _one(
    fault: Fault, held: tuple[object] | None, extras: Extras, arguments: Mapping[str, object], *, fixed: bool
) -> LintFinding:
    where, path, keyword = place(fault.path) or "the arguments", pointer(fault.path), pointer(fault.keyword)
    match fault.kind:
        case "missing":
            within = f" in {where}" if fault.path else ""
            guess = nearest(fault.text, _unknown(arguments, fault.path, extras))
            meant = f"Give it; {shown(guess)} may have been meant for it." if guess else _signature(fault, extras)
            message = f"The required argument {shown(fault.text)}{within} is missing."
            return make_lint_finding("args_missing", message, hint=meant, path=path, keyword=keyword)
        case "extra":
            names = extras.names_at(fault.path)
            near = nearest(fault.text, names)
            others = f"Leave it out; {_listed(names)}" if names else None
            fix = f"Did you mean {shown(near)}?" if near else others
            within = f" in {where}" if fault.path else ""
            message = f"{shown(fault.text)}{within} is an argument that the schema does not allow."
            return make_lint_finding(
                "args_extra", message, hint=fix, path=f"{path}{pointer((fault.text,))}", keyword=keyword
            )
        case "type" | "enum":
            return _type_or_enum(fault, held, where, fixed=fixed)
        case "undecided":
            return make_lint_finding("args_unchecked", f"{where} {fault.text}.", path=path, keyword=keyword)
    rule = "args_format" if fault.kind == "format" else "args_value"
    message = f"{where} ({shown(fault.value)}) {fault.text}."
    return make_lint_finding(rule, message, path=path, keyword=keyword)


def _type_or_enum(fault: Fault, held: tuple[object] | None, where: str, *, fixed: bool) -> LintFinding:
    path, keyword = pointer(fault.path), pointer(fault.keyword)
    if fault.value is None and fault.optional:
        message = f"{where} is null, which the schema does not allow, and may be left out."
        return make_lint_finding("args_null", message, path=path, keyword=keyword)
    wanted = types_in_words(fault.types) if fault.kind == "type" else f"one of {_choices(fault.allowed)}"
    if held is not None:
        inside = {"object": "a JSON object", "array": "a JSON list", "null": "null"}.get(
            type_of(held[0]), types_in_words([type_of(held[0])])
        )
        after = "coercion would fix the call" if fixed else "with that, the call would still not fit"
        message = f"{where} is the text {shown(fault.value)} where the schema wants {wanted}; the text holds {inside}."
        hint = f"Give {cut(json.dumps(held[0], ensure_ascii=False, default=str), 60)} itself, without quotes ({after})."
        return make_lint_finding("args_stringified", message, hint=hint, path=path, keyword=keyword)
    if fault.kind == "enum":
        texts = [choice for choice in fault.allowed if isinstance(choice, str)]
        near = nearest(fault.value, texts) if isinstance(fault.value, str) else None
        guess = f"Did you mean {shown(near)}?" if near is not None else None
        message = f"{where} is {shown(fault.value)}, and must be {wanted}."
        return make_lint_finding("args_enum", message, hint=guess, path=path, keyword=keyword)
    to_list = "array" in fault.types and type_of(fault.value) not in ("null", "object")
    advice = "Put it into a list." if to_list else None
    message = f"{where} is {shown(fault.value)}, and must be {wanted}."
    return make_lint_finding("args_type", message, hint=advice, path=path, keyword=keyword)


def _choices(allowed: Sequence[object]) -> str:
    listed = ", ".join(shown(choice) for choice in allowed[:MAX_LISTED])
    return f"{listed} and {len(allowed) - MAX_LISTED} more" if len(allowed) > MAX_LISTED else listed


def _unknown(arguments: Mapping[str, object], path: Path, extras: Extras) -> Iterator[str]:
    """Members at a place that the schema does not name."""
    value, names = _at(arguments, path), frozenset(extras.names_at(path))
    return (name for name in (value if isinstance(value, Mapping) else ()) if name not in names)


def _signature(fault: Fault, extras: Extras) -> str | None:
    names = extras.names_at(fault.path)
    return f"Give it; {_listed(names)}" if names else None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_SIGNATURE} more" if len(names) > _MAX_SIGNATURE else ""
    return f"the known ones are {', '.join(cut(name, 40) for name in names[:_MAX_SIGNATURE])}{more}."


# --- texts that hold the value ---------------------------------------------------------------------------


def _held(fault: Fault) -> tuple[object] | None:
    """The value that a text holds, in a tuple, where it is of a type or among the values that would do."""
    text = fault.value
    if not isinstance(text, str) or len(text) > _MAX_TEXT or "string" in fault.types:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        literal = parse_value(text, limit=_MAX_LITERAL)  # as Python spells it, which models copy
        if literal is None:
            return None
        value = literal.value
    if fault.kind == "enum":
        fits = not isinstance(value, str) and any(type(c) is type(value) and c == value for c in fault.allowed)
    else:
        fits = any(has_type(value, kind) for kind in fault.types)
    return (value,) if fits else None


def _fits_when(
    arguments: Mapping[str, object], fixes: Mapping[Path, object], faults: Sequence[Fault], compiled: Compiled
) -> bool:
    """Whether the call fits with these values put in, and nulls that may be left out left out."""
    try:
        copy = json.loads(json.dumps(arguments))
        for path, value in fixes.items():
            _put(copy, path, value)
        for fault in faults:
            if fault.value is None and fault.optional and fault.path and isinstance(fault.path[-1], str):
                del _at(copy, fault.path[:-1])[fault.path[-1]]  # type: ignore[attr-defined]
        return compiled.fits(copy)
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return False


def _at(value: object, path: Path) -> object:
    for step in path:
        value = value[step]  # type: ignore[index]
    return value


def _put(value: object, path: Path, new: object) -> None:
    if path:
        _at(value, path[:-1])[path[-1]] = new  # type: ignore[index]
