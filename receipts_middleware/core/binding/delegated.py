"""Claims of what subagents did: that one was asked is shown by the call that asked it, and nothing more is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.checks import is_looking
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.families import VERB_FAMILIES
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.tools import Meant
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.value import ClaimKind
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of

#: Verbs by which somebody is asked to do something.
_ASKING: Final = frozenset(
    stem(word)
    for word in """ask brief commission consult delegate direct dispatch engage enlist have instruct invoke involve
    launch prompt query request spawn task tell trigger use""".split()
)
#: Verbs by which work is handed on, where it goes to a subagent.
_HANDING: Final = frozenset(
    stem(word) for word in "assign escalate forward give hand order pass refer route send submit turn".split()
)
#: Verbs by which somebody only says something, or knows it now.
_SAYING: Final = frozenset(
    stem(word)
    for word in """report say tell state claim note mention respond reply answer return write summarise summarize
    explain describe indicate conclude suggest recommend think believe find confirm ask request want need try attempt
    fail refuse decline plan promise be have do get see know come provide give offer propose identify flag point
    deliver finish complete end start begin""".split()
)
#: What a subagent is called, besides its name.
_CALLED: Final = frozenset(
    stem(word)
    for word in """agent agents assistant assistants colleague delegate helper specialist specialists subagent subagents
    sub-agent teammate worker workers""".split()
)
_DELEGATE: Final = stem("delegate")
_TO: Final = pattern_of(r"\bto (?:the |my |our |your |an? )?((?:[\w-]+ ?){1,4})")
_BY: Final = pattern_of(r"\bby (?:the |my |our |your |an? )?((?:[\w-]+ ?){1,4})")
_WORD: Final = pattern_of(r"[\w-]+")
#: Words at the beginning of a claim in which its subject stands.
_HEAD: Final = 4
#: Characters between two claims of one subject: ", and ".
_JOINED: Final = 12


def as_of_team(claims: Sequence[FoundClaim], run: Run) -> Sequence[FoundClaim]:
    """Claims in which an act of a subagent counts as one of the agent's, where all that subagents did is known.

    Args:
        claims: Of the reply. Untrusted.
        run: What ran.

    Returns:
        The same, in order; "the worker booked it" is an act that some call must have made, and no result of one.
    """
    if not run.asked or run.delegated:
        return claims
    found: list[FoundClaim] = []
    before: FoundClaim | None = None
    for claim in claims:
        made = _of_team(claim, before, run)
        before = made if made is not claim else None
        found.append(made)
    return found


def _of_team(claim: FoundClaim, before: FoundClaim | None, run: Run) -> FoundClaim:
    """The claim as one of the agent's where a subagent is its subject; `before` is such a claim right before it."""
    verb = stem(claim.action) if claim.action else ""
    looks = is_looking(verb)
    if claim.negated or claim.kind not in ("effect", "result") or verb in _SAYING:
        return claim
    if not looks and verb not in VERB_FAMILIES:
        return claim
    kind: ClaimKind = "check" if looks else "effect"
    by = _BY.search(claim.text) if claim.voice == "passive" else None
    if by is not None and _names(_WORD.findall(by[1].lower()), run):
        return replace(claim, kind=kind, subject="agent")
    follows = before is not None and claim.subject == "other" and 0 <= claim.start - before.end <= _JOINED
    if follows or _is_subject(claim, verb, run):
        aspect = "past" if claim.aspect == "none" else claim.aspect
        return replace(claim, kind=kind, subject="agent", voice="active", aspect=aspect)
    return claim


def _is_subject(claim: FoundClaim, verb: str, run: Run) -> bool:
    """Whether a subagent stands where the subject does; what is read as a headline may be a sentence about one."""
    words = [word.lower() for word in _WORD.findall(claim.text[:400])]
    if claim.subject == "other" and claim.voice == "active":
        return _names(words[:_HEAD], run)
    at = max((n for n, word in enumerate(words[: 2 * _HEAD]) if stem(word) == verb), default=0)
    return claim.aspect == "none" and _names(words[:at], run)


def _names(words: Sequence[str], run: Run) -> bool:
    """Whether words name a subagent."""
    own = {stem(part) for word in words for part in (word, *word.split("-"))}
    return bool(own & (_CALLED | run.agents))


def judge_delegating(claim: FoundClaim, meant: Meant, run: Run) -> Judged | None:
    """Weigh a claim that work was handed on to a subagent.

    Args:
        claim: The claim.
        meant: Its words.
        run: What ran.

    Returns:
        Supported by the calls that asked; None where the claim says something else, or nobody was asked.
    """
    if not run.asked or claim.subject == "other":
        return None
    to = _TO.search(claim.text) if meant.verb in _HANDING else None
    handed = to is not None and _names(_WORD.findall(to[1].lower()), run)
    asked = meant.verb in _ASKING and (meant.verb == _DELEGATE or bool(meant.words & (_CALLED | run.agents)))
    if not (handed or asked):
        return None
    ran = tuple(act for act in run.asked if act.grade != "S0")
    tools = tuple(dict.fromkeys(act.traits.name for act in run.asked))
    return Judged("supported", tools, ran, "", "asked", "S1") if ran else None
