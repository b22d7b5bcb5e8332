"""The digest of a receipt is that of its canonical form, also where the C encoder writes it."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Child, Receipt

TEXT = st.text(alphabet=st.characters(), max_size=40)  # surrogates, controls and signs beyond the BMP among them


FIELDS = st.fixed_dictionaries(
    {
        "tool": TEXT,
        "tool_call_id": TEXT,
        "n": st.integers(1, 9_999_999_999),
        "object_id": st.none() | TEXT,
        "exit_code": st.none() | st.integers(-255, 255),
        "scope": st.none() | st.dictionaries(TEXT | st.sampled_from(["$ns", "ns"]), TEXT, max_size=3),
        "extra": st.dictionaries(st.sampled_from(["later", "$odd"]), st.integers() | TEXT | st.floats(), max_size=2),
        "children": st.lists(st.builds(Child, agent=TEXT, ended=TEXT, calls=st.integers(0, 9)), max_size=2).map(tuple),
    }
)


@given(fields=FIELDS)
def test_the_digest_is_that_of_the_canonical_form(fields):
    receipt = Receipt(
        uid="u",
        outcome="success",
        outcome_source="framework",
        args_sha256=EMPTY_TEXT_SHA256,
        output_sha256=EMPTY_TEXT_SHA256,
        output_bytes=0,
        created_at="",
        sig={"alg": "HS256"},
        **fields,
    )
    body = receipt.to_dict()
    del body["sig"]

    assert receipt.digest() == hashlib.sha256(b"receipts/1/receipt\0" + canon(body)).hexdigest()
