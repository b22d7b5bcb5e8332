"""What the body of a result says: a JSON object or list, read by its keys.

Only keys speak here, never words in prose: `{"accepted": ["a@example.com"], "response": "250 OK"}` is done, and
`{"errors": []}` is no error. Looked at are the body and at most three wrappers inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from receipts_middleware.core.evidence.failure import error_type_of, failure_of, partial_of, whole_number
from receipts_middleware.core.evidence.keys import normal_key
from receipts_middleware.core.evidence.object_id import object_id_of
from receipts_middleware.core.evidence.status import (
    StatusClass,
    leading_verb,
    normal_status,
    own_participles,
    status_class,
)
from receipts_middleware.core.lexicon.keys import (
    ENVELOPE_KEYS,
    ERROR_KEYS,
    EXIT_KEYS,
    HTTP_KEYS,
    STATUS_KEYS,
    TRUE_IS_STATUS,
)
from receipts_middleware.core.lexicon.status import RECORD_KEYS, TRANSITIONS
from receipts_middleware.core.lexicon.verbs import CREATING_VERBS, LIFECYCLE_NOUNS, LIFECYCLE_STAGES, LIFECYCLE_VERBS
from receipts_middleware.core.toolspec.kind import name_tokens

#: Wrappers looked into, and items of a batch looked at; more is data.
MAX_LAYERS = 4
MAX_BATCH = 2_000

_RANK: Final[Mapping[StatusClass, int]] = {"failed": 4, "accepted": 3, "verified": 2, "done": 1, "": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What a body says.

    Attributes:
        failed: Why the call failed, as `code: detail`; empty where the body does not say that it did.
        partial: Why it succeeded only in part; empty likewise.
        http_status: Status code it carries.
        exit_code: Process exit code it carries.
        status_word: Value of a status-like key that is about the call.
        status: What that word means.
        object_id: Id of the object that the call made or changed.
        error_type: Type that an error object names.
    """

    failed: str = ""
    partial: str = ""
    http_status: int | None = None
    exit_code: int | None = None
    status_word: str | None = None
    status: StatusClass = ""
    object_id: str | None = None
    error_type: str | None = None


def read_body(value: object, tool: str = "") -> Body | None:
    """Read the body of a result.

    Args:
        value: A parsed JSON value. Untrusted.
        tool: Name of the tool, for its own verb and object.

    Returns:
        What it says, or None where it is neither an object nor a list of objects. Never raises.
    """
    if isinstance(value, list):
        return _batch(value, tool) if value and all(isinstance(item, Mapping) for item in value[:MAX_BATCH]) else None
    if not isinstance(value, Mapping):
        return None
    layers = [_normal(layer) for layer in _layers(value)]
    body = Body(object_id=object_id_of(_layers(value), tool))
    for depth, layer in enumerate(layers):
        body = _merge(body, _read_layer(layer, tool, root=depth == 0))
    for name in ("results", "responses"):
        items = layers[0].get(name)
        if not body.failed and isinstance(items, list) and items:
            batch = read_body(items, tool)
            if batch is not None and (batch.failed or batch.partial):
                body = replace(body, failed=batch.failed, partial=batch.partial)
    return replace(body, partial="") if body.failed else body


