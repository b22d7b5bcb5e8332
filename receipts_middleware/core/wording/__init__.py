"""What the wording of a statement says about the outcome: a first reading by tables of English words."""

from __future__ import annotations

from receipts_middleware.core.wording.reading import Reading, cites_failure, reads_as

__all__ = ["Reading", "cites_failure", "reads_as"]
