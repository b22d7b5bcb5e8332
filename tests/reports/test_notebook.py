"""The card of a verification in notebooks."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser

import pytest

from receipts_middleware import Verification, verify_messages
from receipts_middleware.reports.notebook import MAX_FINDINGS, MAX_REPLY


class Reader(HTMLParser):
    """Tags, attributes and text of a card, which must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def card(messages: object, tools: list | None = None) -> Reader:
    verification = verify_messages(messages, tools=tools)
    return Reader(verification._repr_html_())


@pytest.mark.rows("html/runs.json")
def test_card_is_plain_markup_without_scripts(row) -> None:
    for end in range(4, len(row["messages"]) + 1):
        read = card(row["messages"][:end], row["tools"])
        assert set(read.tags) <= {"div", "strong", "span", "ul", "li", "code"}
        assert read.names <= {"style"}


def test_card_shows_verdict_reply_findings_and_counts(fixture_rows) -> None:
    [row] = [row for row in fixture_rows("html/runs.json") if row["id"] == "hostile"]
    v = verify_messages(row["messages"], tools=row["tools"])
    read = Reader(v._repr_html_())
    assert v.verdict in read.text
    assert v.summary in read.text
    assert "<script>window.ran=1</script>" in read.text
    for finding in v.findings:
        assert finding.rule in read.text
    assert "2 receipts" in read.text


def test_card_without_a_reply() -> None:
    assert "Nothing to check" in card([]).text


def test_card_is_bounded() -> None:
    reply = "I sent it [r7 x]. " * 2_000
    v = verify_messages([{"role": "user", "content": "x"}, {"role": "assistant", "content": reply}])
    text = v._repr_html_()
    assert len(text) < 200_000
    read = Reader(text)
    assert f" … {len(reply) - MAX_REPLY:,} more characters" in read.text
    assert f"and {len(v.findings) - MAX_FINDINGS} more" in read.text


def test_values_load_nothing_of_it() -> None:
    code = "import sys, receipts_middleware.core.finding\nprint([n for n in sys.modules if '.reports' in n])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
    assert callable(Verification._repr_html_)
