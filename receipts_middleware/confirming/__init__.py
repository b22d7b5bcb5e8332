"""`confirm` and `aconfirm`: a webhook or a later look-up says what became of an act; the record goes where it is kept.

Nothing here edits a receipt. A graph is only asked for its state and told an update, by the names that LangGraph
gives these, so that nothing of it is imported. `record` makes the record and its line, `keep` puts it away, `confirm`
is both.
"""

from receipts_middleware.confirming.confirm import Graph, aconfirm, confirm
from receipts_middleware.confirming.record import Confirmed, Kept

__all__ = ["Confirmed", "Graph", "Kept", "aconfirm", "confirm"]
