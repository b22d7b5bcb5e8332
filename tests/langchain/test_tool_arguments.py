"""What is hashed are the arguments that the model can set; what the host injects is not."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.tools import InjectedStore, ToolRuntime
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId, StructuredTool, tool
from langgraph.prebuilt import InjectedState
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, Field

from receipts_middleware.core.canonical import digest_args
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


class State(AgentState):
    user_id: str


@tool
def by_state(x: int, state: Annotated[dict, InjectedState]) -> str:
    """Send with the state."""
    return f"{x} {len(state['messages'])}"


@tool
def by_field(x: int, user_id: Annotated[str, InjectedState("user_id")]) -> str:
    """Send with a field of the state."""
    return f"{x} {user_id}"


@tool
def by_store(x: int, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Send with the store."""
    return f"{x} {type(store).__name__}"


@tool
def by_runtime(x: int, runtime: ToolRuntime) -> str:
    """Send with the runtime."""
    return f"{x} {runtime.tool_call_id}"


@tool
def by_call_id(x: int, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Send with the call's id."""
    return f"{x} {tool_call_id}"


@tool
def by_config(x: int, config: RunnableConfig) -> str:
    """Send with the config."""
    return f"{x} {type(config).__name__}"


@tool
def by_secret(x: int, secret: Annotated[str, InjectedToolArg] = "default") -> str:
    """Send with something that a caller would inject."""
    return f"{x} {secret}"


class Everything(BaseModel):
    x: int
    state: Annotated[dict, InjectedState]
    user_id: Annotated[str, InjectedState("user_id")]
    store: Annotated[Any, InjectedStore()]


class BySchema(BaseTool):
    name: str = "by_schema"
    description: str = "Send with everything"
    args_schema: type[BaseModel] = Everything

    def _run(self, x: int, state: dict, user_id: str, store: Any) -> str:
        return f"{x} {len(state)} {user_id} {type(store).__name__}"


class BySignature(BaseTool):
    name: str = "by_signature"
    description: str = "Send with everything"

    def _run(self, x: int, runtime: ToolRuntime, user_id: Annotated[str, InjectedState("user_id")]) -> str:
        return f"{x} {runtime.tool_call_id} {user_id}"


def call_mcp(runtime: Any = None, **arguments: Any) -> str:
    return f"{arguments} {type(runtime).__name__}"


by_json_schema = StructuredTool(
    name="by_json_schema",
    description="Send as tools of an MCP server do",
    args_schema={"type": "object", "properties": {"x": {"type": "integer"}}},
    func=call_mcp,
)

INJECTED = [
    by_state,
    by_field,
    by_store,
    by_runtime,
    by_call_id,
    by_config,
    by_secret,
    BySchema(),
    BySignature(),
    by_json_schema,
]
#: Names that a model may try to set, with a value that the tool would let through.
FORGED = {
    "by_state": {"state": {"messages": []}},
    "by_field": {"user_id": "root"},
    "by_store": {"store": "mine"},
    "by_runtime": {"runtime": "mine"},
    "by_call_id": {"tool_call_id": "mine"},
    "by_secret": {"secret": "mine"},
    "by_schema": {"state": {"messages": []}, "user_id": "root", "store": "mine"},
    "by_signature": {"runtime": "mine", "user_id": "root"},
    "by_json_schema": {"runtime": "mine"},
}


def run(drive: Any, made: BaseTool, args: dict[str, Any], *layers: AgentMiddleware) -> Any:
    model = ScriptedChatModel(turns=[{"tool_calls": [{"name": made.name, "args": args, "id": "c1"}]}, "Done."])
    agent = create_agent(
        model,
        tools=[made],
        middleware=[ReceiptsMiddleware(), *layers],
        state_schema=State,
        store=InMemoryStore(),
    )
    return drive(agent, {"messages": [("user", "go")], "user_id": "u1"})


@pytest.mark.parametrize("made", INJECTED, ids=lambda made: made.name)
def test_what_the_host_injects_is_not_hashed(made, drive, stamps):
    receipt = stamps(run(drive, made, {"x": 1}))[0]
    assert receipt.args_sha256 == digest_args({"x": 1}).sha256
    assert (receipt.args_edited, receipt.outcome, receipt.lossy) == (False, "success", False)


@pytest.mark.parametrize("name", FORGED)
def test_values_that_a_model_gives_for_injected_names_are_not_hashed_and_count_as_edited(name, drive, stamps):
    """The receipt holds what ran; the host put its own values in place, so the call was not run as asked for."""
    made = next(made for made in INJECTED if made.name == name)
    result = run(drive, made, {"x": 1, **FORGED[name]})
    receipt = stamps(result)[0]
    assert receipt.outcome == "success"
    assert "mine" not in result["messages"][2].text
    assert "root" not in result["messages"][2].text
    assert receipt.args_sha256 == digest_args({"x": 1}).sha256
    assert receipt.args_edited is True


class Change(AgentMiddleware):
    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__()
        self.args = args

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(tool_call={**request.tool_call, "args": self.args}))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request.override(tool_call={**request.tool_call, "args": self.args}))


