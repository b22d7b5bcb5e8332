"""`receipts audit`, and `receipts verify` under a key."""

from __future__ import annotations

import copy
import json
import sqlite3
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import messages_to_dict
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from receipts_middleware.core.keys import CHANNEL, RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.signing import Ed25519Key, SigningKey, write_key
from receipts_middleware.store import SqliteSink

KEY = SigningKey(b"k" * 32, "ops-1")


@tool
def send_email(to: str) -> str:
    """Send an email."""
    return json.dumps({"status": "sent", "id": f"m-{to}"})


def make_state(signing_key: Any = KEY, **options: Any) -> dict[str, Any]:
    """A saved state of a run of two calls."""
    calls = {
        "tool_calls": [{"name": "send_email", "args": {"to": to}} for to in ("ana@example.com", "bob@example.com")]
    }
    agent = create_agent(
        ScriptedChatModel(turns=[calls, "I emailed Ana [r1 send_email] and Bob [r2 send_email]."]),
        [send_email],
        middleware=[ReceiptsMiddleware(signing_key=signing_key, **options)],
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": "thread-1"}}
    agent.invoke({"messages": [("user", "Write to both.")]}, config)
    values = agent.get_state(config).values
    return json.loads(json.dumps({"messages": messages_to_dict(values["messages"]), CHANNEL: values[CHANNEL]}))


@pytest.fixture
def state(folder):
    """A signed state and its key, as files of the current folder."""
    made = make_state()
    (folder / "run.json").write_text(json.dumps(made))
    write_key(KEY, folder / "k.key")
    return made


def save(folder, state: dict[str, Any]) -> None:
    (folder / "run.json").write_text(json.dumps(state))


def test_a_sound_run_exits_0_and_each_dimension_has_its_line(state, call):
    code, out, err = call("audit", "run.json", "--signing-key", "k.key", "--thread", "thread-1")
    assert (code, err) == (0, "")
    assert out.count("signed by ops-1") == 9
    lines = {line.split()[0]: line.split(None, 1)[1] for line in out.splitlines() if not line.startswith((" ", "rec"))}
    assert lines == {
        "signatures": "9 of 9 records hold", "chain": "intact", "binding": "bound: thread-1", "tail": "complete"
    }  # fmt: skip


def test_without_a_key_nothing_is_said_to_hold(state, call):
    code, out, _ = call("audit", "run.json")
    assert code == 1
    assert "signed by ops-1, not checked" in out
    assert "not checked: no key was given" in out
    assert "chain       not checked" in out


CHANGES = {
    "bad signature": lambda s: stamp(s, 2).update(tool="pay"),
    "unsigned": lambda s: stamp(s, 2).pop("sig"),
    "missing": lambda s: kwargs(s, 2).pop(RECEIPT_KEY),
    "hash differs": lambda s: s["messages"][2]["data"].update(content="x"),
    "args differ": lambda s: s["messages"][1]["data"]["tool_calls"][0]["args"].update(to="eve@example.com"),
    "calls differ": lambda s: s["messages"][1]["data"]["tool_calls"][0].update(name="pay"),
    "reordered": lambda s: swap(s, 2, 3),
    "replayed call": lambda s: kwargs(s, 3).update({RECEIPT_KEY: copy.deepcopy(stamp(s, 2))}),
    "replayed reply": lambda s: kwargs(s, 4).update({SNAPSHOT_KEY: kwargs(s, 1)[SNAPSHOT_KEY]}),
    "its result is not here": lambda s: s["messages"].pop(3),
    "malformed": lambda s: kwargs(s, 4).update({SNAPSHOT_KEY: "{"}),
    "truncated": lambda s: s["messages"].pop(),
    "incomplete": lambda s: (s["messages"].pop(1), s.pop(CHANNEL)),
}


def kwargs(state: dict[str, Any], index: int) -> dict[str, Any]:
    return state["messages"][index]["data"]["additional_kwargs"]


def stamp(state: dict[str, Any], index: int) -> dict[str, Any]:
    return kwargs(state, index)[RECEIPT_KEY]


def swap(state: dict[str, Any], first: int, second: int) -> None:
    one, two = kwargs(state, first), kwargs(state, second)
    one[RECEIPT_KEY], two[RECEIPT_KEY] = two[RECEIPT_KEY], one[RECEIPT_KEY]


@pytest.mark.parametrize("words", CHANGES)
def test_each_kind_of_change_has_its_words_and_exits_1(folder, state, call, words):
    CHANGES[words](state)
    save(folder, state)
    code, out, _ = call("audit", "run.json", "--signing-key", "k.key")
    assert code == 1
    assert words in out
    honest = json.dumps(make_state())
    (folder / "run.json").write_text(honest)
    assert words not in call("audit", "run.json", "--signing-key", "k.key")[1]


def test_another_thread_is_told(state, call):
    code, out, _ = call("audit", "run.json", "--signing-key", "k.key", "--thread", "thread-2")
    assert code == 1
    assert "replayed thread" in out
    assert "binding     elsewhere: thread-2" in out


def test_a_key_not_at_hand_is_told_apart_from_a_bad_signature(folder, state, call):
    write_key(SigningKey(b"x" * 32, "other"), folder / "other.key")
    code, out, _ = call("audit", "run.json", "--signing-key", "other.key")
    assert (code, "a key not at hand" in out, "bad signature" in out) == (1, True, False)
    both = (folder / "other.key").read_bytes() + (folder / "k.key").read_bytes()
    (folder / "both.key").write_bytes(both)
    assert call("audit", "run.json", "--signing-key", "both.key")[0] == 0


def test_a_third_party_audits_with_the_public_key(folder, call):
    key = Ed25519Key(b"p" * 32)
    save(folder, make_state(key))
    write_key(key.public, folder / "k.pub")
    assert call("audit", "run.json", "--signing-key", "k.pub")[0] == 0


def test_gaps_of_a_compaction_are_a_finding_unless_they_are_allowed(folder, state, call):
    del state["messages"][1:4]
    summary = {"content": "Here is a summary.", "additional_kwargs": {"lc_source": "summarization"}}
    state["messages"][0] = {"type": "human", "data": summary}
    save(folder, state)
    assert call("audit", "run.json", "--signing-key", "k.key")[0] == 1
    code, out, _ = call("audit", "run.json", "--signing-key", "k.key", "--allow-gaps")
    assert (code, "chain       incomplete" in out) == (0, True)


def test_json_has_every_record_and_every_dimension(state, call):
    code, out, _ = call("audit", "run.json", "--signing-key", "k.key", "--format", "json")
    document = json.loads(out)
    (run,) = document["runs"]
    assert (code, document["schema"], run["holds"], run["checked"]) == (0, 1, True, True)
    assert (run["chain"], run["binding"], run["tail"], run["keys"]) == ("intact", "consistent", "complete", ["ops-1"])
    assert {record["signature"] for record in run["records"]} == {"valid"}


def test_a_run_is_held_against_a_sink_and_a_sink_is_audited_itself(folder, call):
    save(folder, made := make_state(sink=SqliteSink(folder / "sink.db")))
    write_key(KEY, folder / "k.key")
    assert call("audit", "run.json", "--signing-key", "k.key", "--sink", "sink.db")[0] == 0
    code, out, _ = call("audit", "sink.db", "--signing-key", "k.key")
    assert ("signed by ops-1" in out, "r2 send_email" in out) == (True, True)
    assert code == 1 or "unbound" in out or "chain       none" in out
    stamps = [stamp(made, i) for i in (2, 3)]
    stamps[0]["uid"] = "f" * 20
    save(folder, made)
    code, out, _ = call("audit", "run.json", "--signing-key", "k.key", "--sink", "sink.db")
    assert (code, "not in sink" in out) == (1, True)
    del made["messages"][2:]
    del made[CHANNEL]
    save(folder, made)
    code, out, _ = call("audit", "run.json", "--signing-key", "k.key", "--sink", "sink.db", "--thread", "thread-1")
    assert (code, "tail        truncated" in out) == (1, True)


def test_threads_of_a_checkpointer_are_audited_to_their_end(folder, call):
    write_key(KEY, folder / "k.key")
    connection = sqlite3.connect(folder / "state.sqlite", check_same_thread=False)
    calls = {"tool_calls": [{"name": "send_email", "args": {"to": "ana@example.com"}}]}
    for thread in ("thread-1", "thread-2"):
        agent = create_agent(
            ScriptedChatModel(turns=[calls, "I emailed Ana [r1 send_email]."]),
            [send_email],
            middleware=[ReceiptsMiddleware(signing_key=KEY)],
            checkpointer=SqliteSaver(connection),
        )
        agent.invoke({"messages": [("user", "Write.")]}, {"configurable": {"thread_id": thread}})
    connection.close()
    code, out, _ = call("audit", "state.sqlite", "--signing-key", "k.key")
    assert (code, out.count("tail        complete"), out.count("chain       intact")) == (0, 2, 2)
    code, out, _ = call("audit", "state.sqlite", "--signing-key", "k.key", "--thread", "thread-2")
    assert (code, out.count("binding     bound: thread-2"), "thread-1" in out) == (0, 1, False)


@pytest.mark.parametrize(
    "options", [["--signing-key", "missing.key"], ["--signing-key", "env:RECEIPTS_NOT_SET"], ["--format", "xml"]]
)
def test_wrong_usage_exits_3(state, call, options):
    assert call("audit", "run.json", *options)[0] == 3


def test_unreadable_input_exits_3(folder, state, call):
    (folder / "bad.json").write_text("{")
    code, _, err = call("audit", "run.json", "bad.json", "--signing-key", "k.key")
    assert (code, "bad.json" in err) == (3, True)


# --- receipts verify --------------------------------------------------------------------------------------


def test_verify_takes_the_key_from_a_file_or_the_environment(state, call, monkeypatch):
    key = {"v": 1, "alg": "HS256", "kid": "ops-1", "secret": "a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s"}
    monkeypatch.setenv("RECEIPTS_KEY", json.dumps(key))
    for source in ("k.key", "env:RECEIPTS_KEY"):
        code, out, _ = call("verify", "run.json", "--signing-key", source, "--require-signed", "--thread", "thread-1")
        assert code == 0
        assert "signatures valid" in " ".join(out.split())


def test_require_signed_exits_1_on_anything_unsigned(folder, state, call):
    stamp(state, 2).pop("sig")
    save(folder, state)
    options = ["--signing-key", "k.key", "--fail-on", "never"]
    assert call("verify", "run.json", *options)[0] == 0
    assert call("verify", "run.json", *options, "--require-signed")[0] == 1
    save(folder, make_state(None))
    assert call("verify", "run.json", *options, "--require-signed")[0] == 1


def test_a_call_that_nobody_signed_is_not_believed(folder, state, call):
    save(folder, make_state(None))
    assert call("verify", "run.json")[0] == 0
    assert call("verify", "run.json", "--signing-key", "k.key")[0] == 1


@pytest.mark.parametrize("options", [["--require-signed"], ["--thread", "t"]])
def test_options_about_signatures_need_a_key(state, call, options):
    code, _, err = call("verify", "run.json", *options)
    assert (code, "--signing-key" in err) == (3, True)


def test_keys_reach_the_processes_that_verify(folder, call):
    key = Ed25519Key(b"p" * 32)
    for number in range(4):
        (folder / f"run{number}.json").write_text(json.dumps(make_state(key)))
    write_key(key.public, folder / "k.pub")
    code, out, _ = call(
        "verify", "run*.json", "--signing-key", "k.pub", "--require-signed", "--jobs", "2", "--format", "jsonl"
    )
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    found = [row["verification"]["trust"]["signatures"] for row in rows if "verification" in row]
    assert found == ["valid"] * 4
