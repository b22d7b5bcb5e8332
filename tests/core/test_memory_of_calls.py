"""What is remembered of the calls of a ledger or a walk changes no verdict: each is held against a judge without it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from receipts_middleware import verify, verify_messages, verify_turns
from receipts_middleware.core.binding.known import Asked, Known
from receipts_middleware.core.claimed import ClaimsMemory
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.grade import grade_ledger
from receipts_middleware.core.ledger import Entry, Ledger
from receipts_middleware.core.policy import Policy, ToolPolicy

TOOLS = [
    ("issue_refund", "Refund an order."),
    ("find_order", "Find an order."),
    ("send_email", "Send an email."),
]
REPLIES = (
    "I refunded order 50000 and emailed a@example.com.",
    "Order 50001 was found. I sent an email to b@example.com.",
    "I refunded order 99999 in full.",
    "All refunds went out and are confirmed.",
    "I found order 50007 [r8 find_order], and refunded order 50006 [r7].",
)


def call(n: int, tool: str, arguments: object, result: object) -> list[dict[str, object]]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return [
        {"role": "assistant", "content": "", "tool_calls": [{"id": f"c{n}", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": f"c{n}", "content": json.dumps(result)},
    ]


def run(calls: int) -> list[dict[str, object]]:
    """Refunds, look-ups that show some of them done, and mails; every seventh call repeats an earlier one."""
    rows: list[dict[str, object]] = [{"role": "user", "content": "Please see to my orders."}]
    for n in range(calls):
        order = 50_000 + (n - n % 3 if n % 7 else 0)
        if n % 3 == 0:
            rows += call(n, "issue_refund", {"order_id": order}, {"status": "pending", "refund_id": f"re_{order}"})
        elif n % 3 == 1:
            body = {"status": "settled", "refund_id": f"re_{50_000 + n - 1}", "note": "caf\u00e9" if n % 2 else ""}
            rows += call(n, "find_order", {"order_id": order}, body)
        else:
            rows += call(n, "send_email", {"to": f"a{order}@example.com"}, {"status": "sent"})
    return rows


def ledger_of(calls: int) -> Ledger:
    return verify_messages([*run(calls), {"role": "assistant", "content": "Hello."}], tools=TOOLS).ledger


def said(verification: Verification) -> dict[str, object]:
    return verification.to_dict()


@pytest.mark.parametrize("calls", [0, 5, 30, 450])
def test_one_ledger_gives_the_same_for_each_reply_as_a_fresh_one(calls: int) -> None:
    kept = ledger_of(calls)
    for reply in (*REPLIES, *reversed(REPLIES)):
        assert said(verify(reply, kept, tools=TOOLS)) == said(verify(reply, Ledger(kept), tools=TOOLS))


def test_one_ledger_is_read_anew_for_other_tools_and_another_policy() -> None:
    kept = ledger_of(30)
    strict = Policy(require_object_id=True)
    quiet = Policy(tools=(ToolPolicy("send_email", ignore=True), ToolPolicy("issue_refund", grade="S1")))
    for tools, policy in ((TOOLS, None), (TOOLS, strict), (TOOLS[:1], None), (TOOLS, quiet), (TOOLS, None)):
        fresh = verify(REPLIES[0], Ledger(kept), tools=tools, policy=policy)
        assert said(verify(REPLIES[0], kept, tools=tools, policy=policy)) == said(fresh)


def test_a_grade_that_the_policy_sets_holds_for_every_reply_to_a_ledger() -> None:
    kept = ledger_of(30)
    for grade, status in (("F", "failed"), ("S1", "failed"), ("S3", "supported")):
        policy = Policy(tools=(ToolPolicy("send_email", grade=grade),))
        for _ in range(2):
            found = verify("I sent an email to a50000@example.com.", kept, tools=TOOLS, policy=policy)
            assert [claim.status for claim in found.claims] == [status]


def test_a_ledger_that_goes_on_from_another_reads_only_the_calls_since() -> None:
    entries, kept = list(ledger_of(40)), Ledger()
    for end in (10, 11, 30, 40, 25, 40):
        kept = Ledger(entries[:end], after=kept)
        for reply in REPLIES:
            assert said(verify(reply, kept, tools=TOOLS)) == said(verify(reply, Ledger(entries[:end]), tools=TOOLS))
    with kept.remembering(ClaimsMemory) as memory, Ledger(entries, after=kept).remembering(ClaimsMemory) as other:
        assert memory.acts.turn > 20
        assert other is not memory


def test_threads_that_share_a_ledger_do_not_disturb_each_other() -> None:
    kept = ledger_of(60)
    wanted = [said(verify(reply, Ledger(kept), tools=TOOLS)) for reply in REPLIES]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda reply: said(verify(reply, kept, tools=TOOLS)), REPLIES * 10))
    assert found == wanted * 10


def test_what_is_remembered_is_not_copied_with_a_ledger() -> None:
    kept = ledger_of(12)
    before = said(verify(REPLIES[0], kept, tools=TOOLS))
    again = pickle.loads(pickle.dumps(kept))
    assert again == kept
    assert said(verify(REPLIES[0], again, tools=TOOLS)) == before
    with kept.remembering(ClaimsMemory) as first, kept.remembering(ClaimsMemory) as second:
        assert first is not second


def test_a_half_way_memory_is_not_kept() -> None:
    kept = ledger_of(3)
    with pytest.raises(RuntimeError), kept.remembering(ClaimsMemory) as lost:
        raise RuntimeError
    with kept.remembering(ClaimsMemory) as memory:
        assert memory is not lost


@pytest.mark.parametrize("calls", [40, 240])
def test_every_turn_of_a_walk_is_judged_as_if_it_were_the_only_one(calls: int) -> None:
    rows = run(calls)
    for at in range(len(rows) - len(rows) % 2, 10, -10):
        rows.insert(at + 1, {"role": "assistant", "content": REPLIES[at // 10 % len(REPLIES)]})
    turns = verify_turns(rows, tools=TOOLS)
    alone = [
        verify_messages(rows[: at + 1], tools=TOOLS)
        for at, row in enumerate(rows)
        if row["role"] == "assistant" and row["content"]
    ]
    assert len(turns) == len(alone) > 3
    assert [said(turn) for turn in turns] == [said(one) for one in alone]


def entries_of(calls: int) -> list[Entry]:
    return list(ledger_of(calls))


def by_growing(entries: list[Entry], step: int) -> dict[int, str]:
    known = Known()
    asked = Asked((), Policy())
    for end in range(step, len(entries) + step, step):
        known.follow(entries[:end], asked)
        for entry in entries[:end:3]:
            _ = known.act(entry).grade
    return {entry.n: known.act(entry).grade for entry in entries}


@pytest.mark.parametrize("step", [1, 2, 7, 200])
def test_grades_of_a_ledger_that_grows_are_those_of_the_whole(step: int) -> None:
    entries = entries_of(70)
    assert by_growing(entries, step) == {n: graded.grade for n, graded in grade_ledger(entries).items()}
    assert "S4" in by_growing(entries, step).values()


@pytest.mark.parametrize(
    "spell",
    [
        lambda oid: json.dumps({"id": oid, "status": "settled"}),
        lambda oid: json.dumps({"id": oid, "status": "settled"}).replace("re_7", "\\u0072e_7"),
        lambda oid: str({"id": oid, "status": "settled"}),
        lambda oid: f"Refund {oid} is settled.",
        lambda oid: json.dumps({"rows": ["x" * 5_000], "id": oid, "status": "settled"}),
        lambda _: json.dumps({"status": "settled"}),
    ],
    ids=["json", "escaped", "python", "prose", "long", "asked for"],
)
@pytest.mark.parametrize("oid", ["re_7", "re/7", "réf 7"])
def test_a_read_back_is_found_however_its_id_is_spelled(spell: Callable[[str], str], oid: str) -> None:
    refund = call(0, "issue_refund", {"order_id": 1}, {"status": "pending", "refund_id": oid})
    look = call(1, "find_refund", {"refund_id": oid}, "")
    look[1]["content"] = spell(oid)
    others = [
        row for n in range(2, 50) for row in call(n, "find_refund", {"refund_id": f"re_{n}0"}, {"status": "open"})
    ]
    rows = [{"role": "user", "content": "Refund it."}, *refund, *others, *look, {"role": "assistant", "content": "Hm."}]
    ledger = verify_messages(rows, tools=["issue_refund", "find_refund"]).ledger
    assert grade_ledger(ledger)[1].grade == ("S4" if "Refund réf" not in spell(oid) else "S2")


def test_repetitions_are_found_among_stamped_calls_and_others_together() -> None:
    rows = run(21)
    reply = {"role": "assistant", "content": "I refunded the orders."}
    derived = verify_messages([*rows, reply], tools=TOOLS)
    assert derived.duplicates
    whole = [
        Entry(receipt=pickle.loads(pickle.dumps(e.receipt)), origin="given", call=e.call, result=e.result)
        for e in derived.ledger
    ]
    mixed = [*whole[:9], *list(derived.ledger)[9:]]
    assert not whole[0].receipt.is_later
    assert derived.ledger[0].receipt.is_later
    for entries in (whole, mixed):
        assert verify(str(reply["content"]), Ledger(entries), tools=TOOLS).duplicates == derived.duplicates