@pytest.mark.parametrize("made", INJECTED, ids=lambda made: made.name)
def test_what_the_host_injects_is_not_hashed_after_an_edit_either(made, drive, stamps):
    receipt = stamps(run(drive, made, {"x": 1}, Change({"x": 2})))[0]
    assert receipt.args_sha256 == digest_args({"x": 2}).sha256
    assert receipt.args_edited is True


class OtherState(AgentMiddleware):
    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(state={**request.state, "user_id": "u2"}))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request.override(state={**request.state, "user_id": "u2"}))


@pytest.mark.parametrize("made", INJECTED, ids=lambda made: made.name)
def test_parts_of_another_state_that_a_layer_puts_in_place_are_not_hashed(made, drive, stamps):
    receipt = stamps(run(drive, made, {"x": 1}, OtherState()))[0]
    assert receipt.args_sha256 == digest_args({"x": 1}).sha256
    assert receipt.args_edited is False


def test_an_argument_that_no_schema_names_is_hashed_where_the_tool_takes_it(drive, stamps):
    receipt = stamps(run(drive, by_json_schema, {"x": 1}, Change({"x": 1, "extra": [1, 2]})))[0]
    assert receipt.args_sha256 == digest_args({"x": 1, "extra": [1, 2]}).sha256


class Inject(AgentMiddleware):
    """Fills in what no model may set, and runs the tool itself."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        args = {**request.tool_call["args"], "secret": "token-4821"}
        return request.tool.invoke({**request.tool_call, "args": args, "type": "tool_call"})

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self.wrap_tool_call(request, handler)


def test_what_a_layer_injects_is_not_hashed_either(drive, stamps):
    result = run(drive, by_secret, {"x": 1}, Inject())
    assert result["messages"][2].content == "1 token-4821"
    receipt = stamps(result)[0]
    assert receipt.args_sha256 == digest_args({"x": 1}).sha256
    assert receipt.args_edited is False


class Aliased(BaseModel):
    amount: int = Field(alias="Amount")
    note: str = "none"


def test_arguments_are_hashed_before_coercion_defaults_and_aliases(drive, stamps):
    def charge(**arguments: Any) -> str:
        return str(arguments)

    made = StructuredTool(name="charge", description="Charge", args_schema=Aliased, func=charge)
    receipt = stamps(run(drive, made, {"Amount": "5"}))[0]
    assert (receipt.outcome, receipt.args_edited) == ("success", False)
    assert receipt.args_sha256 == digest_args({"Amount": "5"}).sha256


HOSTILE: list[dict[str, Any]] = [
    {"x": 2**70, "deep": {"a": [float("inf"), -0.0]}},
    {"text": "half \ud835", "half \ud835": 1},
    {"nan": float("nan")},
    {"nested": [[[[[[[[["deep"]]]]]]]]]},
    {"": None, "$k": {"$int": "1"}},
]


@pytest.mark.parametrize("args", HOSTILE)
def test_odd_arguments_are_recorded_and_unedited(args, drive, stamps):
    receipt = stamps(run(drive, by_json_schema, args))[0]
    assert (receipt.outcome, receipt.args_edited) == ("success", False)
    assert receipt.args_sha256 == digest_args(args).sha256
