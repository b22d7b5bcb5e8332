"""The recording stand-in: what was executed, seen at the tool itself, wherever the middleware stands in the stack.

`RecordingRequest` hands the layers inside a tool that is a subclass of the real one and shares its `__dict__` and
private attributes, so a stateful tool keeps its state (a `model_copy` would not: a connection made on first use was
made once a call). A layer that puts another tool in place gets a stand-in of that one, too.
"""

from __future__ import annotations

import contextlib
import copy
import types
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final

from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest

from receipts_middleware.langchain.arguments import handed_args

_SEAT: Final = "receipts_seat"
#: Pydantic keeps these outside `__dict__`.
_PYDANTIC_SLOTS: Final = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
#: Slots that every tool has; a class with more of its own keeps state that two objects cannot share.
_KNOWN_SLOTS: Final = frozenset({*_PYDANTIC_SLOTS, "__dict__", "__weakref__", "__slots__"})
#: Recording classes kept at once; each costs a millisecond to build, and a process has a dozen classes of tools.
_MAX_CLASSES: Final = 256


@dataclass(slots=True)
class Attempt:
    """One execution.

    Attributes:
        tool: The tool that ran.
        args: Arguments that the model can set as they were handed to `invoke`, before coercion and defaults.
        awaited: It was begun by `ainvoke`.
        parsing: The tool began to parse its arguments.
        entered: The arguments were accepted, so the tool's own code ran.
        ended: It returned or raised.
        response: What `invoke` returned.
        error: What it raised.
    """

    tool: BaseTool
    args: object
    awaited: bool = False
    parsing: bool = False
    entered: bool = False
    ended: bool = False
    response: object = None
    error: BaseException | None = None

    @property
    def ran(self) -> bool:
        """The tool's own code ran; it does not where its arguments were refused."""
        return self.entered or not self.parsing


@dataclass(slots=True)
class Recorder:
    """Attempts of one tool call, in the order in which they began.

    Attributes:
        asked: Arguments of the call as the middleware saw it.
        state: State of the graph, of which parts may be injected.
        attempts: What ran.
        unwatched: A tool was to run that cannot be stood in for, so that no attempts say nothing.
    """

    asked: object = None
    state: object = None
    attempts: list[Attempt] = field(default_factory=list)
    unwatched: bool = False

    def begin(self, tool: BaseTool, tool_input: object, *, awaited: bool) -> Attempt | None:
        """Open an attempt; None within one that is open: `ainvoke` of a sync tool falls through to `invoke`."""
        held = _current.get()
        if held is not None and held[0] is self:
            return None
        if not awaited and any(attempt.awaited and not attempt.ended for attempt in self.attempts):
            return None  # in a thread that was started without the context of the attempt
        args = tool_input.get("args", tool_input) if isinstance(tool_input, dict) else tool_input
        attempt = Attempt(tool, handed_args(tool, args, self.asked, self.state), awaited)
        self.attempts.append(attempt)
        return attempt

    def open_attempt(self) -> Attempt | None:
        """The attempt that the running code belongs to."""
        held = _current.get()
        if held is not None and held[0] is self:
            return held[1]
        return next((attempt for attempt in reversed(self.attempts) if not attempt.ended), None)


@dataclass(frozen=True, slots=True)
class _Seat:
    """What a stand-in holds besides the state of its tool."""

    recorder: Recorder
    tool: BaseTool


#: The attempt that the running code belongs to, so that two at once (a layer that hedges) are told apart.
_current: ContextVar[tuple[Recorder, Attempt] | None] = ContextVar("receipts_attempt", default=None)


def stand_in(tool: BaseTool, recorder: Recorder) -> BaseTool:
    """A tool that records and otherwise is the tool it stands for: same state, same class name, equal to it.

    Raises:
        Exception: Whatever an unusual tool class raises when it is subclassed; the caller then runs the tool itself.
    """
    twin = object.__new__(_recording_class(type(tool)))
    object.__setattr__(twin, "__dict__", tool.__dict__)
    for name in _PYDANTIC_SLOTS:
        object.__setattr__(twin, name, getattr(tool, name))
    object.__setattr__(twin, _SEAT, _Seat(recorder, tool))
    return twin


def original_of(tool: BaseTool) -> BaseTool:
    """The tool that a stand-in stands for; any other tool itself."""
    seat = getattr(tool, _SEAT, None)
    return seat.tool if isinstance(seat, _Seat) else tool


def recorder_of(tool: BaseTool) -> Recorder | None:
    """Where a stand-in records; None for any other tool."""
    seat = getattr(tool, _SEAT, None)
    return seat.recorder if isinstance(seat, _Seat) else None


