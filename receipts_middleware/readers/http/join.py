"""Conversations of exchanges: a later request repeats the earlier messages, so the longest one with its response is it.

Repeated messages come back with other ids, other blanks, another system text, without what the provider ran itself,
and now and then in another provider's spelling; they are compared by who speaks, the words, and the calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.transcript import Message

#: Conversations that open with the same words and are looked through; a recording of a test run has a few.
MAX_OPEN: Final = 50
#: Messages that branches off earlier responses are given; beyond it they begin without what was before.
MAX_COPIED: Final = 1_000_000

#: Who speaks, words without blanks, names of calls.
_Sign = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said in one exchange.

    Attributes:
        dialect: Format of the request.
        model: As the request names it.
        asked: Messages of the request.
        reply: Messages of the response; none where it failed or is yet to come.
        tools: Tools that the request lists, as they stand there.
        response_id: By which a later request may refer to the response.
        continues: Id of the response that the request goes on from without repeating it.
        polled: The exchange only asks for a response that was promised.
    """

    dialect: str
    model: str
    asked: tuple[Message, ...]
    reply: tuple[Message, ...]
    tools: object
    response_id: str = ""
    continues: str = ""
    polled: bool = False


@dataclass(slots=True)
class Conversation:
    """One conversation.

    Attributes:
        dialect: Format of its latest request.
        model: Of its latest request.
        asked: Messages of its longest request.
        reply: Messages of the response to that.
        tools: Of its latest request that lists any.
        signs: Of `asked`, for the comparison.
        reply_signs: Of `reply`.
    """

    dialect: str
    model: str
    asked: list[Message]
    reply: list[Message]
    tools: object
    signs: list[_Sign] = field(default_factory=list)
    reply_signs: list[_Sign] = field(default_factory=list)

    @property
    def messages(self) -> list[Message]:
        """All of it."""
        return [*self.asked, *self.reply]

    @property
    def size(self) -> int:
        """How many messages it has."""
        return len(self.asked) + len(self.reply)

    def answer(self, reply: Sequence[Message]) -> None:
        """A response, or what there is by now of one that was promised."""
        self.reply, self.reply_signs = list(reply), _signs(reply)

    def extend(self, new: Sequence[Message]) -> None:
        """More of the conversation after the last response."""
        self.asked += [*self.reply, *new]
        self.signs += [*self.reply_signs, *_signs(new)]

    def take(self, said: Spoken) -> None:
        """The response of its latest request, and what that says of the run."""
        self.answer(said.reply)
        self.dialect, self.model = said.dialect, said.model or self.model
        self.tools = said.tools or self.tools


def join(spoken: Iterable[Spoken]) -> list[Conversation]:
    """Make conversations of exchanges.

    Args:
        spoken: In the order of the recording.

    Returns:
        Conversations in the order in which they begin.
    """
    joiner = _Joiner()
    for said in spoken:
        joiner.add(said)
    return joiner.found


@dataclass(slots=True)
class _Joiner:
    """Conversations so far, by what a later exchange may refer to.

    Attributes:
        found: In the order in which they begin.
        by_response: By the id of a response, with the number of messages up to and with it.
        by_opening: By their first message.
        copied: Messages that branches were given.
    """

    found: list[Conversation] = field(default_factory=list)
    by_response: dict[str, tuple[Conversation, int]] = field(default_factory=dict)
    by_opening: dict[_Sign, list[Conversation]] = field(default_factory=dict)
    copied: int = 0

    def add(self, said: Spoken) -> None:
        """Take in the next exchange."""
        if said.polled and said.response_id in self.by_response:
            held, _ = self.by_response[said.response_id]
            if said.reply:
                held.answer(said.reply)
        elif said.continues in self.by_response:
            held = self._continued(said)
        else:
            held = self._repeated(said)
        if said.response_id:
            self.by_response[said.response_id] = (held, held.size)

    def _continued(self, said: Spoken) -> Conversation:
        """A request that goes on from a response by its id: the conversation grows, or branches off an earlier one."""
        held, size = self.by_response[said.continues]
        new = [message for message in said.asked if message.role != "system"]
        if size != held.size:
            before = held.messages[:size] if self.copied + size <= MAX_COPIED else []
            self.copied += len(before)
            held = Conversation(said.dialect, said.model, before, [], said.tools, _signs(before))
            self.found.append(held)
        held.extend(new)
        held.take(said)
        return held

    def _repeated(self, said: Spoken) -> Conversation:
        """A request that repeats the messages so far, or begins."""
        signs = _signs(said.asked)
        near = self.by_opening.setdefault(signs[0], []) if signs else []
        held = next((one for one in reversed(near[-MAX_OPEN:]) if _goes_on(one, signs)), None)
        if held is None:
            held = Conversation(said.dialect, said.model, list(said.asked), [], said.tools)
            self.found.append(held)
            near.append(held)
        whole = {_key(message): message for message in held.messages if message.calls}
        held.asked = [_richer(message, whole.get(_key(message))) for message in said.asked]
        held.signs = signs
        held.take(said)
        return held


def _signs(messages: Sequence[Message]) -> list[_Sign]:
    """What is compared of messages; instructions change from request to request, empty ones come and go."""
    out: list[_Sign] = []
    for message in messages:
        calls = tuple(call.tool for call in message.calls if call.kind != "provider")
        text = "".join(message.text.split())
        if message.role != "system" and (text or calls or message.result is not None):
            out.append((message.role, text, calls))
    return out


def _goes_on(held: Conversation, signs: Sequence[_Sign]) -> bool:
    """Whether a request repeats a conversation and says more, or asks again what was never answered."""
    size = len(held.signs)
    if list(signs[:size]) != held.signs:
        return False
    if not held.reply_signs:
        return len(signs) >= size
    rest = list(signs[size : size + len(held.reply_signs)])
    return len(signs) > size and rest == held.reply_signs


def _key(message: Message) -> tuple[str, str, tuple[str, ...]]:
    own = tuple(call.tool_call_id for call in message.calls if call.kind != "provider")
    return (message.role, "".join(message.text.split()), own)


def _richer(message: Message, before: Message | None) -> Message:
    """A repeated message as it first came, where it held calls of the provider that the repetition lost."""
    return before if before is not None and len(before.calls) > len(message.calls) else message
