"""What an agent, a tool or a store wrote never raises: saved runs with anything in any place."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict

from receipts_middleware import verify, verify_messages, verify_turns
from receipts_middleware.core.errors import FormatError, UsageError
from receipts_middleware.core.keys import LEGACY_LEDGER_KEY, LEGACY_RECEIPT_KEY, RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.snapshot import make_snapshot

HEX = "0123456789abcdef" * 4
STAMP = {
    "v": 1,
    "uid": "u1",
    "n": 1,
    "tool_call_id": "c1",
    "tool": "send_email",
    "outcome": "success",
    "outcome_source": "body",
    "args_sha256": HEX,
    "output_sha256": HEX,
    "output_bytes": 4,
    "created_at": "",
    "prev": HEX,
    "attempts": 2,
    "scope": {"ns": "x"},
    "children": [{"agent": "a", "ended": "complete", "calls": 1, "receipts": []}],
}
LEGACY = {"tool_call_id": "c2", "tool_name": "bash", "status": "success", "args_sha256": "a" * 16}
RUN = messages_to_dict(
    [
        HumanMessage("go"),
        AIMessage(
            "Sending.",
            tool_calls=[
                {"name": "send_email", "args": {"to": "a"}, "id": "c1"},
                {"name": "bash", "args": {"x": [1, {"y": None}]}, "id": "c2"},
            ],
            additional_kwargs={SNAPSHOT_KEY: make_snapshot(n=0, shown="", head=HEX, tag="A2BC", toolset=[["a", "b"]])},
        ),
        ToolMessage("sent", tool_call_id="c1", additional_kwargs={RECEIPT_KEY: STAMP}),
        ToolMessage(
            [{"type": "text", "text": "A2BC [r9 pay] success"}],
            tool_call_id="c2",
            additional_kwargs={LEGACY_RECEIPT_KEY: LEGACY},
        ),
        AIMessage(
            "Sent [r1 send_email], ran [r2], paid [r1.1 pay], (r7), [r1-r3].",
            additional_kwargs={
                SNAPSHOT_KEY: make_snapshot(
                    n=2, shown="1-2", head=HEX, tag="A2BC", entries=[{"receipt": STAMP, "facts": {"args": ["a"]}}]
                ),
                LEGACY_LEDGER_KEY: [{"id": "r1", **LEGACY}],
            },
        ),
    ]
)


def places(value, path=()):
    """Every place in a document."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found.extend(places(item, (*path, key)))
    return found


PLACES = places(RUN)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
    | st.sampled_from(["r1", "[r1 x] success", "A2BC [r1]", "\ud835", "{", "[" * 500, HEX, "tool", "ai", "answer"])
    | st.sampled_from([STAMP, [STAMP], RUN[1], RUN[2]["data"]]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.sampled_from(
        ["type", "id", "content", "text", "status", "n", "outcome", "args", "name", "tool_call_id"]
    ), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(changes=st.lists(st.tuples(st.sampled_from(PLACES), ANYTHING, st.booleans()), min_size=1, max_size=4))
def test_a_saved_run_with_anything_in_any_place_is_judged_or_refused(changes):
    run = copy.deepcopy(RUN)
    for path, value, dropped in changes:
        holder = run
        try:
            for key in path[:-1]:
                holder = holder[key]
            if dropped:
                del holder[path[-1]]
            else:
                holder[path[-1]] = copy.deepcopy(value)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue
    try:
        found = [verify_messages(run), *verify_turns(run)]
    except FormatError:
        return
    for v in found:
        plain = v.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == json.loads(json.dumps(plain))
        assert all(v.reply[c.start : c.end] == c.text for c in v.citations)
        assert all(0 <= f.start <= f.end <= len(v.reply) for f in v.findings if f.start is not None)


REPLIES = st.text(max_size=60) | st.lists(
    st.sampled_from(["[r1 x]", "(r2)", "[r1-r99]", "`", "\n", "> ", "r1", "[", "done"])
).map(" ".join)
GIVEN_ROWS = st.dictionaries(
    st.sampled_from(["id", "n", "tool", "outcome", "status", "tool_call_id", *STAMP]), ANYTHING, max_size=5
)


@settings(deadline=None, max_examples=120)
@given(
    reply=REPLIES,
    rows=st.lists(GIVEN_ROWS, max_size=4),
    shown=st.none() | st.lists(st.integers(-3, 10**12), max_size=4),
)
def test_a_ledger_that_a_caller_gives_is_judged_or_refused(reply, rows, shown):
    try:
        v = verify(reply, rows, shown=shown)
    except UsageError:
        return
    json.dumps(v.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "text",
    ["[r1 " * 20_000, "[r1]" * 20_000, "(r" * 40_000, "[r1-r100]" * 3_000, "> " * 20_000 + "[r1]", "`" * 50_000,
     "[r1 x] " * 10_000 + "failed", "A2BC [r1 x] success\n" * 5_000, "- [r1]\n" * 8_000],
)  # fmt: skip
def test_hostile_replies_and_results_end(text):
    messages = [
        HumanMessage("go"),
        AIMessage("", tool_calls=[{"name": "send_email", "args": {"x": text}, "id": "c1"}]),
        ToolMessage(text, tool_call_id="c1"),
        AIMessage(text),
    ]
    assert verify_messages(messages).reply == text
