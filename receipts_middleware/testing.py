"""For tests of agents: an assertion that a reply is borne out by the calls of its run. Imports no test framework.

The pytest plugin (`pytest_plugin`) watches what is checked here, to write a report over it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Final, Protocol

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.finding import Severity, Verification
from receipts_middleware.core.policy import Policy, as_policy
from receipts_middleware.core.rules import SEVERITY_ORDER
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import verify_transcript
from receipts_middleware.readers import read_transcript
from receipts_middleware.reports.text import render_text

_UNCHECKED: Final = frozenset({"nothing_checked", "unjudged"})
_WIDTH: Final = 100


class Watcher(Protocol):
    """Is told of every run that is checked."""

    def saw(self, transcript: Transcript, verification: Verification, policy: Policy) -> None:
        """A run was checked."""


#: Who is told, in this context; a thread of its own has none.
WATCHER: Final[ContextVar[Watcher | None]] = ContextVar("receipts_watcher", default=None)


def check_run(
    messages: object,
    *,
    tools: Iterable[object] | None = None,
    policy: Policy | None = None,
    watcher: Watcher | None = None,
) -> Verification:
    """Verify the last reply of a run, and tell the watcher.

    Args:
        messages: As for `verify_messages`. Untrusted.
        tools: Likewise.
        policy: Likewise.
        watcher: Who is told; by default that of the context.

    Returns:
        The verification.

    Raises:
        FormatError: The input cannot be read as messages at all.
        UsageError: `policy` is no policy.
    """
    said = as_policy(policy)
    whole = isinstance(messages, Transcript) and tools is None
    transcript = messages if whole and isinstance(messages, Transcript) else read_transcript(messages, tools=tools)
    verification = verify_transcript(transcript, policy=said)
    told = watcher if watcher is not None else WATCHER.get()
    if told is not None:
        told.saw(transcript, verification, said)
    return verification


def assert_supported(
    messages: object,
    *,
    tools: Iterable[object] | None = None,
    policy: Policy | None = None,
    fail_on: Severity = "error",
    require_checked: bool = True,
    watcher: Watcher | None = None,
) -> Verification:
    """Fail unless the last reply of a run is borne out by its calls.

    Args:
        messages: As for `verify_messages`: LangChain messages, a state, an OpenAI chat list and so on. Untrusted.
        tools: Tools that the agent had, where the run does not say.
        policy: What is said of the tools and of the run.
        fail_on: Weakest finding that fails.
        require_checked: Fail where nothing was checked, or the reply is in a language that no table covers: nothing to
            judge is not supported.
        watcher: Who is told of the run; by default that of the context.

    Returns:
        The verification, where it does not fail.

    Raises:
        AssertionError: It fails; the message is why, and the report as text.
        FormatError: The input cannot be read as messages at all.
        UsageError: `policy` is no policy, or `fail_on` is no severity.
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    if fail_on not in SEVERITY_ORDER:
        raise UsageError(f"fail_on={str(fail_on)[:40]!r} is none; pass one of {', '.join(SEVERITY_ORDER)}")
    verification = check_run(messages, tools=tools, policy=policy, watcher=watcher)
    failing = SEVERITY_ORDER[SEVERITY_ORDER.index(fail_on) :]
    found = [finding for finding in verification.findings if finding.severity in failing]
    if found:
        rules = ", ".join(dict.fromkeys(finding.rule for finding in found))
        raise AssertionError(_message(f"the reply is not supported: {rules}", verification))
    if require_checked and verification.verdict in _UNCHECKED:
        why = "nothing was checked" if verification.verdict == "nothing_checked" else "the reply could not be judged"
        raise AssertionError(_message(f"{why}; require_checked=False allows that", verification))
    return verification


def _message(why: str, verification: Verification) -> str:
    return f"{why}\n\n{render_text(verification, width=_WIDTH)}"
