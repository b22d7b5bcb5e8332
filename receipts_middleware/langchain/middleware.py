"""`ReceiptsMiddleware`: the hooks of the host, each a thin driver over `execution` and `turn`.

What belongs here: options, the sync and async pair of every hook, and what happens when our own code fails. A failure
of ours never loses a tool result and never ends a run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from langchain.agents.middleware.types import (
    AgentMiddleware,
    ContextT,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    ResponseT,
)
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from receipts_middleware.core.facts import Capture
from receipts_middleware.core.ledger import LedgerRow, render_line
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.receipt import Receipt, parse_receipt
from receipts_middleware.guard import Guard, OnError
from receipts_middleware.langchain import execution as tool_side
from receipts_middleware.langchain.by_hand import ByHand
from receipts_middleware.langchain.capturing import Capturing
from receipts_middleware.langchain.collect import collecting
from receipts_middleware.langchain.incoming import with_incoming
from receipts_middleware.langchain.kinds import kind_of_tool
from receipts_middleware.langchain.linting import LintMode, LintSide
from receipts_middleware.langchain.memory import Memory
from receipts_middleware.langchain.numbering import channel_of, messages_of
from receipts_middleware.langchain.options import (
    capture_key_of,
    check_budget,
    check_capture,
    check_choice,
    keyring_of,
    names_of,
)
from receipts_middleware.langchain.prompt import DEFAULT_PROMPT
from receipts_middleware.langchain.reconcile import Reconciler
from receipts_middleware.langchain.results import bare_messages
from receipts_middleware.langchain.scope import scope_of
from receipts_middleware.langchain.sealing import Sealer
from receipts_middleware.langchain.sinking import Row, SinkSide
from receipts_middleware.langchain.stamps import Stamps
from receipts_middleware.langchain.state import CHANNEL, ReceiptsState
from receipts_middleware.langchain.turn import SnapshotMode, Turn, TurnMaker
from receipts_middleware.langchain.upward import note_execution, note_turn
from receipts_middleware.langchain.view import Placement, ViewBuilder, ViewOptions
from receipts_middleware.policy import policy_of
from receipts_middleware.signing import Keys
from receipts_middleware.store import SinkLike

try:
    from langchain.agents.middleware.types import TracePolicy, omit_payload

    _TRACE_POLICY: Any = TracePolicy(process_inputs=omit_payload)
except ImportError:  # pragma: no cover - langchain before 1.4
    _TRACE_POLICY = None

EVENT_TYPE = "receipts_middleware.receipt"


class ReceiptsMiddleware(ByHand, AgentMiddleware[ReceiptsState[ResponseT], ContextT, ResponseT]):
    """Stamp every tool result with a receipt, show the model a ledger it can cite, keep a snapshot on every turn.

    Put it last in the list of middleware, so that it stands next to the tools. It records what was executed wherever
    it stands; where it cannot see something it says so once in the log.

    !!! example "An agent with receipts"

        ```python
        from langchain.agents import create_agent
        from receipts_middleware import verify_messages
        from receipts_middleware.langchain import ReceiptsMiddleware

        agent = create_agent(model, tools=tools, middleware=[ReceiptsMiddleware()])
        result = agent.invoke({"messages": [("user", "Refund order 4821 and tell the customer.")]})
        print(verify_messages(result, tools=tools).summary)
        ```

    One instance is safe for any number of threads and runs: it holds no data of a run but a small bounded map.
    """

    state_schema = ReceiptsState  # type: ignore[assignment]  # the host instantiates the generic itself
    trace_policy = _TRACE_POLICY

    def __new__(cls, *, sanitize_input: bool = False, **options: object) -> ReceiptsMiddleware[ResponseT, ContextT]:  # noqa: D102 - see `__init__`
        del options
        return super().__new__(with_incoming(cls) if sanitize_input else cls)

    def __init__(
        self,
        *,
        placement: Placement = "inline",
        max_chars: int = 4_000,
        max_tokens: int | None = None,
        token_counter: Callable[[str], int] | None = None,
        tools: Sequence[BaseTool | str] | None = None,
        exclude_tools: Sequence[BaseTool | str] = (),
        subagents: Sequence[BaseTool | str] = ("task",),
        snapshot: SnapshotMode = "auto",
        system_prompt: str | None = DEFAULT_PROMPT,
        capture: Capture = "values",
        capture_key: bytes | None = None,
        signing_key: Keys | None = None,
        policy: Policy | str | PathLike[str] | None = None,
        sink: SinkLike | None = None,
        sanitize_input: bool = False,
        on_sink_error: OnError = "warn",
        lint: LintMode | None = None,
        on_error: OnError = "warn",
    ) -> None:
        """Set the middleware up.

        Args:
            placement: `inline` puts each receipt on its tool result, which keeps prompt caches; `tail` puts one block
                at the end of every request; `none` stamps without showing anything.
            max_chars: Most characters of the block of receipts whose messages are gone, or of the tail.
            max_tokens: The same bound in tokens; needs `token_counter` and then takes the place of `max_chars`.
            token_counter: Number of tokens of a text.
            tools: Tools or names to give receipts to; all where None.
            exclude_tools: Tools or names to leave out. A call that is left out is neither stamped nor shown; it
                still uses up its number, and a verifier derives an unstamped receipt for it.
            subagents: Tools that run a subagent. Any tool's subagents are collected; for these it is said, too, when
                nothing was, because the subagent ran without the middleware.
            snapshot: `auto` keeps full entries on final turns only, each receipt once; `full` on every turn.
            system_prompt: Paragraph added to the system prompt, with `{tag}` and `{example}` filled in; None for
                none. The placement `none` adds no paragraph.
            capture: What is kept of arguments and results besides hashes: a few `values`, keyed `digests` of them,
                or `hashes` alone.
            capture_key: Key of the digests, at least 16 bytes; where not given, derived from `signing_key`.
            signing_key: Signs receipts, snapshots and the private channel: at least 16 secret bytes, or a key of
                `receipts_middleware.signing`; of several the first signs and all are believed. What state holds and
                none of them signed counts as made up. Keep it from tools and models.
            policy: What is said of the tools, where a guess would be wrong: a policy, or the path of a TOML file,
                read once, here. It decides what receipts are stamped with. No file is read unasked.
            sink: Ledger outside of the graph: a sink of `receipts_middleware.store`, the path of a SQLite or `.jsonl`
                file, or `postgresql://...`. Each execution is written before it begins and before its result is
                returned.
            sanitize_input: Clean what a caller sends before anything else sees it, as `sanitize_messages` does: forged
                receipts, snapshots and ledger lines are taken off, told in the log and in `stream_mode="custom"`.
                Adds a node to the graph. Without `signing_key` the private channel says what is genuine.
            on_sink_error: What to do when the sink fails: `warn` once in the log, `raise` (a tool then does not run
                without its row), or a function of the exception and a word on where it happened.
            lint: Holds the arguments of each call against the schema of its tool before it runs, with the extra `lint`:
                `record` notes what does not fit in the receipt; `reject` also answers such a call in place of the
                tool, with every fault and what would fix it. None looks at none.
            on_error: What to do when the middleware itself fails: `warn` in the log, `raise`, or a function of the
                exception and a word on where it happened. The run goes on unless you raise.

        Raises:
            UsageError: An option has a value that cannot be right, the policy holds a mistake, or `lint` is asked for
                and its library is not installed.
        """
        super().__init__()
        check_choice("placement", placement, ("inline", "tail", "none"))
        check_choice("snapshot", snapshot, ("auto", "full"))
        check_choice("lint", lint, (None, "record", "reject"))
        check_budget(max_chars, max_tokens, token_counter)
        self._guard = Guard(on_error)
        self._lint = LintSide(lint, self._guard)
        self.tools = []
        self._included = None if tools is None else names_of(tools, "tools")
        self._excluded = names_of(exclude_tools, "exclude_tools")
        ring = keyring_of(signing_key)
        sealer = self._sealer = Sealer(ring, self._guard)
        del sanitize_input  # the class says it
        self._memory, stamps = Memory(), Stamps(parse=sealer.parser(parse_receipt, ""))
        said = policy_of(policy)
        capture_key = capture_key_of(capture_key, ring)
        check_capture(capture, capture_key, said)
        capturing = Capturing(capture, capture_key, said)
        self._sink = SinkSide(sink, on_sink_error, capturing)
        self._keeping = tool_side.Keeping(self._memory, stamps, capturing, sealer, names_of(subagents, "subagents"))
        options = ViewOptions(
            placement=placement,
            limit=max_tokens if max_tokens is not None else max_chars,
            measure=token_counter if token_counter is not None else len,
            excluded=self._is_left_out,
            kind=lambda name: kind_of_tool(None, name, capturing.policy),
            of_thread=sealer.is_of,
        )
        self._turns = TurnMaker(
            reconciler=Reconciler(self._memory, stamps, capturing, self._is_left_out, sealer),
            views=ViewBuilder(options, stamps),
            snapshot=snapshot,
            prompt=system_prompt if placement != "none" else None,
            sealer=sealer,
        )

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Run a tool and put a receipt on its result; an exception leaves a receipt and goes on its way."""
        execution = self._begin(request)
        if execution is None:
            return self._bare(request, handler(request))
        result: Any = self._lint.look(execution)
        try:
            self._sink.write(self._sink_start(execution))
            if result is None:
                with collecting(execution.collector):
                    result = handler(execution.request)
        except BaseException as error:
            self._sink.write_while_raising(self._fail(execution, error), error)
            raise
        stamped, row = self._finish(execution, result)
        self._sink.write(row)
        return stamped

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """As `wrap_tool_call`; a cancellation leaves a receipt, too."""
        execution = self._begin(request)
        if execution is None:
            return self._bare(request, await handler(request))
        result: Any = self._lint.look(execution)
        try:
            await self._sink.awrite(self._sink_start(execution))
            if result is None:
                with collecting(execution.collector):
                    result = await handler(execution.request)
        except BaseException as error:
            await self._sink.awrite_while_raising(self._fail(execution, error), error)
            raise
        stamped, row = self._finish(execution, result)
        await self._sink.awrite(row)
        return stamped

    def wrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], ModelResponse[ResponseT]],
    ) -> ModelResponse[ResponseT] | AIMessage | ExtendedModelResponse[ResponseT]:
        """Show the model its ledger and keep a snapshot of it on the reply."""
        turn, shown = self._before(request)
        return self._after(request, turn, handler(shown))

    async def awrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], Awaitable[ModelResponse[ResponseT]]],
    ) -> ModelResponse[ResponseT] | AIMessage | ExtendedModelResponse[ResponseT]:
        """As `wrap_model_call`."""
        turn, shown = self._before(request)
        return self._after(request, turn, await handler(shown))

    def _begin(self, request: ToolCallRequest) -> tool_side.Execution | None:
        if self._is_left_out(str(request.tool_call.get("name", ""))):
            return None
        nothing: list[tool_side.Execution | None] = []
        begun = self._guard("before a tool call", lambda: [tool_side.begin(request)], nothing)
        if begun == [None]:
            self._guard.warn_once("A tool call that no message of the state issued gets no receipt.")
        return begun[0] if begun else None

    def _bare(self, request: ToolCallRequest, result: Any) -> Any:
        """The result of a call without a receipt; nobody else may put one on it."""
        return self._guard("after a tool call", lambda: tool_side.unstamped(request, result), result)

    def _sink_start(self, execution: tool_side.Execution) -> Row | None:
        return self._guard("before a tool call", lambda: self._sink.start(execution), None)

    def _sink_end(self, execution: tool_side.Execution, record: tool_side.Record, *, raised: bool) -> Row | None:
        return self._guard("after a tool call", lambda: self._sink.end(execution, record, raised=raised), None)

    def _finish(self, execution: tool_side.Execution, result: Any) -> tuple[Any, Row | None]:
        """The result with its receipt on it, and the row to be written before it is returned."""
        self._lint.look_behind(execution)
        done = self._guard("after a tool call", lambda: tool_side.finish(execution, result, self._keeping), None)
        if done is None:
            return self._bare(execution.request, result), None
        stamped, record = done
        receipt = record.receipt
        if receipt.outcome == "synthetic":
            self._guard.warn_once(f"{receipt.tool} gave a result without being run; its receipt says synthetic.")
        if execution.recorder.unwatched:
            self._guard.warn_once(
                f"{receipt.tool} is of a class that cannot be watched: edits and retries inside go unseen."
            )
        self._tell(execution, receipt)
        return stamped, self._sink_end(execution, record, raised=False)

    def _fail(self, execution: tool_side.Execution, error: BaseException) -> Row | None:
        """The row of a call that raised, to be written before the exception goes on."""
        self._lint.look_behind(execution)
        record = self._guard("after a tool raised", lambda: tool_side.fail(execution, error, self._keeping), None)
        if record is None:
            return None
        self._tell(execution, record.receipt)
        return self._sink_end(execution, record, raised=True)

    def _tell(self, execution: tool_side.Execution, receipt: Receipt) -> None:
        """An execution is told to the stream, and to the parent of a run that was delegated."""
        parent = execution.parent
        if parent is not None:
            self._guard("for the parent", lambda: note_execution(parent, execution, receipt), None)
        self._announce(execution.request, receipt)

    def _before(self, request: ModelRequest[ContextT]) -> tuple[Turn | None, ModelRequest[ContextT]]:
        def show() -> tuple[Turn | None, ModelRequest[ContextT]]:
            turn = self._prepare(request)
            return turn, request.override(messages=turn.view.messages, system_message=turn.system)

        def hide() -> tuple[Turn | None, ModelRequest[ContextT]]:
            return None, request.override(messages=bare_messages(request.messages))

        nothing: tuple[Turn | None, ModelRequest[ContextT]] = (None, request)
        turn, shown = self._guard("before a model call", show, nothing)
        if turn is None:
            return self._guard("while our keys were taken off", hide, nothing)
        for item in turn.standing.new:
            if not item.announced:
                self._announce(request, item.receipt)
        return turn, shown

    def _prepare(self, request: ModelRequest[ContextT]) -> Turn:
        return self._turns.prepare(
            state_messages=messages_of(request.state),
            request_messages=request.messages,
            system=request.system_message,
            channel=channel_of(request.state),
            scope=scope_of(request.runtime),
            tools=request.tools,
        )

    def _after(
        self, request: ModelRequest[ContextT], turn: Turn | None, response: Any
    ) -> ModelResponse[ResponseT] | AIMessage | ExtendedModelResponse[ResponseT]:
        if turn is None:
            return response  # type: ignore[no-any-return]

        def stamp() -> ExtendedModelResponse[ResponseT]:
            inner = response.model_response if isinstance(response, ExtendedModelResponse) else response
            whole = ModelResponse(result=[inner]) if isinstance(inner, AIMessage) else inner
            answered = getattr(whole, "structured_response", None) is not None
            messages, update = self._turns.finish(turn, whole.result, answered=answered)
            self._guard("for the parent", lambda: note_turn(request.runtime, turn, messages), None)
            self._guard("after a model call", lambda: self._lint.remember(request.tools, messages), None)
            command = response.command if isinstance(response, ExtendedModelResponse) else None
            updates = {**dict(command.update or {}), CHANNEL: update} if command is not None else {CHANNEL: update}
            return ExtendedModelResponse(
                model_response=replace(whole, result=messages), command=Command(update=updates)
            )

        stamped = self._guard("after a model call", stamp, None)
        if stamped is None:
            return response  # type: ignore[no-any-return]
        self._forget(turn)
        return stamped

    def _announce(self, request: ToolCallRequest | ModelRequest[ContextT], receipt: Receipt) -> None:
        """One event a receipt for `stream_mode="custom"`."""

        def write() -> None:
            writer = getattr(request.runtime, "stream_writer", None)
            if writer is not None:
                row = LedgerRow(receipt.n, receipt.tool, receipt.outcome, receipt.object_id or "")
                tag = str((channel_of(request.state).get("") or {}).get("tag", ""))
                line = render_line(tag, row).strip()
                writer({"type": EVENT_TYPE, "receipt": receipt.to_dict(), "line": line})

        self._guard("while a receipt was announced", write, None)

    def _is_left_out(self, name: str) -> bool:
        return name in self._excluded or (self._included is not None and name not in self._included)
