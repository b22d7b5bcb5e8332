"""What the body of a result says: a JSON object or list, read by its keys.

Keys speak first: `{"accepted": ["a@example.com"], "response": "250 OK"}` is done, and `{"errors": []}` is no error.
Where none of them says that the tool's own act was done, marks (`marks`) and remarks to the reader (`prose`) are asked.
Looked at are the body and at most three wrappers inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.evidence.failure import error_type_of, failure_of, partial_of, whole_number
from receipts_middleware.core.evidence.keys import SCALARS, normal_key
from receipts_middleware.core.evidence.marks import booked, is_done, is_outcome, open_by, undone_by
from receipts_middleware.core.evidence.object_id import object_id_of
from receipts_middleware.core.evidence.own import act_verb, leading_verb, named_by, own_participles
from receipts_middleware.core.evidence.prose import read_prose
from receipts_middleware.core.evidence.status import StatusClass, normal_status, status_class
from receipts_middleware.core.lexicon.keys import (
    CALL_PREFIXES,
    ENVELOPE_KEYS,
    ERROR_KEYS,
    EXIT_KEYS,
    HTTP_KEYS,
    NOTED_KEYS,
    PROCESS_KEYS,
    REMARK_KEYS,
    STATE_WRITERS,
    STATUS_ENDINGS,
    STATUS_KEYS,
    SUCCESS_KEYS,
    TEXT_THINGS,
    TRUE_IS_STATUS,
)
from receipts_middleware.core.lexicon.status import ACCEPTED_WORDS, OUTWARD_VERBS, RECORD_KEYS, TRANSITIONS
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
    found = _layers(value)
    layers = [_normal(layer) for layer in found]
    body = _read_layer(layers[0], tool, root=True, object_id=object_id_of(found, tool))
    for layer in layers[1:]:
        body = _merge(body, _read_layer(layer, tool, root=False))
    for name in ("results", "responses"):
        items = layers[0].get(name)
        if not body.failed and isinstance(items, list) and items:
            batch = read_body(items, tool)
            if batch is not None and (batch.failed or batch.partial):
                body = replace(body, failed=batch.failed, partial=batch.partial)
    if not body.failed or body.failed.startswith("not_done"):
        body = _with_marks(body, layers, tool)
    return replace(body, partial="") if body.failed and body.partial else body


def _with_marks(body: Body, layers: Sequence[Mapping[str, object]], tool: str) -> Body:
    """What marks and remarks say, where nothing says that the tool's own act was done."""
    if body.status == "accepted":
        return replace(body, failed="")
    if body.partial or any(_is_record(layer, tool) for layer in layers):
        return body
    if not body.failed:
        if body.status_word is not None and is_outcome(body.status_word, tool):
            return body
        if any(is_done(layer, tool) for layer in layers):
            return body
    texts = [remark for layer in layers for remark in _remarks(layer, tool)]
    said_yes = bool(texts) and any(layer.get(key) is True for layer in layers for key in SUCCESS_KEYS)
    remarks = [read_prose(text, tool, refusals=not said_yes and key not in NOTED_KEYS) for key, text in texts]
    found = {remark.said: remark.words for remark in reversed(remarks)}
    if "done" in found and not body.failed:
        return body
    mark = next((mark for layer in layers if (mark := open_by(layer, tool))), "") or found.get("open", "")
    if mark:
        return replace(body, failed="", status_word=open_word(mark), status="accepted")
    undone = next((mark for layer in layers if (mark := undone_by(layer, tool))), "")
    if body.failed or undone:
        return body if body.failed else replace(body, failed=f"not_done: {undone}")
    return _refused(body, found["failed"]) if "failed" in found else body


def _refused(body: Body, words: str) -> Body:
    return replace(
        body, failed=f"error_text: refused: {words}", status_word=f"{REFUSED_PREFIX}{words}", status="failed"
    )


def open_word(words: str) -> str:
    """Words by which a result leaves its end open, as a status word that is read so.

    Args:
        words: The words, or a key and its value. Untrusted.
    """
    return f"{OPEN_PREFIX}{words[:80]}"


#: How the status word begins where a result says in words of its own that its end is open, or that it refuses.
OPEN_PREFIX: Final = "pending: "
REFUSED_PREFIX: Final = "refused: "


_REMARK_SET: Final = frozenset(REMARK_KEYS)


def _remarks(layer: Mapping[str, object], tool: str) -> Iterator[tuple[str, str]]:
    if _REMARK_SET.isdisjoint(layer):
        return
    for key in REMARK_KEYS:
        value = layer.get(key)
        if isinstance(value, str) and not (key in TEXT_THINGS and key.removesuffix("s") in name_tokens(tool)):
            yield key, value


