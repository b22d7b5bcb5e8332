"""Any run: random turns of every sort of call, over several user messages, with messages removed in between."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, RemoveMessage, ToolMessage, messages_to_dict
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.core.keys import KEY_PREFIX
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

VALID = st.sampled_from(
    [
        {"name": "write_file", "args": {"path": "a"}},
        {"name": "send_email", "args": {"to": "ana@example.com"}},
        {"name": "deploy", "args": {"name": "web"}},
        {"name": "read_page", "args": {"url": "u"}},
        {"name": "no_such_tool", "args": {}},
        {"name": "send_email", "args": {"wrong": 1}},
    ]
)
IDS = st.sampled_from(["same", "other", None])


@st.composite
def calling_turn(draw):
    """A turn with calls of the provider, valid ones and ones that could not be parsed; ids repeat."""
    calls, broken, content = [], [], []
    for place, call in enumerate(draw(st.lists(VALID, min_size=1, max_size=4))):
        calls.append({**call, "id": draw(IDS) or f"id{draw(st.integers(0, 10**9))}.{place}", "type": "tool_call"})
    if draw(st.integers(0, 4)) == 0:
        broken.append({"name": "write_file", "args": "{", "id": "bad", "error": "cut", "type": "invalid_tool_call"})
    for number in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        content.append({"type": "server_tool_use", "id": f"s{number}", "name": "web_search", "input": {"q": "x"}})
        found = [{"type": "web_search_result", "url": "https://example.com", "title": "t"}]
        content.append({"type": "web_search_tool_result", "tool_use_id": f"s{number}", "content": found})
    return AIMessage(content or "", tool_calls=calls, invalid_tool_calls=broken)


USER_TURNS = st.lists(st.lists(calling_turn(), max_size=4), min_size=1, max_size=3)


def uses(message):
    provider = sum(isinstance(b, dict) and b.get("type") == "server_tool_use" for b in message.content)
    return provider + len(message.tool_calls) + len(message.invalid_tool_calls)


def citing(messages):
    """Cite everything that this very request shows."""
    lines = [line for m in messages for line in m.text.splitlines() if re.match(r"[A-Z2-7]{4} \[r\d+ ", line)]
    return "See " + " ".join(re.search(r"\[r\d+ [^\]]+\]", line)[0] for line in lines)


def play(kit, user_turns, removed, placement):
    script = [turn for turns in user_turns for turn in [*turns, citing]]
    for number, turn in enumerate(script):
        for call in getattr(turn, "invalid_tool_calls", ()):
            call["id"] = f"bad{number}"  # the host answers broken calls by their id, each id once
    model = ScriptedChatModel(turns=script, by="order")
    receipts = ReceiptsMiddleware(on_error="raise", placement=placement)
    agent = kit.agent(model, receipts=receipts, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}, "recursion_limit": 200}
    results = []
    for number, _ in enumerate(user_turns):
        result = agent.invoke({"messages": [("user", f"go {number}")]}, config)
        results.append(result["messages"])
        if removed and number < len(user_turns) - 1:
            agent.update_state(config, {"messages": [RemoveMessage(id=m.id) for m in result["messages"][:-1]]})
    return model, results, agent.get_state(config).values


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(user_turns=USER_TURNS, removed=st.booleans(), placement=st.sampled_from(["inline", "inline", "tail", "none"]))
def test_whatever_a_run_does_its_numbers_lines_snapshots_and_citations_agree(kit, user_turns, removed, placement):
    model, results, state = play(kit, user_turns, removed, placement)
    issued = 0
    seen: set[str] = set()
    for messages in results:
        for message in messages:
            if isinstance(message, AIMessage) and message.id not in seen:
                seen.add(message.id)
                assert kit.snapshot(message).n == issued
                issued += uses(message)
    total = sum(uses(turn) for turns in user_turns for turn in turns)
    assert issued == total

    channel = state["_receipts"]
    assert sorted(row.receipt.n for row in kit.rows(channel)) == list(range(1, total + 1))
    uids = [row.receipt.uid for row in kit.rows(channel)]
    assert len(set(uids)) == total
    assert json.loads(json.dumps(channel, allow_nan=False)) == channel

    for request in model.requests:
        assert not any(KEY_PREFIX in str(m.model_dump()) for m in request)
    for messages in results:
        final = messages[-1]
        shown = set(kit.snapshot(final).shown)
        v = verify_messages(messages)
        assert len(v.citations) == len(shown)
        assert {int(c.id[1:]) for c in v.citations} == shown
        # Two synthetic calls in one row may read as a claim; an id and a name are always right.
        assert {c.resolution for c in v.citations} <= {"resolved", "cites_failure"}
        noted = {f.rule for f in v.findings}
        assert not noted & {"number_mismatch", "duplicate_number", "receipt_differs", "malformed_stamp", "transformed"}
        assert [e.n for e in v.ledger] == sorted({e.n for e in v.ledger})
        saved = json.loads(json.dumps(messages_to_dict(messages)))
        assert [w.to_dict() for w in verify_turns(saved)] == [w.to_dict() for w in verify_turns(messages)]
        for message in messages:
            if isinstance(message, ToolMessage) and kit.receipt(message) is not None:
                assert v.ledger.find(kit.receipt(message).n).receipt == kit.receipt(message)
    if placement == "inline" and not removed:
        for shorter, longer in pairwise(model.requests):
            assert [m.content for m in longer][: len(shorter)] == [m.content for m in shorter]
        assert set(kit.snapshot(results[-1][-1]).shown) == set(range(1, total + 1))
