"""The words and numbers of calls, by which a reply finds those among many that it may speak of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import facts_of
from receipts_middleware.core.binding.bodies import MAX_RESULT, leaf_texts
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.patterns import pattern_of

#: A token that more calls share tells none of them from the others.
RARE: Final = 40
#: Characters of a result whose tokens serve to find it among many, and of a reply whose tokens are looked for.
MAX_TOKENS_OF: Final = 4_000
MAX_REPLY: Final = 200_000
_TOKEN: Final = pattern_of(r"[a-z0-9]{2,40}")


class Tokens:
    """Which calls have a token. Grows with the calls; of a token that many have only that is kept."""

    __slots__ = ("_places", "_size")

    def __init__(self) -> None:
        self._places: dict[str, list[int]] = {}
        self._size = 0

    def take(self, calls: Sequence[Entry]) -> None:
        """Take in calls.

        Args:
            calls: All of them; those that were taken come first again. Untrusted.
        """
        places = self._places
        for at in range(self._size, len(calls)):
            for token in tokens_of(calls[at]):
                held = places.get(token)
                if held is None:
                    places[token] = [at]
                elif len(held) <= RARE:
                    held.append(at)
        self._size = len(calls)

    def rare(self, wanted: Iterable[str]) -> set[int]:
        """Places of the calls that have one of these tokens which few calls have.

        Args:
            wanted: Tokens.
        """
        found: set[int] = set()
        for token in wanted:
            held = self._places.get(token)
            if held is not None and len(held) <= RARE:
                found.update(held)
        return found


def tokens_in(reply: str) -> frozenset[str]:
    """Runs of letters and digits of a reply, in lower case.

    Args:
        reply: Untrusted.
    """
    return frozenset(_TOKEN.findall(reply[:MAX_REPLY].lower()))


def tokens_of(entry: Entry) -> set[str]:
    """Runs of letters and digits of arguments and result, in lower case; its first characters only.

    Args:
        entry: A call. Untrusted.
    """
    result = entry.result
    parts = [*leaf_texts(entry.call.args, keys=False)] if entry.call is not None else []
    if result is not None:
        parts.append(result.text[:MAX_TOKENS_OF])
    else:
        parts += [*facts_of(entry, "args"), *facts_of(entry, "output")]
    return set(_TOKEN.findall(" ".join(parts)[:MAX_RESULT].lower()))
