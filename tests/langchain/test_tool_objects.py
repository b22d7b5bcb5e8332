"""Tools of every make: they keep their state, their class and their behaviour, and are recorded once."""

from __future__ import annotations

import asyncio
import copy
import functools
import pickle
import threading
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, Tool
from pydantic import BaseModel, ConfigDict, PrivateAttr

from receipts_middleware.core.canonical import digest_args
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.standin import Recorder, original_of, recorder_of, stand_in
from receipts_middleware.langchain.testing import ScriptedChatModel


class Query(BaseModel):
    key: str


class Stateful(BaseTool):
    """Connects on first use, in a private attribute, a field and a cached property."""

    name: str = "look_up"
    description: str = "Look something up"
    args_schema: type[BaseModel] = Query
    uses: int = 0
    _connection: object = PrivateAttr(default=None)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)
    _connects: int = PrivateAttr(default=0)

    @functools.cached_property
    def token(self) -> str:
        self._connects += 1
        return f"token {self._connects}"

    def _run(self, key: str) -> str:
        with self._lock:
            if self._connection is None:
                self._connection = object()
                self._connects += 1
            self.uses += 1
            return f"{self.token} {isinstance(self, Stateful)} {type(self).__name__}"

    async def _arun(self, key: str) -> str:
        return self._run(key)


class Frozen(Stateful):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def _run(self, key: str) -> str:
        return f"token {isinstance(self, Frozen)} {hash(type(self)) is not None}"


class OwnInvoke(Stateful):
    """Overrides `invoke` and `ainvoke` without calling the parent's."""

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        self.uses += 1
        return ToolMessage("own", tool_call_id=input["id"], name=self.name)

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        return self.invoke(input, config, **kwargs)


class ParentInvoke(Stateful):
    """Overrides `invoke` and goes on to the parent's."""

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        return super().invoke(input, config, **kwargs)

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        return await super().ainvoke(input, config, **kwargs)


class OtherThread(Stateful):
    """Its `ainvoke` runs `invoke` in a thread that does not get the context."""

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, lambda: self.invoke(input, config, **kwargs))


async def alook(key: str) -> str:
    await asyncio.sleep(0)
    return "async"


def look(key: str) -> str:
    return "sync"


JSON_SCHEMA = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
MAKES: dict[str, Any] = {
    "stateful": Stateful,
    "frozen, no extras": Frozen,
    "own invoke": OwnInvoke,
    "parent's invoke": ParentInvoke,
    "other thread": OtherThread,
    "function": lambda: StructuredTool.from_function(look, name="look_up", description="Look"),
    "both": lambda: StructuredTool.from_function(look, alook, name="look_up", description="Look"),
    "json schema": lambda: StructuredTool(
        name="look_up", description="Look", args_schema=JSON_SCHEMA, func=look, coroutine=alook
    ),
    "single input": lambda: Tool(name="look_up", func=look, description="Look"),
}


def three_calls(tool: Any) -> Any:
    args = {"__arg1": "a"} if isinstance(tool, Tool) else {"key": "a"}
    calls = [{"name": "look_up", "args": args} for _ in range(3)]
    return create_agent(
        ScriptedChatModel(turns=[{"tool_calls": calls}, "Done."]), tools=[tool], middleware=[ReceiptsMiddleware()]
    )


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_every_make_of_tool_is_recorded_once_a_call(make, drive, stamps):
    tool = make()
    result = drive.ask(three_calls(tool))
    args = {"__arg1": "a"} if isinstance(tool, Tool) else {"key": "a"}
    assert [(r.n, r.outcome, r.attempts, r.args_edited) for r in stamps(result)] == [
        (n, "success", None, False) for n in (1, 2, 3)
    ]
    assert {r.args_sha256 for r in stamps(result)} == {digest_args(args).sha256}


@pytest.mark.parametrize("make", [Stateful, ParentInvoke, OtherThread])
def test_a_tool_keeps_its_state_over_calls(make, drive):
    tool = make()
    result = drive.ask(three_calls(tool))
    texts = [m.content for m in result["messages"] if isinstance(m, ToolMessage)]
    assert texts == [f"token 2 True {make.__name__}"] * 3
    assert tool.uses == 3
    assert tool._connects == 2


