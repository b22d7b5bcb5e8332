"""Options on the tool's side: which tools get receipts, and what is kept of arguments and results."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool

from receipts_middleware import verify_messages
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.facts import extract_facts
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.snapshot import parse_snapshot
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel

KEY = b"0123456789abcdef0123456789abcdef"


@tool
def send_email(to: str) -> dict[str, str]:
    """Send an email."""
    return {"id": "msg_17", "status": "sent"}


@tool
def look(key: str) -> Any:
    """Look something up, with a receipt of its own making."""
    forged = {RECEIPT_KEY: {"v": 1, "n": 9}, "keep": "me"}
    return ToolMessage("value", tool_call_id="c1", additional_kwargs=forged)


def run(drive: Any, **options: Any) -> tuple[Any, ScriptedChatModel]:
    calls = [
        {"name": "look", "args": {"key": "a"}, "id": "c1"},
        {"name": "send_email", "args": {"to": "ana@example.com"}, "id": "c2"},
    ]
    model = ScriptedChatModel(turns=[{"tool_calls": calls}, "Sent [r2 send_email]."])
    agent = create_agent(model, tools=[look, send_email], middleware=[ReceiptsMiddleware(**options)])
    return drive.ask(agent), model


LEFT_OUT: list[dict[str, Any]] = [
    {"exclude_tools": ["look"]},
    {"exclude_tools": [look]},
    {"tools": ["send_email"]},
    {"tools": [send_email]},
    {"tools": [send_email, look], "exclude_tools": ("look",)},
]


@pytest.mark.parametrize("options", LEFT_OUT)
def test_a_tool_that_is_left_out_is_neither_stamped_nor_shown_and_uses_up_its_number(options, drive, stamps):
    result, model = run(drive, **options)

    assert [r and (r.n, r.tool) for r in stamps(result)] == [None, (2, "send_email")]
    shown = [m.text for m in model.requests[1] if isinstance(m, ToolMessage)]
    assert shown[0] == "value"
    assert "[r2 send_email] success msg_17" in shown[1]
    assert "r1" not in "".join(m.text for m in model.requests[1])
    snapshot = parse_snapshot(result["messages"][-1].additional_kwargs[SNAPSHOT_KEY])
    assert (snapshot.n, snapshot.shown.spans) == (2, ((2, 2),))
    assert [row.receipt.n for row in snapshot.entries] == [2]


@pytest.mark.parametrize("options", LEFT_OUT)
def test_a_verifier_derives_an_unstamped_receipt_for_a_tool_that_is_left_out(options, drive, ledger):
    result, _ = run(drive, **options)
    assert {n: (e.tool, e.origin, e.outcome) for n, e in ledger(result).items()} == {
        1: ("look", "derived", "success"),
        2: ("send_email", "stamped", "success"),
    }
    assert verify_messages(result).trust["unstamped"] == 1
    assert verify_messages(result).verdict == "clean"


@pytest.mark.parametrize("options", LEFT_OUT)
def test_a_tool_that_is_left_out_cannot_write_its_own_receipt(options, drive):
    result, _ = run(drive, **options)
    assert result["messages"][2].additional_kwargs == {"keep": "me"}


def test_no_tools_at_all_means_no_receipts(drive, stamps):
    result, model = run(drive, tools=[])
    assert stamps(result) == [None, None]
    assert next(m.text for m in model.requests[1] if isinstance(m, ToolMessage)) == "value"


def facts_of(result: Any) -> list[Any]:
    snapshot = json.loads(result["messages"][-1].additional_kwargs[SNAPSHOT_KEY])
    return [row["facts"] for row in snapshot["entries"]]


def test_values_are_kept_where_nothing_else_is_asked_for(drive):
    facts = facts_of(run(drive)[0])[1]
    assert "ana@example.com" in facts["args"]
    assert "msg_17" in facts["output"]


def test_digests_can_be_compared_and_not_read(drive):
    result, _ = run(drive, capture="digests", capture_key=KEY)
    text = '{"id": "msg_17", "status": "sent"}'
    expected = extract_facts({"to": "ana@example.com"}, text, capture="digests", key=KEY)
    assert facts_of(result)[1] == expected
    assert "ana@example.com" not in json.dumps(facts_of(result))


def test_hashes_alone_keep_no_facts(drive):
    result, _ = run(drive, capture="hashes")
    assert facts_of(result) == [{}, {}]
    assert all(len(r["args_sha256"]) == 64 for r in receipts_of(result))


def receipts_of(result: Any) -> list[dict[str, Any]]:
    return [m.additional_kwargs[RECEIPT_KEY] for m in result["messages"] if isinstance(m, ToolMessage)]


@pytest.mark.parametrize("capture", [{}, {"capture": "digests", "capture_key": KEY}, {"capture": "hashes"}], ids=str)
def test_a_receipt_itself_holds_no_argument_and_stays_small(capture, drive):
    result, _ = run(drive, **capture)
    for receipt in receipts_of(result):
        assert "ana@example.com" not in json.dumps(receipt)
        assert len(json.dumps(receipt, separators=(",", ":"))) < 600


@pytest.mark.parametrize(
    "options",
    [
        {"exclude_tools": "look"},
        {"tools": "look"},
        {"tools": [3]},
        {"exclude_tools": [print]},
        {"capture": "everything"},
        {"capture": "digests"},
        {"capture": "digests", "capture_key": b"short"},
        {"on_error": "ignore"},
        {"on_error": None},
    ],
    ids=str,
)
def test_an_option_that_cannot_be_right_is_refused_at_once(options):
    with pytest.raises(UsageError):
        ReceiptsMiddleware(**options)
