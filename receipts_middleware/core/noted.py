"""What a receipt notes of a call that did not fit its tool's schema (docs/formats.md section 2, `lint`).

Rules and places only, never a value of an argument: a receipt holds none. Written by the middleware, read back from
persisted state, which is untrusted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.lint import LINT_RULES, LintFinding

if TYPE_CHECKING:
    from receipts_middleware.core.finding import Severity

#: Further keys of a receipt: what was found, and how much more there was.
NOTED_KEY: Final = "lint"
MORE_KEY: Final = "lint_more"
#: Rules that speak of one call and its tool, which is all that can be seen before it runs.
NOTED_RULES: Final = (
    "tool_undeclared",
    "args_missing",
    "args_type",
    "args_stringified",
    "args_extra",
    "args_enum",
    "args_value",
    "args_format",
    "args_null",
    "args_not_json",
    "args_unchecked",
)
#: Findings that a receipt holds; it stays small, and a call with more is wrong anyhow.
MAX_NOTED: Final = 6
#: Characters of a place in the arguments, as a JSON pointer; its parts are names that the model made up.
MAX_PATH: Final = 60
_WEAKER: Final[Mapping[Severity, Severity]] = {"error": "warning", "warning": "note", "note": "note"}
_MAX_MORE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Noted:
    """One finding, as a receipt holds it.

    Attributes:
        rule: Id of a rule of `LINT_RULES`.
        severity: As the lint raised it.
        path: JSON pointer of the value within the arguments, cut; empty for the arguments as a whole. Untrusted.
    """

    rule: str
    severity: Severity
    path: str = ""


def weaker(severity: Severity) -> Severity:
    """The severity of a lint finding in a verification: a malformed call makes no report untrue."""
    return _WEAKER[severity]


def note(findings: Sequence[LintFinding]) -> dict[str, object]:
    """Further keys of a receipt for what was found of its call.

    Args:
        findings: Of the one call; those of rules that speak of no call are left out.

    Returns:
        Keys with plain JSON values; none where nothing was found.
    """
    told = [finding for finding in findings if finding.rule in NOTED_RULES]
    if not told:
        return {}
    rows = [
        {"rule": f.rule, "severity": f.severity, **({"path": _cut(f.path)} if f.path else {})} for f in told[:MAX_NOTED]
    ]
    more = len(told) - len(rows)
    return {NOTED_KEY: rows, **({MORE_KEY: more} if more else {})}


def without_paths(keys: Mapping[str, object]) -> dict[str, object]:
    """The same keys without places: a member of a mapping may be named by a value, which some keep out of state.

    Args:
        keys: As `note` made them.
    """
    rows = keys.get(NOTED_KEY)
    if not isinstance(rows, list):
        return dict(keys)
    return {**keys, NOTED_KEY: [{name: row[name] for name in ("rule", "severity")} for row in rows]}


def read_noted(extra: Mapping[str, object]) -> tuple[tuple[Noted, ...], int]:
    """What a receipt notes.

    Args:
        extra: Its further keys. Untrusted.

    Returns:
        What can be read, at most `MAX_NOTED`, and how many more there were. Never raises.
    """
    rows = extra.get(NOTED_KEY)
    if not isinstance(rows, list | tuple):
        return (), 0
    found = []
    for row in rows[:MAX_NOTED]:
        rule, severity, path = map(row.get, ("rule", "severity", "path")) if isinstance(row, Mapping) else (None,) * 3
        if isinstance(rule, str) and rule in NOTED_RULES and isinstance(severity, str):
            known = next((level for level in _WEAKER if level == severity), LINT_RULES[rule].severity)
            found.append(Noted(rule, known, _cut(path) if isinstance(path, str) else ""))
    more = extra.get(MORE_KEY)
    return tuple(found), more if found and type(more) is int and 0 < more <= _MAX_MORE else 0


def _cut(path: str) -> str:
    text = path.encode("utf-8", "replace").decode("utf-8")  # a half character does not survive a checkpoint
    return text if len(text) <= MAX_PATH else f"{text[: MAX_PATH - 1]}…"
