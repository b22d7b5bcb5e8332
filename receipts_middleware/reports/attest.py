"""What an audit of the records found, as text for a reader and as JSON. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.attest import Examination, Record
from receipts_middleware.reports.runs import Place, place_to_dict
from receipts_middleware.reports.screen import Style, cut, paint, table, visible, wrap
from receipts_middleware.reports.text import MIN_WIDTH
from receipts_middleware.reports.text.sections import count_of

ATTEST_SCHEMA_VERSION: Final = 1
_TOOL_CELLS: Final = 32
_KID_CELLS: Final = 24
_KINDS: Final[Mapping[str, str]] = {
    "receipt": "",
    "snapshot": "turn",
    "entry": "carried",
    "child": "subagent",
    "row": "channel",
    "channel": "channel, own row",
    "execution": "sink",
    "confirmation": "confirmation",
}


def render_examination(
    found: Examination, *, heading: str = "", keyed: bool = True, color: bool = False, width: int = 80
) -> str:
    """An examination as a table, a line a record, and each dimension by itself.

    Args:
        found: What was found. Its texts are untrusted and are escaped.
        heading: Said of the run, above the table.
        keyed: A key was given.
        color: Use ANSI colours.
        width: Cells in a line; less than 40 counts as 40.

    Returns:
        Lines, each ended by a newline.
    """
    room = max(width, MIN_WIDTH)
    head = paint("records", "bold", color=color) + f" ({count_of(len(found.records), 'record')})"
    lines = [head + (f" of {cut(heading, room)}" if heading else "")]
    rows: list[tuple[str, ...]] = []
    styles: list[Style] = []
    for record in found.records:
        where = f"#{record.index}" if record.index is not None else "-"
        name = " ".join(part for part in (_KINDS[record.kind], record.id, cut(record.tool, _TOOL_CELLS)) if part)
        rows.append((f"  {where}", name, _signed(record, keyed=keyed), ", ".join(_words(record))))
        styles.append("ok" if record.counts and not record.faults else "error")
    lines += table(rows, width=room, painted=2, styles=styles, color=color)
    for name, value in _dimensions(found, keyed=keyed).items():
        first, *rest = wrap(value, width=room, first=" " * 12, rest=" " * 12)
        lines += [paint(name.ljust(12), "bold", color=color) + first[12:], *rest]
    for index, state, reason in found.breaks if keyed else ():
        lines += wrap(f"at #{index}: {state}: {reason}", width=room, first=" " * 12, rest=" " * 14)
    return "\n".join(lines) + "\n"


def _signed(record: Record, *, keyed: bool) -> str:
    kid = cut(record.kid, _KID_CELLS)
    if record.signature == "valid":
        return f"signed by {kid}"
    if record.signature == "bad":
        return "bad signature"
    if record.signature == "unknown_key":
        return f"signed by {kid}, " + ("a key not at hand" if keyed else "not checked")
    return "-" if {"missing", "unfinished", "malformed"} & set(record.faults) else "unsigned"


def _words(record: Record) -> list[str]:
    return [fault.replace("_", " ") for fault in record.faults] + ([visible(record.detail)] if record.detail else [])


def _dimensions(found: Examination, *, keyed: bool) -> dict[str, str]:
    thread = f": {visible(found.thread)}" if found.thread else ""
    counted = sum(record.counts for record in found.records)
    signatures = (
        f"{counted} of {count_of(len(found.records), 'record')} hold" if keyed else "not checked: no key was given"
    )
    chain = found.chain if keyed else "not_checked"
    return {
        "signatures": signatures,
        "chain": chain.replace("_", " "),
        "binding": (found.binding if keyed else "not_checked").replace("_", " ") + thread,
        "tail": found.tail.replace("_", " "),
    }


def examination_json(found: Examination, *, place: Place, identity: str, keyed: bool) -> str:
    """An examination as one line of JSON.

    Args:
        found: What was found.
        place: Where the run stands.
        identity: What it says of itself.
        keyed: A key was given.

    Returns:
        A JSON object, ASCII, without a newline.
    """
    value = {
        **place_to_dict(place),
        "id": identity,
        "checked": keyed,
        "holds": found.holds,
        "chain": found.chain if keyed else "not_checked",
        "binding": found.binding if keyed else "not_checked",
        "tail": found.tail,
        "thread": found.thread,
        "keys": list(found.keys),
        "breaks": [{"index": index, "state": state, "reason": reason} for index, state, reason in found.breaks],
        "records": [record.to_dict() for record in found.records],
    }
    return json.dumps(value, ensure_ascii=True)
