"""`receipts infer`: files, streams, exit codes, what is held out, and drift."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

SERVERS = Path(__file__).parents[1] / "lint"


def make_run(*calls: tuple[str, object]) -> dict:
    """A run in OpenAI's chat format; arguments that are a text are written as they are."""
    made = [
        {
            "id": f"c{at}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for at, (name, given) in enumerate(calls)
    ]
    return {
        "messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": None, "tool_calls": made}]
    }


SEND = [("send_email", {"to": f"{name}@example.com", "body": "Hello there"}) for name in ("a", "b")]


@pytest.fixture
def runs(folder):
    """Ten runs in one file, and a file to compare with."""
    lines = [make_run(*SEND, ("look_up", {"order": n})) for n in range(10)]
    (folder / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def tools_of(text: str) -> dict:
    return {tool["name"]: tool["inputSchema"] for tool in json.loads(text)["tools"]}


def test_tools_are_written_and_the_calls_fit_them(runs, call) -> None:
    code, out, err = call("infer", "runs.jsonl")
    assert code == 0
    tools = tools_of(out)
    assert list(tools) == ["look_up", "send_email"]
    assert tools["send_email"]["properties"]["to"] == {"type": "string", "format": "email"}
    assert tools["send_email"]["required"] == ["body", "to"]
    assert "30 of 30 calls fit what was inferred from them" in err
    assert "2 tools, 30 calls, 10 runs" in err
    assert out.count("\n") == 1
    assert call("infer", "runs.jsonl", "-o", "tools.json", "--pretty", "-q") == (0, "", "")
    assert json.loads(Path("tools.json").read_text()) == json.loads(out)
    assert Path("tools.json").read_text().startswith('{\n  "tools"')


def test_standard_input_a_folder_and_a_pattern(runs, call) -> None:
    data = Path("runs.jsonl").read_bytes()
    _, out, _ = call("infer", "runs.jsonl")
    code, from_stdin, err = call("infer", "-", "--holdout", "0.3", stdin=data)
    assert (code, from_stdin) == (0, out)
    assert "calls of what was held out (3 of 10 runs)" in err
    assert call("infer", ".", "-q")[1] == out
    assert call("infer", "*.jsonl", "-q")[1] == out


def test_inferred_tools_are_a_source_of_tools(runs, call) -> None:
    call("infer", "runs.jsonl", "-o", "tools.json")
    code, out, _ = call("infer", "runs.jsonl", "--diff", "tools.json", "-q")
    assert (code, out) == (0, "no differences: 30 calls in 10 runs against tools.json\n")
    assert call("ledger", "runs.jsonl", "--tools", "tools.json")[0] == 0


def test_no_examples(runs, call) -> None:
    assert "examples" in call("infer", "runs.jsonl")[1]
    assert "examples" not in call("infer", "runs.jsonl", "--no-examples")[1]


def test_held_out_runs_that_do_not_fit_exit_1(runs, call) -> None:
    odd = [make_run(*SEND) for _ in range(4)] + [make_run(("send_email", {"to": 5}), ("new_tool", {}))]
    Path("odd.jsonl").write_text("".join(json.dumps(line) + "\n" for line in odd))
    assert call("infer", "odd.jsonl", "-q")[0] == 0
    code, out, err = call("infer", "odd.jsonl", "--holdout", "0.2")
    assert code == 1
    assert "0 of 2 calls of what was held out (1 of 5 runs) fit what the rest shows" in err
    assert "new_tool (arguments): a tool that was not seen in 1 call" in err
    assert "send_email" in err
    assert tools_of(out)["send_email"]["properties"]["to"]["type"] == ["string", "integer"]  # from all runs


def test_single_run_holds_out_calls(folder, call) -> None:
    calls = [("look_up", {"order": n}) for n in range(9)] + [("look_up", {"order": "x"})]
    Path("run.json").write_text(json.dumps(make_run(*calls)))
    code, _, err = call("infer", "run.json", "--holdout", "0.5")
    assert code == 1
    assert "4 of 5 calls of what was held out (some calls of the only run)" in err


def test_no_validate_skips_the_check_of_its_own(runs, call) -> None:
    _, out, err = call("infer", "runs.jsonl", "--no-validate")
    assert "calls fit" not in err
    assert tools_of(out)
    _, _, err = call("infer", "runs.jsonl", "--no-validate", "--holdout", "0.5")
    assert "calls fit what was inferred from them" not in err
    assert "held out" in err


def test_without_the_validator_only_the_check_is_lost(runs, call, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    code, out, err = call("infer", "runs.jsonl")
    assert (code, out) == (3, "")
    assert "receipts-middleware[lint]" in err
    assert call("infer", "runs.jsonl", "--no-validate")[0] == 0


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "none.json",
            json.dumps([{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]),
            "no tool call",
        ),
        ("empty.json", "", "is empty"),
        ("prose.json", "{", "not JSON"),
        ("absent.json", None, "No such file"),
    ],
)
def test_nothing_to_infer_from(folder, call, name, content, says) -> None:
    if content is not None:
        Path(name).write_text(content)
    code, out, err = call("infer", name, "-o", "tools.json")
    assert (code, out) == (3, "")
    assert says in err
    assert not Path("tools.json").exists()


