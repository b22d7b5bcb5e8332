"""What became of a claim that something was done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.asked import only_asked
from receipts_middleware.core.binding.asked_names import asked_another
from receipts_middleware.core.binding.batches import batch_of
from receipts_middleware.core.binding.candidates import Candidate, Candidates
from receipts_middleware.core.binding.compare import TARGETS, Compared, agrees, compare
from receipts_middleware.core.binding.granted import done_other, echoed_other, granted_other, mistyped, nothing_yet
from receipts_middleware.core.binding.grounds import is_derived
from receipts_middleware.core.binding.names import others_named
from receipts_middleware.core.binding.reasons import tells_why
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.things import listings_of
from receipts_middleware.core.binding.tools import Traits
from receipts_middleware.core.binding.words import stem, stems, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import is_participle
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Value
from receipts_middleware.core.wording import reads_as

#: How strong the evidence must be for what the words claim.
REQUIRED: Final = {"attempted": "S1", "accepted": "S2", "done": "S3", "confirmed": "S4"}
_RANK: Final = {"S0": 0, "F": 1, "S1": 1, "S2": 2, "S3": 3, "S4": 4}


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a claim.

    Attributes:
        status: As in docs/formats.md; empty where nothing can be said and the claim is dropped.
        tools: Tools that could have done it.
        acts: Calls that were weighed.
        observed: What they show instead.
        reason: Why, as a code.
    """

    status: str
    tools: tuple[str, ...] = ()
    acts: tuple[Act, ...] = ()
    observed: str = ""
    reason: str = ""
    required: str = "S3"


def judge_calls(said: Spoken, found: Candidates) -> Judged:
    """Weigh the calls that a claim speaks of.

    Args:
        said: The claim.
        found: Calls that it may speak of; at least one.

    Returns:
        Supported, or how far the evidence falls short.
    """
    claim, values, run = said.claim, said.values, said.run
    required = required_of(claim, found)
    tools = found.tools
    compared = {id(c): compare(claim.text, values, c.act, run, said.mentioned()) for c in found.calls}
    many = len(values) > 2 or len(said.names()) > 1 or _MANY.search(claim.text) is not None
    calls = _closest(found.calls, compared, many=many)
    batch = batch_of(claim, values, found)
    if batch is not None:
        status, acts, observed = batch
        return Judged(status, tools, acts, observed, "batch", required)
    named = others_named(said, calls)
    clean = [c for c in calls if not compared[id(c)].differ and c.act not in named]
    good = [c for c in clean if _RANK[_grade_for(claim, c.act)] >= _RANK[required] or _shows(c.act, values)]
    if not good and any(_grade_for(claim, c.act) != c.act.grade for c in clean):
        wider = [c for c in found.calls if c.fit.verb >= 3 and not compared[id(c)].differ and c not in clean]
        good = [c for c in wider if _RANK[_grade_for(claim, c.act)] >= _RANK[required]]  # the draft was sent by its id
    if good and _is_closer(calls, good, compared):
        good = []
        clean = []
    if good:
        telling = _telling(good, compared)
        status, observed, reason = as_repeated(claim.text, values, telling, run)
        over = claim.strength == "done" and claim.aspect in ("perfect", "past", "none")
        if status == "supported" and len(telling) == 1 and over:
            verb = stem(claim.action) if claim.action else ""
            if observed := nothing_yet(verb, telling[0]):
                status, reason = "accepted_only", "value"
            elif observed := done_other(verb, values, telling[0]):
                status, reason = "partial_batch", "value"
        return Judged(status, tools, telling, observed[:300], reason, required)
    if clean:
        return _fell_short(claim, clean, tools, required)
    elsewhere = _elsewhere(said, calls)
    if elsewhere is not None:
        return Judged("supported", (elsewhere.traits.name, *tools), (elsewhere,), "", "target", required)
    other = next((c for c in calls if compared[id(c)].differ and c.act.done), calls[0])
    if compared[id(other)].differ:
        kind, value, shown = compared[id(other)].differ[0]
        return Judged(kind, tools, (other.act,), f"{value.text}: {shown}"[:300], "value", required)
    return Judged("wrong_target", tools, (other.act,), named.get(other.act, "")[:300], "name", required)


