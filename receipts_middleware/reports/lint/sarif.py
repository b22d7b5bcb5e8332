"""Findings as SARIF 2.1.0, with the table of rules, fingerprints that outlive moved lines, and what was not read."""

from __future__ import annotations

import hashlib
import json
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.lint import LINT_RULES, LintRule
from receipts_middleware.reports.findings import MESSAGE_CHARS, QUOTE_CHARS, short
from receipts_middleware.reports.lint.value import LintEnd, LintItem, fix, said
from receipts_middleware.reports.sarif import (
    NOTIFICATIONS,
    SARIF_SCHEMA,
    SARIF_VERSION,
    UNREADABLE,
    line_of,
    location,
    message_text,
    notification,
)

#: Name of our fingerprint; its number grows when what goes into it changes.
LINT_FINGERPRINT: Final = "receiptsLint/v1"
_INDEX: Final = {name: index for index, name in enumerate(LINT_RULES)}


@dataclass(slots=True)
class LintSarif:
    """The SARIF format.

    Attributes:
        version: Of this package.
    """

    version: str = ""
    _any: bool = field(default=False, init=False)

    def head(self) -> str:
        """The beginning of the log, with the rules."""
        driver: dict[str, object] = {"name": "receipts lint"}
        if self.version:
            driver["version"] = driver["semanticVersion"] = self.version
        driver["rules"] = [_rule(rule) for rule in LINT_RULES.values()]
        driver["notifications"] = [
            {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
            for name, (level, text) in NOTIFICATIONS.items()
        ]
        opening = f'{{\n"$schema": {line_of(SARIF_SCHEMA)},\n"version": {line_of(SARIF_VERSION)},\n"runs": [\n'
        return f'{opening}{{"tool": {line_of({"driver": driver})},\n"results": [\n'

    def item(self, item: LintItem) -> str:
        """A result on a line of its own."""
        comma = ",\n" if self._any else ""
        self._any = True
        return comma + line_of(_result(item))

    def file(self, name: str, calls: int) -> str:
        """Nothing."""
        del name, calls
        return ""

    def foot(self, end: LintEnd) -> str:
        """The invocation, and the counts as a property of the run."""
        invocation: dict[str, object] = {"executionSuccessful": not end.skipped, "exitCode": end.exit_code}
        if end.skipped:
            invocation["toolExecutionNotifications"] = [
                notification(UNREADABLE, item.message, item.place) for item in end.skipped
            ]
        properties = line_of({"counts": end.counts.to_dict()})
        return f'\n],\n"invocations": [{line_of(invocation)}],\n"properties": {properties}}}\n]\n}}\n'


def _rule(rule: LintRule) -> dict[str, object]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.title[:1].upper()}{rule.title[1:]}."},
        "help": {"text": rule.fix, "markdown": rule.fix},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(item: LintItem) -> dict[str, object]:
    finding = item.finding
    result: dict[str, object] = {"ruleId": finding.rule}
    if finding.rule in _INDEX:
        result["ruleIndex"] = _INDEX[finding.rule]
    text = said(item) + (f" {fix(item)}" if finding.hint else "")
    return {
        **result,
        "level": finding.severity,
        "message": {"text": message_text(short(text, 2 * MESSAGE_CHARS))},
        "locations": [location(item.place)],
        "partialFingerprints": {LINT_FINGERPRINT: _fingerprint(item)},
        "properties": {
            "tool": short(finding.tool, QUOTE_CHARS),
            "callId": short(finding.call_id, QUOTE_CHARS),
            "messageIndex": finding.message_index,
            "callIndex": finding.call_index,
            "argument": short(finding.path, QUOTE_CHARS),
            "schemaPath": short(finding.keyword, QUOTE_CHARS),
            "lineKnown": item.place.line is not None,
        },
    }


def _fingerprint(item: LintItem) -> str:
    """What stays the same when lines move: no line and no index goes into it."""
    finding = item.finding
    parts = (item.place.file, item.run, finding.rule, finding.tool, finding.call_id, finding.path, finding.message)
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode("ascii")).hexdigest()
