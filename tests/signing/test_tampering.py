"""One test for every field of receipt, snapshot and channel, made from the published schema and from real runs.

A run of a real agent over a real checkpointer is saved, one field is changed as somebody with access to the store
would, and the verification under the key must see it and believe nothing of it. A new field is tested as soon as it
is written down, since the fields come from the records themselves and from the schema.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import messages_from_dict, messages_to_dict
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from receipts_middleware import verify_messages
from receipts_middleware.attestation import audit_run
from receipts_middleware.core.attest import examine
from receipts_middleware.core.keys import CHANNEL, RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.rows import row_number
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.readers import read_transcript
from receipts_middleware.signing import Keyring

KEY = b"k" * 32
RING = Keyring(KEY)
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/verification.schema.json").read_text())
#: Fields of the schema that the record on a message does not have: they say where the verifier found it.
NOT_ON_MESSAGES = {"origin", "pairing"}


@tool
def issue_refund(order_id: str, amount: int) -> str:
    """Refund an order."""
    if amount > 100:
        return json.dumps({"status": "failed", "error": "limit exceeded", "refund_id": f"re_{order_id}"})
    return json.dumps({"status": "succeeded", "refund_id": f"re_{order_id}"})


@tool
def look_up(order_id: str) -> str:
    """Look an order up."""
    return json.dumps({"order": order_id, "total": 42})


def run(thread: str = "thread-1", key: bytes | None = KEY) -> dict[str, Any]:
    """A saved state: three calls, one of which failed, and an honest report; messages as dicts and the channel."""
    calls = [("look_up", {"order_id": "1"}), ("issue_refund", {"order_id": "1", "amount": 42})]
    model = ScriptedChatModel(
        turns=[
            {"tool_calls": [{"name": name, "args": args} for name, args in calls]},
            {"content": "Next.", "tool_calls": [{"name": "issue_refund", "args": {"order_id": "2", "amount": 999}}]},
            "I refunded order 1 [r2 issue_refund]. The refund of order 2 failed [r3 issue_refund].",
        ]
    )
    middleware = ReceiptsMiddleware(signing_key=key)
    agent = create_agent(model, [look_up, issue_refund], middleware=[middleware], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": thread}}
    agent.invoke({"messages": [("user", "Refund orders 1 and 2.")]}, config)
    values = agent.get_state(config).values
    saved = {"messages": messages_to_dict(values["messages"]), CHANNEL: values[CHANNEL]}
    return json.loads(json.dumps(saved))


@pytest.fixture(scope="module")
def honest() -> dict[str, Any]:
    return run()


SAVED = run()
TOOLS = [i for i, m in enumerate(SAVED["messages"]) if m["type"] == "tool"]
TURNS = [i for i, m in enumerate(SAVED["messages"]) if m["type"] == "ai"]


def kwargs(saved: dict[str, Any], index: int) -> dict[str, Any]:
    return saved["messages"][index]["data"]["additional_kwargs"]


def look(saved: dict[str, Any], **options: Any) -> Any:
    """The verification under the key, of objects that were read back from the saved dicts."""
    messages = messages_from_dict(saved["messages"])
    return verify_messages({"messages": messages, CHANNEL: saved[CHANNEL]}, signing_key=KEY, **options)


def other(value: Any) -> Any:
    """Another value of the same type and form."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, dict):
        return {**value, "thread": "another"}
    if isinstance(value, list):
        return []
    text = str(value)
    if len(text) == 64 and set(text) <= set("0123456789abcdef"):
        return text[::-1] if text != text[::-1] else "0" * 64
    return {"success": "error", "error": "success", "body": "text", "framework": "text"}.get(text, f"{text}x")


def test_the_honest_run_is_believed_in_every_dimension(honest):
    found = look(honest, thread="thread-1")
    names = ("signatures", "chain", "binding", "tail")
    assert [found.trust[name] for name in names] == ["valid", "intact", "bound", "complete"]
    assert (found.trust["faults"], found.verdict, found.findings) == ([], "clean", ())


