"""The values `ToolPolicy` and `Policy`, and how a tool finds its entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.facts import Capture
from receipts_middleware.core.finding import Severity
from receipts_middleware.core.grade import Grade
from receipts_middleware.core.policy.check import (
    MAX_NAME,
    RUN_CHECKS,
    TOOL_CHECKS,
    FailLevel,
    PolicyError,
    Problem,
    RuleLevel,
    SaidKind,
    check_name,
    check_rule,
)
from receipts_middleware.core.policy.language import LanguageTables
from receipts_middleware.core.toolspec import ToolSpec, kind_of


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What is said of one tool, or of all tools whose names fit a pattern.

    What is None is not said, and the verifier goes by what it sees.

    Attributes:
        name: Name of the tool, or a pattern: `*` stands for any characters, `?` for one; upper and lower case differ.
        kind: Whether it changes the world, only looks, or is a shell.
        action: Base form of what it does, for example `refund`, whatever verb its name has.
        grade: What every call of it supports, whatever its result says.
        object_id: Where its result names the object that it made: keys and list positions, joined by dots. Where
            nothing stands there it names none.
        idempotency_key: Where its arguments hold a key that marks a repeat as a repeat: keys, joined by dots.
        check_args: Whether values that a reply names are held against its arguments; None: as for the run.
        capture: What is kept of its arguments and results besides hashes, when receipts are stamped; None: as for the
            run.
        stop_ship: Whether an error about it stops a shipment; None: by its action.
        severity: Of findings about claims that it could have done; outweighs `rules`, but for `off`.
        ignore: Its calls take no part in what a reply must tell of.

    Raises:
        PolicyError: A value is not one of those.
    """

    name: str
    kind: SaidKind | None = None
    action: str | None = None
    grade: Grade | None = None
    object_id: str | None = None
    idempotency_key: str | None = None
    check_args: bool | None = None
    capture: Capture | None = None
    stop_ship: bool | None = None
    severity: Severity | None = None
    ignore: bool = False

    def __post_init__(self) -> None:
        """A value that no file could hold is a mistake here too."""
        problems = [Problem(("name",), said)] if (said := check_name(self.name)) else []
        for key, check in TOOL_CHECKS.items():
            value = getattr(self, key)
            if value is not None and (said := check(value)):
                problems.append(Problem((key,), said))
        if problems:
            raise PolicyError(problems)

    @property
    def is_pattern(self) -> bool:
        """Whether the name stands for more than itself."""
        return "*" in self.name or "?" in self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is said of a run and of its tools. The default says nothing and changes nothing.

    Attributes:
        tools: Entries for tools, in any order; no two for the same name or pattern.
        fail_on: Weakest severity at which the command line exits 1; None: its own default.
        require_checked: Whether the command line exits 3 where nothing was checked; None: its own default.
        require_object_id: Strict: an act counts as done only where its result names an object.
        ignore_tools: Names or patterns of tools whose calls a reply need not tell of.
        known_tools: Names of tools that the agent had, besides those that are given or that the run recorded.
        check_args: Whether values that a reply names are held against arguments.
        capture: What is kept of arguments and results besides hashes, when receipts are stamped; never more than the
            middleware's own option allows. None: as that option says.
        language: Code of the language of the replies; None: it is told from the text.
        languages: Rows that are added to the tables of languages; one entry for a language.
        rules: Severity for rules by id, or `off`.

    Raises:
        PolicyError: A value is not one of those, or two entries are for one name or pattern.
    """

    tools: tuple[ToolPolicy, ...] = ()
    fail_on: FailLevel | None = None
    require_checked: bool | None = None
    require_object_id: bool = False
    ignore_tools: tuple[str, ...] = ()
    known_tools: tuple[str, ...] = ()
    check_args: bool = True
    capture: Capture | None = None
    language: str | None = None
    languages: tuple[LanguageTables, ...] = ()
    rules: Mapping[str, RuleLevel] = field(default_factory=dict, hash=False)
    _exact: Mapping[str, ToolPolicy] = field(init=False, repr=False, compare=False)
    _patterns: tuple[ToolPolicy, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check, keep copies that nobody can change, and sort the patterns once."""
        if not isinstance(self.rules, Mapping) or not all(isinstance(tool, ToolPolicy) for tool in self.tools):
            raise PolicyError([Problem((), "tools are ToolPolicy objects, rules a mapping of rule ids to severities")])
        problems = [
            Problem((key,), said)
            for key, check in RUN_CHECKS.items()
            if (value := getattr(self, key)) is not None and (said := check(value))
        ]
        problems += [Problem(("rules", str(k)), said) for k, v in self.rules.items() if (said := check_rule(k, v))]
        problems += [Problem(("tools", at), said) for at, said in repeated([tool.name for tool in self.tools])]
        if not all(isinstance(tables, LanguageTables) for tables in self.languages):
            problems.append(Problem(("languages",), "are LanguageTables objects"))
        elif len({tables.code for tables in self.languages}) < len(self.languages):
            problems.append(Problem(("languages",), "has two entries for one language; keep one"))
        if problems:
            raise PolicyError(problems)
        object.__setattr__(self, "languages", tuple(self.languages))
        object.__setattr__(self, "tools", tuple(self.tools))
        object.__setattr__(self, "ignore_tools", tuple(self.ignore_tools))
        object.__setattr__(self, "known_tools", tuple(self.known_tools))
        object.__setattr__(self, "rules", dict(self.rules))
        object.__setattr__(self, "_exact", {tool.name: tool for tool in self.tools})
        patterns = sorted((tool for tool in self.tools if tool.is_pattern), key=lambda tool: -specificity(tool.name))
        object.__setattr__(self, "_patterns", tuple(patterns))

    def for_tool(self, name: str) -> ToolPolicy:
        """The entry for a tool.

        Args:
            name: As a transcript spells it. Untrusted.

        Returns:
            The entry of exactly that name; else, of the patterns that fit, the one with the most characters that are
            neither `*` nor `?`, and among equals the one that stands first; else an entry that says nothing. Entries
            are not merged. `ignore` is true also where `ignore_tools` names the tool.
        """
        found = self._exact.get(name)
        if found is None:
            found = next((tool for tool in self._patterns if fits(tool.name, name)), None)
        if found is None:
            found = _SAYS_NOTHING
        if not found.ignore and any(fits(pattern, name) for pattern in self.ignore_tools):
            return replace(found, ignore=True)
        return found

    def kind(self, name: str) -> SaidKind | None:
        """The kind that is said of a tool, or None."""
        return self.for_tool(name).kind if self.tools else None

    def added(self, code: str) -> LanguageTables | None:
        """Rows that are added to the tables of a language, or None."""
        return next((tables for tables in self.languages if tables.code == code), None)

    def id_path(self, name: str) -> str | None:
        """Where results of a tool name its object, or None."""
        return self.for_tool(name).object_id if self.tools else None

    def keeps(self, name: str, allowed: Capture) -> Capture:
        """What is kept of the calls of a tool besides hashes.

        Args:
            name: Of the tool. Untrusted.
            allowed: The most that may be kept.

        Returns:
            What its entry says, else what is said of the run; never more than is allowed.
        """
        said = (self.for_tool(name).capture if self.tools else None) or self.capture or allowed
        return max(said, allowed, key=_LEAST.index)

    def with_known(self, tools: Sequence[ToolSpec]) -> Sequence[ToolSpec]:
        """Tools of a run and those that are known besides.

        Args:
            tools: Of the run.
        """
        held = {spec.name for spec in tools}
        more = (name for name in dict.fromkeys(self.known_tools) if name not in held)
        return (*tools, *(ToolSpec(name, "", self.kind(name) or kind_of(name)) for name in more))


