"""Sinks of every kind for the tests of this folder, and a PostgreSQL server where there is one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from receipts_middleware.store import BaseSink, JsonlSink, PostgresSink, SqliteSink

POSTGRES = "RECEIPTS_TEST_POSTGRES_URL"


@pytest.fixture
def postgres_url() -> str:
    """URL of the server that `.ci/postgres start DIR` prints."""
    url = os.environ.get(POSTGRES, "")
    if not url:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{POSTGRES} is not set: continuous integration must start a server (.ci/postgres start DIR)")
        pytest.skip(f"{POSTGRES} is not set; start a server with .ci/postgres start DIR")
    return url


@pytest.fixture
def postgres_table(postgres_url: str) -> Iterator[str]:
    """Name of a table of its own, dropped afterwards."""
    from sqlalchemy import create_engine, text

    name = f"sink_{uuid.uuid4().hex[:12]}"
    yield name
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text(f"DROP TABLE IF EXISTS {name}"))
    engine.dispose()


@pytest.fixture(params=["sqlite", "jsonl", "postgres"])
def make_sink(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., BaseSink]]:
    """Makes sinks on one and the same store."""
    made: list[BaseSink] = []
    if request.param == "postgres":
        url, table = request.getfixturevalue("postgres_url"), request.getfixturevalue("postgres_table")

    def make(**options: object) -> BaseSink:
        sink: BaseSink
        if request.param == "sqlite":
            sink = SqliteSink(tmp_path / "sink.db", **options)  # type: ignore[arg-type]
        elif request.param == "jsonl":
            sink = JsonlSink(tmp_path / "sink.jsonl", **options)  # type: ignore[arg-type]
        else:
            sink = PostgresSink(url, table=table, **options)  # type: ignore[arg-type]
        made.append(sink)
        return sink

    yield make
    for sink in made:
        sink.close()


@pytest.fixture
def sink(make_sink: Callable[..., BaseSink]) -> BaseSink:
    """A sink of each kind, with everything kept."""
    return make_sink(store="raw")
