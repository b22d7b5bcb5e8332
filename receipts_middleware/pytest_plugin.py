"""The pytest plugin: the fixture `receipts`, and `--receipts-report FILE` over all runs that a test session checked.

pytest loads this module at every start, so whatever costs time is imported where it is used first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextvars import Token

    from receipts_middleware.core.finding import Severity, Verification
    from receipts_middleware.core.policy import Policy
    from receipts_middleware.pytest_report import SessionReport
    from receipts_middleware.testing import Watcher

_REPORT: pytest.StashKey[SessionReport] = pytest.StashKey()
_TOKEN: pytest.StashKey[Token[Watcher | None]] = pytest.StashKey()
#: Key under which a process of pytest-xdist hands over what it saw.
_OUTPUT = "receipts_middleware"


class ReceiptsChecker:
    """What the fixture `receipts` gives: the functions of `receipts_middleware.testing`, told of in the report.

    Other than those functions by themselves it is heard from any thread.
    """

    def __init__(self, watcher: Watcher | None) -> None:
        self._watcher = watcher

    def verify(
        self, messages: object, *, tools: Iterable[object] | None = None, policy: Policy | None = None
    ) -> Verification:
        """Verify the last reply of a run without asserting anything; arguments as for `verify_messages`."""
        from receipts_middleware.testing import check_run  # noqa: PLC0415

        return check_run(messages, tools=tools, policy=policy, watcher=self._watcher)

    def assert_supported(
        self,
        messages: object,
        *,
        tools: Iterable[object] | None = None,
        policy: Policy | None = None,
        fail_on: Severity = "error",
        require_checked: bool = True,
    ) -> Verification:
        """Fail unless the last reply of a run is borne out; arguments as for `assert_supported`."""
        __tracebackhide__ = True
        from receipts_middleware.testing import assert_supported  # noqa: PLC0415

        return assert_supported(
            messages,
            tools=tools,
            policy=policy,
            fail_on=fail_on,
            require_checked=require_checked,
            watcher=self._watcher,
        )


@pytest.fixture
def receipts(request: pytest.FixtureRequest) -> ReceiptsChecker:
    """Checks of runs against their receipts: `receipts.assert_supported(messages)`, `receipts.verify(messages)`."""
    return ReceiptsChecker(request.config.stash.get(_REPORT, None))


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of the report."""
    parser.getgroup("receipts", "receipts of agents").addoption(
        "--receipts-report",
        metavar="FILE",
        default=None,
        help="write a report over all runs that were checked; its suffix says the format: "
        ".html, .json, .jsonl, .sarif, .xml (JUnit), .md or .txt",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin to watch, where a report is wanted."""
    name = config.getoption("--receipts-report")
    if name is None:
        return
    from receipts_middleware.pytest_report import SessionReport  # noqa: PLC0415
    from receipts_middleware.testing import WATCHER  # noqa: PLC0415

    report = SessionReport(config.invocation_params.dir / name)
    config.stash[_REPORT] = report
    config.stash[_TOKEN] = WATCHER.set(report)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Watch no more."""
    if _TOKEN in config.stash:
        from receipts_middleware.testing import WATCHER  # noqa: PLC0415

        WATCHER.reset(config.stash[_TOKEN])
        del config.stash[_TOKEN]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Say which test it is that checks runs."""
    report = item.config.stash.get(_REPORT, None)
    if report is None:
        yield
        return
    path, line, name = item.location
    with report.during(path, None if line is None else line + 1, name):
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Take over what a process of pytest-xdist saw."""
    config = getattr(node, "config", None)
    report = config.stash.get(_REPORT, None) if isinstance(config, pytest.Config) else None
    output = getattr(node, "workeroutput", None)
    if report is not None and isinstance(output, dict) and _OUTPUT in output:
        report.take(output[_OUTPUT])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the report, or hand over what was seen to the process that does."""
    report = session.config.stash.get(_REPORT, None)
    if report is None:
        return
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_OUTPUT] = report.give()
    else:
        report.write()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say where the report is."""
    report = config.stash.get(_REPORT, None)
    if report is not None:
        terminalreporter.write_sep("-", report.told())
