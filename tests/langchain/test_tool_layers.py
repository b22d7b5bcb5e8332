"""Other middleware around us: dynamic and redirected tools, layers that answer themselves, layers that drop keys."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, LLMToolEmulator
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.prebuilt.tool_node import ToolCallRequest

from receipts_middleware import verify_messages
from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.core.keys import RECEIPT_KEY
from receipts_middleware.core.snapshot import parse_snapshot
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return f"sent to {to}"


@tool
def draft_email(to: str) -> str:
    """Draft an email."""
    return f"drafted to {to}"


class Layer(AgentMiddleware):
    """A layer made of one function of (request, call the inner layers), for both kinds of run.

    `change` gets the request and returns the request to run, or a message that answers in its place; `after` gets the
    result.
    """

    def __init__(self, change: Any = None, after: Any = None, tools: Any = (), name: str = "Layer") -> None:
        super().__init__()
        self.label = name
        self.change = change or (lambda request: request)
        self.after = after or (lambda request, result: result)
        self.dynamic = list(tools)

    @property
    def name(self) -> str:
        return self.label

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        changed = self.change(request)
        return self.after(request, handler(changed) if isinstance(changed, ToolCallRequest) else changed)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        changed = self.change(request)
        return self.after(request, await handler(changed) if isinstance(changed, ToolCallRequest) else changed)

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(tools=[*request.tools, *self.dynamic]))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(request.override(tools=[*request.tools, *self.dynamic]))


def model(name: str = "send_email", final: str = "Done.") -> ScriptedChatModel:
    call = {"name": name, "args": {"to": "ana@example.com"}, "id": "c1"}
    return ScriptedChatModel(turns=[{"tool_calls": [call]}, final])


def stacked(layer: Any, place: str, receipts: Any = None) -> list[Any]:
    receipts = receipts or ReceiptsMiddleware()
    return [layer, receipts] if place == "outside" else [receipts, layer]


PLACES = pytest.mark.parametrize("place", ["outside", "inside"])


@PLACES
def test_a_tool_that_a_layer_adds_while_running_is_recorded(place, host, drive, stamps):
    def bring(request: Any) -> Any:
        return request.override(tool=send_email) if request.tool_call["name"] == "send_email" else request

    layer = Layer(bring, tools=[send_email])
    result = drive.ask(host(model(), [draft_email], stacked(layer, place)))

    receipt = stamps(result)[0]
    assert (receipt.tool, receipt.outcome, receipt.args_edited) == ("send_email", "success", False)
    assert receipt.output_sha256 == digest_output("sent to ana@example.com").sha256
    assert receipt.args_sha256 == digest_args({"to": "ana@example.com"}).sha256


@PLACES
@pytest.mark.parametrize("how", ["tool and call", "tool alone"])
def test_a_redirected_call_is_recorded_under_the_tool_that_ran(how, place, drive, stamps, ledger):
    def redirect(request: Any) -> Any:
        call = {**request.tool_call, "name": "draft_email"} if how == "tool and call" else request.tool_call
        return request.override(tool=draft_email, tool_call=call)

    agent = create_agent(model(), tools=[send_email, draft_email], middleware=stacked(Layer(redirect), place))
    result = drive.ask(agent)

    receipt = stamps(result)[0]
    assert (receipt.n, receipt.tool, receipt.outcome, receipt.args_edited) == (1, "draft_email", "success", True)
    assert receipt.output_sha256 == digest_output("drafted to ana@example.com").sha256
    assert {n: e.tool for n, e in ledger(result).items()} == {1: "draft_email"}


@PLACES
def test_arguments_that_a_layer_changes_are_the_ones_that_are_hashed(place, drive, stamps):
    def change(request: Any) -> Any:
        return request.override(tool_call={**request.tool_call, "args": {"to": "bob@example.com"}})

    result = drive.ask(create_agent(model(), tools=[send_email], middleware=stacked(Layer(change), place)))
    receipt = stamps(result)[0]
    assert receipt.args_sha256 == digest_args({"to": "bob@example.com"}).sha256
    assert receipt.args_edited is True


def test_an_emulated_tool_is_synthetic_and_said_so_once_in_the_log(drive, stamps, caplog):
    calls = [{"name": "send_email", "args": {"to": str(i)}, "id": f"c{i}"} for i in range(3)]
    agent = create_agent(
        ScriptedChatModel(turns=[{"tool_calls": calls}, "Sent [r1 send_email]."]),
        tools=[send_email],
        middleware=[ReceiptsMiddleware(), LLMToolEmulator(model=ScriptedChatModel(turns=["sent, I think"]))],
    )
    with caplog.at_level(logging.WARNING, "receipts_middleware"):
        result = drive.ask(agent)

    assert [(r.outcome, r.outcome_source) for r in stamps(result)] == [("synthetic", "framework")] * 3
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert not verify_messages(result).ok


@pytest.mark.parametrize("status", ["success", "error"])
def test_a_layer_inside_that_answers_itself_is_not_believed(status, drive, stamps):
    def answer(request: Any) -> Any:
        return ToolMessage("sent", tool_call_id="c1", name="send_email", status=status)

    agent = create_agent(model(), tools=[send_email], middleware=stacked(Layer(answer), "inside"))
    expected = "synthetic" if status == "success" else "not_executed"
    assert [r.outcome for r in stamps(drive.ask(agent))] == [expected]


@PLACES
def test_a_layer_that_calls_the_tool_itself_has_run_it(place, drive, stamps, ledger):
    def run(request: Any) -> Any:
        return request.tool.invoke({**request.tool_call, "type": "tool_call"})

    result = drive.ask(create_agent(model(), tools=[send_email], middleware=stacked(Layer(run), place)))
    if place == "inside":
        assert [(r.outcome, r.args_edited) for r in stamps(result)] == [("success", False)]
    else:
        assert [(e.origin, e.outcome) for e in ledger(result).values()] == [("derived", "success")]
        assert verify_messages(result).trust["unstamped"] == 1


def test_a_tool_that_a_layer_assigns_or_copies_is_recorded_too(drive, stamps):
    def assign(request: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            request.tool = draft_email
        return request

    def copied(request: Any) -> Any:
        return request.override(tool=request.tool.model_copy())

    def rebuilt(request: Any) -> Any:
        return ToolCallRequest(request.tool_call, request.tool, request.state, request.runtime)

    for change, name in ((assign, "draft_email"), (copied, "send_email"), (rebuilt, "send_email")):
        agent = create_agent(model(), tools=[send_email, draft_email], middleware=stacked(Layer(change), "inside"))
        assert [(r.outcome, r.tool) for r in stamps(drive.ask(agent))] == [("success", name)]


def test_a_layer_inside_sees_a_tool_equal_to_its_own(drive, stamps):
    seen: list[bool] = []

    def compare(request: Any) -> Any:
        mine: list[BaseTool] = [draft_email, send_email]
        seen.append(request.tool in mine and send_email == request.tool and mine.index(request.tool) == 1)
        seen.append(isinstance(request.tool, type(send_email)) and request.tool != draft_email)
        return request

    drive.ask(create_agent(model(), tools=[send_email, draft_email], middleware=stacked(Layer(compare), "inside")))
    assert seen == [True, True]


@PLACES
def test_a_result_that_a_layer_rewrites_keeps_the_hash_of_what_the_tool_returned(place, drive, stamps):
    def rewrite(request: Any, result: Any) -> Any:
        return result.model_copy(update={"content": "REDACTED"})

    result = drive.ask(create_agent(model(), tools=[send_email], middleware=stacked(Layer(after=rewrite), place)))
    assert stamps(result)[0].output_sha256 == digest_output("sent to ana@example.com").sha256
    rules = [finding.rule for finding in verify_messages(result).findings]
    assert "transformed" in rules


def drop(request: Any, result: Any) -> Any:
    """What versions of redacting layers do: a new message without the additional keys."""
    return ToolMessage(result.content, tool_call_id=result.tool_call_id, name=result.name, id=result.id)


def test_a_receipt_that_a_layer_outside_drops_comes_back_at_the_next_model_call(host, drive, ledger):
    events: list[dict[str, Any]] = []
    stack = [Layer(after=drop), Layer(after=lambda request, result: events.append(result) or result, name="Keep")]
    agent = host(model(final="Sent [r1 send_email]."), [send_email], [*stack, ReceiptsMiddleware()])
    result = drive.ask(agent)

    written = events[0].additional_kwargs[RECEIPT_KEY]
    assert RECEIPT_KEY not in result["messages"][2].additional_kwargs
    snapshot = parse_snapshot(result["messages"][-1].additional_kwargs["receipts_middleware.snapshot"])
    assert [row.receipt.uid for row in snapshot.entries] == [written["uid"]]
    assert snapshot.shown.spans == ((1, 1),)
    entry = ledger(result)[1]
    assert (entry.origin, entry.receipt.uid, entry.outcome) == ("carried", written["uid"], "success")
    verification = verify_messages(result)
    assert verification.verdict == "clean"
    assert verification.trust["unstamped"] == 0


def test_a_restored_receipt_is_announced_once(drive):
    agent = create_agent(model(), tools=[send_email], middleware=[Layer(after=drop), ReceiptsMiddleware()])
    events = drive.stream(agent, {"messages": [("user", "go")]}, stream_mode="custom")
    assert [event["receipt"]["n"] for event in events] == [1]


def test_a_tool_class_that_cannot_be_stood_in_for_runs_all_the_same(drive, stamps, caplog):
    class Sealed(BaseTool):
        name: str = "send_email"
        description: str = "Send an email"

        def __init_subclass__(cls, **kwargs: Any) -> None:
            raise TypeError("sealed")

        def _run(self, to: str) -> str:
            return f"sent to {to}"

    with caplog.at_level(logging.WARNING, "receipts_middleware"):
        result = drive.ask(create_agent(model(), tools=[Sealed()], middleware=[ReceiptsMiddleware()]))

    receipt = stamps(result)[0]
    assert (receipt.outcome, receipt.attempts) == ("success", None)
    assert receipt.output_sha256 == digest_output("sent to ana@example.com").sha256
    assert len(caplog.records) == 1


class Cache(AgentMiddleware):
    """Keeps results and gives them back for equal arguments, stamped as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, ToolMessage] = {}

    def _again(self, request: Any) -> ToolMessage | None:
        kept = self.kept.get(str(request.tool_call["args"]))
        return kept and kept.model_copy(update={"tool_call_id": request.tool_call["id"], "id": None})

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self._again(request) or self.kept.setdefault(str(request.tool_call["args"]), handler(request))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self._again(request) or self.kept.setdefault(str(request.tool_call["args"]), await handler(request))


@pytest.mark.parametrize("ids", [("c1", "c2"), ("c1", "c1")], ids=["own ids", "one id"])
def test_a_kept_result_does_not_lend_its_receipt_to_another_call(ids, drive, ledger):
    """The first call is not bought twice: the second has a receipt of its own that counts as unstamped."""
    calls = [{"tool_calls": [{"name": "send_email", "args": {"to": "ana"}, "id": call_id}]} for call_id in ids]
    agent = create_agent(
        ScriptedChatModel(turns=[*calls, "Sent [r1 send_email] [r2 send_email]."]),
        tools=[send_email],
        middleware=[Cache(), ReceiptsMiddleware()],
    )
    result = drive.ask(agent)

    assert {n: e.origin for n, e in ledger(result).items()} == {1: "stamped", 2: "derived"}
    verification = verify_messages(result)
    assert verification.trust["unstamped"] == 1
    assert "number_mismatch" in [finding.rule for finding in verification.findings]
