"""The snapshot: what one assistant turn was shown of the ledger, kept on that turn (docs/formats.md section 3).

The value, its one-line JSON form, and the parsing of untrusted text into it. The chain head that it carries is
computed in `chain`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.keys import FORMAT_VERSION
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.ranges import RangeSet, parse_ranges
from receipts_middleware.core.receipt import MAX_ISSUED, MAX_NUMBER, Malformed, Receipt, parse_receipt

#: A snapshot with 1,000 full entries is about 1 MB; anything far above is not one of ours.
MAX_SNAPSHOT_CHARS: Final = 16_000_000
MAX_ENTRIES: Final = 20_000

_TAG = pattern_of(r"[A-Z2-7]{4}\Z")
_HEAD = pattern_of(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """A receipt with its facts, carried by a final turn so that it outlives its message."""

    receipt: Receipt
    facts: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What one assistant turn was shown.

    Attributes:
        n: Highest number issued before this message's own calls.
        shown: Numbers of the receipts in the request.
        head: Chain head, 64 hex digits.
        tag: The thread's ledger tag, 4 base32 characters.
        toolset: Names and beginnings of descriptions of the bound tools, where they changed; else None.
        entries: Receipts carried by this turn; None where it carries none because it is not final.
        answer: Names of the response-format tools that this very message calls.
        calls: Digest of the calls of this very message, where the snapshot is signed and there are any; else empty.
        scope: Thread and checkpoint namespace, where it is signed.
        sig: Signature object.
    """

    n: int
    shown: RangeSet
    head: str
    tag: str
    toolset: tuple[tuple[str, str], ...] | None = None
    entries: tuple[SnapshotEntry, ...] | None = None
    answer: tuple[str, ...] = ()
    calls: str = ""
    scope: Mapping[str, str] | None = None
    sig: Mapping[str, str] | None = None


def make_snapshot(
    *,
    n: int,
    shown: str,
    head: str,
    tag: str,
    toolset: Sequence[Sequence[str]] | None = None,
    entries: Sequence[Mapping[str, object]] | None = None,
    answer: Sequence[str] = (),
    calls: str = "",
    scope: Mapping[str, str] | None = None,
) -> str:
    """Write a snapshot as the canonical JSON string that stands on the message.

    A string, so that adding message chunks yields an invalid one and never doubled rows.

    Args:
        n: Highest number issued before this message's own calls.
        shown: Ranges of the receipts in the request, in their one spelling.
        head: Chain head.
        tag: Ledger tag.
        toolset: Pairs of name and description, where they are to be recorded.
        entries: `{"receipt": ..., "facts": ...}` objects, on final turns.
        answer: Names of response-format tools that this message calls.
        calls: Digest of the calls of this message; empty for none.
        scope: Thread and checkpoint namespace, where it is to be signed.

    Returns:
        Canonical JSON.
    """
    if toolset is None and entries is None and not answer and not calls and not scope:
        # All four values are ours and plain; spelling them out is the canonical form at a tenth of the cost.
        return f'{{"head":"{head}","n":{n},"shown":"{shown}","tag":"{tag}","v":{FORMAT_VERSION}}}'
    body: dict[str, object] = {"v": FORMAT_VERSION, "n": n, "shown": shown, "head": head, "tag": tag}
    if toolset is not None:
        body["toolset"] = [list(pair) for pair in toolset]
    if entries is not None:
        body["entries"] = list(entries)
    if answer:
        body["answer"] = list(answer)
    if calls:
        body["calls_sha256"] = calls
    if scope:
        body["scope"] = dict(scope)
    return canon(body).decode("utf-8")


def parse_snapshot(value: object) -> Snapshot | Malformed:
    """Turn what stands under the snapshot key into a snapshot.

    Args:
        value: Untrusted.

    Returns:
        The snapshot, or `Malformed`; never raises. One malformed entry makes the snapshot malformed: nothing in it
        can be relied on.
    """
    if isinstance(value, Malformed):
        return value  # whoever read it before found out what is wrong with it
    if not isinstance(value, str):
        return Malformed(f"a snapshot is a JSON string, this is {type(value).__name__}")
    if len(value) > MAX_SNAPSHOT_CHARS:
        return Malformed("the snapshot is too long")
    try:
        body = json.loads(value)
        if '"$$' in value:
            body = undoubled(body)
    except (ValueError, RecursionError):
        return Malformed("the snapshot is not valid JSON")
    if not isinstance(body, dict):
        return Malformed("the snapshot is not an object")
    return _read_body(body)


def undoubled(value: object) -> object:
    """Keys as they were before the canonical form doubled their `$`."""
    if isinstance(value, dict):
        return {k[1:] if k.startswith("$$") else k: undoubled(v) for k, v in value.items()}
    return [undoubled(item) for item in value] if isinstance(value, list) else value


