"""Where a run belongs: its thread and checkpoint namespace, as the host tells them."""

from __future__ import annotations

from dataclasses import dataclass

from receipts_middleware.core.chain import stable_namespace


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a run belongs.

    Attributes:
        run: What tells it from others within the process: its thread, else its run id.
        thread: Its thread; empty where it has none. Chain and tag follow from it, since a run id is new each time.
        namespace: Its checkpoint namespace without task ids.
    """

    run: str
    thread: str
    namespace: str


def scope_of(runtime: object) -> Scope:
    """Where a run belongs; empty outside of a graph."""
    info = getattr(runtime, "execution_info", None)
    thread = str(getattr(info, "thread_id", None) or "")
    run = thread or str(getattr(info, "run_id", None) or "")
    return Scope(run, thread, stable_namespace(str(getattr(info, "checkpoint_ns", "") or "")))


def graph_of(runtime: object) -> str:
    """Checkpoint namespace of the running graph, with task ids and without the step's own."""
    info = getattr(runtime, "execution_info", None)
    return str(getattr(info, "checkpoint_ns", "") or "").rpartition("|")[0]
