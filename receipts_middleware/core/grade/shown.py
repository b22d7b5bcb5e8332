"""What readings of a conversation showed: which objects, in which states.

A result is read only where an object is asked for whose id stands in its text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Final

from receipts_middleware.core.grade.readback import states_of
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.patterns import pattern_of

#: Short values of arguments that are compared with a state or an id.
_MAX_ARGS: Final = 64
_MAX_ARG_CHARS: Final = 128
#: An id that every text spells as it is: what JSON may escape is not in it.
_PLAIN: Final = pattern_of(r"[A-Za-z0-9_.:#@+ -]+\Z")
#: How JSON and Python escape what they need not.
_ESCAPES: Final = ("\\u00", "\\U00", "\\x")
#: Readings that are searched in one go, and characters of a text that is searched with others.
_TOGETHER: Final = 32
_SHORT: Final = 2_000
_NUMBER: Final = attrgetter("n")


class Shown:
    """Readings by the objects that they name. Grows with the conversation."""

    __slots__ = ("_chunks", "_found", "_open", "_seen", "_tested", "_unsorted")

    def __init__(self) -> None:
        self._found: dict[str, list[tuple[Entry, str]]] = {}
        self._chunks: list[_Chunk] = []
        self._tested: dict[int, int] = {}
        self._seen: dict[int, int] = {}
        self._open: list[Entry] = []
        self._unsorted: set[str] = set()

    def take(self, read: Entry) -> None:
        """Take in the next reading.

        Args:
            read: Untrusted.
        """
        text = read.result.text if read.result is not None else ""
        if not text or ("\\" in text and any(escape in text for escape in _ESCAPES)):
            self._read(read)  # what it names cannot be told from its text
        elif len(text) > _SHORT:
            self._close()
            self._chunks.append(_Chunk([read], text, " ".join(short_arguments(read))))
        else:
            self._open.append(read)
            if len(self._open) == _TOGETHER:
                self._close()

    def since(self, act: Entry, name: str) -> Iterator[tuple[Entry, str]]:
        """Readings after an act that show an object, each with the state; those that were given before are left out.

        Args:
            act: The act.
            name: Id of its object.
        """
        self._close()
        first = self._tested.get(act.n)
        if first is None:
            first = bisect_right(self._chunks, act.n, key=_last)
        self._tested[act.n] = len(self._chunks)
        plain = _PLAIN.match(name) is not None
        for at in range(first, len(self._chunks)):
            chunk = self._chunks[at]
            if not plain or name in chunk.text or name in chunk.asked:
                for read in chunk.take():
                    self._read(read)
        found = self._found.get(name, [])
        if name in self._unsorted:
            found.sort(key=_place)
            self._unsorted.discard(name)
        begin = bisect_right(found, self._seen.get(act.n, act.n), key=_place)
        if found:
            self._seen[act.n] = found[-1][0].n
        yield from found[begin:]

    def _close(self) -> None:
        if self._open:
            asked = "\n".join(text for read in self._open for text in short_arguments(read))
            texts = "\n".join(read.result.text for read in self._open if read.result is not None)
            self._chunks.append(_Chunk(self._open, texts, asked))
            self._open = []

    def _read(self, read: Entry) -> None:
        for name, word in _states(read):
            self._found.setdefault(name, []).append((read, word))
            self._unsorted.add(name)


class _Chunk:
    """Readings whose texts are searched together until they are read."""

    __slots__ = ("_reads", "asked", "last", "text")

    def __init__(self, reads: list[Entry], text: str, asked: str) -> None:
        self._reads, self.text, self.asked, self.last = reads, text, asked, reads[-1].n

    def take(self) -> list[Entry]:
        """The readings, once."""
        taken, self._reads, self.text, self.asked = self._reads, [], "", ""
        return taken


_last = attrgetter("last")


def _place(shown: tuple[Entry, str]) -> int:
    return shown[0].n


def _states(read: Entry) -> Iterator[tuple[str, str]]:
    if read.result is not None:
        asked = frozenset(short_arguments(read))
        yield from states_of(read.result.text or read.result.content, asked)
        return
    word = read.receipt.status_word
    if word is None:
        return
    # Without the result nobody can tell whose state it was, where the facts name several things: the first is the
    # object itself or what was asked for.
    facts = read.facts.get("args")
    asked_facts = [fact for fact in facts if isinstance(fact, str)] if isinstance(facts, list | tuple) else []
    for name in (read.receipt.object_id,) if read.receipt.object_id is not None else asked_facts[:1]:
        yield name, word


def short_arguments(entry: Entry) -> Iterator[str]:
    """Short values of the arguments, top level."""
    args = entry.call.args if entry.call is not None else None
    if isinstance(args, Mapping):
        for value in list(args.values())[:_MAX_ARGS]:
            if isinstance(value, str) and len(value) <= _MAX_ARG_CHARS:
                yield value.strip()
            elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
                yield str(value)
