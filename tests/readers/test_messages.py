"""Reading transcripts: every row gives messages, calls and results, also from text and bytes."""

from __future__ import annotations

import json

import pytest

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.evidence import read_evidence
from receipts_middleware.core.toolspec import find_spec, kind_of
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers import read_transcript


def _differences(value: object, expect: object, path: str) -> list[str]:
    """Where a value differs from an expectation that names only what matters."""
    if isinstance(expect, dict) and not isinstance(value, dict):
        return [d for key, item in expect.items() for d in _differences(getattr(value, key), item, f"{path}.{key}")]
    if isinstance(expect, list) and isinstance(value, tuple):
        if len(value) != len(expect):
            return [f"{path}: {len(value)} items, not {len(expect)}"]
        return [d for i, item in enumerate(expect) for d in _differences(value[i], item, f"{path}[{i}]")]
    return [] if value == expect else [f"{path}: {value!r}, not {expect!r}"]


def _outcomes(transcript: Transcript) -> list[str]:
    found = []
    for message in transcript.messages:
        result = message.result
        if result is None:
            continue
        calls = [c for m in transcript.messages for c in m.calls if c.tool_call_id == result.tool_call_id]
        name = calls[0].tool if calls else result.tool or ""
        spec = find_spec(transcript.tools, name)
        seen = read_evidence(
            content=result.content,
            text=result.text,
            error=result.error,
            exit_code=result.exit_code,
            origin=result.origin,
            kind=spec.kind if spec else kind_of(name),
            tool=name,
        )
        found.append(seen.outcome)
    return found


@pytest.mark.rows("readers/messages.json")
def test_messages(row: dict) -> None:
    transcript = read_transcript(row["source"], tools=row.get("tools"))
    assert not _differences(transcript.messages, row["messages"], "messages")
    assert transcript.source == row["format"]
    if "outcomes" in row:
        assert _outcomes(transcript) == row["outcomes"]
    if "tool_names" in row:
        assert [spec.name for spec in transcript.tools] == row["tool_names"]
    if "meta" in row:
        assert transcript.meta == row["meta"]


@pytest.mark.rows("readers/messages.json")
def test_a_document_reads_as_the_objects_it_spells(row: dict) -> None:
    text = row["source"] if isinstance(row["source"], str) else json.dumps(row["source"])
    once = read_transcript(row["source"], tools=row.get("tools"))
    assert read_transcript(text, tools=row.get("tools")) == once
    assert read_transcript(text.encode("utf-8"), tools=row.get("tools")) == once


@pytest.mark.rows("readers/messages.json")
def test_position_is_identity(row: dict) -> None:
    source = row["source"]
    if isinstance(source, list):
        assert len(read_transcript(source).messages) == len(source)


@pytest.mark.rows("readers/unreadable.json")
def test_what_cannot_be_read_says_where_and_what_was_expected(row: dict) -> None:
    with pytest.raises(FormatError) as raised:
        read_transcript(row["source"])
    assert row["says"] in str(raised.value)


def test_bytes_that_are_no_text_say_where() -> None:
    with pytest.raises(FormatError, match="byte 2"):
        read_transcript(b"[1\xff\xfe]")


def test_a_transcript_is_taken_as_it_is_and_its_tools_can_be_replaced() -> None:
    first = read_transcript([{"role": "user", "content": "x"}], tools=["a"])
    assert read_transcript(first) is first
    assert [spec.name for spec in read_transcript(first, tools=["b"]).tools] == ["b"]