def test_an_async_tool_runs_in_async_runs_and_is_refused_in_sync_ones_as_without_us(drive, stamps):
    tool = StructuredTool.from_function(coroutine=alook, name="look_up", description="Look")
    if drive.mode == "async":
        assert [r.outcome for r in stamps(drive.ask(three_calls(tool)))] == ["success"] * 3
        return
    with pytest.raises(NotImplementedError, match="sync"):
        drive.ask(three_calls(tool))


def test_an_invoke_that_somebody_put_on_the_very_tool_is_recorded_and_used(drive, stamps):
    tool = Stateful()

    def patched(input: Any, config: Any = None, **kwargs: Any) -> Any:
        return ToolMessage("patched", tool_call_id=input["id"])

    async def apatched(input: Any, config: Any = None, **kwargs: Any) -> Any:
        return patched(input)

    object.__setattr__(tool, "invoke", patched)
    object.__setattr__(tool, "ainvoke", apatched)
    result = drive.ask(three_calls(tool))
    assert [r.outcome for r in stamps(result)] == ["success"] * 3
    assert {m.content for m in result["messages"] if isinstance(m, ToolMessage)} == {"patched"}


def test_copies_and_pickles_of_a_stand_in_are_the_tool_itself():
    tool = Stateful(uses=4)
    recorder = Recorder()
    twin = stand_in(tool, recorder)
    assert recorder_of(twin) is recorder
    assert recorder_of(tool) is None
    assert original_of(twin) is tool
    assert original_of(tool) is tool
    plain = StructuredTool.from_function(look, name="look_up", description="Look")
    for made in (copy.copy(twin), twin.model_copy()):
        assert type(made) is Stateful
        assert made == tool
    double = stand_in(plain, recorder)
    assert type(copy.deepcopy(double)) is StructuredTool
    assert twin.__reduce_ex__(pickle.HIGHEST_PROTOCOL) == (original_of, (tool,))
    assert twin == tool
    assert tool == twin
    assert twin != Stateful(uses=5)
    assert twin != "tool"
    assert twin.model_dump() == tool.model_dump()
    assert repr(twin) == repr(tool)


def test_stand_ins_share_one_class_and_do_not_change_the_real_one():
    one, two = stand_in(Stateful(), Recorder()), stand_in(Stateful(), Recorder())
    assert type(one) is type(two)
    assert type(one).__mro__[1] is Stateful
    assert Stateful().invoke.__func__ is BaseTool.invoke


def test_a_tool_with_state_in_slots_of_its_own_is_run_without_a_stand_in(drive, stamps):
    class Slotted(Stateful):
        __slots__ = ("seen",)

        def _run(self, key: str) -> str:
            object.__setattr__(self, "seen", key)
            return f"saw {self.seen}"

        async def _arun(self, key: str) -> str:
            return self._run(key)

    tool = Slotted()
    assert [(r.outcome, r.attempts) for r in stamps(drive.ask(three_calls(tool)))] == [("success", None)] * 3
    assert tool.seen == "a"


def test_a_tool_that_changes_its_arguments_does_not_change_the_record(drive, stamps):
    def book(seats: list[str], options: dict[str, Any]) -> str:
        seats.clear()
        options["added"] = True
        return "booked"

    schema = {"type": "object", "properties": {"seats": {"type": "array"}, "options": {"type": "object"}}}
    tool = StructuredTool(name="book", description="Book seats", args_schema=schema, func=book)
    args = {"seats": ["1A", "1B"], "options": {"meal": "veg"}}
    model = ScriptedChatModel(turns=[{"tool_calls": [{"name": "book", "args": copy.deepcopy(args)}]}, "Booked."])
    result = drive.ask(create_agent(model, tools=[tool], middleware=[ReceiptsMiddleware()]))
    assert [(r.args_sha256, r.args_edited) for r in stamps(result)] == [(digest_args(args).sha256, False)]
