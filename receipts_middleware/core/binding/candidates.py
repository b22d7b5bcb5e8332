"""Which calls and which tools a claim may speak of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import TARGETS
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.toolbox import Fits
from receipts_middleware.core.binding.tools import FITS, Fit, Meant, families, is_another_act
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.values import Value

#: How far below the best call another one may lie and still be meant.
_NEAR: Final = 2.0
#: An uncalled tool must fit so much better than what was called before a claim is taken to speak of it.
_BETTER: Final = 1.5
#: ... and so much where the claim's verb is its own and of one meaning.
_EXACT: Final = 0.5
#: Verbs that many acts are called by.
_COMMON: Final = frozenset(
    stem(w) for w in "add create update send set make change schedule put edit modify open get give move post".split()
)
#: Tools whose names say little of what a call of them does.
_OPEN_KINDS: Final = frozenset({"shell", "unknown"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call that a claim may speak of.

    Attributes:
        act: The call.
        fit: How its tool fits by words.
        score: The fit and what the call itself shares with the claim.
        shared: Values that name a thing (ids, addresses, paths) which both have.
        values: Other values that both have.
        words: Words that both have.
    """

    act: Act
    fit: Fit
    score: float
    shared: int
    values: int = 0
    words: int = 0


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a claim may speak of.

    Attributes:
        calls: Calls, best first.
        tools: Names of tools that could have done it, best first; called or not.
        missing: Names of tools without a call that fit clearly better than anything that was called.
        named: Some tool's very name speaks of the claim's act and thing.
    """

    calls: tuple[Candidate, ...]
    tools: tuple[str, ...]
    missing: tuple[str, ...]
    named: bool = False


def find_candidates(said: Spoken) -> Candidates:
    """Calls and tools that a claim of an act may speak of.

    Args:
        said: The claim.
    """
    meant, run = said.meant, said.run
    fits = Fits(meant, run.toolbox())
    calls = [c for act in run.acts if (f := fits.get(act.traits.name)) is not None and (c := _call(said, act, f))]
    calls.sort(key=lambda c: -c.score)
    floor = max(FITS, calls[0].score - _NEAR) if calls else FITS
    kept = tuple(c for c in calls if c.score >= floor)
    missing = _missing(meant, fits, kept, run) or _unknown_names(said.names(), fits, kept, run)
    floor = max(FITS, fits.best() - _NEAR)
    near = [at for at, f in fits.near.items() if f.score >= floor]
    tools = fits.ranked(near, fits.others() if floor <= FITS <= fits.rest.score else ())
    names = fits.box.names
    strong = any(f.named and not f.clash and names[at] not in run.called for at, f in fits.near.items())
    return Candidates(
        kept, tuple(dict.fromkeys([*missing, *(c.act.traits.name for c in kept), *tools])), missing, strong
    )


def _call(said: Spoken, act: Act, found: Fit) -> Candidate | None:
    """A call with what it shares with the claim: its words tell most where the tool's name tells little."""
    if found.clash or (act.kind == "reading" and act.traits.kind == "shell"):
        return None
    meant, kind = said.meant, act.traits.kind
    tells = act.traits.media and not (meant.media or found.noun or found.verb) and is_another_act(meant, act.traits)
    if tells and meant.words.isdisjoint(act.once(_short_words)):
        return None  # a mail that tells of a reservation reserves nothing
    verb = 0.0
    if kind in _OPEN_KINDS or found.verb < FITS:
        own = act.arg_words()
        if meant.verb and (meant.verb in own or meant.verb.removeprefix("re") in own):
            verb = 2.5
        elif kind in _OPEN_KINDS and meant.verbs & families(own, said.run.words):
            verb = 1.0
    if (
        found.verb < FITS
        and meant.verb
        and act.kind == "acting"
        and meant.verb == stem(act.entry.receipt.status_word or "")
    ):
        verb = 2.5  # "queued" of a call that answers so
    common = said.common(act)
    shared, other = common.things, common.values
    words = len(common.words - act.traits.own) + len(meant.words & act.key_words())
    verb = max(found.verb, verb)
    score = verb + found.noun + min(3.0, words) + min(4.0, 2.0 * shared) + min(2.0, other)
    unknown = words < 2 and not verb and not found.noun and not meant.generic
    if unknown and (shared == 0 or (is_another_act(meant, act.traits) and not _is_about(said.values, act))):
        return None  # a mail about order 4821 is no refund of it
    return Candidate(act, found, score, shared, other, words)


def _told_words(act: Act) -> frozenset[str]:
    """Stems of the words of a call's arguments and of what its result tells, without the keys of the result."""
    records = act.records()
    if not records:
        return act.words()
    return act.arg_words() | stems_of(" ".join(text for record in records[:50] for _, text in record.pairs)[:8_000])


#: Characters of a text that names something; a longer one tells of it.
_NAMES: Final = 40


def _short_words(act: Act) -> frozenset[str]:
    """Stems of the words of the short arguments of a call, and of its result."""
    return stems_of(" ".join([*(text for _, text in act.arg_pairs() if len(text) <= _NAMES), act.output[:_NAMES]]))


def _is_about(values: Sequence[Value], act: Act) -> bool:
    """Whether a call was given or returned a thing that the claim names, and did not only write of it."""
    given = {text.strip().lower().lstrip("#") for _, text in act.arg_pairs() if len(text) <= 64}
    return any(v.norm in given or act.output_pool().contains(v) for v in values if v.kind in TARGETS)


def _missing(meant: Meant, fits: Fits, kept: Sequence[Candidate], run: Run) -> tuple[str, ...]:
    """Tools without a call of which the claim clearly speaks rather than of any call."""
    called = max(
        (max(c.fit.score, c.score - 3.0 if c.act.traits.kind in _OPEN_KINDS else 0.0) for c in kept), default=0.0
    )
    verb = max((_verb_of(c) for c in kept), default=0.0)
    noun = max((c.fit.noun for c in kept), default=0.0)
    exact = _BETTER if meant.verb in _COMMON else _EXACT
    own, names = fits.box.own, fits.box.names
    found = [
        at
        for at, f in fits.near.items()
        if f.score >= FITS
        and f.score >= called + (exact if f.verb >= 3 else _BETTER)
        and names[at] not in run.called
        and (
            f.verb > verb
            or (
                f.noun >= noun + (2 if f.verb >= verb else 3)
                and (f.verb >= verb or f.verb >= 1)
                and not any(
                    word in meant.words and any(word in c.act.once(_told_words) for c in kept)
                    for word in own[names[at]]
                )
            )
        )
    ]
    rest = fits.rest
    others = fits.others() if rest.score >= max(FITS, called + _BETTER) and rest.verb > verb else ()
    return tuple(fits.ranked(found, [at for at in others if names[at] not in run.called]))


def _unknown_names(names: Sequence[str], fits: Fits, kept: Sequence[Candidate], run: Run) -> tuple[str, ...]:
    """Tools without a call that fit as well as any, where no call knows a name that the claim gives."""
    if not names or not kept or any(name.lower() in run.seen_text() for name in names):
        return ()
    called = max(c.fit.score for c in kept)
    floor = max(called, FITS + 1)
    box = fits.box.names
    found = [at for at, f in fits.near.items() if f.score >= floor and f.verb >= FITS and box[at] not in run.called]
    return tuple(fits.ranked(found))


def _verb_of(candidate: Candidate) -> float:
    return 2.0 if candidate.act.traits.kind in _OPEN_KINDS and candidate.score >= 4 else candidate.fit.verb
