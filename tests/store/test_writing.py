"""What is stored of a call: by store, by redaction, by what the caller allows; and what a reader makes of it."""

from __future__ import annotations

import json
import re

import pytest

from receipts_middleware import Recorder, UsageError, verify
from receipts_middleware.store import Redaction, SqliteSink, read_executions, read_sink
from receipts_middleware.store.writing import MAX_RAW_BYTES

CARD = "4111 1111 1111 1111"


@pytest.fixture
def record(tmp_path):
    """Record one call into a sink with these options; gives its rows and everything that is stored, as text."""
    made = []

    def run(args: object, result: object, tool: str = "pay", **options: object):
        sink = SqliteSink(tmp_path / f"s{len(made)}.db", **options)
        made.append(sink)
        recorder = Recorder(sink, run="r", on_sink_error="raise")
        with recorder.call(tool, args) as call:
            call.returned(result)
        rows = sink.read()
        return sink, recorder, rows, json.dumps([row.to_dict() for row in rows], ensure_ascii=False)

    yield run
    for sink in made:
        sink.close()


@pytest.mark.parametrize(
    ("store", "keys"),
    [("hashes", set()), ("facts", {"facts"}), ("raw", {"facts", "args", "output"})],
)
def test_a_store_keeps_what_its_name_says(record, store, keys) -> None:
    _, _, (start, end), text = record({"to": "anna@example.com"}, {"id": "m-4711"}, store=store)
    assert set(end.body) == {"receipt", "digest"} | keys
    assert set(start.body) == {"args_sha256"} | (keys - {"output"})
    assert ("anna@example.com" in text) is (store != "hashes")


@pytest.mark.parametrize("store", ["facts", "raw"])
def test_patterns_are_taken_out_of_everything(record, store) -> None:
    redact = [r"\b(?:\d[ -]?){15}\d\b", re.compile("anna@[a-z.]+")]
    args = {"card": CARD, "deep": [{"x": f"card {CARD}."}], "number": 4111111111111111, CARD: 1}
    _, _, (_, end), text = record(
        args, {"note": f"charged {CARD} for anna@example.com", "id": "p1"}, store=store, redact=redact
    )
    assert "4111" not in text
    assert "anna@" not in text
    assert set(end.body["redacted"]) == {"args", "output"}
    assert "p1" in text


def test_facts_are_read_after_redaction(record) -> None:
    """Before it, the four parts of a card number would be four facts that no pattern matches."""
    _, _, (_, end), _ = record({"card": CARD}, f"charged {CARD}", redact=[r"\b(?:\d[ -]?){15}\d\b"])
    assert end.body["facts"] == {"args": ["[redacted]"]}


def test_fields_are_taken_out_by_name_also_of_results_that_are_json_texts(record) -> None:
    redact = Redaction(fields=["Password"], tools={"pay": ["pin"]})
    args = {"user": "anna", "password": "hunter2", "inner": {"PIN": "1234"}}
    _, _, _, text = record(
        args, json.dumps({"token": "ok", "password": "hunter2", "pin": 1234}), store="raw", redact=redact
    )
    assert "hunter2" not in text
    assert "1234" not in text
    assert "anna" in text
    _, _, _, other = record(args, "ok", tool="look", store="raw", redact=redact)
    assert "1234" in other, "named for one tool only"


def test_a_tool_of_which_only_hashes_are_kept(record) -> None:
    _, _, (start, end), _ = record({"x": "secret"}, "secret-1", store="raw", redact=Redaction(hashes_only=["pay"]))
    assert (set(start.body), set(end.body)) == ({"args_sha256"}, {"receipt", "digest"})


def test_a_function_has_the_last_word(record) -> None:
    seen = []

    def shorten(tool: str, value: object) -> object:
        seen.append((tool, value))
        return {"gone": True} if isinstance(value, dict) else "gone"

    _, _, (_, end), text = record({"x": "secret-1"}, "secret-2", store="raw", redact=shorten)
    assert "secret" not in text
    assert (end.body["args"], end.body["output"]) == ({"gone": True}, "gone")
    assert ("pay", {"x": "secret-1"}) in seen


def test_a_function_that_fails_lets_nothing_through(record) -> None:
    _, _, (_, end), text = record({"x": "secret-1"}, "secret-2", store="raw", redact=lambda tool, value: 1 / 0)
    assert "secret" not in text
    assert set(end.body) == {"receipt", "digest", "redacted"}


def test_texts_of_the_receipt_are_redacted_and_its_digest_is_not(record) -> None:
    sink, recorder, (_, end), text = record({"x": 1}, {"id": CARD, "status": "paid"}, redact=[r"\b(?:\d[ -]?){15}\d\b"])
    assert "4111" not in text
    assert end.body["redacted"] == ["output", "object_id"]
    assert end.body["digest"] == recorder.ledger[0].receipt.digest()
    assert read_executions(sink, run="r").executions[0].digest == recorder.ledger[0].receipt.digest()


def test_redacted_results_are_not_held_against_a_reply(record) -> None:
    """The sink has no longer what was quoted, so that a true quote must not look made up."""
    reply = "The total of order 4821 is 59.90 EUR."
    result = {"order": "4821", "total": "59.90 EUR", "mail": "anna@example.com"}
    sink, _, _, _ = record({"order": "4821"}, result, tool="get_order", store="raw", redact=[r"[\w.]+@[\w.]+"])
    assert verify(reply, read_sink(sink, run="r"), tools=["get_order"]).ok
    sink, _, _, _ = record({"order": "4821"}, result, tool="get_order", store="raw")
    assert verify(reply, read_sink(sink, run="r"), tools=["get_order"]).claims[0].status == "supported"
    wrong = verify(reply.replace("59.90", "95.90"), read_sink(sink, run="r"), tools=["get_order"])
    assert wrong.claims[0].status == "misquoted"


def test_a_result_too_large_is_not_kept_by_halves(record) -> None:
    _, _, (_, end), _ = record({"x": 1}, "y" * (MAX_RAW_BYTES + 1), store="raw")
    assert "output" not in end.body
    assert "args" in end.body


@pytest.mark.parametrize(
    "value", [{"$x": 1, "$$y": {"$z": [1.5, None, True]}}, [1, "a", {"b": []}], "text", 7], ids=str
)
def test_kept_values_come_back_as_they_were(record, value) -> None:
    sink, _, _, _ = record(value, "ok", store="raw")
    assert read_sink(sink, run="r")[0].call.args == value


@pytest.mark.parametrize(
    "options",
    [{"patterns": "abc"}, {"fields": "password"}, {"hashes_only": "pay"}, {"patterns": ["("]}, {"patterns": [7]}],
)
def test_redactions_that_cannot_be_right(options) -> None:
    with pytest.raises(UsageError):
        Redaction(**options)
