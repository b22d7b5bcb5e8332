"""Acting calls that may have been made with the same arguments: candidates for a repetition.

Comparing digests would mean hashing the arguments of every call. Calls whose scalars differ have different digests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.toolspec import kind_of_call

if TYPE_CHECKING:
    from receipts_middleware.core.binding.known import Known

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


class Alike:
    """Acting calls by what their arguments have in common. Grows with the calls."""

    __slots__ = ("_by_digest", "_first", "_known", "_repeated", "_size")

    def __init__(self, known: Known) -> None:
        self._known = known
        self._forget(by_digest=False)

    def _forget(self, *, by_digest: bool) -> None:
        self._by_digest = by_digest
        self._first: dict[int, Entry] = {}
        self._repeated: dict[int, list[Entry]] = {}
        self._size = 0

    def take(self, calls: Sequence[Entry]) -> None:
        """Take in calls.

        Args:
            calls: All of them; those that were taken come first again. Untrusted.
        """
        if not self._by_digest and not all(entry.receipt.is_later for entry in calls[self._size :]):
            self._forget(by_digest=True)  # a stamp has the digest of what was executed, which may have been edited
        for entry in calls[self._size :]:
            args = entry.call.args if entry.call is not None else None
            if not args:
                continue
            tool = self._known.tool(entry.tool)
            if (tool.kind or kind_of_call(tool.spec, args)) not in _MAY_ACT:
                continue
            own = tool.said is not None and tool.said.idempotency_key is not None
            said = None if own else entry.receipt.args_sha256 if self._by_digest else _scalars_of(args)
            key = hash((entry.tool, said))  # two keys with one hash only make a larger group
            first = self._first.setdefault(key, entry)
            if first is not entry:
                self._repeated.setdefault(key, [first]).append(entry)
        self._size = len(calls)

    def since(self, this_turn: int) -> Iterator[list[Act]]:
        """Groups of two or more calls, the last of which is of this turn.

        Args:
            this_turn: Number of the last call before it.
        """
        for group in self._repeated.values():
            if group[-1].n > this_turn:
                for tool in dict.fromkeys(entry.tool for entry in group):
                    yield [self._known.act(entry) for entry in group if entry.tool == tool]


#: Of what may act the rule says what acted.
_MAY_ACT: Final = frozenset({"acting", "unknown"})


def _scalars_of(args: object) -> object:
    """What arguments with one digest have in common: all that they are, or their keys where values hold others."""
    if isinstance(args, str):
        return args
    if type(args) is not dict:
        return None
    try:
        return frozenset(args.items())
    except TypeError:  # a list or an object among the values
        return frozenset([(key, value) if type(value) in _SCALARS else key for key, value in args.items()])
