"""Readers of the providers' own formats: each written twin against a hand-counted row, honest and with a lie in it."""

from __future__ import annotations

import copy
import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Message, Transcript
from receipts_middleware.core.verify import verify_transcript
from receipts_middleware.readers import document

FIXTURES = Path(__file__).parents[2] / "fixtures"
SAMPLES = Path(__file__).parents[3] / "shared" / "transcripts" / "formats"
NAMES = ("anthropic", "openai_responses", "gemini", "bedrock_converse", "http")
ROWS = json.loads((FIXTURES / "readers" / "providers.json").read_text(encoding="utf-8"))
BY_ID = {row["id"]: row for row in ROWS}


def reader(name: str) -> ModuleType:
    return importlib.import_module(f"receipts_middleware.readers.{name}")


def parse(row: dict, text: str) -> object:
    return text if row["file"].endswith(".yaml") else json.loads(text)


def load(row: dict) -> object:
    return parse(row, (FIXTURES / "readers" / row["file"]).read_text(encoding="utf-8"))


def counted(transcript: Transcript) -> dict[str, object]:
    messages = transcript.messages
    results = [m.result for m in messages if m.result] + [c.result for m in messages for c in m.calls if c.result]
    codes = (
        (entry, f" {entry.receipt.exit_code}" if entry.receipt.exit_code is not None else "")
        for entry in verify_transcript(transcript).ledger
    )
    return {
        "messages": len(messages),
        "calls": sum(len(message.calls) for message in messages),
        "results": len(results),
        "errors": sum(result.error is True for result in results),
        "turns": len(verify_turns(transcript)),
        "tools": [spec.name for spec in transcript.tools],
        "ledger": [f"{entry.receipt.tool} {entry.receipt.outcome}{code}" for entry, code in codes],
    }


@pytest.mark.rows("readers/providers.json")
def test_a_twin_reads_as_counted_and_is_honest(row: dict) -> None:
    found = reader(row["reader"]).read(load(row))
    assert len(found) == len(row["holds"])
    for transcript, expected in zip(found, row["holds"], strict=True):
        verdict = expected.get("verdict", "clean")
        assert counted(transcript) == {key: item for key, item in expected.items() if key != "verdict"}
        assert transcript.source == reader(row["reader"]).NAME
        assert verify_transcript(transcript).verdict == verdict


@pytest.mark.rows("readers/providers.json")
def test_a_lie_in_a_twin_is_caught(row: dict) -> None:
    lie = row["lie"]
    text = (FIXTURES / "readers" / row["file"]).read_text(encoding="utf-8")
    assert text.count(lie["says"]) == 1
    found = reader(row["reader"]).read(parse(row, text.replace(lie["says"], lie["instead"])))
    verification = verify_transcript(found[0])
    assert verification.verdict == lie["verdict"]
    assert lie["rule"] in [finding.rule for finding in verification.findings]


@pytest.mark.rows("readers/providers.json")
def test_a_twin_is_recognised_by_its_own_reader_alone(row: dict) -> None:
    value = load(row)
    assert [name for name in NAMES if reader(name).recognise(value)] == [row["reader"]]


@pytest.mark.rows("readers/messages.json")
def test_lists_of_chat_and_langchain_messages_are_left_to_their_reader(row: dict) -> None:
    source = row["source"]
    own = row["id"].startswith("case-71") or "tool_use" in json.dumps(source) or "input_text" in json.dumps(source)
    assert own or not any(reader(name).recognise(source) for name in NAMES)


# --- lists from Python -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["anthropic-request", "bedrock-request"])
def test_a_list_from_python_is_read_by_its_own_reader(name: str) -> None:
    value = load(BY_ID[name])
    messages = [*value["messages"], value.get("response") or value["output"]["message"]]
    verification = verify_messages(messages, tools=value.get("tools") or value["toolConfig"]["tools"])
    assert verification.verdict == "clean"
    assert len(verification.ledger) == BY_ID[name]["holds"][0]["calls"]


def test_results_far_from_the_beginning_are_found() -> None:
    greeting = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    value = load(BY_ID["anthropic-request"])
    verification = verify_messages([*greeting * 30, *value["messages"], value["response"]])
    assert [entry.receipt.outcome for entry in verification.ledger][-1] == "error"


