"""Evidence: what a result says about how its call ended. No grade, that is for when somebody verifies.

Asked in this order, the first that answers decides: the layer of the host that wrote the message in place of the
tool, a declared error, a declared exit code, the keys of the body, the edges of the text. Body and text are asked
for acting tools and shells only: what a reading tool returned is data, however much it talks of errors, and of a
tool whose kind is unknown nobody can say which it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass, replace
from receipts_middleware.core.evidence.body import OPEN_PREFIX, REFUSED_PREFIX, Body, open_word, read_body
from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.evidence.markup import leaf_elements
from receipts_middleware.core.evidence.own import is_own_end, own_participles
from receipts_middleware.core.evidence.prose import Reading, read_prose, tells_no_rows
from receipts_middleware.core.evidence.status import PENDING_SENTENCE, PROMISE, StatusClass, normal_status, status_class
from receipts_middleware.core.evidence.text import (
    TextSigns,
    lost_track,
    not_run,
    read_text,
    unwrap,
    whole_status_line,
)
from receipts_middleware.core.lexicon.verbs import COMMAND_LINE_PROGRAMS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.receipt import Outcome, OutcomeSource
from receipts_middleware.core.toolspec.kind import MAX_NAME, name_tokens
from receipts_middleware.core.toolspec.spec import ToolKind
from receipts_middleware.core.transcript import UNPROVEN

__all__ = ["OPEN_PREFIX", "REFUSED_PREFIX", "Evidence", "StatusClass", "normal_status", "read_evidence", "status_class"]

#: Fields of a receipt are bounded; a reason is one line for an engineer.
MAX_WORD = 128
MAX_REASON = 200
#: A body that was quoted, and quoted again on its way through a log.
MAX_QUOTINGS = 3
#: A plain text longer than this is an answer, not a status.
MAX_PLAIN_STATUS = 60

#: A page that answers a form; its state stands near its top.
MAX_PAGE = 1_000
_TAGS: Final = pattern_of(r"<[^<>]{1,200}>")
#: One sentence that only promises; behind a first sentence it is what happens after something was done.
MAX_PROMISE = 200

#: What each layer's message means. A repaired call has no result, an interrupted one no end: nobody knows what it did.
_BY_ORIGIN: Final[Mapping[str, Outcome]] = {
    "human_rejected": "rejected",
    "human_responded": "not_executed",
    "call_limit": "not_executed",
    "invalid_call": "not_executed",
    "repaired": "cancelled",
    "interrupted": "interrupted",
    "answer": "synthetic",
    UNPROVEN: "no_result",
}
#: Plain words of a text that leave the end open. Narrower than the status table: "Meeting scheduled" is done.
_OPEN_TEXTS: Final = frozenset({"queued", "enqueued", "pending", "processing", "in_progress", "awaiting", "accepted"})


#: What opens the text of an error, however much it looks like a document.
_ERROR_TAGS: Final = ("<tool_use_error>", "<error>")
_NO_SIGNS: Final = TextSigns()
_NO_PROSE: Final = Reading()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of how a call ended.

    Attributes:
        outcome: How it ended.
        outcome_source: Which layer said so.
        object_id: Id of the object that the call made or changed, as the result names it.
        http_status: Status code that the result carries.
        exit_code: Process exit code that the result carries.
        status_word: Value of a status-like key of the result; `timeout` or `connection_lost` where the call
            failed in a way that leaves open whether the act was done.
        error_type: Class name of an exception or type of an error object.
        reason: Why this outcome, as `code: detail`, at most 200 characters; empty for a plain success.
    """

    outcome: Outcome
    outcome_source: OutcomeSource
    object_id: str | None = None
    http_status: int | None = None
    exit_code: int | None = None
    status_word: str | None = None
    error_type: str | None = None
    reason: str = ""


