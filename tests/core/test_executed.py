"""Rows of a sink are read back as evidence, whoever wrote them; a ledger is held against them."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import verify_messages
from receipts_middleware.core.canonical import digest_args, digest_text
from receipts_middleware.core.executed import SinkRow, ledger_of, parse_row, read_rows
from receipts_middleware.core.receipt import Malformed, Receipt

AT = "2026-01-01T00:00:00.000Z"
ARGS, OUTPUT = {"to": "a@example.com"}, '{"status": "sent", "message_id": "m-1"}'


def receipt(uid: str = "u1", n: int = 1, **further: object) -> Receipt:
    values: dict[str, object] = {
        "tool_call_id": f"c{n}",
        "tool": "send_email",
        "outcome": "success",
        "outcome_source": "body",
        "args_sha256": digest_args(ARGS).sha256,
        "output_sha256": digest_text(OUTPUT),
        "output_bytes": len(OUTPUT),
        "created_at": AT,
    }
    return Receipt(uid=uid, n=n, **{**values, **further})  # type: ignore[arg-type]


def rows(uid: str = "u1", n: int = 1, event: str = "done", **further: object) -> list[dict[str, object]]:
    """Start and end of an execution, as a store holds them."""
    made = receipt(uid, n, **further)
    common = {"v": 1, "uid": uid, "at": AT, "n": n, "thread": "t", "tool": "send_email", "tool_call_id": f"c{n}"}
    facts = {"args": ["a@example.com"], "output": ["m-1"]}
    end = {"receipt": made.to_dict(), "digest": made.digest(), "facts": facts, "args": dict(ARGS), "output": OUTPUT}
    return [
        {**common, "event": "start", "body": {"args_sha256": made.args_sha256}},
        {**common, "event": event, "body": end},
    ]


def read(*stored: object):
    return read_rows(parse_row(value, seq) for seq, value in enumerate(stored, 1))


class Store:
    """A sink that holds these values."""

    def __init__(self, *stored: object) -> None:
        self._rows = [parse_row(value, seq) for seq, value in enumerate(stored, 1)]

    def read(self, *, thread=None, run=None, uids=None):
        def wanted(row):
            if isinstance(row, Malformed):
                return True
            return (thread is None or row.thread == thread) and (uids is None or row.uid in uids)

        return [row for row in self._rows if wanted(row)]


def transcript(n: int = 1) -> list[dict]:
    """The run that the rows are of, without stamps."""
    calls = [
        {"id": f"c{i}", "type": "function", "function": {"name": "send_email", "arguments": '{"to": "a@example.com"}'}}
        for i in range(1, n + 1)
    ]
    results = [{"role": "tool", "tool_call_id": f"c{i}", "content": OUTPUT} for i in range(1, n + 1)]
    reply = {"role": "assistant", "content": "I sent the mail to a@example.com [r1 send_email]."}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *results,
        reply,
    ]


def test_a_start_and_an_end_are_one_execution() -> None:
    (executed,) = read(*rows()).executions
    assert (executed.receipt, executed.is_open) == (receipt(), False)
    entry = executed.entry()
    assert (entry.origin, entry.call.args, entry.result.text) == ("recorded", ARGS, OUTPUT)


def test_a_start_alone_is_a_call_of_which_nobody_knows_the_end() -> None:
    (executed,) = read(rows()[0]).executions
    assert (executed.receipt.outcome, executed.is_open, executed.digest) == ("no_result", True, "")


def test_an_end_alone_says_everything() -> None:
    (executed,) = read(rows()[1]).executions
    assert executed.receipt == receipt()


def test_the_first_row_of_a_phase_counts() -> None:
    """Whoever can only append cannot change what was said."""
    start, end = rows()
    late = copy.deepcopy(end)
    late["body"]["receipt"]["outcome"] = "error"
    (executed,) = read(start, end, late).executions
    assert executed.receipt.outcome == "success"


@pytest.mark.parametrize(
    "change",
    [
        {"receipt": None},
        {"receipt": {"v": 1}},
        {"receipt": receipt("other").to_dict()},
        {"receipt": receipt(n=2).to_dict()},
    ],
    ids=["none", "no receipt", "of another execution", "of another call"],
)
def test_an_end_whose_receipt_is_not_its_own_is_malformed(change) -> None:
    start, end = rows()
    end["body"] = {**end["body"], **change}
    found = read(start, end)
    assert (list(found.executions), found.malformed) == ([], 1)


def test_of_several_executions_of_a_call_the_last_that_returned_counts() -> None:
    stored = [
        *rows("u1", event="raised", outcome="error"),
        *rows("u2"),
        *rows("u3", event="interrupted", outcome="interrupted"),
        rows("u4")[0],
    ]
    (entry,) = ledger_of(read(*stored).executions)
    assert entry.receipt.uid == "u2"


def test_facts_of_a_row_are_bounded() -> None:
    start, end = rows()
    end["body"]["facts"] = {"args": ["x"] * 100_000, "output": ["y" * 100_000, 7, None], "other": ["z"]}
    (executed,) = read(start, end).executions
    assert {name: len(values) for name, values in executed.facts.items()} == {"args": 16, "output": 0}


def test_the_sink_bears_out_a_run_without_stamps() -> None:
    v = verify_messages(transcript(), sink=Store(*rows()), thread="t")
    assert (v.verdict, v.trust["sink"]["matched"], v.trust["stamped"]) == ("clean", ["r1"], 1)
    assert verify_messages(transcript(), sink=Store(), thread="t").verdict == "fabricated"
    assert verify_messages(transcript(), sink=Store(*rows()), thread="other").verdict == "fabricated"


def test_a_call_that_never_ended_is_not_borne_out_by_its_message() -> None:
    v = verify_messages(transcript(), sink=Store(rows()[0]), thread="t")
    assert not v.ok
    assert v.trust["sink"]["open"] == ["r1"]


def test_what_only_the_sink_has_beyond_the_turn_is_listed_and_not_its_evidence() -> None:
    v = verify_messages(transcript(), sink=Store(*rows(), *rows("u2", 2), *rows("u3", 3)), thread="t")
    assert (v.trust["sink"]["only_in_sink"], len(v.ledger)) == (["r2", "r3"], 1)


def test_every_list_has_a_bound() -> None:
    many = transcript(1_500)
    v = verify_messages(many, sink=Store(), thread="t")
    assert len(v.trust["sink"]["missing"]) == 1_000


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def paths(value: object, at: tuple = ()) -> list[tuple]:
    found = [at]
    if isinstance(value, dict):
        for key, item in value.items():
            found += paths(item, (*at, key))
    return found


@settings(max_examples=300, deadline=None)
@given(data=st.data(), junk=PLAIN)
def test_no_row_makes_the_verifier_raise_or_believe_more(data, junk) -> None:
    """Any one field of what is stored, replaced by anything."""
    stored = rows()
    where = data.draw(st.sampled_from([(i, *path) for i, row in enumerate(stored) for path in paths(row)]))
    holder: object = stored
    for key in where[:-1]:
        holder = holder[key]  # type: ignore[index]
    holder[where[-1]] = junk  # type: ignore[index]
    v = verify_messages(transcript(), sink=Store(*stored), thread="t")
    assert v.trust["sink"]["state"] == "compared"
    if not v.trust["sink"]["matched"]:
        assert not v.ok


def test_a_row_reads_back_as_it_was_written() -> None:
    for value in rows():
        row = parse_row(value)
        assert isinstance(row, SinkRow)
        assert parse_row(row.to_dict()) == row