def test_a_document_keeps_its_instructions() -> None:
    transcript = document.read_transcript(json.dumps(load(BY_ID["anthropic-request"])), tools=["book_seats"])
    assert transcript.messages[0] == Message(role="system", text="You look after the bookings of a theatre.")
    assert [spec.name for spec in transcript.tools] == ["book_seats"]


def test_items_and_contents_from_python() -> None:
    assert len(verify_messages(load(BY_ID["responses-items"])).ledger) == 3
    assert len(verify_messages(load(BY_ID["gemini-contents"])).ledger) == 4
    assert len(verify_messages(load(BY_ID["gemini-request"])).ledger) == 3
    assert len(verify_messages(load(BY_ID["responses-response"])).ledger) == 7


def test_objects_of_the_client_libraries_read_as_their_json() -> None:
    from anthropic.types import Message as AnthropicMessage
    from google.genai.types import Content
    from openai.types.responses import ResponseFunctionToolCall, ResponseFunctionWebSearch, ResponseOutputMessage

    value = load(BY_ID["anthropic-request"])
    raw = {"id": "m", "type": "message", "model": "x", "stop_reason": None, "stop_sequence": None}
    raw |= {"usage": {"input_tokens": 1, "output_tokens": 1}, "role": "assistant"}
    blocks = [b for b in value["messages"][3]["content"] if not b["type"].startswith("mcp")]
    turns = [value["messages"][1]["content"], blocks]
    objects = [AnthropicMessage.model_validate({**raw, "content": content}) for content in turns]
    plain = [{"role": "assistant", "content": content} for content in turns]
    results = value["messages"][2]
    expected = document.read_transcript([plain[0], results, plain[1]]).messages
    seen = document.read_transcript([{**plain[0], "content": objects[0].content}, results, objects[1]]).messages
    assert [(m.text, m.result) for m in seen] == [(m.text, m.result) for m in expected]
    assert [[(c.tool, c.args, c.kind) for c in m.calls] for m in seen] == [
        [(c.tool, c.args, c.kind) for c in m.calls] for m in expected
    ]
    assert seen[-1].calls[0].result.text.startswith("Doors open at 19:00")

    contents = load(BY_ID["gemini-contents"])
    objects = [Content.model_validate(item) for item in contents]
    assert document.read_transcript(objects).messages == document.read_transcript(contents).messages

    value = load(BY_ID["responses-items"])
    dumped = {item["type"]: item for item in value if "type" in item}
    function = ResponseFunctionToolCall.model_validate(dumped["function_call"])
    spoken = ResponseOutputMessage.model_validate(dumped["message"])
    search = ResponseFunctionWebSearch.model_validate(load(BY_ID["responses-response"])["output"][0])
    objects = [value[1], function, dumped["function_call_output"], search, spoken]
    plain_items = [item if isinstance(item, dict) else item.model_dump() for item in objects]
    seen = document.read_transcript(objects)
    assert seen.messages == document.read_transcript(plain_items).messages
    assert [call.tool for message in seen.messages for call in message.calls] == ["move_pallet", "web_search"]


# --- field cases -----------------------------------------------------------------------------------------

CASES = (
    "24-error-field-dropped-in-conversion",
    "30-one-constant-id-for-every-call",
    "31-duplicate-id-inside-one-turn",
    "33-id-shortened-on-the-way",
    "34-responses-item-id-versus-call-id",
    "39-parallel-calls-fused-in-stream",
    "48-image-blocks-in-result",
    "71-anthropic-server-tools",
    "73-gemini-parts-without-ids",
)
#: Outcomes as the cases name them.
OUTCOMES = {
    "error": ("error",),
    "no_result_recorded": ("provider", "no_result"),
    "not_executed": ("not_executed",),
    "success": ("success", "provider"),
}


