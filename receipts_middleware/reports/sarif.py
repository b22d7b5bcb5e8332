"""Findings as SARIF 2.1.0, for code scanning and for viewers. Pure, and written as runs come.

One SARIF run over everything: the table of rules, a result for each finding, and one invocation with the exit code and
a notification for each input that could not be read. Sections named in comments are those of the standard.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.finding import Finding, Verification
from receipts_middleware.core.rules import RULES
from receipts_middleware.reports.findings import MESSAGE_CHARS, PATH_CHARS, QUOTE_CHARS, said_of, short, words_of
from receipts_middleware.reports.runs import STANDARD_INPUT, Place, RunResult, Skipped, Totals

SARIF_VERSION: Final = "2.1.0"
SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: Name of our fingerprint; its number grows when what goes into it changes.
FINGERPRINT: Final = "receiptsFinding/v1"

UNREADABLE: Final = "unreadable_input"
LEFT_OUT: Final = "left_out_records"
NOTIFICATIONS: Final = {
    UNREADABLE: ("error", "Input that could not be read, so that nothing is said about it."),
    LEFT_OUT: ("note", "Records that a reader left out of a run that it read."),
}
_RULE_INDEX: Final = {name: index for index, name in enumerate(RULES)}
#: RFC 3986, 2.3, and the slash.
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_PLACEHOLDER: Final = re.compile(r"\{([0-9]+)\}")


class ExitCode(Protocol):
    """Says what a command exits with."""

    def __call__(self, totals: Totals, *, unreadable: bool) -> int:
        """The exit code.

        Args:
            totals: Over everything.
            unreadable: Some of the input could not be read.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class SarifRuns:
    """The SARIF format.

    Attributes:
        version: Of this package.
        help_texts: What the documentation says of rules, by id, as Markdown.
        exit_code: Of the command; None where there is no command.
    """

    version: str = ""
    help_texts: Mapping[str, str] = field(default_factory=dict)
    exit_code: ExitCode | None = None

    def piece(self, run: RunResult) -> str:
        """The results of a run, a JSON object a line; empty where there are no findings."""
        results = (result for at in range(len(run.verifications)) for result in _results(run, at))
        return ",\n".join(line_of(result) for result in results)

    def collector(self) -> SarifCollector:
        """A fresh one."""
        return SarifCollector(self)


class SarifCollector:
    """Writes results as they come; nothing is held back."""

    def __init__(self, form: SarifRuns) -> None:
        self._form = form
        self._any = False

    def head(self) -> str:
        """The beginning of the log, with the rules."""
        driver: dict[str, object] = {"name": "receipts"}
        if self._form.version:
            driver["version"] = driver["semanticVersion"] = self._form.version
        driver["rules"] = [_rule(name, self._form.help_texts.get(name, "")) for name in RULES]
        driver["notifications"] = [
            {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
            for name, (level, text) in NOTIFICATIONS.items()
        ]
        opening = f'{{\n"$schema": {line_of(SARIF_SCHEMA)},\n"version": {line_of(SARIF_VERSION)},\n"runs": [\n'
        return f'{opening}{{"tool": {line_of({"driver": driver})},\n"results": [\n'

    def take(self, piece: str) -> str:
        """The results of a run, behind a comma where others came before."""
        if not piece:
            return ""
        comma = ",\n" if self._any else ""
        self._any = True
        return comma + piece

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """The invocation, and the totals as a property of the run."""
        invocation = line_of(_invocation(totals, skipped, self._form.exit_code))
        properties = line_of({"totals": totals.to_dict()})
        return f'\n],\n"invocations": [{invocation}],\n"properties": {properties}}}\n]\n}}\n'


def _rule(name: str, text: str) -> dict[str, object]:
    rule = RULES[name]
    effect = f"an error of it makes the run {rule.verdict}" if rule.verdict else "it does not change the verdict"
    said = text or f"{rule.title[:1].upper()}{rule.title[1:]}; {effect}."
    return {
        "id": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.title}; {effect}."},
        "help": {"text": said, "markdown": said},
        "defaultConfiguration": {"level": rule.severity},
    }


