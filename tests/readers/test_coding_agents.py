"""Readers of agents' own logs: each written twin against a hand-counted row, honest and with a lie put into it."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import verify_turns
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Message, Transcript
from receipts_middleware.core.verify import verify_transcript
from receipts_middleware.readers import document
from receipts_middleware.readers.registry import read_transcripts, recognise_reader
from receipts_middleware.readers.server_calls import server_calls

FIXTURES = Path(__file__).parents[2] / "fixtures" / "readers"
SAMPLES = Path(__file__).parents[3] / "shared" / "transcripts" / "formats"
ROWS = json.loads((FIXTURES / "coding_agents.json").read_text(encoding="utf-8"))
NAMES = sorted({row["reader"] for row in ROWS})


def reader(name: str) -> ModuleType:
    return importlib.import_module(f"receipts_middleware.readers.{name}")


def parse(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def load(row: dict) -> str:
    return (FIXTURES / row["file"]).read_text(encoding="utf-8")


def read(row: dict, text: str | None = None) -> list[Transcript]:
    return reader(row["reader"]).read(parse(load(row) if text is None else text))


def counted(transcript: Transcript) -> dict[str, object]:
    messages = transcript.messages
    verification = verify_transcript(transcript)
    ledger = [
        f"{entry.receipt.tool} {entry.receipt.outcome}"
        + (f" {entry.receipt.exit_code}" if entry.receipt.exit_code is not None else "")
        for entry in verification.ledger
    ]
    return {
        "agent": (transcript.meta or {}).get("agent"),
        "messages": len(messages),
        "calls": sum(len(message.calls) for message in messages),
        "results": sum(message.result is not None for message in messages)
        + sum(call.result is not None for message in messages for call in message.calls),
        "errors": sum(message.result is not None and message.result.error is True for message in messages),
        "turns": len(verify_turns(transcript)),
        "ledger": ledger,
        "verdict": verification.verdict,
    }


@pytest.mark.rows("readers/coding_agents.json")
def test_twin_reads_as_counted_by_hand(row: dict) -> None:
    found = read(row)
    assert [counted(transcript) for transcript in found] == row["holds"]
    assert {transcript.source for transcript in found} == {row["reader"]}
    assert (found[0].meta or {}).get("skipped") == row.get("skipped")
    assert [spec.name for spec in found[0].tools] == row.get("tools", [])


@pytest.mark.rows("readers/coding_agents.json")
def test_every_result_has_its_call(row: dict) -> None:
    for transcript in read(row):
        for entry in verify_transcript(transcript).ledger:
            assert entry.pairing in ("exact", "none"), entry


@pytest.mark.rows("readers/coding_agents.json")
def test_honest_twin_is_not_accused_and_a_lie_in_it_is(row: dict) -> None:
    honest, lie = load(row), row["lie"]
    for transcript in read(row, honest):
        assert all(finding.severity != "error" for finding in verify_transcript(transcript).findings)
    forged = honest.replace(json.dumps(lie["says"])[1:-1], json.dumps(lie["instead"])[1:-1])
    assert forged != honest
    verification = verify_transcript(read(row, forged)[lie.get("of", 0)])
    assert verification.verdict == lie["verdict"]
    assert {finding.rule for finding in verification.findings if finding.severity == "error"} == set(lie["rules"])


@pytest.mark.rows("readers/coding_agents.json")
def test_only_its_own_reader_takes_a_twin(row: dict) -> None:
    value = parse(load(row))
    assert [name for name in NAMES if reader(name).recognise(value)] == [row["reader"]]


@pytest.mark.rows("readers/coding_agents.json")
def test_a_twin_is_found_out_and_read_whole(row: dict) -> None:
    chosen = recognise_reader(parse(load(row)))
    assert chosen is not None
    assert chosen.name == row["reader"]
    assert read_transcripts(load(row)) == read(row)
    assert len(read_transcripts("\n".join([json.dumps(parse(load(row)))] * 2))) == 2 * len(read(row))


@pytest.mark.rows("readers/messages.json")
def test_plain_messages_are_left_to_their_reader(row: dict) -> None:
    assert [name for name in NAMES if reader(name).recognise(row["source"])] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "value", [None, 1, "", "x", [], {}, [[]], [None, 1, "x"], {"messages": []}, [{}], [{"type": 1}]]
)
def test_what_holds_nothing_is_refused_and_says_so(name: str, value: object) -> None:
    assert not reader(name).recognise(value)
    with pytest.raises(FormatError, match="/"):
        reader(name).read(value)


# --- untrusted input ------------------------------------------------------------------------------------

#: What the formats call things, so that junk gets past the first look at it.
WORDS = sorted(
    """type message content role user assistant uuid payload response_item event_msg call_id id output name input kind
    ActionEvent MessageEvent llm_message history action observation source agent args run finish cause messages response
    trajectory thought extra actions tool_calls loglines isSidechain session_meta function_call_output record_type state
    latency_sec tool_use tool_result text""".split()
)
KEYS = st.sampled_from(WORDS) | st.text(max_size=4)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=16,
)


def places(value: object, at: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, item in items for place in places(item, (*at, key)))]


@pytest.mark.rows("readers/coding_agents.json")
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_no_change_of_a_twin_raises_anything_but_a_format_error(row: dict, data: st.DataObject) -> None:
    value = parse(load(row))
    known = places(value)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.sampled_from(known))
        holder = value
        try:
            for key in place[:-1]:
                holder = holder[key]
            if data.draw(st.booleans()):
                holder[place[-1]] = data.draw(JUNK)
            else:
                del holder[place[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    check(row["reader"], value)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=200, deadline=None)
@given(value=JUNK)
def test_no_junk_raises_anything_but_a_format_error(name: str, value: object) -> None:
    check(name, value)
    check(name, [value, value])


def check(name: str, value: object) -> None:
    assert reader(name).recognise(value) in (True, False)
    try:
        found = reader(name).read(value)
    except FormatError:
        return
    assert found
    assert all(isinstance(message, Message) for transcript in found for message in transcript.messages)
    for transcript in found:
        verify_transcript(transcript)


def nested(depth: int, wrap: str) -> object:
    value: object = "x"
    for _ in range(depth):
        value = {wrap: value} if wrap else [value]
    return value


@pytest.mark.rows("readers/coding_agents.json")
def test_deep_and_huge_values_end(row: dict) -> None:
    for wrap in ("", "content", "input", "message"):
        value = parse(load(row))
        records = value if isinstance(value, list) else next(v for v in value.values() if isinstance(v, list))
        for record in records:
            if isinstance(record, dict):
                key = next((k for k in ("message", "payload", "args", "content", "llm_message") if k in record), None)
                if key is not None:
                    record[key] = nested(900, wrap)
        check(row["reader"], value)
    check(row["reader"], parse(load(row).replace(row["lie"]["says"], "x" * 1_000_000)))


@pytest.mark.rows("readers/coding_agents.json")
def test_a_bad_record_loses_no_other(row: dict) -> None:
    value = parse(load(row))
    records = value if isinstance(value, list) else max((v for v in value.values() if isinstance(v, list)), key=len)
    before = [transcript.messages for transcript in read(row)]
    records.insert(len(records) // 2, 17)
    after = reader(row["reader"]).read(value)
    assert [transcript.messages for transcript in after] == before
    assert "could not be read" in (after[0].meta or {})["skipped"]


@pytest.mark.parametrize("name", ["74-claude-code-one-line-per-block", "75-claude-code-sidechain"])
def test_field_cases(name: str) -> None:
    case = json.loads((FIXTURES.parent / "cases" / f"{name}.json").read_text(encoding="utf-8"))
    expect = case["expect"]
    wanted = [expect[key] for key in ("receipts", "receipts_main", "receipts_sidechain") if key in expect]
    found = reader("claude_code").read(case["messages"])
    for transcript, receipts in zip(found, wanted, strict=True):
        ledger = verify_transcript(transcript).ledger
        assert [{"n": e.n, "tool": e.tool, "outcome": e.receipt.outcome} for e in ledger] == receipts


# --- samples that are no part of this repository ----------------------------------------------------------

SAMPLE_FILES = [
    (row["reader"], path)
    for row in json.loads((FIXTURES / "coding_agents_samples.json").read_text(encoding="utf-8"))
    for path in sorted(SAMPLES.glob(row["glob"]))
]


@pytest.mark.skipif(not SAMPLE_FILES, reason="the samples are not here")
def test_samples_read_as_counted_by_hand() -> None:
    for row in json.loads((FIXTURES / "coding_agents_samples.json").read_text(encoding="utf-8")):
        paths = sorted(SAMPLES.glob(row["glob"]))
        assert len(paths) == 1, row["glob"]
        value = parse(paths[0].read_text(encoding="utf-8"))
        assert reader(row["reader"]).recognise(value)
        found = [counted(transcript) for transcript in reader(row["reader"]).read(value)]
        assert [{key: one[key] for key in row["holds"][0]} for one in found] == row["holds"], row["glob"]


def test_own_formats_are_not_taken_for_messages() -> None:
    taken = [row["id"] for row in ROWS if document.recognise(parse(load(row))) and not row.get("holds_messages")]
    assert taken == []


@pytest.mark.parametrize("status", [[], {}, 1, None, True])
def test_odd_status_of_a_provider_call_is_none(status: object) -> None:
    (call,) = server_calls([{"type": "web_search_call", "id": "w", "status": status, "action": {"query": "x"}}])
    assert (call.tool, call.result) == ("web_search", None)
