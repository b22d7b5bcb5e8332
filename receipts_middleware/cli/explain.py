"""What a rule means, for `--explain`: its row of the table, and its section of docs/rules.md.

The page is part of the installed package (see the build configuration) and, in a checkout, stands under docs/.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from receipts_middleware.cli.exits import CommandError
from receipts_middleware.core.lint import LINT_RULES
from receipts_middleware.core.rules import RULES

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_PAGES: Final = (_PACKAGE / "rules.md", _PACKAGE.parent / "docs" / "rules.md")
_LINT_PAGES: Final = (_PACKAGE / "lint-rules.md", _PACKAGE.parent / "docs" / "lint-rules.md")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def explain_rule(name: str) -> str:
    """What a rule means.

    Args:
        name: Id of the rule.

    Returns:
        Lines for a reader.

    Raises:
        CommandError: There is no such rule; the message lists them.
    """
    rule = RULES.get(name.strip().lower().replace("-", "_"))
    if rule is None:
        raise CommandError(f"there is no rule {name!r}; the rules are {', '.join(sorted(RULES))}")
    effect = (
        f"an error of it makes the run {rule.verdict}" if rule.verdict is not None else "does not change the verdict"
    )
    lines = [f"{rule.id}: {rule.title}", "", f"severity  {rule.severity}", f"verdict   {effect}"]
    section = rule_section(rule.id)
    if section:
        lines += ["", section]
    lines += ["", "Another severity, or none, by policy:", "", "  [rules]", f'  {rule.id} = "note"']
    return "\n".join(lines) + "\n"


def explain_lint_rule(name: str) -> str:
    """What a rule of `receipts lint` means.

    Args:
        name: Id of the rule.

    Returns:
        Lines for a reader.

    Raises:
        CommandError: There is no such rule; the message lists them.
    """
    rule = LINT_RULES.get(name.strip().lower().replace("-", "_"))
    if rule is None:
        raise CommandError(f"there is no rule {name!r}; the rules are {', '.join(sorted(LINT_RULES))}")
    lines = [f"{rule.id}: {rule.title}", "", f"severity  {rule.severity}", f"fix       {rule.fix}"]
    section = _section(rule.id, _LINT_PAGES)
    if section:
        lines += ["", section]
    lines += ["", "To leave it out:", "", f"  receipts lint ... --ignore {rule.id}"]
    return "\n".join(lines) + "\n"


def rule_section(name: str) -> str:
    """What docs/rules.md says of a rule, or docs/lint-rules.md, without links; empty where the page is missing.

    Args:
        name: Id of the rule.
    """
    return _section(name, _LINT_PAGES if name in LINT_RULES else _PAGES)


def _section(name: str, pages: tuple[Path, ...]) -> str:
    page = next((path for path in pages if path.is_file()), None)
    if page is None:
        return ""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"^### {name}\n+(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    return _LINK.sub(r"\1", found[1]).strip() if found else ""
