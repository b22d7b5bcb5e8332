"""Runs held against a sink: one that is opened once a process, and only looked into."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from receipts_middleware.core.attested import Under
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.executed import SinkReader, fetch
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import judge_turn, last_turn, read_turns
from receipts_middleware.core.witness import with_recorded


@lru_cache(maxsize=4)
def sink_at(where: str) -> SinkReader:
    """The sink at a path or URL.

    Raises:
        UsageError: There is no such file, or the URL is of an unknown kind.
        SinkError: It cannot be read.
    """
    from receipts_middleware.store import open_sink  # noqa: PLC0415 - only who has a sink waits for its libraries

    sink = open_sink(where)
    path = getattr(sink, "path", None)
    if isinstance(path, Path) and not path.exists():
        raise UsageError(f"--sink {where}: there is no such file")
    sink.read(uids=["none"])  # so that it is found out here, and not at every run, that it cannot be read
    return sink


def verify_recorded(
    transcript: Transcript, where: str, *, thread: str, turns: bool, policy: Policy, under: Under | None
) -> list[Verification]:
    """Verifications of one run, as `verify_messages(..., sink=...)` and `verify_turns` give them."""
    sink = sink_at(where)
    if turns:
        held = list(read_turns(transcript, policy=policy, under=under))
        recorded = fetch(sink, held[-1].ledger if held else (), thread=thread or None)
        return [judge_turn(with_recorded(turn, recorded, later=False)) for turn in held]
    turn = last_turn(transcript, policy=policy, under=under)
    return [judge_turn(with_recorded(turn, fetch(sink, turn.ledger, thread=thread or None)))]
