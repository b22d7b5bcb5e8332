"""`lint=`: calls held against the schemas of their tools before they run, in real agents."""

from __future__ import annotations

import builtins
import json
import logging
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolErrorMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, StructuredTool, Tool, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode, ToolRuntime
from langgraph.types import Command
from pydantic import BaseModel

from receipts_middleware import verify_messages
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.lint.checker import Checker
from receipts_middleware.store import SqliteSink

RAN: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


class Mail(BaseModel):
    """A mail."""

    to: str
    copies: int = 1
    kind: Literal["plain", "html"] = "plain"


@tool(args_schema=Mail)
def send_email(to: str, copies: int = 1, kind: str = "plain") -> dict[str, str]:
    """Send an email."""
    RAN.append(to)
    return {"id": "msg_17", "status": "sent"}


@tool
def with_injected(
    key: str,
    state: Annotated[dict[str, Any], InjectedState],
    call_id: Annotated[str, InjectedToolCallId],
    runtime: ToolRuntime,
) -> str:
    """Look something up, with what the host injects."""
    assert state["messages"]
    assert runtime.state["messages"]
    RAN.append(call_id)
    return f"value of {key}"


@tool
def hand_over(to: str, call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Answer by a command."""
    RAN.append(to)
    return Command(update={"messages": [ToolMessage("handed over", tool_call_id=call_id)]})


def _page(**args: Any) -> str:
    RAN.append(json.dumps(args))
    return "a page"


#: As an MCP adapter makes them: a schema that is data.
fetch_page = StructuredTool(
    name="fetch_page",
    description="Fetch a page.",
    func=_page,
    args_schema={
        "type": "object",
        "properties": {"url": {"type": "string"}, "depth": {"type": "integer", "minimum": 0}},
        "required": ["url"],
        "additionalProperties": False,
    },
)

TOOLS = [send_email, with_injected, hand_over, fetch_page]


def call(name: str, call_id: str = "c1", **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id}


def agent(
    make: Callable[..., Any], turns: list[Any], lint: Any, *layers: Any, tools: Any = None, **options: Any
) -> Any:
    model = ScriptedChatModel(turns=turns, by="order")
    middleware = [*layers, ReceiptsMiddleware(lint=lint, **{"on_error": "raise", **options})]
    return make(model, TOOLS if tools is None else tools, middleware)


def plain_agent(model: Any, tools: Any, middleware: Any) -> Any:
    return create_agent(model, tools=tools, middleware=middleware)


def answers(result: Any) -> list[ToolMessage]:
    return [message for message in result["messages"] if isinstance(message, ToolMessage)]


def lint_findings(result: Any) -> list[tuple[str, str]]:
    found = verify_messages(result).findings
    return [(f.rule, f.severity) for f in found if f.rule.startswith(("args_", "tool_"))]


#: id: call, rules with their severities in the receipt; empty where the call fits.
CALLS: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "fits": (call("send_email", to="ana@example.com"), []),
    "missing": (call("send_email", copies=2), [("args_missing", "error")]),
    "all at once": (
        call("send_email", copies="2", kind="fancy"),
        [("args_missing", "error"), ("args_stringified", "error"), ("args_enum", "error")],
    ),
    "unnamed": (call("send_email", to="a", cc="b"), [("args_extra", "warning")]),
    "a schema that is data": (
        call("fetch_page", url="u", depth=-1, more=1),
        [("args_value", "error"), ("args_extra", "error")],
    ),
    "a schema that is data, fits": (call("fetch_page", url="u"), []),
    "injected": (call("with_injected", key="a"), []),
    "injected, wrong": (call("with_injected", key=1), [("args_type", "error")]),
    "command": (call("hand_over", to="b"), []),
    "command, wrong": (call("hand_over"), [("args_missing", "error")]),
}


@pytest.mark.parametrize("name", CALLS)
def test_record_notes_what_does_not_fit_and_changes_nothing_else(name, host, drive, stamps):
    made, expected = CALLS[name]
    turns = [{"tool_calls": [made]}, "Done."]
    result = drive.ask(agent(host, turns, "record"))
    plain = drive.ask(agent(host, turns, None))

    receipt = stamps(result)[0]
    rows = receipt.extra.get("lint", [])
    assert sorted((row["rule"], row["severity"]) for row in rows) == sorted(expected)
    assert [(m.content, m.status) for m in answers(result)] == [(m.content, m.status) for m in answers(plain)]
    assert (receipt.outcome, receipt.outcome_source) == (stamps(plain)[0].outcome, stamps(plain)[0].outcome_source)
    weaker = {"error": "warning", "warning": "note"}
    assert sorted(lint_findings(result)) == sorted((rule, weaker[severity]) for rule, severity in expected)
    assert verify_messages(result).verdict == verify_messages(plain).verdict
    assert lint_findings(plain) == []


@pytest.mark.parametrize("name", CALLS)
def test_reject_answers_what_does_not_fit_and_lets_the_rest_run(name, host, drive, stamps):
    made, expected = CALLS[name]
    result = drive.ask(agent(host, [{"tool_calls": [made]}, "Done."], "reject"))
    receipt, answer = stamps(result)[0], answers(result)[0]
    if not any(severity == "error" for _, severity in expected):
        assert (answer.status, receipt.outcome) == ("success", "success")
        assert len(RAN) == 1
        return
    assert RAN == []
    assert (answer.status, answer.name, answer.tool_call_id) == ("error", made["name"], "c1")
    assert (receipt.outcome, receipt.outcome_source, receipt.n) == ("rejected", "policy", 1)
    assert len([line for line in answer.text.splitlines() if line.startswith("- ")]) == len(expected)
    assert {severity for _, severity in lint_findings(result)} == {"note"}
    assert "transformed" not in [f.rule for f in verify_messages(result).findings]


def test_a_refusal_says_every_fault_and_how_to_fix_it_and_the_model_can_follow(drive, stamps):
    turns = [
        {"tool_calls": [call("send_email", copies="2", kind="fancy")]},
        {"tool_calls": [call("send_email", "c2", to="ana@example.com", copies=2, kind="html")]},
        "Sent it [r2 send_email].",
    ]
    result = drive.ask(agent(plain_agent, turns, "reject"))
    text = answers(result)[0].text
    for part in ('"to" is missing', "Give 2 itself, without quotes", '"fancy"', '"html"', "call it again"):
        assert part in text
    assert RAN == ["ana@example.com"]
    assert [r.outcome for r in stamps(result)] == ["rejected", "success"]
    assert verify_messages(result).verdict == "clean"


def test_a_claim_over_a_refused_call_is_overstated(drive):
    turns = [{"tool_calls": [call("send_email")]}, "I sent the email [r1 send_email]."]
    assert verify_messages(drive.ask(agent(plain_agent, turns, "reject"))).verdict in ("overstated", "fabricated")


def test_parallel_calls_are_judged_each_for_itself(host, drive, stamps):
    calls = [call("send_email", f"c{i}", **({"to": f"p{i}"} if i % 2 else {"copies": 1})) for i in range(12)]
    result = drive.ask(agent(host, [{"tool_calls": calls}, "Done."], "reject"))
    assert sorted(RAN) == sorted(f"p{i}" for i in range(1, 12, 2))
    assert [r.outcome for r in stamps(result)] == ["rejected", "success"] * 6
    assert [r.n for r in stamps(result)] == list(range(1, 13))


def test_no_value_of_an_argument_is_in_a_receipt_and_it_stays_small(drive):
    secret = {"to": ["hunter2"], "copies": "hunter2", "kind": "hunter2"}
    many = {f"unknown_{i}_{'x' * 200}": i for i in range(40)}
    result = drive.ask(agent(plain_agent, [{"tool_calls": [call("send_email", **secret, **many)]}, "No."], "record"))
    stamp = answers(result)[0].additional_kwargs[RECEIPT_KEY]
    text = json.dumps(stamp)
    assert "hunter2" not in text
    assert len(stamp["lint"]) == 6
    assert stamp["lint_more"] > 5
    assert len(text) < 1_500


@pytest.mark.parametrize("capture", ["values", "hashes"])
def test_places_are_left_out_where_no_values_are_kept(capture, drive):
    turns = [{"tool_calls": [call("send_email", to="a", **{"ana@example.com": 1})]}, "No."]
    result = drive.ask(agent(plain_agent, turns, "record", capture=capture))
    stamp = answers(result)[0].additional_kwargs[RECEIPT_KEY]
    assert [row["rule"] for row in stamp["lint"]] == ["args_extra"]
    assert ("ana@example.com" in json.dumps(stamp)) is (capture == "values")


def test_a_tool_that_nobody_declared_is_noted_and_answered_by_the_host(host, drive, stamps):
    result = drive.ask(agent(host, [{"tool_calls": [call("send_mail", to="a")]}, "No."], "record"))
    receipt = stamps(result)[0]
    assert (receipt.outcome, receipt.extra["lint"]) == (
        "not_executed",
        [{"rule": "tool_undeclared", "severity": "error"}],
    )
    assert lint_findings(result) == [("tool_undeclared", "warning")]


class Answering(AgentMiddleware[Any, Any, Any]):
    """Answers the calls of tools that are bound as mere dicts."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        if request.tool_call["name"] != "remote":
            return handler(request)
        RAN.append("remote")
        return ToolMessage("answered", tool_call_id=request.tool_call["id"], name="remote")

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return (
            self.wrap_tool_call(request, handler) if request.tool_call["name"] == "remote" else await handler(request)
        )


REMOTE = {
    "type": "function",
    "function": {
        "name": "remote",
        "description": "Runs elsewhere.",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    },
}


@pytest.mark.parametrize(("args", "ran"), [({"n": 1}, ["remote"]), ({"n": "1"}, [])])
def test_a_tool_that_is_a_dict_is_held_against_what_it_declares(args, ran, drive, stamps):
    def make(model: Any, tools: Any, middleware: Any) -> Any:
        return create_agent(model, tools=tools, middleware=[*middleware, Answering()])  # inside of ours

    turns = [{"tool_calls": [call("remote", **args)]}, "Done."]
    result = drive.ask(agent(make, turns, "reject", tools=[send_email, REMOTE]))
    assert ran == RAN
    assert (stamps(result)[0].outcome == "rejected") is not bool(ran)
    assert ("lint" in stamps(result)[0].extra) is not bool(ran)


def test_a_tool_that_a_layer_inside_puts_in_place_is_looked_at_behind(drive, stamps):
    class Dynamic(AgentMiddleware[Any, Any, Any]):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(tool=send_email))

        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            return await handler(request.override(tool=send_email))

    def make(model: Any, tools: Any, middleware: Any) -> Any:
        return create_agent(model, tools=tools, middleware=[*middleware, Dynamic()])

    turns = [{"tool_calls": [call("send_email", to="a", cc="b")]}, "Done."]
    result = drive.ask(agent(make, turns, "record", tools=[]))
    assert RAN == ["a"]
    assert [row["rule"] for row in stamps(result)[0].extra["lint"]] == ["args_extra"]


