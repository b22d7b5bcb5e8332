"""Receipts by callbacks: for runs whose middleware stack cannot be changed.

The host's callbacks tell of each tool's beginning and end. What they cannot do, in comparison with the middleware: show
the model its ledger, stamp messages, see calls that a person rejected, tell an edited argument from one asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.ledger import Ledger
from receipts_middleware.core.transcript import choose_reply
from receipts_middleware.guard import Guard, OnError
from receipts_middleware.langchain.results import Held, content_of, find_answer
from receipts_middleware.readers import read_transcript
from receipts_middleware.readers.channels import read_channels
from receipts_middleware.readers.content import plain_fields
from receipts_middleware.recorder import RecordedCall, Recorder


class ReceiptsCallbackHandler(BaseCallbackHandler):
    """Records every tool that runs below a call of `invoke`, `stream` or their asynchronous twins.

    One handler serves one run, or the runs of one thread one after the other: its ledger is one. It is safe for
    parallel tools. Calls of subagents stand in the same ledger. In asynchronous runs a row of the sink is written on
    the event loop, since the host offers a handler no other place before a tool begins; the middleware waits beside it.

    !!! example "A graph that somebody else built"

        ```python
        from receipts_middleware.langchain import ReceiptsCallbackHandler

        handler = ReceiptsCallbackHandler()
        result = graph.invoke({"messages": [("user", "Refund order 4821.")]}, handler.config())
        print(handler.check(result).summary)
        ```
    """

    run_inline = True

    def __init__(self, recorder: Recorder | None = None, *, on_error: OnError = "warn") -> None:
        """Set the handler up.

        Args:
            recorder: Keeps the ledger and writes to its sink; one without a sink where not given.
            on_error: What to do when the handler itself fails: `warn` in the log, `raise`, or a function of the
                exception and a word on where it happened.

        Raises:
            UsageError: An option has a value that cannot be right.
        """
        if recorder is not None and not isinstance(recorder, Recorder):
            raise UsageError(
                "recorder is a receipts_middleware.Recorder: ReceiptsCallbackHandler(Recorder('receipts.db'))"
            )
        self.recorder = recorder if recorder is not None else Recorder()
        self.raise_error = True  # what goes out of a step of ours was asked for: on_error or on_sink_error is "raise"
        self._guard = Guard(on_error)
        self._running: dict[UUID, RecordedCall] = {}
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: object) -> ReceiptsCallbackHandler:
        return self

    def __copy__(self) -> ReceiptsCallbackHandler:
        return self

    @property
    def ledger(self) -> Ledger:
        """Receipts so far; a tool that has not ended is there as `no_result`."""
        return self.recorder.ledger

    def config(self, base: RunnableConfig | None = None) -> RunnableConfig:
        """A config that carries this handler.

        Args:
            base: Config to begin with; never changed.

        Returns:
            A new one.
        """
        made = cast("RunnableConfig", dict(base or {}))
        held = made.get("callbacks")
        if isinstance(held, BaseCallbackManager):
            manager = held.copy()
            manager.add_handler(self, inherit=True)
            made["callbacks"] = manager
        elif not any(one is self for one in held or ()):
            made["callbacks"] = [*(held or ()), self]
        return made

    def check(self, result: object, *, said: str = "", since: int = 0) -> Verification:
        """Hold a reply against what ran.

        Args:
            result: The reply as text, a message, a list of messages or a state; of several the last reply counts.
                Untrusted.
            said: What the user asked for; read off the messages where they are given.
            since: As for `Recorder.check`.

        Returns:
            The verification; `trust["source"]` is `recorder`.

        Raises:
            FormatError: The result cannot be read as messages at all.
        """
        if isinstance(result, str):
            return self.recorder.check(result, said=said, since=since)
        messages = result if isinstance(result, Mapping | list | tuple) else [result]
        transcript = read_transcript(messages)
        index = choose_reply(transcript.messages)
        heard = "\n".join(m.text for m in transcript.messages[: max(index, 0)] if m.role in ("user", "system"))
        reply = transcript.messages[index].text if index >= 0 else ""
        return self.recorder.check(reply, said=said or heard, since=since)

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[Any]], **kwargs: Any) -> None:
        """The tools that the model was given."""
        self._guard("before a model call", lambda: self._note_tools(kwargs.get("invocation_params")), None)

    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A tool is about to run; its start is durable before it does."""

        def begin() -> RecordedCall:
            name = str((serialized or {}).get("name") or kwargs.get("name") or "")
            args = inputs if inputs is not None else {"input": input_str}
            return self.recorder.call(name, args, tool_call_id=str(kwargs.get("tool_call_id") or ""))

        call = self._guard("before a tool call", begin, None)
        if call is not None:
            with self._lock:
                self._running[run_id] = call
            call.begin()

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A tool returned."""
        call = self._ended(run_id)
        if call is not None:
            self._guard("after a tool call", lambda: _say(call, output), None)
            call.end()

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A tool raised, or paused itself."""
        call = self._ended(run_id)
        if call is not None:
            call.end(error, paused=isinstance(error, GraphBubbleUp))

    def _ended(self, run_id: UUID) -> RecordedCall | None:
        with self._lock:
            return self._running.pop(run_id, None)

    def _note_tools(self, params: object) -> None:
        tools = params.get("tools") or params.get("functions") if isinstance(params, Mapping) else None
        if isinstance(tools, Sequence) and not isinstance(tools, str):
            self.recorder.add_tools(tools)


def _say(call: RecordedCall, output: Any) -> None:
    """What a tool returned, in whichever shape it travels: text, its message, a command, a list of those."""
    answer = find_answer(output, call.tool_call_id, Held(()))
    if answer is None:
        call.returned(output)
        return
    channels = read_channels(plain_fields(answer), success_declares=False)
    call.returned(content_of(answer), error=channels.error, exit_code=channels.exit_code)
