"""Real LangChain objects: they read as their JSON does, and what the host writes is recognised as the host's."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from deepagents.middleware.patch_tool_calls import PatchToolCallsMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolCallLimitMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from openai.types.chat import ChatCompletionMessage
from pydantic import BaseModel

from receipts_middleware.core.evidence import read_evidence
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.readers import read_transcript
from receipts_middleware.readers.langchain_messages import provider_calls, read_message, tool_message_origin

CALL = {"name": "charge", "args": {"amount": 5}, "id": "c1", "type": "tool_call"}
INVALID = {"name": "refund", "args": '{"amount": 5', "id": "c2", "error": "unterminated", "type": "invalid_tool_call"}
SEARCH = [
    {"type": "thinking", "thinking": "hm", "signature": "s"},
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "url": "u"}]},
    {"type": "text", "text": "Found."},
    {"type": "tool_use", "id": "c1", "name": "charge", "input": {"amount": 5}},
]
MESSAGES = [
    SystemMessage("rules", id="s"),
    HumanMessage(
        [{"type": "text", "text": "go"}, {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}]
    ),
    AIMessage(
        SEARCH,
        id="a1",
        tool_calls=[CALL],
        invalid_tool_calls=[INVALID],
        response_metadata={"model_provider": "anthropic"},
        additional_kwargs={SNAPSHOT_KEY: '{"n":0}'},
    ),
    ToolMessage(
        "ok", tool_call_id="c1", name="charge", artifact={"exit_code": 0}, additional_kwargs={RECEIPT_KEY: {"v": 1}}
    ),
    ToolMessage("no", tool_call_id="c2", status="error"),
    ToolMessage([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], tool_call_id="c3"),
    FunctionMessage(content="f", name="old"),
    ChatMessage(content="c", role="assistant"),
    AIMessageChunk(content="stream", tool_call_chunks=[{"name": "x", "args": "{}", "id": "c4", "index": 0}]),
    BaseMessage(content="lost its class", type="tool", name="t"),
    AIMessage("Done."),
]


@tool
def charge(amount: int) -> str:
    """Charge the card."""
    return f"charged {amount}"


def _run(model_turns: list, *, middleware=(), **kwargs) -> list:
    agent = create_agent(ScriptedChatModel(turns=model_turns), tools=[charge], middleware=list(middleware), **kwargs)
    return agent.invoke({"messages": [("user", "go")]})["messages"]


def _origins(messages: list) -> list[str | None]:
    return [message.result.origin for message in read_transcript(messages).messages if message.result]


def test_objects_and_their_json_give_the_same_transcript() -> None:
    once = read_transcript(MESSAGES)
    assert once.source == "langchain"
    assert len(once.messages) == len(MESSAGES)
    assert read_transcript(json.loads(json.dumps(messages_to_dict(MESSAGES)))) == once
    assert read_transcript(json.dumps([message.model_dump(mode="json") for message in MESSAGES])) == once
    dumped = [message for message in MESSAGES if type(message) is not BaseMessage]
    assert read_transcript(json.loads(json.dumps([dumpd(message) for message in dumped]))) == read_transcript(dumped)


def test_a_message_is_read_in_full() -> None:
    message = read_message(MESSAGES[2])
    assert message.text == "Found."
    assert [(call.tool, call.kind) for call in message.calls] == [
        ("web_search", "provider"),
        ("charge", "client"),
        ("refund", "invalid"),
    ]
    assert message.calls[0].result is not None
    assert message.calls[0].result.text == "u"
    assert provider_calls(MESSAGES[2]) == message.calls[:1]


def test_a_message_that_lost_its_class_is_read_by_its_type() -> None:
    message = read_message(
        BaseMessage(content="ok", type="tool", name="t", additional_kwargs={RECEIPT_KEY: {"tool_call_id": "c1"}})
    )
    assert message.role == "tool"
    assert message.result is not None
    assert message.result.tool_call_id == "c1"


def test_a_state_and_its_objects_are_read() -> None:
    agent = create_agent(ScriptedChatModel(turns=["hello"]), tools=[charge], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    state = agent.invoke({"messages": [("user", "go")]}, config)
    expected = read_transcript(state["messages"]).messages
    assert read_transcript(state).messages == expected
    assert read_transcript(agent.get_state(config)).messages == expected
    assert read_transcript([("user", "go"), *state["messages"][1:]]).messages[1] == expected[1]


def test_a_real_call_has_no_origin() -> None:
    messages = _run([{"tool_calls": [CALL]}, "done"])
    assert _origins(messages) == [None]


@pytest.mark.parametrize(
    ("decision", "origin", "outcome"),
    [
        ({"type": "reject", "message": "no"}, "human_rejected", "rejected"),
        ({"type": "reject"}, "human_rejected", "rejected"),
        ({"type": "respond", "message": "I paid it"}, "human_responded", "not_executed"),
        ({"type": "approve"}, None, "success"),
    ],
)
def test_human_decisions_are_recognised(decision: dict, origin: str | None, outcome: str) -> None:
    watch = HumanInTheLoopMiddleware(interrupt_on={"charge": True})
    model = ScriptedChatModel(turns=[{"tool_calls": [CALL]}, "done"])
    agent = create_agent(model, tools=[charge], middleware=[watch], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    agent.invoke({"messages": [("user", "go")]}, config)
    messages = agent.invoke(Command(resume={"decisions": [decision]}), config)["messages"]
    result = next(m.result for m in read_transcript(messages).messages if m.result)
    assert result.origin == origin
    seen = read_evidence(
        content=result.content,
        text=result.text,
        error=result.error,
        exit_code=None,
        origin=result.origin,
        kind="acting",
    )
    assert seen.outcome == outcome


@pytest.mark.parametrize("behaviour", ["continue", "end"])
def test_call_limits_are_recognised(behaviour: str) -> None:
    limit = ToolCallLimitMiddleware(run_limit=0, exit_behavior=behaviour)
    messages = _run([{"tool_calls": [CALL]}, "done"], middleware=[limit])
    assert _origins(messages) == ["call_limit"]


def test_calls_that_could_not_be_parsed_are_recognised() -> None:
    messages = _run([{"tool_calls": [CALL], "invalid_tool_calls": [INVALID]}, "done"])
    transcript = read_transcript(messages)
    assert [c.kind for m in transcript.messages for c in m.calls] == ["client", "invalid"]
    assert sorted(str(origin) for origin in _origins(messages)) == ["None", "invalid_call"]


def test_repaired_calls_are_recognised() -> None:
    state = {"messages": [HumanMessage("go"), AIMessage("", tool_calls=[CALL], invalid_tool_calls=[INVALID])]}
    patched = PatchToolCallsMiddleware().before_agent(state, None)["messages"][1:]
    assert _origins(patched) == ["repaired", "invalid_call"]


def test_unknown_tools_and_bad_arguments_never_ran() -> None:
    calls = [{"name": "nope", "args": {}, "id": "c1"}, {"name": "charge", "args": {"amount": "x"}, "id": "c2"}]
    results = [m.result for m in read_transcript(_run([{"tool_calls": calls}, "done"])).messages if m.result]
    seen = [
        read_evidence(
            content=r.content, text=r.text, error=r.error, exit_code=None, origin=r.origin, kind="acting", tool="charge"
        )
        for r in results
    ]
    assert [(one.outcome, one.reason) for one in seen] == [
        ("not_executed", "unknown_tool"),
        ("not_executed", "invalid_arguments"),
    ]


class Report(BaseModel):
    """The report."""

    summary: str
    amounts: list[str]


def test_a_structured_answer_is_the_text_of_its_message() -> None:
    answer = {"name": "Report", "args": {"summary": "I charged 5.", "amounts": ["5 EUR"]}, "id": "r"}
    messages = _run([{"tool_calls": [CALL]}, {"tool_calls": [answer]}], response_format=ToolStrategy(Report))
    last = [m for m in read_transcript(messages, tools=[charge]).messages if m.role == "assistant"][-1]
    assert (last.text, last.text_source) == ("I charged 5.\n5 EUR", "structured")
    assert [call.kind for call in last.calls] == ["answer"]


def test_a_refused_structured_answer_is_no_text() -> None:
    wrong = {"name": "Report", "args": {"summary": "I charged 5."}, "id": "r1"}
    right = {"name": "Report", "args": {"summary": "Nothing done.", "amounts": []}, "id": "r2"}
    messages = _run([{"tool_calls": [wrong]}, {"tool_calls": [right]}], response_format=ToolStrategy(Report))
    spoken = [m for m in read_transcript(messages).messages if m.role == "assistant"]
    assert [m.text for m in spoken] == ["", "Nothing done."]
    assert [call.kind for m in spoken for call in m.calls] == ["answer", "answer"]


def test_objects_of_a_client_library_read_as_their_json() -> None:
    message = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": "hi",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}}],
        }
    )
    user = {"role": "user", "content": "go"}
    assert read_transcript([user, message]) == read_transcript([user, message.model_dump()])


def test_origin_never_raises_over_odd_messages() -> None:
    for odd in (None, 7, "x", [], {}, {"additional_kwargs": 3}, {"content": {"a": object()}}, object()):
        assert tool_message_origin(odd) is None


def test_reading_needs_no_langchain() -> None:
    code = (
        "import sys, receipts_middleware.readers as r; "
        "r.read_transcript([{'type': 'ai', 'data': {'content': 'x'}}]); "
        "sys.exit(any(name.split('.')[0] in ('langchain', 'langchain_core', 'langgraph') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
