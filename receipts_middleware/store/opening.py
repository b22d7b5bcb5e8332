"""From what a user passes as `sink=` to a sink, and from a sink to a ledger."""

from __future__ import annotations

import os
from typing import TypeAlias

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.executed import Executed, Recorded, SinkReader, SinkRow, ledger_of, read_rows
from receipts_middleware.core.ledger import Ledger
from receipts_middleware.core.receipt import Malformed
from receipts_middleware.store.base import Sink, Store
from receipts_middleware.store.jsonl import JsonlSink
from receipts_middleware.store.postgres import PostgresSink
from receipts_middleware.store.redact import Redact
from receipts_middleware.store.sqlite import SqliteSink

SinkLike: TypeAlias = "Sink | str | os.PathLike[str]"


def open_sink(
    where: str | os.PathLike[str], *, store: Store = "facts", redact: Redact = None
) -> SqliteSink | JsonlSink | PostgresSink:
    """The sink at a path or URL.

    Args:
        where: `postgresql://...`, a path that ends in `.jsonl`, or the path of a SQLite file (also `sqlite:///path`).
        store: What is kept of arguments and results.
        redact: What is changed before it is stored.

    Returns:
        The sink, of which nothing is opened yet.

    Raises:
        UsageError: The URL is of a kind that is not known.
    """
    text = os.fspath(where)
    scheme, found, rest = text.partition("://")
    if found and scheme.split("+")[0] in ("postgresql", "postgres"):
        return PostgresSink(text, store=store, redact=redact)
    if found and scheme == "sqlite":
        text = rest.removeprefix("/")
    elif found:
        raise UsageError(f"a sink at {scheme}:// is not known; pass postgresql://..., a .jsonl file or a SQLite file")
    if text.endswith((".jsonl", ".ndjson")):
        return JsonlSink(text, store=store, redact=redact)
    return SqliteSink(text, store=store, redact=redact)


def sink_of(value: SinkLike) -> Sink:
    """The sink that an option says.

    Raises:
        UsageError: It is neither a sink, a path nor a URL.
    """
    if isinstance(value, str | os.PathLike):
        return open_sink(value)
    if isinstance(value, type) or not callable(getattr(value, "append", None)) or not hasattr(value, "redaction"):
        raise UsageError("sink is a sink of receipts_middleware.store, a path, or a URL postgresql://...")
    return value


def read_executions(
    sink: SinkReader,
    *,
    thread: str | None = None,
    run: str | None = None,
    ns: str | None = "",
    graph: str | None = None,
) -> Recorded:
    """Every execution that a sink holds of a thread or a run, repeated and unfinished ones among them.

    Args:
        sink: The sink.
        thread: Of this thread.
        run: Of this run.
        ns: Of this checkpoint namespace; the empty string is the agent itself, None takes subagents along.
        graph: Of this one graph, where subagents ran at once.

    Returns:
        The executions in the order in which they began.

    Raises:
        SinkError: The sink could not be read.
    """

    def wanted(row: SinkRow | Malformed) -> bool:
        if isinstance(row, Malformed) or row.event == "erased":
            return True
        return (ns is None or row.ns == ns) and (graph is None or row.graph == graph)

    return read_rows(row for row in sink.read(thread=thread, run=run) if wanted(row))


def read_sink(
    sink: SinkLike, *, thread: str | None = None, run: str | None = None, ns: str = "", graph: str | None = None
) -> Ledger:
    """The ledger of a thread or a run, read from a sink in place of its messages.

    Args:
        sink: A sink, its path or URL.
        thread: Of this thread.
        run: Of this run.
        ns: Of this checkpoint namespace: that of a subagent, for its ledger.
        graph: Of this one graph, where subagents of one namespace ran at once.

    Returns:
        One entry a number, to be handed to `verify`: of a call that ran several times the last that returned; of one
        that never ended an entry with the outcome `no_result`.

    Raises:
        UsageError: Neither thread nor run was given: numbers begin anew in each.
        SinkError: The sink could not be read.
    """
    if thread is None and run is None:
        raise UsageError("read_sink needs thread=... or run=...: numbers begin anew in each")
    return ledger_of(read_executions(sink_of(sink), thread=thread, run=run, ns=ns, graph=graph).executions)


__all__ = ["Executed", "SinkLike", "open_sink", "read_executions", "read_sink", "sink_of"]
