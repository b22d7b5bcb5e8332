"""What every sink does: rows come back as they went in, once, in order; they are never changed; retention, erasure."""

from __future__ import annotations

import json
import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from receipts_middleware import UsageError, confirm, verify
from receipts_middleware.core.executed import END_EVENTS, Event, SinkRow
from receipts_middleware.core.executed.row import EVENTS, column, parse_row
from receipts_middleware.core.receipt import Malformed, Receipt
from receipts_middleware.store import SinkError, SqliteSink, read_executions, read_sink
from receipts_middleware.store.base import timestamp


def row(uid: str, event: Event = "start", **further: object) -> SinkRow:
    values: dict[str, object] = {"n": 1, "thread": "t1", "tool": "send_email", "at": timestamp(datetime.now(UTC))}
    return SinkRow(**{**values, **further}, event=event, uid=uid)  # type: ignore[arg-type]


def test_rows_come_back_as_they_went_in_and_in_order(sink) -> None:
    written = [
        row(f"u{i}", n=i + 1, run="r", ns="a", graph="a:1", tool_call_id="c", body={"x": [i]}) for i in range(20)
    ]
    for one in written:
        sink.append(one)
    found = sink.read(thread="t1")
    assert [one.to_dict() for one in found] == [one.to_dict() for one in written]
    assert [one.seq for one in found] == sorted(one.seq for one in found)


def test_a_signature_on_a_row_comes_back(sink) -> None:
    sink.append(row("u", sig={"alg": "HS256", "kid": "k", "mac": "x"}))
    assert sink.read()[0].sig == {"alg": "HS256", "kid": "k", "mac": "x"}


def test_a_second_row_of_an_execution_and_phase_changes_nothing(sink) -> None:
    sink.append(row("u", tool="first"))
    sink.append(row("u", tool="second"))
    sink.append(row("u", "done"))
    sink.append(row("u", "raised"))
    assert [(one.event, one.tool) for one in sink.read()] == [("start", "first"), ("done", "send_email")]


def test_a_confirmation_is_a_row_of_its_own_in_the_thread_of_its_execution(sink) -> None:
    stamp = Receipt(
        uid="u", n=1, tool_call_id="c", tool="send_email", outcome="success", outcome_source="body",
        args_sha256="0" * 64, output_sha256="0" * 64, output_bytes=0, created_at="", status_word="queued",
    )  # fmt: skip
    sink.append(row("u"))
    sink.append(row("u", "done", body={"receipt": stamp.to_dict(), "digest": stamp.digest()}))
    told = [confirm("u", evidence, sink=sink).is_new for evidence in ("delivered", "delivered", "bounced")]
    assert told == [True, False, True]
    found = read_executions(sink, thread="t1")
    assert (len(found.executions), found.malformed, len(found.confirmations)) == (1, 0, 2)
    assert [one.event for one in sink.read(uids=["u"])] == ["start", "done"]
    claims = verify("I sent it [r1].", read_sink(sink, thread="t1"), confirmations=found.confirmations).claims
    assert {claim.status for claim in claims} == {"failed"}
    assert sink.erase(thread="t1") == 4


def test_rows_are_found_by_thread_by_run_and_by_execution(sink) -> None:
    for i in range(30):
        sink.append(row(f"u{i}", thread=f"t{i % 3}", run=f"r{i % 5}"))
    assert {one.uid for one in sink.read(thread="t1")} == {f"u{i}" for i in range(30) if i % 3 == 1}
    assert {one.uid for one in sink.read(run="r2")} == {f"u{i}" for i in range(30) if i % 5 == 2}
    assert {one.uid for one in sink.read(thread="t1", run="r2")} == {"u7", "u22"}
    assert {one.uid for one in sink.read(uids=["u3", "u4", "none"])} == {"u3", "u4"}
    assert sink.read(uids=[]) == []
    assert len(sink.read()) == 30


def test_many_executions_are_found_at_once(sink) -> None:
    for i in range(5):
        sink.append(row(f"u{i}"))
    wanted = [f"u{i}" for i in range(12_000)]
    assert [one.uid for one in sink.read(uids=wanted)] == [f"u{i}" for i in range(5)]


def test_the_rows_outlive_the_sink_object(make_sink) -> None:
    first = make_sink()
    first.append(row("u1"))
    first.close()
    first.append(row("u2"))
    assert [one.uid for one in make_sink().read()] == ["u1", "u2"]


@pytest.mark.parametrize("thread", ["a\0b", "half \ud835 pair", "x" * 5_000, "ein Fädchen 🧵", "'; DROP TABLE x; --"])
def test_names_that_a_store_cannot_hold_are_found_all_the_same(sink, thread) -> None:
    sink.append(row("u", thread=column(thread)))
    assert [one.uid for one in sink.read(thread=thread)] == ["u"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.characters(exclude_categories=()), max_size=80),
    body=st.dictionaries(st.text(max_size=8), st.recursive(st.none() | st.integers() | st.text(), st.lists)),
)
def test_any_text_and_body_come_back(tmp_path, text, body) -> None:
    sink = SqliteSink(tmp_path / "any.db", synchronous="normal")
    uid = f"u{os.urandom(8).hex()}"
    body = json.loads(json.dumps(body))
    sink.append(row(uid, thread=column(text), tool=column(text), body=body))
    (found,) = sink.read(uids=[uid])
    assert (found.thread, found.tool, found.body) == (column(text), column(text), body)
    sink.close()