def read_evidence(
    *,
    content: object,
    text: str,
    error: bool | None,
    exit_code: int | None,
    origin: str | None,
    kind: ToolKind,
    tool: str = "",
) -> Evidence:
    """Read what a result says about how its call ended.

    Args:
        content: Content as persisted: text, blocks, or a mapping that is the body itself. Untrusted.
        text: Its text. Untrusted.
        error: What a declared channel said; True failed, False succeeded, None nothing. False does not outweigh
            the body: hosts mark every result that is no exception as a success.
        exit_code: Declared process exit code.
        origin: Which layer wrote the message in place of the tool, as on `ToolResult`.
        kind: Kind of the tool; content rules apply to acting tools and shells only.
        tool: Name of the tool, for its own verb (`declined` is the success of `decline_invite`) and object.

    Returns:
        The evidence. Words of failure inside a success are no failure. Never raises.
    """
    bare, tool = unwrap(text), tool[:MAX_NAME]  # what is behind is never looked at, and would be kept
    if origin is not None and origin in _BY_ORIGIN:
        return Evidence(outcome=_BY_ORIGIN[origin], outcome_source="framework", reason=f"origin: {origin}")
    body, plain = _body(content, bare, tool)
    signs = read_text(plain, shell=kind == "shell" or _wraps_a_program(tool)) if body is None else _NO_SIGNS
    if error is True:
        never = not_run(plain)
        if never:
            return Evidence(outcome="not_executed", outcome_source="framework", reason=never)
        return _failure("declared", f"declared_error: {_one_line(plain)}", body, signs, exit_code)
    if exit_code:
        return _failure("declared", f"exit_code: {exit_code}", body, signs, exit_code)
    said: OutcomeSource = "declared" if error is False or exit_code == 0 else "framework"
    if kind in ("acting", "shell"):
        prose = read_prose(plain, tool) if body is None and kind == "acting" else _NO_PROSE
        failed = _content_failure(body, signs, exit_code, plain, kind=kind, tool=tool, prose=prose)
        if failed is not None:
            return failed
        word = _open_text(plain, prose, tool, shell=kind == "shell") if body is None else None
        return _success(body, signs, exit_code, said, word)
    return _as_data(body, kind, said, exit_code, plain)


def _wraps_a_program(tool: str) -> bool:
    """`terraform_apply`: an acting tool whose text is the output of a program."""
    return bool(COMMAND_LINE_PROGRAMS.intersection(name_tokens(tool))) if tool else False


def _body(content: object, bare: str, tool: str) -> tuple[Body | None, str]:
    """The body, or the text without its quotes where there is none."""
    if isinstance(content, Mapping) and not isinstance(content.get("type"), str):
        return read_body(dict(content), tool), bare
    for _ in range(MAX_QUOTINGS):
        parsed = parse_value(bare) if bare[:1] in ("{", "[", '"', "'") else None
        if parsed is None:
            break
        if not isinstance(parsed.value, str):
            return read_body(parsed.value, tool), bare
        bare = parsed.value.strip()
    elements = None if bare.startswith(_ERROR_TAGS) else leaf_elements(bare)
    return (read_body(elements, tool) if elements else None), bare


def _content_failure(
    body: Body | None, signs: TextSigns, exit_code: int | None, plain: str, *, kind: ToolKind, tool: str, prose: Reading
) -> Evidence | None:
    """What the body, the text or a status that is the whole text says of a failure."""
    if body is not None:
        if body.failed:
            return _failure("body", body.failed, body, signs, exit_code)
        if body.partial:
            return _evidence("partial", "body", body, signs, exit_code, reason=body.partial)
        return None
    if kind == "shell" and (none := tells_no_rows(plain)):
        return _failure("text", f"error_text: undone: {none}", body, signs, exit_code)
    if exit_code == 0 and kind == "shell":
        return None
    told = prose.said == "done" and signs.failed.startswith("error_text: undone")  # "Added. It is out of stock."
    if signs.failed and not told and not _is_own_refusal(signs.failed, tool):
        return _failure("text", signs.failed, body, signs, exit_code)
    if prose.said == "failed":
        lost = _failure("text", f"error_text: refused: {prose.words}", body, signs, exit_code)
        return replace(lost, status_word=lost.status_word or _word(REFUSED_PREFIX + prose.words))
    if kind == "acting" and _is_failed_status(plain, tool):
        return _failure("text", f"status_word: {_one_line(plain)}", body, signs, exit_code)
    return None


def _is_own_refusal(failed: str, tool: str) -> bool:
    """Whether the tool did what it is there for: "Access denied for user 1" of `deny_access`."""
    if not failed.startswith(("error_text: denied", "error_text: refused", "error_text: undone")):
        return False
    return any(status_class(form) == "failed" and form in failed.lower() for form in own_participles(tool))


