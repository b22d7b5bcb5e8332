"""Saved runs and a way to call the command line."""

from __future__ import annotations

import io
import json
import sys

import pytest

from receipts_middleware.cli import main


def make_run(name: str = "a", reply: str = "I sent it [r1 send_email].") -> dict:
    """A run of one call and one reply."""
    function = {"name": "send_email", "arguments": '{"to": "a@example.com"}'}
    return {
        "id": name,
        "messages": [
            {"role": "user", "content": "Write to the customer."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"status": "sent"}'},
            {"role": "assistant", "content": reply},
        ],
    }


FALSE_REPLY = "I sent it [r1 send_email]. I booked a courier [r7 book_pickup]."


def to_lines(*runs: object) -> str:
    """Runs as JSON lines."""
    return "".join(json.dumps(run) + "\n" for run in runs)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def call(capsys, monkeypatch):
    """Run the command line; gives exit code, standard output and standard error."""

    def call(*arguments: str, stdin: bytes | None = None) -> tuple[int, str, str]:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main(arguments)
        captured = capsys.readouterr()
        return int(left.value.code or 0), captured.out, captured.err

    return call
