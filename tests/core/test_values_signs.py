"""Signs of a text: they spare readers work and never hide a value; letters that look like others do no harm."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.values import read, read_values
from receipts_middleware.core.values.signs import Signs


class Everything(Signs):
    """Signs of a text that may hold anything."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.digits = self.numbers = self.counts = True

    years = money = True

    def has(self, *parts: str) -> bool:
        return True

    def has_word(self, words: object) -> bool:
        return True


_PIECES = st.sampled_from(
    """five FIVE twenty-one hundred a an million EUR euros bucks percent per cent both couple of pair half dozen hour
    fortnight quarter past to six noon MIDNIGHT Monday FRIDAY May DEC 3 4821 07:30 2 pm at orders PNR ref ABCDEF flight
    EX210 commit ending last with 7f01c2e main branch Branches fix/a dev `x` trunk a.py README.md www.a.example http://a.b/c
    + # #ops +441632960000 . , - _ ( )""".split()
)


@settings(max_examples=300)
@given(st.lists(_PIECES, max_size=12), st.sampled_from([" ", "", "_", "-", ". "]))
def test_signs_hide_no_value(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read, "Signs", Everything)
        without = read._read(text, None)
    assert read._read(text, None) == without


def test_a_sentence_without_numbers_is_not_searched_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for name in ("read_money", "read_percents", "read_counts", "list_markers"):
        monkeypatch.setattr(read, name, lambda text, *_, name=name: asked.append(name) or ())
    read_values("I sent the letter to the customer, as you wished.")
    assert asked == []
    read_values("I sent five letters.")
    assert asked == ["read_percents", "read_counts"]
    asked.clear()
    read_values("I sent five dollars.")
    assert asked == ["read_money", "read_percents", "read_counts"]


@pytest.mark.parametrize(
    ("text", "norms"),
    [
        ("ten past \u017fix", ["06:10"]),
        ("m\u0131dnight", ["00:00"]),
        ("five bu\u212as and five buc\u212as", ["5", "5"]),
        ("\u017fix point\u017f", ["6"]),
        ("\u0130NVOICE 4821", ["4821"]),
        ("TWENTY-F\u0130VE", ["25"]),
    ],
)
def test_letters_that_patterns_take_for_others_are_read_as_those(text: str, norms: list[str]) -> None:
    found = read_values(text)
    assert [value.norm for value in found] == norms
    assert [text[value.start : value.end] for value in found] == [value.text for value in found]
