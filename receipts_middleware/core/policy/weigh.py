"""The severities that a policy gives to rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from receipts_middleware.core.finding import Finding
from receipts_middleware.core.policy.value import Policy
from receipts_middleware.core.rules import RULES, SEVERITY_ORDER


def weigh(findings: Iterable[Finding], policy: Policy) -> Iterator[Finding]:
    """Findings with the severities of a policy.

    Args:
        findings: As the rules raise them.
        policy: The policy.

    Yields:
        Each finding, without those of rules that are off. A finding that was raised weaker than its rule, since its
        evidence is weaker, is never made stronger: to write the default severity down changes nothing.
    """
    for finding in findings:
        level = policy.rules.get(finding.rule)
        if level == "off":
            continue
        rule = RULES.get(finding.rule)
        if level is None or rule is None:
            yield finding
            continue
        is_weakened = SEVERITY_ORDER.index(finding.severity) < SEVERITY_ORDER.index(rule.severity)
        if is_weakened and SEVERITY_ORDER.index(level) >= SEVERITY_ORDER.index(finding.severity):
            yield finding
        else:
            yield replace(finding, severity=level)
