"""The words and numbers of calls, by which a reply finds those among many that it may speak of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import facts_of
from receipts_middleware.core.binding.bodies import MAX_RESULT, leaf_texts
from receipts_middleware.core.ledger import Entry

#: A token that more calls share tells none of them from the others.
RARE: Final = 40
#: Characters of a result whose tokens serve to find it among many, and of a reply whose tokens are looked for.
MAX_TOKENS_OF: Final = 4_000
MAX_REPLY: Final = 200_000


class Tokens:
    """Which calls have a token. Grows with the calls; of a token that many have only that is kept."""

    __slots__ = ("_common", "_places", "_size")

    def __init__(self) -> None:
        self._places: dict[bytes, int | list[int]] = {}  # most tokens stand in one call
        self._common: set[bytes] = set()
        self._size = 0

    def take(self, calls: Sequence[Entry]) -> None:
        """Take in calls.

        Args:
            calls: All of them; those that were taken come first again. Untrusted.
        """
        places, common = self._places, self._common
        for at in range(self._size, len(calls)):
            for token in tokens_of(calls[at]).difference(common):
                held = places.get(token)
                if held is None:
                    places[token] = at
                elif isinstance(held, int):
                    places[token] = [held, at]
                elif len(held) < RARE:
                    held.append(at)
                else:
                    common.add(token)
                    del places[token]
        self._size = len(calls)

    def rare(self, wanted: Iterable[bytes]) -> set[int]:
        """Places of the calls that have one of these tokens which few calls have.

        Args:
            wanted: Tokens.
        """
        found: set[int] = set()
        for token in wanted:
            held = self._places.get(token, ())
            found.update((held,) if isinstance(held, int) else held)
        return found


def tokens_in(reply: str) -> frozenset[bytes]:
    """Runs of letters and digits of a reply, in lower case; single ones tell nothing.

    Args:
        reply: Untrusted.
    """
    return frozenset(token for token in _runs(reply[:MAX_REPLY]) if len(token) > 1)


def tokens_of(entry: Entry) -> set[bytes]:
    """Runs of letters and digits of arguments and result, in lower case; its first characters only.

    Args:
        entry: A call. Untrusted.
    """
    result, args = entry.result, entry.call.args if entry.call is not None else None
    parts: list[str] = []
    for value in args.values() if type(args) is dict else (args,):
        if isinstance(value, str):
            parts.append(value)
        elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            parts.append(str(value))
        else:
            parts += leaf_texts(value, keys=False)
    if result is not None:
        parts.append(result.text[:MAX_TOKENS_OF])
    else:
        parts += [*facts_of(entry, "args"), *facts_of(entry, "output")]
    return set(_runs(" ".join(parts)[:MAX_RESULT]))


def _runs(text: str) -> list[bytes]:
    """Runs of the letters and digits of ASCII, in lower case."""
    return text.encode("utf-8", "replace").translate(_PLAIN).split()


#: Letters in lower case and digits as they are, blanks for all other bytes.
_PLAIN: Final = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))
