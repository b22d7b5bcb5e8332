"""The audit of stated results: every row says what becomes of each field, and each kind has a near miss."""

from __future__ import annotations

import json

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from receipts_middleware import UsageError, audit_results, verify_messages
from receipts_middleware.core.audit import Audit, FieldCheck
from receipts_middleware.core.errors import FormatError
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


def spell(check: FieldCheck) -> str:
    """A field as the fixtures write it: pointer, status, how or why, where, offsets in the stated text."""
    place = ""
    if check.path is not None:
        place = f"{check.source}:{check.path}"
    elif check.observed_start is not None:
        place = f"{check.source}@{check.observed_start}-{check.observed_end}"
    span = f"at {check.start}-{check.end}" if check.start is not None else ""
    parts = (check.pointer or ".", check.status, check.how or check.reason or "", place, span)
    return " ".join(part for part in parts if part)


def tell(audit: Audit) -> list[tuple[str, str | None]]:
    return [(check.status, check.how or check.reason) for check in audit.fields]


@pytest.mark.rows("audit/fields.json")
def test_field_is_the_same_or_is_not(row: dict) -> None:
    audit = audit_results([("call_1", row["stated"])], {"call_1": row["call"]})
    assert [spell(check) for check in audit.fields] == row["expect"]
    assert audit.ok is row["ok"]


@pytest.mark.rows("audit/pairs.json")
def test_reference_names_a_record_or_does_not(row: dict) -> None:
    audit = audit_results(row["pairs"], row["ledger"], **row.get("options", {}))
    assert [f"{check.pair} {spell(check)}" for check in audit.fields] == row["expect"]
    assert [pair.receipt for pair in audit.pairs] == row["receipts"]
    assert (audit.verdict, audit.ok) == (row["verdict"], row["ok"])


def test_every_origin_has_rows_that_speak_against_and_rows_that_do_not(fixture_rows) -> None:
    for file in ("audit/fields.json", "audit/pairs.json"):
        rows = [row for row in fixture_rows(file) if row["origin"] not in ("pairs",)]
        told = {
            origin: {row["ok"] for row in rows if row["origin"] == origin} for origin in {r["origin"] for r in rows}
        }
        assert all(oks == {True, False} for oks in told.values()), told


@pytest.mark.rows("audit/fields.json", "audit/pairs.json")
def test_what_comes_out_is_plain_json_and_its_words_promise_nothing(row: dict) -> None:
    pairs = row["pairs"] if "pairs" in row else [("call_1", row["stated"])]
    audit = audit_results(pairs, row.get("ledger", {"call_1": row.get("call")}), **row.get("options", {}))
    plain = audit.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert not any(word in audit.summary.lower() for word in ("verified", "passed", "valid"))
    assert audit.summary.endswith(".")
    assert audit.summary.count(".") == 1
    assert audit.counts["fields"] == sum(audit.counts[s] for s in ("same", "differs", "missing", "not_checkable"))


@pytest.mark.rows("audit/fields.json")
def test_offsets_slice_the_texts_they_count(row: dict) -> None:
    audit = audit_results([("call_1", row["stated"])], {"call_1": row["call"]})
    for check in audit.fields:
        if check.start is not None:
            assert row["stated"][check.start : check.end] == check.stated
        if check.observed_start is not None:
            seen = row["call"]["result"][check.observed_start : check.observed_end]
            assert seen.casefold() == str(check.observed).casefold()


@pytest.mark.rows("audit/pairs.json")
def test_order_of_pairs_and_further_messages_change_no_pair(row: dict) -> None:
    if not isinstance(row["pairs"], list):
        return
    options = row.get("options", {})
    ahead = audit_results(row["pairs"], row["ledger"], **options)
    back = audit_results(row["pairs"][::-1], row["ledger"], **options)
    last = len(row["pairs"]) - 1
    assert sorted((last - c.pair, spell(c)) for c in back.fields) == sorted((c.pair, spell(c)) for c in ahead.fields)


# --- runs under the middleware ----------------------------------------------------------------------------


@tool
def issue_refund(order_id: str, amount: float) -> dict:
    """Refund an order."""
    return {"status": "succeeded", "refund_id": "re_1001", "amount": amount, "note": f"order {order_id}"}


@pytest.fixture(scope="module")
def run() -> list:
    calls = {"tool_calls": [{"name": "issue_refund", "args": {"order_id": "4821", "amount": 59.9}}]}
    model = ScriptedChatModel(turns=[calls, "Order 4821 is refunded [r1 issue_refund]."])
    agent = create_agent(model, tools=[issue_refund], middleware=[ReceiptsMiddleware()])
    return agent.invoke({"messages": [("user", "Refund order 4821.")]})["messages"]


def test_a_live_run_and_its_verification_hold_the_same_record(run: list) -> None:
    for ledger in (run, {"messages": run}, verify_messages(run), verify_messages(run).ledger):
        audit = audit_results([("r1", {"refund_id": "re_1001", "amount": "59.90"})], ledger)
        assert (audit.verdict, audit.counts["same"]) == ("clean", 2)
        assert audit.trust["stamped"] == 1
        assert not audit_results([("r1", {"refund_id": "re_1002"})], ledger).ok


