"""Plays a run of the demo: builds the agent, streams it, and hands out what happens as it happens.

Nothing here prints. The agent is a real `create_agent` with the real middleware; only the scripted model's
words are written down beforehand, and with a chosen model not even those.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, messages_to_dict
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool

from receipts_middleware.core.errors import ReceiptsError
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.keys import SNAPSHOT_KEY
from receipts_middleware.core.snapshot import Snapshot, parse_snapshot
from receipts_middleware.langchain import EVENT_TYPE, ReceiptsMiddleware
from receipts_middleware.langchain.demo.script import SYSTEM_PROMPT
from receipts_middleware.verification import verify_messages

THREAD: Final = "receipts-demo"
#: Model turns and tool steps of one run; a model that goes round in circles ends here.
_RECURSION_LIMIT: Final = 50


class DemoError(ReceiptsError):
    """The demo cannot be played; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in the run.

    Attributes:
        kind: The agent `said` something, `called` a tool or `reported`; a receipt was `stamped`, a result `returned`.
        text: What was said, the call with its arguments, the ledger line, or the result. Untrusted.
        call_id: Id of the call; empty for what the agent says.
        outcome: Outcome on the receipt, for `stamped`.
    """

    kind: Literal["said", "called", "reported", "stamped", "returned"]
    text: str
    call_id: str = ""
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run.

    Attributes:
        messages: All of its messages.
        tools: Tools of the agent as `{"name", "description"}`; empty where its snapshots alone tell them.
        request: Messages of the model's last request: what it really saw.
        tag: Ledger tag of the run; empty where no turn carries a snapshot.
        verification: Of its report.
    """

    messages: tuple[BaseMessage, ...]
    tools: tuple[Mapping[str, str], ...]
    request: tuple[BaseMessage, ...]
    tag: str
    verification: Verification

    @property
    def shown(self) -> tuple[str, ...]:
        """Lines of the ledger in the last request. The system message names the tag, but holds no line."""
        if not self.tag:
            return ()
        lines = [line for m in self.request if m.type != "system" for line in m.text.split("\n")]
        return tuple(line for line in lines if line.startswith(f"{self.tag} "))

    def to_document(self) -> dict[str, object]:
        """The run as a JSON document that `receipts verify` reads."""
        tools = {"tools": [dict(tool) for tool in self.tools]} if self.tools else {}
        return {"format": "langchain", **tools, "messages": messages_to_dict(self.messages)}


def load_model(name: str) -> BaseChatModel:
    """Make a real chat model.

    Args:
        name: `provider:model`.

    Returns:
        The model, ready to be called.

    Raises:
        DemoError: The provider is unknown, its package is not installed, or it asks for a key.
    """
    try:
        model = init_chat_model(name)
    except ImportError as error:
        raise DemoError(f"{name} needs a package that is not installed: {error}") from error
    except Exception as error:  # each provider has exception classes of its own for a missing key
        reason = _first_line(error)
        raise DemoError(f"{name} cannot be used ({reason}); check PROVIDER:NAME and the provider's key") from error
    return model


def play(
    model: BaseChatModel,
    tools: Sequence[BaseTool],
    messages: Sequence[BaseMessage],
    *,
    on_event: Callable[[Event], None] = lambda event: None,
) -> Run:
    """Play one run and verify its report.

    Args:
        model: Plays the agent.
        tools: What the agent can do.
        messages: What it begins with; the last is the request.
        on_event: Called with each event when it happens; by default nobody listens.

    Returns:
        The finished run.

    Raises:
        Exception: Whatever the model or a tool raises.
    """
    agent = create_agent(model, tools, system_prompt=SYSTEM_PROMPT, middleware=[ReceiptsMiddleware()])
    request = LastRequest()
    config: RunnableConfig = {
        "configurable": {"thread_id": THREAD},
        "callbacks": [request],
        "recursion_limit": _RECURSION_LIMIT,
    }
    start: Any = {"messages": list(messages)}  # its declared type names every message class but their base
    final: list[BaseMessage] = []
    modes: list[Literal["custom", "updates", "values"]] = ["custom", "updates", "values"]
    stream: Any = agent.stream(start, config, stream_mode=modes)
    for mode, chunk in stream:
        if mode == "values":
            final = chunk["messages"]
            continue
        for event in stamped_events(chunk) if mode == "custom" else _update_events(chunk):
            on_event(event)
    described = tuple({"name": tool.name, "description": tool.description} for tool in tools)
    return Run(
        messages=tuple(final),
        tools=described,
        request=tuple(request.messages),
        tag=tag_of(final),
        verification=verify_messages(final, tools=described),
    )


def call_text(name: str, args: Mapping[str, object]) -> str:
    """A call as a reader writes it: `send_email(to="a@example.com")`."""
    return f"{name}({', '.join(f'{key}={_literal(value)}' for key, value in args.items())})"


class LastRequest(BaseCallbackHandler):
    """Keeps the messages that a model was given last; that is what it really saw."""

    def __init__(self) -> None:
        self.messages: list[BaseMessage] = []

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Keep the messages."""
        self.messages = messages[0]


def stamped_events(chunk: object) -> Iterator[Event]:
    """The receipt that a chunk of the custom stream brings; nothing for the chunks of others."""
    if not isinstance(chunk, Mapping) or chunk.get("type") != EVENT_TYPE:
        return
    receipt = chunk.get("receipt")
    if isinstance(receipt, Mapping):
        yield Event("stamped", str(chunk.get("line", "")), str(receipt["tool_call_id"]), str(receipt["outcome"]))


def new_messages(chunk: object) -> Iterator[BaseMessage]:
    """Messages that a chunk of the update stream adds."""
    if not isinstance(chunk, Mapping):
        return
    for update in chunk.values():
        messages = update.get("messages") if isinstance(update, Mapping) else None
        yield from messages if isinstance(messages, list) else ()


def message_events(message: BaseMessage) -> Iterator[Event]:
    """What a new message tells: words and calls of the agent, the result of a tool."""
    if isinstance(message, ToolMessage):
        yield Event("returned", message.text, message.tool_call_id)
    if isinstance(message, AIMessage):
        if message.text:
            yield Event("said" if message.tool_calls else "reported", message.text)
        for call in message.tool_calls:
            yield Event("called", call_text(call["name"], call["args"]), call["id"] or "")


def _update_events(chunk: object) -> Iterator[Event]:
    for message in new_messages(chunk):
        yield from message_events(message)


def tag_of(messages: Sequence[BaseMessage]) -> str:
    """The ledger tag of the thread, from the newest snapshot; empty where there is none."""
    for message in reversed(messages):
        value = message.additional_kwargs.get(SNAPSHOT_KEY)
        snapshot = parse_snapshot(value) if value is not None else None
        if isinstance(snapshot, Snapshot):
            return snapshot.tag
    return ""


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _first_line(error: Exception) -> str:
    text = str(error).strip().split("\n", 1)[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
