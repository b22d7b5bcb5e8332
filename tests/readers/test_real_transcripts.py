"""Every real transcript reads; skipped where the files are not there, since they are no part of this repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers import read_transcript

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT.parent / "shared" / "transcripts" / "real"
FILES = sorted(FOLDER.glob("*.jsonl")) if FOLDER.is_dir() else []

pytestmark = pytest.mark.skipif(not FILES, reason="real transcripts are not here")


def _transcripts(path: Path) -> list[tuple[dict, Transcript]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(json.loads(line), read_transcript(line)) for line in lines if line]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_line_reads_without_loss(path: Path) -> None:
    for record, transcript in _transcripts(path):
        assert len(transcript.messages) == len(record["messages"])
        for raw, message in zip(record["messages"], transcript.messages, strict=True):
            assert message.role == raw["role"]
            assert len(message.calls) == len(raw.get("tool_calls") or [])
            assert message.text == (raw.get("content") or "")
            assert (message.result is not None) == (raw["role"] == "tool")
        assert all(isinstance(call.args, dict) for message in transcript.messages for call in message.calls)
        assert len(transcript.tools) == len({tool["name"] for tool in record["tools"]})