def test_what_was_compacted_away_is_checked_by_the_facts_and_accuses_nobody(run: list) -> None:
    rest = [HumanMessage("Here is a summary of the conversation to date: refunded."), run[-1]]
    audit = audit_results([("r1", {"refund_id": "re_1001", "amount": 61}), ("r1", {"outcome": "success"})], rest)
    assert tell(audit) == [("same", "listed"), ("not_checkable", "compacted"), ("same", "equal")]
    assert audit.fields[0].source == "facts"
    assert audit.ok
    assert audit_results([("r1", {"outcome": "error"})], rest).verdict == "overstated"


def test_where_only_hashes_are_kept_the_whole_result_can_still_be_told(run: list) -> None:
    model = ScriptedChatModel(
        turns=[{"tool_calls": [{"name": "issue_refund", "args": {"order_id": "1", "amount": 2.5}}]}, "Done."]
    )
    agent = create_agent(model, tools=[issue_refund], middleware=[ReceiptsMiddleware(capture="hashes")])
    messages = agent.invoke({"messages": [("user", "Refund order 1.")]})["messages"]
    text = next(m for m in messages if isinstance(m, ToolMessage)).text
    rest = [messages[0], messages[-1]]
    wrong = text.replace("1001", "1002")
    for mode in ("fields", "exact"):
        assert {how for _, how in tell(audit_results([("r1", text)], rest, mode=mode))} == {"digest"}
    assert tell(audit_results([("r1", wrong)], rest, mode="exact")) == [("not_checkable", "hash_only")]
    told = {check.pointer: spell(check) for check in audit_results([("r1", wrong)], rest).fields}
    assert told["/refund_id"] == "/refund_id not_checkable hash_only"
    assert told["/status"] == "/status same equal receipt:/status_word"
    assert tell(audit_results([("r1", json.loads(text))], rest)) == [("same", "digest")] * 4


def test_a_result_that_was_changed_after_it_was_hashed_is_no_evidence(run: list) -> None:
    changed = [m.model_copy(update={"content": '{"refund_id": "re_9"}'}) if m.type == "tool" else m for m in run]
    audit = audit_results([("r1", {"refund_id": "re_9"}), ("r1", {"order_id": 4821})], changed)
    assert tell(audit) == [("not_checkable", "transformed"), ("same", "same")]
    original = next(m for m in run if m.type == "tool").text
    assert audit_results([("r1", original)], changed).counts["same"] == 4


def test_structured_answers_are_no_results() -> None:
    """What the model says of itself in its answer is stated, not observed."""
    messages = [
        HumanMessage("Go on."),
        AIMessage("", tool_calls=[{"name": "Report", "args": {"refund_id": "re_5"}, "id": "c1"}]),
        ToolMessage("Returning structured response: refund_id='re_5'", tool_call_id="c1", name="Report"),
    ]
    audit = audit_results([("Report", {"status": "re_6"})], messages)
    assert tell(audit) == [("not_checkable", "not_run")]
    assert audit.verdict == "overstated"


def test_receipts_of_a_subagent_are_known_by_their_hashes_alone() -> None:
    inner = ScriptedChatModel(
        turns=[{"tool_calls": [{"name": "issue_refund", "args": {"order_id": "1", "amount": 2.5}}]}, "Done."]
    )
    child = create_agent(inner, tools=[issue_refund], middleware=[ReceiptsMiddleware()])

    @tool
    def ask(request: str) -> str:
        """Ask for it."""
        return child.invoke({"messages": [("user", request)]})["messages"][-1].text

    lead = create_agent(
        ScriptedChatModel(turns=[{"tool_calls": [{"name": "ask", "args": {"request": "go"}}]}, "Done."]),
        tools=[ask],
        middleware=[ReceiptsMiddleware(subagents=["ask"])],
    )
    messages = lead.invoke({"messages": [("user", "Go on.")]})["messages"]
    pairs = [("r1.1", {"amount": 2.5}), ("r1.1", {"outcome": "success"}), ("r1.2", {"amount": 2.5})]
    audit = audit_results(pairs, messages)
    assert tell(audit) == [("not_checkable", "hash_only"), ("same", "equal"), ("not_checkable", "unknown_receipt")]
    assert [pair.receipt for pair in audit.pairs] == ["r1.1", "r1.1", None]


# --- callers' mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("pairs", ["r1", b"r1", 7, None], ids=repr)
def test_pairs_that_are_none_are_the_callers_mistake(pairs: object) -> None:
    with pytest.raises(UsageError, match="pass pairs"):
        audit_results(pairs, [])  # type: ignore[arg-type]


def test_an_unknown_mode_and_an_unreadable_ledger_are_named() -> None:
    with pytest.raises(UsageError, match="fields, exact"):
        audit_results([], [], mode="strict")  # type: ignore[arg-type]
    for ledger in (42, "no json", [1, 2]):
        with pytest.raises(FormatError):
            audit_results([], ledger)
