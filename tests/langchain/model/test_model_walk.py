"""A walk that is taken up again gives what a walk from the beginning gives, and holds nothing of a run that is over."""

from __future__ import annotations

import gc
import random
import weakref

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from receipts_middleware.core.keys import RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.core.ledger import CallSlot
from receipts_middleware.core.ledger.derive import derive_receipt
from receipts_middleware.core.snapshot import make_snapshot
from receipts_middleware.core.transcript import ToolCall
from receipts_middleware.langchain.stamps import Stamps
from receipts_middleware.langchain.view import ViewBuilder, ViewOptions


def builder(placement: str) -> ViewBuilder:
    options = ViewOptions(placement, 4_000, len, excluded=lambda name: name == "hidden", kind=lambda name: "acting")
    return ViewBuilder(options, Stamps())


def stamp(n: int) -> dict:
    slot = CallSlot(n, 1, ToolCall("send_email", f"c{n}", {"to": n}), 0, "")
    return derive_receipt(slot, None, "acting").to_dict()


def turns(count: int, odd: random.Random) -> list:
    """Turns of one call each; some results carry no stamp, some turns no snapshot, some are a person's."""
    messages: list = [HumanMessage("go", id="u")]
    for n in range(1, count + 1):
        head = f"{n:064x}"
        kwargs = {SNAPSHOT_KEY: make_snapshot(n=n - 1, shown="", head=head, tag="A2BC")} if odd.random() < 0.9 else {}
        call = {"name": "send_email", "args": {}, "id": f"c{n}"}
        messages.append(AIMessage("", id=f"a{n}", tool_calls=[call], additional_kwargs=kwargs))
        kwargs = {RECEIPT_KEY: stamp(n)} if odd.random() < 0.9 else {}
        messages.append(ToolMessage("sent", id=f"t{n}", tool_call_id=f"c{n}", additional_kwargs=kwargs))
        if odd.random() < 0.1:
            messages.append(HumanMessage("and?", id=f"h{n}"))
    return messages


def show(views: ViewBuilder, messages: list) -> tuple:
    view = views.build(messages, tag="A2BC", known=dict, known_count=0, issued=10**6)
    return [(type(m), m.content, m.additional_kwargs) for m in view.messages], view.shown, sorted(view.receipts)


@pytest.mark.parametrize("placement", ["inline", "tail", "none"])
@pytest.mark.parametrize("seed", range(6))
def test_a_walk_taken_up_gives_what_a_new_one_gives(placement, seed):
    odd = random.Random(seed)
    views, messages = builder(placement), turns(60, odd)
    for end in range(1, len(messages) + 1):
        now = messages[:end]
        if odd.random() < 0.1:  # a layer outside rewrites a message of the beginning
            at = odd.randrange(end)
            messages[at] = messages[at].model_copy()
            now = messages[:end]
        if odd.random() < 0.1:  # or redacts one in place
            messages[odd.randrange(end)].content = f"redacted {end}"
        if odd.random() < 0.05:  # or cuts the view
            now = now[odd.randrange(end) :]
        assert show(views, now) == show(builder(placement), now)


def test_nothing_of_a_run_is_held_when_it_is_over():
    views, messages = builder("inline"), turns(40, random.Random(1))
    for end in range(1, len(messages) + 1):
        show(views, messages[:end])
    watched = [weakref.ref(message) for message in messages]
    assert views._walker._kept
    del messages
    gc.collect()
    assert not any(ref() for ref in watched)
    assert not views._walker._kept
    assert not views._walker._renderer.held


def test_what_is_kept_does_not_grow_with_the_run():
    views, messages = builder("inline"), turns(80, random.Random(2))
    for end in range(1, len(messages) + 1):
        show(views, messages[:end])
        assert len(views._walker._kept) <= 2
