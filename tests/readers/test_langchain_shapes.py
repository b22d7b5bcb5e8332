"""Dumps, states, threads and checkpoints of LangChain and LangGraph: read whole, judged like the messages they hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from receipts_middleware import verify_turns
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import verify_transcript
from receipts_middleware.readers import read_transcript
from receipts_middleware.readers.registry import read_transcripts, recognise_reader

FIXTURES = Path(__file__).parents[2] / "fixtures" / "readers"
SAMPLES = Path(__file__).parents[3] / "shared" / "transcripts" / "formats"
#: Messages, calls and results of samples that are no part of this repository, counted by hand.
COUNTS = {
    "langchain_lc_constructor_dump/deepagents_summarization_seed_messages.json": (6, 2, 2),
    "langgraph_thread_state_deerflow/f4125791-0128-402a-8ca9-50e0947557e4.thread.json": (9, 3, 3),
}
PRESENT = [name for name in COUNTS if (SAMPLES / name).is_file()]


def load(row: dict) -> str:
    return (FIXTURES / row["file"]).read_text(encoding="utf-8")


def counted(transcript: Transcript) -> tuple[int, int, int]:
    messages = transcript.messages
    calls = sum(len(message.calls) for message in messages)
    return len(messages), calls, sum(message.result is not None for message in messages)


@pytest.mark.rows("readers/langchain_shapes.json")
def test_shape_reads_as_counted_by_hand(row: dict) -> None:
    (transcript,) = read_transcripts(load(row))
    assert counted(transcript) == (row["messages"], row["calls"], row["results"])
    assert sum(m.result is not None and m.result.error is True for m in transcript.messages) == row["errors"]
    assert len(verify_turns(transcript)) == row["turns"]
    assert transcript.source == "langchain"
    assert row.get("meta", {}).items() <= dict(transcript.meta or {}).items()
    ledger = verify_transcript(transcript).ledger
    assert [f"{entry.tool} {entry.receipt.outcome}" for entry in ledger] == row["ledger"]
    assert {entry.pairing for entry in ledger} <= {"exact", "none"}


@pytest.mark.rows("readers/langchain_shapes.json")
def test_honest_shape_is_not_accused_and_a_lie_in_it_is(row: dict) -> None:
    honest, lie = load(row), row["lie"]
    assert verify_transcript(read_transcript(honest)).ok
    forged = honest.replace(lie["says"], lie["instead"])
    assert forged != honest
    found = verify_transcript(read_transcript(forged)).findings
    assert [finding.rule for finding in found if finding.severity == "error"] == lie["rules"]


@pytest.mark.skipif(not PRESENT, reason="the samples are not here")
@pytest.mark.parametrize("name", PRESENT, ids=lambda name: name.split("/")[0])
def test_samples_read_as_counted_by_hand(name: str) -> None:
    value = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
    chosen = recognise_reader(value)
    assert chosen is not None
    assert chosen.name == "messages"
    assert counted(read_transcript(value)) == COUNTS[name]
