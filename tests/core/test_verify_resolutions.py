"""Every resolution of a citation, in order of precedence, with offsets into the reply, in every form of messages."""

from __future__ import annotations

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict

from receipts_middleware import verify, verify_messages
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.snapshot import make_snapshot

HEX = "0123456789abcdef" * 4


def stamp(n, tool, outcome="success", **more):
    return {
        "v": 1, "uid": f"u{n}", "n": n, "tool_call_id": f"c{n}", "tool": tool, "outcome": outcome,
        "outcome_source": "body", "args_sha256": HEX, "output_sha256": HEX, "output_bytes": 0, "created_at": "",
        "prev": HEX, **more,
    }  # fmt: skip


def call(n, tool):
    return {"name": tool, "args": {}, "id": f"c{n}"}


def result(n, tool, outcome="success", **more):
    status = "error" if outcome == "error" else "success"
    return ToolMessage(
        "x", tool_call_id=f"c{n}", status=status, additional_kwargs={RECEIPT_KEY: stamp(n, tool, outcome, **more)}
    )


def shows(n, shown, **more):
    return {SNAPSHOT_KEY: make_snapshot(n=n, shown=shown, head=HEX, tag="A2BC", **more)}


CHILD = {"agent": "helper", "ended": "complete", "calls": 2, "receipts": [stamp(1, "search"), stamp(2, "pay", "error")]}


def run(reply, kwargs=None):
    """r1 to r3 are shown, r4 is not, r5 was issued and its record is gone, r6 is not there yet."""
    return [
        HumanMessage("go"),
        AIMessage(
            "", tool_calls=[call(1, "write_file"), call(2, "task"), call(3, "deploy")], additional_kwargs=shows(0, "")
        ),
        result(1, "write_file"),
        result(2, "task", children=[CHILD]),
        result(3, "deploy", "error"),
        AIMessage("", tool_calls=[call(4, "read_page")], additional_kwargs=shows(3, "1-3")),
        result(4, "read_page"),
        AIMessage(reply, additional_kwargs=shows(5, "1-3") if kwargs is None else kwargs),
    ]


TABLE = [
    ("Wrote it [r1 write_file].", [("r1", "resolved")], False),
    ("Wrote it [r1].", [("r1", "resolved")], False),
    ("Wrote it [r6 write_file].", [("r6", "unknown")], False),
    ("Wrote it [r99999999999].", [("r99999999999", "unknown")], False),
    ("Wrote it [r0].", [("r0", "unknown")], False),
    ("Wrote it [r5].", [("r5", "dropped")], False),
    ("Read it [r4 read_page].", [("r4", "not_shown")], False),
    ("Read it [r4 send_email].", [("r4", "not_shown")], False),
    ("Wrote it [r1 send_email].", [("r1", "anchor_mismatch")], False),
    ("Deployed it [r3 deploy].", [("r3", "cites_failure")], False),
    ("Deployed it [r3 write_file].", [("r3", "anchor_mismatch")], False),
    ("The deploy failed [r3 deploy].", [("r3", "resolved")], False),
    ("I could not deploy it [r3].", [("r3", "resolved")], False),
    ("Searched [r2.1 search].", [("r2.1", "resolved")], False),
    ("Searched [r2.1 pay].", [("r2.1", "anchor_mismatch")], False),
    ("Paid [r2.2 pay].", [("r2.2", "cites_failure")], False),
    ("Paying failed [r2.2 pay].", [("r2.2", "resolved")], False),
    ("Paid [r2.3 pay].", [("r2.3", "unknown")], False),
    ("Paid [r1.1 pay].", [("r1.1", "unknown")], False),
    ("Wrote it [rN tool].", [(None, "malformed")], True),
    ("Wrote it [r3-r1].", [(None, "malformed")], True),
    ("Wrote it [r1, r6].", [("r1", "resolved"), ("r6", "unknown")], True),
    ("Wrote it [r1-r2].", [("r1", "resolved"), ("r2", "resolved")], True),
    ("Wrote it (r1).", [("r1", "resolved")], True),
    ("Wrote it 【r1】.", [("r1", "resolved")], True),
    ("Wrote it [R1: `write_file`].", [("r1", "resolved")], True),
    ("Wrote it [r01].", [("r1", "resolved")], True),
    ("Wrote it [ r1 ].", [("r1", "resolved")], True),
    ("Wrote it [r1 WRITE FILE].", [("r1", "resolved")], False),
    ("Sets `arr[r1]` and x[r1].", [], False),
    ("日本語で書きました [r1 write_file]。\U0001f600 [r6].", [("r1", "resolved"), ("r6", "unknown")], False),
]


