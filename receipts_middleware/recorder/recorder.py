"""`Recorder`: the ledger of one run that no framework drives, and its judgement."""

from __future__ import annotations

import functools
import inspect
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Final, TypeVar, overload

from receipts_middleware.core.chain import genesis_head, ledger_tag
from receipts_middleware.core.claimed import ClaimsMemory
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.executed import ledger_of, read_rows
from receipts_middleware.core.facts import Capture, digest_facts, extract_facts
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.ledger import ALL, CallSlot, Entry, Ledger, LedgerRow, View, is_kept, render_block
from receipts_middleware.core.ledger.derive import derive_receipt
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.receipt import MAX_TEXT, Receipt
from receipts_middleware.core.seal import Place, seal_receipt
from receipts_middleware.core.toolspec import ToolKind, ToolSpec, find_spec, kind_of, read_tools
from receipts_middleware.core.transcript import ToolCall
from receipts_middleware.core.turn import Turn
from receipts_middleware.core.verify import judge_turn
from receipts_middleware.guard import Guard, OnError
from receipts_middleware.policy import policy_of
from receipts_middleware.readers.content import plain_fields, reply_text
from receipts_middleware.recorder.call import RecordedCall
from receipts_middleware.recorder.outcome import freeze
from receipts_middleware.recorder.sinking import Sinking
from receipts_middleware.signing import Keys, as_keyring
from receipts_middleware.store import SinkLike

F = TypeVar("F", bound=Callable[..., Any])

#: Shown ledger, in characters, as the middleware's.
MAX_CHARS: Final = 4_000


