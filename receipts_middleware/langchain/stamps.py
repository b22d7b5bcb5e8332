"""Stamps of this process: the receipt behind each stamp that was put on a message or read from one before.

Parsing a stamp takes as long as the rest of showing it, and the very same object comes by at every model call. A stamp
from a checkpoint is another object and is parsed like any other untrusted text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from receipts_middleware.core.receipt import Malformed, Receipt, parse_receipt

#: Stamps held at once over all runs of one instance; a turn needs those of its newest calls.
MAX_STAMPS: Final = 512


class Stamps:
    """A bounded memo from the identity of a stamp to its receipt. Safe for all threads and runs."""

    def __init__(self, limit: int = MAX_STAMPS, parse: Callable[[object], Receipt | Malformed] = parse_receipt) -> None:
        self._parse = parse
        self._limit = limit
        self._lock = threading.Lock()
        self._items: OrderedDict[int, tuple[object, Receipt | Malformed]] = OrderedDict()

    def read(self, stamp: object) -> Receipt | Malformed:
        """The receipt behind a stamp, as it is parsed; with a key one that is not signed is malformed."""
        held = self._items.get(id(stamp))
        if held is not None and held[0] is stamp:
            return held[1]
        receipt = self._parse(stamp)
        self.put(stamp, receipt)
        return receipt

    def held(self, stamp: object) -> Receipt | None:
        """The receipt behind a stamp that this process put on a message or has read; None for any other."""
        found = self._items.get(id(stamp))
        return found[1] if found is not None and found[0] is stamp and isinstance(found[1], Receipt) else None

    def put(self, stamp: object, receipt: Receipt | Malformed) -> None:
        """Hold the receipt of a stamp; the stamp is held, too, so that its identity is not given to another."""
        with self._lock:
            self._items[id(stamp)] = (stamp, receipt)
            while len(self._items) > self._limit:
                self._items.popitem(last=False)
