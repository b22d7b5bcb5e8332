"""Numbering and pairing: by position, by id, by name, by order; late, missing, repeated and hostile messages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from receipts_middleware.core.keys import SNAPSHOT_KEY
from receipts_middleware.core.ledger import Ledger, LedgerBuilder
from receipts_middleware.core.snapshot import make_snapshot
from receipts_middleware.core.transcript import Message, ToolCall, ToolResult

HEX = "0123456789abcdef" * 4


def ai(*calls, snapshot=None, text=""):
    given = [c if isinstance(c, ToolCall) else ToolCall(c[1] if len(c) > 1 else "tool", c[0], {}) for c in calls]
    return Message(role="assistant", text=text, calls=tuple(given), snapshot=snapshot)


def result(call_id="", text="ok", *, tool=None, stamp=None, **more):
    found = ToolResult(tool_call_id=call_id, tool=tool, content=text, text=text, stamp=stamp, **more)
    return Message(role="tool", text=text, result=found)


def shows(n, shown="", **more):
    return make_snapshot(n=n, shown=shown, head=HEX, tag="A2BC", **more)


def stamp(n, **more):
    return {
        "v": 1, "uid": f"u{n}", "n": n, "tool_call_id": "a", "tool": "tool", "outcome": "success",
        "outcome_source": "body", "args_sha256": HEX, "output_sha256": HEX, "output_bytes": 2, "created_at": "",
        "prev": HEX, **more,
    }  # fmt: skip


def build(*messages, tools=()) -> Ledger:
    builder = LedgerBuilder(tools=tools)
    for message in messages:
        builder.read(message)
    return builder.ledger()


def rows(ledger):
    return [(e.n, e.tool_call_id, e.outcome, e.pairing) for e in ledger]


def test_calls_are_numbered_by_position_over_messages():
    found = build(ai(("a",), ("b",)), result("b"), result("a"), ai(("c",)), result("c"))
    assert rows(found) == [(1, "a", "success", "exact"), (2, "b", "success", "exact"), (3, "c", "success", "exact")]
    assert [e.receipt.uid for e in found] == ["t0.1", "t0.2", "t3.1"]
    assert [e.origin for e in found] == ["derived"] * 3


def test_a_repeated_id_is_answered_in_order_the_newest_message_first():
    found = build(ai(("a",), ("a",)), result("a", "one"), result("a", "two"), ai(("a",)), result("a", "three"))
    assert [(e.n, e.result.text) for e in found] == [(1, "one"), (2, "two"), (3, "three")]
    found = build(ai(("a",)), ai(("a",)), result("a", "new"), result("a", "old"))
    assert [(e.n, e.result.text) for e in found] == [(1, "old"), (2, "new")]


def test_a_late_result_takes_the_slot_of_its_call():
    found = build(ai(("a",)), ai(("b",)), result("b"), result("a", "late"))
    assert [(e.n, e.result.text) for e in found] == [(1, "late"), (2, "ok")]


def test_a_call_without_a_result_has_none():
    found = build(ai(("a",), ("b",)), result("b"))
    assert [(e.n, e.outcome) for e in found] == [(1, "no_result"), (2, "success")]
    assert found[0].receipt.outcome_source == "framework"


@pytest.mark.parametrize(
    ("kind", "outcome"), [("provider", "provider"), ("answer", "synthetic"), ("invalid", "not_executed")]
)
def test_a_call_that_nobody_here_runs_is_what_it_is(kind, outcome):
    found = build(ai(ToolCall("web_search", "a", {}, kind)))
    assert [(e.n, e.outcome) for e in found] == [(1, outcome)]


def test_without_an_id_a_result_is_paired_by_name_then_by_order_and_that_is_said():
    calls = [("", "read"), ("", "write")]
    found = build(ai(*calls), result(tool="write", text="w"), result(tool="read", text="r"))
    assert [(e.tool, e.result.text, e.pairing) for e in found] == [
        ("read", "r", "inferred"),
        ("write", "w", "inferred"),
    ]
    found = build(ai(*calls), result(text="first"), result(text="second"))
    assert [(e.tool, e.result.text) for e in found] == [("read", "first"), ("write", "second")]


def test_a_result_of_another_name_is_paired_with_nothing():
    found = build(ai(("", "read")), result(tool="write"))
    assert [e.outcome for e in found] == ["no_result"]
    assert [note.rule for note in found.notes] == ["orphan_result"]


def test_a_snapshot_gives_the_base_and_numbers_go_on_from_there():
    found = build(ai(("a",), snapshot=shows(40)), result("a"), ai(("b",)), result("b"))
    assert [e.n for e in found] == [41, 42]


def test_a_stamp_is_read_as_it_stands_and_a_wrong_number_is_told():
    found = build(ai(("a",), snapshot=shows(0)), result("a", stamp=stamp(1)))
    assert (found[0].origin, found[0].receipt.uid, found.notes) == ("stamped", "u1", ())
    found = build(ai(("a",)), result("a", stamp=stamp(5)))
    assert [e.n for e in found] == [5]
    assert [note.rule for note in found.notes] == ["number_mismatch"]


def test_a_stamp_without_its_call_keeps_its_number_and_lifts_the_next():
    found = build(result("a", stamp=stamp(7)), ai(("b",)), result("b"))
    assert rows(found) == [(7, "a", "success", "none"), (8, "b", "success", "exact")]


def test_a_stamp_guesses_no_slot_of_another_call():
    found = build(ai(("", "tool")), result("zz", tool="tool", stamp=stamp(9)))
    assert [(e.n, e.outcome, e.origin) for e in found] == [(1, "no_result", "derived"), (9, "success", "stamped")]


def test_two_results_of_one_number_leave_the_first():
    found = build(ai(("a",)), result("a", "one", stamp=stamp(1)), result("x", "two", stamp=stamp(1, uid="other")))
    assert [e.result.text for e in found] == ["one"]
    assert [note.rule for note in found.notes] == ["duplicate_number"]


def test_a_malformed_stamp_counts_as_none():
    found = build(ai(("a",)), result("a", stamp={"v": 1}))
    assert [(e.n, e.origin) for e in found] == [(1, "derived")]
    assert [note.rule for note in found.notes] == ["malformed_stamp"]


def test_a_carried_receipt_stands_for_a_message_that_is_gone():
    entries = [{"receipt": stamp(1), "facts": {"args": ["4821"]}}]
    found = build(ai(snapshot=shows(1, "1", entries=entries), text="Done."))
    assert [(e.n, e.origin, e.facts, e.result) for e in found] == [(1, "carried", {"args": ["4821"]}, None)]


def test_a_carried_receipt_takes_the_place_of_one_that_was_worked_out():
    entries = [{"receipt": stamp(1, outcome="error"), "facts": {}}]
    found = build(
        ai(("a",), snapshot=shows(0)), result("a"), ai(snapshot=shows(1, "1", entries=entries), text="It failed.")
    )
    assert [(e.n, e.origin, e.outcome, e.result.text) for e in found] == [(1, "carried", "error", "ok")]


def test_the_stamp_on_the_message_and_the_facts_of_the_turn_come_together():
    entries = [{"receipt": stamp(1), "facts": {"args": ["4821"]}}]
    found = build(
        ai(("a",), snapshot=shows(0)), result("a", stamp=stamp(1)),
        ai(snapshot=shows(1, "1", entries=entries), text="Done."),
    )  # fmt: skip
    assert [(e.origin, e.facts) for e in found] == [("stamped", {"args": ["4821"]})]
    assert found.notes == ()


def test_a_toolset_that_a_turn_recorded_tells_kinds_and_the_newest_comes_first():
    builder = LedgerBuilder()
    builder.read(ai(snapshot=shows(0, toolset=[["zap", "Read a page."], ["old", "Old."]])))
    assert builder.kind("zap") == "reading"
    builder.read(ai(snapshot=shows(0, toolset=[["zap", "Send an email."]])))
    assert builder.kind("zap") == "acting"
    assert [spec.name for spec in builder.tools] == ["zap", "old"]


def test_tools_that_the_caller_names_outweigh_those_that_a_run_recorded():
    from receipts_middleware.core.toolspec import read_tools

    builder = LedgerBuilder(tools=read_tools([("zap", "Read a page.")]))
    builder.read(ai(snapshot=shows(0, toolset=[["zap", "Send an email."]])))
    assert builder.kind("zap") == "reading"


def test_pending_is_about_the_newest_assistant_message_alone():
    builder = LedgerBuilder()
    seen = []
    for message in [ai(("a",), ("b",)), result("a"), result("b"), ai(("c",)), ai(text="x"), result("c"), ai(("d",))]:
        builder.read(message)
        seen.append(builder.pending)
    assert seen == [True, True, False, True, False, False, True]


def test_a_view_is_of_the_message_itself():
    builder = LedgerBuilder()
    first, bare, broken = ai(snapshot=shows(2, "1-2")), ai(), ai(snapshot="{")
    states = []
    for message in (bare, first, bare, broken):
        builder.read(message)
        states.append(builder.view(message).state)
    assert states == ["none", "present", "missing", "malformed"]
    assert SNAPSHOT_KEY.startswith("receipts_middleware.")


def test_ledgers_are_values():
    one, two = build(ai(("a",)), result("a")), build(ai(("a",)), result("a"))
    assert one == two
    assert hash(one) == hash(two)
    assert one != build(ai(("a",)))
    assert one.find(1) is one[0]
    assert one.find(2) is None
    assert one[0:1] == one[:]
    assert "r1" in repr(one)
    assert [e.to_dict()["origin"] for e in one] == ["derived"]


@pytest.mark.parametrize("ids", [str, lambda i: "same", lambda i: ""], ids=["own", "same", "none"])
def test_many_open_calls_do_not_make_the_next_one_dearer(ids):
    """Each would take minutes if a look-up walked over what is open."""
    many = 20_000
    builder = LedgerBuilder()
    for index in range(many):
        builder.read(ai((ids(index), f"tool{index}")))
    builder.read(ai(*((ids(index), "tool") for index in range(many))))
    for index in range(many):
        builder.read(result(ids(many - 1 - index), tool="tool"))
        assert builder.pending == (index < many - 1)
    assert len(builder.ledger()) == 2 * many


def test_extreme_texts_become_bounded_receipts():
    call = ToolCall("n" * 10_000, "i" * 10_000, {"x": 10**5_000})
    found = build(ai(call), replace(result("i" * 10_000), text="x"))
    assert len(found[0].receipt.tool) == len(found[0].receipt.tool_call_id) == 512
