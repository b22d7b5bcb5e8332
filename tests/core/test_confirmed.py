"""What evidence from outside says, what a confirmation is worth, and what it makes of claims. No framework."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware import Confirmation, UsageError, confirm, verify
from receipts_middleware.core.confirmation import check_confirmation, newest_of, parse_confirmation
from receipts_middleware.core.outside import read_outside
from receipts_middleware.core.receipt import Malformed, Receipt
from receipts_middleware.signing import Ed25519Key, Keyring, SigningKey

KEY = b"k" * 32
RING = Keyring(KEY)
AT = datetime(2026, 11, 30, 10, 5, tzinfo=UTC)
HEX = "0" * 64
QUEUED = Receipt(
    uid="aa" * 10, n=1, tool_call_id="c1", tool="send_email", outcome="success", outcome_source="body",
    args_sha256=HEX, output_sha256=HEX, output_bytes=2, created_at="2026-11-30T10:00:00.000Z",
    object_id="m-1", status_word="queued", scope={"thread": "t1"},
)  # fmt: skip


@pytest.mark.rows("grade/outside.json")
def test_what_evidence_says(row):
    found = read_outside(row["evidence"], "send_email", "m-1")
    assert (found.state, found.word) == (row["state"], row["word"]), found
    assert (found.state is None) == bool(found.reason)
    if not isinstance(row["evidence"], str):
        assert read_outside(json.dumps(row["evidence"]).encode(), "send_email", "m-1") == found


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["delivered", "failed", "queued"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["status", "event", "id", "x"]), inner),
    max_leaves=20,
)


@given(JSON | st.binary(max_size=20))
def test_evidence_raises_nothing_and_confirms_the_same_twice(evidence):
    one = confirm(QUEUED, evidence, at=AT)
    two = confirm(QUEUED, evidence, at=AT)
    assert one == two
    if one.confirmation is not None:
        assert parse_confirmation(json.loads(json.dumps(one.confirmation.to_dict()))) == one.confirmation
        assert len(one.line) < 700
        assert "\n" not in one.line


def deep():
    value = {"status": "delivered"}
    for _ in range(100_000):
        value = {"data": value}
    return value


def test_deep_and_wide_evidence_is_bounded():
    assert read_outside(deep(), "send_email").state is None
    assert read_outside([{"x": 1}] * 100_000, "send_email", "m-1").state is None
    assert read_outside('{"a":' * 50_000, "send_email").state is None


LINES = [
    ({"event": "delivered"}, {"about": "the mail to Ana"}, "the mail to Ana was delivered"),
    ({"event": "delivered"}, {}, "send_email (m-1) was delivered"),
    ({"event": "bounce"}, {"about": "the mail"}, "the mail failed (bounced)"),
    ({"status": "succeeded"}, {"about": "the payment"}, "the payment succeeded"),
    ({"status": "complete"}, {"about": "the payment"}, "the payment was confirmed (complete)"),
    ({}, {"about": "the mail", "state": "confirmed"}, "the mail was confirmed"),
    ({}, {"about": "the mail", "state": "failed"}, "the mail failed"),
    ({"event": "delivered"}, {"about": "it", "state": "failed"}, "it failed"),
    ({"event": "delivered"}, {"about": "a\nb\u202ec\x1b[2J"}, "a b c [2J was delivered"),
]


@pytest.mark.parametrize(("evidence", "options", "line"), LINES, ids=[str(n) for n in range(len(LINES))])
def test_the_line_for_the_user(evidence, options, line):
    assert confirm(QUEUED, evidence, at=AT, **options).line == f"Update: {line} at 2026-11-30 10:05 UTC."


def verdicts(reply, receipt=QUEUED, **options):
    v = verify(reply, [receipt.to_dict()], tools=["send_email"], **options)
    return [claim.status for claim in v.claims], [claim.grade for claim in v.claims], v


SENT = "I sent the email [r1 send_email]."
DELIVERED = "I sent the email and it was delivered [r1 send_email]."


def test_an_accepted_act_becomes_supported_and_so_does_that_it_was_delivered():
    done = confirm(QUEUED, {"event": "delivered"}, at=AT).confirmation
    assert verdicts(SENT)[0] == ["accepted_only"]
    assert verdicts(SENT, confirmations=[done])[:2] == (["supported"], ["S4"])
    assert "supported" not in verdicts(DELIVERED)[0]
    found, grades, v = verdicts(DELIVERED, confirmations=[done.to_dict()])
    assert set(found) == {"supported"}
    assert set(grades) == {"S4"}
    assert v.verdict == "clean"
    assert verdicts(SENT, confirmations=done)[0] == verdicts(SENT, confirmations=done.to_dict())[0] == ["supported"]
    trust = {"confirmed": ["r1"], "failed": [], "ignored": {}, "signatures": "unsigned"}
    assert v.trust["confirmations"] == trust


def test_a_done_act_that_failed_afterwards_no_longer_bears_out_the_claim():
    sent = replace(QUEUED, status_word="sent")
    failed = confirm(sent, {"event": "bounce"}, at=AT).confirmation
    assert verdicts(SENT, sent)[0] == ["supported"]
    found, grades, v = verdicts(SENT, sent, confirmations=[failed])
    assert (found, grades) == (["failed"], ["F"])
    assert v.trust["confirmations"]["failed"] == ["r1"]
    assert verdicts("The email bounced [r1 send_email].", sent, confirmations=[failed])[2].ok


@pytest.mark.parametrize("outcome", ["rejected", "not_executed", "no_result", "error", "interrupted"])
def test_what_failed_or_never_ran_is_not_lifted(outcome):
    receipt = replace(QUEUED, outcome=outcome, status_word=None)
    done = confirm(receipt, "delivered", at=AT).confirmation
    assert verdicts(SENT, receipt, confirmations=[done])[0] != ["supported"]


def test_the_latest_counts_and_of_two_at_once_the_failure():
    def at(hour, state):
        return confirm(QUEUED, [hour, state], state=state, at=AT.replace(hour=hour)).confirmation

    for order in ([at(9, "confirmed"), at(11, "failed")], [at(11, "failed"), at(9, "confirmed")]):
        assert verdicts(SENT, confirmations=order)[0] == ["failed"]
    assert verdicts(SENT, confirmations=[at(9, "failed"), at(11, "confirmed")])[0] == ["supported"]
    both = [at(9, "failed"), at(9, "confirmed")]
    assert newest_of(both) == newest_of(both[::-1]) == {QUEUED.uid: both[0]}


@pytest.mark.parametrize("key", [KEY, SigningKey(KEY, "ops"), Ed25519Key(KEY)], ids=["bytes", "named", "ed25519"])
def test_a_signature_covers_every_field(key):
    done = confirm(QUEUED, "delivered", at=AT, source="mail", signing_key=key).confirmation
    ring = Keyring(key.public if isinstance(key, Ed25519Key) else key)
    assert check_confirmation(done, ring) == "valid"
    body = done.to_dict()
    assert set(body) == {"v", "uid", "state", "at", "evidence_sha256", "word", "source", "line", "scope", "sig"}
    other = {
        "state": "failed",
        "at": "2026-11-30T10:06:00.000Z",
        "evidence_sha256": "1" * 64,
        "scope": {"thread": "t2"},
    }
    for name in set(body) - {"v", "sig"}:
        for changed in ({**body, name: other.get(name, "other")}, {k: v for k, v in body.items() if k != name}):
            found = parse_confirmation(changed)
            assert isinstance(found, Malformed) or check_confirmation(found, ring) != "valid", name
    unsigned = parse_confirmation({k: v for k, v in body.items() if k != "sig"})
    assert check_confirmation(unsigned, ring) == "unsigned"
    assert check_confirmation(done, Keyring(b"o" * 32)) == "unknown_key"


def signed(key=KEY, **changes):
    from receipts_middleware.core.seal import seal_receipt

    return seal_receipt(replace(QUEUED, **changes), SigningKey(key))


def test_under_a_key_only_what_it_signed_counts():
    receipt = signed()
    good = confirm(receipt, "delivered", at=AT, signing_key=KEY).confirmation
    assert verdicts(SENT, receipt, signing_key=KEY, confirmations=[good])[0] == ["supported"]
    forged = {
        "unsigned": confirm(receipt, "delivered", at=AT).confirmation,
        "unknown_key": confirm(receipt, "delivered", at=AT, signing_key=b"o" * 32).confirmation,
        "bad": replace(good, at="2026-11-30T11:00:00.000Z"),
        "elsewhere": confirm(signed(scope={"thread": "t2"}), "delivered", at=AT, signing_key=KEY).confirmation,
    }
    for fault, record in forged.items():
        found, _, v = verdicts(SENT, receipt, signing_key=KEY, thread="t1", confirmations=[record])
        assert found == ["accepted_only"], fault
        assert v.trust["confirmations"]["ignored"] == {fault: 1}
        assert {"unsigned_record", "bad_signature", "record_misplaced"} & {f.rule for f in v.findings}


def test_a_genuine_failure_cannot_be_outweighed_by_a_forged_success():
    receipt = signed(status_word="sent")
    failed = confirm(receipt, "bounced", at=AT, signing_key=KEY).confirmation
    forged = confirm(receipt, "delivered", at=AT.replace(hour=12)).confirmation
    assert verdicts(SENT, receipt, signing_key=KEY, confirmations=[failed, forged])[0] == ["failed"]


def test_a_confirmation_makes_no_receipt():
    done = confirm(QUEUED, "delivered", at=AT).confirmation
    v = verify(SENT, [], tools=["send_email"], confirmations=[done])
    assert v.verdict == "fabricated"
    forged = replace(QUEUED, sig=None)
    good = confirm(forged, "delivered", at=AT, signing_key=KEY).confirmation
    assert not verdicts(SENT, forged, signing_key=KEY, confirmations=[good])[2].ok


ODD = {"none": None, "text": "x", "no state": {"v": 1, "uid": "a"}, "long": {"v": 1, "uid": "a" * 9_999}, "list": [1]}


@pytest.mark.parametrize("value", ODD.values(), ids=list(ODD))
def test_what_is_no_confirmation_is_counted_and_changes_nothing(value):
    assert isinstance(parse_confirmation(value), Malformed)
    found, _, v = verdicts(SENT, confirmations=[value])
    assert found == ["accepted_only"]
    assert v.trust["confirmations"]["ignored"] == {"malformed": 1}


@pytest.mark.parametrize(
    ("receipt", "options"),
    [
        ({"v": 1}, {}),
        ("aa", {}),
        (QUEUED, {"state": "done"}),
        (QUEUED, {"graph": object()}),
        (QUEUED, {"at": AT.replace(tzinfo=None)}),
        (QUEUED, {"signing_key": b"short"}),
    ],
    ids=["stamp", "uid", "state", "graph", "at", "key"],
)
def test_what_a_caller_gets_wrong_is_said(receipt, options):
    with pytest.raises(UsageError):
        confirm(receipt, "delivered", **options)


def test_a_confirmation_has_no_number_and_names_no_evidence():
    done = confirm(QUEUED, {"event": "delivered", "secret": "s3cret"}, at=AT, signing_key=KEY).confirmation
    assert isinstance(done, Confirmation)
    assert "n" not in done.to_dict()
    assert "s3cret" not in json.dumps(done.to_dict())
