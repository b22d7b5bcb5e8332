"""`--tools`: one mechanism for every command that asks what tools an agent had."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from receipts_middleware import load_policy

SERVERS = Path(__file__).parents[1] / "lint"
RUN = {
    "messages": [
        {"role": "user", "content": "Cancel order A-17."},
        {"role": "assistant", "content": "I cancelled order A-17."},
    ]
}
CANCEL = {"name": "cancel_order", "description": "Cancel an order.", "inputSchema": {"type": "object"}}
READ = {"name": "handle_order", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}}
SECRET = "s3cr3t-t0ken"


@pytest.fixture
def run(folder):
    (folder / "run.json").write_text(json.dumps(RUN))
    return folder


def _scripted(**script: object) -> str:
    return "mcp-stdio:" + shlex.join([sys.executable, str(SERVERS / "scripted_server.py"), json.dumps(script)])


def _reasons(output: str) -> list[str]:
    return [claim["reason"] for claim in json.loads(output)["claims"]]


def test_sources_say_whether_a_tool_could_have_done_it(run, call) -> None:
    (run / "tools.json").write_text(json.dumps({"result": {"tools": [CANCEL]}}))
    (run / "shop.py").write_text(f"TOOLS = [{READ!r}]")
    page = {"tools": [CANCEL]}
    _, out, _ = call("verify", "run.json", "--format", "json", "--tools", "shop.py:TOOLS")
    assert _reasons(out) == ["no_such_tool"]
    for source in ("tools.json", _scripted(pages=[page])):
        _, out, err = call("verify", "run.json", "--format", "json", "--tools", source)
        assert _reasons(out) != ["no_such_tool"]
        _, both, _ = call("verify", "run.json", "--format", "json", "--tools", "shop.py:TOOLS", "--tools", source)
        assert json.loads(both)["claims"] == json.loads(out)["claims"]
        assert err == ""


def test_every_command_takes_the_same_sources(run, call) -> None:
    source = _scripted(pages=[{"tools": [READ, CANCEL]}])
    assert call("ledger", "run.json", "--tools", source)[0] == 0
    code, out, _ = call("policy", "init", "run.json", "--tools", source)
    assert code == 0
    assert "[tools.cancel_order]" in out
    assert 'kind = "reading"  # by the hints of its author' in out
    (run / "receipts.toml").write_text(out)
    assert load_policy(run / "receipts.toml")
    code, out, _ = call("policy", "check", "receipts.toml", "--run", "run.json", "--tools", source)
    assert (code, "note" in out) == (0, False)
    code, out, _ = call("policy", "check", "receipts.toml", "--run", "run.json")
    assert (code, "note" in out) == (0, True)


def test_transcript_is_what_holds_without_the_option(run, call) -> None:
    plain = call("verify", "run.json", "--format", "json")
    assert call("verify", "run.json", "--format", "json", "--tools", "transcript") == plain
    code, _, err = call("verify", "run.json", "--tools", "transcript", "--tools", "x.json")
    assert (code, "give it alone" in err) == (3, True)
    (run / "other.json").write_text(json.dumps({**RUN, "tools": [CANCEL]}))
    _, out, _ = call("verify", "run.json", "--format", "json", "--tools", "transcript:other.json")
    assert _reasons(out) != ["no_such_tool"]


def test_standard_input_can_hold_the_tools(run, call) -> None:
    names = json.dumps(["log_note"]).encode()
    _, out, _ = call("verify", "run.json", "--format", "json", "--tools", "-", stdin=names)
    assert _reasons(out) == ["no_such_tool"]
    code, _, err = call("verify", "run.json", "--tools", "-", "--tools", "-", stdin=names)
    assert (code, "once" in err) == (3, True)


def test_agent_without_tools(run, call) -> None:
    (run / "none.json").write_text("[]")
    _, out, _ = call("verify", "run.json", "--format", "json", "--tools", "none.json")
    assert _reasons(out) == ["no_such_tool"]
    (run / "none.json").write_text('{"a": 1}')
    code, _, err = call("verify", "run.json", "--tools", "none.json")
    assert (code, "holds no tools" in err) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--tools", "mcp-stdio:no-such-command-here"], "cannot start it"),
        (["--tools", "mcp-http:http://127.0.0.1:1/mcp"], "cannot be reached"),
        (["--tools", "no.such.module:TOOLS"], "there is no module"),
        (["--tools", "http://127.0.0.1:1/t.json", "--tools-header", "no colon"], "'Name: value'"),
        (["--tools", "http://127.0.0.1:1/t.json", "--tools-header", "A: $NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE"),
        (
            ["--tools", "http://a.example/", "--tools", "mcp-http:http://b.example/", "--tools-header", "A: b"],
            "several",
        ),
        (["--tools", "tools.json", "--tools-timeout", "0"], "--tools-timeout"),
    ],
)
def test_sources_that_cannot_be(run, call, arguments, says) -> None:
    code, out, err = call("verify", "run.json", *arguments)
    assert (code, out) == (3, "")
    assert says in err


def test_timeout_and_warnings_are_told(run, call) -> None:
    pids = str(run / "pids")
    source = _scripted(mode="silent", pids=pids)
    code, _, err = call("verify", "run.json", "--tools", source, "--tools-timeout", "0.5")
    assert (code, "no list of tools within 0.5 s" in err) == (3, True)
    stuck = _scripted(pages=[{"tools": [CANCEL], "nextCursor": "x"}], repeat=True)
    _, _, err = call("verify", "run.json", "--tools", stuck)
    assert "cursor_not_advancing" in err


def test_no_secret_is_printed(run, call, monkeypatch) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    monkeypatch.setenv("RECEIPTS_TOOLS_HEADERS", "X-Key: $TOKEN")
    where = f"mcp-http:http://user:{SECRET}@127.0.0.1:1/mcp?key={SECRET}"
    code, out, err = call("verify", "run.json", "--tools", where, "--tools-header", "Authorization: Bearer $TOKEN")
    assert code == 3
    assert SECRET not in out + err