def test_a_layer_outside_that_answers_errors_sees_a_refusal_as_a_message(drive, stamps):
    layer = ToolErrorMiddleware(on_error=lambda *_: "It failed.")
    result = drive.ask(agent(plain_agent, [{"tool_calls": [call("send_email")]}, "No."], "reject", layer))
    assert stamps(result)[0].outcome == "rejected"


def test_plain_tool_nodes_refuse_too(drive, stamps):
    receipts = ReceiptsMiddleware(lint="reject", on_error="raise")
    node = ToolNode(TOOLS, wrap_tool_call=receipts.wrap_tool_call, awrap_tool_call=receipts.awrap_tool_call)
    graph = StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools").compile()
    calls = [call("send_email", "c1"), call("send_email", "c2", to="b")]
    result = drive(graph, {"messages": [HumanMessage("go"), AIMessage("", tool_calls=calls)]})
    assert RAN == ["b"]
    assert [r.outcome for r in stamps(result)] == ["rejected", "success"]


@pytest.mark.parametrize("lint", ["record", "reject"])
def test_a_subagent_with_the_middleware_is_held_to_its_own_schemas(lint, drive):
    child = {
        "name": "mailer",
        "description": "Sends mail.",
        "system_prompt": "Send.",
        "model": ScriptedChatModel(
            turns=[{"tool_calls": [call("send_email", copies=1)]}, "It did not go out."], by="order"
        ),
        "tools": [send_email],
        "middleware": [ReceiptsMiddleware(lint=lint, on_error="raise")],
    }
    task = call("task", "t1", description="Mail Ana.", subagent_type="mailer")
    graph = create_deep_agent(
        model=ScriptedChatModel(turns=[{"tool_calls": [task]}, "No mail went out."], by="order"),
        tools=[],
        subagents=[child],
        middleware=[ReceiptsMiddleware(lint=lint, on_error="raise")],
    )
    result = drive.ask(graph)
    receipt = answers(result)[0].additional_kwargs[RECEIPT_KEY]
    below = receipt["children"][0]["receipts"][0]
    assert "lint" not in receipt
    assert below["outcome"] == ("rejected" if lint == "reject" else "not_executed")
    assert [row["rule"] for row in below["lint"]] == ["args_missing"]
    assert RAN == []


