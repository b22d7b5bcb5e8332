"""Claims in a run of which not all calls are known, or known by their hashes alone: what cannot be told accuses nobody.

Calls leave the messages (a compaction, a limit of what was shown) with their numbers known and nothing else; and where
no values are kept, two calls of one tool cannot be told from each other.
"""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import TARGETS, agrees
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.values import read_values

#: What a call that nobody knows of could make right.
_BY_ABSENCE: Final = frozenset({"not_called", "wrong_target", "wrong_amount", "unconfirmed"})


def as_far_as_known(bound: Bound, run: Run) -> Bound:
    """A claim without what cannot be told.

    Args:
        bound: The claim as it was judged.
        run: What ran.

    Returns:
        The same; `unmatched` where only a call that is not known, or that is known by its hashes, could tell.
    """
    judged = bound.judged
    if run.lost and (judged.status in _BY_ABSENCE or (judged.status == "partial_batch" and _all_done(judged.acts))):
        return replace(bound, judged=replace(judged, status="unmatched", reason="lost"))
    if judged.status == "supported" and bound.claim.kind == "effect" and _is_one_of_several(bound, run):
        return replace(bound, judged=replace(judged, status="unmatched", reason="hashes"))
    return bound


def _all_done(acts: tuple[Act, ...]) -> bool:
    return all(act.done for act in acts)


def _is_one_of_several(bound: Bound, run: Run) -> bool:
    """Whether a thing is named, and of calls that nothing tells apart some were done and some were not."""
    acts = bound.judged.acts
    if not acts or not all(act.is_bare for act in acts) or len({act.traits.name for act in acts}) > 1:
        return False
    if any(re.search(rf"\b{re.escape(act.entry.id)}\b", bound.claim.text) for act in acts):
        return False  # the claim cites which of them it is
    things = [value for value in read_values(bound.claim.text) if value.kind in TARGETS]
    if not things or any(agrees(value, act) for value in things for act in acts):
        return False
    return any(act.is_bare and not act.done and act.traits.name == acts[0].traits.name for act in run.acts)