def _layers(value: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The body, then what wraps nothing but another object or stands under an envelope key."""
    found: list[Mapping[str, object]] = [value]
    for layer in found:
        if len(found) >= MAX_LAYERS:
            break
        for key, item in layer.items():
            wraps = isinstance(key, str) and (normal_key(key) in ENVELOPE_KEYS or len(layer) == 1)
            if wraps and isinstance(item, Mapping) and item and normal_key(key) not in ERROR_KEYS:
                found.append(item)
    return iter(found[:MAX_LAYERS])


def _normal(layer: Mapping[str, object]) -> dict[str, object]:
    return {normal_key(key): item for key, item in layer.items() if isinstance(key, str)}


def _merge(outer: Body, inner: Body) -> Body:
    """Outermost wins, but for a status that says more."""
    louder = inner.status_word is not None and (outer.status_word is None or _RANK[inner.status] > _RANK[outer.status])
    return Body(
        failed=outer.failed or inner.failed,
        partial=outer.partial or inner.partial,
        http_status=outer.http_status if outer.http_status is not None else inner.http_status,
        exit_code=outer.exit_code if outer.exit_code is not None else inner.exit_code,
        status_word=inner.status_word if louder else outer.status_word,
        status=inner.status if louder else outer.status,
        object_id=outer.object_id or inner.object_id,
        error_type=outer.error_type or inner.error_type,
    )


def _read_layer(layer: Mapping[str, object], tool: str, *, root: bool) -> Body:
    is_record = _is_record(layer, tool)
    word, said = _status(layer, tool, is_record=is_record)
    http = None if is_record else _http_status(layer)
    code = next((c for key in EXIT_KEYS if (c := whole_number(layer.get(key))) is not None), None)
    failed = failure_of(layer, tool, root=root)
    partial = partial_of(layer)
    if partial and failed.startswith(("error_value", "failed_count")):
        failed = ""
    elif not failed:
        failed = _failed_by_code(http, code, word if said == "failed" else None)
    if http == 207 and not failed:
        partial = partial or "http_status: 207"
    return Body(
        failed=failed,
        partial=partial,
        http_status=http,
        exit_code=code,
        status_word=word,
        status=said,
        error_type=error_type_of(layer) if failed else None,
    )


def _failed_by_code(http: int | None, code: int | None, word: str | None) -> str:
    if http is not None and http >= 400:
        return f"http_status: {http}"
    if code:
        return f"exit_code: {code}"
    return f"status_word: {word}" if word is not None else ""


def _is_record(layer: Mapping[str, object], tool: str) -> bool:
    """The record of something that the call touched: its status is its own, unless the call made the thing."""
    if not any(isinstance(layer.get(key), list) and layer[key] for key in RECORD_KEYS):
        return False
    return leading_verb(tool) not in CREATING_VERBS


def _is_about_the_call(word: str, tool: str) -> bool:
    """Of a record's status only what the tool's own verb says: `cancelled`, `exchange requested`."""
    norm = normal_status(word)
    if norm in own_participles(tool):
        return True
    about, _, last = norm.rpartition("_")
    return last == "requested" and any(about.startswith(verb[:6]) for verb in name_tokens(tool) if len(verb) > 3)


def _is_stage(word: str, tool: str) -> bool:
    """A stage in the life of the thing that was made or changed, not the state of the call."""
    return (
        normal_status(word) in LIFECYCLE_STAGES
        and leading_verb(tool) in LIFECYCLE_VERBS
        and bool(LIFECYCLE_NOUNS.intersection(name_tokens(tool)))
    )


def _status(layer: Mapping[str, object], tool: str, *, is_record: bool) -> tuple[str | None, StatusClass]:
    """The status word that says most: failed, then open, then confirmed, then the first."""
    words = list(_status_words(layer))
    best: tuple[str | None, StatusClass] = (None, "")
    for word in words:
        said = status_class(word, tool)
        if is_record and not _is_about_the_call(word, tool):
            continue
        if _is_stage(word, tool):
            continue
        if best[0] is None or _RANK[said] > _RANK[best[1]]:
            best = (word, said)
    return best


def _status_words(layer: Mapping[str, object]) -> Iterator[str]:
    for key in STATUS_KEYS:
        value = layer.get(key)
        if isinstance(value, Mapping):
            inner = _normal(value)
            value = next((inner[k] for k in STATUS_KEYS if isinstance(inner.get(k), str)), None)
        if isinstance(value, str) and value.strip() and len(value) <= 128 and not value.strip().isdecimal():
            yield value.strip()
    for key, value in layer.items():  # {"DBInstanceStatus": "modifying"}: the work goes on
        if key.endswith("status") and isinstance(value, str) and normal_status(value) in TRANSITIONS:
            yield value.strip()
        elif key.startswith("pending") and isinstance(value, Mapping) and value:
            yield "pending"  # AWS: {"PendingModifiedValues": {...}} waits for a maintenance window
    for key, word in TRUE_IS_STATUS.items():
        if layer.get(key) is True:
            yield word


def _http_status(layer: Mapping[str, object]) -> int | None:
    metadata = layer.get("responsemetadata")  # AWS: {"ResponseMetadata": {"HTTPStatusCode": 200}}
    if isinstance(metadata, Mapping) and (code := whole_number(metadata.get("HTTPStatusCode"))) is not None:
        return code
    found = [c for key in HTTP_KEYS if (c := whole_number(layer.get(key))) is not None and 100 <= c <= 599]
    return max(found) if found else None


def _batch(items: list[object], tool: str) -> Body:
    """A list of outcomes: all failed, some failed, or nothing to say."""
    reasons = [_item_failure(item, tool) for item in items[:MAX_BATCH] if isinstance(item, Mapping)]
    failed = [reason for reason in reasons if reason]
    if not failed:
        return Body()
    if len(failed) == len(reasons):
        return Body(failed=failed[0])
    return Body(partial=f"partial: {len(failed)} of {len(reasons)} failed")


def _item_failure(item: Mapping[str, object], tool: str) -> str:
    layer = _normal(item)
    word, said = _status(layer, tool, is_record=False)
    failed = failure_of(layer, tool, root=False)
    return failed or _failed_by_code(_http_status(layer), None, word if said == "failed" else None)
