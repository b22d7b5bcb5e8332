"""The Say-Do pair: what an agent said, as text, and what was done, as a log of actions (JSON, JSON lines or CSV).

Any log will do where a field mapping says what its fields mean; common names are known. The log is trusted as it
stands: each record is a call with its result. A `grade` in it outweighs what else the record says.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, get_args

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec import ToolSpec, kind_of, read_tools
from receipts_middleware.core.transcript import Grade, Message, ToolCall, ToolResult, Transcript
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import parse_arguments
from receipts_middleware.readers.log_mapping import FIELDS, LogMapping, parse_mapping
from receipts_middleware.readers.loose import make_result
from receipts_middleware.readers.native import Skipped

NAME: Final = "say_do"

#: Names under which logs keep their records.
_HOLDERS: Final = tuple(
    "log logs actions entries records events calls tool_calls tool_log data items steps history executions".split()
)
#: What a log says of itself; no tool was given it.
_ABOUT: Final = frozenset(
    """ts time timestamp date created_at started_at ended_at finished_at duration duration_ms latency_ms agent agent_id
    run_id session session_id trace_id span_id user_id level message note notes verified delivered confirmed
    success ok attempts attempt retries retry""".split()
)
#: What a record says of its outcome, for the body of its result.
_OUTCOME: Final = ("verified", "delivered", "confirmed", "success", "ok")
_GRADES: Final[Mapping[str, Grade]] = {name: name for name in get_args(Grade)}
#: What a status may mean for which no result has a word.
_MEANT: Final[Mapping[str, Grade]] = {"attempted": "S1", "not_done": "S0"}
#: Cells of a CSV file that are numbers.
_NUMBER: Final = pattern_of(r"-?\d{1,15}(?:\.\d{1,10})?\Z")


def read_pair(
    reply: str,
    log: object,
    mapping: str | Mapping[str, object] | None = None,
    *,
    tools: Iterable[object] | None = None,
) -> Transcript:
    """Read what was said and what was done.

    Args:
        reply: What the agent said. Untrusted.
        log: Text or bytes of a log as JSON, JSON lines or CSV with a header, or its records. Untrusted, but taken at
            its word.
        mapping: What its fields are called, as for `parse_mapping` in `log_mapping`.
        tools: What the agent could have done, as for `read_tools`; a claim that none of them could bear out is told
            apart from one that nothing bears out.

    Returns:
        A transcript: one assistant message for each record, with the call and its result, then the reply.

    Raises:
        FormatError: The reply is empty, or the log holds no record of an action.
        UsageError: The mapping cannot be read.
    """
    said = parse_mapping(mapping)
    if not reply.strip():
        raise FormatError("the reply is empty; there is nothing to check")
    skipped = Skipped()
    messages: list[Message] = []
    total = 0
    for pointer, record in _records(log, said):
        total += 1
        message = read_record(record, said) if isinstance(record, Mapping) else None
        if message is not None:
            messages.append(message)
        else:
            skipped.add(pointer)
    if total and not messages:
        raise FormatError(f"{skipped.first}: no record names what was done; map it, for example name=$.tool")
    messages.append(Message(role="assistant", text=reply))
    named = read_tools(tools) if tools is not None else ()
    meta = {"skipped": skipped.told()} if skipped.count else None
    return Transcript(tuple(messages), _with_kinds(named, messages), NAME, meta)


def _with_kinds(named: tuple[ToolSpec, ...], messages: Iterable[Message]) -> tuple[ToolSpec, ...]:
    """Tools of the log beside the given ones: what a log of actions keeps is an action, whatever its name."""
    known = {spec.name for spec in named}
    names = dict.fromkeys(call.tool for message in messages for call in message.calls if call.tool not in known)
    acting = (ToolSpec(name, "", kind if (kind := kind_of(name)) != "unknown" else "acting") for name in names)
    return (*named, *acting)


# --- records --------------------------------------------------------------------------------------------


def read_record(record: Mapping[object, object], mapping: LogMapping) -> Message | None:
    """One record of a log as a call with its result.

    Args:
        record: Untrusted.
        mapping: What its fields are called.

    Returns:
        An assistant message with the call; None where the record does not name what was done.
    """
    said = {field: mapping.find(record, field) for field in FIELDS}
    tool = said["name"]
    if not isinstance(tool, str) or not tool.strip():
        return None
    identity = said["call_id"] if isinstance(said["call_id"], str) else ""
    meaning = mapping.meaning_of(said["status"])
    given = said["grade"].strip().upper() if isinstance(said["grade"], str) else ""
    grade = _GRADES.get(given) or _MEANT.get(meaning)
    if meaning and meaning not in _MEANT:
        said["status"] = meaning
    result = _result(record, said, tool, identity)
    call = ToolCall(tool, identity, _args(record, said, mapping), result=result, grade=grade)
    return Message(role="assistant", text="", calls=(call,))


def _args(record: Mapping[object, object], said: Mapping[str, object], mapping: LogMapping) -> object:
    args = parse_arguments(said["args"])
    beside: dict[str, object] = {}
    if said["args"] is None:
        taken = mapping.first_names
        beside = {
            str(key): value
            for key, value in record.items()
            if isinstance(key, str) and key not in taken and key.lower() not in _ABOUT and value not in (None, "")
        }
    for name in ("target", "amount", "currency", "count", "idempotency_key"):
        value = said[name] if name in said else record.get(name)
        if value is not None:
            beside.setdefault(name, value)
    if not beside:
        return args
    return {**beside, **args} if isinstance(args, Mapping) else {**beside, "args": args}


def _result(record: Mapping[object, object], said: Mapping[str, object], tool: str, identity: str) -> ToolResult | None:
    body: dict[str, object] = {}
    status, http = said["status"], said["http_status"]
    if isinstance(status, int) and not isinstance(status, bool):
        http = http if http is not None else status
    elif status is not None:
        body["status"] = status
    if http is not None:
        body["http_status"] = http
    if said["id"] is not None:
        body["id"] = said["id"]
    body.update({key: record[key] for key in _OUTCOME if record.get(key) is not None})
    error = said["error"]
    code = said["exit_code"]
    channels = read_channels({"status": status, "error": error, "exit_code": code, "is_error": record.get("is_error")})
    if isinstance(http, int) and http >= 400:
        channels = replace(channels, error=True)
    if channels.error and error:
        body["error"] = error
    return make_result(identity, tool or None, _body(body, said["result"]), channels)


def _body(body: Mapping[str, object], output: object) -> object:
    """The result with what the record says of its outcome beside it."""
    if not body:
        return output
    if isinstance(output, str) and output.lstrip().startswith("{"):
        parsed = parse_arguments(output)  # the result as the tool returned it, kept as text
        output = parsed if isinstance(parsed, Mapping) else output
    if isinstance(output, Mapping):
        return {**body, **output}
    return dict(body) if output is None else {**body, "result": output}


def _records(log: object, mapping: LogMapping) -> Iterator[tuple[str, object]]:
    """Records of the log, each with where it stands."""
    if isinstance(log, bytes | bytearray | memoryview):
        try:
            log = bytes(log).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(f"byte {error.start} of the log: not UTF-8") from error
    if isinstance(log, str):
        yield from _text_records(log.removeprefix("\ufeff"), mapping)
        return
    found = list(mapping.lists(log))
    if not found and isinstance(log, Mapping):
        name = next((key for key in _HOLDERS if isinstance(log.get(key), list)), None)
        found = [(f"/{name}", log[name]) if name is not None else ("", [log])]
    elif not found:
        if not isinstance(log, list | tuple):
            raise FormatError(f"the log is {type(log).__name__}; expected a list of records")
        found = [("", log)]
    for prefix, listed in found:
        for index, record in enumerate(listed):
            yield f"{prefix}/{index}", record


def _text_records(text: str, mapping: LogMapping) -> Iterator[tuple[str, object]]:
    if not text.strip():
        return
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise FormatError("the log is nested too deeply") from error
    except ValueError:
        yield from _lines(text) if text.lstrip().startswith("{") else _table(text, mapping)
        return
    yield from _records(value if not isinstance(value, str) else [value], mapping)


def _lines(text: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError):
                yield f"line {number}", None


def _table(text: str, mapping: LogMapping) -> Iterator[tuple[str, object]]:
    """Rows of a CSV file with a header; numbers and JSON cells are values."""
    rows = csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(text))
    header: list[str] = []
    try:
        for row in rows:
            if not header:
                header = [name.strip() for name in row]
                if not mapping.names_in(header):
                    raise FormatError(
                        "line 1: the log is neither JSON nor a table with a column that names what was done; map it, "
                        "for example name=$.tool"
                    )
            elif any(cell.strip() for cell in row):
                yield (
                    f"line {rows.line_num}",
                    {k: _cell(v) for k, v in zip(header, row, strict=False) if k and v.strip()},
                )
    except csv.Error:
        yield f"line {rows.line_num}", None


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return max((",", ";", "\t"), key=first.count)


def _cell(text: str) -> object:
    text = text.strip()
    if _NUMBER.match(text):
        return float(text) if "." in text else int(text)
    return {"true": True, "false": False}.get(text.lower(), text)
