"""`receipts policy init` and `check`, and `receipts verify --policy`: files, streams and exit codes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from receipts_middleware import load_policy, read_transcript
from receipts_middleware.cli import main
from receipts_middleware.policy import suggest_policy


def _call(name: str, at: int) -> dict:
    return {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}


CHAT = [
    {"role": "user", "content": "Write to the customer."},
    {"role": "assistant", "content": None, "tool_calls": [_call("send_email", 1), _call("get_order", 2)]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"status": "sent"}'},
    {"role": "tool", "tool_call_id": "c2", "content": "{}"},
    {"role": "assistant", "content": "All done."},
]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command line in a folder with a run in it; gives exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(json.dumps(CHAT))

    def run(*arguments: str, stdin: str | None = None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as left:
            main(arguments)
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return run


def test_init_writes_what_the_library_writes(run):
    wanted = suggest_policy(read_transcript(CHAT))
    assert run("policy", "init", "run.json") == (0, wanted, "")
    assert run("policy", "init", "-", stdin=json.dumps(CHAT)) == (0, wanted, "")
    assert run("policy", "init", "run.json", "-o", "receipts.toml") == (0, "", "")
    assert Path("receipts.toml").read_text() == wanted
    assert run("policy", "check", "receipts.toml") == (
        0,
        "receipts.toml: nothing wrong: 2 tools, 0 patterns, 0 rules\n",
        "",
    )
    for form in ("text", "json"):
        plain = run("verify", "run.json", "--format", form)
        assert run("verify", "run.json", "--format", form, "--policy", "receipts.toml") == plain


def test_init_takes_tools(run):
    Path("tools.json").write_text(json.dumps([{"name": "zap", "description": "Send a letter to someone."}]))
    code, out, _ = run("policy", "init", "run.json", "--tools", "tools.json")
    assert code == 0
    assert "# never called\n[tools.zap]\n" in out


def test_init_writes_over_nothing_unasked(run):
    Path("receipts.toml").write_text("# mine\n")
    code, out, err = run("policy", "init", "run.json", "-o", "receipts.toml")
    assert (code, out) == (3, "")
    assert "--force" in err
    assert Path("receipts.toml").read_text() == "# mine\n"
    assert run("policy", "init", "run.json", "-o", "receipts.toml", "--force")[0] == 0
    assert load_policy("receipts.toml").for_tool("send_email").kind == "acting"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["policy", "init", "no-such-file.json"], "cannot read no-such-file.json"),
        (["policy", "init", "empty.json"], "holds no messages"),
        (["policy", "init", "run.json", "-o", "no/such/folder.toml"], "cannot write"),
        (["policy", "init", "run.json", "-o", "a\0b"], "cannot write"),
        (["policy", "init"], "Missing argument"),
        (["policy", "check", "no-such-file.toml"], "cannot read the policy no-such-file.toml"),
        (["policy", "check"], "Missing argument"),
        (["policy", "check", "right.toml", "--run", "no-such-file.json"], "cannot read no-such-file.json"),
        (["policy", "check", "right.toml", "--tools", "run.json"], "give --run too"),
        (["policy", "nope"], "No such command"),
        (["verify", "run.json", "--policy", "no-such-file.toml"], "cannot read the policy"),
        (["verify", "run.json", "--policy", "a\nb"], "cannot read the policy"),
        (["verify", "run.json", "--policy", "wrong.toml"], "wrong.toml:2: tools.a.kind"),
    ],
)
def test_what_cannot_be_done_exits_3(run, arguments, says):
    Path("empty.json").write_text("[]")
    Path("right.toml").write_text("[tools.a]")
    Path("wrong.toml").write_text('[tools.a]\nkind = "x"\nnope = 1\n')
    code, out, err = run(*arguments)
    assert (code, out) == (3, "")
    assert says in err
    assert err.startswith("receipts: ")
    assert err.count("\n") == 1


def test_check_names_every_mistake_on_a_line_of_its_own(run):
    Path("wrong.toml").write_text('fail_on = 1\n[tools.a]\nkind = "x"\nnope = 1\n')
    code, out, err = run("policy", "check", "wrong.toml")
    assert (code, out) == (3, "")
    assert [line.split(":")[:3] for line in err.splitlines()] == [
        ["receipts", " wrong.toml", line] for line in ("1", "3", "4")
    ]


@pytest.mark.parametrize(
    ("policy", "options", "code"),
    [
        ("", [], 0),
        ('fail_on = "note"', [], 1),
        ('fail_on = "note"', ["--fail-on", "error"], 0),
        ('fail_on = "never"', ["--fail-on", "note"], 1),
        ("require_checked = true", [], 3),
        ("require_checked = true", ["--no-require-checked"], 0),
        ("require_checked = false", ["--require-checked"], 3),
        ('fail_on = "note"\nignore_tools = ["send_*"]', [], 0),
        ('fail_on = "note"\n[tools.send_email]\nkind = "reading"', [], 0),
        ('fail_on = "note"\n[rules]\nuncited_report = "off"', [], 0),
        ('[rules]\nuncited_report = "error"', [], 0),
    ],
)
def test_a_policy_decides_and_options_outweigh_it(run, policy, options, code):
    Path("p.toml").write_text(policy)
    if "require" in policy:  # a run of which nothing can be checked
        Path("run.json").write_text(json.dumps([CHAT[0], {"role": "assistant", "content": "Good morning."}]))
    got, _, err = run("verify", "run.json", "--policy", "p.toml", *options)
    assert (got, err) == (code, "")
    assert run("verify", "run.json", "--turns", "--policy", "p.toml", *options)[0] == code


def test_no_policy_is_found_unasked(run):
    Path("receipts.toml").write_text('fail_on = "note"\n')
    assert run("verify", "run.json")[0] == 0


def test_check_names_entries_that_fit_no_tool(run):
    Path("p.toml").write_text(
        'ignore_tools = ["get_*", "todo_*"]\n[tools.send_emial]\n[tools."*"]\n[tools.send_email]\n'
    )
    code, out, err = run("policy", "check", "p.toml", "--run", "run.json")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        'p.toml: note: [tools.send_emial] fits no tool; did you mean "send_email"?',
        'p.toml: note: "todo_*" in ignore_tools fits no tool',
        "p.toml: nothing wrong: 2 tools, 1 pattern, 0 rules",
    ]
    Path("tools.json").write_text('["todo_write"]')
    out = run("policy", "check", "p.toml", "--run", "run.json", "--tools", "tools.json")[1]
    assert "todo_*" not in out