def test_another_key_believes_nothing_of_it(honest):
    messages = messages_from_dict(honest["messages"])
    found = verify_messages(messages, signing_key=b"z" * 32)
    assert (found.trust["signatures"], found.verdict, found.trust["unknown_keys"] > 0) == ("none", "fabricated", True)
    assert {entry.outcome for entry in found.ledger} == {"no_result"}


def test_without_a_key_nothing_is_said_to_hold(honest):
    found = verify_messages(messages_from_dict(honest["messages"]))
    names = ("signatures", "chain", "binding", "tail")
    assert [found.trust[name] for name in names] == ["not_checked"] * 4
    bare = verify_messages(messages_from_dict(run(key=None)["messages"]))
    assert bare.trust["signatures"] == "unsigned"


# --- receipts ---------------------------------------------------------------------------------------------

ROW = SCHEMA["$defs"]["row"]["properties"]
#: A value for each field of the schema, for receipts that do not have it: adding one is an edit as well.
ADDED = {
    "attempts": 2,
    "args_edited": True,
    "object_id": "re_9",
    "http_status": 200,
    "exit_code": 0,
    "status_word": "succeeded",
    "error_type": "Error",
    "children": [{"agent": "a", "ended": "complete", "calls": 1, "receipts": []}],
    "lossy": True,
    "scope": {"thread": "thread-1", "ns": "sub"},
    "facts_sha256": "0" * 64,
    "harvest_sha256": "0" * 64,
    "derived": True,
    "return_direct": True,
    "later": "a field of a later version",
}
FIELDS = sorted((set(ROW) | set(ADDED)) - NOT_ON_MESSAGES)


@pytest.mark.parametrize("index", TOOLS)
@pytest.mark.parametrize("field", FIELDS)
def test_a_receipt_with_any_field_edited_counts_as_none(field, index):
    saved = copy.deepcopy(SAVED)
    stamp = kwargs(saved, index)[RECEIPT_KEY]
    n = stamp["n"]
    if field == "sig":
        stamp["sig"]["mac"] = other(stamp["sig"]["mac"])[1:]
    elif field in stamp:
        stamp[field] = other(stamp[field])
    else:
        stamp[field] = ADDED[field]
    assert_not_believed(saved, index, n)


@pytest.mark.parametrize("field", sorted({key for i in TOOLS for key in kwargs(SAVED, i)[RECEIPT_KEY]}))
def test_a_receipt_with_any_field_removed_counts_as_none(field):
    for index in TOOLS:
        saved = copy.deepcopy(SAVED)
        stamp = kwargs(saved, index)[RECEIPT_KEY]
        n = stamp["n"]
        if stamp.pop(field, None) is not None:
            assert_not_believed(saved, index, n)


@pytest.mark.parametrize("part", ["alg", "kid", "mac"])
def test_a_signature_with_any_part_changed_counts_as_none(part):
    for index in TOOLS:
        for change in (lambda sig: sig.pop(part), lambda sig: sig.update({part: sig[part] + "x"}),
                       lambda sig: sig.update({part: ""}), lambda sig: sig.update({part: "none"})):  # fmt: skip
            saved = copy.deepcopy(SAVED)
            change(kwargs(saved, index)[RECEIPT_KEY]["sig"])
            assert_not_believed(saved, index, kwargs(SAVED, index)[RECEIPT_KEY]["n"])


