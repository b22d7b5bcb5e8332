"""Processes that are killed in the middle: what had returned is in the sink, what had not is a start without an end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from receipts_middleware.core.executed import SinkRow
from receipts_middleware.store import BaseSink, open_sink

WORKER = Path(__file__).with_name("crash_worker.py")

#: Runs of each kind. Together 200, of which 40 with the whole of LangChain around them.
RUNS = {"recorder": {"sqlite": 80, "jsonl": 40, "postgres": 40}, "middleware": {"sqlite": 40}}
CASES = [(kind, store, count) for kind, stores in RUNS.items() for store, count in stores.items()]


def worker(kind: str, where: str, runs: int, seed: int) -> list[dict]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(WORKER), kind, where, str(runs), str(seed)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    return json.loads(done.stdout)


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the sink of a case is."""
    store = request.param
    if store != "postgres":
        yield str(tmp_path / ("sink.jsonl" if store == "jsonl" else "sink.db"))
        return
    from sqlalchemy import create_engine, text

    url = request.getfixturevalue("postgres_url")
    database = f"crash_{uuid.uuid4().hex[:12]}"
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {database}"))
    yield url.rpartition("/")[0] + f"/{database}"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"DROP DATABASE {database} WITH (FORCE)"))
    engine.dispose()


def by_name(sink: BaseSink, kind: str) -> dict[str, dict[str, SinkRow]]:
    """Rows of each execution under the name by which the run tells of it: its run and number."""
    found: dict[str, dict[str, SinkRow]] = {}
    for row in sink.read():
        assert isinstance(row, SinkRow)
        name = f"{row.run if kind == 'recorder' else row.thread} {row.n}"
        rows = found.setdefault(name, {})
        assert row.event not in rows, f"{name} has two rows {row.event}"
        rows[row.event] = row
    return found


@pytest.mark.parametrize(("kind", "where", "runs"), CASES, indirect=["where"], ids=[f"{k}-{s}" for k, s, _ in CASES])
def test_whatever_returned_is_in_the_sink_and_whatever_did_not_is_open(kind, where, runs) -> None:
    told = worker(kind, where, runs, seed=1)
    assert all(run["killed"] for run in told), "a run ended by itself, so that nothing was tested"
    with open_sink(where) as sink:
        rows = by_name(sink, kind)
    for run in told:
        began, ending, returned = set(run["b"]), set(run["e"]), set(run["r"])
        for name in began:
            assert "start" in rows[name], f"{name} ran without its row"
        for name in returned:
            assert set(rows[name]) == {"start", "done"}, f"{name} had returned and has no end"
        for name in began - ending:
            assert set(rows[name]) == {"start"}, f"{name} had not returned and is not open"
    names = {name for run in told for name in (*run["b"], *run["e"], *run["r"])}
    done = {name for name, events in rows.items() if "done" in events}
    assert done <= {name for run in told for name in run["e"]}, "the sink has an end that never was"
    opened = set(rows) - done
    assert any(run["b"] for run in told)
    assert opened, "no kill met an execution, so that nothing was tested"
    # A start may be written, and the process killed before the tool could tell that it began.
    assert len(set(rows) - names) <= 3 * len(told)