def _is_failed_status(plain: str, tool: str) -> bool:
    """A text that is nothing but a status: "Declined", "Payment failed", "Rejected: no funds"."""
    words = plain.split()
    if not words or len(plain) > MAX_PLAIN_STATUS or "\n" in plain:
        return False
    if len(words) <= 3 and status_class(words[-1], tool) == "failed":
        return status_class(plain, tool) == "failed"
    return words[0].endswith(":") and status_class(words[0], tool) == "failed"


def _failure(
    source: OutcomeSource, reason: str, body: Body | None, signs: TextSigns, exit_code: int | None
) -> Evidence:
    """A failure; one that leaves the end open says so in its status word and at the head of its reason."""
    http = body.http_status if body is not None else signs.http_status
    code = exit_code if exit_code is not None else body.exit_code if body is not None else signs.exit_code
    lost = lost_track(reason) or lost_track(signs.error_type or "")
    if not lost and (http in (408, 504) or code == 124):  # 124: how `timeout` of coreutils ends
        lost = "timeout"
    kind = signs.error_type or (body.error_type if body is not None else None)
    if not lost and kind:
        lost = lost_track(kind)
    return _evidence(
        "error", source, body, signs, exit_code, reason=f"{lost}: {reason}" if lost else reason, word=lost or None
    )


def _success(
    body: Body | None, signs: TextSigns, exit_code: int | None, source: OutcomeSource, word: str | None
) -> Evidence:
    if body is not None and (body.status_word or body.http_status is not None):
        source = "body"
    return _evidence("success", "text" if word else source, body, signs, exit_code, word=word)


def _open_text(plain: str, prose: Reading, tool: str, *, shell: bool) -> str | None:
    """A short plain answer that says that the end is open: "queued", "Message queued", "It will be merged later"."""
    if prose.said == "done":
        return None
    return _open_status(plain.strip(), tool, shell=shell) or (open_word(prose.words) if prose.said == "open" else None)


def _open_status(line: str, tool: str, *, shell: bool) -> str | None:
    """A status, or one sentence of a page, that leaves the end open."""
    pending = None if shell else PENDING_SENTENCE.search(_TAGS.sub(" ", line[:MAX_PAGE]))
    if pending:
        return normal_status(pending[1] or pending[2])
    if not line or len(line) > MAX_PROMISE or "\n" in line:
        return None
    promise = PROMISE.search(line)
    if promise and ". " not in line:
        return promise.group(0)
    if shell or len(line) > MAX_PLAIN_STATUS:
        return None  # a single word that a command printed is data
    norm = normal_status(line)
    parts = norm.split("_")
    if is_own_end(parts[-1], tool):
        return None
    return norm if parts[0] in _OPEN_TEXTS or parts[-1] in _OPEN_TEXTS or "awaiting" in parts else None


def _as_data(body: Body | None, kind: ToolKind, source: OutcomeSource, exit_code: int | None, plain: str) -> Evidence:
    """The result of a reading tool, or of one of unknown kind: what it says is kept, and decides nothing."""
    return Evidence(
        outcome="success",
        outcome_source=source,
        object_id=body.object_id if body is not None else None,
        http_status=whole_status_line(plain) if kind == "reading" else None,
        exit_code=exit_code,
        status_word=_word(body.status_word) if body is not None else None,
    )


def _evidence(
    outcome: Outcome,
    source: OutcomeSource,
    body: Body | None,
    signs: TextSigns,
    exit_code: int | None,
    *,
    reason: str = "",
    word: str | None = None,
) -> Evidence:
    own = body or Body()
    return Evidence(
        outcome=outcome,
        outcome_source=source,
        object_id=own.object_id,
        http_status=own.http_status if own.http_status is not None else signs.http_status,
        exit_code=next((c for c in (exit_code, own.exit_code, signs.exit_code) if c is not None), None),
        status_word=_word(word or own.status_word),
        error_type=_word(signs.error_type or own.error_type),
        reason=_one_line(reason),
    )


def _word(value: str | None) -> str | None:
    return (_one_line(value)[:MAX_WORD] or None) if value is not None else None


def _one_line(value: str) -> str:
    """One line without control characters, so that a reason cannot forge another line of a report."""
    if not value:
        return value
    head = value[: 2 * MAX_REASON]
    if not head.isprintable():
        head = "".join(c if c.isprintable() else " " for c in head)
    return " ".join(head.split())[:MAX_REASON]