def assert_not_believed(saved: dict[str, Any], index: int, n: int) -> None:
    """The stamp is found out; the copy that the final turn carries, which is signed by itself, is what counts."""
    found = look(saved)
    assert found.trust["signatures"] == "partly"
    record = examine(read_transcript(saved), RING).stamps[index]
    assert not record.counts
    assert [e.outcome for e in found.ledger if e.n == n] == [kwargs(SAVED, index)[RECEIPT_KEY]["outcome"]]
    # Without that copy nothing is left of it.
    for turn in TURNS:
        kwargs(saved, turn).pop(SNAPSHOT_KEY, None)
    found = look(saved)
    assert [e.outcome for e in found.ledger if e.n == n] == ["no_result"], "believed"
    cited = [c.resolution for c in found.citations if c.id == f"r{n}"]
    assert cited in ([], ["unknown"])


def test_every_field_of_the_schema_has_a_value_to_be_tested_with():
    on_messages = {key for i in TOOLS for key in kwargs(SAVED, i)[RECEIPT_KEY]}
    assert set(ROW) - NOT_ON_MESSAGES <= on_messages | set(ADDED)


# --- snapshots --------------------------------------------------------------------------------------------

SNAPSHOT_FIELDS = sorted({key for i in TURNS for key in json.loads(kwargs(SAVED, i)[SNAPSHOT_KEY])})
ADDED_TO_SNAPSHOT = {"answer": ["Report"], "later": 1, "toolset": [["send_money", "Send money."]], "entries": []}


@pytest.mark.parametrize("field", sorted({*SNAPSHOT_FIELDS, *ADDED_TO_SNAPSHOT}))
@pytest.mark.parametrize("change", ["edit", "remove", "add"])
def test_a_snapshot_with_any_field_changed_counts_as_none(field, change):
    tried = 0
    for index in TURNS:
        saved = copy.deepcopy(SAVED)
        body = json.loads(kwargs(saved, index)[SNAPSHOT_KEY])
        if (change == "add") == (field in body):
            continue
        if change == "add":
            if field not in ADDED_TO_SNAPSHOT:
                continue
            body[field] = ADDED_TO_SNAPSHOT[field]
        elif change == "remove":
            del body[field]
        elif field == "sig":
            body["sig"]["mac"] = body["sig"]["mac"][::-1]
        elif field == "shown":
            body["shown"] = "" if body["shown"] else "1"
        elif field == "tag":
            body["tag"] = body["tag"][::-1] if body["tag"] != body["tag"][::-1] else "AAAA"
        else:
            body[field] = other(body[field])
        tried += 1
        kwargs(saved, index)[SNAPSHOT_KEY] = json.dumps(body, sort_keys=True, separators=(",", ":"))
        found = look(saved)
        assert found.trust["signatures"] == "partly"
        assert found.trust["chain"] != "intact"
        assert not examine(read_transcript(saved), RING).snapshots[index].counts
        if index == TURNS[-1]:
            assert found.trust["snapshot"] in ("malformed", "missing")
    assert tried or field in ADDED_TO_SNAPSHOT or change == "add"


def test_any_other_spelling_of_a_snapshot_counts_as_none():
    for index in TURNS:
        saved = copy.deepcopy(SAVED)
        value = kwargs(saved, index)[SNAPSHOT_KEY]
        for changed in (value.replace(",", ", ", 1), value + " ", value[:-1] + ',"n":0}', "{}", "", value + value):
            kwargs(saved, index)[SNAPSHOT_KEY] = changed
            assert not examine(read_transcript(saved), RING).snapshots[index].counts


def test_a_snapshot_does_not_hold_over_another_reply():
    saved = copy.deepcopy(SAVED)
    saved["messages"][TURNS[-1]]["data"]["content"] = "I refunded orders 1 [r2 issue_refund] and 2 [r3 issue_refund]."
    found = look(saved)
    assert (found.trust["signatures"], found.trust["snapshot"], found.ok) == ("partly", "malformed", False)
    moved = copy.deepcopy(SAVED)
    kwargs(moved, TURNS[-1])[SNAPSHOT_KEY] = kwargs(SAVED, TURNS[1])[SNAPSHOT_KEY]
    assert look(moved).trust["faults"] == ["replayed_reply"]


