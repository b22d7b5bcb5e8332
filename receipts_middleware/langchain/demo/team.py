"""Plays the run with subagents: a deepagents lead, two subagents side by side, and what the lead gets to know of them.

Nothing here prints. deepagents is imported only when this is played; nothing else of the package needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool

from receipts_middleware.langchain import Harvest, ReceiptsMiddleware, harvest
from receipts_middleware.langchain.demo.play import (
    THREAD,
    DemoError,
    Event,
    LastRequest,
    Run,
    message_events,
    new_messages,
    stamped_events,
    tag_of,
)
from receipts_middleware.langchain.demo.team_script import DESCRIPTIONS, LEAD, MAILER, PROMPTS, REFUNDER, TEAM_REQUEST
from receipts_middleware.langchain.demo.tools import SupportDesk
from receipts_middleware.verification import verify_messages

#: Tools of the desk that each subagent has; writing files is deepagents' own.
_TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    REFUNDER: ("lookup_order", "issue_refund"),
    MAILER: ("lookup_order", "send_email"),
}
_DELEGATE: Final = "task"
_RECURSION_LIMIT: Final = 100


@dataclass(frozen=True, slots=True)
class Subagent:
    """What was seen of one delegation.

    Attributes:
        call: Id of the lead's receipt for it, such as `r1`; empty where it got none.
        agent: Name of the subagent. Untrusted, as everything here.
        task: What it was asked.
        events: What happened in its run, in order.
    """

    call: str
    agent: str
    task: str
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class GivenBack:
    """A subagent's report as the lead's model saw it.

    Attributes:
        text: The report, its citations under the ids that the lead knows.
        lines: What the middleware wrote below it: the receipt of the call, and what became of the report.
    """

    text: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TeamRun:
    """A finished run with subagents.

    Attributes:
        run: The lead's own.
        subagents: Delegations in call order.
        given: Their reports, as they stood in the lead's last request.
        harvest: What the lead and each subagent really did.
    """

    run: Run
    subagents: tuple[Subagent, ...]
    given: tuple[GivenBack, ...]
    harvest: Harvest


def play_team(
    models: Mapping[str, BaseChatModel],
    desk: SupportDesk,
    *,
    on_event: Callable[[Event], None] = lambda event: None,
    on_subagent: Callable[[Subagent], None] = lambda subagent: None,
) -> TeamRun:
    """Play one run and verify the lead's report.

    Args:
        models: Play the lead and its subagents, by name.
        desk: An open desk.
        on_event: Called with each event of the lead when it happens.
        on_subagent: Called with each subagent when all that run beside it are done, in call order.

    Returns:
        The finished run.

    Raises:
        ImportError: deepagents is not installed.
        Exception: Whatever a model or a tool raises.
    """
    lead = _make_lead(models, desk)
    request, watch = LastRequest(), _Watch(on_event, on_subagent)
    config: RunnableConfig = {
        "configurable": {"thread_id": THREAD},
        "callbacks": [request],
        "recursion_limit": _RECURSION_LIMIT,
    }
    modes: list[Literal["custom", "updates", "values"]] = ["custom", "updates", "values"]
    start: Any = {"messages": [HumanMessage(TEAM_REQUEST)]}
    for namespace, mode, chunk in lead.stream(start, config, stream_mode=modes, subgraphs=True):
        watch.take(namespace, mode, chunk)
    watch.flush()
    final = watch.messages
    run = Run(
        messages=tuple(final),
        tools=(),
        request=tuple(request.messages),
        tag=tag_of(final),
        verification=verify_messages(final),
    )
    return TeamRun(run, tuple(watch.subagents), _given_back(run), harvest(final, agent=LEAD))


def check_deepagents() -> None:
    """See that what plays here is installed.

    Raises:
        DemoError: It is not; the message says what to install.
    """
    try:
        import deepagents  # noqa: F401, PLC0415 - optional
    except ImportError as error:
        raise DemoError(
            "--subagents plays in deepagents, which cannot be imported: pip install 'deepagents>=0.7'"
        ) from error


def _make_lead(models: Mapping[str, BaseChatModel], desk: SupportDesk) -> Any:
    from deepagents import create_deep_agent  # noqa: PLC0415 - optional
    from deepagents.backends import FilesystemBackend  # noqa: PLC0415 - optional

    folder = desk.folder / "cases"
    folder.mkdir()
    tools = {tool.name: tool for tool in desk.tools()}
    return create_deep_agent(
        model=models[LEAD],
        system_prompt=PROMPTS[LEAD],
        middleware=[ReceiptsMiddleware()],
        backend=FilesystemBackend(root_dir=folder, virtual_mode=True),
        subagents=[_specification(name, models[name], [tools[tool] for tool in own]) for name, own in _TOOLS.items()],
    )


def _specification(name: str, model: BaseChatModel, tools: Sequence[BaseTool]) -> Any:
    return {
        "name": name,
        "description": DESCRIPTIONS[name],
        "system_prompt": PROMPTS[name],
        "model": model,
        "tools": list(tools),
        "middleware": [ReceiptsMiddleware()],
    }


@dataclass(slots=True)
class _Branch:
    """What the stream brought of one subagent's graph."""

    task: str = ""
    events: list[Event] = field(default_factory=list)


