"""The chain and the tag: the published bytes, worked out here a second time."""

from __future__ import annotations

import base64
import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.chain import genesis_head, ledger_tag, next_head, stable_namespace

DIGESTS = st.lists(st.binary(min_size=32, max_size=32).map(bytes.hex), max_size=6)
HEAD = "ab" * 32


def test_the_genesis_head_is_over_thread_and_namespace():
    body = b'{"ns":"sub","thread":"thread-1"}'
    assert genesis_head("thread-1", "sub") == hashlib.sha256(b"receipts/1/genesis\0" + body).hexdigest()
    assert len({genesis_head(a, b) for a, b in [("", ""), ("a", ""), ("", "a"), ("ab", ""), ("a", "b")]}) == 5


@given(DIGESTS)
def test_the_next_head_is_over_the_last_one_the_count_and_the_raw_digests(digests):
    raw = b"".join(bytes.fromhex(digest) for digest in digests)
    body = b"receipts/1/turn\0" + bytes.fromhex(HEAD) + struct.pack(">I", len(digests)) + raw
    assert next_head(HEAD, digests) == hashlib.sha256(body).hexdigest()


def test_order_and_number_of_receipts_change_the_head():
    one, two = "11" * 32, "22" * 32
    heads = [next_head(HEAD, given) for given in ([], [one], [two], [one, two], [two, one], [one, one])]
    assert len(set(heads)) == len(heads)


@pytest.mark.parametrize(
    ("checkpoint_ns", "stable"),
    [
        ("", ""),
        ("tools:77b", ""),
        ("model:1", ""),
        ("sub:ce2b|tools:77b", "sub"),
        ("a:1|b:2|tools:3", "a|b"),
        ("sub|tools:1", "sub"),
    ],
)
def test_a_namespace_is_without_its_last_segment_and_without_task_ids(checkpoint_ns, stable):
    assert stable_namespace(checkpoint_ns) == stable


@given(st.text())
def test_a_tag_is_4_base32_characters_of_the_seed(seed):
    digest = hashlib.sha256(seed.encode("utf-8", "replace")).digest()
    assert ledger_tag(seed) == base64.b32encode(digest)[:4].decode()


def test_a_seed_that_is_no_valid_text_has_a_tag():
    assert len(ledger_tag("\ud835")) == 4
