"""The snapshot: one canonical JSON string, its round trip, quick reading of its head, and how it is malformed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.keys import SNAPSHOT_KEY
from receipts_middleware.core.ranges import format_ranges
from receipts_middleware.core.receipt import MAX_NUMBER, Malformed, Receipt
from receipts_middleware.core.snapshot import (
    Snapshot,
    SnapshotHead,
    make_snapshot,
    parse_snapshot,
    peek_carried,
    peek_snapshot,
    read_head,
)

SETTINGS = settings(deadline=None, max_examples=100)
HEX = "0123456789abcdef" * 4
STAMP = {
    "v": 1,
    "uid": "u",
    "n": 3,
    "tool_call_id": "call_1",
    "tool": "send_email",
    "outcome": "success",
    "outcome_source": "body",
    "args_sha256": HEX,
    "output_sha256": HEX,
    "output_bytes": 44,
    "created_at": "",
    "prev": HEX,
}
BODY = {
    "v": 1,
    "n": 9,
    "shown": "1-3,7",
    "head": HEX,
    "tag": "A2BC",
    "toolset": [["send_email", "Send it."]],
    "entries": [{"receipt": STAMP, "facts": {"args": ["4821"]}}],
    "answer": ["Report"],
    "sig": {"alg": "HS256", "kid": "k", "mac": "m"},
}
#: Texts that imitate what stands around them.
SLY = st.sampled_from(
    [
        '"head":"',
        f'"head":"{HEX}","n":77,"shown":"","tag":"AAAA"',
        '{"n":5,"o',
        ',"n":5,"outcome"',
        '"entries":',
        "\\",
        "\ud835",
        "日本",
    ]
)
TEXT = st.text(max_size=12) | SLY
#: The canonical form doubles a leading `$`, so only without one is it its own canonical form.
KEY = TEXT.filter(lambda text: not text.startswith("$"))


@st.composite
def entries(draw):
    numbers = draw(st.lists(st.integers(1, 10**10 - 1), unique=True, max_size=4))
    rows = []
    for n in numbers:
        stamp = {**STAMP, "n": n, "tool": draw(TEXT), "uid": draw(TEXT), "tool_call_id": draw(TEXT)}
        if draw(st.booleans()):
            stamp["object_id"] = draw(TEXT)
        if draw(st.booleans()):
            inner = {**STAMP, "n": draw(st.integers(1, 99))}
            stamp["children"] = [{"agent": draw(TEXT), "ended": "complete", "calls": 1, "receipts": [inner]}]
        if draw(st.booleans()):
            stamp["later"] = {draw(KEY): draw(TEXT), "n": 5, "outcome": "x"}
        facts = {"args": draw(st.lists(TEXT, max_size=2)), "output": draw(st.lists(TEXT, max_size=2))}
        rows.append({"receipt": stamp, "facts": draw(st.sampled_from([facts, {}]))})
    return rows


@SETTINGS
@given(
    shown=st.sets(st.integers(1, 50), max_size=8),
    more=st.integers(0, 10**8),
    rows=st.none() | entries(),
    toolset=st.none() | st.lists(st.tuples(TEXT, TEXT), max_size=3),
    answer=st.lists(TEXT, max_size=2),
)
def test_what_is_written_is_canonical_and_is_read_back(shown, more, rows, toolset, answer):
    n = max(shown, default=0) + more
    value = make_snapshot(
        n=n, shown=format_ranges(shown), head=HEX, tag="A2BC", toolset=toolset, entries=rows, answer=answer
    )
    assert value.encode() == canon(json.loads(value))
    read = parse_snapshot(value)
    assert isinstance(read, Snapshot)
    assert (read.n, read.head, read.tag, set(read.shown)) == (n, HEX, "A2BC", shown)
    assert [entry.receipt.n for entry in read.entries or ()] == [row["receipt"]["n"] for row in rows or ()]
    assert (read.entries is None) == (rows is None)
    assert (read.toolset is None) == (toolset is None)
    assert len(read.answer) == len(answer)
    peeked = peek_snapshot(value)
    assert peeked is not None
    assert (peeked.n, peeked.head, peeked.tag) == (n, HEX, "A2BC")
    assert list(peek_carried(value)) == [row["receipt"]["n"] for row in rows or ()]


def test_keys_that_begin_with_a_dollar_come_back_as_they_were():
    later = {"$": 1, "$$x": {"$n": [{"$o": 2}]}}
    row = {"receipt": {**STAMP, "later": later}, "facts": {}}
    read = parse_snapshot(make_snapshot(n=9, shown="", head=HEX, tag="A2BC", entries=[row]))
    assert isinstance(read, Snapshot)
    assert read.entries[0].receipt.extra == {"later": later}


def test_an_ordinary_snapshot_is_short():
    assert len(make_snapshot(n=60, shown="1-60", head=HEX, tag="A2BC")) < 140


def test_a_full_snapshot_comes_back():
    read = parse_snapshot(json.dumps(BODY))
    assert isinstance(read, Snapshot)
    assert read.entries is not None
    assert isinstance(read.entries[0].receipt, Receipt)
    assert read.entries[0].facts == {"args": ["4821"]}
    assert read.toolset == (("send_email", "Send it."),)
    assert (read.answer, read.sig) == (("Report",), BODY["sig"])


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": True},
        {"v": None},
        {"v": 10**5_000},
        {"n": -1},
        {"n": True},
        {"n": "9"},
        {"n": 10**10},
        {"n": 6},
        {"shown": None},
        {"shown": "3-1"},
        {"shown": "1, 2"},
        {"shown": "1,2"},
        {"shown": "01"},
        {"shown": "0-2"},
        {"shown": [1, 2]},
        {"head": HEX.upper()},
        {"head": HEX[:-1]},
        {"head": HEX * 2},
        {"head": None},
        {"tag": "A2B"},
        {"tag": "a2bc"},
        {"tag": "A0BC"},
        {"tag": 1},
        {"toolset": "x"},
        {"toolset": [["a"]]},
        {"toolset": [["a", 1]]},
        {"toolset": [{"a": "b"}]},
        {"entries": {}},
        {"entries": [STAMP]},
        {"entries": [{"receipt": {**STAMP, "n": 0}}]},
        {"entries": [{"receipt": STAMP}, {"receipt": None}]},
        {"answer": "Report"},
        {"answer": [1]},
    ],
)
def test_a_changed_field_makes_it_malformed(change):
    body = json.dumps({key: value for key, value in {**BODY, **change}.items() if value != 10**5_000})
    if change.get("v") == 10**5_000:
        body = body.replace("{", '{"v": 1' + "0" * 5_000 + ",", 1)
    assert isinstance(parse_snapshot(body), Malformed)


@pytest.mark.parametrize("key", ["v", "n", "shown", "head", "tag"])
def test_a_missing_field_makes_it_malformed(key):
    assert isinstance(parse_snapshot(json.dumps({k: v for k, v in BODY.items() if k != key})), Malformed)


@pytest.mark.parametrize("value", [None, 1, BODY, [BODY], b"{}", "", "{", "[]", "null", '"x"', "[" * 100_000])
def test_what_is_no_json_object_in_a_string_is_malformed(value):
    assert isinstance(parse_snapshot(value), Malformed)


def test_snapshots_that_chunk_addition_has_merged_are_malformed():
    value = make_snapshot(n=1, shown="1", head=HEX, tag="A2BC")
    chunks = [AIMessageChunk(content=text, id="x", additional_kwargs={SNAPSHOT_KEY: value}) for text in "ab"]
    merged = (chunks[0] + chunks[1]).additional_kwargs[SNAPSHOT_KEY]
    assert merged == value + value
    assert isinstance(parse_snapshot(merged), Malformed)


@SETTINGS
@given(at=st.integers(0, 400), cut=st.integers(0, 20), put=st.text(max_size=5) | SLY)
def test_a_damaged_snapshot_never_raises_and_never_gives_wrong_types(at, cut, put):
    value = canon(BODY).decode()
    at = at % len(value)
    damaged = value[:at] + put + value[at + cut :]
    peek_snapshot(damaged)
    peek_carried(damaged)
    read = parse_snapshot(damaged)
    if isinstance(read, Malformed):
        assert read.reason
        return
    assert type(read.n) is int
    assert all(1 <= n <= read.n for n in read.shown)
    assert all(type(text) is str for text in (read.head, read.tag, *read.answer))
    assert all(isinstance(entry.receipt, Receipt) for entry in read.entries or ())


@pytest.mark.parametrize("value", ["", "x", "{}", '"head":"', '{"head":"xx","n":1}', '"head":"' * 50_000])
def test_quick_reading_of_what_is_no_snapshot_gives_nothing(value):
    assert peek_snapshot(value) is None
    assert peek_carried(value) == ()


def test_a_number_that_no_run_reaches_is_judged_and_not_gone_on_from():
    value = make_snapshot(n=MAX_NUMBER, shown="", head=HEX, tag="A2BC")
    assert isinstance(parse_snapshot(value), Snapshot)
    assert peek_snapshot(value) is None


@pytest.mark.parametrize("held", [None, 7, "x", [], {"n": True}, {"n": -1}, {"n": 10**12}, {"head": "x"}, {"tag": "a"}])
def test_what_the_channel_holds_is_checked_before_use(held):
    assert read_head(held) == SnapshotHead(0, "", "")


def test_what_the_channel_holds_is_read():
    assert read_head({"n": 4, "head": HEX, "tag": "A2BC", "tools": "x"}) == SnapshotHead(4, HEX, "A2BC")