class _Watch:
    """Sorts the chunks of a stream: the lead's as they come, each subagent's until its siblings are done too."""

    def __init__(self, on_event: Callable[[Event], None], on_subagent: Callable[[Subagent], None]) -> None:
        self.messages: list[BaseMessage] = []
        self.subagents: list[Subagent] = []
        self._on_event, self._on_subagent = on_event, on_subagent
        self._branches: dict[tuple[str, ...], _Branch] = {}
        self._waiting: list[Mapping[str, Any]] = []
        self._numbers: dict[str, int] = {}

    def take(self, namespace: tuple[str, ...], mode: str, chunk: Any) -> None:
        """Take one chunk of the stream; the lead's own have an empty namespace."""
        if not namespace:
            self._take_of_lead(mode, chunk)
            return
        branch = self._branches.setdefault(namespace, _Branch())
        if mode == "values":
            branch.task = branch.task or next((m.text for m in chunk["messages"] if m.type == "human"), "")
        elif mode == "custom":
            branch.events += stamped_events(chunk)
        else:
            branch.events += [event for message in new_messages(chunk) for event in message_events(message)]

    def flush(self) -> None:
        """Tell of the subagents that ran in the turn that is over."""
        for call in self._waiting:
            number = self._numbers.get(call["id"] or "", 0)
            agent, task = (str(call["args"].get(key, "")) for key in ("subagent_type", "description"))
            subagent = Subagent(f"r{number}" if number else "", agent, task, self._take_branch(task))
            self.subagents.append(subagent)
            self._on_subagent(subagent)
        self._waiting, self._numbers = [], {}

    def _take_of_lead(self, mode: str, chunk: Any) -> None:
        if mode == "values":
            self.messages = chunk["messages"]
        elif mode == "custom":
            self._take_stamp(chunk)
        else:
            for message in new_messages(chunk):
                self._take_message(message)

    def _take_stamp(self, chunk: Any) -> None:
        for event in stamped_events(chunk):
            if any(call["id"] == event.call_id for call in self._waiting):
                self._numbers[event.call_id] = chunk["receipt"]["n"]
            else:
                self._on_event(event)

    def _take_message(self, message: BaseMessage) -> None:
        if isinstance(message, ToolMessage) and any(call["id"] == message.tool_call_id for call in self._waiting):
            return  # what a subagent gives back is shown as the lead sees it
        if isinstance(message, AIMessage):
            self.flush()
            self._waiting = [dict(call) for call in message.tool_calls if call["name"] == _DELEGATE]
        for event in message_events(message):
            self._on_event(event)

    def _take_branch(self, task: str) -> tuple[Event, ...]:
        """The events of the subagent that was asked this; nothing where it never began."""
        for namespace, branch in self._branches.items():
            if len(namespace) == 1 and branch.task == task:
                del self._branches[namespace]
                return tuple(branch.events)
        return ()


def _given_back(run: Run) -> tuple[GivenBack, ...]:
    found = []
    for message in run.request:
        if isinstance(message, ToolMessage) and message.name == _DELEGATE:
            lines = message.text.split("\n")
            own = [line for line in lines if run.tag and line.startswith(f"{run.tag} ")]
            found.append(GivenBack("\n".join(line for line in lines if line not in own), tuple(own)))
    return tuple(found)
