"""Recorded exchanges: every wrapping of a body reads alike, conversations are joined right, and no recording hurts."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import verify_transcript
from receipts_middleware.readers import http
from receipts_middleware.readers.http import yaml_loader
from receipts_middleware.readers.http.stream import assemble
from receipts_middleware.readers.registry import read_transcripts

TWINS = sorted((Path(__file__).parents[2] / "fixtures" / "readers" / "http_exchanges").glob("*.yaml"))
SAMPLES = Path(__file__).parents[3] / "shared" / "transcripts" / "formats" / "vcr_cassettes_pydantic_ai"


def spoken(value: object) -> list[list[tuple[object, ...]]]:
    found = http.read(value)
    return [
        [(m.role, m.text, [(c.tool, c.args) for c in m.calls], m.result and m.result.text) for m in t.messages]
        for t in found
    ]


def exchange(request: object, response: object, *, method: str = "POST", status: int = 200) -> dict:
    return {
        "request": {"method": method, "uri": "https://llm.example/", "parsed_body": request},
        "response": {"status": {"code": status}, "parsed_body": response},
    }


def chat(*messages: tuple[str, str]) -> dict:
    return {"model": "m", "messages": [{"role": role, "content": text} for role, text in messages]}


def says(text: str) -> dict:
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


# --- bodies ----------------------------------------------------------------------------------------------

ASK = chat(("user", "Book it."))
PLAIN = {"interactions": [exchange(ASK, says("Booked."))]}


def wrapped(body: object) -> dict:
    value = json.loads(json.dumps(PLAIN))
    for side, content in (("request", ASK), ("response", says("Booked."))):
        del value["interactions"][0][side]["parsed_body"]
        value["interactions"][0][side]["body"] = body(json.dumps(content))
    return value


@pytest.mark.parametrize(
    "body",
    [
        lambda text: text,
        lambda text: text.encode(),
        lambda text: {"string": text},
        lambda text: {"string": text.encode()},
        lambda text: {"string": gzip.compress(text.encode())},
        lambda text: zlib.compress(text.encode()),
        lambda text: {"base64_string": base64.b64encode(text.encode()).decode()},
        lambda text: {"base64_string": base64.b64encode(gzip.compress(text.encode())).decode()},
        lambda text: {"encoding": "UTF-8", "string": text},
        lambda text: {"encoding": "base64", "string": base64.b64encode(text.encode()).decode()},
        lambda text: "\ufeff\n" + text,
        json.loads,
    ],
    ids=lambda _: "",
)
def test_every_wrapping_of_a_body_reads_alike(body: object) -> None:
    value = wrapped(body)
    assert spoken(value) == spoken(PLAIN)
    assert spoken(yaml.safe_dump(value)) == spoken(PLAIN)


@pytest.mark.parametrize("path", TWINS, ids=lambda path: path.stem)
def test_a_cassette_reads_alike_as_text_value_and_ruby(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    value = yaml_loader.load(text)
    assert http.recognise(text)
    assert http.recognise(value)
    assert spoken(value) == spoken(text)
    listed = value.get("interactions") or value["http_interactions"]
    for other in ({"http_interactions": listed}, {"interactions": listed}, listed):
        assert spoken(other) == spoken(text)
    assert read_transcripts(text)[0].source == http.NAME


def test_http_archives_and_bare_pairs() -> None:
    entry = {
        "request": {
            "method": "POST",
            "url": "https://llm.example/",
            "postData": {"mimeType": "x", "text": json.dumps(ASK)},
        },
        "response": {"status": 200, "content": {"size": 1, "mimeType": "x", "text": json.dumps(says("Booked."))}},
    }
    pair = {"request": ASK, "response": says("Booked.")}
    for value in ({"log": {"entries": [entry]}}, [pair], pair):
        assert http.recognise(value)
        assert spoken(value) == spoken(PLAIN)


@pytest.mark.parametrize(
    "value", [[{"role": "user", "content": "x"}], {"messages": []}, "prose: interactions:", None, 7]
)
def test_what_is_no_recording_is_not_taken_for_one(value: object) -> None:
    assert not http.recognise(value)


# --- conversations ---------------------------------------------------------------------------------------


def conversations(*exchanges: dict) -> list[list[str]]:
    return [[message.text for message in transcript.messages] for transcript in http.read(list(exchanges))]


def test_a_later_request_repeats_the_earlier_messages() -> None:
    first = exchange(chat(("system", "s1"), ("user", "a")), says("A "))
    second = exchange(chat(("system", "s2"), ("user", "a"), ("assistant", "A"), ("user", "b")), says("B"))
    assert conversations(first, second) == [["s2", "a", "A", "b", "B"]]


def test_an_exchange_that_failed_is_asked_again() -> None:
    failed = exchange(ASK, {"error": {"message": "overloaded"}}, status=503)
    assert conversations(failed, exchange(ASK, says("Booked."))) == [["Book it.", "Booked."]]
    assert conversations(failed) == [["Book it."]]


def test_two_answers_to_one_question_are_two_conversations() -> None:
    assert conversations(exchange(ASK, says("A")), exchange(ASK, says("B"))) == [["Book it.", "A"], ["Book it.", "B"]]
    other = exchange(chat(("user", "Book it."), ("assistant", "C"), ("user", "b")), says("D"))
    assert conversations(exchange(ASK, says("A")), other) == [["Book it.", "A"], ["Book it.", "C", "b", "D"]]


def test_interleaved_agents_are_kept_apart() -> None:
    def turn(who: str, *said: str) -> dict:
        roles = ("user", "assistant") * 3
        messages = list(zip(roles, (f"{who}{text}" for text in said), strict=False))
        return exchange(chat(*messages[:-1]), says(messages[-1][1]))

    run = [turn("x", "1", "2"), turn("y", "1", "2"), turn("x", "1", "2", "3", "4"), turn("y", "1", "2", "3", "4")]
    assert conversations(*run) == [["x1", "x2", "x3", "x4"], ["y1", "y2", "y3", "y4"]]


def respond(identity: str, text: str) -> dict:
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {"id": identity, "object": "response", "output": [item] if text else []}


def test_a_request_may_go_on_from_any_earlier_response() -> None:
    def ask(text: str, previous: str = "") -> dict:
        return {"model": "m", "input": [{"role": "user", "content": text}], "previous_response_id": previous}

    run = [
        exchange(ask("a"), respond("r1", "A")),
        exchange(ask("b", "r1"), respond("r2", "B")),
        exchange(ask("c", "r1"), respond("r3", "C")),
        exchange(ask("d", "r2"), respond("r4", "D")),
    ]
    assert conversations(*run) == [["a", "A", "b", "B", "d", "D"], ["a", "A", "c", "C"]]


def test_calls_of_the_provider_outlive_their_repetition() -> None:
    search = {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "q"}}
    spoke = respond("r1", "Found it.")
    spoke["output"].insert(0, search)
    ask = {"model": "m", "input": [{"role": "user", "content": "a"}]}
    again = {"role": "assistant", "content": "Found it."}
    later = {"model": "m", "input": [*ask["input"], again, {"role": "user", "content": "b"}]}
    found = http.read([exchange(ask, spoke), exchange(later, respond("r2", "B"))])
    assert [[call.tool for call in message.calls] for message in found[0].messages] == [[], ["web_search"], [], []]


def test_a_recording_without_a_model_is_refused() -> None:
    weather = exchange(None, {"rain": 1}, method="GET")
    with pytest.raises(FormatError, match="no exchange"):
        http.read([weather])
    found = http.read([weather, exchange(ASK, says("A")), {"request": 1}])
    assert found[0].meta == {
        "source": "openai_chat",
        "model": "m",
        "other_exchanges": "1",
        "skipped": "1 record could not be read, the first at /2",
    }


def test_other_samples_of_one_turn_are_no_second_reply() -> None:
    deltas = [{"index": 0, "delta": {"content": "A"}}, {"index": 1, "delta": {"content": "B"}}]
    assert assemble([{"choices": [delta]} for delta in deltas])["choices"][0]["message"]["content"] == "A"


def piece(arguments: str, name: str = "", identity: str = "", index: int | None = None) -> dict:
    place = {} if index is None else {"index": index}
    return {**place, "id": identity or None, "function": {"name": name or None, "arguments": arguments}}


@pytest.mark.parametrize(
    ("deltas", "calls"),
    [
        ([piece("{}", "x", "a", 0), piece("{}", "y", "b", 1)], ["x", "y"]),
        ([piece("{}", "x", "a", 0), piece("{}", "y", "b", 0)], ["x", "y"]),
        ([piece("{", "x", "a", 0), piece("}", "", "a", 0)], ["x"]),
        ([piece("{}", "x"), piece("{}", "x")], ["x", "x"]),
        ([piece("", "se", "a", 0), piece("{}", "nd", "", 0)], ["send"]),
    ],
    ids=["indexed", "one-index", "id-again", "no-index", "name-in-pieces"],
)
def test_calls_of_a_chat_stream(deltas: list[dict], calls: list[str]) -> None:
    body = assemble([{"choices": [{"delta": {"tool_calls": [delta]}}]} for delta in deltas])
    made = body["choices"][0]["message"]["tool_calls"]
    assert [call["function"]["name"] for call in made] == calls
    assert all(call["function"]["arguments"] == "{}" for call in made)


def test_a_legacy_call_in_a_stream() -> None:
    deltas = [{"name": "send"}, {"name": "send", "arguments": "{}"}]
    body = assemble([{"choices": [{"delta": {"function_call": delta}}]} for delta in deltas])
    assert body["choices"][0]["message"]["function_call"] == {"name": "send", "arguments": "{}"}


def test_a_hundred_thousand_pieces_are_one_call() -> None:
    deltas = [piece("1, ", f"n{i}", "a", 0) for i in range(100_000)]
    body = assemble([{"choices": [{"delta": {"tool_calls": [delta]}}]} for delta in deltas])
    made = body["choices"][0]["message"]["tool_calls"]
    assert [len(call["function"]["arguments"]) for call in made] == [300_000]


# --- untrusted recordings --------------------------------------------------------------------------------


def yaml_of(lines: list[str]) -> str:
    return "interactions:\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        yaml_of(["- &a0 [x, x]", *(f"- &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60))]),
        yaml_of(["- &a {k: v}", "- &b [*a, *b]"]),
        yaml_of(["- !!python/object/apply:os.getcwd []"]),
        yaml_of(["- " * 20_000]),
        yaml_of(["[" * 20_000]),
        yaml_of(["- {a: 1", "- }"]),
        yaml_of(["? [a]", ": 1"]),
        "interactions: 1\n---\ninteractions: 2\n",
        "interactions:\n\x00",
    ],
    ids=["bomb", "cycle", "tag", "deep", "flow", "broken", "key", "documents", "nul"],
)
def test_hostile_yaml_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        http.read(text)


def test_merge_keys_dates_and_long_numbers_stay_the_texts_that_they_are() -> None:
    bomb = [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 12)]
    loaded = yaml_loader.load("\n".join(["a0: &a0 {k: v}", *bomb[:3]]))
    assert loaded["a1"] == {"<<": [{"k": "v"}] * 9}
    with pytest.raises(FormatError):
        yaml_loader.load("\n".join(["a0: &a0 {k: v}", *bomb]))
    long = ":".join(["1"] * 50_000)
    told = yaml_loader.load(f"[2026-01-02, 1:30, {long}, {'9' * 5_000}, 12, 1.5, true, null]")
    assert told == ["2026-01-02", "1:30", long, "9" * 5_000, 12, 1.5, True, None]


def test_a_body_that_unpacks_to_too_much_is_cut() -> None:
    packed = gzip.compress(b"[" + b"1," * 17_000_000 + b"1]", 1)
    value = {
        "interactions": [{"request": {"method": "POST", "uri": "u", "body": packed}, "response": {"body": packed}}]
    }
    with pytest.raises(FormatError):
        http.read(value)


def test_where_yaml_is_broken_is_said() -> None:
    with pytest.raises(FormatError, match="line 4, column 1"):
        http.read("interactions:\n- a: b\n  c: [\n")


@pytest.mark.parametrize("path", TWINS, ids=lambda path: path.stem)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_no_mutation_of_bytes_raises_anything_else(path: Path, data: st.DataObject) -> None:
    text = path.read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(14, len(text) - 1))
        stop = start + data.draw(st.integers(0, 40))
        text = text[:start] + data.draw(st.text(max_size=4)) + text[stop:]
    http.recognise(text)
    try:
        found = http.read(text)
    except FormatError:
        return
    assert found
    assert all(isinstance(transcript, Transcript) and transcript.messages for transcript in found)


@pytest.mark.parametrize(
    "events",
    [[1], [{}], [{"type": 7}], [{"type": "response.x"}], [{"type": "content_block_delta", "index": [], "delta": 3}],
     [{"choices": [1, {"delta": {"tool_calls": [None, {"function": 1}]}}]}], [{"candidates": 3}],
     [{"type": "message_start"}, {"type": "content_block_delta", "delta": {"text": "x"}}]],
    ids=range(8),
)  # fmt: skip
def test_no_stream_raises(events: list) -> None:
    assert assemble(events) is None or assemble(events)


# --- samples ---------------------------------------------------------------------------------------------

#: messages, calls, results of each conversation, counted by hand in the recordings.
COUNTED = {
    "bedrock_converse__test_bedrock_anthropic_tool_result_followed_by_document_accepted": [(6, 1, 1)],
    "openai_responses__test_background_mode_with_tool_vcr": [(4, 1, 1)],
    "openai_responses__test_native_output": [(4, 1, 1)],
    "openai_responses__test_native_output_multiple": [(4, 1, 1)],
    "test_anthropic__test_multiple_parallel_tool_calls": [(8, 4, 4)],
    "test_bedrock_mantle__test_reused_tool_call_ids_gpt_5_5": [(8, 2, 2)],
    "test_google__test_google_prompted_output_with_tools": [(5, 1, 1)],
    "test_groq__test_tool_use_failed_error_with_text": [(5, 1, 0)],
    "test_openai__test_multiple_agent_tool_calls": [(8, 2, 2)],
}


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize("name", sorted(COUNTED))
def test_samples(name: str) -> None:
    found = read_transcripts((SAMPLES / f"{name}.yaml").read_bytes())
    assert [
        (len(t.messages), sum(len(m.calls) for m in t.messages), sum(m.result is not None for m in t.messages))
        for t in found
    ] == COUNTED[name]
    assert all(verify_transcript(transcript).ok for transcript in found)
