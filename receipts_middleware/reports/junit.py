"""Verifications as JUnit XML, for dashboards of tests. Pure, and written as runs come.

A suite for each run with a case for each judged turn; a last suite holds the totals as properties and a case for each
input that could not be read. What is said is ASCII: other characters are written as references, and those that XML 1.0
has no place for as backslash escapes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.finding import Finding, Verification
from receipts_middleware.reports.findings import (
    MESSAGE_CHARS,
    QUOTE_CHARS,
    receipt_lines,
    said_of,
    severities,
    short,
    verdict_of_all,
)
from receipts_middleware.reports.runs import RunResult, Skipped, Totals, is_judged, lacks_checks
from receipts_middleware.reports.screen import visible

Outcome = Literal["passed", "failure", "error", "skipped"]

_UNCHECKED: Final = frozenset({"nothing_checked", "unjudged"})
#: What is left of what XML 1.0 (2.2) has no place for when invisible characters are escaped.
_NOT_XML: Final = re.compile("[\ufffe\uffff]")
_ENTITIES: Final = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))


@dataclass(frozen=True, slots=True, kw_only=True)
class JunitRuns:
    """The JUnit format.

    Attributes:
        failing: Severities by which a turn fails; a stop-ship fails it always.
        require_checked: A run in which nothing was checked is an error.
    """

    failing: frozenset[str] = frozenset({"error"})
    require_checked: bool = False

    def piece(self, run: RunResult) -> str:
        """The suite of a run."""
        unchecked: Outcome = "error" if self.require_checked and lacks_checks(run.verifications) else "skipped"
        cases: list[tuple[Outcome, str]] = []
        for verification in run.verifications:
            outcome = self._outcome(verification, unchecked)
            cases.append((outcome, _turn(run, verification, outcome, self.failing)))
        if not cases:
            text = case(str(run.place), run.id or "run", body_of(unchecked, "nothing_checked", "no turn was judged"))
            cases.append((unchecked, text))
        return suite(str(run.place), cases, _run_properties(run))

    def collector(self) -> JunitCollector:
        """A fresh one."""
        return JunitCollector()

    def _outcome(self, verification: Verification, unchecked: Outcome) -> Outcome:
        if verification.stop_ship or any(finding.severity in self.failing for finding in verification.findings):
            return "failure"
        return unchecked if verification.verdict in _UNCHECKED else "passed"


class JunitCollector:
    """Writes suites as they come; nothing is held back."""

    def head(self) -> str:
        """The beginning of the document."""
        return '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="receipts verify">\n'

    def take(self, piece: str) -> str:
        """The suite of a run, as it is."""
        return piece

    def foot(self, totals: Totals, skipped: Sequence[Skipped]) -> str:
        """The suite of the totals and of what could not be read."""
        cases: list[tuple[Outcome, str]] = [
            ("error", case(item.place.file, str(item.place), body_of("error", "unreadable_input", item.message)))
            for item in skipped
        ]
        numbers = {name: value for name, value in totals.to_dict().items() if not isinstance(value, dict)}
        properties = {
            "verdict": verdict_of_all(totals),
            **{name: "" if value is None else str(value) for name, value in numbers.items()},
            **{f"verdicts.{name}": str(count) for name, count in totals.verdicts.items()},
            **{f"findings.{name}": str(count) for name, count in totals.findings.items()},
        }
        return f"{suite('receipts verify: totals', cases, properties)}</testsuites>\n"


def _run_properties(run: RunResult) -> dict[str, str]:
    judged = [claim for v in run.verifications for claim in v.claims if is_judged(claim)]
    return {
        "file": run.place.file,
        "line": "" if run.place.line is None else str(run.place.line),
        "pointer": run.place.pointer,
        "id": run.id,
        "format": run.form,
        "turns": str(run.turns),
        "calls": str(run.calls),
        "claims": str(sum(len(v.claims) for v in run.verifications)),
        "claims_judged": str(len(judged)),
        "gaps": str(sum(claim.status != "supported" for claim in judged)),
        "left_out": run.skipped,
    }


def _turn(run: RunResult, verification: Verification, outcome: Outcome, failing: frozenset[str]) -> str:
    v = verification
    where = "no reply" if v.message_index is None else f"reply in message {v.message_index + 1}"
    stops = "stop-ship: " if v.stop_ship else ""
    parts: list[str] = []
    said = list(v.findings)
    if outcome == "failure":
        reasons = [finding for finding in said if finding.severity in failing]
        said = [finding for finding in said if finding.severity not in failing]
        if not reasons:  # a stop-ship at a level at which nothing else fails
            reasons, said = said, reasons
        rule = reasons[0].rule if reasons else v.verdict
        counts = severities(Counter(finding.severity for finding in v.findings))
        text = "\n".join(line for finding in reasons for line in _finding_lines(v, finding))
        parts.append(body_of(outcome, rule, f"{stops}{v.verdict.replace('_', ' ')}, {counts}: {v.summary}", text))
    elif outcome != "passed":
        parts.append(body_of(outcome, v.verdict, f"{v.verdict.replace('_', ' ')}: {v.summary}"))
    if said:
        text = "\n".join(line for finding in said for line in _finding_lines(v, finding))
        parts.append(f"<system-out>{_escaped(text)}</system-out>\n")
    return case(str(run.place), f"{run.id} {where}".strip(), "".join(parts))


def _finding_lines(verification: Verification, finding: Finding) -> Iterator[str]:
    message, *quote = said_of(verification, finding)
    yield f"{finding.severity} {short(finding.rule, QUOTE_CHARS)}: {message}"
    for line in (*quote, *receipt_lines(verification, finding)):
        yield f"    {line}"


def suite(name: str, cases: Sequence[tuple[Outcome, str]], properties: Mapping[str, str]) -> str:
    """A suite with its properties and cases, and the counts of these."""
    counts = Counter(outcome for outcome, _ in cases)
    numbers = {
        "name": name,
        "tests": str(len(cases)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
    }
    rows = (_tag("property", {"name": key, "value": value}, "/") for key, value in properties.items())
    body = "".join(text for _, text in cases)
    return f"{_tag('testsuite', numbers)}<properties>\n{''.join(rows)}</properties>\n{body}</testsuite>\n"


def case(group: str, name: str, body: str) -> str:
    """A case; the body is markup already."""
    tag = _tag("testcase", {"classname": group, "name": name}, "" if body else "/")
    return f"{tag}{body}</testcase>\n" if body else tag


def body_of(outcome: Outcome, kind: str, message: str, text: str = "") -> str:
    """What stands in a case that did not pass."""
    attributes = {"message": message} if outcome == "skipped" else {"type": kind, "message": message}
    opening = _tag(outcome, attributes, "" if text else "/").rstrip("\n")
    return f"{opening}{_escaped(text)}</{outcome}>\n" if text else f"{opening}\n"


def _tag(name: str, attributes: Mapping[str, str], end: Literal["", "/"] = "") -> str:
    pairs: Iterable[str] = (f'{key}="{_escaped(short(text, MESSAGE_CHARS))}"' for key, text in attributes.items())
    return f"<{' '.join([name, *pairs])}{end}>\n"


def _escaped(text: str) -> str:
    """A text of lines for XML 1.0, in ASCII; the ends of lines stay."""
    shown = "\n".join(visible(line) for line in text.split("\n"))
    shown = _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", shown)
    for char, entity in _ENTITIES:
        shown = shown.replace(char, entity)
    return shown.encode("ascii", errors="xmlcharrefreplace").decode("ascii")
