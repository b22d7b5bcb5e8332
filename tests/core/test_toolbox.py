"""Tools by their words: the same fits as by asking every tool, and only of those that share a word with the claim."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import verify
from receipts_middleware.core.binding import toolbox
from receipts_middleware.core.binding.toolbox import Same, fits_of, toolbox_of
from receipts_middleware.core.binding.tools import Meant, Traits, fit

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


@settings(deadline=None)
@given(MEANT, st.lists(TRAITS, max_size=8))
def test_fits_are_those_of_every_tool(meant: Meant, traits: list[Traits]) -> None:
    wanted = {
        t.name: fit(meant, t)
        for t in traits
        if t.kind != "reading" or meant.verb == t.lead or len(meant.words & t.own) > 1
    }
    assert list(fits_of(meant, toolbox_of(traits)).items()) == list(wanted.items())


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
