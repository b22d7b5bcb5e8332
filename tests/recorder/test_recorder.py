"""A loop without any framework has the same receipts: decorator, context manager, sink, judgement."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.types import CallToolResult, TextContent
from openai.types.chat import ChatCompletionMessage

from receipts_middleware import Recorder, UsageError, verify, verify_messages
from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.core.claimed import ClaimsMemory
from receipts_middleware.core.ledger import Ledger
from receipts_middleware.core.receipt import Receipt, parse_receipt
from receipts_middleware.core.seal import check_receipt
from receipts_middleware.signing import as_keyring
from receipts_middleware.store import Redaction, SqliteSink, read_executions, read_sink


@pytest.fixture
def sink(tmp_path):
    with SqliteSink(tmp_path / "sink.db", store="raw") as made:
        yield made


def events(sink) -> list[tuple[int, str]]:
    return [(row.n, row.event) for row in sink.read()]


def test_a_decorated_function_is_recorded(sink) -> None:
    recorder = Recorder(sink)

    @recorder.tool
    def issue_refund(order_id: str, amount: float = 5.0) -> dict:
        """Refund an order."""
        assert events(sink) == [(1, "start")], "its start is durable before it runs"
        return {"status": "succeeded", "refund_id": "re_1"}

    assert issue_refund("4821", amount=7) == {"status": "succeeded", "refund_id": "re_1"}
    (entry,) = recorder.ledger
    assert (entry.id, entry.tool, entry.outcome, entry.receipt.object_id) == ("r1", "issue_refund", "success", "re_1")
    assert entry.receipt.args_sha256 == digest_args({"order_id": "4821", "amount": 7}).sha256
    assert entry.receipt.output_sha256 == digest_output('{"refund_id":"re_1","status":"succeeded"}').sha256
    assert isinstance(parse_receipt(entry.receipt.to_dict()), Receipt)
    assert events(sink) == [(1, "start"), (1, "done")]
    assert sink.read()[1].body["receipt"] == entry.receipt.to_dict()
    assert recorder.check("I refunded order 4821 [r1 issue_refund].").verdict == "clean"
    assert recorder.check("I refunded order 9999.").claims[0].status == "wrong_target"


def test_a_decorated_coroutine_is_recorded(sink) -> None:
    recorder = Recorder(sink)

    @recorder.tool(name="send_email")
    async def mail(to: str) -> str:
        """Send an email."""
        await asyncio.sleep(0)
        return "sent"

    assert asyncio.run(mail("a@example.com")) == "sent"
    assert mail.__name__ == "mail"
    assert [(e.tool, e.outcome) for e in recorder.ledger] == [("send_email", "success")]
    assert events(sink) == [(1, "start"), (1, "done")]
    assert recorder.check("I sent the email to a@example.com.").ok


def test_methods_leave_out_their_object() -> None:
    recorder = Recorder()

    class Shop:
        @recorder.tool
        def refund(self, order: str, *more: int, **rest: str) -> str:
            """Refund."""
            return order

    assert Shop().refund("1", 2, 3, x="y") == "1"
    assert recorder.ledger[0].call.args == {"order": "1", "more": [2, 3], "rest": {"x": "y"}}


def test_a_wrong_call_fails_as_it_would_and_is_recorded() -> None:
    recorder = Recorder()

    @recorder.tool
    def act(x: int) -> int:
        """Act."""
        return x

    with pytest.raises(TypeError, match="missing 1 required"):
        act()  # type: ignore[call-arg]
    assert [(e.outcome, e.receipt.error_type) for e in recorder.ledger] == [("error", "TypeError")]


@pytest.mark.parametrize(
    ("error", "outcome", "event"),
    [(OSError("x"), "error", "raised"), (KeyboardInterrupt(), "interrupted", "interrupted")],
    ids=["error", "interrupt"],
)
def test_what_a_call_raises_goes_on_and_is_recorded(sink, error, outcome, event) -> None:
    recorder = Recorder(sink)
    with pytest.raises(type(error)), recorder.call("act", {"x": 1}):
        raise error
    assert [(e.outcome, e.receipt.error_type) for e in recorder.ledger] == [(outcome, type(error).__name__)]
    assert events(sink) == [(1, "start"), (1, event)]


def test_a_cancelled_call_is_recorded(sink) -> None:
    recorder = Recorder(sink)

    async def run() -> None:
        begun = asyncio.Event()

        async def work() -> None:
            async with recorder.call("wait"):
                begun.set()
                await asyncio.sleep(60)

        task = asyncio.create_task(work())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert events(sink) == [(1, "start"), (1, "cancelled")]
    assert recorder.ledger[0].outcome == "cancelled"


def test_a_coroutine_that_is_thrown_away_leaves_its_end(sink) -> None:
    recorder = Recorder(sink)

    class Pause:
        def __await__(self):
            yield

    async def work() -> None:
        async with recorder.call("wait"):
            await Pause()

    coroutine = work()

    async def first_step() -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(_until_paused(coroutine))
        await task

    asyncio.run(first_step())
    coroutine.close()
    assert events(sink) == [(1, "start"), (1, "interrupted")]


async def _until_paused(coroutine) -> None:
    """Drive a coroutine by hand until it yields nothing, as an event loop that stops would leave it."""
    future = coroutine.send(None)
    while future is not None:
        await asyncio.wrap_future(future) if not asyncio.isfuture(future) else await asyncio.wait([future])
        future = coroutine.send(None)


def test_an_openai_loop(sink) -> None:
    """The loop that everybody writes, with the provider's objects as they come."""
    recorder = Recorder(sink, thread="chat-1", tools=[("send_email", "Send an email"), ("lookup", "Look up")])
    work = {
        "send_email": lambda to: {"id": "m1", "status": "sent"},
        "lookup": lambda key: {"order": key, "total": "59.90 EUR"},
    }
    asked = [
        SimpleNamespace(id="call_1", function=SimpleNamespace(name="lookup", arguments='{"key": "4821"}')),
        SimpleNamespace(id="call_2", function=SimpleNamespace(name="send_email", arguments='{"to": "a@example.com"}')),
    ]
    for tool_call in asked:
        args = json.loads(tool_call.function.arguments)
        with recorder.call(tool_call.function.name, args, tool_call_id=tool_call.id) as call:
            call.returned(work[tool_call.function.name](**args))
    assert "[r2 send_email] success m1" in recorder.render()
    message = {
        "role": "assistant",
        "content": "The total is 59.90 EUR [r1 lookup]. I sent it to a@example.com [r2 send_email].",
    }
    v = recorder.check(message, said="Mail the total of order 4821 to a@example.com.")
    assert (v.verdict, v.counts["resolved"], v.trust["source"], v.trust["stamped"]) == ("clean", 2, "recorder", 2)
    assert (
        recorder.check(ChatCompletionMessage(role="assistant", content="The total of order 4821 is 95.90 EUR."))
        .claims[0]
        .status
        == "misquoted"
    )
    assert [e.tool_call_id for e in read_sink(sink, thread="chat-1")] == ["call_1", "call_2"]


