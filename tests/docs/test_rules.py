"""docs/rules.md and the table of rules say the same."""

from __future__ import annotations

import re
from pathlib import Path

from receipts_middleware.core.lint import LINT_RULES
from receipts_middleware.core.noted import NOTED_RULES
from receipts_middleware.core.rules import RULES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")


def test_every_rule_has_its_section_and_no_other_has() -> None:
    assert sorted(re.findall(r"^### (\w+)$", PAGE, re.MULTILINE)) == sorted(RULES.keys() - LINT_RULES.keys())


def test_table_has_severity_and_verdict_of_every_rule() -> None:
    rows = re.findall(r"^\| \[`(\w+)`\]\((?:lint-rules\.md)?#\w+\) \| (\w+) \| (?:`(\w+)` )?\|$", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted((rule.id, rule.severity, rule.verdict or "") for rule in RULES.values())


def test_rules_of_calls_that_a_receipt_notes_have_their_sections_on_the_page_of_lint() -> None:
    assert sorted(re.findall(r"^\| \[`(\w+)`\]\(lint-rules\.md#\1\)", PAGE, re.MULTILINE)) == sorted(NOTED_RULES)


LINT_PAGE = (Path(__file__).resolve().parents[2] / "docs" / "lint-rules.md").read_text(encoding="utf-8")


def test_every_rule_of_lint_has_its_section_and_its_row() -> None:
    assert re.findall(r"^### (\w+)$", LINT_PAGE, re.MULTILINE) == list(LINT_RULES)
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", LINT_PAGE, re.MULTILINE)
    assert rows == [(rule.id, rule.severity, rule.title) for rule in LINT_RULES.values()]
