"""`receipts verify`: formats, streams, turns, tools, and that LangChain stays away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from receipts_middleware.cli import main
from receipts_middleware.core.verify import verify_replies, verify_transcript
from receipts_middleware.readers import read_transcript
from receipts_middleware.reports.text import render_text

CHAT = [
    {"role": "user", "content": "Write to the customer."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "send_email", "arguments": '{"to": "a"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": '{"status": "sent"}'},
    {"role": "assistant", "content": "I sent it [r1 send_email]."},
    {"role": "user", "content": "And the courier?"},
    {"role": "assistant", "content": "Booked \x1b[31m [r7 book_pickup]."},
]


@pytest.fixture
def chat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT))
    return path


def plain(verification):
    return json.loads(json.dumps(verification.to_dict()))  # tuples are lists in JSON


def outcome(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    captured = capsys.readouterr()
    return left.value.code, captured.out, captured.err


def test_json_is_the_verification_and_nothing_else(chat, capsys):
    code, out, err = outcome(capsys, "verify", "chat.json", "--format", "json")
    assert (code, err) == (1, "")
    assert json.loads(out) == plain(verify_transcript(read_transcript(chat.read_bytes())))
    assert out.isascii()


def test_text_is_the_rendered_verification_without_color(chat, capsys):
    _, out, _ = outcome(capsys, "verify", "chat.json")
    assert out == render_text(verify_transcript(read_transcript(chat.read_bytes())), width=80)
    assert "\x1b" not in out


def test_turns_in_both_formats(chat, capsys):
    expected = list(verify_replies(read_transcript(chat.read_bytes())))
    code, out, _ = outcome(capsys, "verify", "chat.json", "--turns", "--format", "json")
    assert code == 1
    assert json.loads(out) == {"schema": 1, "turns": [plain(v) for v in expected]}
    _, out, _ = outcome(capsys, "verify", "chat.json", "--turns")
    assert "-- turn 1 of 2 -" in out
    assert out.endswith("turns    2: 1 clean, 1 fabricated\n")


def test_output_goes_to_the_file_alone(chat, capsys):
    code, out, _ = outcome(capsys, "verify", "chat.json", "--format", "json", "--output", "report.json", "--quiet")
    assert (code, out) == (1, "")
    assert json.loads(Path("report.json").read_text())["verdict"] == "fabricated"


@pytest.mark.parametrize("tools", [["send_email"], {"tools": [{"name": "send_email", "description": "Send an email"}]}])
def test_tools_from_a_file(chat, capsys, tools):
    Path("tools.json").write_text(json.dumps(tools))
    assert outcome(capsys, "verify", "chat.json", "--tools", "tools.json")[0] == 1


@pytest.mark.parametrize(("tools", "says"), [("nonsense", "is not JSON"), ('"send_email"', "holds no list")])
def test_tools_that_are_none(chat, capsys, tools, says):
    Path("tools.json").write_text(tools)
    code, out, err = outcome(capsys, "verify", "chat.json", "--tools", "tools.json")
    assert (code, out) == (3, "")
    assert says in err


def test_langchain_is_never_imported(chat):
    program = (
        "import sys\n"
        "from receipts_middleware.cli import main\n"
        "try:\n    main(['verify', 'chat.json', '--quiet'])\n"
        "except SystemExit as left:\n    code = left.code\n"
        "print(code, [m for m in sys.modules if m.startswith(('langchain', 'langgraph', 'pydantic'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1 []\n"


def test_a_reader_that_leaves_is_no_error(chat):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed_pipe:
        done = subprocess.run(
            [sys.executable, "-c", "from receipts_middleware.cli import main; main()", "verify", "chat.json"],
            stdout=closed_pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (3, "")


def test_another_terminal_encoding_is_no_error(chat):
    chat.write_text(json.dumps([*CHAT[:-1], {"role": "assistant", "content": "已发送 [r1 send_email]"}]))
    done = subprocess.run(
        [sys.executable, "-c", "from receipts_middleware.cli import main; main()", "verify", "chat.json"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
