"""Claims bound to what ran: each claim of a reply with what became of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.another import of_another
from receipts_middleware.core.binding.candidates import Candidate, Candidates, find_candidates
from receipts_middleware.core.binding.checks import is_bad, judge_check
from receipts_middleware.core.binding.cites import as_cited, cited_first, without_citations
from receipts_middleware.core.binding.content import by_content, judge_alike, shown_by_a_look
from receipts_middleware.core.binding.delegated import as_of_team, judge_delegating
from receipts_middleware.core.binding.denials import judge_denial
from receipts_middleware.core.binding.effects import Judged, as_repeated, judge_calls, required_of
from receipts_middleware.core.binding.gaps import as_far_as_known
from receipts_middleware.core.binding.hedges import is_hedged
from receipts_middleware.core.binding.left_out import rejected_by_name
from receipts_middleware.core.binding.others import is_by_others, judge_others
from receipts_middleware.core.binding.owning import without_idle
from receipts_middleware.core.binding.reasons import tells_why
from receipts_middleware.core.binding.results import judge_result
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.settle import settle
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.tools import Fit, Meant, fit, is_another_act, meant_by
from receipts_middleware.core.binding.umbrellas import Bound, judge_umbrella
from receipts_middleware.core.binding.uncalled import stands_alone, uncalled
from receipts_middleware.core.binding.unheld import unless_alone, unless_unasked
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value
from receipts_middleware.core.wording import reads_as


def bind(
    claims: Sequence[FoundClaim],
    run: Run,
    reply: str = "",
    loose: Sequence[FoundClaim] = (),
    scraps: Sequence[FoundClaim] = (),
) -> list[Bound]:
    """Bind the claims of a reply to what ran.

    Args:
        claims: In order of appearance.
        run: Calls up to the reply.
        reply: The text that the claims stand in, for the sentence around each. Untrusted.
        loose: Clauses and lines of it that claim nothing by their grammar, in order.
        scraps: Stretches of it that give a value, in order.

    Returns:
        Claims that can be said something about, in order; true denials are left out.
    """
    claims = as_of_team(claims, run)
    found: list[Bound] = []
    previous: tuple[Act, ...] = ()
    broken: Bound | None = None
    known: dict[tuple[object, ...], Judged] = {}
    for found_claim in claims:
        plain = without_citations(found_claim.text[: found_claim.core or None])
        claim = found_claim if plain == found_claim.text else replace(found_claim, text=plain)
        key = (claim.text, claim.kind, claim.voice, claim.negated, previous)
        judged = known.get(key) or known.setdefault(key, _weighed(claim, run, previous))
        if judged.status in ("failed", "accepted_only") and _is_admitted(found_claim, claims, reply, judged):
            judged = replace(judged, status="supported")  # the words admit it themselves
        judged = cited_first(found_claim, judged)
        if judged.status == "not_called" and run.delegated:
            judged = replace(judged, status="unmatched", reason="delegated")
        if judged.status == "not_called" and found_claim.subject != "agent" and is_hedged(found_claim, reply):
            judged = replace(judged, status="unmatched", reason="hedged")
        if broken is not None and claim.kind == "result" and _follows(claim, broken, judged):
            judged = replace(judged, status=broken.judged.status, tools=(*broken.judged.tools, *judged.tools))
        elif claim.kind != "result":
            bad = (
                claim.kind == "check" and judged.status in ("not_called", "failed") and judged.reason != "no_such_tool"
            )
            broken = Bound(claim, judged) if bad else None
        if judged.status:
            found.append(Bound(found_claim, judged))
            if judged.acts and claim.kind == "effect":
                previous = judged.acts
    found = settle(found, run, reply, loose, scraps)
    found = [as_far_as_known(unless_alone(unless_unasked(b, run), found, reply), run) for b in found]
    found = [as_cited(b, run, reply) for b in found]
    wide = [b.claim.kind == "umbrella" or b.judged.reason == "umbrella" for b in found]
    found = [judge_umbrella(b, found, run) if is_wide else b for b, is_wide in zip(found, wide, strict=True)]
    return [as_far_as_known(b, run) for b in found]


def _is_admitted(claim: FoundClaim, claims: Sequence[FoundClaim], reply: str, judged: Judged) -> bool:
    """Whether the words say themselves that it failed, or is open where it is, in the claim or behind it.

    That the user "will see it by Friday" admits no failure.
    """
    proper = claim.text[: claim.core or None]
    if claim.kind == "effect":
        proper = _GROUNDS.split(proper, maxsplit=1)[0]
    admits = ("failure",) if judged.status == "failed" else ("failure", "pending")
    if reads_as(proper) in admits and (not _is_own_act(claim, judged) or reads_as(_without_own_verb(claim)) in admits):
        return True
    if reads_as(_lead_of(claim, reply)) in admits:
        return True
    following = min((c.start for c in claims if c.start >= claim.end), default=len(reply))
    rest = _STOP.split(reply[claim.end : min(following, claim.end + _BEFORE)])[0]
    if _CONDITION.match(rest):
        return False
    rest = without_idle(rest)
    said = _without_own_verb(claim) if _is_own_act(claim, judged) else proper
    return _WORD.search(rest) is not None and reads_as(f"{said} {without_citations(rest)}") == "failure"


#: Behind these a claim of an act gives its grounds, which may tell of any failure.
_GROUNDS: Final = pattern_of(r"\b(?:that|because|since|which|who|whose|on the grounds?)\b", re.IGNORECASE)
#: What is only supposed admits nothing: "; should they not turn up, shout".
_CONDITION: Final = pattern_of(
    r"[\s,;—–-]*(?:should (?:it|they|you|he|she|the|any)|if|unless|in case)\b", re.IGNORECASE
)


def _is_own_act(claim: FoundClaim, judged: Judged) -> bool:
    """Whether the verb of a claim is what the call was to do: that an address was blocked admits no failure."""
    meant = meant_by(claim)
    return any(fit(meant, act.traits).verb >= 2 for act in judged.acts)


def _without_own_verb(claim: FoundClaim) -> str:
    verb = stem(claim.action) if claim.action else ""
    return _WORD.sub(lambda m: "" if verb and stem(m[0].lower()) == verb else m[0], claim.text[: claim.core or None])


_WORD: Final = pattern_of(r"[^\W\d_]{3,}")
#: Lines above a list item that are looked at for the heading or lead-in over it.
_LINES: Final = 40
_ITEM: Final = pattern_of(r"\s*(?:[-*+•|>☐✅❌✔✗]|\d{1,3}[.)])\s")


def _lead_of(claim: FoundClaim, reply: str) -> str:
    """What stands over a claim: the label in its line, and the heading or lead-in of its list."""
    begin = reply.rfind("\n", 0, claim.start) + 1
    label = reply[max(begin, claim.start - _BEFORE) : claim.start]
    label = label if label.rstrip(" *_").endswith((":", "–", "—", "-")) else ""
    if not _ITEM.match(reply, begin) and not label:
        return ""
    for line in reversed(reply[max(0, begin - 4_000) : begin].splitlines()[-_LINES:]):
        plain = line.strip()
        if not plain or _ITEM.match(line):
            continue
        heads = plain.startswith("#") or plain.rstrip("*_ ").endswith(":") or (plain[:2] == "**" and plain[-2:] == "**")
        return f"{plain} {label}" if heads else label
    return label


#: Characters before a claim in which its sentence begins.
_BEFORE: Final = 240
_STOP: Final = pattern_of(r"[.!?]\s|\n")
#: How far behind a look that was not made what it is said to have shown may stand, in characters.
_NEXT: Final = 240


def _follows(claim: FoundClaim, broken: Bound, judged: Judged) -> bool:
    """Whether a result is what a look is said to have shown that was not made, or came back with nothing."""
    near = claim.start - broken.claim.end <= _NEXT
    return (
        near
        and judged.status in ("unmatched", "supported")
        and (judged.status == "unmatched" or not judged.acts or set(judged.acts) <= set(broken.judged.acts))
    )


def _weighed(claim: FoundClaim, run: Run, previous: tuple[Act, ...]) -> Judged:
    said = Spoken(claim, run)
    return of_another(said, _judge(said, previous))


def _judge(said: Spoken, previous: tuple[Act, ...]) -> Judged:
    claim, run, meant = said.claim, said.run, said.meant
    if claim.kind == "umbrella":
        return Judged("unmatched" if not claim.negated else "")
    if claim.negated:
        denied = judge_denial(said)
        if denied.status or claim.kind == "check" or claim.subject == "agent":
            return denied
        told = judge_result(said)  # what is not so, a look may have shown
        looked = claim.kind == "result" or all(act.kind == "reading" for act in told.acts)
        return told if told.status == "supported" and looked else denied
    handed = judge_delegating(claim, meant, run)
    if handed is not None:
        return handed
    if is_by_others(claim, meant):
        found = find_candidates(said)
        if claim.strength == "confirmed" and found.calls and required_of(claim, found) == "S3":
            return judge_calls(said, found)
        return judge_others(said, previous)
    looked = any(act.kind == "reading" and meant.verb in act.traits.own for act in run.acts)
    if claim.kind == "check" and claim.strength == "confirmed" and claim.subject != "agent" and not looked:
        return judge_others(said, previous)
    if claim.kind == "check":
        return judge_check(said)
    return _result(said.among(run.with_reports())) if claim.kind == "result" else _effect(said, previous)


def _result(said: Spoken) -> Judged:
    """What stands as a result may tell of an act: "Seats are at 12 now" is borne out by the call that set them."""
    claim, values, run = said.claim, said.values, said.run
    found, told = find_candidates(said), said.told()
    if told and not found.calls and told[0][0].kind == "acting":
        best = Candidate(told[0][0], Fit(0, 0, clash=False), told[0][1], 0)
        found = Candidates((best,), (told[0][0].traits.name,), ())
    if told and found.calls and _is_of_act(claim, told, found):
        judged = judge_calls(said, found)
        sure = judged.reason == "batch" or (judged.reason in ("grade", "value") and _NOW.search(claim.text))
        if sure or (
            judged.reason in ("value", "name")
            and claim.subject != "agentless"
            and not (judged.reason == "name" and claim.voice != "state")
            and found.calls[0].shared + found.calls[0].words + found.calls[0].values > 1
        ):
            return judged
    judged = judge_result(said)
    if judged.status in ("supported", "failed") and len(judged.acts) == 1 and reads_as(claim.text) != "failure":
        missing = rejected_by_name(claim.text, judged.acts[0])
        missing = "" if tells_why(claim.text, judged.acts[0]) else missing
        if missing and judged.acts[0].kind == "acting":
            return replace(judged, status="partial_batch", observed=missing[:300], reason="batch")
    if judged.status == "supported" and judged.acts and all(_is_own_text(a, said.meant, values) for a in judged.acts):
        return Judged("")  # what stands in a document that the agent wrote is no result
    done = [act for act in judged.acts if act.kind == "acting" and act.done and act.entry.n > run.this_turn]
    rest = [act for act in judged.acts if act not in done]
    alone = done[:1] == list(judged.acts[:1]) and len(done) == 1 and all(act.kind == "reading" for act in rest)
    if alone and judged.status in ("supported", "unmatched"):
        status, observed, reason = as_repeated(claim.text, values, done, run)
        if status != "supported":
            return replace(judged, status=status, observed=observed[:300], reason=reason)
    if judged.status in ("supported", "unmatched") and found.calls and not judged.tools:
        return replace(judged, tools=found.tools)
    return judged


#: An argument longer than this is a document.
_DOCUMENT: Final = 400


def _is_own_text(act: Act, meant: Meant, values: Sequence[Value]) -> bool:
    """Whether only a document that the call was given has what a claim says, and neither its result nor its options."""
    if act.kind != "acting" or not any(len(text) > _DOCUMENT for _, text in act.arg_pairs()):
        return False
    short = stems_of(" ".join(text for _, text in act.arg_pairs() if len(text) <= _DOCUMENT) + " " + act.output[:4_000])
    return not meant.words & short and not any(act.output_pool().contains(v) for v in values)


_NOW: Final = pattern_of(r"\b(?:now|off|gone|no longer|live|in place|in effect|all set|at last)\b", re.IGNORECASE)


def _is_of_act(claim: FoundClaim, told: Sequence[tuple[Act, float]], found: Candidates) -> bool:
    """Whether an act rather than a look is what tells of a state: it speaks of it as well as any look does."""
    best = found.calls[0].act
    if best.kind == "reading":
        return False
    share = next((s for a, s in told if a is best), 0.0)
    looked = max((s for a, s in told if a.kind == "reading"), default=0.0)
    return share > 0 and (share >= looked or (_NOW.search(claim.text) is not None and share >= looked - 0.2))


def _effect(said: Spoken, previous: tuple[Act, ...]) -> Judged:
    claim, meant, run = said.claim, said.meant, said.run
    if _DONE.fullmatch(claim.text) and any(act.kind in ("acting", "shell") for act in run.acts):
        return Judged("unmatched", required="S3", reason="umbrella")
    found = find_candidates(said)
    told = [(a, s) for a, s in said.told() if a.kind == "reading" and not is_bad(a)]
    if claim.aspect in ("perfect", "none") and meant.verb:
        told = [(a, s) for a, s in told if meant.verb in a.words()]  # an act is told of, unless a record says the same
    shown = None if _names_unmade(meant, [a for a, _ in told], run) else shown_by_a_look(said, found)
    if shown is not None:
        return shown
    if found.calls and not (found.missing and not _same_object(found, meant)):
        return judge_calls(said, found)
    told = [] if _names_unmade(meant, [a for a, _ in told], run) else told
    if claim.subject != "agent" and told and told[0][1] >= 0.6:
        acts = tuple(a for a, _ in told[:2])
        return Judged("supported", (*(a.traits.name for a in acts), *found.tools), acts, "", "told", "S3")
    if not (found.calls or found.named):
        alike = by_content(said)
        if alike.calls:
            return judge_alike(said, alike, found)
    return uncalled(claim, found, run) or stands_alone(said, previous)


def _names_unmade(meant: Meant, looks: Sequence[Act], run: Run) -> bool:
    """Whether a claim names the act of a tool without a call, of which no look says a word: "the refund is sorted"."""
    acts = {word for t in run.traits if t.kind == "acting" and t.name not in run.called for word in t.acts}
    named = meant.words & acts
    return bool(named) and not any(named & a.words() for a in looks)


#: One word that says of all that was to be done that it is.
_DONE: Final = pattern_of(r"\W*(?:done|finished|completed?|sorted)\W*", re.IGNORECASE)


def _same_object(found: Candidates, meant: Meant) -> bool:
    """A call that was done, or taken, shares the very thing that the claim names, and its verb is akin."""
    return any(
        c.act.grade in ("S2", "S3", "S4")
        and c.act.kind != "reading"
        and not is_another_act(meant, c.act.traits)
        and (
            (c.shared and c.fit.verb >= 1.5)
            or c.shared + c.values >= 2
            or (c.fit.noun >= 2 and c.shared + c.values > 0)
            or (c.fit.verb >= 1.5 and c.shared + c.values + c.words >= 4)
        )
        for c in found.calls
    )
