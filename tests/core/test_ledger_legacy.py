"""Saved runs of the application in which this design began: its stamps and ledgers are read, never written."""

from __future__ import annotations

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.core.keys import LEGACY_LEDGER_KEY, LEGACY_RECEIPT_KEY

DIGEST = "0123456789abcdef"


def legacy(call_id, tool, status="success", **more):
    return {
        "tool_call_id": call_id, "tool_name": tool, "status": status, "args_sha256": DIGEST, "output_sha256": DIGEST,
        "output_bytes": 5, "created_at": "2026-01-01T00:00:00+00:00", **more,
    }  # fmt: skip


def call(call_id, tool):
    return {"name": tool, "args": {"q": call_id}, "id": call_id}


def run(reply, ledger):
    """Two calls; the compaction renumbered, so that r1 of the reply's ledger is the second call."""
    kwargs = {} if ledger is None else {LEGACY_LEDGER_KEY: ledger}
    return [
        HumanMessage("go"),
        AIMessage("", tool_calls=[call("c1", "bash"), call("c2", "write_file")]),
        ToolMessage("boom", tool_call_id="c1", additional_kwargs={LEGACY_RECEIPT_KEY: legacy("c1", "bash", "error")}),
        ToolMessage("wrote", tool_call_id="c2", additional_kwargs={LEGACY_RECEIPT_KEY: legacy("c2", "write_file")}),
        AIMessage(reply, additional_kwargs=kwargs),
    ]


LEDGER = [
    {"id": "r1", **legacy("c2", "write_file")},
    {"id": "r2", **legacy("c9", "gone_tool")},
    {"id": "r3", **legacy("c1", "bash", "partial_success")},
]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Wrote it [r1 write_file].", [("r1", "resolved")]),
        ("Did it [r2 gone_tool].", [("r2", "resolved")]),
        ("Ran it [r3 bash].", [("r3", "resolved")]),
        ("Wrote it [r1 bash].", [("r1", "anchor_mismatch")]),
        ("Wrote it [r4 bash].", [("r4", "unknown")]),
    ],
)
def test_a_turn_with_a_legacy_ledger_is_judged_against_that_ledger_alone(reply, expected):
    messages = run(reply, LEDGER)
    for given in (messages, json.loads(json.dumps(messages_to_dict(messages)))):
        v = verify_messages(given)
        assert [(c.id, c.resolution) for c in v.citations] == expected
        assert v.trust["snapshot"] == "legacy"
        assert [(e.n, e.tool, e.outcome, e.origin) for e in v.ledger] == [
            (1, "write_file", "success", "legacy"), (2, "gone_tool", "success", "legacy"),
            (3, "bash", "partial", "legacy"),
        ]  # fmt: skip
        assert v.ledger[0].result.text == "wrote"


def test_a_legacy_failure_is_a_failure():
    ledger = [{"id": "r1", **legacy("c1", "bash", "error")}]
    assert verify_messages(run("Ran it [r1 bash].", ledger)).citations[0].resolution == "cites_failure"
    assert verify_messages(run("Running it failed [r1 bash].", ledger)).citations[0].resolution == "resolved"


def test_stamps_without_a_ledger_count_by_position():
    v = verify_messages(run("It failed [r1 bash], wrote it [r2 write_file].", None))
    assert [(c.id, c.resolution) for c in v.citations] == [("r1", "resolved"), ("r2", "resolved")]
    assert [(e.n, e.outcome, e.origin) for e in v.ledger] == [(1, "error", "legacy"), (2, "success", "legacy")]
    said = {"source": "messages", "signatures": "unsigned", "snapshot": "none", "stamped": 0, "unstamped": 2}
    unchecked = dict.fromkeys(("binding", "chain", "tail"), "not_checked")
    assert v.trust == {**said, **unchecked, "sink": {"state": "not_checked"}}


@pytest.mark.parametrize(
    "ledger", [[], "x", {}, [1], [{"id": "x"}], [{"id": "r1"}], [{"id": "r0", **legacy("c1", "bash")}]]
)
def test_a_ledger_that_cannot_be_read_resolves_nothing(ledger):
    v = verify_messages(run("Ran it [r1 bash].", ledger))
    assert v.trust["snapshot"] == "malformed"
    assert [c.resolution for c in v.citations] == ["no_snapshot"]


@pytest.mark.parametrize("change", [{"status": "great"}, {"status": None}, {"status": ["success"]}])
def test_a_stamp_that_cannot_be_read_counts_as_none(change):
    messages = run("It failed [r1].", None)
    messages[2] = ToolMessage(
        "boom", tool_call_id="c1", additional_kwargs={LEGACY_RECEIPT_KEY: {**legacy("c1", "bash"), **change}}
    )
    assert verify_messages(messages).ledger[0].origin == "derived"


def test_a_stale_ledger_of_an_older_turn_is_never_used():
    messages = [*run("Wrote it [r1 write_file].", LEDGER), HumanMessage("and?"), AIMessage("Again [r1 write_file].")]
    first, second = verify_turns(messages)
    assert first.citations[0].resolution == "resolved"
    assert second.trust["snapshot"] == "none"
    assert [(e.n, e.tool) for e in second.ledger] == [(1, "bash"), (2, "write_file")]
    assert second.citations[0].resolution == "anchor_mismatch"


def test_digests_of_another_form_are_never_compared():
    v = verify_messages(run("Wrote it [r1 write_file].", LEDGER))
    assert "transformed" not in [f.rule for f in v.findings]
    assert len(v.ledger[0].receipt.output_sha256) == 64
