"""What the text of a result says: how it opens, the exit code at its edge, a status line of HTTP.

Only the edges of a text speak, since its middle is data: a test run that prints the word failure did not fail.
Nothing here is applied to what a reading tool returned, but for `whole_status_line`.
"""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.lexicon.failures import (
    CLI_COMPLAINTS,
    CONNECTION_LOST,
    ERROR_OPENINGS,
    NOT_RUN_TEXTS,
    REASON_PHRASES,
    SHELL_FAILURE_LINES,
    TIMED_OUT,
)
from receipts_middleware.core.patterns import pattern_of

#: How much of a text's beginning and end is looked at, in characters.
EDGE = 2_000
#: Lines of a shell's output in which program signatures are looked for.
MAX_SHELL = 200_000

_WRAPPER: Final = pattern_of(r"#\s*\w{1,40}\s*=\s*")
_FENCE: Final = pattern_of(r"```\w{0,12}\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_ANSI: Final = pattern_of(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_MARKS: Final = pattern_of(r"[\s\"'`*_>#\[(\u274c\u2716\u2717\u2718\u26a0\u26d4\ufe0f\U0001f6ab\U0001f534]{0,40}")
_OPENINGS: Final = tuple((code, pattern_of(pattern, re.IGNORECASE)) for code, pattern in ERROR_OPENINGS)
#: Whether any of them fits: asked once, since hardly any text opens with a failure.
_ANY_OPENING: Final = pattern_of("|".join(f"(?:{pattern})" for _, pattern in ERROR_OPENINGS), re.IGNORECASE)
_NOT_RUN: Final = tuple((code, pattern_of(pattern, re.IGNORECASE | re.DOTALL)) for code, pattern in NOT_RUN_TEXTS)
_SHELL_LINES: Final = tuple((code, pattern_of(pattern, re.MULTILINE)) for code, pattern in SHELL_FAILURE_LINES)
_CLI: Final = pattern_of(CLI_COMPLAINTS, re.IGNORECASE)
#: `ValueError: ...`, `botocore.exceptions.ClientError: ...`, `SMTPRecipientsRefused: 550 ...`
_EXCEPTION: Final = pattern_of(
    r"(?:[a-zA-Z_]\w{0,60}\.){0,8}([A-Z]\w{0,60}?(?:Error|Exception|Refused|Timeout|Denied|NotFound|Exit|Interrupt))"
    r"(?::|\s*\(|\s*\Z)"
)
#: `error: ...`, `A fatal error occurred: ...`, `Deployment failed.`
_LAST_LINE: Final = pattern_of(
    r"(?:error|fatal): |error (?:from|parsing|response|creating|pushing|pulling|reading|writing)\b"
    r"|an? (?:[a-z]{2,12} ){0,2}error (?:has )?occurred\b"
    r"|(?!no |none |0 )(?:[A-Za-z]{2,20} ){1,3}(?:failed|aborted)\W{0,3}\Z",
    re.IGNORECASE,
)
_EXIT: Final = pattern_of(
    r"[\[(<]?(?:the )?(?:command |process |program |script )?(?:completed |failed |succeeded |finished |exited |"
    r"terminated |returned )?(?:with )?(?:an? )?(?:non-zero )?(?:exit|return)(?:ed)?(?:[ _-]?(?:code|status))?"
    r"(?: with)?(?: code| status)?\s{0,4}[:=]?\s{0,4}(-?\d{1,10})[.\])>]{0,3}\Z",
    re.IGNORECASE,
)
_EXITED: Final = pattern_of(r"(?:process |command )?exited with (?:code |status )?(-?\d{1,10})\.?\Z", re.IGNORECASE)
_INLINE_EXIT: Final = pattern_of(r"\(exit (?:status|code) (\d{1,5})\)", re.IGNORECASE)
_HTTP_LINE: Final = pattern_of(
    r"HTTP(?:/\d(?:\.\d)?)?\s+(?:error\s+|status\s+)?(\d{3})\b|"
    r"(?:http )?status(?: ?code)?\s*[:=]?\s+([1-5]\d\d)\b|"
    rf"([1-5]\d\d)\s+(?:{REASON_PHRASES}|(?=[{{\[]\s*[\"{{\]}}]))",
    re.IGNORECASE,
)
_TIMED_OUT: Final = pattern_of(TIMED_OUT, re.IGNORECASE)
_LOST: Final = pattern_of(CONNECTION_LOST, re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSigns:
    """What the edges of a text say.

    Attributes:
        failed: Why the call failed, as `code: detail`; empty where the text does not say that it did.
        http_status: Code of a status line at its start.
        exit_code: Exit code at its end or start.
        error_type: Class name of an exception that it opens or ends with.
    """

    failed: str = ""
    http_status: int | None = None
    exit_code: int | None = None
    error_type: str | None = None


def unwrap(text: str) -> str:
    """The text without a wrapper that some logs put around it: `# var_6 = "..."`, a code fence.

    Args:
        text: Untrusted.
    """
    bare = text.strip()
    match = _WRAPPER.match(bare)
    if match:
        bare = bare[match.end() :]
    fenced = _FENCE.match(bare) if bare.startswith("```") else None
    return fenced.group(1) if fenced else bare


def read_text(text: str, *, shell: bool) -> TextSigns:
    """Read the edges of what an acting tool or a shell returned.

    Args:
        text: Unwrapped text. Untrusted.
        shell: Whether it is the output of a shell, whose programs have signatures of their own.

    Returns:
        The signs. An exit code of 0 outweighs how the text opens. Never raises; linear in the edges looked at.
    """
    head, tail = _ANSI.sub("", text[:EDGE]), _ANSI.sub("", text[-EDGE:])
    first, last = _line(head, 0), _line(tail, -1)
    code = _exit_code(first, last)
    http = _http_status(head)
    kind = _exception(head, last)
    failed = ""
    if code:
        failed = f"exit_code: {code}"
    elif code is None:
        failed = (
            _opening(head)
            or _http_failure(http)
            or _inline_exit(first)
            or _undone(head)
            or (_shell_failure(text, first, last) if shell else "")
        )
    return TextSigns(failed=failed, http_status=http, exit_code=code, error_type=kind if failed else None)


def _line(part: str, at: int) -> str:
    lines = [line for line in part.splitlines() if line.strip()]
    return lines[at].strip()[:400] if lines else ""


def _opening(head: str) -> str:
    start = _MARKS.match(head)
    at = start.end() if start else 0
    for code, pattern in _OPENINGS if _ANY_OPENING.match(head, at) else ():
        if pattern.match(head, at):
            return f"error_text: {code}: {_line(head[at:], 0)[:100]}"
    if _EXCEPTION.match(head, at):
        return f"error_text: exception: {_line(head[at:], 0)[:100]}"
    return ""


def _exception(head: str, last: str) -> str | None:
    start = _MARKS.match(head)
    match = _EXCEPTION.match(head, start.end() if start else 0) or _EXCEPTION.match(last)
    return match.group(1) if match else None


def _http_failure(http: int | None) -> str:
    return f"http_status: {http}" if http is not None and http >= 400 else ""


#: A short answer by which a tool says that it did nothing.
_UNDONE: Final = pattern_of(
    r"\bnothing (?:was|has been) [a-z]{2,20}(?:ed|en|nt|de|ne)\b"
    r"|\bno (?:changes?|records?|rows?|files?) (?:were|was|have been) (?:made|written|saved|changed|updated|created)\b"
    r"|\bNAK\b|\brejected by (?:the )?\w+"
    r"|\bout of (?:labels|paper|stock|ribbon|ink|toner|memory|disk|space|credit|service)\b"
    r"|\A\W{0,8}(?:refused|rejected|blocked)\b[:.,! ]",
    re.IGNORECASE,
)
#: A longer text is an answer with a remark in it.
_MAX_UNDONE: Final = 300


def _undone(head: str) -> str:
    match = _UNDONE.search(head) if len(head) <= _MAX_UNDONE else None
    return f"error_text: undone: {match[0][:60]}" if match else ""


def _inline_exit(first: str) -> str:
    """`soffice: conversion failed (exit status 77)`, whoever wraps the program."""
    inline = _INLINE_EXIT.search(first)
    return f"exit_code: {inline.group(1)}" if inline and inline.group(1) != "0" else ""


def _shell_failure(text: str, first: str, last: str) -> str:
    if _CLI.match(first):
        return f"error_text: program: {first[:100]}"
    if _LAST_LINE.match(last):
        return f"error_text: last_line: {last[:100]}"
    if _EXCEPTION.match(last) and "Traceback (most recent call last)" in text[-MAX_SHELL:]:
        return f"error_text: traceback: {last[:100]}"
    for code, pattern in _SHELL_LINES:
        match = pattern.search(text, 0, MAX_SHELL)
        if match:
            return f"error_text: {code}: {match.group(0).strip()[:100]}"
    return ""


def _exit_code(first: str, last: str) -> int | None:
    for line in (last, first):
        match = _EXIT.match(line) or _EXITED.match(line)
        if match:
            return int(match.group(1))
    return None


def _http_status(head: str) -> int | None:
    match = _HTTP_LINE.match(head.lstrip())
    if not match:
        return None
    return int(next(group for group in match.groups() if group))


def whole_status_line(text: str) -> int | None:
    """The HTTP status of a text that is nothing but a status line: no content came, whoever asked for it.

    Args:
        text: Untrusted.
    """
    bare = text.strip() if len(text) <= 200 else ""
    return _http_status(bare) if bare and len(bare) <= 80 and "\n" not in bare else None


def not_run(text: str) -> str:
    """By which the host says that a call never ran: `unknown_tool`, `invalid_arguments`, `blocked`; else empty.

    Args:
        text: Text of a message that the host declares an error. Untrusted.
    """
    head = text[:EDGE].lstrip()
    return next((code for code, pattern in _NOT_RUN if pattern.match(head)), "")


def lost_track(words: str) -> str:
    """Whether words of a failure leave open how the call ended: `timeout`, `connection_lost`, else empty.

    Args:
        words: Text or reason of a failure. Untrusted.
    """
    head = words[:400]
    if _TIMED_OUT.search(head):
        return "timeout"
    return "connection_lost" if _LOST.search(head) else ""