def _read_body(body: Mapping[str, object]) -> Snapshot | Malformed:
    n, shown, head, tag = (body.get(key) for key in ("n", "shown", "head", "tag"))
    if body.get("v") != FORMAT_VERSION or isinstance(body.get("v"), bool):
        return Malformed(f"v is not {FORMAT_VERSION}")
    if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= MAX_NUMBER:
        return Malformed("n is not a number")
    ranges = parse_ranges(shown) if isinstance(shown, str) else None
    if ranges is None or (ranges.spans and ranges.spans[-1][1] > n):
        return Malformed("shown is not a list of ranges up to n")
    if not isinstance(head, str) or not _HEAD.match(head):
        return Malformed("head is not 64 lower-case hex digits")
    if not isinstance(tag, str) or not _TAG.match(tag):
        return Malformed("tag is not 4 base32 characters")
    toolset, entries, answer = body.get("toolset"), body.get("entries"), body.get("answer", [])
    tools = _read_toolset(toolset) if toolset is not None else None
    rows = _read_entries(entries) if entries is not None else None
    if toolset is not None and tools is None:
        return Malformed("toolset is not a list of pairs")
    if entries is not None and rows is None:
        return Malformed("an entry is malformed")
    if not isinstance(answer, list) or not all(isinstance(name, str) for name in answer):
        return Malformed("answer is not a list of names")
    calls, scope, sig = body.get("calls_sha256", ""), body.get("scope"), body.get("sig")
    if not isinstance(calls, str) or (calls and not _HEAD.match(calls)):
        return Malformed("calls_sha256 is not 64 lower-case hex digits")
    if scope is not None and not _is_strings(scope):
        return Malformed("scope is not an object of texts")
    return Snapshot(
        n=n,
        shown=ranges,
        head=head,
        tag=tag,
        toolset=tools,
        entries=rows,
        answer=tuple(answer),
        calls=calls,
        scope=scope if isinstance(scope, Mapping) else None,
        sig=sig if isinstance(sig, Mapping) else None,
    )


def _is_strings(value: object) -> bool:
    return isinstance(value, dict) and len(value) <= 16 and all(isinstance(item, str) for item in value.values())


def _read_toolset(value: object) -> tuple[tuple[str, str], ...] | None:
    if not isinstance(value, list):
        return None
    pairs = []
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            return None
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _read_entries(value: object) -> tuple[SnapshotEntry, ...] | None:
    if not isinstance(value, list) or len(value) > MAX_ENTRIES:
        return None
    out = []
    for row in value:
        receipt = parse_receipt(row.get("receipt")) if isinstance(row, Mapping) else Malformed("not an object")
        if isinstance(receipt, Malformed):
            return None
        facts = row.get("facts")
        out.append(SnapshotEntry(receipt, facts if isinstance(facts, Mapping) else {}))
    return tuple(out)


@dataclass(frozen=True, slots=True)
class SnapshotHead:
    """The few values of a snapshot from which the next turn follows."""

    n: int
    head: str
    tag: str


_STRING: Final = r'"(?:[^"\\]|\\.)*"'
#: A JSON object of texts, as `scope` and `sig` are.
STRINGS: Final = rf"\{{(?:{_STRING}:{_STRING},?){{0,16}}\}}"
_PEEK: Final = pattern_of(
    rf'"head":"([0-9a-f]{{64}})","n":(\d{{1,10}}),(?:"scope":{STRINGS},)?"shown":"[0-9,-]*",(?:"sig":{STRINGS},)?'
    r'"tag":"([A-Z2-7]{4})"'
)


def read_head(value: object) -> SnapshotHead:
    """Number, head and tag as the private channel keeps them; what is not one of ours is 0 or empty.

    Args:
        value: Mapping with `n`, `head` and `tag`. Untrusted: whoever can write state can write it.
    """
    held: Mapping[object, object] = value if isinstance(value, Mapping) else {}
    n, head, tag = held.get("n"), held.get("head"), held.get("tag")
    return SnapshotHead(
        n if type(n) is int and 0 <= n <= MAX_ISSUED else 0,
        head if isinstance(head, str) and _HEAD.match(head) else "",
        tag if isinstance(tag, str) and _TAG.match(tag) else "",
    )


def peek_snapshot(value: str) -> SnapshotHead | None:
    """Number, head and tag of a snapshot without reading its entries, which may be large.

    Relies on the canonical order of keys. Good for going on, not for judging: that takes `parse_snapshot`.

    Args:
        value: What stands under the snapshot key. Untrusted.

    Returns:
        The values, or None where they are not there or the number is none that a run has reached.
    """
    at = value.rfind('"head":"')  # inside a string value the quotes would be escaped
    match = _PEEK.match(value, at) if at >= 0 else None
    if match is None or int(match[2]) > MAX_ISSUED:
        return None
    return SnapshotHead(int(match[2]), match[1], match[3])


def peek_carried(value: str) -> tuple[int, ...]:
    """Numbers of the receipts that a snapshot carries, without checking each of them.

    Good for going on, not for judging, as `peek_snapshot`.

    Args:
        value: What stands under the snapshot key. Untrusted.

    Returns:
        Numbers in order; empty where it carries none.
    """
    # In canonical JSON these keys stand first, so ordinary snapshots cost one look.
    if not value.startswith(('{"entries"', '{"answer"', '{"calls')) or len(value) > MAX_SNAPSHOT_CHARS:
        return ()
    try:
        rows = json.loads(value).get("entries")
    except (ValueError, RecursionError):
        return ()
    receipts = [row.get("receipt") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return tuple(r["n"] for r in receipts if isinstance(r, dict) and type(r.get("n")) is int)
