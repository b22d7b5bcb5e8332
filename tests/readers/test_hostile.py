"""Untrusted documents never raise anything but FormatError, and lose no message over an odd neighbour."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Message
from receipts_middleware.readers import read_transcript
from receipts_middleware.readers.content import (
    MAX_LEAVES,
    field_of,
    parse_arguments,
    reply_text,
    string_leaves,
    text_of,
)

_KEYS = st.sampled_from(
    """role type content data kwargs tool_calls invalid_tool_calls function name arguments args id text
    additional_kwargs status error is_error tool_call_id messages values output input value artifact lc_source
    function_call refusal partial_json tool_use_id resource json""".split()
) | st.text(max_size=5)
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(
        """ai human tool system chat AIMessageChunk user assistant function tool_use server_tool_use
        web_search_tool_result web_search_call mcp_call text thinking executable_code code_execution_result
        non_standard hitl_interrupt_decision constructor error success""".split()
    )
)
_JSON = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=6),
    max_leaves=25,
)
_ODD = _JSON | st.binary(max_size=20) | st.tuples(_LEAVES, _LEAVES) | st.builds(object)


def _read(source: object) -> tuple[Message, ...] | None:
    try:
        transcript = read_transcript(source)
    except FormatError:
        return None
    # A provider's own format keeps several results in one message, and leaves out what it cannot read.
    return transcript.messages if transcript.source in ("", "openai_chat", "langchain") else None


@given(st.lists(_ODD, max_size=6))
def test_no_list_raises_and_no_message_is_lost(source: list) -> None:
    messages = _read(source)
    assert messages is None or len(messages) == len(source)


@given(_ODD)
def test_no_document_raises(source: object) -> None:
    _read(source)


@given(st.text(max_size=60) | _JSON.map(json.dumps))
def test_no_text_raises(text: str) -> None:
    _read(text)
    _read(text.encode("utf-8", "surrogatepass"))


@given(st.lists(_JSON, max_size=4), st.lists(_JSON, max_size=4))
def test_a_good_message_survives_its_neighbours(before: list, after: list) -> None:
    good = {"role": "user", "content": "the good one"}
    messages = _read([*before, good, *after])
    assert messages is None or messages[len(before)] == Message(role="user", text="the good one")


@given(_ODD)
def test_content_always_has_a_text(content: object) -> None:
    assert isinstance(text_of(content), str)
    assert isinstance(reply_text(content), str)
    assert all(isinstance(leaf, str) for leaf in string_leaves(content))
    parse_arguments(content)


def test_fields_that_raise_are_no_fields() -> None:
    class Hostile:
        @property
        def content(self) -> str:
            raise RuntimeError("no")

        type = "ai"

    assert field_of(Hostile(), "content") is None
    assert read_transcript([Hostile()]).messages == (Message(role="assistant", text=""),)


@pytest.mark.parametrize("wrap", ["content", "resource", "value", "args"])
def test_deep_values_end(wrap: str) -> None:
    deep: object = "x"
    for _ in range(5_000):
        deep = {wrap: deep, "type": "tool_result"} if wrap != "args" else [deep]
    messages = _read([{"role": "assistant", "content": [deep], "tool_calls": [{"name": "a", "arguments": deep}]}])
    assert messages is not None


def test_a_cycle_ends() -> None:
    loop: list = []
    loop.append(loop)
    content: dict = {"content": loop}
    content["content"] = content
    assert _read([{"role": "tool", "content": loop}, {"role": "tool", "content": content}]) is not None
    assert string_leaves(loop) == []


def test_leaves_are_bounded() -> None:
    assert len(string_leaves([["x"] * 10_000] * 10)) == MAX_LEAVES


def test_text_and_reply_text_differ_only_in_how_blocks_are_joined() -> None:
    blocks = [{"type": "text", "text": "One "}, {"type": "text", "text": "sentence."}, {"type": "image"}, "Next."]
    assert text_of(blocks) == "One \nsentence.\nNext."
    assert reply_text(blocks) == "One sentence.\nNext."
    assert text_of("x") == reply_text("x") == "x"
    assert text_of(None) == reply_text(None) == ""