@pytest.mark.parametrize(("reply", "expected", "lenient"), TABLE, ids=[row[0] for row in TABLE])
def test_each_citation_is_resolved_by_the_first_row_that_fits(reply, expected, lenient):
    messages = run(reply)
    saved = json.loads(json.dumps(messages_to_dict(messages)))
    for given in (messages, saved, {"messages": messages}, json.dumps(saved)):
        v = verify_messages(given)
        assert [(c.id, c.resolution) for c in v.citations] == expected
        assert [c.lenient for c in v.citations] == [lenient] * len(expected)
        assert all(v.reply[c.start : c.end] == c.text for c in v.citations)
        assert all(c.detail for c in v.citations if c.resolution != "resolved")
        assert {f.rule for f in v.findings if f.rule.startswith("citation_")} == {
            f"citation_{c.resolution}" for c in v.citations if c.resolution != "resolved"
        } | ({"citation_format"} if any(c.lenient and c.resolution == "resolved" for c in v.citations) else set())


@pytest.mark.parametrize("kwargs", [{}, {SNAPSHOT_KEY: "{"}, {SNAPSHOT_KEY: 7}])
def test_a_turn_without_its_own_snapshot_resolves_nothing_but_what_is_malformed(kwargs):
    v = verify_messages(run("Wrote [r1 write_file], [r9], [rN tool].", kwargs))
    assert [c.resolution for c in v.citations] == ["no_snapshot", "no_snapshot", "malformed"]
    assert v.ok
    assert v.verdict == "clean"


def test_offsets_of_a_list_cover_the_whole_bracket_for_each_member():
    v = verify_messages(run("Wrote [r1, r3 deploy] there."))
    assert [(c.text, c.start, c.end) for c in v.citations] == [("[r1, r3 deploy]", 6, 21)] * 2


def test_a_footer_resolves_ids_and_bears_out_nothing():
    v = verify_messages(run("Deployed and written.\n\nReceipts: r1, r3, r9"))
    assert [(c.id, c.resolution, c.footer) for c in v.citations] == [
        ("r1", "resolved", True), ("r3", "resolved", True), ("r9", "unknown", True)
    ]  # fmt: skip


def openai(reply):
    calls = [("c1", "write_file"), ("c2", "deploy"), ("c3", "read_page")]
    listed = [{"id": i, "type": "function", "function": {"name": name, "arguments": "{}"}} for i, name in calls]
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": listed},
        {"role": "tool", "tool_call_id": "c1", "content": "wrote"},
        {"role": "tool", "tool_call_id": "c2", "content": '{"error": "quota"}'},
        {"role": "assistant", "content": reply},
    ]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Wrote it [r1 write_file].", [("r1", "resolved")]),
        ("Deployed it [r2 deploy].", [("r2", "cites_failure")]),
        ("Deploying failed [r2 deploy].", [("r2", "resolved")]),
        ("Read it [r3 read_page].", [("r3", "cites_failure")]),
        ("Reading did not finish [r3].", [("r3", "resolved")]),
        ("Wrote it [r4].", [("r4", "unknown")]),
        ("Wrote it [r1 deploy].", [("r1", "anchor_mismatch")]),
        ("Wrote it [rN tool] and [R1].", [(None, "malformed"), ("r1", "resolved")]),
    ],
)
def test_a_chat_without_snapshots_resolves_against_what_its_messages_show(reply, expected):
    v = verify_messages(openai(reply), tools=["write_file", "deploy", "read_page"])
    assert [(c.id, c.resolution) for c in v.citations] == expected
    assert all(v.reply[c.start : c.end] == c.text for c in v.citations)
    assert v.trust["snapshot"] == "none"
    assert v.trust["stamped"] == 0


def test_a_failure_that_was_paired_by_order_accuses_nobody():
    messages = openai("Deployed it [r2 deploy].")
    for message in messages[2:4]:
        message["tool_call_id"] = ""
    v = verify_messages(messages)
    [finding] = [f for f in v.findings if f.rule == "citation_cites_failure"]
    assert finding.severity == "warning"
    assert v.ok
    assert v.verdict == "unreported"  # of the call that wrote the file nothing is said


def test_a_given_ledger_takes_receipts_short_rows_and_what_was_shown():
    rows = [stamp(1, "write_file"), {"id": "r2", "tool": "deploy", "outcome": "error"}, {"tool": "read_page"}]
    v = verify("Wrote [r1 write_file], read [r3 read_page], deployed [r2 deploy]; [r4].", rows)
    assert [(c.id, c.resolution) for c in v.citations] == [
        ("r1", "resolved"), ("r3", "resolved"), ("r2", "cites_failure"), ("r4", "unknown")
    ]  # fmt: skip
    assert v.trust["source"] == "given"
    narrow = verify("Wrote [r1 write_file], read [r3 read_page].", rows, shown=[1])
    assert [c.resolution for c in narrow.citations] == ["resolved", "not_shown"]
