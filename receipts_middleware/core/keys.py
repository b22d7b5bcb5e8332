"""Wire keys: the names under which receipts and snapshots stand in a message's `additional_kwargs`.

Each is written once, here. Everything under `KEY_PREFIX` is ours: it is never sent to a model and never believed
when a tool, a model or a caller put it there.
"""

from __future__ import annotations

KEY_PREFIX = "receipts_middleware."
RECEIPT_KEY = "receipts_middleware.receipt"
SNAPSHOT_KEY = "receipts_middleware.snapshot"
#: On the tool message of a call that ran subagents: what they did, as their parent keeps it.
HARVEST_KEY = "receipts_middleware.harvest"

#: Left in saved runs by the application in which this design began; read, never written.
LEGACY_RECEIPT_KEY = "deerflow_tool_receipt"
LEGACY_LEDGER_KEY = "deerflow_tool_receipt_ledger"

#: Channel of a graph's state in which the middleware keeps what must outlive its message, and the run's own row in it.
CHANNEL = "_receipts"
CHANNEL_META = ""
#: Private channel beside it: what was confirmed from outside after the run, by uid and digest of the evidence.
CONFIRMED_CHANNEL = "_receipts_confirmed"

FORMAT_VERSION = 1
