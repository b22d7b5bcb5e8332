"""What must not change what is said of a claim: its neighbours, its place, its markup, and whatever comes after it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import Verification, verify_messages, verify_turns
from receipts_middleware.core.claims import find_claims

Step = tuple[str, dict, object]


@dataclass(frozen=True)
class Scene:
    """A run and sentences about it, each of which names all that it speaks of, with the status of its one claim."""

    tools: dict[str, str]
    steps: tuple[Step, ...]
    sentences: dict[str, str]

    def messages(self, *replies: str) -> list[dict]:
        """The run, and after its calls one reply or several, each to a question."""
        found: list[dict] = [{"role": "user", "content": "Please see to it."}, *called(self.steps)]
        for reply in replies:
            found += [{"role": "assistant", "content": reply}, {"role": "user", "content": "And?"}]
        return found[:-1]

    def listed(self) -> list[dict]:
        return [{"name": name, "description": told} for name, told in self.tools.items()]

    def verify(self, reply: str) -> Verification:
        return verify_messages(self.messages(reply), tools=self.listed())


def called(steps: tuple[Step, ...], prefix: str = "c") -> list[dict]:
    found: list[dict] = []
    for at, (name, arguments, result) in enumerate(steps):
        function = {"name": name, "arguments": json.dumps(arguments)}
        asked = {"id": f"{prefix}{at}", "type": "function", "function": function}
        text = result if isinstance(result, str) else json.dumps(result)
        found.append({"role": "assistant", "content": None, "tool_calls": [asked]})
        found.append({"role": "tool", "tool_call_id": f"{prefix}{at}", "content": text})
    return found


SHOP = Scene(
    {
        "lookup_order": "Look up an order",
        "issue_refund": "Refund an order",
        "send_invoice": "Send an invoice",
        "cancel_order": "Cancel an order",
        "start_export": "Export the data of an account",
        "update_address": "Update the address of an order",
    },
    (
        ("lookup_order", {"order_id": "4821"}, {"order_id": "4821", "total": 89.5, "eta": "2026-10-24"}),
        ("issue_refund", {"order_id": "4821", "amount": 45}, {"refund_id": "re_1", "status": "succeeded"}),
        ("send_invoice", {"to": "dana@shop.test"}, {"id": "m_1", "status": "sent"}),
        ("cancel_order", {"order_id": "4830"}, {"success": False, "message": "already shipped"}),
        ("start_export", {"account": "a-1"}, {"job": "j-9", "status": "PENDING"}),
    ),
    {
        "I've refunded $45 for order 4821.": "supported",
        "I've sent the invoice to dana@shop.test.": "supported",
        "I've refunded $54 for order 4821.": "wrong_amount",
        "I've sent the invoice to dave@shop.test.": "wrong_target",
        "I've cancelled order 4830.": "failed",
        "The export of account a-1 is done.": "accepted_only",
        "I've updated the address of order 4821.": "not_called",
        "Order 4821 arrives on 2026-10-27.": "misquoted",
    },
)
CODE = Scene(
    {
        "read_file": "Read a file",
        "edit_file": "Edit a file",
        "delete_file": "Delete a file",
        "create_pull_request": "Open a pull request",
        "tag_release": "Tag a release",
    },
    (
        ("read_file", {"path": "app.py"}, "retries = 3\ntimeout = 40\n"),
        ("edit_file", {"path": "app.py", "old": "3", "new": "5"}, "1 replacement made"),
        ("delete_file", {"path": "a.py"}, "deleted"),
        ("delete_file", {"path": "b.py"}, "Error: permission denied"),
        ("create_pull_request", {"title": "Retry more"}, {"number": 12, "state": "open"}),
    ),
    {
        "I read app.py.": "supported",
        "I edited app.py.": "supported",
        "I've deleted a.py.": "supported",
        "I've deleted b.py.": "failed",
        "I edited main.py.": "wrong_target",
        "I've opened a pull request, #12.": "supported",
        "I've tagged release v2.4.": "not_called",
    },
)
HOTEL = Scene(
    {
        "book_table": "Book a table at a restaurant",
        "cancel_booking": "Cancel a booking",
        "send_message": "Send a message to a guest",
        "get_room": "Look up a room",
    },
    (
        ("get_room", {"room": "B12"}, {"room": "B12", "beds": 2, "price": 140.5}),
        ("book_table", {"restaurant": "Lumen", "party_size": 4, "date": "2026-05-12"}, {"booking": "L-31"}),
        ("send_message", {"to": "Okafor", "text": "Table booked"}, {"ok": True, "id": "g_1"}),
    ),
    {
        "I booked a table for four at Lumen.": "supported",
        "I booked a table for six at Lumen.": "wrong_amount",
        "I booked a table at Lumen for 13 May.": "wrong_target",
        "I've messaged Mr Okafor.": "supported",
        "I've cancelled booking L-30.": "not_called",
        "Room B12 costs $410.50.": "misquoted",
        "No table has been booked.": "false_denial",
    },
)
SCENES = {"shop": SHOP, "code": CODE, "hotel": HOTEL}

#: Sentences that present nothing as done, looked at or returned.
NEUTRAL = [
    "Thanks for your patience!",
    "Is there anything else?",
    "Please let me know.",
    "You will hear from us soon.",
    "If you like, I can explain the steps.",
]
MARKUP = [
    "**{}**",
    "*{}*",
    "- {}",
    "* {}",
    "1. {}",
    "## {}",
    "### **{}**",
    "- **{}**",
    "✅ {}",
    "{} ✅",
    "- {} ✅",
    "- [x] {}",
]


def said(v: Verification, sentence: str) -> set[str]:
    """Statuses of the claims in a sentence, whatever stands around it."""
    start = v.reply.index(sentence)
    return {c.status for c in v.claims if c.start < start + len(sentence) and start < c.end}


@st.composite
def told(draw: st.DrawFn) -> tuple[Scene, list[str]]:
    """A run with some of its sentences, each at most once, in any order."""
    scene = draw(st.sampled_from(list(SCENES.values())))
    return scene, draw(st.lists(st.sampled_from(list(scene.sentences)), min_size=1, max_size=6, unique=True))


@pytest.mark.parametrize("name", SCENES)
def test_each_sentence_alone_has_its_status(name: str) -> None:
    scene = SCENES[name]
    assert {s: said(scene.verify(s), s) for s in scene.sentences} == {s: {w} for s, w in scene.sentences.items()}


@pytest.mark.parametrize("form", MARKUP)
@pytest.mark.parametrize("name", SCENES)
def test_markup_changes_no_status(name: str, form: str) -> None:
    scene = SCENES[name]
    v = scene.verify("\n\n".join(form.format(sentence) for sentence in scene.sentences))
    assert {s: said(v, s) for s in scene.sentences} == {s: {w} for s, w in scene.sentences.items()}


@settings(max_examples=150, deadline=None)
@given(
    told(),
    st.lists(st.sampled_from(NEUTRAL), max_size=3),
    st.sampled_from([" ", "\n", "\n\n", "\n\n---\n\n"]),
    st.data(),
)
def test_neither_order_nor_neutral_sentences_change_a_status(
    run: tuple[Scene, list[str]], neutral: list[str], between: str, data: st.DataObject
) -> None:
    scene, sentences = run
    v = scene.verify(between.join(data.draw(st.permutations([*sentences, *neutral]))))
    assert {s: said(v, s) for s in sentences} == {s: {scene.sentences[s]} for s in sentences}


@settings(max_examples=150, deadline=None)
@given(told(), st.data())
def test_sentences_as_marked_up_lines_keep_their_status(run: tuple[Scene, list[str]], data: st.DataObject) -> None:
    scene, sentences = run
    lines = [data.draw(st.sampled_from(MARKUP)).format(sentence) for sentence in sentences]
    v = scene.verify("\n\n".join(lines))
    assert {s: said(v, s) for s in sentences} == {s: {scene.sentences[s]} for s in sentences}


@settings(max_examples=60, deadline=None)
@given(told(), st.lists(st.sampled_from(["reply", "call", "other call", "question"]), min_size=1, max_size=5))
def test_what_comes_later_changes_no_earlier_verification(run: tuple[Scene, list[str]], later: list[str]) -> None:
    scene, sentences = run
    messages = scene.messages(*sentences)
    before = [v.to_dict() for v in verify_turns(messages, tools=scene.listed())]
    assert len(before) == len(sentences)
    for at, kind in enumerate(later):
        if kind == "reply":
            messages.append({"role": "assistant", "content": next(iter(scene.sentences))})
        elif kind == "question":
            messages.append({"role": "user", "content": "What else?"})
        else:
            step = scene.steps[1] if kind == "call" else (next(reversed(scene.tools)), {"order_id": "4821"}, "ok")
            messages += called((step,), f"later{at}_")
    after = verify_turns(messages, tools=scene.listed())
    assert [v.to_dict() for v in after[: len(before)]] == before


WORDS = ["I", "'ve", "sent", "not", "$45", "4821", "all", "both", "five", "no", "once"]
SIGNS = ["[r1 x]", "(", '"', "✅", "|", "\n", "- ", "> ", "```", "İ", "\ud800"]
EVERY = [sentence for scene in SCENES.values() for sentence in scene.sentences]
PIECES = st.sampled_from([*WORDS, *SIGNS, *NEUTRAL, *EVERY])
TEXT = st.text(max_size=200) | st.lists(PIECES, max_size=25).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(list(SCENES.values())), TEXT)
def test_any_text_is_judged_and_every_offset_slices_it(scene: Scene, text: str) -> None:
    for claim in find_claims(text):
        assert text[claim.start : claim.end] == claim.text != ""
    v = scene.verify(text)
    for claim in v.claims:
        assert v.reply[claim.start : claim.end] == claim.text != ""
    for finding in v.findings:
        assert finding.start is None or 0 <= finding.start < (finding.end or 0) <= len(v.reply)
    assert [c.start for c in v.claims] == sorted(c.start for c in v.claims)
    assert json.loads(json.dumps(v.to_dict())) == v.to_dict()
