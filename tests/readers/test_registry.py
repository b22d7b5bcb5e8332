"""The table of readers: what is asked, in which order, and what an error says of input that nobody reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.errors import FormatError, UsageError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers import read_transcript
from receipts_middleware.readers.registry import (
    FORMATS,
    READERS,
    read_transcripts,
    reader_named,
    recognise_reader,
    seen,
)

ASK = {"role": "user", "content": "Refund it."}
REPLY = {"role": "assistant", "content": "Refunded."}
RUN = {"id": "a", "messages": [ASK, REPLY]}


def texts(found: list[Transcript]) -> list[list[str]]:
    return [[message.text for message in transcript.messages] for transcript in found]


@pytest.mark.parametrize(
    ("source", "runs"),
    [
        ([ASK, REPLY], 1),
        (RUN, 1),
        ({"values": RUN}, 1),
        (REPLY, 1),
        ([RUN, RUN], 2),
        ([[ASK, REPLY], [ASK, REPLY], [ASK, REPLY]], 3),
        (("user", "Refund it."), 1),
        ([("user", "Refund it."), ("assistant", "Refunded.")], 1),
        ({"choices": [{"message": REPLY}]}, 1),
    ],
)
def test_values(source: object, runs: int) -> None:
    found = read_transcripts(source)
    assert len(found) == runs
    assert all(transcript.messages for transcript in found)


@pytest.mark.parametrize("source", [[ASK, REPLY], RUN, {"state": RUN}, [REPLY]])
def test_one_run_reads_as_the_single_reader_does(source: object) -> None:
    assert read_transcripts(source) == [read_transcript(source)]
    assert read_transcripts(json.dumps(source)) == [read_transcript(source)]


def test_lines_of_runs_and_lines_of_messages() -> None:
    runs = "\n".join(json.dumps(RUN) for _ in range(3)).encode()
    messages = f"\ufeff{json.dumps(ASK)}\r\n\r\n{json.dumps(REPLY)}\r\n".encode()
    assert texts(read_transcripts(runs)) == [["Refund it.", "Refunded."]] * 3
    assert texts(read_transcripts(messages)) == [["Refund it.", "Refunded."]]


def test_bad_record_never_loses_the_others() -> None:
    lines = "\n".join(['{"cut', json.dumps(RUN), "17", json.dumps({"no": 1}), json.dumps(RUN)])
    found = read_transcripts(lines)
    assert texts(found) == [["Refund it.", "Refunded."]] * 2
    said = (found[0].meta or {})["skipped"]
    assert "2 lines could not be read, the first at line 1" in said
    assert "1 run could not be read, the first at /1" in said
    assert "skipped" not in (found[1].meta or {})


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("no transcript\nof anything", "a text that begins 'no transcript"),
        ({"steps": 1, "x": 2}, "an object with the keys 'steps', 'x'"),
        ({}, "an empty object"),
        ([], "an empty list"),
        ([[[]]], "a list of 1 item, the first a list of 1 item"),
        (17, "a value of type int"),
        (None, "a value of type NoneType"),
        (b"\xff\xfe\x00", "byte 0: not UTF-8"),
        ([{"messages": []}, "x"], None),
    ],
)
def test_unknown_input_says_what_was_seen(source: object, says: str | None) -> None:
    if says is None:
        assert texts(read_transcripts(source)) == [[]]
        return
    with pytest.raises(FormatError) as caught:
        read_transcripts(source)
    assert says in str(caught.value)
    if "UTF-8" not in says and says != "empty":
        assert all(name in str(caught.value) for name in FORMATS)


@pytest.mark.parametrize("form", ["messages", "Messages", "openai-chat", "langchain"])
def test_form_by_name(form: str) -> None:
    assert texts(read_transcripts([RUN, RUN], form=form)) == [["Refund it.", "Refunded."]] * 2


def test_form_that_is_none() -> None:
    with pytest.raises(UsageError, match="messages"):
        reader_named("html")


def test_tools_outweigh_what_the_document_lists() -> None:
    found = read_transcripts([{**RUN, "tools": ["other"]}, RUN], tools=["send_email"])
    assert [[tool.name for tool in transcript.tools] for transcript in found] == [["send_email"]] * 2


def test_names_are_given_once() -> None:
    assert len(set(FORMATS)) == len(FORMATS)
    assert READERS[-1].name == "messages"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["messages", "role", "content", "type", "values", "choices", "message", "id", "data"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=24,
)


@given(JSON_VALUES)
def test_any_value_reads_or_says_why(value: object) -> None:
    assert isinstance(seen(value), str)
    for reader in READERS:
        assert reader.recognise(value) in (True, False)
    try:
        found = read_transcripts(value)
    except FormatError:
        return
    assert found
    assert all(isinstance(transcript, Transcript) for transcript in found)


@given(st.binary(max_size=64) | st.text(max_size=64))
def test_any_text_reads_or_says_why(text: bytes | str) -> None:
    try:
        found = read_transcripts(text)
    except FormatError:
        return
    assert found


def test_recognise_asks_from_the_top() -> None:
    assert recognise_reader([ASK]) is READERS[-1]
    assert recognise_reader("x") is None