def test_every_check_is_that_of_a_recorder_that_is_asked_for_the_first_time() -> None:
    recorder = Recorder(tools=[("issue_refund", "Refund an order."), ("find_order", "Find an order.")])
    early, replies = [], ("I refunded order 3.", "Order 4 was found.", "I refunded order 77.")
    for n in range(12):
        with recorder.call(("issue_refund", "find_order")[n % 2], {"order_id": n}) as call:
            early.append(recorder.check(f"I refunded order {n - n % 2}."))  # while the call is open
            call.returned({"status": "succeeded", "order_id": n})
        for reply in replies:
            fresh = verify(reply, Ledger(recorder.ledger), tools=list(recorder._tools.values()))
            kept = recorder.check(reply)
            assert (kept.claims, kept.findings) == (fresh.claims, fresh.findings)
    with recorder.ledger.remembering(ClaimsMemory) as memory:
        assert memory.acts.turn == 48
    assert [claim.status for found in early for claim in found.claims] == ["failed", "supported"] * 6


def test_anthropic_blocks_are_a_reply() -> None:
    recorder = Recorder(tools=[("send_email", "Send an email")])
    v = recorder.check([{"type": "text", "text": "I sent the email to a@example.com."}])
    assert v.claims[0].status == "not_called"


def test_the_recorder_and_the_transcript_say_the_same() -> None:
    """One judge: what the recorder saw, and the same run as messages."""
    recorder = Recorder(tools=[("send_email", "Send an email")])
    with recorder.call("send_email", {"to": "a@example.com"}, tool_call_id="c1") as call:
        call.returned('{"status": "queued"}')
    reply = "I sent the email to a@example.com and to b@example.com [r1 send_email]."
    messages = [
        {"role": "user", "content": "Mail them."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "send_email", "arguments": '{"to": "a@example.com"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"status": "queued"}'},
        {"role": "assistant", "content": reply},
    ]
    one, other = (
        recorder.check(reply, said="Mail them."),
        verify_messages(messages, tools=[("send_email", "Send an email")]),
    )
    assert [(c.text, c.status, c.receipts) for c in one.claims] == [
        (c.text, c.status, c.receipts) for c in other.claims
    ]
    assert one.verdict == other.verdict
    assert [f.rule for f in one.findings] == [f.rule for f in other.findings]


