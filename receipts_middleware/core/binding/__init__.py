"""Binding: from the claims of a reply to the calls that bear them out, or do not.

`families` and `words` hold what is compared, `tools` says which tool fits a claim, `acts` is what ran, read once,
`run` all of it with its tools, `bodies` reads results as data, `make` builds the run from a ledger; `spoken` is a claim
with what it shares with each call, read once for all rules, `candidates` picks calls and tools for it, `compare` and
`names` hold its values and names against one call, `batches` counts;
`effects`, `checks`, `results`, `denials` and `umbrellas` judge each kind, `bind` all claims of a reply together,
`accounts` what it leaves out.
"""

from receipts_middleware.core.binding.accounts import repeated, untold, written_calls
from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.bind import bind
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.known import Known
from receipts_middleware.core.binding.make import make_run
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.umbrellas import Bound

__all__ = ["Act", "Bound", "Judged", "Known", "Run", "bind", "make_run", "repeated", "untold", "written_calls"]
