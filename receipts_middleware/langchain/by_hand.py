"""The model's side for graphs that no middleware wraps: two functions around a model call of one's own."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langgraph.runtime import get_runtime

from receipts_middleware.guard import Guard
from receipts_middleware.langchain.memory import Memory
from receipts_middleware.langchain.results import bare_messages
from receipts_middleware.langchain.scope import scope_of
from receipts_middleware.langchain.turn import ModelInput, Turn, TurnMaker
from receipts_middleware.langchain.upward import note_turn


class ByHand:
    """`prepare` and `stamp`, of which the middleware is one."""

    _guard: Guard
    _memory: Memory
    _turns: TurnMaker

    def prepare(
        self, messages: Sequence[BaseMessage], *, tools: Sequence[object] = (), runtime: object = None
    ) -> ModelInput:
        """What to give the model in a hand-built graph or in the functional API, where no middleware wraps it.

        Args:
            messages: Messages of the state; a leading system message takes up the receipts paragraph.
            tools: Bound tools.
            runtime: The node's `Runtime`, where it has one; otherwise the running graph is asked.

        Returns:
            The messages to send, to be handed to `stamp` with the reply.
        """
        turn = self._guard("before a model call", lambda: self._prepare_list(messages, tools, runtime), None)
        if turn is None:
            return ModelInput(
                self._guard("while our keys were taken off", lambda: bare_messages(messages), list(messages)), None
            )
        shown = turn.view.messages if turn.system is None else [turn.system, *turn.view.messages]
        return ModelInput(shown, turn)

    def stamp(self, reply: AIMessage, model_input: ModelInput) -> AIMessage:
        """The reply of a model with the snapshot of what it was shown.

        Args:
            reply: As the model returned it; never changed.
            model_input: What `prepare` gave for this call.

        Returns:
            A copy to put into the state.
        """
        turn = model_input.turn
        if turn is None:
            return reply
        unstamped: list[BaseMessage] = [reply]
        done = self._guard("after a model call", lambda: self._turns.finish(turn, [reply])[0], unstamped)
        self._guard("for the parent", lambda: note_turn(running_graph(), turn, done), None)
        stamped = done[0]
        self._forget(turn)
        return stamped if isinstance(stamped, AIMessage) else reply

    def _prepare_list(self, messages: Sequence[BaseMessage], tools: Sequence[object], runtime: object) -> Turn:
        scope = scope_of(runtime if runtime is not None else running_graph())
        first = messages[0] if messages else None
        system = first if isinstance(first, SystemMessage) else None
        rest = messages[1:] if system is not None else messages
        return self._turns.prepare(
            state_messages=rest,
            request_messages=rest,
            system=system,
            channel={},
            scope=scope,
            tools=tools,
        )

    def _forget(self, turn: Turn) -> None:
        """Drop what the state holds now."""
        self._guard("after a model call", lambda: self._memory.forget(turn.standing.recalled), None)


def running_graph() -> object:
    """The runtime of the graph that is running, or None outside of one."""
    try:
        return get_runtime()
    except RuntimeError:
        return None
