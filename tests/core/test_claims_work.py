"""How much is read for a claim check, in counts of calls: what was read is not read again, and growth is linear."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from receipts_middleware import verify_messages, verify_turns
from receipts_middleware.core.binding import table, weigh, words
from receipts_middleware.core.grade import ledger, shown
from receipts_middleware.core.language import claims
from receipts_middleware.core.values import arguments, read

TOOLS = [("issue_refund", "Refund an order."), ("find_order", "Find an order.")]


def call(n: int) -> list[dict[str, object]]:
    tool = TOOLS[n % 2][0]
    function = {"name": tool, "arguments": json.dumps({"order_id": 50_000 + n})}
    result = json.dumps({"order_id": 50_000 + n, "status": "succeeded", "total": 64.0, "seq": f"S-{n:06}"})
    return [
        {"role": "user", "content": f"See to order {50_000 + n}, please."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": f"c{n}", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": f"c{n}", "content": result},
    ]


def chat(turns: int) -> list[dict[str, object]]:
    said = ("I refunded order {n}.", "Order {n} comes to $64.00.")
    rows = [(*call(n), {"role": "assistant", "content": said[n % 2].format(n=50_000 + n)}) for n in range(turns)]
    return [message for row in rows for message in row]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[object, str], list[int]]:
    """Counts calls of a function of a module; what was kept of texts before is dropped."""
    read._kept.cache_clear()
    arguments._kept_of_text.cache_clear()
    words._kept_stems.cache_clear()

    def count(module: object, name: str) -> list[int]:
        calls: list[int] = []
        original = getattr(module, name)

        def counting(*args: object, **more: object) -> object:
            calls.append(1)
            return original(*args, **more)

        monkeypatch.setattr(module, name, counting)
        return calls

    return count


def test_what_a_call_returned_is_weighed_once_however_many_turns_follow(counted: Callable) -> None:
    told, looked = counted(weigh, "as_told"), counted(shown, "states_of")
    assert len(list(verify_turns(chat(40), tools=TOOLS))) == 40
    assert (len(told), len(looked)) == (20, 0)  # refunds; look-ups are of other orders


def test_a_look_up_is_read_once_for_what_it_shows_however_many_turns_follow(counted: Callable) -> None:
    looked = counted(shown, "states_of")
    messages = chat(40)
    for at, message in enumerate(messages):
        if message["role"] == "tool" and at % 8 == 6:
            message["content"] = str(message["content"]).replace('"seq": "S-0', '"of": "5000')
    assert len(list(verify_turns(messages, tools=TOOLS))) == 40
    assert 0 < len(looked) <= 20


def test_texts_read_for_values_grow_with_the_turns_and_not_with_their_square(counted: Callable) -> None:
    reads, stemmed = counted(read, "_read"), counted(words, "_stems")
    list(verify_turns(chat(40), tools=TOOLS))
    first = len(reads), len(stemmed)
    read._kept.cache_clear()
    arguments._kept_of_text.cache_clear()
    words._kept_stems.cache_clear()
    list(verify_turns(chat(80), tools=TOOLS))
    second = len(reads) - first[0], len(stemmed) - first[1]
    assert first[0] > 40
    assert second[0] <= 2.2 * first[0]
    assert second[1] <= 2.2 * first[1]


def test_a_reply_is_cut_into_sentences_once_for_its_claims_and_all_calls_that_it_may_own_up_to(
    counted: Callable,
) -> None:
    cut, again = counted(claims, "read_units"), counted(table, "read_units")
    messages = [message for n in range(0, 40, 2) for message in call(n)]
    for message in messages:
        if message["role"] == "tool":
            message["content"] = '{"status": "pending"}'
    reply = {
        "role": "assistant",
        "content": "I refunded order 50000. The others were sent on.\n\nAll refunds went out.",
    }
    verify_messages([*messages, reply], tools=TOOLS)
    assert (len(cut), len(again)) == (1, 0)


def test_a_sentence_that_comes_again_is_read_once(counted: Callable) -> None:
    reads = counted(read, "_read")
    sentence = "I refunded order 50000 in full. "
    verify_messages([*call(0), {"role": "assistant", "content": sentence}], tools=TOOLS)
    once = len(reads)
    read._kept.cache_clear()
    arguments._kept_of_text.cache_clear()
    verify_messages([*call(0), {"role": "assistant", "content": sentence * 50}], tools=TOOLS)
    assert len(reads) - once <= once + 4


def test_a_call_is_graded_once_however_many_turns_follow(counted: Callable) -> None:
    graded = counted(ledger, "grade")
    list(verify_turns(chat(40), tools=TOOLS))
    assert len(graded) == 40


def test_calls_are_graded_anew_where_an_earlier_one_has_ended_since() -> None:
    late = call(0)
    early = [*late[:2], {"role": "assistant", "content": "I asked for it."}]
    pending = verify_messages(
        [*early, *call(2), {"role": "assistant", "content": "I refunded order 50002."}], tools=TOOLS
    )
    told = list(
        verify_turns(
            [*early, late[2], *call(2), {"role": "assistant", "content": "I refunded order 50000."}], tools=TOOLS
        )
    )
    assert pending.ledger[0].outcome == "no_result"
    assert [claim.status for claim in told[-1].claims] == ["supported"]
