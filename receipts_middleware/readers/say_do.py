"""The Say-Do pair: what an agent said, as text, and what was done, as a log of actions (JSON, JSON lines or CSV).

Any log will do where a field mapping says what its fields mean; common names are known. The log is trusted as it
stands: each record is a call with its result. A `grade` in it outweighs what else the record says.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, get_args

from receipts_middleware.core.errors import FormatError, UsageError
from receipts_middleware.core.toolspec import ToolSpec, kind_of, read_tools
from receipts_middleware.core.transcript import Grade, Message, ToolCall, ToolResult, Transcript
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import field_of, parse_arguments
from receipts_middleware.readers.loose import make_result
from receipts_middleware.readers.native import Skipped

NAME: Final = "say_do"

_Path = tuple[str | int, ...]
#: Field of a record to the paths under which it is looked for, the first that is there wins.
FieldPaths = Mapping[str, tuple[_Path, ...]]

#: A path with more steps is a mistake.
_MAX_STEPS: Final = 12
#: Names under which logs keep their records.
_HOLDERS: Final = tuple(
    "log logs actions entries records events calls tool_calls tool_log data items steps history executions".split()
)
_NAMES: Final[Mapping[str, str]] = {
    "name": "tool tool_name name action function function_name operation module node",
    "args": "args arguments input inputs params parameters kwargs payload request data_in",
    "result": "result output outputs response data_out returned return_value observation",
    "status": "status outcome state result_status",
    "http_status": "http_status status_code http_code",
    "exit_code": "exit_code exitCode returncode",
    "error": "error error_message exception",
    "id": "object_id id reference",
    "call_id": "tool_call_id call_id",
    "target": "target to recipient",
    "amount": "amount",
    "grade": "grade",
    "records": "",
}
_OTHER_NAMES: Final = {"tool": "name", "arguments": "args", "output": "result", "outcome": "status"}
#: What a log says of itself; no tool was given it.
_ABOUT: Final = frozenset(
    """ts time timestamp date created_at started_at ended_at finished_at duration duration_ms latency_ms agent agent_id
    run_id session session_id trace_id span_id user_id level message note notes verified delivered confirmed
    success ok attempts attempt retries retry""".split()
)
#: What a record says of its outcome, for the body of its result.
_OUTCOME: Final = ("verified", "delivered", "confirmed", "success", "ok")
_GRADES: Final[Mapping[str, Grade]] = {name: name for name in get_args(Grade)}
#: Words by which a log says that an act was begun, and nothing of its end.
_ATTEMPTED: Final = frozenset("attempted attempting attempt tried trying unknown".split())
_STEP: Final = re.compile(r"\.?([^.\[\]]{1,100})|\[(\d{1,6})\]|\[['\"]([^'\"\]]{1,100})['\"]\]")
#: Cells of a CSV file that are numbers.
_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,10})?\Z")


def parse_mapping(mapping: str | Mapping[str, str] | None) -> FieldPaths:
    """Read a field mapping.

    Args:
        mapping: `name=$.tool,args=$.input,status=$.outcome`, or the same as a mapping. Fields are name, args, target,
            amount, status, http_status, exit_code, result, error, id (of the object), call_id, grade, and records
            (where the list of records stands). Paths are names and numbers: `$.steps[0].tool`.

    Returns:
        The paths of each field; those that the mapping leaves out are looked for under their common names.

    Raises:
        UsageError: A field is unknown, or a path cannot be read.
    """
    found = dict(DEFAULTS)
    if mapping is None:
        return found
    pairs = mapping.items() if isinstance(mapping, Mapping) else _pairs(mapping)
    for field, path in pairs:
        name = _OTHER_NAMES.get(field.strip(), field.strip())
        if name not in _NAMES:
            raise UsageError(f"{field!r} is no field of a log record; give one of {', '.join(_NAMES)}")
        found[name] = (_parse_path(path),)
    return found


def _pairs(mapping: str) -> Iterator[tuple[str, str]]:
    for part in mapping.split(","):
        field, mark, path = part.partition("=")
        if not mark:
            raise UsageError(f"{part!r} is no field mapping; write field=$.path, for example name=$.tool")
        yield field, path


def _parse_path(text: str) -> _Path:
    text = text.strip().removeprefix("$")
    steps: list[str | int] = []
    place = 0
    while place < len(text):
        match = _STEP.match(text, place)
        if match is None or len(steps) >= _MAX_STEPS:
            raise UsageError(f"{text!r} is no path; write names and numbers, for example $.steps[0].tool")
        steps.append(int(match[2]) if match[2] is not None else match[1] or match[3])
        place = match.end()
    return tuple(steps)


DEFAULTS: Final[FieldPaths] = {field: tuple((name,) for name in names.split()) for field, names in _NAMES.items()}


def read_pair(
    reply: str,
    log: object,
    mapping: str | Mapping[str, str] | None = None,
    *,
    tools: Iterable[object] | None = None,
) -> Transcript:
    """Read what was said and what was done.

    Args:
        reply: What the agent said. Untrusted.
        log: Text or bytes of a log as JSON, JSON lines or CSV with a header, or its records. Untrusted, but taken at
            its word.
        mapping: What its fields are called, as for `parse_mapping`.
        tools: What the agent could have done, as for `read_tools`; a claim that none of them could bear out is told
            apart from one that nothing bears out.

    Returns:
        A transcript: one assistant message for each record, with the call and its result, then the reply.

    Raises:
        FormatError: The reply is empty, or the log holds no record of an action.
        UsageError: The mapping cannot be read.
    """
    paths = parse_mapping(mapping)
    if not reply.strip():
        raise FormatError("the reply is empty; there is nothing to check")
    skipped = Skipped()
    messages: list[Message] = []
    total = 0
    for pointer, record in _records(log, paths):
        total += 1
        if isinstance(record, Mapping) and isinstance(_found(record, paths["name"]), str):
            messages.append(read_record(record, paths))
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


def read_record(record: Mapping[object, object], paths: FieldPaths) -> Message:
    """One record of a log as a call with its result.

    Args:
        record: Untrusted.
        paths: As of `parse_mapping`.
    """
    said = {field: _found(record, each) for field, each in paths.items()}
    tool = said["name"] if isinstance(said["name"], str) else ""
    identity = said["call_id"] if isinstance(said["call_id"], str) else ""
    result = _result(record, said, tool, identity)
    call = ToolCall(tool, identity, _args(record, said, paths), result=result, grade=_grade(said))
    return Message(role="assistant", text="", calls=(call,))


def _grade(said: Mapping[str, object]) -> Grade | None:
    """The grade that a record gives itself; an act that was only begun has one, too."""
    given, status = said["grade"], said["status"]
    if isinstance(given, str) and given.strip().upper() in _GRADES:
        return _GRADES[given.strip().upper()]
    return "S1" if isinstance(status, str) and status.strip().lower() in _ATTEMPTED else None


def _found(record: object, paths: Iterable[_Path]) -> object:
    for path in paths:
        value = record
        for step in path:
            if isinstance(step, int):
                value = value[step] if isinstance(value, list) and step < len(value) else None
            else:
                value = field_of(value, step) if isinstance(value, Mapping) else None
        if value is not None and value != "" and path:
            return value
    return None


def _args(record: Mapping[object, object], said: Mapping[str, object], paths: FieldPaths) -> object:
    args = parse_arguments(said["args"])
    beside: dict[str, object] = {}
    if said["args"] is None:
        taken = {path[0] for each in paths.values() for path in each if path}
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
    if isinstance(output, Mapping):
        return {**body, **output}
    return dict(body) if output is None else {**body, "result": output}


def _records(log: object, paths: FieldPaths) -> Iterator[tuple[str, object]]:
    """Records of the log, each with where it stands."""
    if isinstance(log, bytes | bytearray | memoryview):
        try:
            log = bytes(log).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(f"byte {error.start} of the log: not UTF-8") from error
    if isinstance(log, str):
        yield from _text_records(log.removeprefix("\ufeff"), paths)
        return
    holder = _found(log, paths["records"]) if any(paths["records"]) else None
    prefix = ""
    if holder is None and isinstance(log, Mapping):
        name = next((key for key in _HOLDERS if isinstance(log.get(key), list)), None)
        holder, prefix = (log[name], f"/{name}") if name is not None else ([log], "")
    listed = log if holder is None else holder
    if not isinstance(listed, list | tuple):
        raise FormatError(f"the log is {type(listed).__name__}; expected a list of records")
    for index, record in enumerate(listed):
        yield f"{prefix}/{index}", record


def _text_records(text: str, paths: FieldPaths) -> Iterator[tuple[str, object]]:
    if not text.strip():
        return
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise FormatError("the log is nested too deeply") from error
    except ValueError:
        yield from _lines(text) if text.lstrip().startswith("{") else _table(text, paths)
        return
    yield from _records(value if not isinstance(value, str) else [value], paths)


def _lines(text: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError):
                yield f"line {number}", None


def _table(text: str, paths: FieldPaths) -> Iterator[tuple[str, object]]:
    """Rows of a CSV file with a header; numbers and JSON cells are values."""
    rows = csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(text))
    header: list[str] = []
    try:
        for row in rows:
            if not header:
                header = [name.strip() for name in row]
                if not any(path and path[0] in header for path in paths["name"]):
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