@lru_cache(maxsize=_MAX_CLASSES)
def _recording_class(base: type[BaseTool]) -> type[BaseTool]:
    """A subclass that records; built once a class, since that takes about a millisecond."""
    own = {name for cls in base.__mro__ for name in _slots_of(cls)} - _KNOWN_SLOTS
    if own:
        raise TypeError(f"{base.__name__} keeps state in slots ({', '.join(sorted(own))})")

    def run(self: BaseTool, input: Any, config: Any = None, **kwargs: Any) -> Any:
        seat: _Seat = getattr(self, _SEAT)
        attempt = seat.recorder.begin(seat.tool, input, awaited=False)
        inner = self.__dict__.get("invoke") or partial(base.invoke, self)
        if attempt is None:
            return inner(input, config, **kwargs)
        with _within(seat.recorder, attempt):
            attempt.response = inner(input, config, **kwargs)
            return attempt.response

    async def arun(self: BaseTool, input: Any, config: Any = None, **kwargs: Any) -> Any:
        seat: _Seat = getattr(self, _SEAT)
        attempt = seat.recorder.begin(seat.tool, input, awaited=True)
        inner = self.__dict__.get("ainvoke") or partial(base.ainvoke, self)
        if attempt is None:
            return await inner(input, config, **kwargs)
        with _within(seat.recorder, attempt):
            attempt.response = await inner(input, config, **kwargs)
            return attempt.response

    def to_args(self: BaseTool, *args: Any, **kwargs: Any) -> Any:
        attempt = getattr(self, _SEAT).recorder.open_attempt()
        if attempt is None:
            return base._to_args_and_kwargs(self, *args, **kwargs)
        attempt.parsing = True
        parsed = base._to_args_and_kwargs(self, *args, **kwargs)
        attempt.entered = True
        return parsed

    body = {
        "__module__": base.__module__,
        "__qualname__": base.__qualname__,
        "__doc__": base.__doc__,
        "__slots__": (_SEAT,),
        # Properties, so that an `invoke` which somebody put on the very tool is recorded, too, and not hidden by it.
        "invoke": property(lambda self: partial(run, self)),
        "ainvoke": property(lambda self: partial(arun, self)),
        "_to_args_and_kwargs": to_args,
        "__eq__": lambda self, other: original_of(self) == (original_of(other) if _is_tool(other) else other),
        "__hash__": base.__hash__,
        # A copy is a tool of its own and records nothing.
        "__copy__": lambda self: copy.copy(original_of(self)),
        "__deepcopy__": lambda self, memo=None: copy.deepcopy(original_of(self), memo),
        "__reduce_ex__": lambda self, protocol: (original_of, (original_of(self),)),
    }
    made: type[BaseTool] = types.new_class(base.__name__, (base,), exec_body=lambda namespace: namespace.update(body))
    return made


def _slots_of(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _is_tool(value: object) -> bool:
    return isinstance(value, BaseTool)


class _within(contextlib.AbstractContextManager[None]):
    """Mark the running code as part of an attempt, and keep what it raises."""

    __slots__ = ("_attempt", "_recorder", "_token")

    def __init__(self, recorder: Recorder, attempt: Attempt) -> None:
        self._recorder, self._attempt = recorder, attempt

    def __enter__(self) -> None:
        self._token = _current.set((self._recorder, self._attempt))

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._attempt.error, self._attempt.ended = error, True
        try:
            _current.reset(self._token)
        except ValueError:  # a layer drives the coroutine in several contexts, of which this one goes away with it
            _current.set(None)


@dataclass
class RecordingRequest(ToolCallRequest):
    """A tool call request whose tool records, also after an inner layer puts another tool in its place."""

    recorder: Recorder | None = None

    def __post_init__(self) -> None:
        """Put a stand-in in place of a tool that does not record yet."""
        if self.recorder is not None and self.tool is not None and recorder_of(self.tool) is not self.recorder:
            object.__setattr__(self, "tool", _watched(self.tool, self.recorder))

    def __setattr__(self, name: str, value: Any) -> None:
        """As the host's, which warns of assignments; a tool that is assigned records, too."""
        if name == "recorder":
            object.__setattr__(self, name, value)
            return
        super().__setattr__(name, value)
        if name == "tool" and "recorder" in self.__dict__:
            self.__post_init__()


def _watched(tool: BaseTool, recorder: Recorder) -> BaseTool:
    try:
        return stand_in(tool, recorder)
    except Exception:  # noqa: BLE001 - a class that cannot be subclassed must run all the same
        recorder.unwatched = True
        return tool


def recording(request: ToolCallRequest, recorder: Recorder) -> RecordingRequest:
    """The request with a recorder; filled in directly, since the host's attribute check costs more than the rest."""
    made = object.__new__(RecordingRequest)
    made.__dict__.update(request.__dict__)
    made.__dict__["recorder"] = recorder
    made.__post_init__()
    return made