def _fell_short(claim: FoundClaim, clean: Sequence[Candidate], tools: tuple[str, ...], required: str) -> Judged:
    """What becomes of a claim over calls that were not done, or not so far as it says."""
    best = max((c.act for c in clean), key=lambda act: _RANK[act.grade])
    status = _shortfall(_grade_for(claim, best))
    if status == "accepted_only" and (in_its_words(claim, best) or _tells_the_result(claim, best)):
        status = "supported"
    if status == "accepted_only" and all(_is_of_its_family(c) for c in clean):
        return Judged("unmatched", tools, tuple(c.act for c in clean), "", "words", required)
    if status == "failed" and (_tells_why(claim, best) or _tells_where_it_stands(claim, best)):
        status = "supported"
    return Judged(status, tools, tuple(c.act for c in clean), _ending(best), "grade", required)


def _is_of_its_family(candidate: Candidate) -> bool:
    """Whether a claim has no more of a call than a verb of the same family, which stands for many acts."""
    content = candidate.fit.noun + candidate.shared + candidate.values + candidate.words
    return 0 < candidate.fit.verb < _OWN_VERB and not content


#: The fit of a tool's very verb.
_OWN_VERB: Final = 3.0


def as_repeated(text: str, values: Sequence[Value], telling: Sequence[Act], run: Run) -> tuple[str, str, str]:
    """What becomes of a claim that calls bear out by its words, but which may only repeat the request.

    Args:
        text: The claim. Untrusted.
        values: Its values, offsets in it.
        telling: The calls, best first; at least one.
        run: What ran.

    Returns:
        Status (`supported` where nothing speaks against it), what is observed, and why, as a code.
    """
    asked = only_asked(text, values, telling[0], run)
    if len(telling) > 1:
        alone = asked is not None and not any(agrees(asked[1], act) for act in telling)
        return (asked[0], f"{asked[1].text}: {asked[2]}", "asked") if asked and alone else ("supported", "", "")
    act = telling[0]
    asked = asked or granted_other(values, act)
    if asked is None and (typed := mistyped(values, act, run)) and not is_derived(typed[1], text, run, (act,)):
        asked = typed
    if echoed := echoed_other(text, act):
        return "misquoted", echoed, "value"
    if asked is not None:
        return asked[0], f"{asked[1].text}: {asked[2]}", "asked"
    if instead := asked_another(text, act, run):
        return "wrong_target", instead, "asked"
    return "supported", "", ""


#: Words by which a claim is of several things.
_MANY: Final = pattern_of(
    r"\b(?:all|both|every|each|and|two|three|four|five|six|seven|eight|nine|ten|\d+ \w+s)\b", re.IGNORECASE
)
#: Words by which a claim says itself that something was asked for.
_ASKED: Final = pattern_of(
    r"\b(?:request(?:ed|s)?|initiated|submitted|process(?:ed|ing)?|started|queued|placed)\b", re.IGNORECASE
)


def _is_own_verb(verb: str, traits: Traits) -> bool:
    return (verb in traits.own and verb not in traits.states) or verb == traits.head


def required_of(claim: FoundClaim, found: Candidates) -> str:
    """How strong the evidence must be for the words of a claim.

    Args:
        claim: The claim.
        found: Calls that it may speak of.
    """
    if claim.strength == "confirmed" and claim.action == "confirm" and claim.subject != "other":
        words = {stem(word) for word in claim.objects}
        if any(c.act.done and words & c.act.traits.own and c.act.kind == "acting" for c in found.calls):
            return "S3"  # "your booking has been confirmed" says that it was made
        made = [c.act for c in found.calls if c.act.done and c.act.kind == "acting"]
        if claim.aspect == "none" and any(_names(words, act) for act in made):
            return "S3"  # "T. Bell | confirmed" is of the call that was made for Bell
    if claim.strength == "confirmed" and claim.subject != "other" and claim.voice == "passive":
        verb = stem(claim.action) if claim.action else ""
        if any(c.act.done and c.act.kind == "acting" and _is_own_verb(verb, c.act.traits) for c in found.calls):
            return "S3"  # "the alert has been acknowledged" is what `alert_ack` does
    if claim.strength == "done" and _ASKED.search(claim.text):
        return "S2" if claim.action in ("process", "initiate", "request", "submit", "start", "place") else "S3"
    return REQUIRED[claim.strength]


