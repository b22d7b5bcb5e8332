"""Claims that stand as borne out although the call behind them was about another thing than they name.

Of an act told as a state ("WEB-204 belongs to Ines now"), of an act for which a look has the words, and of a look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.numbered import other_code
from receipts_middleware.core.binding.rivals import other_rival
from receipts_middleware.core.binding.slots import other_slot, shown_otherwise
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.dataclass import replace

#: Grades of calls that were taken on.
_DONE: Final = frozenset({"S2", "S3", "S4"})
#: The fit of a verb that is the tool's own or of its family.
_FITS: Final = 2.0


def of_another(said: Spoken, judged: Judged) -> Judged:
    """What becomes of a claim in the light of what its call was about.

    Args:
        said: The claim.
        judged: What became of it by its words and values.

    Returns:
        The same, or that the call was about another thing.
    """
    claim = said.claim
    if judged.status != "supported" or claim.negated or claim.kind == "umbrella" or judged.reason == "target":
        return judged
    if claim.kind == "effect" and judged.reason == "told":
        return judged  # how things stood, which a look showed
    for act in _behind(said, judged.acts):
        if act.check_args and (other := _other(said, act)):
            return replace(judged, status="wrong_target", acts=(act,), observed=other[:300], reason="name")
    return judged


def _other(said: Spoken, act: Act) -> str:
    """What all calls of a tool were about, where the claim names another thing in each case."""
    other = _of_one(said, act)
    if not other:
        return ""
    rest = [a for a in said.run.acts if a is not act and a.traits.name == act.traits.name]
    return other if all(_of_one(said, a) for a in rest) else ""


def _of_one(said: Spoken, act: Act) -> str:
    return (
        other_rival(said, act)
        or other_slot(said, act)
        or shown_otherwise(said, act)
        or (other_code(said, act) if said.has_digits() and act.kind == "acting" else "")
    )


def _behind(said: Spoken, acts: Sequence[Act]) -> list[Act]:
    """Calls of which a claim tells: looks of a check, and acts that were done in this turn."""
    claim, run = said.claim, said.run
    if claim.kind == "check":
        return [act for act in acts if act.kind != "acting"]
    done = [a for a in run.acts if a.kind == "acting" and a.grade in _DONE and a.entry.n > run.this_turn]
    if claim.kind == "effect":
        return [] if any(act.kind == "acting" for act in acts) else [a for a in done if _is_of(said, a)]
    shares = {id(act): share for act, share in said.told()}
    looked = max((shares.get(id(act), 0.0) for act in run.acts if act.kind == "reading"), default=0.0)
    own = [a for a in done if said.fit(a.traits).verb >= _FITS and a.traits.head in stems_of(said.text)]
    return [a for a in done if a in own or (a in acts and shares.get(id(a), 0.0) >= looked)]


def _is_of(said: Spoken, act: Act) -> bool:
    """Whether a claim of an act may be of a call: by its verb, or by a value that the call was given."""
    verb = said.meant.verb
    named = said.claim.voice != "state" and verb in act.arg_words()
    return named or said.fit(act.traits).verb >= 1 or any(act.args_pool().contains(v) for v in said.values)
