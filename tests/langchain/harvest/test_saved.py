"""The same child, seen live by its parent and read from its saved messages, is judged the same."""

from __future__ import annotations

import pytest
from langchain.agents.middleware import PIIMiddleware, SummarizationMiddleware, ToolErrorMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")


class Finding(BaseModel):
    """What was found."""

    title: str
    body: str
    sources: list[str]


def both(kit, drive, child, show=None):
    """The child as its parent's result has it, as its saved messages have it, and the parent's model."""
    seen = []
    show = show or (lambda result: result["messages"][-1].text)
    ask = kit.ask(child, show=lambda result: seen.append(result) or show(result))
    model = kit.model(kit.call("ask", q="x"), "ok")
    result = drive.ask(kit.agent((), tools=[ask], model=model))
    live = harvest(kit.saved(result["messages"])).children[0]
    saved = harvest({"messages": kit.saved(seen[0]["messages"])}, agent=live.agent)
    return live, saved, model


def same(live, saved):
    assert live.verification.to_dict() == saved.verification.to_dict()
    assert {**live.to_dict(), "call": ""} == saved.to_dict()


def test_honest_and_dishonest_reports(kit, drive):
    reports = [
        "Found [r1 search] and [r2 search].",
        "Found [r1 search], booked [r3 book_room].",
        "Booked it all.",
        "",
        "Found [r1-r2], `[r9]`, (r1), [rN x], [r2 book_room].",
        "Trailing lines [r1 search].  \n\n",
        "日本語の報告［r1 search］。",
    ]
    for report in reports:
        live, saved, _ = both(kit, drive, kit.agent(kit.searches(2, report), "scout"))
        same(live, saved)
        assert live.report == report.rstrip()
        assert live.report_state == "written"


def test_failures_refusals_and_retries(kit, drive):
    turns = [
        kit.call("send_email", to="ana@example.com"),
        kit.call("crash", why="disk"),
        kit.call("search", wrong="x"),
        kit.call("no_such_tool", q="x"),
        "Sent [r1 send_email]; crashed [r2 crash]; searched [r3 search]; used [r4 no_such_tool].",
    ]
    catch = ToolErrorMiddleware(lambda error, _: f"failed: {error}")
    live, saved, _ = both(kit, drive, kit.agent(turns, "scout", before=[catch]))
    same(live, saved)
    assert [outcome for _, _, outcome in kit.rows(live)] == ["error", "error", "not_executed", "not_executed"]
    assert "cites_failure" in [r for _, r, _ in kit.resolutions(live)]


@pytest.mark.parametrize("calls", [3, 12, 40])
def test_compaction_inside_the_child(kit, drive, calls):
    shorten = SummarizationMiddleware(
        model=kit.model(*["Things were searched."] * 99, by="order"), trigger=("messages", 8), keep=("messages", 3)
    )
    report = f"First [r1 search], then [r2 search], last [r{calls} search], never [r{calls + 1} search]."
    child = kit.agent(kit.searches(calls, report), "scout", before=[shorten], by="order")
    live, saved, _ = both(kit, drive, child)
    same(live, saved)
    assert live.calls == calls
    assert [r for _, r, _ in kit.resolutions(live)] == ["resolved", "resolved", "resolved", "unknown"]
    assert live.left_out == max(0, calls - 32)


def test_compaction_inside_a_deepagents_child(kit, drive):
    from deepagents.backends import StateBackend
    from deepagents.middleware.summarization import SummarizationMiddleware as DeepSummary

    writer = kit.model(*["Things were searched."] * 99, by="order")
    shorten = DeepSummary(model=writer, backend=StateBackend(), trigger=("messages", 10), keep=("messages", 4))
    report = "First [r1 search], last [r20 search]."
    spec = kit.spec("scout", kit.searches(20, report), by="order", middleware=[shorten, kit.receipts()])
    run = harvest(drive.ask(kit.deep([kit.task("scout"), "ok"], spec)))
    assert kit.facts(run.children) == [("r1", "scout", "present", "complete", 20)]
    assert kit.resolutions(run.children[0]) == [("r1", "resolved", ""), ("r20", "resolved", "")]


def test_a_budget_that_shows_little(kit, drive):
    """Receipts that a compacted child was no longer shown are in neither of the two."""
    shorten = SummarizationMiddleware(
        model=kit.model(*["Things were searched."] * 99, by="order"), trigger=("messages", 8), keep=("messages", 3)
    )
    receipts = kit.receipts(max_chars=200)
    child = kit.agent(kit.searches(20, "First [r1 search], last [r20 search]."), "scout", before=[shorten], by="order",
                      receipts=receipts)  # fmt: skip
    live, saved, _ = both(kit, drive, child)
    same(live, saved)
    assert live.calls == 20
    assert len(live.ledger) < 20


