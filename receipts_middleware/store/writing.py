"""From an execution to its two rows: what is kept, after redaction, by what the sink and the caller allow.

Whoever calls this decides what a failure means; nothing is caught here but a redaction function of the user.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from receipts_middleware.core.canonical import canon, digest_args
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.executed import Event, SinkRow
from receipts_middleware.core.executed.row import column
from receipts_middleware.core.facts import Capture, extract_facts
from receipts_middleware.core.receipt import Receipt
from receipts_middleware.store.base import Sink, timestamp

#: Arguments and result of one call, each as JSON. What is longer is not kept: a part of a result would make a value of
#: the other part look made up.
MAX_RAW_BYTES: Final = 1_048_576
#: Texts of a receipt that come from arguments and results.
_TELLING: Final = ("object_id", "status_word", "error_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an execution belongs.

    Attributes:
        uid: Execution.
        n: Number of the call.
        tool: Name under which it was made.
        tool_call_id: As the provider gave it.
        thread: Thread; empty where there is none.
        run: Run; empty where there is none.
        ns: Checkpoint namespace without task ids.
        graph: Checkpoint namespace with task ids.
    """

    uid: str
    n: int
    tool: str
    tool_call_id: str
    thread: str = ""
    run: str = ""
    ns: str = ""
    graph: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How an execution ended.

    Attributes:
        event: What happened.
        receipt: Its receipt.
        args: Executed arguments.
        content: The result as the model was to get it; None where there is none.
        text: Its text.
        facts: Values kept of both by the caller's own rule.
    """

    event: Event
    receipt: Receipt
    args: object = None
    content: object = None
    text: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Material:
    """What may be kept of one call; facts are None where they are still to be read."""

    tool: str
    args: object
    content: object
    text: str
    facts: Mapping[str, object] | None


def write_start(
    sink: Sink, place: Place, args: object, *, capture: Capture = "values", key: bytes | None = None
) -> None:
    """Write that an execution is about to begin; durable when this returns.

    Args:
        sink: Where to.
        place: Where it belongs.
        args: Arguments asked for. Untrusted.
        capture: The most that the caller allows to be kept of this tool.
        key: Key of digests, for the capture `digests`.

    Raises:
        SinkError: It could not be stored.
    """
    body: dict[str, object] = {"args_sha256": digest_args(args).sha256}
    body.update(_kept(sink, _Material(place.tool, args, None, "", None), capture=capture, key=key))
    sink.append(_row("start", place, body))


def write_end(sink: Sink, place: Place, ended: Ended, *, capture: Capture = "values", key: bytes | None = None) -> None:
    """Write how an execution ended; durable when this returns.

    Args:
        sink: Where to.
        place: As for its start; the tool of the receipt is the one that ran.
        ended: How it ended. Untrusted but for the receipt.
        capture: The most that the caller allows to be kept of this tool.
        key: Key of digests, for the capture `digests`.

    Raises:
        SinkError: It could not be stored.
    """
    receipt = ended.receipt
    made = _Material(receipt.tool, ended.args, ended.content, ended.text, ended.facts)
    kept = _kept(sink, made, capture=capture, key=key)
    redacted = list(kept.get("redacted") or ())  # type: ignore[call-overload]
    stored = receipt.to_dict()
    for name in _TELLING:
        said = stored.get(name)
        if isinstance(said, str) and sink.redaction.text(said) != said:
            stored[name] = sink.redaction.text(said)
            redacted.append(name)
    body = {"receipt": stored, "digest": receipt.digest(), **kept}
    if redacted:
        body["redacted"] = redacted
    sink.append(_row(ended.event, place, body, tool=receipt.tool))


def _row(event: Event, place: Place, body: Mapping[str, object], *, tool: str | None = None) -> SinkRow:
    return SinkRow(
        event=event,
        uid=place.uid,
        at=timestamp(datetime.now(UTC)),
        n=place.n,
        thread=column(place.thread),
        run=column(place.run),
        ns=column(place.ns),
        graph=column(place.graph),
        tool=column(place.tool if tool is None else tool),
        tool_call_id=column(place.tool_call_id),
        body=body,
    )


def _kept(sink: Sink, made: _Material, *, capture: Capture, key: bytes | None) -> dict[str, object]:
    """What is kept beside the receipt. The stricter of sink and caller holds."""
    if sink.store == "hashes" or capture == "hashes" or sink.redaction.drops(made.tool):
        return {}
    out: dict[str, object] = {}
    redacted: list[str] = []
    if not sink.redaction.is_idle(made.tool):
        try:
            made, redacted = _redacted(sink, made)
        except Exception:  # noqa: BLE001 - a function of the user; nothing may be stored that it has not seen
            return {"redacted": ["args", "output", "facts"]}
    facts = made.facts if made.facts is not None else extract_facts(made.args, made.text, capture=capture, key=key)
    if facts:
        out["facts"] = {name: list(values) for name, values in facts.items() if isinstance(values, list | tuple)}
    if sink.store == "raw" and capture == "values":
        for name, value in (("args", made.args), ("output", made.content)):
            kept = _plain(value)
            if value is not None and kept is not None:
                out[name] = kept
    if redacted:
        out["redacted"] = redacted
    return out


def _redacted(sink: Sink, made: _Material) -> tuple[_Material, list[str]]:
    """What may be stored, and what of it was changed; facts are read again, of what is left."""
    args, content = _plain(made.args), _plain(made.content)
    new_args = sink.redaction.apply(made.tool, args) if args is not None else None
    new_content = sink.redaction.apply(made.tool, content) if content is not None else None
    text = new_content if isinstance(new_content, str) else sink.redaction.text(made.text)
    changed = [name for name, old, new in (("args", args, new_args), ("output", content, new_content)) if old != new]
    return _Material(made.tool, new_args, new_content, text, None), changed


def _plain(value: object) -> object:
    """A value as JSON holds it, by its canonical form; None where it is too large to be kept."""
    written = canon(value)
    return json.loads(written) if len(written) <= MAX_RAW_BYTES else None