def test_what_cannot_be_read_is_told_and_the_rest_is_inferred(runs, call) -> None:
    with Path("runs.jsonl").open("a") as file:
        file.write('{"messages": \n' + json.dumps(make_run(("look_up", "{no json"), ("look_up", {"order": 3}))) + "\n")
    code, out, err = call("infer", "runs.jsonl")
    assert code == 3
    assert "runs.jsonl:11" in err
    assert "1 of 32 calls had arguments that are no JSON object" in err
    assert list(tools_of(out)) == ["look_up", "send_email"]
    code, _, err = call("infer", "-", stdin=Path("runs.jsonl").read_bytes())
    assert code == 3
    assert "standard input" in err


# --- drift -----------------------------------------------------------------------------------------------

DECLARED = [
    {
        "name": "send_email",
        "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
    },
    {"name": "look_up", "inputSchema": {"type": "object", "properties": {"order": {"type": "string"}}}},
    {"name": "refund", "inputSchema": {"type": "object"}},
]


def test_drift_from_declared_tools(runs, call) -> None:
    Path("declared.json").write_text(json.dumps(DECLARED))
    code, out, _ = call("infer", "runs.jsonl", "--diff", "declared.json")
    assert code == 1
    assert out.splitlines() == [
        "2 differences: 30 calls in 10 runs against declared.json",
        "  changed   look_up /order: integer in 10 of 10, declared string",
        "  unused    refund: declared, and never called",
        "  appeared  send_email /body: in 20 of 20, string, and not declared",
    ]
    code, out, _ = call("infer", "runs.jsonl", "--diff", "declared.json", "--format", "json", "-o", "tools.json")
    assert code == 1
    found = json.loads(out)
    assert [(d["kind"], d["tool"], d["path"], d["counts"]) for d in found["drift"]] == [
        ("changed", "look_up", "/order", True),
        ("vanished", "refund", "", False),
        ("appeared", "send_email", "/body", True),
    ]
    assert tools_of(Path("tools.json").read_text())


def test_what_is_only_unused_is_no_drift(runs, call) -> None:
    good = {"type": "object", "properties": {"to": {"type": "string"}, "body": {}, "cc": {}}}
    Path("declared.json").write_text(json.dumps([{"name": "send_email", "inputSchema": good}, {"name": "look_up"}]))
    code, out, _ = call("infer", "runs.jsonl", "--diff", "declared.json")
    assert code == 0
    assert out.splitlines()[0].startswith("no differences:")
    assert out.splitlines()[1:] == ["  unused    send_email /cc: declared, and in none of 20 objects"]


def test_what_was_inferred_and_is_gone_is_drift(runs, call) -> None:
    call("infer", "runs.jsonl", "-o", "tools.json")
    Path("later.json").write_text(json.dumps(make_run(("send_email", {"to": "a@example.com"}))))
    code, out, _ = call("infer", "later.json", "--diff", "tools.json")
    assert code == 1
    assert "vanished  look_up: declared, and never called" in out
    assert "vanished  send_email /body: declared as required, and in none of 1 object" in out


def test_drift_from_a_server(runs, call) -> None:
    script = json.dumps({"pages": [{"tools": DECLARED}]})
    server = "mcp-stdio:" + shlex.join([sys.executable, str(SERVERS / "scripted_server.py"), script])
    code, out, _ = call("infer", "runs.jsonl", "--diff", server)
    assert code == 1
    assert "changed   look_up /order: integer in 10 of 10, declared string" in out
    code, _, err = call("infer", "runs.jsonl", "--diff", "mcp-stdio:no-such-command-here")
    assert (code, "cannot start it" in err) == (3, True)
    Path("none.json").write_text("{}")
    code, _, err = call("infer", "runs.jsonl", "--diff", "none.json")
    assert (code, "holds no tools" in err) == (3, True)


def test_names_of_a_hostile_run_cannot_draw_on_the_terminal(folder, call) -> None:
    Path("run.json").write_text(json.dumps(make_run(("x\x1b[2J\u202e", {"a\x1b[2J": 1}))))
    Path("declared.json").write_text(json.dumps(DECLARED[:1]))
    code, out, err = call("infer", "run.json", "--diff", "declared.json", "--holdout", "0.5")
    assert code == 1
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err


def test_bare_calls_are_read_line_by_line_as_one_run(folder, call) -> None:
    lines = [json.dumps({"name": "look_up", "input": {"order": n}}) for n in range(2_500)]
    lines.insert(1_200, "{no json")
    lines.insert(1_300, '{"event": "started"}')
    Path("calls.jsonl").write_text("\n".join(lines) + "\n")
    code, out, err = call("infer", "calls.jsonl")
    assert code == 3
    assert "calls.jsonl:1201: not JSON" in err
    assert "2500 of 2500 calls fit what was inferred from them" in err
    assert "1 tool, 2500 calls, 1 run" in err
    assert json.loads(out)["tools"][0]["_meta"] == {"inferred_from": {"calls": 2_500, "runs": 1}}
    code, _, err = call("infer", "calls.jsonl", "--holdout", "0.2")
    assert "500 of 500 calls of what was held out (some calls of the only run)" in err
