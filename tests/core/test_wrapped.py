"""The prose of a reply that is a JSON object stands where it stood; anything else is left as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.claims.wrapped import MAX_WRAPPED, unwrapped

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=12), VALUES, max_size=5), st.booleans())
def test_every_character_keeps_its_place(body: dict, ascii_only: bool) -> None:
    text = json.dumps(body, ensure_ascii=ascii_only)
    plain = unwrapped(text)
    assert len(plain) == len(text)
    for at, character in enumerate(plain):
        assert character in (text[at], " ", "\n") or "\\" in text[max(0, at - 5) : at + 1]


@given(st.text(max_size=200).map(lambda text: "{" + text))
def test_what_is_no_object_stays_as_it_is(text: str) -> None:
    try:
        is_object = isinstance(json.loads(text), dict)
    except ValueError:
        is_object = False
    if not is_object:
        assert unwrapped(text) == text


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ('{"message": "I sent it to you.\\n\\"Now\\" \\u2705 rest"}', 'I sent it to you. \n "Now "      ✅ rest'),
        ('{"a": {"b": ["I sent it to you."]}}', "I sent it to you."),
        ('{"I sent it to": 1, "id": "two words"}', '{"I sent it to": 1, "id": "two words"}'),
        ('["I sent it to you."]', '["I sent it to you."]'),
        ("{" + " " * MAX_WRAPPED + '"a": "I sent it to you."}', None),
    ],
)
def test_only_values_that_are_prose_are_read(text: str, prose: str | None) -> None:
    assert unwrapped(text).strip() == (text if prose is None else prose)