def repeated(names: list[str]) -> list[tuple[int, str]]:
    """Names and patterns that stand for what an earlier one stands for: position and what to do about it."""
    seen: dict[str, str] = {}
    found = []
    for at, name in enumerate(names):
        form = _plain(name)
        if form in seen:
            same = "is there twice" if seen[form] == name else f'is the same as "{seen[form]}"'
            found.append((at, f'"{name}" {same}; keep one entry for it'))
        else:
            seen[form] = name
    return found


def _plain(pattern: str) -> str:
    """A pattern in its one spelling: among wildcards in a row, `?` first and one `*` at most."""
    plain, run = [], ""
    for character in pattern + "\0":
        if character in "*?":
            run += character
            continue
        plain.append("?" * run.count("?") + "*" * ("*" in run) + character)
        run = ""
    return "".join(plain)[:-1]


def specificity(pattern: str) -> int:
    """Characters of a pattern that stand for themselves."""
    return len(pattern) - pattern.count("*") - pattern.count("?")


def fits(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern of `*` and `?`.

    Args:
        pattern: At most 256 characters.
        name: Untrusted; of a longer one the first 256 characters are compared.
    """
    if pattern == name:
        return True
    name = name[:MAX_NAME]
    at = here = 0
    star = mark = -1
    while here < len(name):  # at most pattern times name steps: a star is tried again only behind its last place
        if at < len(pattern) and pattern[at] == "*":
            star, mark, at = at, here, at + 1
        elif at < len(pattern) and pattern[at] in ("?", name[here]):
            at, here = at + 1, here + 1
        elif star >= 0:
            mark += 1
            at, here = star + 1, mark
        else:
            return False
    return not pattern[at:].strip("*")


#: From the most that is kept to the least.
_LEAST: Final[Sequence[Capture]] = ("values", "digests", "hashes")
_SAYS_NOTHING: Final = ToolPolicy("*")
#: The policy where none is given.
NO_POLICY: Final = Policy()


def as_policy(given: Policy | None) -> Policy:
    """The policy that a caller gave, or the one that says nothing.

    Args:
        given: A policy, or None.

    Raises:
        UsageError: It is something else, for example a path.
    """
    if given is None:
        return NO_POLICY
    if not isinstance(given, Policy):
        raise UsageError(f"policy is {type(given).__name__}; pass a Policy, for example load_policy(path)")
    return given
