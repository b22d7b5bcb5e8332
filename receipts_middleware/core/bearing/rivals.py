"""Whether another receipt of the run is what a statement speaks of, rather than the one that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.bearing.field import AKIN, Field
from receipts_middleware.core.bearing.named import Named
from receipts_middleware.core.binding import Act
from receipts_middleware.core.dataclass import dataclass

#: By how much another receipt must hold more of a statement; a thing that one of six receipts has weighs about three.
CLEARLY: Final = 2.0
#: ... of one tool, whose calls differ in nothing but their things.
_SIBLING: Final = 1.2
#: One plain word tells little.
_ONE_WORD: Final = 3.0
#: ... but where the cited receipt has nothing at all of the statement.
_ONLY_WORD: Final = 2.2
#: Share of a statement from which on a receipt holds too much of it to be the wrong one.
_HOLDS: Final = 0.4
_HOLDS_SIBLING: Final = 0.75
#: What the cited receipt alone holds may weigh at most this share of what the other alone holds.
_OWN_SHARE: Final = 0.2
#: A word of the same meaning in another tool's name is no more than a hint.
_HINT: Final = 0.5


@dataclass(frozen=True, slots=True)
class Rival:
    """Another receipt against the cited one.

    Attributes:
        act: The other receipt.
        more: Weight of what it holds and the cited one does not.
        less: Weight of what the cited one holds and it does not.
        telling: It holds a value, a name, or several words more.
    """

    act: Act
    more: float
    less: float
    telling: bool


def weigh(act: Act, other: Act, things: Sequence[Named], field: Field, beside: Sequence[Act] = ()) -> Rival:
    """Hold another receipt against the cited one.

    Args:
        act: The cited receipt.
        other: The other one.
        things: What the statement names.
        field: What the receipts of the run hold.
        beside: Receipts cited for the same statement: what they hold needs no other.
    """
    more = less = 0.0
    extra: list[Named] = []
    for thing in things:
        weight = field.weight(thing)
        own, its = field.level(thing, act), field.level(thing, other)
        gain = its - max([own, *(field.level(thing, b) for b in beside)])
        if gain > 0:
            more += weight * gain * (1.0 if its > AKIN else _HINT)
            extra.append(thing)
        less += weight * max(0.0, own - its)
    return Rival(other, more, less, len(extra) > 1 or any(t.kind != "word" for t in extra))


def better_than(act: Act, things: Sequence[Named], field: Field, beside: Sequence[Act]) -> Rival | None:
    """The receipt that clearly fits a statement better than the cited one.

    Args:
        act: The cited receipt.
        things: What the statement names.
        field: What the receipts of the run hold.
        beside: Receipts cited for the same statement: what they hold needs no other.

    Returns:
        The best other one; None where none fits clearly better.
    """
    total = sum(field.weight(thing) for thing in things)
    if not total:
        return None
    holds = sum(field.weight(thing) * field.level(thing, act) for thing in things) / total
    best: Rival | None = None
    for other in field.run.acts:
        if other is act or other in beside:
            continue
        rival = weigh(act, other, things, field, beside)
        sibling = is_sibling(act, other)
        least = _SIBLING if sibling else CLEARLY if rival.telling else _ONE_WORD if holds else _ONLY_WORD
        if rival.more - rival.less < least or rival.less > rival.more * _OWN_SHARE:
            continue
        if holds > (_HOLDS_SIBLING if sibling else _HOLDS):
            continue
        if best is None or rival.more - rival.less > best.more - best.less:
            best = rival
    return best


def is_sibling(act: Act, other: Act) -> bool:
    """Whether two receipts are of one tool that does one thing, called for different things.

    Args:
        act: A receipt.
        other: Another.
    """
    return (
        act.traits.name == other.traits.name
        and act.kind not in ("shell", "unknown")
        and act.arg_pairs() != other.arg_pairs()
        and {key for key, _ in act.arg_pairs()} == {key for key, _ in other.arg_pairs()}
    )
