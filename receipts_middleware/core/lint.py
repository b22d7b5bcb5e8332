"""What linting of calls says: the finding, the table of its rules, and how findings are counted.

Values only; how they come about is the business of `lint`, how they look that of `reports`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from receipts_middleware.core.dataclass import dataclass, field

if TYPE_CHECKING:  # for its name alone: it would load the ledger
    from receipts_middleware.core.finding import Severity

LINT_SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class LintRule:
    """One rule.

    Attributes:
        id: Stable name, used in reports and options.
        severity: Of its findings, unless another one is said when it is raised.
        title: What it means, in a few words.
        fix: What to do about it, in a sentence.
    """

    id: str
    severity: Severity
    title: str
    fix: str


_TABLE: Final = (
    LintRule(
        "tool_undeclared",
        "error",
        "a call of a tool that was not declared",
        "Declare the tool, or tell the model the name that it has.",
    ),
    LintRule(
        "tool_schema_unusable",
        "error",
        "a tool whose schema cannot be used",
        "Correct the schema; calls of this tool are checked by name alone until then.",
    ),
    LintRule(
        "tool_declared_twice",
        "warning",
        "two tools of one name with different schemas",
        "Keep one; calls were held against the first.",
    ),
    LintRule("args_missing", "error", "a required argument that was not given", "Give it."),
    LintRule("args_type", "error", "an argument of the wrong type", "Give a value of the declared type."),
    LintRule(
        "args_stringified",
        "error",
        "a value written as a text where the schema wants the value",
        "Give the value itself; reading the text as JSON would fix it.",
    ),
    LintRule(
        "args_extra",
        "error",
        "an argument that the schema does not know",
        "Leave it out, or declare it. Where the schema does not say whether others may come it is a warning.",
    ),
    LintRule("args_enum", "error", "a value that is none of those allowed", "Give one of the allowed values."),
    LintRule(
        "args_value",
        "error",
        "a value that another keyword of the schema refuses",
        "Give a value that fits the keyword named.",
    ),
    LintRule(
        "args_format",
        "warning",
        "a text that is not in the declared format",
        "Give it in the declared format.",
    ),
    LintRule(
        "args_null",
        "note",
        "null for an argument that may be left out",
        "Leave it out, or declare that it may be null; models under strict schemas write null for nothing.",
    ),
    LintRule(
        "args_not_json",
        "error",
        "arguments that are not a JSON object",
        "Give the arguments as one JSON object.",
    ),
    LintRule(
        "args_unchecked",
        "note",
        "arguments that could not be held against the schema",
        "Nothing is said about them: they are too deep, too costly or no JSON values.",
    ),
    LintRule(
        "call_id_repeated",
        "warning",
        "two calls with one id",
        "Give each call an id of its own; results cannot be told apart otherwise.",
    ),
    LintRule(
        "result_without_call",
        "warning",
        "a result for a call that is not there",
        "Keep the call that it answers; providers refuse such a history.",
    ),
    LintRule(
        "call_without_result",
        "warning",
        "a call that was never answered",
        "Answer each call, also a failed or skipped one; providers refuse such a history.",
    ),
    LintRule(
        "call_in_text",
        "warning",
        "a call that was written as text and not made",
        "Nothing ran. Check the chat template or parser, and let the model call the tool.",
    ),
)

LINT_RULES: Final = {rule.id: rule for rule in _TABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class LintFinding:
    """One rule's judgement of one call.

    Attributes:
        rule: Id of the rule, as in docs/lint.md.
        severity: `error`, `warning` or `note`.
        message: One sentence for a reader; holds untrusted names and short values.
        hint: What would fix it, in words that a model can follow; may be empty.
        tool: Name of the tool, untrusted; empty where there is none.
        call_id: Id of the call as given, untrusted.
        message_index: Position of the message in its transcript; None for what is about no message.
        call_index: Position of the call among those of its message; None likewise.
        path: JSON pointer of the value within the arguments; empty for the arguments as a whole.
        keyword: JSON pointer of the keyword within the schema; empty where no keyword judged.
    """

    rule: str
    severity: Severity
    message: str
    hint: str = ""
    tool: str = ""
    call_id: str = ""
    message_index: int | None = None
    call_index: int | None = None
    path: str = ""
    keyword: str = ""

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object by docs/schema/lint.schema.json."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "tool": self.tool,
            "call_id": self.call_id,
            "message_index": self.message_index,
            "call_index": self.call_index,
            "path": self.path,
            "keyword": self.keyword,
        }


def make_lint_finding(
    rule: str,
    message: str,
    *,
    severity: Severity | None = None,
    hint: str | None = None,
    tool: str = "",
    path: str = "",
    keyword: str = "",
) -> LintFinding:
    """A finding of a rule of the table, with its severity and its fix unless others are given."""
    row = LINT_RULES[rule]
    return LintFinding(
        rule=rule,
        severity=severity or row.severity,
        message=message,
        hint=row.fix if hint is None else hint,
        tool=tool,
        path=path,
        keyword=keyword,
    )


@dataclass(slots=True)
class LintCounts:
    """What was read and found.

    Attributes:
        files: Files that were opened.
        transcripts: Conversations, or files of bare calls, that were read.
        calls: Calls in them.
        checked: Calls whose arguments were held against a schema.
        results: Tool results in them.
        skipped: Records and files that could not be read.
        baseline: Findings that the baseline knows, and that are therefore not reported.
        ignored: Findings of rules that were not asked for.
        findings: Findings by severity.
        rules: Findings by rule.
    """

    files: int = 0
    transcripts: int = 0
    calls: int = 0
    checked: int = 0
    results: int = 0
    skipped: int = 0
    baseline: int = 0
    ignored: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)

    def found(self, findings: Iterable[LintFinding]) -> None:
        """Count findings."""
        for finding in findings:
            self.findings[finding.severity] += 1
            self.rules[finding.rule] += 1

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object by docs/schema/lint.schema.json."""
        return {
            **{name: getattr(self, name) for name in _NUMBERS},
            "findings": dict(self.findings),
            "rules": dict(sorted(self.rules.items())),
        }


_NUMBERS: Final = ("files", "transcripts", "calls", "checked", "results", "skipped", "baseline", "ignored")
