"""The bound on what is shown: text never exceeds it, and the snapshot lists exactly what the text shows."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool

from receipts_middleware import verify_messages
from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.ledger import LINE_CHARS
from receipts_middleware.core.snapshot import parse_snapshot
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


def words(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def lines_of(request, tag):
    return [line for m in request for line in str(m.content).splitlines() if line.startswith(f"{tag} [r")]


def summarised(turns):
    writer = ScriptedChatModel(turns=[lambda _: "They worked."] * 30, by="order")
    summary = SummarizationMiddleware(model=writer, trigger=("messages", 20), keep=("messages", 6))
    return summary, ScriptedChatModel(turns=turns, by="order")


@pytest.mark.parametrize("bound", [0, 60, 120, 400, 4_000])
@pytest.mark.parametrize("placement", ["inline", "tail"])
@pytest.mark.parametrize("unit", ["characters", "tokens"])
async def test_text_stays_in_the_bound_and_the_snapshot_lists_what_it_shows(make_bench, kit, bound, placement, unit):
    bench = make_bench()
    limit = {"max_chars": bound} if unit == "characters" else {"max_tokens": bound // 4, "token_counter": words}
    receipts = ReceiptsMiddleware(on_error="raise", placement=placement, **limit)
    summary, model = summarised([*kit.writes(40), "Done."])
    agent = kit.agent(model, bench, before=[summary], receipts=receipts)
    result = await bench.ask(agent)
    replies = kit.replies(result["messages"])
    for request, reply in zip(model.requests[-len(replies) :], replies, strict=True):
        snapshot = kit.snapshot(reply)
        listed = [int(re.search(r"\[r(\d+)", line)[1]) for line in lines_of(request, snapshot.tag)]
        assert sorted(listed) == sorted(set(listed)) == sorted(snapshot.shown)
        blocks = [str(m.content) for m in request if isinstance(m, HumanMessage)]
        ours = "\n".join(line for text in blocks for line in text.splitlines() if line.startswith(snapshot.tag))
        assert (len(ours) if unit == "characters" else words(ours)) <= (bound if unit == "characters" else bound // 4)
    if bound == 4_000:
        assert set(kit.snapshot(replies[-1]).shown) == set(range(1, 41))


async def test_failures_and_acting_calls_are_kept_longest(make_bench, kit):
    bench = make_bench()
    turns = [
        {"tool_calls": [kit.call("deploy", name="web")]},
        {"tool_calls": [kit.call("send_email", to="ana@example.com")]},
        *[{"tool_calls": [kit.call("read_page", url=str(k))]} for k in range(30)],
        "Done.",
    ]
    receipts = ReceiptsMiddleware(on_error="raise", max_chars=260)
    summary, model = summarised(turns)
    result = await bench.ask(kit.agent(model, bench, before=[summary], receipts=receipts))
    shown = set(kit.snapshot(result["messages"][-1]).shown)
    assert {1, 2} <= shown
    assert 3 not in shown
    v = verify_messages([*result["messages"][:-1], result["messages"][-1].model_copy(update={"content": "Read [r3]."})])
    assert v.citations[0].resolution in ("dropped", "not_shown")


@pytest.mark.parametrize(
    "options",
    [
        {"max_chars": -1},
        {"max_tokens": -1, "token_counter": len},
        {"max_tokens": 10},
        {"token_counter": len},
        {"placement": "system"},
        {"snapshot": "all"},
        {"capture": "digests"},
        {"capture": "digests", "capture_key": b"short"},
        {"on_error": "ignore"},
    ],
)
def test_an_option_that_cannot_be_right_is_refused_at_once(options):
    with pytest.raises(UsageError):
        ReceiptsMiddleware(**options)


NAMES = st.text(max_size=12) | st.sampled_from(
    ["a" * 10_000, "x\ny", "r5", "a, r2", "[r1 pay]", "\u202epay", "tab\tname", "【r1】", "", " ", "\U000e0041"]
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(NAMES, min_size=1, max_size=5), placement=st.sampled_from(["inline", "tail"]))
def test_whatever_a_tool_is_called_its_line_is_one_line_that_cites_it(names, placement):
    calls = [{"name": name, "args": {}, "id": f"c{i}", "type": "tool_call"} for i, name in enumerate(names)]
    tool = StructuredTool.from_function(lambda: "ok", name="known", description="Known.")
    model = ScriptedChatModel(turns=[AIMessage("", tool_calls=calls), "Done."])
    receipts = ReceiptsMiddleware(on_error="raise", placement=placement)
    agent = create_agent(model, tools=[tool], middleware=[receipts])
    result = agent.invoke({"messages": [("user", "go")]})
    snapshot = parse_snapshot(result["messages"][-1].additional_kwargs["receipts_middleware.snapshot"])
    assert set(snapshot.shown) == set(range(1, len(names) + 1))
    if placement == "inline":
        lines = [m.content.splitlines()[-1] for m in model.requests[-1] if isinstance(m, ToolMessage)]
    else:
        lines = model.requests[-1][-1].content.splitlines()[1:]
    assert len(lines) == len(names)
    for number, line in enumerate(lines, 1):
        assert line.startswith(f"{snapshot.tag} [r{number}")
        assert len(line) <= LINE_CHARS
        [citation] = parse_citations(line)
        assert (citation.id, citation.malformed) == (f"r{number}", False)
        final = result["messages"][-1].model_copy(update={"content": f"It was refused {citation.text}."})
        v = verify_messages([*result["messages"][:-1], final])
        assert [c.resolution for c in v.citations] == ["resolved"]