@pytest.mark.parametrize("dump", ["json", "mapping", "fields"])
def test_structured_output_as_the_report(kit, drive, dump):
    found = {
        "title": 'Rooms "A" and B',
        "body": "Free on Monday [r1 search].\nTaken on Tuesday [r2 search].",
        "sources": ["Ü"],
    }
    turns = [*kit.searches(2, "")[:2], kit.call("Finding", **found)]
    child = kit.agent(turns, "scout", response_format=ToolStrategy(Finding))
    shows = {
        "json": lambda result: result["structured_response"].model_dump_json(),
        "mapping": lambda result: result["structured_response"].model_dump(),
        "fields": lambda result: "\n".join([found["title"], found["body"], *found["sources"]]),
    }
    live, saved, model = both(kit, drive, child, shows[dump])
    assert saved.report == "\n".join([found["title"], found["body"], "Ü"])
    assert saved.verification.reply_source == "text"
    assert "[r1.1 search]" in model.requests[1][-1].text
    assert kit.resolutions(live) == [("r1", "resolved", ""), ("r2", "resolved", "")]
    same(live, saved)


def test_structured_output_of_deepagents(kit, drive):
    turns = [kit.call("search", q="a"), kit.call("Finding", title="T", body="Free [r1 search].", sources=[])]
    spec = kit.spec("scout", turns, response_format=ToolStrategy(Finding))
    model = kit.model(kit.task("scout"), "ok")
    run = harvest(drive.ask(kit.deep((), spec, model=model)))
    assert (run.children[0].report, run.children[0].report_state) == ("T\nFree [r1 search].", "written")
    assert kit.resolutions(run.children[0]) == [("r1", "resolved", "")]
    assert "Free [r1.1 search]." in model.requests[1][-1].text


def test_a_call_made_together_with_the_structured_answer_runs_after_it(kit, drive):
    turns = [kit.calls(("Finding", {"title": "T", "body": "B", "sources": []}), ("search", {"q": "late"}))]
    child = kit.agent(turns, "scout", response_format=ToolStrategy(Finding))
    live, saved, _ = both(kit, drive, child, lambda result: result["structured_response"].model_dump_json())
    same(live, saved)
    assert (live.calls, kit.rows(live)) == (1, [("r2", "search", "success")])


def test_a_structured_answer_without_a_call_is_no_evidence(kit, drive):
    turns = [kit.call("Finding", title="T", body="Booked [r1 Finding].", sources=[])]
    child = kit.agent(turns, "scout", response_format=ToolStrategy(Finding))
    live, saved, model = both(kit, drive, child, lambda result: result["structured_response"].model_dump_json())
    same(live, saved)
    assert (live.evidence, live.calls, live.ended, len(live.ledger)) == ("empty", 0, "complete", 0)
    assert kit.resolutions(live) == [("r1", "unknown", "")]
    assert "made no tool call" in model.requests[1][-1].text


def test_a_refused_structured_answer_is_no_call(kit, drive):
    turns = [kit.call("Finding", title="T"), *kit.searches(1, "")[:1],
             kit.call("Finding", title="T", body="Free [r2 search].", sources=[])]  # fmt: skip
    child = kit.agent(turns, "scout", response_format=ToolStrategy(Finding))
    live, saved, _ = both(kit, drive, child, lambda result: result["structured_response"].model_dump_json())
    same(live, saved)
    assert (live.calls, kit.rows(live)) == (1, [("r2", "search", "success")])
    assert kit.resolutions(live) == [("r2", "resolved", "")]


def test_nested_children(kit, drive):
    scout = kit.agent(kit.searches(2, "Seen [r2 search], not [r5 search]."), "scout")
    turns = [
        kit.call("book_room", room="1"),
        kit.calls(("ask_scout", {"q": "a"}), ("ask_scout", {"q": "b"})),
        "Booked [r1 book_room]; the scout saw [r2.2 search] and [r3.1 search], not [r2.5 search].",
    ]
    child = kit.agent(turns, "clerk", tools=[kit.book_room, kit.ask(scout, "ask_scout")])
    live, saved, _ = both(kit, drive, child)
    same(live, saved)
    assert [c.to_dict() for c in live.children] == [c.to_dict() for c in saved.children]
    assert [(c.call, c.agent, c.report_state) for c in live.children] == [
        ("r2", "scout", "written"),
        ("r3", "scout", "written"),
    ]
    assert kit.resolutions(live.children[0]) == [("r2", "resolved", ""), ("r5", "unknown", "")]


def test_messages_in_blocks(kit, drive):
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Found [r1 search]."}]
    child = kit.agent([kit.call("search", q="a"), AIMessage(content=blocks)], "scout")
    live, saved, _ = both(kit, drive, child)
    same(live, saved)
    assert live.report == "Found [r1 search]."


