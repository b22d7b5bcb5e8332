"""Which call started which subagent of a session, and what the subagent is called."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from receipts_middleware.readers.claude_code.build import prompt_of
from receipts_middleware.readers.claude_code.lines import Conversation, Line
from receipts_middleware.readers.content import field_of, text_field

#: Tools by which a session starts a subagent.
_DELEGATIONS: Final = frozenset({"Task", "Agent"})


class Delegations:
    """Subagents of a file by the calls that started them.

    A line of a subagent may name its call; the result of a call may name its subagent; else the prompt of the call is
    the first thing that the subagent was told, the first call with it for the first subagent.
    """

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        """Read the calls.

        Args:
            conversations: Of one file. Untrusted.
        """
        self._name: dict[str, str] = {}
        self._asked: dict[str, deque[str]] = {}
        self._answered: dict[str, str] = {}
        self._started: dict[tuple[str, str], str] = {}
        for conversation in conversations:
            for line in conversation.lines:
                self._take_calls(line)
        for conversation in conversations:
            for line in conversation.lines:
                self._take_answer(line)
        for conversation in conversations:
            if conversation.agent:
                self._started[conversation.key] = self._find(conversation)

    def call_of(self, conversation: Conversation) -> str:
        """Id of the call that started a subagent; empty for the session itself and where nothing tells."""
        return self._started.get(conversation.key, "") if conversation.agent else ""

    def name_of(self, conversation: Conversation) -> str:
        """The kind or the task of a subagent, else its id; empty for the session itself."""
        return self._name.get(self.call_of(conversation), "") or conversation.agent

    def _take_calls(self, line: Line) -> None:
        content = line.message.get("content")
        for block in content if line.kind == "assistant" and isinstance(content, list) else ():
            identity = text_field(block, "id")
            if not identity or identity in self._name or text_field(block, "name") not in _DELEGATIONS:
                continue
            asked = field_of(block, "input")
            self._name[identity] = text_field(asked, "subagent_type", "description")
            self._asked.setdefault(text_field(asked, "prompt"), deque()).append(identity)

    def _take_answer(self, line: Line) -> None:
        """The result of the call says under which id the subagent ran."""
        agent = text_field(line.record.get("toolUseResult"), "agentId")
        content = line.message.get("content")
        for block in content if agent and isinstance(content, list) else ():
            identity = text_field(block, "tool_use_id")
            if identity in self._name:
                self._answered.setdefault(agent, identity)

    def _find(self, conversation: Conversation) -> str:
        for identity in (conversation.call, conversation.agent, self._answered.get(conversation.agent, "")):
            if identity in self._name:
                self._drop(identity)
                return identity
        waiting = self._asked.get(prompt_of(conversation.lines))
        return waiting.popleft() if waiting else ""

    def _drop(self, identity: str) -> None:
        """A call that is known to have started a subagent started no other one of the same prompt."""
        for waiting in self._asked.values():
            if identity in waiting:
                waiting.remove(identity)
                return