def test_a_refused_call_is_in_the_sink_as_refused(drive, tmp_path):
    sink = SqliteSink(tmp_path / "receipts.db")
    turns = [{"tool_calls": [call("send_email")]}, "It was not sent [r1 send_email]."]
    result = drive.ask(agent(plain_agent, turns, "reject", sink=sink))
    found = verify_messages(result, sink=sink)
    assert found.verdict == "clean"
    assert [e.outcome for e in found.ledger] == ["rejected"]


def test_notes_are_signed_with_the_receipt(drive):
    key = b"0123456789abcdef0123456789abcdef"
    turns = [{"tool_calls": [call("send_email")]}, "It was not sent [r1 send_email]."]
    result = drive.ask(agent(plain_agent, turns, "reject", signing_key=key))
    assert verify_messages(result, signing_key=key).trust["signatures"] == "valid"
    del answers(result)[0].additional_kwargs[RECEIPT_KEY]["lint"]
    assert verify_messages(result, signing_key=key).trust["signatures"] != "valid"


def test_each_tool_is_compiled_once(drive, monkeypatch):
    made: list[str] = []
    original = Checker.__init__

    def counted(self: Checker, declared: Any) -> None:
        made.append(declared.name)
        original(self, declared)

    monkeypatch.setattr(Checker, "__init__", counted)
    turns = [{"tool_calls": [call("send_email", f"c{i}", to="a")]} for i in range(5)]
    graph = agent(plain_agent, [*turns, "Done."], "record")
    drive.ask(graph)
    assert made == ["send_email"]