@pytest.mark.parametrize(
    ("value", "options", "outcome"),
    [
        ("done", {}, "success"),
        (None, {}, "success"),
        ("boom", {"error": True}, "error"),
        ("out", {"exit_code": 2}, "error"),
        ({"isError": True, "content": [{"type": "text", "text": "no such order"}]}, {}, "error"),
        ({"isError": False, "content": [{"type": "text", "text": "ok"}]}, {}, "success"),
        (CallToolResult(isError=True, content=[TextContent(type="text", text="no")]), {}, "error"),
        ({"success": False, "error": "declined"}, {}, "error"),
    ],
)
def test_what_a_result_says_of_its_end(value, options, outcome) -> None:
    recorder = Recorder()
    with recorder.call("send_email", {"to": "a"}) as call:
        call.returned(value, **options)
    assert recorder.ledger[0].outcome == outcome


def test_blocks_stay_blocks_and_values_become_json() -> None:
    @dataclass
    class Order:
        number: int

    recorder = Recorder()
    blocks = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    for value in (blocks, Order(4821), [1, 2], b"x"):
        with recorder.call("look") as call:
            call.returned(value)
    contents = [entry.result.content for entry in recorder.ledger]
    assert contents == [blocks, '{"number":4821}', "[1,2]", '{"$bytes":"eA"}']


def test_a_tool_that_changes_its_arguments_does_not_change_the_record() -> None:
    recorder = Recorder()
    args = {"to": ["a"], "deep": {"x": 1}}
    with recorder.call("send", args) as call:
        args["to"].append("b")
        args["deep"]["x"] = 2
        call.returned("ok")
    assert recorder.ledger[0].call.args == {"to": ["a"], "deep": {"x": 1}}


def test_a_call_that_has_not_ended_has_no_result(sink) -> None:
    recorder = Recorder(sink, tools=[("send_email", "Send an email")])
    call = recorder.call("send_email", {"to": "a@example.com"})
    call.begin()
    assert [e.outcome for e in recorder.ledger] == ["no_result"]
    assert recorder.check("I sent the email to a@example.com.").claims[0].status != "supported"
    assert events(sink) == [(1, "start")]
    call.returned("sent")
    call.end()
    assert [e.outcome for e in recorder.ledger] == ["success"]