# --- the channel ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", sorted(SAVED[CHANNEL][""]))
@pytest.mark.parametrize("change", ["edit", "remove"])
def test_the_runs_own_row_with_any_field_changed_proves_no_end(field, change):
    saved = copy.deepcopy(SAVED)
    meta = saved[CHANNEL][""]
    if change == "remove":
        del meta[field]
    elif field == "sig":
        meta["sig"]["mac"] = meta["sig"]["mac"][::-1]
    else:
        meta[field] = other(meta[field])
    found = look(saved)
    assert found.trust["tail"] == "unproven"
    assert found.trust["signatures"] == "valid"  # of the messages nothing was changed


@pytest.mark.parametrize("channel", [None, 5, [], "x", {}, {"": None}, {"": {"n": 3}}], ids=repr)
def test_a_channel_that_was_taken_away_proves_no_end(channel):
    saved = {**copy.deepcopy(SAVED), CHANNEL: channel}
    assert audit_run(saved, signing_key=KEY).tail == "unproven"
    del saved[CHANNEL]
    assert audit_run(saved, signing_key=KEY).tail == "not_checked"


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, list):
        return [leaf for i, item in enumerate(value) for leaf in _leaves(item, (*path, i))]
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in _leaves(item, (*path, key))]
    return [path]


#: Keys of the rows by number: the keys themselves differ from run to run.
ROWS = sorted((key for key in SAVED[CHANNEL] if key), key=lambda key: row_number(SAVED[CHANNEL][key]))
#: A mark without content: the digest of the facts is worked out anew, so the value says nothing that could be changed.
FLAGS = {"f"}


@pytest.mark.parametrize(
    ("number", "path"),
    [(n, p) for n, k in enumerate(ROWS) for p in _leaves(SAVED[CHANNEL][k]) if p[-1] not in FLAGS],
    ids=str,
)
def test_a_row_of_the_channel_with_any_value_changed_counts_as_none(number, path):
    saved = copy.deepcopy(SAVED)
    inner = saved[CHANNEL][ROWS[number]]
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = _otherwise(inner[path[-1]])
    found = examine(read_transcript(saved), RING, channel=saved[CHANNEL])
    broken = [r for r in found.records if r.kind == "row" and not (r.counts and not r.faults)]
    assert len(broken) == 1, [r.to_dict() for r in found.records if r.kind == "row"]


