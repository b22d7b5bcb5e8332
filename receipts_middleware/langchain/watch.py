"""How the runs below a tool call ended: a callback handler that the host gives to every graph that starts below it.

A layer may write behind a child's last model turn (a limit refuses a call, a hook jumps to the end), where none of our
hooks runs. An `after_agent` hook would see it, but costs every run a step, a checkpoint and an empty item in the
`updates` stream, and layers in front of it may still write after it. The host's callbacks hand over what the graph
returned, and the exception where it raised, and cost an agent that nobody delegated to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langgraph.errors import GraphInterrupt

#: Graphs known at once to be running below one call; those beyond it count as in the time before callbacks.
_MAX_GRAPHS: Final = 1_000
#: Step of the first node of a graph that begins with its input; one that is resumed begins at a later one.
_FIRST_STEP: Final = 1


class Ends(Protocol):
    """Takes in how runs ended; a run is known by the checkpoint namespace of its graph."""

    def note_end(self, key: str, agent: str, messages: Sequence[Any], *, waits: bool, resumed: bool) -> None:
        """A graph returned these messages; it waits for a person, or it is done."""

    def note_error(self, key: str, error: BaseException) -> None:
        """A graph raised."""


@dataclass(slots=True)
class _Graph:
    """A graph that is running: its namespace, its agent's name, whether it began in its middle, and waits."""

    key: str
    agent: str
    resumed: bool
    waits: bool = False


class RunWatch(BaseCallbackHandler):
    """Tells how each graph below one call ended. Safe for all threads and tasks: every run has keys of its own."""

    run_inline = True
    ignore_llm = ignore_chat_model = ignore_retriever = ignore_agent = ignore_retry = ignore_custom_event = True

    def __init__(self, ends: Ends) -> None:
        self._ends = ends
        self._graphs: dict[UUID, _Graph] = {}

    def __deepcopy__(self, memo: object) -> RunWatch:
        return self

    def __copy__(self) -> RunWatch:
        return self

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """The start of a node tells the namespace of the graph that runs it."""
        named = metadata or {}
        if parent_run_id is None or parent_run_id in self._graphs or kwargs.get("name") != named.get("langgraph_node"):
            return
        if len(self._graphs) < _MAX_GRAPHS:
            key = str(named.get("langgraph_checkpoint_ns") or "").rpartition("|")[0]
            step = named.get("langgraph_step")
            agent = str(named.get("lc_agent_name") or "")
            self._graphs[parent_run_id] = _Graph(key, agent, isinstance(step, int) and step > _FIRST_STEP)

    def on_chain_end(self, outputs: object, *, run_id: UUID, **kwargs: Any) -> None:
        """The end of a graph tells its messages."""
        graph = self._graphs.pop(run_id, None)
        messages = outputs.get("messages") if isinstance(outputs, Mapping) else None
        if graph is not None and isinstance(messages, list) and any(isinstance(m, BaseMessage) for m in messages):
            self._ends.note_end(graph.key, graph.agent, messages, waits=graph.waits, resumed=graph.resumed)

    def on_chain_error(
        self, error: BaseException, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """The failure of a graph tells why; that of a node only whether it waits for a person."""
        graph = self._graphs.pop(run_id, None)
        if graph is not None:
            self._ends.note_error(graph.key, error)
        elif isinstance(error, GraphInterrupt) and parent_run_id in self._graphs:
            self._graphs[parent_run_id].waits = True