class Recorder:
    """Receipts of the calls of one run, in a loop of your own. Safe for all threads and tasks of the run.

    Attributes:
        thread: Thread of the conversation; empty where there is none.
        run: Id of the run.
        policy: What is said of the tools.
    """

    def __init__(
        self,
        sink: SinkLike | None = None,
        *,
        tools: Iterable[object] | None = None,
        thread: str = "",
        run: str = "",
        policy: Policy | str | PathLike[str] | None = None,
        capture: Capture = "values",
        capture_key: bytes | None = None,
        signing_key: Keys | None = None,
        on_sink_error: OnError = "warn",
    ) -> None:
        """Set the recorder up.

        Args:
            sink: Ledger outside of the process: a sink of `receipts_middleware.store`, the path of a SQLite or `.jsonl`
                file, or `postgresql://...`. Without one the receipts live as long as the recorder.
            tools: Tools that the agent has: names, (name, description) pairs, tool dicts of any provider. Tools that
                are decorated are added.
            thread: Thread of the conversation. With a sink, numbers go on where the thread left off.
            run: Id of the run; made up where not given.
            policy: What is said of the tools: a policy, or the path of its file.
            capture: What is kept of arguments and results besides hashes.
            capture_key: Key of the digests, for `capture="digests"`.
            signing_key: Signs receipts, as the middleware's does; of several the first.
            on_sink_error: What to do when the sink fails: `warn` once in the log, `raise` (a call then does not run
                without its row), or a function of the exception and a word on where it happened.

        Raises:
            UsageError: An option has a value that cannot be right.
        """
        if capture not in ("values", "digests", "hashes"):
            raise UsageError(f"capture={capture!r}: choose one of values, digests, hashes")
        if capture == "digests" and len(capture_key or b"") < 16:
            raise UsageError('capture="digests" needs capture_key, at least 16 secret bytes (secrets.token_bytes(32))')
        self.policy = policy_of(policy)
        self.thread, self.run = thread, run or uuid.uuid4().hex
        self._capture, self._key = capture, capture_key
        self._sinking = Sinking(sink, on_sink_error, self._captured, capture_key)
        self._guard = Guard("warn")
        self._signer = as_keyring(signing_key).signer if signing_key is not None else None
        self._tools: dict[str, ToolSpec] = {spec.name: spec for spec in read_tools(tools)}
        self._entries: dict[int, Entry] = {}
        self._open: dict[int, CallSlot] = {}
        self._newest = Ledger()
        self._issued = 0
        self._continued = False
        self._lock = threading.Lock()
        self._head = genesis_head(thread, "")

    def call(self, tool: str, args: object = None, *, tool_call_id: str = "") -> RecordedCall:
        """Record one call: `with recorder.call(name, args) as call: call.returned(work(**args))`.

        Args:
            tool: Name as the model spelled it. Untrusted.
            args: Parsed arguments. Untrusted.
            tool_call_id: The provider's id of the call.

        Returns:
            A context manager for `with` and `async with`. Its number is given here, so make calls of one turn in the
            order in which the model asked for them.
        """
        asked = ToolCall(str(tool), str(tool_call_id or ""), {} if args is None else freeze(args))
        with self._lock:
            if not self._continued:
                self._go_on()
            self._issued += 1
            slot = CallSlot(self._issued, self._issued, asked, 0, self._head)
            self._open[slot.n] = slot
        return RecordedCall(self, slot)

    @overload
    def tool(self, function: F) -> F: ...
    @overload
    def tool(self, *, name: str) -> Callable[[F], F]: ...
    def tool(self, function: F | None = None, *, name: str = "") -> F | Callable[[F], F]:
        """Record every call of a function, `def` or `async def`: `@recorder.tool` or `@recorder.tool(name="mail")`.

        Args:
            function: The function.
            name: Name that the model knows it by; its own where not given.

        Returns:
            A function of the same signature, which also works where no argument or result can be kept.

        Raises:
            UsageError: It is a generator, whose calls return before they did anything.
        """
        if function is None:
            return lambda given: self._recorded(given, name)
        return self._recorded(function, name)

    def _recorded(self, function: F, name: str) -> F:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise UsageError("a generator does its work after its call returned; use recorder.call around the work")
        called = name or getattr(function, "__name__", type(function).__name__)
        spec = read_tools([(called, inspect.getdoc(function) or "")])
        self._tools.update({item.name: item for item in spec if item.name not in self._tools})
        bound = _binder(function)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def arecorded(*args: Any, **kwargs: Any) -> Any:
                async with self.call(called, bound(args, kwargs)) as call:
                    value = await function(*args, **kwargs)
                    call.returned(value)
                return value

            return arecorded  # type: ignore[return-value]

        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            with self.call(called, bound(args, kwargs)) as call:
                value = function(*args, **kwargs)
                call.returned(value)
            return value

        return recorded  # type: ignore[return-value]

    def add_tools(self, tools: Iterable[object]) -> None:
        """Tools that the agent has, as far as they are not known yet.

        Args:
            tools: As for the recorder itself. Untrusted.
        """
        for spec in read_tools(tools):
            self._tools.setdefault(spec.name, spec)

    @property
    def ledger(self) -> Ledger:
        """Receipts so far, in call order; a call that has not ended is there as `no_result`."""
        with self._lock:
            entries, waiting = dict(self._entries), list(self._open.values())
        for slot in waiting:
            entries.setdefault(slot.n, _unended(slot))
        self._newest = Ledger(entries.values(), after=self._newest)
        return self._newest

    def render(self, *, max_chars: int = MAX_CHARS) -> str:
        """The ledger as lines for the model, `[r1 send_email] success`, to be put into its prompt.

        Args:
            max_chars: Bound of the text. Failures and acting calls stay longest, then the newest.
        """
        rows = [
            LedgerRow(
                entry.n,
                entry.tool,
                entry.outcome,
                entry.receipt.object_id or "",
                keep=is_kept(entry.outcome, acting=self.kind(entry.tool) != "reading"),
            )
            for entry in self.ledger
        ]
        return render_block(ledger_tag(self.thread or self.run), rows, limit=max_chars, heading=ALL).text

    def check(self, reply: object, *, said: str = "", since: int = 0) -> Verification:
        """Hold the agent's reply against what ran.

        Args:
            reply: Its text, or a message of a provider that holds it. Untrusted.
            said: What the user asked for; values that only they gave are then told from the agent's own.
            since: Number of the last call before the message that this reply answers; earlier calls are then not
                missed in it.

        Returns:
            The verification, as `verify_messages` gives it; `trust["source"]` is `recorder`.
        """
        text = reply if isinstance(reply, str) else reply_text(_content_of(reply))
        ledger = self.ledger
        with ledger.remembering(ClaimsMemory) as memory:
            return judge_turn(
                Turn(
                    reply=text,
                    ledger=ledger,
                    view=View("none"),
                    tools=tuple(self._tools.values()),
                    source="recorder",
                    policy=self.policy,
                    said=said,
                    request=said,
                    this_turn=since,
                    memory=memory,
                )
            )

    def kind(self, tool: str) -> ToolKind:
        """What kind of tool this is: what the policy says, else what it tells itself."""
        spec = find_spec(self._tools.values(), tool)
        return self.policy.kind(tool) or (spec.kind if spec is not None else kind_of(tool))

    def facts(self, tool: str, args: object, text: str) -> dict[str, list[str]]:
        """Values kept of one call, all of it untrusted."""
        return extract_facts(args, text, capture=self._captured(tool), key=self._key)

    def _captured(self, tool: str) -> Capture:
        return self.policy.keeps(tool, self._capture)

    def _sealed(self, receipt: Receipt, facts: Mapping[str, object]) -> Receipt:
        """A receipt with its signature, where there is a key; unsigned where that cannot be made."""
        signer = self._signer
        if signer is None:
            return receipt

        def sign() -> Receipt:
            scope = Place(self.thread[:MAX_TEXT]).to_scope() or None
            held = replace(receipt, scope=scope, facts_sha256=digest_facts(facts) if facts else None)
            return seal_receipt(held, signer)

        return self._guard("while a receipt was signed", sign, receipt)

    def _put(self, entry: Entry) -> None:
        with self._lock:
            self._entries[entry.n] = entry
            self._open.pop(entry.n, None)

    def _go_on(self) -> None:
        """Take in what the sink holds of the thread, once, before the first number is given. Under the lock."""
        sink, self._continued = self._sinking.sink, True
        if sink is not None and self.thread:

            def read() -> Ledger:
                return ledger_of(read_rows(sink.read(thread=self.thread)).executions)

            found = self._sinking.guarded("while the thread was read", read, Ledger())
            self._entries.update({entry.n: entry for entry in found})
            self._issued = max(self._entries, default=0)


def _content_of(reply: object) -> object:
    """What a message of a provider says; a list of blocks is that itself."""
    fields = plain_fields(reply)
    return fields["content"] if isinstance(fields, Mapping) and "content" in fields else reply


def _binder(function: Callable[..., Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], object]:
    """Arguments of a call by name; the object of a method is none of them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        signature = None

    def bound(args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        if signature is not None:
            try:
                named = dict(signature.bind(*args, **kwargs).arguments)
            except TypeError:  # the call itself will say so
                pass
            else:
                first = next(iter(signature.parameters), "")
                return {name: value for name, value in named.items() if not (name == first and name in ("self", "cls"))}
        return {**{str(place): value for place, value in enumerate(args)}, **kwargs}

    return bound


def _unended(slot: CallSlot) -> Entry:
    return Entry(receipt=derive_receipt(slot, None, "unknown"), origin="recorded", pairing="none", call=slot.call)