def test_long_names_stay_different() -> None:
    assert column("x" * 600 + "a") != column("x" * 600 + "b")
    assert len(column("x" * 600)) <= 512


def test_purge_takes_out_what_is_older(sink) -> None:
    now = datetime.now(UTC)
    for days in range(10):
        sink.append(row(f"u{days}", at=timestamp(now - timedelta(days=days))))
    assert sink.purge(older_than=timedelta(days=6, hours=1)) == 3
    assert [one.uid for one in sink.read()] == [f"u{i}" for i in range(7)]
    assert sink.purge(older_than=now - timedelta(days=2, hours=1)) == 4
    assert len(sink.read()) == 3


def test_purge_wants_a_time_zone(sink) -> None:
    with pytest.raises(UsageError, match="time zone"):
        sink.purge(older_than=datetime(2026, 1, 1))


@pytest.mark.parametrize("kind", ["thread", "run"])
def test_erasure_takes_out_one_thread_or_run_and_leaves_an_unreadable_mark(sink, kind) -> None:
    for i in range(6):
        name = "anna@example.com" if i % 2 else "other"
        sink.append(row(f"u{i}", **{"thread": "t", "run": "r", kind: name}))
    assert sink.erase(**{kind: "anna@example.com"}) == 3
    assert read_executions(sink, **{kind: "anna@example.com"}).erased
    assert not read_executions(sink, **{kind: "other"}).erased
    left = sink.read()
    assert [one.uid for one in left[:-1]] == ["u0", "u2", "u4"]
    assert left[-1].event == "erased"
    assert "anna" not in json.dumps([one.to_dict() for one in left])


def test_erasing_nothing_leaves_no_mark(sink) -> None:
    sink.append(row("u"))
    assert sink.erase(thread="nobody") == 0
    assert [one.event for one in sink.read()] == ["start"]


@pytest.mark.parametrize("options", [{}, {"thread": "a", "run": "b"}, {"thread": ""}])
def test_erasure_wants_one_name(sink, options) -> None:
    with pytest.raises(UsageError, match="one of them"):
        sink.erase(**options)


def _in_child(sink, names: list[str]) -> None:
    for name in names:
        sink.append(row(name))
    os._exit(0)


def test_a_sink_works_on_both_sides_of_a_fork(sink) -> None:
    sink.append(row("before"))
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=_in_child, args=(sink, [f"c{k}.{i}" for i in range(20)])) for k in range(3)]
    for child in children:
        child.start()
    for i in range(20):
        sink.append(row(f"p{i}"))
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    names = [one.uid for one in sink.read()]
    assert len(names) == len(set(names)) == 1 + 20 + 60
    for k in range(3):
        assert [name for name in names if name.startswith(f"c{k}")] == [f"c{k}.{i}" for i in range(20)]


def test_threads_lose_nothing_and_keep_their_order(sink) -> None:
    def work(k: int) -> None:
        for i in range(25):
            sink.append(row(f"{k}.{i}", thread=f"t{k}"))
            sink.append(row(f"{k}.{i}", "done", thread=f"t{k}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    for k in range(8):
        wanted = [(f"{k}.{i}", event) for i in range(25) for event in ("start", "done")]
        assert [(one.uid, one.event) for one in sink.read(thread=f"t{k}")] == wanted


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"v": 2, "event": "start", "uid": "u"},
        {"v": 1, "event": "begun", "uid": "u"},
        {"v": 1, "event": "start", "uid": ""},
        {"v": 1, "event": "start", "uid": "u", "n": -1},
        {"v": 1, "event": "start", "uid": "u", "n": True},
        {"v": 1, "event": "start", "uid": "u", "body": []},
        {"v": 1, "event": "start", "uid": "u", "body": {1: 2}},
        {"v": 1, "event": "start", "uid": "u", "sig": "x"},
        {"v": 1, "event": "start", "uid": "u" * 600},
        {"v": 1, "event": ["start"], "uid": "u"},
    ],
    ids=str,
)
def test_a_row_that_is_none_is_malformed(value) -> None:
    assert isinstance(parse_row(value), Malformed)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_no_value_makes_the_parser_raise(value) -> None:
    parse_row(value)
    parse_row({"v": 1, "event": "start", "uid": "u", "body": value, "sig": value, "n": value, "thread": value})


def test_an_execution_has_one_row_of_each_phase() -> None:
    assert {event: row("u", event).phase for event in EVENTS} == {
        "start": 0,
        "confirmed": 1,
        "erased": 2,
        **dict.fromkeys(END_EVENTS, 1),
    }


@pytest.mark.parametrize("options", [{"store": "all"}, {"redact": 7}, {"redact": ["("]}])
def test_options_that_cannot_be_right_are_refused(make_sink, options) -> None:
    with pytest.raises(UsageError):
        make_sink(**options)


def test_errors_are_of_one_class(tmp_path) -> None:
    sink = SqliteSink(tmp_path / "no folder" / "sink.db")
    for step in (lambda: sink.append(row("u")), SqliteSink(tmp_path).read, lambda: sink.erase(thread="t")):
        with pytest.raises(SinkError, match="sink cannot be"):
            step()
