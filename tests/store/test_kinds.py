"""What only one kind of sink has to get right: files, locks, servers, rights."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from receipts_middleware import UsageError
from receipts_middleware.core.executed import SinkRow
from receipts_middleware.core.receipt import Malformed
from receipts_middleware.store import JsonlSink, PostgresSink, SinkError, SqliteSink, open_sink, sink_of
from receipts_middleware.store.commit import GroupCommit

AT = "2026-01-01T00:00:00.000Z"


def row(uid: str, **further: object) -> SinkRow:
    values: dict[str, object] = {"event": "start", "n": 1, "thread": "t", "run": "r", "at": AT, **further}
    return SinkRow(uid=uid, **values)  # type: ignore[arg-type]


class TestGroupCommit:
    def test_rows_that_wait_are_written_together(self) -> None:
        batches: list[list[int]] = []
        inside, go = threading.Event(), threading.Event()

        def write(rows):
            if not batches:
                inside.set()
                go.wait(10)
            batches.append(list(rows))

        commit: GroupCommit[int] = GroupCommit(write)
        with ThreadPoolExecutor(9) as pool:
            first = pool.submit(commit.append, 0)
            inside.wait(10)
            others = [pool.submit(commit.append, i) for i in range(1, 9)]
            while len(commit._waiting) < 8:
                pass
            go.set()
            for future in (first, *others):
                future.result(10)
        assert batches[0] == [0]
        assert [sorted(batch) for batch in batches[1:]] == [list(range(1, 9))]

    def test_everybody_in_a_failed_commit_hears_of_it_and_nobody_else(self) -> None:
        failing = [True]

        def write(rows):
            if failing.pop():
                failing.append(False)
                raise OSError("disk full")
            failing.append(False)

        commit: GroupCommit[int] = GroupCommit(write)
        with pytest.raises(OSError, match="disk full"):
            commit.append(1)
        commit.append(2)

    def test_a_thread_that_is_stopped_leaves_nobody_waiting(self) -> None:
        def write(rows):
            raise KeyboardInterrupt

        commit: GroupCommit[int] = GroupCommit(write)
        with pytest.raises(KeyboardInterrupt):
            commit.append(1)
        assert not commit._lock.locked()


class TestSqlite:
    def test_rows_cannot_be_changed(self, tmp_path) -> None:
        with SqliteSink(tmp_path / "s.db") as sink:
            sink.append(row("u"))
        with sqlite3.connect(tmp_path / "s.db") as connection, pytest.raises(sqlite3.Error, match="never changed"):
            connection.execute("UPDATE receipts_sink SET tool = 'x'")
        connection.close()

    def test_a_reader_makes_no_file_and_needs_no_right_to_write(self, tmp_path) -> None:
        with SqliteSink(tmp_path / "s.db") as sink:
            assert sink.read() == []
            assert not list(tmp_path.iterdir())
            sink.append(row("u"))
            reader = sink._connect_reader()
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.execute("DELETE FROM receipts_sink")
            reader.close()
        connection = sqlite3.connect(tmp_path / "other.db")
        connection.execute("CREATE TABLE x (y)")
        connection.close()
        with SqliteSink(tmp_path / "other.db") as other, pytest.raises(SinkError, match="no table of ours"):
            other.read()

    def test_the_disk_is_synced_unless_the_user_says_otherwise(self, tmp_path) -> None:
        for synchronous, level in (("full", 2), ("normal", 1)):
            with SqliteSink(tmp_path / "s.db", synchronous=synchronous) as sink:
                connection = sink._open()
                assert connection.execute("PRAGMA synchronous").fetchone() == (level,)
                assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)

    def test_what_is_erased_is_in_no_file(self, tmp_path) -> None:
        with SqliteSink(tmp_path / "s.db", store="raw") as sink:
            sink.append(row("u1", thread="t1", body={"args": "SECRET-4711"}))
            sink.append(row("u2", thread="t2", body={"args": "other"}))
            sink.erase(thread="t1")
            assert not [p for p in tmp_path.iterdir() if b"SECRET-4711" in p.read_bytes()]

    def test_a_file_of_somebody_else_is_left_alone(self, tmp_path) -> None:
        connection = sqlite3.connect(tmp_path / "other.db")
        connection.execute("PRAGMA application_id = 77")
        connection.close()
        (tmp_path / "text.db").write_text("not a database, but long enough to be taken for one\n" * 50)
        before = (tmp_path / "text.db").read_bytes()
        for name in ("other.db", "text.db"):
            with SqliteSink(tmp_path / name) as sink, pytest.raises(SinkError):
                sink.append(row("u"))
        assert (tmp_path / "text.db").read_bytes() == before

    def test_a_file_of_a_later_version_is_left_alone(self, tmp_path) -> None:
        with SqliteSink(tmp_path / "s.db") as sink:
            sink.append(row("u"))
        connection = sqlite3.connect(tmp_path / "s.db")
        connection.execute("PRAGMA user_version = 99")
        connection.close()
        with SqliteSink(tmp_path / "s.db") as sink, pytest.raises(SinkError, match="version"):
            sink.append(row("u2"))

    def test_a_lock_that_is_held_too_long_is_an_error_and_the_sink_works_afterwards(self, tmp_path) -> None:
        with SqliteSink(tmp_path / "s.db", busy_timeout=0.05) as sink:
            sink.append(row("u1"))
            holder = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(SinkError, match="locked"):
                sink.append(row("u2"))
            assert [one.uid for one in sink.read()] == ["u1"], "readers do not wait for writers"
            holder.execute("COMMIT")
            holder.close()
            sink.append(row("u3"))
            assert [one.uid for one in sink.read()] == ["u1", "u3"]

    def test_rows_that_somebody_else_wrote_are_malformed(self, tmp_path) -> None:
        with SqliteSink(tmp_path / "s.db") as sink:
            sink.append(row("u1"))
            connection = sqlite3.connect(tmp_path / "s.db")
            columns = "uid, phase, event, at, n, thread, run, ns, graph, tool, tool_call_id, body, sig"
            for values in (
                ("u2", 0, "start", AT, 1, "t", "r", "", "", "", "", "{", None),
                ("u3", 0, "begun", AT, 1, "t", "r", "", "", "", "", "{}", None),
                ("u4", 0, "start", AT, 1, "t", "r", "", "", b"\xff", "", "[" * 100_000, "7"),
            ):
                connection.execute(f"INSERT INTO receipts_sink ({columns}) VALUES ({', '.join('?' * 13)})", values)
            connection.commit()
            connection.close()
            assert [isinstance(one, Malformed) for one in sink.read(thread="t")] == [False, True, True, True]

    @pytest.mark.parametrize(
        "options", [{"synchronous": "off"}, {"busy_timeout": 0}, {"path": ":memory:"}, {"path": ""}]
    )
    def test_options_that_cannot_be_right(self, options) -> None:
        with pytest.raises(UsageError):
            SqliteSink(**{"path": "s.db", **options})


class TestJsonl:
    def test_a_torn_last_line_costs_that_line_only(self, tmp_path) -> None:
        path = tmp_path / "s.jsonl"
        sink = JsonlSink(path)
        sink.append(row("u1"))
        with path.open("ab") as file:
            file.write(b'{"v":1,"event":"done","uid":"u1","n"')
        sink.append(row("u2"))
        found = sink.read()
        assert [one.uid for one in found if isinstance(one, SinkRow)] == ["u1", "u2"]
        assert sum(isinstance(one, Malformed) for one in found) == 1

    def test_a_full_disk_leaves_no_half_row(self, tmp_path, monkeypatch) -> None:
        sink = JsonlSink(tmp_path / "s.jsonl")
        sink.append(row("u1"))
        real, calls = os.write, []

        def full(handle, data):
            calls.append(1)
            if len(calls) == 1:
                return real(handle, data[:20])
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(SinkError, match="No space left"):
            sink.append(row("u2"))
        monkeypatch.undo()
        sink.append(row("u3"))
        assert [one.uid for one in sink.read()] == ["u1", "u3"]

    def test_rows_that_are_appended_while_the_file_is_written_anew_are_kept(self, tmp_path) -> None:
        sink, other = JsonlSink(tmp_path / "s.jsonl", sync=False), JsonlSink(tmp_path / "s.jsonl", sync=False)
        stop = threading.Event()
        with ThreadPoolExecutor(2) as pool:

            def write() -> int:
                i = 0
                while not stop.is_set():
                    sink.append(row(f"u{i}", at="2030-01-01T00:00:00.000Z"))
                    sink.append(row(f"old{i}"))
                    i += 1
                return i

            writing = pool.submit(write)
            for _ in range(20):
                other.purge(older_than=timedelta(0))
            stop.set()
            count = writing.result(30)
        other.purge(older_than=timedelta(0))
        assert [one.uid for one in sink.read()] == [f"u{i}" for i in range(count)]

    def test_the_file_is_its_owners_alone(self, tmp_path) -> None:
        JsonlSink(tmp_path / "s.jsonl").append(row("u"))
        assert stat.S_IMODE((tmp_path / "s.jsonl").stat().st_mode) == 0o600

    def test_a_line_without_end_is_refused(self, tmp_path, monkeypatch) -> None:
        monkeypatch.setattr("receipts_middleware.store.jsonl.MAX_LINE", 1_000)
        (tmp_path / "s.jsonl").write_bytes(b"x" * 2_000)
        with pytest.raises(SinkError, match="longer than"):
            JsonlSink(tmp_path / "s.jsonl").read()


class TestPostgres:
    def test_a_role_that_may_only_insert_can_write_and_can_change_nothing(self, postgres_url, postgres_table) -> None:
        from sqlalchemy import create_engine, text

        owner = PostgresSink(postgres_url, table=postgres_table)
        owner.append(row("u1"))
        admin = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
        role = f"{postgres_table}_agent"
        with admin.begin() as connection:
            connection.execute(text(f"CREATE ROLE {role} LOGIN"))
            connection.execute(text(f"GRANT INSERT ON {postgres_table} TO {role}"))
        try:
            agent = PostgresSink(postgres_url.replace("receipts@", f"{role}@"), table=postgres_table, create=False)
            agent.append(row("u2"))
            agent.append(row("u2", tool="again"))
            for step in (agent.read, lambda: agent.erase(thread="t"), lambda: agent.purge(older_than=timedelta(0))):
                with pytest.raises(SinkError, match="permission denied"):
                    step()
            agent.close()
            assert [(one.uid, one.tool) for one in owner.read()] == [("u1", ""), ("u2", "")]
        finally:
            owner.close()
            with admin.begin() as connection:
                connection.execute(text(f"DROP TABLE {postgres_table}"))
                connection.execute(text(f"DROP ROLE {role}"))
            admin.dispose()

    def test_a_cut_connection_costs_no_row(self, postgres_url, postgres_table) -> None:
        from sqlalchemy import create_engine, text

        sink = PostgresSink(postgres_url, table=postgres_table)
        admin = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
        for i in range(5):
            sink.append(row(f"u{i}"))
            with admin.begin() as connection:
                cut = (
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE query LIKE :query AND pid <> pg_backend_pid()"
                )
                connection.execute(text(cut), {"query": f"%{postgres_table}%"})
        sink.append(row("last"))
        assert [one.uid for one in sink.read()] == ["u0", "u1", "u2", "u3", "u4", "last"]
        sink.close()
        admin.dispose()

    def test_the_table_is_made_once_by_however_many_begin_at_once(self, postgres_url, postgres_table) -> None:
        sinks = [PostgresSink(postgres_url, table=postgres_table) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: sinks[i].append(row(f"u{i}")), range(8)))
        assert len(sinks[0].read()) == 8
        for sink in sinks:
            sink.close()

    def test_no_error_and_no_name_tells_the_password_or_what_was_to_be_stored(
        self, postgres_url, postgres_table
    ) -> None:
        url = postgres_url.replace("receipts@", "receipts:hunter2@")
        assert "hunter2" not in repr(PostgresSink(url))
        sink = PostgresSink(url, table=postgres_table, create=False)
        with pytest.raises(SinkError, match="does not exist") as raised:
            sink.append(row("u", body={"args": "SECRET-4711"}))
        chain, error = "", raised.value
        while error is not None:
            chain, error = chain + str(error), error.__cause__ or error.__context__
        assert "hunter2" not in chain
        assert "SECRET-4711" not in chain
        sink.close()

    def test_no_server_is_an_error_within_the_time_given(self) -> None:
        sink = PostgresSink("postgresql://receipts@127.0.0.1:1/nothing", connect_timeout=2)
        with pytest.raises(SinkError, match="cannot be written"):
            sink.append(row("u"))

    @pytest.mark.parametrize("url", ["mysql://h/d", "no url", ""])
    def test_urls_that_cannot_be_right(self, url) -> None:
        with pytest.raises(UsageError):
            PostgresSink(url)


def test_a_sink_is_opened_by_its_path_or_url(tmp_path) -> None:
    assert open_sink(tmp_path / "a.db").path == tmp_path / "a.db"
    assert open_sink("sqlite:///a.db").path.name == "a.db"
    assert open_sink("sqlite:////tmp/a.db").path.as_posix() == "/tmp/a.db"
    assert isinstance(open_sink("x.jsonl"), JsonlSink)
    assert isinstance(open_sink("postgresql+psycopg://h/d"), PostgresSink)
    sink = SqliteSink(tmp_path / "a.db")
    assert sink_of(sink) is sink
    for wrong in ("ftp://x", 7, SqliteSink, None):
        with pytest.raises(UsageError):
            sink_of(wrong)  # type: ignore[arg-type]