def _layers(value: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The body, then what wraps nothing but another object or stands under an envelope key."""
    found: list[Mapping[str, object]] = [value]
    for layer in found:
        if len(found) >= MAX_LAYERS:
            break
        for key, item in layer.items():
            if type(item) in SCALARS or not isinstance(item, Mapping) or not item or not isinstance(key, str):
                continue
            name = normal_key(key)
            if (name in ENVELOPE_KEYS or len(layer) == 1) and name not in ERROR_KEYS:
                found.append(item)
    return found[:MAX_LAYERS]


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


def _read_layer(layer: Mapping[str, object], tool: str, *, root: bool, object_id: str | None = None) -> Body:
    is_record = _is_record(layer, tool)
    word, said = _status(layer, tool, is_record=is_record)
    http = None if is_record else _http_status(layer)
    codes = () if EXIT_KEYS.isdisjoint(layer) else EXIT_KEYS
    code = next((c for key in codes if (c := whole_number(layer.get(key))) is not None), None)
    failed = failure_of(layer, tool, root=root)
    partial = partial_of(layer, tool)
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
        object_id=object_id,
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
    if RECORD_KEYS.isdisjoint(layer):
        return False
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


@lru_cache(maxsize=2_048)
def _is_stage(word: str, tool: str) -> bool:
    """A stage in the life of the thing that was made or changed, not the state of the call."""
    return (
        normal_status(word) in LIFECYCLE_STAGES
        and leading_verb(tool) in LIFECYCLE_VERBS
        and bool(LIFECYCLE_NOUNS.intersection(name_tokens(tool)))
    )


def _status(layer: Mapping[str, object], tool: str, *, is_record: bool) -> tuple[str | None, StatusClass]:
    """The status word that says most: failed, then open, then confirmed, then the first."""
    best: tuple[str | None, StatusClass] = (None, "")
    for word in _status_words(layer, tool):
        said = status_class(word, tool)
        if is_record and not _is_about_the_call(word, tool):
            continue
        if _is_stage(word, tool):
            continue
        if best[0] is None or _RANK[said] > _RANK[best[1]]:
            best = (word, said)
    return best


_TRUE_SET: Final = frozenset(TRUE_IS_STATUS)


def _status_words(layer: Mapping[str, object], tool: str) -> Iterator[str]:
    for key in STATUS_KEYS:
        value = layer.get(key)
        if value is None:
            continue
        if type(value) is not str and isinstance(value, Mapping):
            inner = _normal(value)
            value = next((inner[k] for k in STATUS_KEYS if isinstance(inner.get(k), str)), None)
        if _is_word(value) and not _is_written(key, tool):
            yield str(value).strip()
    for key, value in layer.items():
        if type(value) in SCALARS and type(value) is not str:
            continue
        if _is_word(value):
            word = str(value).strip()
            if _tells_the_call(key, word, tool) and (
                key not in PROCESS_KEYS or status_class(word, tool) in ("accepted", "failed")
            ):
                yield word
        elif key.startswith("pending") and isinstance(value, Mapping) and value:
            yield "pending"  # AWS: {"PendingModifiedValues": {...}} waits for a maintenance window
    if not _TRUE_SET.isdisjoint(layer):
        for key, word in TRUE_IS_STATUS.items():
            if layer.get(key) is True:
                yield word


def _is_word(value: object) -> bool:
    if not isinstance(value, str) or not 0 < len(value) <= 128:
        return False
    word = value.strip()
    return bool(word) and not word.isdecimal()


def _is_written(key: str, tool: str) -> bool:
    """`result` of `record_exam_result`: what was to be written down."""
    return act_verb(tool) in STATE_WRITERS and key in name_tokens(tool)


#: Words of a value under a key that is none of a status; a longer one is a name or a text.
_MAX_WORDS: Final = 5


@lru_cache(maxsize=4_096)  # the calls of a run share keys and words; both are bounded
def _tells_the_call(key: str, value: str, tool: str) -> bool:
    """Whether a key other than `status` and its like tells how far the call has come."""
    if key.endswith("status") and normal_status(value) in TRANSITIONS:
        return True  # {"DBInstanceStatus": "modifying"}: the work goes on
    if len(value.split()) > _MAX_WORDS:
        return False
    prefix = next((key.removesuffix(end) for end in STATUS_ENDINGS if key.endswith(end) and key != end), "")
    if prefix:
        return prefix in CALL_PREFIXES or (named_by(prefix, tool) and not _is_written(prefix, tool))
    if key == "response":
        return " " not in value.strip()
    if len(value.split()) == 1 and value.endswith("ing") and value.lower() not in ACCEPTED_WORDS:
        return False  # {"blinds": "closing"}
    if key in PROCESS_KEYS or booked(key, tool) or (key == "review" and act_verb(tool) in OUTWARD_VERBS):
        return not _is_written(key, tool)
    return key not in TEXT_THINGS and key not in STATUS_KEYS and named_by(key, tool) and not _is_written(key, tool)


def _http_status(layer: Mapping[str, object]) -> int | None:
    metadata = layer.get("responsemetadata")  # AWS: {"ResponseMetadata": {"HTTPStatusCode": 200}}
    if isinstance(metadata, Mapping) and (code := whole_number(metadata.get("HTTPStatusCode"))) is not None:
        return code
    if HTTP_KEYS.isdisjoint(layer):
        return None
    told = [layer[key] for key in HTTP_KEYS if key in layer]
    found = [c for value in told if (c := whole_number(value)) is not None and 100 <= c <= 599]
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