@pytest.mark.parametrize("name", CASES)
def test_field_cases(name: str) -> None:
    case = json.loads((FIXTURES / "cases" / f"{name}.json").read_text(encoding="utf-8"))
    verification = verify_messages(case["messages"], tools=case.get("tools"))
    assert verification.ok is (case["expect"].get("overall") != "flagged")
    ledger = [entry.receipt for entry in verification.ledger]
    assert [receipt.n for receipt in ledger] == [row["n"] for row in case["expect"]["receipts"]]
    for receipt, row in zip(ledger, case["expect"]["receipts"], strict=True):
        assert receipt.tool == row["tool"]
        assert receipt.outcome in OUTCOMES[row["outcome"]]
        assert receipt.tool_call_id == row.get("tool_call_id", receipt.tool_call_id)
    for entry, row in zip(verification.ledger, case["expect"]["receipts"], strict=True):
        assert (entry.pairing == "inferred") == (row.get("pairing") == "inferred" or case["format"] == "gemini")
        assert entry.call is not None
        assert entry.call.args == row.get("args", entry.call.args)
    texts = {citation.text: citation.resolution for citation in verification.citations}
    for citation in case["expect"].get("citations", ()):
        assert texts[citation["text"]] == citation["result"]


# --- what may go wrong -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in NAMES if name != "http"])
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, [[]], [None, 1], {"messages": []}, {"output": []}, [{}]])
def test_what_is_nothing_is_refused(name: str, value: object) -> None:
    assert not reader(name).recognise(value)
    with pytest.raises(FormatError):
        reader(name).read(value)


def test_one_bad_record_is_skipped_and_told_of() -> None:
    value = load(BY_ID["anthropic-request"])
    value["messages"].insert(2, {"rôle": 1})
    transcript = reader("anthropic").read(value)[0]
    assert transcript.meta["skipped"] == "1 record could not be read, the first at /messages/2"
    assert counted(transcript)["calls"] == BY_ID["anthropic-request"]["holds"][0]["calls"]
    items = [7, *load(BY_ID["responses-items"]), {"type": "unheard_of"}]
    assert reader("openai_responses").read(items)[0].meta == {"skipped": "2 records could not be read, the first at /0"}


def test_missing_and_repeated_ids_keep_their_order() -> None:
    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {key: strip(item) for key, item in value.items() if key not in ("id", "tool_use_id")}
        return [strip(item) for item in value] if isinstance(value, list) else value

    value = load(BY_ID["anthropic-request"])
    bare = reader("anthropic").read(strip(value))[0]
    assert {call.tool_call_id for message in bare.messages for call in message.calls} == {""}
    assert [e.receipt.tool for e in verify_transcript(bare).ledger] == [
        row.split()[0] for row in BY_ID["anthropic-request"]["holds"][0]["ledger"]
    ]


def test_a_call_that_a_log_cut_off_ran_where_a_result_answers_it() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "send", "arguments": '{"to": "a'}
    answer = {"type": "function_call_output", "call_id": "c", "output": "sent"}
    kinds = [reader("openai_responses").read(items)[0].messages[0].calls[0].kind for items in ([call], [call, answer])]
    assert kinds == ["invalid", "client"]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "http"])
def test_deep_and_huge_values_end(name: str) -> None:
    deep: object = "x"
    for _ in range(3_000):
        deep = {"content": [deep], "type": "tool_result", "parts": [{"text": "x"}]}
    row = next(row for row in ROWS if row["reader"] == name)
    value = load(row)
    listed = value if isinstance(value, list) else value.get("messages") or value.get("contents") or value["output"]
    listed.insert(1, {"role": "user", "content": [deep], "parts": [deep, {"text": "y" * 1_000_000}]})
    assert reader(name).read(value)


_VALUES = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.none(), max_size=2) | st.just({})
)


def _places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in inner for found in ((*path, key), *_places(item, (*path, key)))]


@pytest.mark.parametrize("row", [row for row in ROWS if row["reader"] != "http"], ids=lambda row: row["id"])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_no_mutation_raises_anything_else(row: dict, data: st.DataObject) -> None:
    value = copy.deepcopy(load(row))
    for _ in range(data.draw(st.integers(1, 4))):
        path = data.draw(st.sampled_from(_places(value) or [()]))
        if not path:
            return
        holder = value
        for key in path[:-1]:
            holder = holder[key]
        if data.draw(st.booleans()):
            del holder[path[-1]]
        else:
            holder[path[-1]] = data.draw(_VALUES)
    for name in NAMES:
        assert reader(name).recognise(value) in (True, False)
    try:
        found = reader(row["reader"]).read(value)
    except FormatError:
        return
    assert found
    assert all(isinstance(transcript, Transcript) for transcript in found)
