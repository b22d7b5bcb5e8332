"""Which replies are judged, against what, and that appending messages never changes what was said before."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.snapshot import make_snapshot

HEX = "0123456789abcdef" * 4


def user(text="go"):
    return {"role": "user", "content": text}


def ai(text="", *calls):
    listed = [
        {"id": call_id, "type": "function", "function": {"name": "send_email", "arguments": "{}"}} for call_id in calls
    ]
    return {"role": "assistant", "content": text, **({"tool_calls": listed} if calls else {})}


def result(call_id, text="sent"):
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def judged(messages):
    return [(v.message_index, v.ended) for v in verify_turns(messages)]


def test_every_assistant_message_with_text_is_judged_in_order():
    messages = [
        user(),
        ai("I will.", "a"),
        result("a"),
        ai("Sent [r1]."),
        user(),
        ai("", "b"),
        result("b"),
        ai("Sent [r2]."),
    ]
    assert judged(messages) == [(1, "reply"), (3, "reply"), (7, "reply")]
    assert verify_messages(messages) == verify_turns(messages)[-1]


def test_a_reply_after_a_call_that_was_never_answered_is_judged():
    messages = [user(), ai("", "a"), user("and?"), ai("Not yet [r1].")]
    assert judged(messages) == [(3, "reply")]
    assert verify_messages(messages) == verify_turns(messages)[-1]
    assert verify_messages(messages).ledger[0].outcome == "no_result"


def test_a_late_result_counts_for_the_next_reply_only():
    messages = [user(), ai("", "a"), user("and?"), ai("Not yet [r1]."), result("a"), ai("Sent [r1].")]
    early, late = verify_turns(messages)
    assert early.ledger[0].outcome == "no_result"
    assert late.ledger[0].outcome == "success"
    assert verify_messages(messages[:5]) == early == verify_turns(messages[:4])[0]


def test_results_of_the_judged_message_itself_count_and_no_others():
    messages = [user(), ai("", "a"), user(), ai("Sending now [r1].", "b"), result("b"), result("a"), user()]
    [v] = verify_turns(messages)
    assert [(e.n, e.outcome) for e in v.ledger] == [(1, "no_result"), (2, "success")]
    assert verify_messages(messages[:6]) == v


def test_a_message_whose_calls_are_open_waits_for_them():
    messages = [user(), ai("Sending.", "a", "b"), result("a"), result("b"), ai("Sent.")]
    assert [judged(messages[:cut]) for cut in range(6)] == [
        [], [], [], [], [(1, "reply")], [(1, "reply"), (4, "reply")]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("messages", "ended"),
    [
        ([], "empty"),
        ([user()], "empty"),
        ([user(), ai("", "a")], "pending"),
        ([user(), ai("I will.", "a")], "pending"),
        ([user(), ai("", "a", "b"), result("a")], "pending"),
        ([user(), ai("", "a", "b"), result("b")], "pending"),
        ([user(), ai("", "a", "b"), result("x")], "pending"),
        ([user(), ai("", "a"), result("a")], "empty"),
        ([user(), ai("Done."), user("more")], "empty"),
    ],
)
def test_without_a_reply_there_is_nothing_to_check(messages, ended):
    v = verify_messages(messages)
    assert (v.verdict, v.ended, v.ok, v.reply, v.message_index) == ("nothing_checked", ended, True, "", None)
    assert "upported" not in v.summary


def test_a_structured_answer_does_not_stand_for_the_result_of_another_call():
    calls = [
        {"name": "send_email", "args": {}, "id": "a"},
        {"name": "Report", "args": {"text": "Sent [r1]."}, "id": "b"},
    ]
    messages = [
        HumanMessage("go"),
        AIMessage("", tool_calls=calls),
        ToolMessage("Returning structured response: text='Sent [r1].'", tool_call_id="b", name="Report"),
    ]
    assert verify_messages(messages).ended == "pending"
    done = [*messages, ToolMessage("sent", tool_call_id="a", name="send_email")]
    v = verify_messages(done)
    assert (v.ended, v.reply, v.reply_source) == ("reply", "Sent [r1].", "structured")


def test_the_last_text_after_the_last_user_message_is_judged_and_a_summary_is_no_user():
    summary = HumanMessage("They sent it.", additional_kwargs={"lc_source": "summarization"})
    messages = [HumanMessage("go"), AIMessage("Sent."), summary, AIMessage("", tool_calls=[])]
    assert verify_messages(messages).reply == "Sent."
    assert verify_messages([*messages, HumanMessage("and?")]).ended == "empty"


def test_a_late_answer_message_changes_no_earlier_turn():
    call = {"name": "Report", "args": {"text": "Sent [r1]."}, "id": "b"}
    messages = [HumanMessage("go"), AIMessage("Look:", tool_calls=[call]), HumanMessage("and?"), AIMessage("Yes.")]
    late = ToolMessage("Returning structured response: text='Sent'", tool_call_id="b", name="Report")
    for cut in (3, 4):
        before = verify_turns(messages[:cut])
        assert verify_turns([*messages[:cut], late])[: len(before)] == before


TEXTS = st.sampled_from(["", "Sent [r1].", "Done [r2 send_email], [r7].", "It failed [r1].", "No [r0] [r9x].", "ok"])
IDS = st.sampled_from(["a", "b", "c", ""])


@st.composite
def chat(draw):
    """A conversation in which ids repeat, calls stay open and results come late, twice or for nothing."""
    steps = st.one_of(
        st.just(user()),
        st.builds(lambda text, calls: ai(text, *calls), TEXTS, st.lists(IDS, max_size=3)),
        st.builds(result, IDS, st.sampled_from(["sent", '{"status": "failed"}', "Error: no", ""])),
    )
    return draw(st.lists(steps, max_size=14))


@st.composite
def stamped(draw):
    """LangChain messages with stamps and snapshots, right ones, wrong ones and none."""
    out = []
    n = 0
    for step in draw(chat()):
        role = step["role"]
        if role == "user":
            out.append(HumanMessage(step["content"]))
        elif role == "assistant":
            calls = [{"name": "send_email", "args": {}, "id": c["id"]} for c in step.get("tool_calls", ())]
            value = make_snapshot(n=n, shown=f"1-{n}" if n > 1 else "1" if n else "", head=HEX, tag="A2BC")
            kwargs = draw(st.sampled_from([{SNAPSHOT_KEY: value}, {SNAPSHOT_KEY: value}, {SNAPSHOT_KEY: "x"}, {}]))
            out.append(AIMessage(step["content"], tool_calls=calls, additional_kwargs=kwargs))
            n += len(calls)
        else:
            number = draw(st.integers(1, n + 1))
            stamp = {
                "v": 1, "uid": f"u{number}", "n": number, "tool_call_id": step["tool_call_id"], "tool": "send_email",
                "outcome": "success", "outcome_source": "body", "args_sha256": HEX, "output_sha256": HEX,
                "output_bytes": 4, "created_at": "", "prev": HEX,
            }  # fmt: skip
            kwargs = draw(st.sampled_from([{RECEIPT_KEY: stamp}, {RECEIPT_KEY: {"v": 1}}, {}]))
            out.append(ToolMessage(step["content"], tool_call_id=step["tool_call_id"], additional_kwargs=kwargs))
    return out


@settings(deadline=None, max_examples=150)
@given(chat() | stamped())
def test_appending_messages_never_changes_an_earlier_verification(messages):
    every = verify_turns(messages)
    for cut in range(len(messages) + 1):
        earlier = verify_turns(messages[:cut])
        assert earlier == every[: len(earlier)]


@settings(deadline=None, max_examples=150)
@given(chat() | stamped())
def test_the_last_reply_is_judged_alike_alone_and_among_all(messages):
    last = verify_messages(messages)
    if last.ended == "reply":
        assert last in verify_turns(messages)


@settings(deadline=None, max_examples=60)
@given(stamped())
def test_objects_and_their_saved_form_are_judged_alike(messages):
    saved = messages_to_dict(messages)
    assert [v.to_dict() for v in verify_turns(saved)] == [v.to_dict() for v in verify_turns(messages)]
    assert verify_messages({"messages": saved}).to_dict() == verify_messages(messages).to_dict()
