"""States that exclude each other: what a statement says of a thing against the state that its receipt gives."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from receipts_middleware.core.patterns import pattern_of

#: Two sides of one question, parted by `|`; a phrase is written with `_` for its blanks.
_ROWS: Final = """
    open opened unlocked | closed shut locked sealed
    free available vacant idle unoccupied | occupied busy taken booked reserved unavailable full held in_use on_break
        on_leave off_duty sold_out
    clean cleaned spotless ready | dirty soiled unclean not_ready
    on_time on_schedule punctual early | delayed late behind overdue behind_schedule
    on_track ahead_of_schedule ahead | behind off_track at_risk late delayed
    active enabled live running online up in_service | inactive disabled stopped down offline suspended dormant paused
        out_of_service broken
    healthy well fit sound recovered | sick ill unhealthy injured lame infected unwell critical
    valid in_force current | expired invalid lapsed revoked void
    paid settled cleared | unpaid due outstanding overdue owing
    passed pass sound | failed fail rejected
    approved granted accepted authorised authorized | rejected declined denied refused
    complete completed finished done final | incomplete running partial unfinished in_progress ongoing draft underway
    empty | full
    connected | disconnected
    armed | disarmed
    present | absent missing
    signed | unsigned
    verified confirmed | unverified unconfirmed tentative
    negative | positive
    held kept set_aside | released given_up
    normal | abnormal elevated critical
    safe | unsafe dangerous
    dry | wet flooded damp
    calm smooth | rough stormy choppy
    warm | cold freezing
    published public | draft private unpublished hidden
    delivered arrived | in_transit undelivered en_route
    stable | unstable critical
    on_its_way on_their_way shipped dispatched | backordered back_ordered out_of_stock cancelled canceled
    dead deceased | alive
"""
_SIDES: Final = tuple(
    tuple(tuple(word.replace("_", " ") for word in side.split()) for side in row.split("|"))
    for row in _ROWS.replace("\n        ", " ").strip().splitlines()
)
_NOT: Final = pattern_of(r"(?:\b(?:not|no|never|without|hardly)|n['’]t)\W+(?:\w+\W+){0,2}\Z", re.IGNORECASE)
#: Characters before a word in which a negation of it stands.
_BEFORE: Final = 24


def says_otherwise(text: str, state: str) -> bool:
    """Whether a statement calls a thing what excludes the state that a receipt gives.

    Args:
        text: The statement. Untrusted.
        state: A short value of the receipt. Untrusted.
    """
    for sides in _SIDES:
        for mine, other in (sides, sides[::-1]):
            if not _pattern(other).search(state) or _pattern(mine).search(state) or _pattern(other).search(text):
                continue
            said = _pattern(mine).search(text)
            if said and not _NOT.search(text, max(0, said.start() - _BEFORE), said.start()):
                return True
    return False


def says_the_same(text: str, state: str) -> bool:
    """Whether a statement calls a thing by a word of the same side as the state that a receipt gives.

    Args:
        text: The statement. Untrusted.
        state: A short value of the receipt. Untrusted.
    """
    return any(_pattern(side).search(state) and _pattern(side).search(text) for sides in _SIDES for side in sides)


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])", re.IGNORECASE)