def _names(words: frozenset[str] | set[str], act: Act) -> bool:
    """Whether a claim has a word of a short argument of a call, which names what was acted on."""
    return any(len(text) <= _SHORT_NAME and words & stems_of(text) for _, text in act.arg_pairs())


_SHORT_NAME: Final = 40


def _is_closer(calls: Sequence[Candidate], good: Sequence[Candidate], compared: dict[int, Compared]) -> bool:
    """Whether a call that shows another value is what the claim speaks of, rather than those that show none."""
    spoken = [v for c in good for v in compared[id(c)].agree]
    top = max(c.score for c in good)
    shared = max(c.shared for c in good)
    return any(
        c.act.done
        and c not in good
        and (c.score >= top or c.shared >= shared > 0)
        and any(value not in spoken for _, value, _ in compared[id(c)].differ)
        for c in calls
    )


def _shows(act: Act, values: Sequence[Value]) -> bool:
    """A program that failed in the end shows what it did before that: a commit that stands in its output."""
    if act.kind not in ("shell", "unknown") or act.grade != "F":
        return False
    told = [v for v in values if v.kind in ("id", "count") and len(v.norm) > 3]
    return bool(told) and all(act.output_pool().contains(v) and not act.args_pool().contains(v) for v in told)


def _telling(good: Sequence[Candidate], compared: dict[int, Compared]) -> tuple[Act, ...]:
    """Of the calls that bear a claim out those that share most with it."""
    top = max((len(compared[id(c)].agree), c.score) for c in good)
    kept = [c for c in good if len(compared[id(c)].agree) == top[0] and c.score >= top[1] - 0.5]
    return tuple(c.act for c in kept or good)


def _tells_the_result(claim: FoundClaim, act: Act) -> bool:
    """Whether a state is in the words of a result and in none of the request: "It's the vet's turn now"."""
    words = stems(claim.objects)
    told = words & stems_of(act.output[:4_000])
    return claim.voice == "state" and bool(told) and not words & (act.arg_words() | act.traits.own)


def _tells_why(claim: FoundClaim, act: Act) -> bool:
    """Whether a state is what a call gives as the reason of its failure: "c.log is locked"."""
    stands = claim.subject != "agent" and claim.voice != "active" and claim.aspect == "present"
    return stands and tells_why(claim.text[: claim.core or None], act)


def _tells_where_it_stands(claim: FoundClaim, act: Act) -> bool:
    """Whether a state is what a failure says of the thing, in words that name no act: "P-9 is under stocktake"."""
    words = stems(word for word in claim.objects if not is_participle(word))
    told = words & stems_of(act.output[:_MAX_REASON]) - act.arg_words() - act.traits.own - act.traits.told
    return claim.voice == "state" and claim.aspect == "present" and bool(told) and reads_as(claim.text) != "success"


#: Characters of a result in which it says why it failed.
_MAX_REASON: Final = 400


def in_its_words(claim: FoundClaim, act: Act) -> bool:
    """Whether a claim says of a call just what its status says: "the filing was accepted"."""
    word = (act.entry.receipt.status_word or "").lower()
    if len(word) <= _SHORT_STATUS:
        return False
    said = claim.text[: claim.core or None].lower()
    verb = stem(claim.action) if claim.action else ""
    return re.search(rf"\b{re.escape(word)}\b", said) is not None or (
        bool(verb) and " " in word and verb in stems_of(word)
    )


#: A shorter status is a word of any sentence.
_SHORT_STATUS: Final = 3


def _shortfall(grade: str) -> str:
    if grade in ("S0", "S1", "F"):
        return "failed"
    return "accepted_only" if grade == "S2" else "unconfirmed"


