"""The severities that a policy gives to rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.finding import Finding, Severity
from receipts_middleware.core.policy.value import Policy
from receipts_middleware.core.rules import RULES, SEVERITY_ORDER


def weigh(findings: Iterable[Finding], policy: Policy, settled: Collection[Finding] = ()) -> Iterator[Finding]:
    """Findings with the severities of a policy.

    Args:
        findings: As the rules raise them.
        policy: The policy.
        settled: Those of them whose severity is that of their tool, which outweighs the rule's, but for `off`.

    Yields:
        Each finding, without those of rules that are off. A finding that was raised weaker than its rule, since its
        evidence is weaker, is never made stronger: to write the default severity down changes nothing.
    """
    for finding in findings:
        level = policy.rules.get(finding.rule)
        if level == "off":
            continue
        rule = RULES.get(finding.rule)
        if level is None or rule is None or finding in settled:
            yield finding
            continue
        yield as_severe(finding, level)


def as_severe(finding: Finding, level: Severity) -> Finding:
    """A finding under another severity; one that was raised weaker than its rule is never made stronger.

    Args:
        finding: As its rule raised it.
        level: The severity to give it.
    """
    rule = SEVERITY_ORDER.index(RULES[finding.rule].severity)
    own, wanted = SEVERITY_ORDER.index(finding.severity), SEVERITY_ORDER.index(level)
    return finding if own < rule and wanted >= own else replace(finding, severity=level)