def _results(run: RunResult, at: int) -> Iterator[dict[str, object]]:
    verification, place = run.verifications[at], run.place_of(at)
    reply = hashlib.sha256(json.dumps(verification.reply).encode("ascii")).hexdigest()  # once: it may be long
    for finding in verification.findings:
        yield _result(run, verification, finding, place=place, reply=reply)


def _result(
    run: RunResult, verification: Verification, finding: Finding, *, place: Place, reply: str
) -> dict[str, object]:
    words = words_of(verification, finding)
    fingerprint = _fingerprint(run, finding, words, reply=reply, message=verification.message_index)
    result: dict[str, object] = {"ruleId": short(finding.rule, QUOTE_CHARS)}
    if finding.rule in _RULE_INDEX:
        result["ruleIndex"] = _RULE_INDEX[finding.rule]
    return {
        **result,
        "level": finding.severity,
        "message": {"text": message_text(" ".join(said_of(verification, finding)))},
        "locations": [location(place, snippet=short(words or verification.reply, QUOTE_CHARS))],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": {
            "run": short(run.id, QUOTE_CHARS),
            "format": run.form,
            "verdict": verification.verdict,
            "messageIndex": verification.message_index,
            "start": finding.start,
            "end": finding.end,
            "receipts": [short(name, QUOTE_CHARS) for name in finding.receipts],
            "lineKnown": place.line is not None,
        },
    }


def message_text(text: str) -> str:
    """A text in which no viewer sees a link (3.11.6) or a placeholder (3.11.5)."""
    return _PLACEHOLDER.sub(r"{{\1}}", text.replace("](", "\\]("))


def location(place: Place, *, snippet: str = "") -> dict[str, object]:
    """Where something stands."""
    # Viewers want a line; where none is known, the file begins on the first.
    region: dict[str, object] = {"startLine": place.line or 1}
    if snippet:
        region["snippet"] = {"text": snippet}
    return {
        "physicalLocation": {"artifactLocation": {"uri": _uri(place.file)}, "region": region},
        "logicalLocations": [{"fullyQualifiedName": place.pointer[:PATH_CHARS], "kind": "object"}],
    }


def _uri(file: str) -> str:
    """A path as a URI reference (RFC 3986): relative where the path is, all but plain characters escaped."""
    if file == STANDARD_INPUT:
        return "stdin:"
    data = file[:PATH_CHARS].encode("utf-8", errors="replace")
    path = "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in data)
    return f"file://{path}" if path.startswith("/") else path


def _fingerprint(run: RunResult, finding: Finding, words: str, *, reply: str, message: int | None) -> str:
    """What stays the same when lines move: no place goes into it, the reply stands for the run that has no id."""
    parts = (run.id, message, reply, finding.rule, finding.start, words)
    text = json.dumps([*parts, *finding.receipts], ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _invocation(totals: Totals, skipped: Sequence[Skipped], exit_code: ExitCode | None) -> dict[str, object]:
    unreadable = bool(skipped)
    # A log that stands for a part of the input only must not look like one that stands for all of it.
    out: dict[str, object] = {"executionSuccessful": not unreadable}
    if exit_code is not None:
        out["exitCode"] = exit_code(totals, unreadable=unreadable)
    notes = [notification(UNREADABLE, item.message, item.place) for item in skipped]
    more = totals.skipped - len(skipped)
    if more > 0:
        notes.append(notification(LEFT_OUT, f"{more} more records could not be read or were left out of runs."))
    if notes:
        out["toolExecutionNotifications"] = notes
    return out


def notification(name: str, text: str, place: Place | None = None) -> dict[str, object]:
    """One thing that was not read."""
    out: dict[str, object] = {
        "descriptor": {"id": name, "index": list(NOTIFICATIONS).index(name)},
        "level": NOTIFICATIONS[name][0],
        "message": {"text": message_text(short(text, MESSAGE_CHARS))},
    }
    if place is not None:
        out["locations"] = [location(place)]
    return out


def line_of(value: object) -> str:
    """A value as JSON on one line."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False)