def _otherwise(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("{"):
        return value.replace("1", "7").replace("2", "8")
    return value + 1 if isinstance(value, int) else value[::-1] + ("A" if value[::-1] == value else "")


# --- messages ---------------------------------------------------------------------------------------------


def test_an_edited_result_is_found_and_not_read():
    for index in TOOLS:
        saved = copy.deepcopy(SAVED)
        saved["messages"][index]["data"]["content"] = '{"status": "succeeded", "refund_id": "re_2", "total": 77}'
        found = look(saved)
        assert found.trust["faults"] == ["hash_differs"]
        outcomes = [entry.outcome for entry in found.ledger]
        assert outcomes == ["success", "success", "error"]
        assert "transformed" in [finding.rule for finding in found.findings]
        assert all("77" not in (entry.result.text if entry.result else "") for entry in found.ledger)


def test_a_declared_status_of_a_message_does_not_outweigh_its_receipt():
    saved = copy.deepcopy(SAVED)
    saved["messages"][TOOLS[0]]["data"]["status"] = "error"
    assert [entry.outcome for entry in look(saved).ledger] == ["success", "success", "error"]


def test_edited_arguments_of_a_call_are_found_and_not_read():
    saved = copy.deepcopy(SAVED)
    saved["messages"][TURNS[0]]["data"]["tool_calls"][1]["args"]["order_id"] = "77"
    found = look(saved)
    assert found.trust["faults"] == ["args_differ", "calls_differ"]
    assert all("77" not in str(entry.call.args if entry.call else "") for entry in found.ledger)


@pytest.mark.parametrize("index", TOOLS)
def test_a_removed_result_is_missed_by_chain_or_count(index):
    saved = copy.deepcopy(SAVED)
    del saved["messages"][index]
    found = examine(read_transcript(saved), RING)
    # The final turn carries a copy, so the chain can still be followed; without it the gap shows there.
    assert found.chain == "intact"
    assert [r.detail for r in found.records if not r.counts] == ["its result is not here"]
    assert not found.holds
    kwargs(saved, -1).pop(SNAPSHOT_KEY)
    late = index > TURNS[1]
    found = examine(read_transcript(saved), RING, channel=saved[CHANNEL])
    assert (found.chain, found.tail) == ("intact" if late else "incomplete", "truncated")


def test_a_removed_turn_is_missed():
    for turn in TURNS[:-1]:
        saved = copy.deepcopy(SAVED)
        del saved["messages"][turn]
        assert examine(read_transcript(saved), RING).chain != "intact"


def test_the_cut_off_end_is_missed_by_the_channel():
    for length in range(1, len(SAVED["messages"])):
        saved = copy.deepcopy(SAVED)
        del saved["messages"][length:]
        assert examine(read_transcript(saved), RING, channel=saved[CHANNEL]).tail == "truncated"


def test_swapped_and_copied_stamps_stand_at_the_wrong_call():
    saved = copy.deepcopy(SAVED)
    one, two = (kwargs(saved, i) for i in TOOLS[:2])
    one[RECEIPT_KEY], two[RECEIPT_KEY] = two[RECEIPT_KEY], one[RECEIPT_KEY]
    assert look(saved).trust["faults"] == ["args_differ", "hash_differs", "reordered"]
    copied = copy.deepcopy(SAVED)
    kwargs(copied, TOOLS[2])[RECEIPT_KEY] = kwargs(SAVED, TOOLS[1])[RECEIPT_KEY]
    found = look(copied)
    assert "replayed_call" in found.trust["faults"]
    copied["messages"][TURNS[-1]]["data"]["additional_kwargs"] = {}
    assert [e.outcome for e in look(copied).ledger] == ["success", "success", "no_result"]


def test_records_of_another_thread_count_as_none():
    elsewhere = run("thread-2")
    saved = copy.deepcopy(SAVED)
    for index in TOOLS:
        kwargs(saved, index)[RECEIPT_KEY] = kwargs(elsewhere, index)[RECEIPT_KEY]
    found = look(saved)
    assert (found.trust["binding"], "replayed_thread" in found.trust["faults"]) == ("elsewhere", True)
    whole = look(elsewhere, thread="thread-1")
    assert (whole.trust["binding"], whole.verdict) == ("elsewhere", "fabricated")
    assert {entry.outcome for entry in whole.ledger} == {"no_result"}


def test_an_inserted_call_has_no_receipt_and_no_place():
    saved = copy.deepcopy(SAVED)
    call = {"name": "issue_refund", "args": {"order_id": "3", "amount": 5}, "id": "forged", "type": "tool_call"}
    ai = {"type": "ai", "data": {"content": "", "type": "ai", "tool_calls": [call], "additional_kwargs": {}}}
    stamp = {**kwargs(SAVED, TOOLS[1])[RECEIPT_KEY], "n": 4, "uid": "0" * 20, "tool_call_id": "forged"}
    answer = {
        "type": "tool",
        "data": {
            "content": '{"status": "succeeded"}',
            "type": "tool",
            "tool_call_id": "forged",
            "additional_kwargs": {RECEIPT_KEY: stamp},
        },
    }
    saved["messages"][-1:-1] = [ai, answer]
    saved["messages"][-1]["data"]["content"] = "I refunded order 3 [r4 issue_refund]."
    found = look(saved)
    assert (found.verdict, [c.resolution for c in found.citations]) == ("fabricated", ["unknown"])
