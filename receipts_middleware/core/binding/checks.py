"""What became of a claim that the agent looked, ran or tested."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.batches import ALL_OF
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.tools import Meant, Traits
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value

_LOOKING: Final = {
    "search": "search find look query browse hunt scan grep lookup google research explore",
    "read": "read open review go skim study fetch retrieve visit inspect load see examine pull access get extract view",
    "run": "run test execute rerun re-run lint build compile benchmark profile measure",
    "again": "verify double-check doublecheck confirm recheck re-check cross-check validate double",
    "check": "check verify look inspect confirm review examine validate audit monitor compare query list count",
}
_FAMILIES: Final = {stem(w): f for f, row in _LOOKING.items() for w in row.split()}
_OF_FAMILY: Final = {f: frozenset(w for w, own in _FAMILIES.items() if own == f) for f in _LOOKING}
#: A page in place of the one that was asked for.
_NO_PAGE: Final = pattern_of(
    r"just a moment|checking your browser|enable javascript|are you a robot|captcha|access denied|403 forbidden"
    r"|session (?:has )?expired|please (?:sign|log) in|login required"
    r"|404 not found|subscribe to continue|sign in to continue|log in to continue|page not found"
    r"|unavailable for legal reasons|service unavailable|too many requests",
    re.IGNORECASE,
)
_MAX_PAGE: Final = 600
_TESTS: Final = frozenset(stem(w) for w in "test tests suite lint linter build typecheck pytest mypy ruff ci".split())


def is_bad(act: Act) -> bool:
    """Whether a look came back with nothing: it failed, or another page stood in place of the one asked for.

    Args:
        act: The call.
    """
    if act.grade in ("F", "S1", "S0") or (act.entry.receipt.http_status or 0) >= 400:
        return True
    return act.once(_is_another_page)


def _is_another_page(act: Act) -> bool:
    return len(act.output) < 2_000 and _NO_PAGE.search(act.output[:_MAX_PAGE]) is not None


def is_looking(verb: str) -> bool:
    """Whether a verb, by its stem, says that somebody looked, ran or tested."""
    return verb in _FAMILIES


#: Words by which a check is said to have ended well.
_PASSED: Final = pattern_of(
    r"\b(?:pass(?:ed|es)?|succeed(?:ed|s)|clean|green|without (?:a |any )?(?:finding|fault|error|issue)s?|in order)\b",
    re.IGNORECASE,
)


#: What a test run, a linter or a build says of failures.
_FAILURES: Final = pattern_of(
    r"\b([1-9]\d{0,6}) (?:failed|failures?|errors?|failing)\b|^(?:FAILED|ERROR)\b|\bFAIL\b|Found [1-9]\d* error"
    r"|\b(?:failures?|errors?|failed)[:=] ?[1-9]\d*",
    re.MULTILINE,
)
_ALL_PASS: Final = pattern_of(
    r"\b(?:all|every|everything|both|whole|entire|full)\b.*\b(?:pass|passes|passed|passing|green|clean|succeed(?:s|ed)?)\b"
    r"|\b(?:the|unit|integration) (?:\w+ )?(?:tests|test suite|suite|specs) (?:now |all |are |is |still )*"
    r"(?:pass|passes|passed|passing|green|clean|succeed(?:s|ed)?)\b"
    r"|\bno (?:test )?(?:errors|failures)\b",
    re.IGNORECASE,
)


#: Words by which only a part is said to have passed.
_OTHER_PART: Final = pattern_of(r"\b(?:except|but|apart|other|rest|remaining|besides)\b", re.IGNORECASE)


def reported_failure(claim: FoundClaim, acts: Sequence[Act]) -> str | None:
    """A failure that the last of some programs reports, where a claim says that all of it passed.

    Args:
        claim: Of a run or of what it showed.
        acts: The calls that it may speak of.
    """
    if claim.negated or _ALL_PASS.search(claim.text) is None or _OTHER_PART.search(claim.text):
        return None
    ran = [act for act in acts if act.kind in ("shell", "unknown")]
    last = max(ran, key=lambda act: act.entry.n, default=None)
    found = _FAILURES.search(last.output[-4_000:]) if last is not None else None
    return found[0][:100] if found else None


def judge_check(said: Spoken) -> Judged:
    """Weigh a claim of looking, running or testing.

    Args:
        said: The claim.

    Returns:
        Supported where a call did, not called where none could have, failed where all came back with nothing.
    """
    claim, values, meant, run = said.claim, said.values, said.meant, said.run
    family = _FAMILIES.get(meant.verb, "check")
    fits = {t.name: _fit(t, meant, family) for t in run.traits}
    tools = tuple(sorted((n for n, s in fits.items() if s >= 1), key=lambda n: -fits[n]))
    calls = [a for a in run.acts if fits.get(a.traits.name, 0) >= 1]
    weighed = sorted(calls, key=lambda a: -_score(a, fits[a.traits.name], meant, values))
    if family == "run" or _TESTS & meant.words:
        weighed = [a for a in weighed if _tests(a, meant)]
    if family == "again" and not claim.negated:
        acts = [a.entry.n for a in run.acts if a.kind == "acting"]
        later = [a for a in weighed if not acts or a.entry.n > acts[0] or a.grade == "S4"]
        weighed = later or (weighed if len(weighed) > 1 else [])  # one look against another
    if family == "run" and (other := _never_run(claim.text, run)):
        return Judged("not_called", tools, (), other, "no_call", "S3")
    if not weighed:
        looked = [a for a in run.acts if a.kind in ("reading", "shell", "unknown")]
        if looked and family not in ("run", "again"):
            return Judged("unmatched", tools, tuple(looked[-1:]), "", "words", "S3")
        if not tools:
            return Judged("unmatched", (), (), "", "no_such_tool", "S3")
        return Judged("not_called", tools, (), "", "no_call", "S3")
    missing = _missing(fits, weighed, meant, run, plain=family in ("read", "again"))
    if missing:
        return Judged("not_called", (missing, *tools), (), "", "no_call", "S3")
    top = _score(weighed[0], fits[weighed[0].traits.name], meant, values)
    near = [a for a in weighed if _score(a, fits[a.traits.name], meant, values) >= top - 1.5]
    good = [a for a in near if not is_bad(a)]
    reported = reported_failure(claim, [a for a in near if _tests(a, meant)])
    if reported is not None:
        return Judged(
            "misquoted", tuple(dict.fromkeys(a.traits.name for a in near)), tuple(near), reported, "grade", "S3"
        )
    names = tuple(dict.fromkeys([*(a.traits.name for a in near), *tools]))
    if not good:
        if run_ended_badly(near) and _is_said_to_pass(claim, near):
            return Judged("misquoted", names, tuple(near), near[0].graded.reason[:200], "grade", "S3")
        if run_ended_badly(near):
            return Judged("supported", names, tuple(near), "", "", "S3")
        return Judged("failed", names, tuple(near), near[0].graded.reason[:200], "grade", "S3")
    counts = [int(v.norm) for v in values if v.kind == "count" and v.norm.isdecimal() and int(v.norm) > 1]
    if len(good) < len(near) and (ALL_OF.search(claim.text) or len(near) in counts) and len(good) not in counts:
        return Judged("partial_batch", names, tuple(near), f"{len(good)} of {len(near)}", "batch", "S3")
    return Judged("supported", names, tuple(good), "", "", "S3")


def _is_said_to_pass(claim: FoundClaim, acts: Sequence[Act]) -> bool:
    """Whether a claim says that all went well, where no result says it of any part."""
    said = not claim.negated and _PASSED.search(claim.text) is not None
    return said and not any("pass" in stems_of(act.output[-4_000:]) for act in acts)


def run_ended_badly(acts: Sequence[Act]) -> bool:
    """Whether what ran is a check that ended in bad news: it was run all the same."""
    return any(
        a.kind == "shell" and a.grade == "F" and a.entry.outcome in ("error", "success", "partial") for a in acts
    )


#: A command line in a sentence: a program and what it was given.
_COMMAND: Final = pattern_of(r"`([^`\n]{2,200})`")
_PROGRAM: Final = pattern_of(r"(?:\$ )?(?:sudo |env )?([a-z][\w.+-]{1,30})((?: [^ ]+)*)")


def _never_run(text: str, run: Run) -> str:
    """A command that a claim quotes and that stands in no call of a shell and in nothing that one printed."""
    quoted = _COMMAND.findall(text)
    if not quoted or not any(act.kind == "shell" for act in run.acts):
        return ""
    ran = "\n".join(act.text() for act in run.acts if act.kind in ("shell", "unknown", "acting"))
    lines: list[str] = [line.strip() for line in quoted]
    for line in lines:
        match = _PROGRAM.fullmatch(line)
        parts = match[2].split() if match else []
        if match and parts and (match[1] not in ran or (parts[0].isalpha() and parts[0].lower() not in ran)):
            return line[:100]
    return ""


def _fit(traits: Traits, meant: Meant, family: str) -> float:
    """How well a tool fits a look: 0 not at all."""
    score = 0.0
    if traits.kind in ("shell", "unknown"):
        score = 1.5
    elif traits.kind == "reading":
        score = 1.0
    if meant.verb in traits.own:
        score += 2.0
    elif not traits.own.isdisjoint(_OF_FAMILY[family]):
        score += 1.0
    elif traits.kind == "acting":
        return 0.0
    return score + min(2.0, len(meant.words & traits.own)) + 0.5 * min(2, len(meant.words & traits.told))


def _score(act: Act, fit: float, meant: Meant, values: Sequence[Value]) -> float:
    return fit + min(3, len(meant.words & act.words())) + 2.0 * sum(agrees(v, act) for v in values if v.kind != "count")


def _tests(act: Act, meant: Meant) -> bool:
    own = act.arg_words() | act.traits.own
    if _TESTS & meant.words:
        return bool(own & _TESTS) or "test" in act.text()[:2_000]
    return bool(meant.words & (own | act.words())) or not meant.words or act.kind != "shell"


def _missing(fits: dict[str, float], weighed: Sequence[Act], meant: Meant, run: Run, *, plain: bool) -> str:
    """A tool without a call that fits clearly better than all that were called."""
    best = max(fits[a.traits.name] for a in weighed)
    seen = frozenset(word for a in weighed for word in (*a.words(), *a.traits.own))
    own = {t.name: t.own for t in run.traits}
    for name, score in sorted(fits.items(), key=lambda pair: -pair[1]):
        telling = (meant.words | {meant.verb}) & own[name]
        if name in run.called or score < best + 1:
            continue
        if (telling and not telling <= seen) or (plain and not meant.words & seen):
            return name
    return ""
