"""Request n+1 begins with the bytes of request n, on the real payloads, so that prompt caches hold (case 80)."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_anthropic.middleware import AnthropicPromptCachingMiddleware
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_google_genai.chat_models import _parse_chat_history
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr

from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

BODY = "A line of a result that is long enough to matter for a cache. " * 8


@tool
def fetch(key: str) -> str:
    """Fetch a text."""
    return f"{key}: {BODY}"


@tool
def look(key: str) -> list:
    """Look at something."""
    return [{"type": "text", "text": f"{key}: {BODY}"}, {"type": "text", "text": "second block"}]


@tool
def deploy(key: str) -> str:
    """Deploy a service."""
    return json.dumps({"error": f"{key}: quota exceeded"})


TOOLS = [fetch, look, deploy]


def busy_turns():
    """40 turns of one user message, then a second and a third: single, parallel and rejected calls of every shape."""
    turns = []
    for k in range(40):
        names = [("fetch",), ("look",), ("fetch", "look", "deploy"), ("no_such_tool", "fetch"), ("deploy",)][k % 5]
        turns.append({"tool_calls": [{"name": name, "args": {"key": f"k{k}"}} for name in names]})
    searched = AIMessage(
        [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "srvtoolu_1",
                "content": [{"type": "web_search_result", "url": "https://example.com", "title": "t"}],
            },
            {"type": "text", "text": "Found [r1 fetch]."},
        ],
        response_metadata={"model_provider": "anthropic"},
    )
    return [*turns, searched, *turns[:3], "Done [r2 look].", "Again [r3 fetch]."]


def assert_prefixes(payloads, key="messages"):
    """Messages of each payload are the first of the next, byte for byte, and nothing else differs."""
    for shorter, longer in pairwise(payloads):
        rest = [{name: value for name, value in payload.items() if name != key} for payload in (shorter, longer)]
        assert json.dumps(rest[0], default=str) == json.dumps(rest[1], default=str)
        before, after = (json.dumps(payload[key]) for payload in (shorter, longer))
        assert after.startswith(before[:-1])
        assert len(longer[key]) > len(shorter[key])


async def play(bench, kit, model, thread="t1", **options):
    agent = kit.agent(model, bench, tools=TOOLS, system_prompt="Be brief.", **options)
    for _ in range(3):
        result = await bench.ask(agent, thread=thread)
    return result


async def test_openai_payloads_are_prefixes_of_each_other(bench, kit):
    model = ScriptedChatModel(turns=busy_turns())
    result = await play(bench, kit, model)
    openai = ChatOpenAI(model="gpt-5", api_key="x")
    # Server tool calls are Anthropic's; OpenAI's own adapter drops them, the receipts line stays.
    payloads = [openai.bind_tools(TOOLS).bound._get_request_payload(request) for request in model.requests]
    assert len(payloads) == 46
    assert_prefixes(payloads)
    assert json.dumps(payloads[-1]).count("[r5 deploy] error") == 1
    assert kit.snapshot(result["messages"][-1]).n == 70


async def test_responses_payloads_are_prefixes_of_each_other(bench, kit):
    turns = [turn for turn in busy_turns() if not isinstance(turn, AIMessage)]
    model = ScriptedChatModel(turns=[*turns[:40], "Done.", *turns[40:]])
    await play(bench, kit, model)
    openai = ChatOpenAI(model="gpt-5", api_key="x", use_responses_api=True)
    assert_prefixes([openai._get_request_payload(request) for request in model.requests], "input")


async def test_gemini_contents_are_prefixes_of_each_other(bench, kit):
    turns = [turn for turn in busy_turns() if not isinstance(turn, AIMessage)]
    model = ScriptedChatModel(turns=[*turns[:40], "Done.", *turns[40:]])
    await play(bench, kit, model)
    seen = [_parse_chat_history(request) for request in model.requests]
    assert len({str(system) for system, _ in seen}) == 1
    for (_, shorter), (_, longer) in pairwise(seen):
        assert list(map(str, longer))[: len(shorter)] == list(map(str, shorter))
    assert "[r1 fetch] success" in str(seen[-1][1])


@pytest.mark.parametrize("order", ["caching outside", "caching inside", "none"])
async def test_anthropic_payloads_are_prefixes_of_each_other(bench, kit, order):
    claude = ChatAnthropic(model="claude-sonnet-4-5", api_key="x")
    payloads = []

    class Recording(ChatAnthropic):
        """The real adapter up to the wire; what it would send is kept, and the script answers."""

        _script: ScriptedChatModel = PrivateAttr(default_factory=lambda: ScriptedChatModel(turns=busy_turns()))

        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            payloads.append(self._get_request_payload(messages, stop=stop, **kwargs))
            return self._script._generate(messages)

        async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
            return self._generate(messages, stop, None, **kwargs)

    caching = AnthropicPromptCachingMiddleware()
    layers = {"caching outside": {"before": [caching]}, "caching inside": {"after": [caching]}, "none": {}}[order]
    await play(bench, kit, Recording(model="claude-sonnet-4-5", api_key="x"), **layers)
    assert len(payloads) == 46
    assert ("cache_control" in json.dumps(payloads[0], default=str)) == (order != "none")
    # The automatic breakpoint moves on to the newest block by design; what is cached is the text before it.
    assert_prefixes([without_breakpoints(payload) for payload in payloads])
    system = json.dumps(payloads[0]["system"])
    assert all(json.dumps(payload["system"]) == system for payload in payloads)
    text = json.dumps(payloads[-1])
    assert text.count("[r1 fetch] success") == 1
    assert text.count("[r83 web_search] provider") <= 1
    assert "web_search] provider" in text
    assert claude is not None


def without_breakpoints(value):
    if isinstance(value, dict):
        return {key: without_breakpoints(item) for key, item in value.items() if key != "cache_control"}
    if isinstance(value, list):
        return [without_breakpoints(item) for item in value]
    return value


async def test_inline_keeps_every_request_a_prefix_and_costs_little_beside_the_results(bench, kit):
    """The share of a request that the next one repeats, against the placement at the tail."""
    shares, sizes = {}, {}
    for placement in ("inline", "tail", "none"):
        model = ScriptedChatModel(turns=busy_turns())
        receipts = ReceiptsMiddleware(on_error="raise", placement=placement)
        await play(bench, kit, model, placement, receipts=receipts)
        openai = ChatOpenAI(model="gpt-5", api_key="x")
        payloads = [json.dumps(openai._get_request_payload(r)["messages"])[:-1] for r in model.requests[:40]]
        repeated = sum(common(a, b) for a, b in pairwise(payloads))
        shares[placement] = repeated / sum(map(len, payloads[:-1]))
        sizes[placement] = sum(map(len, payloads))
    assert shares["inline"] == shares["none"] == 1
    assert shares["tail"] < 1
    assert sizes["inline"] < 1.15 * sizes["none"]


def common(first: str, second: str) -> int:
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[:middle] == second[:middle] else (low, middle - 1)
    return low


async def test_the_tail_stands_behind_everything_and_nothing_before_it_changes(bench, kit):
    model = ScriptedChatModel(turns=busy_turns())
    await play(bench, kit, model, receipts=ReceiptsMiddleware(on_error="raise", placement="tail", max_chars=900))
    for shorter, longer in zip(model.requests[1:], model.requests[2:], strict=False):
        bare = [m.content for m in shorter[:-1]]
        assert [m.content for m in longer][: len(bare)] == bare
        assert len(longer[-1].content) <= 900
