"""The recording stand-in: what was executed, seen at the tool itself, wherever the middleware stands in the stack.

`RecordingRequest` hands the layers inside a tool that is a subclass of the real one and shares its `__dict__` and
private attributes, so a stateful tool keeps its state (a `model_copy` would not: a connection made on first use was
made once a call). A layer that puts another tool in place gets a stand-in of that one, too.
"""

from __future__ import annotations

import types
import weakref
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest

_SLOT: Final = "receipts_recorder"
#: Pydantic keeps these outside `__dict__`.
_PYDANTIC_SLOTS: Final = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")

_classes: weakref.WeakKeyDictionary[type[BaseTool], type[BaseTool]] = weakref.WeakKeyDictionary()


@dataclass(slots=True)
class Attempt:
    """One execution.

    Attributes:
        tool: Name of the tool that ran.
        args: Arguments handed to `invoke`, before coercion and defaults; injected ones included.
        parsing: The tool began to parse its arguments.
        entered: The arguments were accepted, so the tool's own code ran.
        response: What `invoke` returned.
        error: What it raised.
    """

    tool: BaseTool
    args: object
    parsing: bool = False
    entered: bool = False
    response: object = None
    error: BaseException | None = None


@dataclass(slots=True)
class Recorder:
    """Attempts of one tool call, in order."""

    attempts: list[Attempt] = field(default_factory=list)
    _open: Attempt | None = None

    def begin(self, tool: BaseTool, tool_input: object) -> Attempt | None:
        """Open an attempt; None where one is open: `ainvoke` of a sync tool falls through to `invoke`."""
        if self._open is not None:
            return None
        args = tool_input.get("args", tool_input) if isinstance(tool_input, dict) else tool_input
        self._open = Attempt(tool, args)
        self.attempts.append(self._open)
        return self._open

    def end(self, attempt: Attempt | None, *, response: object = None, error: BaseException | None = None) -> None:
        """Close an attempt with what it returned or raised."""
        if attempt is not None:
            attempt.response, attempt.error, self._open = response, error, None

    def parsing(self) -> None:
        """The open attempt begins to parse its arguments."""
        if self._open is not None:
            self._open.parsing = True

    def entered(self) -> None:
        """The arguments of the open attempt were accepted."""
        if self._open is not None:
            self._open.entered = True


def stand_in(tool: BaseTool, recorder: Recorder) -> BaseTool:
    """A tool that records and otherwise is the tool it stands for: same state, same class name, same behaviour.

    Raises:
        Exception: Whatever an unusual tool class raises when it is subclassed; the caller then runs the tool itself.
    """
    cls = _classes.get(type(tool))
    if cls is None:
        cls = _classes[type(tool)] = _recording_class(type(tool))
    twin = object.__new__(cls)
    object.__setattr__(twin, "__dict__", tool.__dict__)
    for name in _PYDANTIC_SLOTS:
        object.__setattr__(twin, name, getattr(tool, name))
    object.__setattr__(twin, _SLOT, recorder)
    return twin


def is_stand_in(tool: BaseTool) -> bool:
    """Whether a tool records already."""
    return getattr(tool, _SLOT, None) is not None


def _recording_class(base: type[BaseTool]) -> type[BaseTool]:
    """A subclass that records; built once a class, since that takes about a millisecond."""

    def invoke(self: BaseTool, input: Any, config: Any = None, **kwargs: Any) -> Any:
        recorder: Recorder = getattr(self, _SLOT)
        attempt = recorder.begin(self, input)
        try:
            response = base.invoke(self, input, config, **kwargs)
        except BaseException as error:
            recorder.end(attempt, error=error)
            raise
        recorder.end(attempt, response=response)
        return response

    async def ainvoke(self: BaseTool, input: Any, config: Any = None, **kwargs: Any) -> Any:
        recorder: Recorder = getattr(self, _SLOT)
        attempt = recorder.begin(self, input)
        try:
            response = await base.ainvoke(self, input, config, **kwargs)
        except BaseException as error:
            recorder.end(attempt, error=error)
            raise
        recorder.end(attempt, response=response)
        return response

    def to_args(self: BaseTool, *args: Any, **kwargs: Any) -> Any:
        recorder: Recorder = getattr(self, _SLOT)
        recorder.parsing()
        parsed = base._to_args_and_kwargs(self, *args, **kwargs)
        recorder.entered()
        return parsed

    body: dict[str, object] = {
        "__module__": base.__module__,
        "__qualname__": base.__qualname__,
        "__doc__": base.__doc__,
        "__slots__": (_SLOT,),
        "invoke": invoke,
        "ainvoke": ainvoke,
    }
    if hasattr(base, "_to_args_and_kwargs"):
        body["_to_args_and_kwargs"] = to_args
    made: type[BaseTool] = types.new_class(base.__name__, (base,), exec_body=lambda namespace: namespace.update(body))
    return made


@dataclass
class RecordingRequest(ToolCallRequest):
    """A tool call request whose tool records, also after an inner layer puts another tool in its place."""

    recorder: Recorder | None = None

    def __post_init__(self) -> None:
        """Put a stand-in in place of a tool that does not record yet."""
        if self.recorder is not None and self.tool is not None and not is_stand_in(self.tool):
            object.__setattr__(self, "tool", stand_in(self.tool, self.recorder))
