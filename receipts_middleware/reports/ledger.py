"""The ledger of a run by itself, as a table for a reader and as JSON. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.ledger import ATTESTED, Ledger
from receipts_middleware.core.receipt import UNSUCCESSFUL
from receipts_middleware.reports.runs import Place, place_to_dict
from receipts_middleware.reports.screen import Style, cut, paint, table, wrap
from receipts_middleware.reports.text import MIN_WIDTH
from receipts_middleware.reports.text.sections import count_of, evidence_words

_TOOL_CELLS: Final = 32
#: What the record of a receipt rests on, in words.
ORIGINS: Final[Mapping[str, str]] = {
    "stamped": "stamped on its result",
    "carried": "stamped, and kept on a turn",
    "derived": "unstamped: worked out from call and result",
    "legacy": "stamped by another application",
    "given": "given by the caller",
}


def render_ledger(ledger: Ledger, *, heading: str = "", color: bool = False, width: int = 80) -> str:
    """The receipts of a run as a table, and how many of them were stamped.

    Args:
        ledger: Of the whole run. Its texts are untrusted and are escaped.
        heading: Said of the run, above the table.
        color: Use ANSI colours.
        width: Cells in a line; less than 40 counts as 40.

    Returns:
        Lines, each ended by a newline.
    """
    room = max(width, MIN_WIDTH)
    origins = Counter(entry.origin for entry in ledger)
    head = paint("ledger", "bold", color=color) + f" ({count_of(len(ledger), 'receipt')})"
    lines = [head + (f" of {cut(heading, room)}" if heading else "")]
    if not ledger:
        return "\n".join([*lines, "  empty: no tool was called"]) + "\n"
    rows: list[tuple[str, ...]] = []
    styles: list[Style] = []
    for entry in ledger:
        remarks = [
            evidence_words(entry),
            "unstamped" if entry.origin == "derived" and len(origins) > 1 else "",
            "paired by place" if entry.pairing == "inferred" else "",
        ]
        evidence = "; ".join(remark for remark in remarks if remark)
        rows.append((f"  {entry.id}", cut(entry.tool, min(_TOOL_CELLS, room // 3)), entry.outcome, evidence))
        styles.append("error" if entry.outcome in UNSUCCESSFUL else "ok")
    lines += table(rows, width=room, painted=2, styles=styles, color=color)
    words = ", ".join(f"{count} {ORIGINS[origin]}" for origin, count in origins.items())
    first, *rest = wrap(words, width=room, first=" " * 9, rest=" " * 9)
    lines += [paint("trust", "bold", color=color) + "    " + first[9:], *rest]
    for note in ledger.notes:
        lines += wrap(f"{note.rule}: {note.message}", width=room, first="note     ", rest=" " * 9)
    return "\n".join(lines) + "\n"


def ledger_json(ledger: Ledger, *, place: Place, identity: str, form: str) -> str:
    """The receipts of a run as one line of JSON.

    Args:
        ledger: Of the whole run.
        place: Where the run stands.
        identity: What it says of itself.
        form: Format that it was read as.

    Returns:
        A JSON object by docs/schema/runs.schema.json (`ledger`), ASCII, without a newline.
    """
    origins = Counter(entry.origin for entry in ledger)
    value = {
        **place_to_dict(place),
        "id": identity,
        "format": form,
        "receipts": {
            "stamped": sum(count for origin, count in origins.items() if origin in ATTESTED),
            "unstamped": sum(count for origin, count in origins.items() if origin not in ATTESTED),
        },
        "ledger": [entry.to_dict() for entry in ledger],
        "notes": [{"rule": note.rule, "message": note.message, "receipts": list(note.ids)} for note in ledger.notes],
    }
    return json.dumps(value, ensure_ascii=True, allow_nan=False)
