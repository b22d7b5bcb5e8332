"""What each setting may be: one table for the run, one for a tool, used by the objects and by the reader alike.

A check takes a value and says in words what is wrong with it and what to write instead; empty where it is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, get_args

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.facts import Capture
from receipts_middleware.core.finding import Severity
from receipts_middleware.core.grade import Grade
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.rules import RULES

#: What an owner can say of a tool; a tool of which nothing is said is guessed (`toolspec.kind`).
SaidKind = Literal["acting", "reading", "shell"]
FailLevel = Literal["error", "warning", "note", "never"]
RuleLevel = Literal["error", "warning", "note", "off"]

#: The longest name of a tool that is read anywhere (`toolspec.read`).
MAX_NAME: Final = 256
#: More are generated, not written; every tool of a run is held against every pattern.
MAX_TOOLS: Final = 10_000
#: What is named in a message is cut: it may be a whole document.
_MAX_SHOWN: Final = 60
#: More problems than this are one mistake, seen many times.
MAX_PROBLEMS: Final = 20

_PATH: Final = pattern_of(r"[^\s.]{1,128}(?:\.[^\s.]{1,128}){0,7}\Z")
_ACTION: Final = pattern_of(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,3}\Z")
_LANGUAGE: Final = pattern_of(r"[a-z]{2,3}\Z")
_UNCLEAN: Final = pattern_of("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ud800-\udfff]")

Check = Callable[[object], str]
#: Keys and positions that lead to a value in a document, outermost first.
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a policy.

    Attributes:
        path: Keys and list positions that lead to it, outermost first.
        message: What is wrong, and what to write instead.
    """

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{shown_path(self.path)}: {self.message}" if self.path else self.message


class PolicyError(UsageError):
    """A policy holds something that cannot be right.

    Attributes:
        problems: Every problem, in the order of the document; at most 20.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)[:MAX_PROBLEMS]
        super().__init__("\n".join(map(str, self.problems)))


def shown(value: object) -> str:
    """A value of a document as a message names it: one short line."""
    if isinstance(value, str):
        text = '"' + _UNCLEAN.sub("?", value[:_MAX_SHOWN]) + ("..." if len(value) > _MAX_SHOWN else "") + '"'
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, float) or (isinstance(value, int) and value.bit_length() <= 64):
        text = str(value)
    else:
        text = _KINDS.get(type(value).__name__, "a " + type(value).__name__)
    return text


_KINDS: Final = {"dict": "a table", "list": "a list", "tuple": "a list", "int": "a number", "NoneType": "nothing"}


def shown_path(path: Path) -> str:
    """Keys as they stand in TOML, for example `tools."mcp__*".kind`; positions as `[2]`, from 1."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            key = part if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", part) else shown(part)
            text += f".{key}" if text else key
    return text


def nearest(word: str, known: Iterable[str]) -> str:
    """What to write instead of an unknown word: the nearest known one, else all of them."""
    names = list(known)
    found = _near(word, names)
    return f"did you mean {found}?" if found else "write one of " + ", ".join(names)


def _near(word: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    return next(iter(get_close_matches(word[:_MAX_SHOWN].lower(), known, n=1, cutoff=0.6)), "")


def choice(*words: str) -> Check:
    """A check for one of a closed set of words."""

    def check(value: object) -> str:
        if isinstance(value, str) and value in words:
            return ""
        wanted = ", ".join(f'"{word}"' for word in words[:-1]) + f' or "{words[-1]}"'
        near = _near(value, words) if isinstance(value, str) else ""
        hint = f'; did you mean "{near}"?' if near else ""
        return f"is {shown(value)}; write {wanted}{hint}"

    return check


def _flag(value: object) -> str:
    return "" if isinstance(value, bool) else f"is {shown(value)}; write true or false"


def _text(pattern: re.Pattern[str], wanted: str) -> Check:
    def check(value: object) -> str:
        if isinstance(value, str) and len(value) <= 1_200 and pattern.match(value) and not _UNCLEAN.search(value):
            return ""
        return f"is {shown(value)}; write {wanted}"

    return check


def check_name(value: object) -> str:
    """A tool's name, or a pattern with `*` and `?`."""
    if not isinstance(value, str):
        return f'is {shown(value)}; write the name of a tool in quotes, for example "send_email"'
    if not value.strip():
        return 'is empty; write the name of a tool, or "*" for all'
    if len(value) > MAX_NAME:
        return f"is longer than {MAX_NAME} characters; write a pattern such as {shown(value[:12] + '*')}"
    return ""


def _names(value: object) -> str:
    if not isinstance(value, list | tuple):
        return f'is {shown(value)}; write a list of names or patterns, for example ["think", "todo_*"]'
    if len(value) > MAX_TOOLS:
        return f"has more than {MAX_TOOLS} entries; write patterns"
    return next((f"entry {at} {said}" for at, item in enumerate(value, 1) if (said := check_name(item))), "")


def _plain_names(value: object) -> str:
    said = _names(value)
    named = value if isinstance(value, list | tuple) and not said else ()
    patterns = (
        f"entry {at} is a pattern; write the whole name of a tool"
        for at, name in enumerate(named, 1)
        if {"*", "?"}.intersection(name)
    )
    return said or next(patterns, "")


TOOL_CHECKS: Final[Mapping[str, Check]] = {
    "kind": choice(*get_args(SaidKind)),
    "action": _text(_ACTION, 'a verb in its base form, for example "refund"'),
    "grade": choice(*get_args(Grade)),
    "object_id": _text(_PATH, 'where the result names the object, for example "data.refund_id"'),
    "idempotency_key": _text(_PATH, 'the argument that marks a repeat, for example "request_id"'),
    "check_args": _flag,
    "capture": choice(*get_args(Capture)),
    "stop_ship": _flag,
    "severity": choice(*get_args(Severity)),
    "ignore": _flag,
}

RUN_CHECKS: Final[Mapping[str, Check]] = {
    "fail_on": choice(*get_args(FailLevel)),
    "require_checked": _flag,
    "require_object_id": _flag,
    "ignore_tools": _names,
    "known_tools": _plain_names,
    "check_args": _flag,
    "capture": choice(*get_args(Capture)),
    "language": _text(_LANGUAGE, 'the code of a language, for example "en"'),
}

_level: Final = choice(*get_args(RuleLevel))


def check_rule(rule: object, level: object) -> str:
    """A severity for a rule; the empty string where both are known."""
    if isinstance(rule, str) and rule in RUN_CHECKS:
        return "is no rule but about the whole run; write it above the first table"
    if not isinstance(rule, str) or rule not in RULES:
        return f"is no rule; {nearest(rule, RULES) if isinstance(rule, str) else 'write the id of a rule'}"
    return _level(level)
