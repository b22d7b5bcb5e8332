"""Runs straight from a LangGraph checkpointer: a SQLite file, or a PostgreSQL database.

`plain` makes plain data of what is stored, without importing or building anything that it names; `fold` puts messages
together that are stored as deltas; `sqlite` and `postgres` read rows; `read` goes from a thread to its transcript.
"""

from receipts_middleware.langchain.checkpoints.read import (
    is_checkpointer,
    list_threads,
    read_checkpoints,
    read_thread,
)

__all__ = ["is_checkpointer", "list_threads", "read_checkpoints", "read_thread"]
