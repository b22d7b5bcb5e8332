"""What the readers of agents' own logs share.

What a log says of itself, values that it holds twice, calls that are records of their own, and replies that are handed
over by a call.
"""

from __future__ import annotations

from collections.abc import Mapping

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.transcript import Message, ToolCall
from receipts_middleware.readers.native import MAX_META


def make_meta(**said: object) -> Mapping[str, str] | None:
    """What a log says of itself, as `Transcript.meta` holds it.

    Args:
        **said: Values by name. Untrusted; what is no text or an empty one is left out, longer texts are cut.

    Returns:
        The texts, None where there is none.
    """
    return {key: value[:MAX_META] for key, value in said.items() if isinstance(value, str) and value} or None


def same_value(one: object, other: object) -> bool:
    """Whether two parsed values are equal; False where they are nested too deeply to compare.

    Args:
        one: Untrusted.
        other: Untrusted.
    """
    try:
        return one == other
    except RecursionError:
        return False


def with_final_words(message: Message, words: Mapping[int, str]) -> Message:
    """A message some of whose calls only hand over the final reply (`finish`): their words are said, nothing ran.

    Args:
        message: An assistant message.
        words: What each such call hands over, by its place; empty where it hands over nothing.

    Returns:
        The message with these words behind its own, and these calls of kind `answer`.
    """
    if not words:
        return message
    calls = tuple(replace(call, kind="answer") if at in words else call for at, call in enumerate(message.calls))
    said = [text for text in words.values() if text.strip() and text.strip() not in message.text]
    text = "\n".join([*([message.text] if message.text.strip() else []), *said])
    return replace(message, text=text, calls=calls)


@dataclass(slots=True)
class Writer:
    """Messages of a log while its records are read, for logs whose calls are records of their own.

    Attributes:
        messages: So far; the newest assistant message is complete only after `close`.
    """

    messages: list[Message] = field(default_factory=list)
    _calls: list[ToolCall] = field(default_factory=list)
    _words: dict[int, str] = field(default_factory=dict)
    _at: int = -1

    def put(self, message: Message) -> None:
        """Add a message.

        Args:
            message: Without calls; those of an assistant message follow through `call`.
        """
        if message.role == "assistant":
            self.close()
            self._at = len(self.messages)
        self.messages.append(message)

    def call(self, call: ToolCall, *, final: str | None = None) -> None:
        """Add a call to the newest assistant message, wherever it stands.

        Args:
            call: The call.
            final: The words of the final reply, where the call only hands it over.
        """
        if self._at < 0:
            self.put(Message(role="assistant", text=""))
        if final is not None:
            self._words[len(self._calls)] = final
        self._calls.append(call)

    def close(self) -> None:
        """Give the newest assistant message its calls."""
        if self._calls:
            message = replace(self.messages[self._at], calls=tuple(self._calls))
            self.messages[self._at] = with_final_words(message, self._words)
            self._calls, self._words = [], {}