#: Verbs of tools that only set something up which is to happen later, or by somebody else.
_PRELIMINARY: Final = frozenset(stem(w) for w in "schedule queue enqueue draft prepare stage propose plan".split())
_LIGHT: Final = frozenset(stem(w) for w in "create make add new save put".split())
#: What is only so once that has happened.
_COMPLETED: Final = frozenset(
    stem(w) for w in "send post publish pay transfer wire deliver email text release ship deploy tweet go".split()
)
_COMPLETED_STATE: Final = pattern_of(
    r"\b(?:is|are|now|went|[’']s) (?:now )?(?:live|out|up|online|published)\b", re.IGNORECASE
)


def _grade_for(claim: FoundClaim, act: Act) -> str:
    """Grade of a call as evidence for a claim: that a message was scheduled does not show that it was sent."""
    own = act.traits.own
    verb = stem(claim.action) if claim.action else ""
    sets_up = act.traits.lead in _PRELIMINARY or (act.traits.lead in _LIGHT and _PRELIMINARY & own)
    sets_up = sets_up or (bool(_PRELIMINARY & own) and not _COMPLETED & own)
    if act.grade not in ("S3", "S4") or not sets_up or claim.strength != "done":
        return act.grade
    completed = verb in _COMPLETED and verb != act.traits.lead
    if completed or (not verb and _COMPLETED_STATE.search(claim.text)):
        return "S2"
    return act.grade


#: A name of letters and digits ("cad-07", "FOGRA51").
_CODE: Final = pattern_of(r"(?<![\w-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[\w-]{3,40}(?![\w-])")


def _elsewhere(said: Spoken, calls: Sequence[Candidate]) -> Act | None:
    """A call that was done to the very thing that the claim names, where those that fit by words were about others."""
    run = said.run
    things = [v for v in said.values if v.kind in TARGETS]
    names = [name.lower() for name in said.names() if len(name) > 2]
    names += [code.lower() for code in _CODE.findall(said.text)]
    if not things and not names:
        return None
    tried = {id(c.act) for c in calls}
    for act in reversed(run.acts):
        if id(act) in tried or act.kind == "reading" or not act.done or act.entry.n <= run.this_turn:
            continue
        if act.kind == "unknown" and act.once(listings_of):
            continue  # what it lists was not done
        given = act.args_pool()
        if all(given.contains(v) for v in things) and all(name in act.text() for name in names):
            return act
    return None


def _ending(act: Act) -> str:
    receipt = act.entry.receipt
    said = act.graded.reason or receipt.outcome
    return f"{act.entry.id} {said}"[:300]


def _closest(calls: Sequence[Candidate], compared: dict[int, Compared], *, many: bool) -> list[Candidate]:
    """Calls that share most of the things that the claim names; most of its words, where it is of one thing."""
    most = max(sum(v.kind in TARGETS for v in compared[id(c)].agree) for c in calls)
    kept = [c for c in calls if sum(v.kind in TARGETS for v in compared[id(c)].agree) == most]
    tools = {c.act.traits.name for c in kept}
    words = max(c.words for c in kept)
    if len(tools) == 1 and len(kept) > 1 and not many and words > min(c.words for c in kept):
        near = [c for c in kept if c.words == words]  # "Carpet: settled at 420" is of the call for the carpet
        kept = [c for c in kept if c in near or any(_is_retry(c.act, other.act) for other in near)]
    return sorted(kept, key=lambda c: (len(compared[id(c)].differ), -len(compared[id(c)].agree), -c.score))


def _is_retry(act: Act, failed: Act) -> bool:
    """Whether a call did what an earlier one failed to do: what a failure prints shares words with any claim."""
    if not act.done or failed.grade != "F" or act.entry.n <= failed.entry.n or act.traits.name != failed.traits.name:
        return False
    asked = ({(v.kind, v.norm) for v in a.arg_values()} for a in (act, failed))
    return act.arg_words() == failed.arg_words() and next(asked) == next(asked)