class Odd(BaseModel):
    """Of which no JSON Schema can be made."""

    to: str
    act: Callable[[], None] | None = None


@tool(args_schema=Odd)
def odd(to: str, act: Any = None) -> str:
    """Odd."""
    RAN.append(to)
    return "done"


@pytest.mark.parametrize("lint", ["record", "reject"])
def test_a_schema_that_cannot_be_used_loses_no_call_and_is_told_of_once(lint, drive, caplog, stamps):
    class Silent(ScriptedChatModel):
        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

    turns = [{"tool_calls": [call("odd", f"c{i}", to=f"p{i}")]} for i in range(3)]
    graph = create_agent(
        Silent(turns=[*turns, "Done."], by="order"), tools=[odd], middleware=[ReceiptsMiddleware(lint=lint)]
    )
    with caplog.at_level(logging.WARNING, "receipts_middleware"):
        result = drive.ask(graph)
    assert RAN == ["p0", "p1", "p2"]
    assert [r.outcome for r in stamps(result)] == ["success"] * 3
    assert len([r for r in caplog.records if "schema" in r.getMessage()]) == 1


@pytest.mark.parametrize("lint", ["record", "reject"])
def test_a_failure_of_the_lint_itself_loses_no_call_and_is_told_of_once(lint, drive, caplog, monkeypatch, stamps):
    def broken(self: Checker, arguments: object, *, is_text: bool = False) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(Checker, "check", broken)
    turns = [{"tool_calls": [call("send_email", f"c{i}", to="a")]} for i in range(3)]
    with caplog.at_level(logging.WARNING, "receipts_middleware"):
        result = drive.ask(agent(plain_agent, [*turns, "Done."], lint, on_error="warn"))
    assert RAN == ["a"] * 3
    assert [(r.outcome, "lint" in r.extra) for r in stamps(result)] == [("success", False)] * 3
    assert len([r for r in caplog.records if "broken" in r.getMessage()]) == 1


def test_a_tool_of_one_text_has_no_schema_to_be_held_against(drive, stamps):
    search = Tool(name="search", description="Search.", func=lambda text: f"found {text}")
    result = drive.ask(
        agent(plain_agent, [{"tool_calls": [call("search", __arg1="x")]}, "Done."], "reject", tools=[search])
    )
    assert stamps(result)[0].outcome == "success"


@pytest.mark.parametrize("value", ["off", True, "Record", 1])
def test_an_unknown_mode_is_refused_at_once(value):
    with pytest.raises(UsageError, match="record"):
        ReceiptsMiddleware(lint=value)


@pytest.mark.parametrize("lint", ["record", "reject"])
def test_a_missing_library_is_told_of_at_construction(lint, monkeypatch):
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "jsonschema_rs":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"receipts-middleware\[lint\]"):
        ReceiptsMiddleware(lint=lint)
    ReceiptsMiddleware()  # and nobody else needs it
