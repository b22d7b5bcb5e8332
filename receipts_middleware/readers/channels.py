"""The channels by which a saved message declares that a tool failed.

They are `status`, `is_error`, `isError`, `error` and `exit_code`. Every reader asks here, so that no format drops one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.readers.content import field_of, text_of

_FAILED: Final = frozenset({"error", "errored", "failed", "failure", "fail", "timeout", "incomplete", "cancelled"})
_SUCCEEDED: Final = frozenset({"success", "succeeded", "ok", "completed", "complete", "done"})
_FLAGS: Final = ("is_error", "isError")
_EXIT_CODES: Final = ("exit_code", "exitCode", "returncode", "return_code")


_PLAIN_FIELDS: Final = frozenset(
    {"content", "additional_kwargs", "response_metadata", "type", "name", "id", "tool_call_id", "artifact", "status"}
)


@dataclass(frozen=True, slots=True)
class Channels:
    """What a message declares about its tool.

    Attributes:
        error: True failed, False succeeded, None nothing was declared.
        text: Words of the `error` channel, empty where it has none.
        exit_code: Declared process exit code.
    """

    error: bool | None = None
    text: str = ""
    exit_code: int | None = None


#: Fields without any of which a message declares nothing.
_TELLING: Final = frozenset({"status", "error", "artifact", "extra", *_FLAGS, *_EXIT_CODES})
_NOTHING: Final = Channels()


def read_channels(message: object, *, success_declares: bool = True) -> Channels:
    """Read every declared error channel of a message.

    Args:
        message: Mapping or object. Untrusted.
        success_declares: Whether the status `success` says anything; it is the default of LangChain's class and
            says nothing there.

    Returns:
        The channels. A failure in any of them outweighs a success in another.
    """
    if type(message) is dict and message.keys() <= _PLAIN_FIELDS and not message.get("artifact"):
        # A tool message of LangChain with nothing but its own fields: only its status can say anything.
        return Channels(error=_status(message.get("status"), success_declares=success_declares))
    if type(message) is dict and _TELLING.isdisjoint(message):
        return _NOTHING
    said = [_status(field_of(message, "status"), success_declares=success_declares)]
    said += [flag for name in _FLAGS if isinstance(flag := field_of(message, name), bool)]
    error = field_of(message, "error")
    words = ""
    if isinstance(error, bool):
        said.append(error)
    elif isinstance(error, str | Mapping | list) and error:
        said.append(True)
        words = error if isinstance(error, str) else text_of(error)
    code = _exit_code(message)
    if True in said:
        return Channels(error=True, text=words, exit_code=code)
    return Channels(error=False if False in said else None, exit_code=code)


def _status(status: object, *, success_declares: bool) -> bool | None:
    if not isinstance(status, str):
        return None
    word = status.strip().lower()
    if word in _FAILED:
        return True
    return False if word in _SUCCEEDED and success_declares else None


def _exit_code(message: object) -> int | None:
    for holder in (message, field_of(message, "artifact"), field_of(message, "extra")):
        for name in _EXIT_CODES if holder is not None else ():
            code = field_of(holder, name)
            if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31:
                return code
    return None