def test_a_tool_that_wraps_the_report(kit, drive):
    child = kit.agent(kit.searches(1, "Found [r1 search]."), "scout")
    live, saved, _ = both(kit, drive, child, lambda result: f"<report>\n{result['messages'][-1].text}\n</report>")
    same(live, saved)


def test_a_tool_that_rewords_the_report_is_judged_by_what_the_parent_was_given(kit, drive):
    child = kit.agent(kit.searches(1, "Found [r1 search], booked [r8 book_room]."), "scout")
    live, saved, model = both(kit, drive, child, lambda result: "In short: found [r1 search].")
    assert (live.report, live.report_state) == ("In short: found [r1 search].", "changed")
    assert kit.resolutions(live) == [("r1", "resolved", "")]
    said = [f.message for f in live.verification.findings if f.rule == "transformed"]
    assert len(said) == 1
    assert "reworded by the tool" in said[0]
    assert saved.report == "Found [r1 search], booked [r8 book_room]."
    assert "In short: found [r1.1 search]." in model.requests[1][-1].text


def test_no_word_that_a_layer_took_out_of_the_report_stands_in_the_record(kit, drive):
    """The child's own layer redacts its last message behind the model: the words must not come by another way."""
    redact = PIIMiddleware("email", strategy="redact", apply_to_output=True, apply_to_input=False)
    child = kit.agent(kit.searches(1, "Wrote to ana@example.com [r1 search]."), "scout", before=[redact])
    seen = []
    ask = kit.ask(child, show=lambda result: seen.append(result) or result["messages"][-1].text)
    result = drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask]))
    assert "ana@example.com" not in str(kit.saved(result["messages"]))
    live = harvest(result).children[0]
    saved = harvest({"messages": kit.saved(seen[0]["messages"])}, agent="scout")
    same(live, saved)
    assert (live.report, live.report_state) == ("Wrote to [REDACTED_EMAIL] [r1 search].", "written")
    assert kit.resolutions(live) == [("r1", "resolved", "")]


def test_no_word_that_the_parents_layer_took_out_stays_in_the_record(kit, drive):
    redact = PIIMiddleware("email", strategy="redact", apply_to_tool_results=True, apply_to_input=False)
    child = kit.agent(kit.searches(1, "Wrote to ana@example.com [r1 search]."), "scout")
    ours = kit.receipts(capture="hashes")  # facts of results are kept before any layer sees them, if so wished
    parent = kit.agent([kit.call("ask", q="x"), "ok"], tools=[kit.ask(child)], before=[redact], receipts=ours)
    result = drive.ask(parent)
    assert "ana@example.com" not in str(kit.saved(result["messages"]))
    assert harvest(result).children[0].report == "Wrote to [REDACTED_EMAIL] [r1 search]."


def test_evicted_results_are_said_to_be_changed(kit, drive):
    """deepagents moves a long result into a file: the report is no longer in the message, and that is said."""
    long = "Found [r1 search]. " + "x" * 120_000
    spec = kit.spec("scout", kit.searches(1, long))
    parent = kit.deep([kit.task("scout"), "ok"], spec)
    live = harvest(drive.ask(parent)).children[0]
    assert kit.rows(live) == [("r1", "search", "success")]
    assert live.report_state == "changed"
    assert live.report.startswith("Tool result too large")
    assert "transformed" in [f.rule for f in live.verification.findings]


def test_grandchildren_without_their_texts_where_no_values_are_kept(kit, drive):
    scout = kit.agent(kit.searches(1, "Seen [r1 search]."), "scout")
    clerk = kit.agent([kit.call("ask_scout", q="a"), "ok"], "clerk", tools=[kit.ask(scout, "ask_scout")])
    parent = kit.agent([kit.call("ask", q="x"), "ok"], tools=[kit.ask(clerk)], receipts=kit.receipts(capture="hashes"))
    result = drive.ask(parent)
    assert "Seen" not in str(kit.saved(result["messages"]))
    grandchild = harvest(result).children[0].children[0]
    assert (grandchild.agent, grandchild.report, grandchild.report_state) == ("scout", "", "lost")
    assert kit.rows(grandchild) == [("r1", "search", "success")]


def test_long_reports(kit, drive):
    long = "Found [r1 search].\n\n" + "word " * 60_000
    live, saved, _ = both(kit, drive, kit.agent(kit.searches(1, long), "scout"))
    same(live, saved)


def test_a_tool_of_the_child_that_returns_its_result_directly(kit, drive):
    @tool(return_direct=True)
    def answer(q: str) -> str:
        """Answer for good."""
        return "42"

    child = kit.agent([kit.call("answer", q="x")], "oracle", tools=[answer])
    live, saved, _ = both(kit, drive, child)
    assert kit.rows(live) == kit.rows(saved) == [("r1", "answer", "success")]
    assert (live.report, saved.report) == ("42", "")
