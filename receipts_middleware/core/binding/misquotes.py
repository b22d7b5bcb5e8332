"""What a reply says of results against what they hold, piece by piece: the way in, and how a claim is cut up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.counted import follows, too_many_of, wrong_number
from receipts_middleware.core.binding.mixed import mixed_row
from receipts_middleware.core.binding.pieces import Piece, piece_of
from receipts_middleware.core.binding.rests import wrong_delay, wrong_rest
from receipts_middleware.core.binding.rows import View, view_of
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.standing import not_all, not_none, other_state, stranger_in_list
from receipts_middleware.core.binding.swaps import not_the_most, of_another, other_sort, other_weekday
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value

#: Calls whose results are read for one claim, and pieces of it.
_MAX_ACTS: Final = 8
_MAX_PIECES: Final = 8
_MAX_CLAIM: Final = 600
_CUT: Final = pattern_of(
    r";\s+|:\s+(?=[^\W\d])|,\s+|\s+(?:and|but|while|whereas|with|so|which|who|plus|though|although)\s+|\s*[()|]\s*|\s+[-\u2013\u2014]\s+"
)
_RULES: Final[tuple[Callable[[Piece, View, Run], str | None], ...]] = (
    of_another,
    other_weekday,
    wrong_number,
    too_many_of,
    other_state,
    not_all,
    not_none,
    not_the_most,
    other_sort,
)


def contradicted(text: str, near: Sequence[Act], run: Run) -> str | None:
    """What results hold in place of what a text says of them.

    Args:
        text: A claim. Untrusted.
        near: Calls whose results it speaks of, nearest first.
        run: Everything that was seen.

    Returns:
        What stands there instead; None where nothing speaks against it. Contradicts only by a place that is the only
        one of its name, and only where the value said follows from nothing that was seen.
    """
    acts = _with_like(tuple(near), run)
    if not acts:
        return None
    view = _view(acts, run)
    text = text[:_MAX_CLAIM]
    whole = piece_of(text, text, acts)
    for rule in (stranger_in_list, wrong_rest, wrong_delay):
        said = rule(whole, view, run)
        if said is not None:
            return said
    if (said := mixed_row(text, view)) is not None:
        return said
    before = ""
    for part in _CUT.split(text)[:_MAX_PIECES]:
        if not part or not part.strip():
            continue
        piece = piece_of(part, text, acts, before)
        for apply in _RULES:
            said = apply(piece, view, run)
            if said is not None:
                return said
        before = part
    return None


def works_out(value: Value, near: Sequence[Act], run: Run) -> bool:
    """Whether a number follows from the numbers of the results that a claim speaks of.

    Args:
        value: A number of the claim.
        near: Those calls.
        run: Everything that was seen.
    """
    if value.kind == "count" and run.seen().find(replace(value, norm=f"{value.norm}00")) == "same":
        return True  # minor units: "seventy-nine" over 7900
    return value.kind in ("money", "percent", "count") and follows(value, _view(tuple(near[:_MAX_ACTS]), run), run)


def _view(acts: tuple[Act, ...], run: Run) -> View:
    """The results of some calls as rows, read once for all claims of a reply that speak of these very calls."""
    found = run.views.get(acts)
    if found is None:
        found = run.views[acts] = view_of(acts)
    return found


def _with_like(near: tuple[Act, ...], run: Run) -> tuple[Act, ...]:
    """The calls and others of the same tools, so that what is the only one of its name is so among all of them."""
    if near not in run.alikes:
        run.alikes[near] = _likes(near, run)
    return run.alikes[near]


def _likes(near: Sequence[Act], run: Run) -> tuple[Act, ...]:
    tools = {act.traits.name for act in near}
    near = [act for act in near if act.grade not in ("F", "S1", "S0")]
    like = [a for a in run.acts if a.traits.name in tools and a not in near and a.grade not in ("F", "S1", "S0")]
    if not near or len(near) + len(like) > _MAX_ACTS:
        return ()  # among so many nothing is the only one of its name
    return (*near, *like)
