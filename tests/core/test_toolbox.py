"""Tools by their words: the same fits as by asking every tool, and only of those that share a word with the claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import verify
from receipts_middleware.core.binding import toolbox
from receipts_middleware.core.binding.toolbox import Fits, Same, toolbox_of
from receipts_middleware.core.binding.tools import FITS, Fit, Meant, Traits, fit

NOTHING = Fit(0.0, 0.0, clash=False)
WORDS = st.frozensets(st.sampled_from("send email order refund find book".split()), max_size=3)
TRAITS = st.builds(
    Traits,
    name=st.sampled_from([f"tool_{n}" for n in range(9)]),
    kind=st.sampled_from(["acting", "reading", "shell", "unknown"]),
    own=WORDS,
    told=WORDS,
    verbs=WORDS,
    told_verbs=WORDS,
    nouns=WORDS,
    media=WORDS,
    lead=st.sampled_from(["", "send", "find"]),
    acts=WORDS,
)
MEANT = st.builds(
    Meant,
    verb=st.sampled_from(["", "send", "find", "paint"]),
    verbs=WORDS,
    words=WORDS,
    nouns=WORDS,
    media=WORDS,
    generic=st.booleans(),
    also=st.sampled_from(["", "book"]),
)


def fits_by_name(fits: Fits, traits: list[Traits]) -> dict[str, Fit]:
    """Fits of the tools that are not left out."""
    return {t.name: f for t in traits if (f := fits.get(t.name)) is not None}


@settings(deadline=None)
@given(MEANT, st.lists(TRAITS, max_size=8, unique_by=lambda tool: tool.name))
def test_fits_are_those_of_every_tool(meant: Meant, traits: list[Traits]) -> None:
    meant = replace(meant, generic=False)
    wanted = {
        t.name: fit(meant, t)
        for t in traits
        if t.kind != "reading" or meant.verb == t.lead or len(meant.words & t.own) > 1
    }
    found = Fits(meant, toolbox_of(traits))
    assert fits_by_name(found, traits) == wanted
    near = {traits[at].name: f for at, f in found.near.items()}
    assert near == {name: wanted[name] for name in near}
    assert {name for name, f in wanted.items() if f.score >= FITS} <= near.keys()


@settings(deadline=None)
@given(MEANT, st.lists(TRAITS, max_size=8, unique_by=lambda tool: tool.name))
def test_a_verb_that_names_no_act_fits_all_that_acts_or_speaks_of_the_things(
    meant: Meant, traits: list[Traits]
) -> None:
    plain = Fits(replace(meant, generic=False), toolbox_of(traits))
    fits = fits_by_name(plain, traits)
    named = any(f.noun >= FITS and not f.clash for f in fits.values())
    kinds = {t.name: t.kind for t in traits}
    lifted = {
        name
        for name, f in fits.items()
        if not f.clash and (f.noun >= FITS if named else kinds[name] == "acting") and f.verb < FITS
    }
    found = Fits(replace(meant, generic=True), toolbox_of(traits))
    wanted = {name: Fit(FITS, f.noun, f.clash, f.named) if name in lifted else f for name, f in fits.items()}
    assert fits_by_name(found, traits) == wanted
    able = [at for at, t in enumerate(traits) if wanted.get(t.name, NOTHING).score >= FITS]
    assert {*found.near, *(found.others() if found.rest.score >= FITS else ())} >= set(able)
    near, others = [at for at in able if at in found.near], [at for at in able if at not in found.near]
    assert found.ranked(reversed(near), others) == sorted(
        (traits[at].name for at in able), key=lambda n: -wanted[n].score
    )


def test_a_claim_is_held_against_tools_that_share_a_word_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counting(meant: Meant, traits: Traits) -> object:
        asked.append(traits.name)
        return fit(meant, traits)

    monkeypatch.setattr(toolbox, "fit", counting)
    tools = [("send_email", "Send an email."), *((f"paint_wall_{n}", f"Paint wall {n}.") for n in range(500))]
    found = verify("I sent an email to Ada.", [], tools=tools)
    assert [claim.tools for claim in found.claims] == [("send_email",)]
    assert set(asked) == {"send_email"}


def test_lists_are_the_same_by_their_very_tools() -> None:
    one, other = object(), object()
    assert Same([one, other]) == Same((one, other))
    assert Same([one, other]) != Same([other, one])
    assert Same([one]) != [one]
