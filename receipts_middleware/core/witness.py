"""A turn that is judged by a record outside of its messages: the sink, in place of what the messages say."""

from __future__ import annotations

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.executed import Recorded, hold_against
from receipts_middleware.core.turn import Turn


def with_recorded(turn: Turn, recorded: Recorded, *, later: bool = True) -> Turn:
    """A turn held against what a sink holds of its conversation.

    Args:
        turn: As its messages tell it.
        recorded: As `core.executed.fetch` gives it.
        later: Executions above what the turn can know of are listed, too; not where others turns come behind it.

    Returns:
        The turn with the sink's records, and with calls that the sink does not know as `no_result`.
    """
    highest = max([entry.n for entry in turn.ledger], default=0)
    limit = max(highest, turn.view.n or 0)
    held = hold_against(turn.ledger, recorded, limit=limit, later=later)
    # A call that no key vouches for stays unbelieved, unless the sink has it: that is the stronger record.
    unbelieved = (turn.view.unbelieved - held.proven) | held.unbelieved
    return replace(
        turn,
        ledger=held.ledger,
        view=replace(turn.view, unbelieved=unbelieved),
        sink=held.trust,
        confirmations=turn.confirmations.and_more(recorded.confirmations, "sink"),
    )
