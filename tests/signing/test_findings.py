"""Each rule about signatures: what it flags under a key, what it leaves alone, and that it is silent without one."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import messages_from_dict

from receipts_middleware import verify_messages
from receipts_middleware.core.keys import CHANNEL, RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.rules import RULES

_spec = importlib.util.spec_from_file_location("tampering", Path(__file__).with_name("test_tampering.py"))
assert _spec is not None
assert _spec.loader is not None
tampering = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tampering)
SAVED, TOOLS, TURNS, KEY, kwargs = (
    tampering.SAVED, tampering.TOOLS, tampering.TURNS, tampering.KEY, tampering.kwargs
)  # fmt: skip
Change = Callable[[dict[str, Any]], Any]


def edit_call(saved: dict[str, Any]) -> None:
    saved["messages"][TURNS[0]]["data"]["tool_calls"][1]["args"]["order_id"] = "7"


def move_back(saved: dict[str, Any]) -> None:
    """A result behind a turn that had seen it, and before the one that is judged."""
    saved["messages"].insert(TURNS[1], saved["messages"].pop(TOOLS[0]))


#: rule: (what it must flag, what it must leave alone).
CASES: dict[str, tuple[Change, Change]] = {
    "unsigned_record": (
        lambda s: kwargs(s, TOOLS[0])[RECEIPT_KEY].pop("sig"),
        lambda s: s["messages"][0]["data"].update(content="Refund both orders."),
    ),
    "bad_signature": (
        lambda s: kwargs(s, TOOLS[0])[RECEIPT_KEY].update(outcome="error"),
        lambda s: kwargs(s, TOOLS[0]).update(other="somebody else's key"),
    ),
    "record_misplaced": (
        lambda s: kwargs(s, TURNS[-1]).update({SNAPSHOT_KEY: kwargs(s, TURNS[1])[SNAPSHOT_KEY]}),
        lambda s: s["messages"][TOOLS[0]]["data"].update(content="x"),
    ),
    "record_altered": (edit_call, lambda s: s["messages"][TURNS[0]]["data"].update(name="agent")),
    "chain_broken": (move_back, lambda s: s["messages"].pop(TURNS[1])),
    "tail_truncated": (lambda s: s["messages"].pop(), lambda s: s.pop(CHANNEL)),
}


def rules(saved: dict[str, Any], **options: Any) -> set[str]:
    state = {**saved, "messages": messages_from_dict(saved["messages"])}
    found = verify_messages(state, **options)
    return {finding.rule for finding in found.findings}


@pytest.mark.parametrize("rule", CASES)
def test_rule_flags_what_it_is_for_and_leaves_alone_what_is_near(rule):
    flagged, near = copy.deepcopy(SAVED), copy.deepcopy(SAVED)
    CASES[rule][0](flagged)
    CASES[rule][1](near)
    assert rule in rules(flagged, signing_key=KEY)
    assert rule not in rules(near, signing_key=KEY)
    assert rule not in rules(SAVED, signing_key=KEY)
    assert rule not in rules(flagged)


@pytest.mark.parametrize("rule", CASES)
def test_rule_is_a_warning_and_brings_no_verdict(rule):
    assert (RULES[rule].severity, RULES[rule].verdict) == ("warning", None)


def test_many_records_of_one_kind_are_listed_so_far_and_counted_in_full():
    from receipts_middleware.core.attested import MAX_LISTED

    saved = copy.deepcopy(SAVED)
    saved["messages"] = [m for _ in range(MAX_LISTED) for m in copy.deepcopy(saved["messages"])]
    for message in saved["messages"]:
        message["data"]["additional_kwargs"].pop(SNAPSHOT_KEY, None)
        message["data"]["additional_kwargs"].pop(RECEIPT_KEY, None)
    found = verify_messages({"messages": messages_from_dict(saved["messages"])}, signing_key=KEY)
    listed = [finding for finding in found.findings if finding.rule == "unsigned_record"]
    assert len(listed) == MAX_LISTED
    assert found.trust["unsigned_records"] > MAX_LISTED
