"""`assert_supported`: what passes, what fails, and that the failure can be read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from receipts_middleware import Policy, UsageError, read_transcript
from receipts_middleware.testing import WATCHER, assert_supported, check_run


def make_run(reply: str, result: str = '{"status": "sent"}') -> list[dict]:
    function = {"name": "send_email", "arguments": '{"to": "a@example.com"}'}
    return [
        {"role": "user", "content": "Write to the customer."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
        {"role": "assistant", "content": reply},
    ]


GOOD = make_run("I emailed a@example.com [r1 send_email].")
FAILED = make_run("I emailed a@example.com [r1 send_email].", '{"status": "failed"}')
WARNED = make_run("I emailed a@example.com [r1 send_emails].")
IDLE = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello, how can I help?"}]
FOREIGN = make_run("Ich habe dem Kunden gestern eine lange Nachricht über seine Bestellung geschrieben.")


class Told(list):
    def saw(self, transcript, verification, policy):
        self.append((len(transcript.messages), verification.verdict, policy))


def test_a_supported_reply_passes_and_gives_its_verification() -> None:
    for messages in (GOOD, {"messages": GOOD}, read_transcript(GOOD)):
        assert assert_supported(messages, tools=["send_email"]).verdict == "clean"


def test_a_failure_names_the_rules_and_shows_the_report() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_supported(FAILED)
    lines = str(caught.value).splitlines()
    assert lines[0] == "the reply is not supported: claim_failed, citation_cites_failure"
    assert any(set(line.partition("|")[2].strip()) == {"^"} for line in lines), "the judged words are underlined"
    assert any(line.startswith("ledger (1 receipt)") for line in lines)
    assert any(line.startswith("verdict  overstated") for line in lines)
    assert "\x1b" not in str(caught.value)


def test_weaker_findings_fail_where_that_is_asked_for() -> None:
    assert_supported(WARNED)
    with pytest.raises(AssertionError, match="citation_anchor_mismatch"):
        assert_supported(WARNED, fail_on="warning")
    with pytest.raises(UsageError, match="error"):
        assert_supported(WARNED, fail_on="never")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("messages", "words"),
    [(IDLE, "nothing was checked"), ([], "nothing was checked"), (FOREIGN, "could not be judged")],
    ids=["idle", "empty", "foreign"],
)
def test_nothing_to_judge_is_not_supported(messages, words) -> None:
    with pytest.raises(AssertionError, match=words):
        assert_supported(messages)
    assert_supported(messages, require_checked=False)


def test_policy_and_tools_are_heeded() -> None:
    policy = Policy(rules={"claim_failed": "off", "citation_cites_failure": "off"})
    assert assert_supported(FAILED, policy=policy).ok
    with pytest.raises(UsageError, match="policy"):
        assert_supported(GOOD, policy="receipts.toml")  # type: ignore[arg-type]


def test_the_watcher_of_the_context_or_the_one_given_is_told_also_of_failures() -> None:
    around, given = Told(), Told()
    token = WATCHER.set(around)
    try:
        check_run(GOOD)
        with pytest.raises(AssertionError):
            assert_supported(FAILED)
        check_run(GOOD, watcher=given)
    finally:
        WATCHER.reset(token)
    check_run(GOOD)
    assert [verdict for _, verdict, _ in around] == ["clean", "overstated"]
    assert [verdict for _, verdict, _ in given] == ["clean"]


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("receipts_middleware.testing", ("pytest", "_pytest", "click", "langchain")),
        ("receipts_middleware.pytest_plugin", ("receipts_middleware.", "click", "rich", "langchain", "markdown_it")),
    ],
    ids=["testing", "plugin"],
)
def test_importing_loads_no_more_than_it_must(module, unwanted) -> None:
    code = (
        "import sys, pytest\nheld = set(sys.modules)\n" * module.endswith("plugin")
        + "import sys\nheld = globals().get('held', set())\n"
        + f"import {module}\nprint(*sorted(set(sys.modules) - held - {{{module!r}}}))"
    )
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in run.stdout.split() if name.startswith(unwanted)]
    assert loaded == []
