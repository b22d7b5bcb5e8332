"""Help for tests of agents: `ScriptedChatModel`, a chat model whose turns are written down beforehand.

Only what users need in their own tests belongs here. It makes no network call and reads no clock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import Field, PrivateAttr, SkipValidation, field_validator
from typing_extensions import override

from receipts_middleware.core.errors import UsageError

#: What a turn comes to: the final text, a message, a message as a dict, or an exception to raise.
Answer: TypeAlias = str | AIMessage | Mapping[str, object] | BaseException
#: A turn of the script: an answer, or a function of the messages shown that returns one.
Turn: TypeAlias = Answer | Callable[[list[BaseMessage]], Answer]

_TURN_SHAPES = "a text, an AIMessage, a dict with content and tool_calls, an exception, or a function that returns one"
_MESSAGE_KEYS = frozenset(
    {
        "content",
        "tool_calls",
        "invalid_tool_calls",
        "id",
        "name",
        "additional_kwargs",
        "response_metadata",
        "usage_metadata",
    }
)


class ScriptExhaustedError(UsageError):
    """The agent asked for a turn that the script does not have."""


class ScriptedChatModel(BaseChatModel):
    """A real chat model that says what its script says.

    By default the turn is chosen by position: a request that holds two AI messages gets the third turn. The
    choice then needs no state, so one instance serves any number of concurrent runs. Where messages leave the
    conversation (compaction) or a turn raises (retries), use `by="order"`: requests get the turns in the
    order in which they come in.

    !!! example
        ```python
        model = ScriptedChatModel(
            turns=[
                {"tool_calls": [{"name": "send_email", "args": {"to": "ana@example.com"}}]},
                lambda messages: f"Sent. {messages[-1].text}",
            ]
        )
        agent = create_agent(model, tools=[send_email], middleware=[ReceiptsMiddleware()])
        agent.invoke({"messages": [("user", "Write to Ana")]})
        model.requests[1]  # what the model was shown on its second turn
        ```

    Attributes:
        turns: The script. Tool calls without an `id` get `call_<turn>_<position>`, both from 1. Messages are
            copied, so that a script can be played again.
        by: `position` or `order`, see above.
        requests: The messages of every request, in the order in which requests came in; the very objects that
            the model was given.
        bound_tools: The tools bound last, as they were given.
    """

    turns: SkipValidation[Sequence[Turn]]
    by: Literal["position", "order"] = "position"
    requests: SkipValidation[list[list[BaseMessage]]] = Field(default_factory=list, exclude=True)
    bound_tools: SkipValidation[list[dict[str, Any] | type | Callable[..., Any] | BaseTool]] = Field(
        default_factory=list, exclude=True
    )
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @field_validator("turns", mode="before")
    @classmethod
    def _check_turns(cls, turns: object) -> object:
        if isinstance(turns, str) or not isinstance(turns, Sequence):
            raise UsageError(f"turns is a list, each of its items {_TURN_SHAPES}")
        for number, turn in enumerate(turns, 1):
            if not callable(turn) and not isinstance(turn, str | AIMessage | Mapping | BaseException):
                raise UsageError(f"turn {number} is of type {type(turn).__name__}; a turn is {_TURN_SHAPES}")
        return turns

    @property
    @override
    def _llm_type(self) -> str:
        return "scripted-chat-model"

    @property
    @override
    def _identifying_params(self) -> dict[str, object]:
        return {"turns": len(self.turns), "by": self.by}

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Record the tools in `bound_tools`.

        Args:
            tools: Tools in any shape.
            tool_choice: Ignored; the script decides.
            **kwargs: Ignored.

        Returns:
            This very model.
        """
        self.bound_tools = list(tools)
        return self

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        with self._lock:
            came_in = len(self.requests)
            self.requests.append(list(messages))
        spoken = sum(isinstance(message, AIMessage) for message in messages)
        index = came_in if self.by == "order" else spoken
        if index >= len(self.turns):
            raise ScriptExhaustedError(self._exhausted(index, spoken))
        turn = self.turns[index]
        if callable(turn):
            turn = turn(list(messages))
        return _message(turn, index + 1)

    def _exhausted(self, index: int, spoken: int) -> str:
        if self.by == "order":
            why = f"this is request {index + 1}"
        else:
            why = f"this request holds {spoken} AI messages already"
        length = f"{len(self.turns)} turn" + ("" if len(self.turns) == 1 else "s")
        return f"the script has {length} and {why}: add a turn {index + 1} to the script"


def _message(answer: object, number: int) -> AIMessage:
    """The message of turn `number` (from 1), always a new object; raises what the script says to raise."""
    if isinstance(answer, BaseException):
        raise answer.with_traceback(None)
    if isinstance(answer, str):
        return AIMessage(content=answer)
    if isinstance(answer, AIMessage):
        return answer.model_copy(deep=True)
    if not isinstance(answer, Mapping):
        raise UsageError(f"turn {number} came to a {type(answer).__name__}; a turn is {_TURN_SHAPES}")
    unknown = sorted(str(key) for key in answer if key not in _MESSAGE_KEYS)
    if unknown:
        raise UsageError(f"turn {number} has unknown keys {unknown}; known are {sorted(_MESSAGE_KEYS)}")
    fields: dict[str, Any] = {"content": "", **answer}
    calls = fields.get("tool_calls") or ()
    fields["tool_calls"] = [{"args": {}, "id": f"call_{number}_{place}", **call} for place, call in enumerate(calls, 1)]
    return AIMessage(**fields)
