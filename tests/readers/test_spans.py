"""Traces of model calls: what is told twice is one call, requests join, executions find their calls."""

from __future__ import annotations

import importlib

import pytest

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import last_turn
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
