"""The parent's report: a child's work is borne out under qualified ids alone, and by the agent that did it."""

from __future__ import annotations

import pytest

from receipts_middleware import verify_messages
from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")


def judge(kit, drive, report):
    """A parent that searched once, delegated a booking and a failing mail, and then reports."""
    clerk = kit.agent(
        [kit.call("book_room", room="1"), kit.call("send_email", to="ana@example.com"), "Booked [r1 book_room]."],
        "clerk",
    )
    turns = [kit.call("search", q="a"), kit.call("ask", q="x"), report]
    return verify_messages(drive.ask(kit.agent(turns, tools=[*kit.tools, kit.ask(clerk)])))


@pytest.mark.rows("harvest/parent_reports.json")
def test_each_spelling_of_a_citation(kit, drive, row):
    v = judge(kit, drive, row["report"])
    found = [[c.id, c.resolution, c.agent] for c in v.citations]
    assert found == row["citations"]
    assert v.verdict == row["verdict"]


def test_details_say_what_the_receipt_is(kit, drive):
    v = judge(kit, drive, "Sent [r2.2 send_email]; found [r2.1 search].")
    assert v.citations[0].detail == "r2.2 (send_email) ended as error, the words say it was done"
    assert v.citations[1].detail == "r2.1 is book_room, not search"


def test_the_parents_delegation_receipt_bears_out_that_it_asked(kit, drive):
    v = judge(kit, drive, "I asked for the booking [r2 ask].")
    assert [(c.id, c.resolution, c.agent) for c in v.citations] == [("r2", "resolved", "")]


def test_a_child_that_was_not_shown_is_not_resolved(kit, drive):
    clerk = kit.agent([kit.call("book_room", room="1"), "Booked [r1 book_room]."], "clerk")
    turns = [kit.call("ask", q="x"), "Booked [r1.1 book_room]."]
    result = drive.ask(kit.agent(turns, tools=[kit.ask(clerk)], receipts=kit.receipts(placement="none")))
    assert [r for _, r, _ in kit.resolutions(result)] == ["not_shown"]


def test_after_a_compaction_of_the_parent(kit, drive):
    """The delegation's message is gone; its receipt is carried, and with it the receipts of the child."""
    from langchain.agents.middleware import SummarizationMiddleware

    clerk = kit.agent([kit.call("book_room", room="1"), "Booked [r1 book_room]."], "clerk")
    writer = kit.model(*["A room was booked [r1.1 book_room]."] * 20, by="order")
    shorten = SummarizationMiddleware(model=writer, trigger=("messages", 6), keep=("messages", 2))
    turns = [kit.call("ask", q="x"), *kit.searches(6, "Booked [r1.1 book_room], not twice [r1.2 book_room].")]
    result = drive.ask(kit.agent(turns, tools=[*kit.tools, kit.ask(clerk)], before=[shorten], by="order"))
    assert kit.delegations(result) == []
    assert kit.resolutions(result) == [("r1.1", "resolved", "clerk"), ("r1.2", "unknown", "")]
    run = harvest(result)
    assert kit.facts(run.children) == [("r1", "clerk", "present", "complete", 1)]
    assert run.children[0].report_state == "lost"


def test_ids_of_two_children_of_one_call_survive_a_compaction(kit, drive):
    from langchain.agents.middleware import SummarizationMiddleware
    from langchain_core.tools import tool

    one = kit.agent(kit.searches(3, "One [r1 search]."), "one")
    two = kit.agent([kit.call("book_room", room="1"), "Two [r1 book_room]."], "two")

    @tool
    def ask(q: str) -> str:
        """Ask both."""
        return "\n".join(a.invoke({"messages": [("user", q)]})["messages"][-1].text for a in (one, two))

    shorten = SummarizationMiddleware(
        model=kit.model(*["Done so far."] * 20, by="order"), trigger=("messages", 6), keep=("messages", 2)
    )
    turns = [kit.call("ask", q="x"), *kit.searches(6, "Found [r1.1 search], booked [r1.4 book_room].")]
    result = drive.ask(kit.agent(turns, tools=[*kit.tools, ask], before=[shorten], by="order"))
    assert kit.delegations(result) == []
    assert kit.resolutions(result) == [("r1.1", "resolved", "one"), ("r1.4", "resolved", "two")]
