"""By which keys one layer of a body says that its call failed, or that part of it did.

A layer is an object whose keys are in the spelling of the tables (`keys.normal_key`). Codes and status words are
read in `body`; here are flags, error values, error objects and counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.evidence.own import own_participles
from receipts_middleware.core.evidence.status import status_class
from receipts_middleware.core.lexicon.keys import (
    ANSWER_KEYS,
    COUNTS_OF_SUCCESS,
    ERROR_ENVELOPE_KEYS,
    ERROR_FLAG_KEYS,
    ERROR_KEYS,
    LISTS_OF_FAILURE,
    SUCCESS_KEYS,
    TIMEOUT_FLAG_KEYS,
    WHY_KEYS,
)
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec.kind import name_tokens

#: Errors are nested two or three deep; the bound keeps hostile ones from exhausting the stack.
MAX_ERROR_DEPTH = 6

_EMPTY_ERRORS: Final = frozenset({"", "none", "null", "no error", "no errors", "ok", "success", "0", "false", "n/a"})


#: A longer code is prose.
MAX_CODE: Final = 80
#: Keys of a code in words, and what such a code says of a failure. Sources: ISO 8583, gRPC, card issuers, carriers.
_CODE_KEYS: Final = ("code", "errorcode", "resultcode", "reasoncode", "responsecode")
_FAILED_CODE: Final = pattern_of(
    r"(?:\A|[_\W])(?:err|error|failed|failure|denied|declined|rejected|refused|unavailable|invalid|expired|exceeded|not_found"
    r"|timeout|timed_out|forbidden|unauthori[sz]ed|conflict|blocked|locked|unsupported|insufficient|aborted"
    r"|not|missing|mismatch|illegal|exhausted|disabled|suspended|frozen|duplicate|no_(?!content|error|change)\w+"
    r")(?:\Z|[_\W])|\Ae_[a-z]",
    re.IGNORECASE,
)


#: Keys without any of which a layer says nothing of a failure but by the tool's own verb: most have none.
_TOLD_BY: Final = frozenset(
    {
        *(*ERROR_FLAG_KEYS, *SUCCESS_KEYS, *TIMEOUT_FLAG_KEYS, *ERROR_KEYS, *LISTS_OF_FAILURE, *_CODE_KEYS),
        *("type", "object", "message", "msg", "retryable", *ANSWER_KEYS),
    }
)
#: Keys that say of a batch that some of it failed.
_PARTIAL_KEYS: Final = (
    *LISTS_OF_FAILURE, "skipped", "errors", "errorcount", "failedcount", "failurecount", "numerrors",
)  # fmt: skip
_PARTIAL_SET: Final = frozenset(_PARTIAL_KEYS)


def failure_of(layer: Mapping[str, object], tool: str, *, root: bool) -> str:
    """Say why a layer says that the call failed, apart from codes and status words.

    Args:
        layer: Object with normal keys. Untrusted.
        tool: Name of the tool, whose own participle as `false` means not done.
        root: Whether it is the body itself; only that can be a bare error object.

    Returns:
        `code: detail`, empty where it says nothing of the kind.
    """
    if _TOLD_BY.isdisjoint(layer):
        return _undone(layer, tool)
    flagged = _flagged(layer)
    if flagged:
        return flagged
    said = _error_value(layer, tool)
    if said:
        return f"error_value: {said}"
    if "error" in (layer.get("type"), layer.get("object")):
        return f"error_object: {_short(layer.get('message') or layer.get('title') or '')}"
    for key in LISTS_OF_FAILURE:
        value = layer.get(key)
        if (isinstance(value, list) and value) or (whole_number(value) or 0) > 0:
            return f"failed_count: {key}"
    if root and _is_error_envelope(layer):
        return f"error_object: {_short(layer.get('message') or layer.get('msg'))}"
    return _by_code(layer) or _undone(layer, tool)


def _flagged(layer: Mapping[str, object]) -> str:
    """What a flag says of a failure."""
    for key in ERROR_FLAG_KEYS:
        if layer.get(key) is True:
            return f"error_flag: {key}"
    for key in SUCCESS_KEYS:
        if _is_no(layer.get(key)):
            return f"success_false: {key}"
    for key in ANSWER_KEYS:
        if layer.get(key) is False and not WHY_KEYS.isdisjoint(layer):
            return f"success_false: {key}"
    for key in TIMEOUT_FLAG_KEYS:
        if layer.get(key) is True:
            return "timeout: the body says so"
    return ""


def _error_value(layer: Mapping[str, object], tool: str) -> str:
    """What stands under a key of errors; `raise_fault` returns the fault that it raised."""
    if ERROR_KEYS.isdisjoint(layer):
        return ""
    made = frozenset(name_tokens(tool))
    for key in ERROR_KEYS:
        value = layer.get(key)
        said = "" if key in made and isinstance(value, str) else _error_words(value)
        if said:
            return said
    return ""


def _undone(layer: Mapping[str, object], tool: str) -> str:
    word = next((word for word in own_participles(tool) if layer.get(word) is False), "")
    return f"not_done: {word} is false" if word else ""


def _by_code(layer: Mapping[str, object]) -> str:
    """A code in words that names a failure, or a remark that the call may be made again."""
    for key in _CODE_KEYS:
        code = layer.get(key)
        if isinstance(code, str) and len(code) <= MAX_CODE and _FAILED_CODE.search(code):
            return f"error_code: {_short(code)}"
    return "error_code: retryable" if layer.get("retryable") is True else ""


def partial_of(layer: Mapping[str, object], tool: str = "") -> str:
    """Say why a layer says that some of a batch failed and some did not.

    Args:
        layer: Object with normal keys. Untrusted.
        tool: Name of the tool, whose own participle counts what was done.

    Returns:
        `partial: detail`, empty where it says nothing of the kind.
    """
    if _PARTIAL_SET.isdisjoint(layer):
        return ""
    failed = [
        key
        for key in _PARTIAL_KEYS
        if (isinstance(layer.get(key), list | Mapping) and layer[key] and key != "error")
        or (whole_number(layer.get(key)) or 0) > 0
    ]
    if not failed:
        return ""
    ends = (*COUNTS_OF_SUCCESS, *own_participles(tool))
    done = [key for key, value in layer.items() if key.endswith(ends) and key not in failed and _is_some(value)]
    return f"partial: {failed[0]} beside {done[0]}" if done else ""


def error_type_of(layer: Mapping[str, object]) -> str | None:
    """The type or code that an error object names, None where it names none.

    Args:
        layer: Object with normal keys. Untrusted.
    """
    for key in ("error", "exception", "errorresult"):
        error = layer.get(key)
        if isinstance(error, Mapping):
            found = next((error[k] for k in ("type", "code", "name", "reason") if isinstance(error.get(k), str)), "")
            return _short(found) or None
    found = layer.get("errortype") or layer.get("exceptiontype")
    return (_short(found) or None) if isinstance(found, str) else None


def whole_number(value: object) -> int | None:
    """A whole number, also one in a text; booleans and numbers beyond any code are none.

    Args:
        value: Untrusted.
    """
    if isinstance(value, str):
        text = value.strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) < 10**9 else None


def _is_no(value: object) -> bool:
    """`false`, 0 (of a flag nothing succeeded, of a count none did), or a word for it."""
    return (
        value is False
        or (isinstance(value, int) and value == 0)
        or (isinstance(value, str) and value.strip().lower() in ("false", "no"))
    )


def _is_some(value: object) -> bool:
    return (isinstance(value, list) and bool(value)) or (whole_number(value) or 0) > 0


def _error_words(value: object, depth: int = 0) -> str:
    """What a non-empty error value says; empty where it says that there was none."""
    if value is True:
        return "true"
    if isinstance(value, str):
        return "" if value.strip().lower() in _EMPTY_ERRORS else _short(value)
    if isinstance(value, int | float):
        return "" if value == 0 or 200 <= value <= 299 else str(value)
    if depth > MAX_ERROR_DEPTH:
        return "nested"
    if isinstance(value, Mapping):
        inner = [words for item in list(value.values())[:20] if (words := _error_words(item, depth + 1))]
        message = value.get("message")
        return _short(message if inner and isinstance(message, str) and message else ", ".join(inner[:3]))
    if isinstance(value, list):
        return next((words for item in value[:20] if (words := _error_words(item, depth + 1))), "")
    return ""


def _is_error_envelope(layer: Mapping[str, object]) -> bool:
    """`{"message": "Missing Permissions", "code": 50013}`: an error's keys alone, and no code of success."""
    if not (isinstance(layer.get("message"), str) or isinstance(layer.get("msg"), str)):
        return False
    code = layer.get("code")
    number = whole_number(code)
    is_code = (number is not None and number != 0 and not 100 <= number <= 399) or (
        isinstance(code, str) and number is None and status_class(code) == "failed"
    )
    return is_code and set(layer) <= ERROR_ENVELOPE_KEYS


def _short(value: object) -> str:
    """One line of a text; containers have none, since spelling them out could exhaust the stack."""
    return " ".join(str(value)[:400].split())[:120] if isinstance(value, str | int | float) else ""
