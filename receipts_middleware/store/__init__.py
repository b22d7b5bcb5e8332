"""Sinks: append-only ledgers of executions, outside of the graph and out of the agent's reach.

`base` is the protocol and what ours share, `sqlite`, `jsonl` and `postgres` are the stores, `commit` writes waiting
rows together, `redact` and `writing` decide what is stored, `opening` finds a sink by its path and reads ledgers.
"""

from receipts_middleware.core.executed import Executed, Recorded, SinkRow
from receipts_middleware.store.base import BaseSink, Sink, SinkError, Store
from receipts_middleware.store.jsonl import JsonlSink
from receipts_middleware.store.opening import SinkLike, open_sink, read_executions, read_sink, sink_of
from receipts_middleware.store.postgres import PostgresSink
from receipts_middleware.store.redact import Redact, Redaction
from receipts_middleware.store.sqlite import SqliteSink

__all__ = [
    "BaseSink",
    "Executed",
    "JsonlSink",
    "PostgresSink",
    "Recorded",
    "Redact",
    "Redaction",
    "Sink",
    "SinkError",
    "SinkLike",
    "SinkRow",
    "SqliteSink",
    "Store",
    "open_sink",
    "read_executions",
    "read_sink",
    "sink_of",
]