def test_parallel_calls_have_numbers_of_their_own(sink) -> None:
    recorder = Recorder(sink)
    barrier = threading.Barrier(8)

    def work(i: int) -> None:
        barrier.wait()
        for k in range(20):
            with recorder.call("act", {"i": i, "k": k}) as call:
                call.returned(f"{i}.{k}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert [e.n for e in recorder.ledger] == list(range(1, 161))
    assert [e.receipt for e in read_sink(sink, run=recorder.run)] == [e.receipt for e in recorder.ledger]


def test_a_thread_goes_on_where_it_left_off(sink) -> None:
    first = Recorder(sink, thread="chat-1", tools=[("send_email", "Send an email")])
    with first.call("send_email", {"to": "a@example.com"}) as call:
        call.returned({"status": "sent"})
    second = Recorder(sink, thread="chat-1", tools=[("send_email", "Send an email")])
    with second.call("send_email", {"to": "b@example.com"}) as call:
        call.returned({"status": "sent"})
    assert [e.n for e in second.ledger] == [1, 2]
    assert second.check("I sent the mails to a@example.com [r1] and b@example.com [r2].").ok
    assert [e.n for e in Recorder(sink, thread="chat-2").ledger] == []


class Broken:
    store = "facts"
    redaction = Redaction()

    def append(self, row) -> None:
        raise OSError("no space left on device")

    def read(self, **wanted):
        raise OSError("input/output error")


def test_a_failing_sink_loses_no_result(caplog) -> None:
    recorder = Recorder(Broken(), thread="t")
    with caplog.at_level(logging.WARNING, "receipts_middleware"):
        for _ in range(3):
            with recorder.call("act") as call:
                call.returned("done")
    assert [e.outcome for e in recorder.ledger] == ["success"] * 3
    assert len(caplog.records) == 3, "one of reading, one before a call, one after it"


def test_on_sink_error_raise_runs_nothing_without_its_row() -> None:
    recorder = Recorder(Broken(), on_sink_error="raise")
    ran = []
    with pytest.raises(OSError, match="no space"), recorder.call("act"):
        ran.append(1)
    assert not ran


def test_the_calls_own_exception_outweighs_the_sinks(sink, monkeypatch) -> None:
    recorder = Recorder(sink, on_sink_error="raise")

    def fail() -> None:
        with recorder.call("act"):
            monkeypatch.setattr(sink, "append", Broken().append)
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as raised:
        fail()
    assert any("no space" in note for note in raised.value.__notes__)


def test_our_own_failure_loses_no_result(monkeypatch, caplog) -> None:
    recorder = Recorder()
    monkeypatch.setattr("receipts_middleware.recorder.call.result_of", lambda *_: 1 / 0)

    @recorder.tool
    def act() -> str:
        """Act."""
        return "done"

    assert act() == "done"
    assert "ZeroDivisionError" in caplog.text


def test_receipts_are_signed_where_there_is_a_key(sink) -> None:
    key = b"k" * 32
    recorder = Recorder(sink, thread="chat-1", signing_key=key)
    with recorder.call("send_email", {"to": "a@example.com"}) as call:
        call.returned({"status": "sent"})
    receipt = recorder.ledger[0].receipt
    assert check_receipt(receipt, as_keyring(key)) == "valid"
    assert check_receipt(receipt, as_keyring(b"x" * 32)) != "valid"
    assert check_receipt(replace(receipt, outcome="error"), as_keyring(key)) == "bad"
    assert read_sink(sink, thread="chat-1")[0].receipt == receipt
    assert recorder.check("I sent the mail to a@example.com [r1].").ok


def test_generators_are_refused() -> None:
    def stream():
        yield 1

    async def astream():
        yield 1

    for function in (stream, astream):
        with pytest.raises(UsageError, match="generator"):
            Recorder().tool(function)


@pytest.mark.parametrize(
    "options",
    [
        {"capture": "all"},
        {"capture": "digests"},
        {"on_sink_error": "stop"},
        {"sink": 7},
        {"policy": 7},
        {"signing_key": b"short"},
    ],
    ids=str,
)
def test_options_that_cannot_be_right_are_refused(options) -> None:
    with pytest.raises(UsageError):
        Recorder(**options)


@pytest.mark.parametrize("capture", ["digests", "hashes"])
def test_capture_holds_for_the_sink_too(sink, capture) -> None:
    recorder = Recorder(sink, capture=capture, capture_key=b"k" * 16)
    with recorder.call("send_email", {"to": "anna@example.com"}) as call:
        call.returned("sent to anna@example.com")
    assert "anna" not in json.dumps([dict(row.body) for row in sink.read()])


@settings(max_examples=50, deadline=None)
@given(
    tool=st.text(max_size=20),
    args=st.recursive(
        st.none() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    ),
    value=st.recursive(st.none() | st.binary() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)),
    reply=st.text(max_size=60),
)
def test_nothing_untrusted_raises(tmp_path_factory, tool, args, value, reply) -> None:
    with SqliteSink(tmp_path_factory.mktemp("any") / "sink.db", store="raw", synchronous="normal") as sink:
        recorder = Recorder(sink, on_sink_error="raise")
        with recorder.call(tool, args) as call:
            call.returned(value)
        recorder.check(reply)
        recorder.render()
        (executed,) = read_executions(sink, run=recorder.run).executions
        assert executed.receipt.args_sha256 == recorder.ledger[0].receipt.args_sha256
