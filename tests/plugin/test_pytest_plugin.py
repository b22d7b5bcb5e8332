"""The pytest plugin in sessions of its own: the fixture, the report in each format, and with several processes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from receipts_middleware.pytest_report import FORMATS, SessionReport
from receipts_middleware.testing import check_run

PLUGIN = "receipts_middleware.pytest_plugin"
FAILED = [
    {"role": "user", "content": "Write."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "send_email", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"status": "failed"}'},
    {"role": "assistant", "content": "I sent the email [r1 send_email]."},
]
TESTS = """
    import pytest
    from receipts_middleware.testing import assert_supported

    def run(reply, result='{"status": "sent"}'):
        function = {"name": "send_email", "arguments": '{"to": "a@example.com"}'}
        call = {"id": "c1", "type": "function", "function": function}
        return [
            {"role": "user", "content": "Write."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": result},
            {"role": "assistant", "content": reply},
        ]

    REPLY = "I emailed a@example.com [r1 send_email]."

    def test_by_function():
        assert assert_supported(run(REPLY)).ok

    def test_by_fixture(receipts):
        receipts.assert_supported(run(REPLY), tools=["send_email"])
        assert receipts.verify(run(REPLY, '{"status": "failed"}')).verdict == "overstated"

    def test_that_fails():
        assert_supported(run(REPLY, '{"status": "failed"}'))
"""


@pytest.fixture
def start(pytester, monkeypatch):
    """Run a session over TESTS; gives exit code and output."""
    pytester.makepyfile(test_agent=TESTS)
    pytester.makeini("[pytest]\n")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def start(*arguments: str, apart: bool = False) -> tuple[int, str]:
        run = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        result = run(
            "-p", "no:cacheprovider", "-p", "no:asyncio", *([] if is_installed() else ["-p", PLUGIN]), *arguments
        )
        return int(result.ret), result.stdout.str() + result.stderr.str()

    return start


@pytest.fixture
def tmp_path(pytester):
    return pytester.path


def is_installed() -> bool:
    return any(point.value == PLUGIN for point in entry_points(group="pytest11"))


def test_the_fixture_and_the_function_pass_and_fail_with_the_report(start) -> None:
    code, out = start()
    assert code == 1, out
    assert "2 passed" in out
    assert "1 failed" in out
    assert "the reply is not supported: claim_failed, citation_cites_failure" in out
    assert "verdict  overstated" in out
    assert "def assert_supported" not in out, "the traceback ends in the test"
    assert "receipts report" not in out


def places(path: Path) -> list[tuple[str, int, str, str]]:
    runs = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return [(run["file"], run["line"], run["id"], run["verification"]["verdict"]) for run in runs]


WANTED = [
    ("test_agent.py", 16, "test_by_function", "clean"),
    ("test_agent.py", 19, "test_by_fixture", "clean"),
    ("test_agent.py", 19, "test_by_fixture", "overstated"),
    ("test_agent.py", 23, "test_that_fails", "overstated"),
]


def test_the_report_tells_of_every_run_and_its_test(start, tmp_path) -> None:
    code, out = start("--receipts-report", "out/report.json")
    assert code == 1
    assert f"receipts report: {tmp_path / 'out' / 'report.json'} (4 runs checked)" in out
    assert places(tmp_path / "out" / "report.json") == WANTED
    totals = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["totals"]
    assert (totals["files"], totals["runs"], totals["claims"], totals["gaps"]) == (1, 4, 4, 2)


def test_several_processes_write_the_same_report(start, tmp_path) -> None:
    pytest.importorskip("xdist")
    start("--receipts-report", "alone.json")
    code, out = start("--receipts-report", "many.json", "-n", "2", apart=True)
    assert code == 1, out
    assert "(4 runs checked)" in out
    assert json.loads((tmp_path / "many.json").read_text()) == json.loads((tmp_path / "alone.json").read_text())


def test_each_suffix_is_a_format(tmp_path) -> None:
    for suffix in FORMATS:
        report = SessionReport(tmp_path / f"report{suffix}")
        with report.during("test_agent.py", 3, "test_it"):
            check_run(FAILED, watcher=report)
            check_run(FAILED, watcher=report)
        report.write()
    assert (tmp_path / "report.html").read_text(encoding="utf-8").count('<details class="run"') == 2
    assert len((tmp_path / "report.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert json.loads((tmp_path / "report.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert len(list(ET.fromstring((tmp_path / "report.xml").read_text(encoding="utf-8")).iter("testcase"))) == 2
    assert "claim_failed" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "claim_failed" in (tmp_path / "report.txt").read_text(encoding="utf-8")


def test_what_processes_saw_is_put_together_in_the_order_of_the_tests(tmp_path) -> None:
    one, two = SessionReport(tmp_path / "one.json"), SessionReport(tmp_path / "two.json")
    whole, joined = SessionReport(tmp_path / "whole.json"), SessionReport(tmp_path / "joined.json")
    for number, part in ((1, one), (2, two), (3, one), (4, two)):
        for report in (part, whole):
            with report.during("test_agent.py", number, f"test_{number}"):
                check_run(FAILED, watcher=report)
    joined.take(two.give())
    joined.take(one.give())
    for report in (whole, joined):
        report.write()
    assert (tmp_path / "whole.json").read_text() == (tmp_path / "joined.json").read_text()
    assert [line for _, line, _, _ in places(tmp_path / "joined.json")] == [1, 2, 3, 4]


def test_a_suffix_that_says_no_format_is_a_mistake_of_the_caller(start) -> None:
    code, out = start("--receipts-report", "report.pdf")
    assert code == 4
    assert "report.pdf: its suffix says no format" in out


def test_a_session_without_a_check_writes_an_empty_report(start, tmp_path) -> None:
    code, out = start("--receipts-report", "report.json", "--collect-only")
    assert code == 0, out
    assert places(tmp_path / "report.json") == []


def test_loading_the_plugin_loads_nothing_else(pytester) -> None:
    """Every pytest session of whoever has the package pays for what this loads."""
    pytester.makepyfile(
        test_it="""
        import sys

        def test_it():
            print(sorted(name for name in sys.modules if name.startswith("receipts_middleware")))
        """
    )
    named = [] if is_installed() else ["-p", PLUGIN]
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-s", *named)
    assert f"['receipts_middleware', '{PLUGIN}']" in result.stdout.str()
