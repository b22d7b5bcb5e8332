"""Many processes and threads into one sink: nothing is lost, and every run is in its own order.

In the suite each of 8 processes with 8 threads makes 1,000 executions. With RECEIPTS_FULL_LOAD=1 each of the 64 threads
does; docs/sink.md has the figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from receipts_middleware.core.executed import SinkRow
from receipts_middleware.store import open_sink

WORKER = Path(__file__).with_name("load_worker.py")
PROCESSES = THREADS = 8
EXECUTIONS = 1_000 if os.environ.get("RECEIPTS_FULL_LOAD") == "1" else 125


@pytest.fixture(params=["sqlite", "jsonl", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the sink is."""
    if request.param != "postgres":
        yield str(tmp_path / ("sink.jsonl" if request.param == "jsonl" else "sink.db"))
        return
    from sqlalchemy import create_engine, text

    url, database = request.getfixturevalue("postgres_url"), f"load_{uuid.uuid4().hex[:12]}"
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {database}"))
    yield url.rpartition("/")[0] + f"/{database}"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"DROP DATABASE {database} WITH (FORCE)"))
    engine.dispose()


def test_nothing_is_lost_and_order_is_kept(where) -> None:
    begun = time.perf_counter()
    arguments = [where, *map(str, (THREADS, EXECUTIONS))]
    children = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", str(WORKER), arguments[0], str(p), *arguments[1:]],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for p in range(PROCESSES)
    ]
    failed = [text[-2_000:] for child in children if (text := child.communicate()[1]) or child.returncode]
    assert not failed, failed[0]
    seconds = time.perf_counter() - begun
    total = PROCESSES * THREADS * EXECUTIONS
    print(f"{where.split('://')[0][-6:]}: {total} executions in {seconds:.1f} s, {total / seconds:.0f} a second")
    runs: dict[str, list[tuple[int, str]]] = {}
    with open_sink(where) as sink:
        for row in sink.read():
            assert isinstance(row, SinkRow)
            runs.setdefault(row.run, []).append((row.n, row.event))
    wanted = [(n, event) for n in range(1, EXECUTIONS + 1) for event in ("start", "done")]
    assert sorted(runs) == sorted(f"p{p}.t{k}" for p in range(PROCESSES) for k in range(THREADS))
    for run, rows in runs.items():
        assert rows == wanted, run
