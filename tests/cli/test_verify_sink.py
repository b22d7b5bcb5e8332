"""`receipts verify --sink`: saved runs held against the ledger that their executor wrote."""

from __future__ import annotations

import json

import pytest

from receipts_middleware import Recorder
from receipts_middleware.store import JsonlSink, SqliteSink


def saved(to: str) -> list[dict]:
    call = {"id": "c1", "type": "function", "function": {"name": "send_email", "arguments": json.dumps({"to": to})}}
    return [
        {"role": "user", "content": "Mail them."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"status": "sent"}'},
        {"role": "assistant", "content": f"I sent the mail to {to}."},
    ]


@pytest.fixture(params=["receipts.db", "receipts.jsonl"])
def where(request: pytest.FixtureRequest, tmp_path):
    """A sink in which one mail of the thread was sent."""
    path = tmp_path / request.param
    with (
        (SqliteSink if path.suffix == ".db" else JsonlSink)(path, store="raw") as sink,
        Recorder(sink, thread="t1").call("send_email", {"to": "a@example.com"}, tool_call_id="c1") as made,
    ):
        made.returned({"status": "sent"})
    return str(path)


@pytest.mark.parametrize("turns", [(), ("--turns",)], ids=["last", "turns"])
def test_a_run_is_held_against_the_sink(where, tmp_path, turns, call) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(saved("a@example.com")))
    code, out, err = call("verify", str(path), "--sink", where, "--thread", "t1", "--format", "json", *turns)
    assert (code, err) == (0, "")
    assert '"matched":["r1"]' in out.replace(" ", "").replace("\n", "")


def test_what_the_sink_does_not_have_did_not_happen(where, tmp_path, call) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(saved("a@example.com")))
    assert call("verify", str(path))[0] == 0
    assert call("verify", str(path), "--sink", where, "--thread", "t2")[0] == 1


def test_several_processes_each_open_it(where, tmp_path, call) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    for i in range(6):
        (folder / f"{i}.json").write_text(json.dumps(saved("a@example.com")))
    assert call("verify", str(folder), "--sink", where, "--thread", "t1", "--jobs", "2")[0] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--sink", "nothing.db"), "no such file"),
        (("--sink", "ftp://x"), "not known"),
        (("--thread", "t"), "--sink"),
        (("--sink", "text.db"), "cannot be read"),
    ],
)
def test_a_sink_that_cannot_be_read_is_wrong_usage_and_is_not_made(options, words, tmp_path, monkeypatch, call) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps(saved("a@example.com")))
    (tmp_path / "text.db").write_text("not a database, but long enough to be taken for one\n" * 50)
    code, _, err = call("verify", "run.json", *options)
    assert code == 3
    assert words in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.json", "text.db"]
