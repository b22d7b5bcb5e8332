"""Traces of model calls: what is told twice is one call, requests join, executions find their calls."""

from __future__ import annotations

import importlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Message, Transcript
from receipts_middleware.core.verify import last_turn
from receipts_middleware.readers import langfuse, langsmith, otel, read_transcript
from receipts_middleware.readers.otel.spans import plain_value, unflatten


def _ledger(transcript: Transcript) -> list[list[object]]:
    rows = []
    for entry in last_turn(transcript).ledger:
        args = entry.call.args if entry.call is not None else None
        text = entry.result.text if entry.result is not None else None
        rows.append([entry.tool, entry.outcome, entry.pairing, entry.receipt.tool_call_id, args, text])
    return rows


@pytest.mark.rows("readers/spans.json")
def test_trace(row: dict) -> None:
    module = importlib.import_module(f"receipts_middleware.readers.{row['reader']}")
    assert module.recognise(row["source"])
    found = module.read(row["source"])
    assert [_ledger(transcript) for transcript in found] == row["ledgers"]
    texts = [[m.text for m in t.messages if m.role == "assistant" and m.text.strip()] for t in found]
    assert texts == row["texts"]


def test_a_trace_without_a_model_call_says_so() -> None:
    otel = importlib.import_module("receipts_middleware.readers.otel")
    span = {"traceId": "t", "spanId": "s", "name": "GET /", "attributes": [], "status": {}}
    value = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    assert otel.recognise(value)
    with pytest.raises(FormatError, match="no span is of a model call or a tool"):
        otel.read(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"stringValue": "a"}, "a"),
        ({"intValue": "12"}, 12),
        ({"intValue": "x"}, "x"),
        ({"boolValue": True}, True),
        ({"arrayValue": {"values": [{"intValue": 1}, {"stringValue": "b"}]}}, [1, "b"]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "k", "value": {"doubleValue": 1.5}}, 3]}}, {"k": 1.5}),
        ({"other": 1}, {"other": 1}),
        ("bare", "bare"),
    ],
    ids=["string", "int", "no-int", "bool", "array", "empty-array", "kvlist", "no-any-value", "bare"],
)
def test_values_of_attributes(value: object, plain: object) -> None:
    assert plain_value(value) == plain


def test_lists_that_are_spread_over_attributes() -> None:
    said = {"p.1.b": 2, "p.0.a.0.x": 1, "p.10.b": 3, "q.0.a": 9, "p": 4}
    assert unflatten(said, "p") == [{"a": [{"x": 1}]}, {"b": 2}, {"b": 3}]
    assert unflatten({"p.x": 1}, "p") == []
    assert unflatten({"p.0": 1, "p.0.a": 2}, "p") == [1]


# --- any conversation, told by the requests of its model calls -------------------------------------------

_WORDS = st.sampled_from(["yes", "OK", "done", "Dig a hole.", "dug"])  # few, so that messages repeat


@st.composite
def _chats(draw: st.DrawFn) -> list[dict]:
    chat: list[dict] = [{"role": "system", "content": "You dig."}] if draw(st.booleans()) else []
    for turn in range(draw(st.integers(1, 4))):
        chat.append({"role": "user", "content": draw(_WORDS)})
        for step in range(draw(st.integers(0, 3))):
            ids = [draw(st.sampled_from(["x", f"{turn}.{step}.{n}"])) for n in range(draw(st.integers(1, 2)))]
            calls = [{"id": i, "type": "function", "function": {"name": draw(_WORDS), "arguments": "{}"}} for i in ids]
            chat.append({"role": "assistant", "content": draw(st.sampled_from(["", "yes"])), "tool_calls": calls})
            chat += [{"role": "tool", "tool_call_id": i, "content": draw(_WORDS)} for i in ids]
        chat.append({"role": "assistant", "content": draw(_WORDS)})
    return chat


def _told(messages: tuple[Message, ...]) -> list[object]:
    return [
        (m.role, m.text, [(c.tool, c.tool_call_id) for c in m.calls], m.result.tool_call_id if m.result else None)
        for m in messages
    ]


def _langfuse(asked: list[dict], said: dict, at: int) -> dict:
    return {"traceId": "t", "type": "GENERATION", "startTime": f"{at:04}", "input": asked, "output": said}


def _langsmith(asked: list[dict], said: dict, at: int) -> dict:
    outputs = {"choices": [{"message": said}]}
    return {
        "run_type": "llm",
        "trace_id": "t",
        "start_time": f"{at:04}",
        "inputs": {"messages": asked},
        "outputs": outputs,
    }


def _otel(asked: list[dict], said: dict, at: int) -> dict:
    kept = {"gen_ai.input.messages": json.dumps(asked), "gen_ai.output.messages": json.dumps([said])}
    return {
        "name": "chat m",
        "traceId": "t",
        "startTimeUnixNano": at,
        "attributes": {"gen_ai.conversation.id": "k", **kept},
    }


@pytest.mark.parametrize(
    ("read", "tell"),
    [(langfuse.read, _langfuse), (langsmith.read, _langsmith), (otel.read, _otel)],
    ids=["langfuse", "langsmith", "otel"],
)
@settings(deadline=None, max_examples=60)
@given(chat=_chats())
def test_requests_that_repeat_the_history_join_to_the_conversation(
    read: object, tell: object, chat: list[dict]
) -> None:
    spoken = [i for i, message in enumerate(chat) if message["role"] == "assistant"]
    found = read([tell(chat[:i], chat[i], i + 1) for i in spoken])  # type: ignore[operator]
    assert [_told(transcript.messages) for transcript in found] == [_told(read_transcript(chat).messages)]


@settings(deadline=None, max_examples=60)
@given(chat=_chats())
def test_requests_that_keep_what_is_new_join_where_the_trace_names_the_conversation(chat: list[dict]) -> None:
    spoken = [i for i, message in enumerate(chat) if message["role"] == "assistant"]
    starts = [0, *(i + 1 for i in spoken)]
    found = otel.read([_otel(chat[start:i], chat[i], i + 1) for start, i in zip(starts, spoken, strict=False)])
    calls = [[c.tool for m in transcript.messages for c in m.calls] for transcript in found]
    assert calls == [[c.tool for m in read_transcript(chat).messages for c in m.calls]]
    assert last_turn(found[0]).reply == chat[-1]["content"]
