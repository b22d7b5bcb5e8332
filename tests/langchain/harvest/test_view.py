"""What the parent's model is shown of a child's report: the ids that the parent knows, in an unchanged message."""

from __future__ import annotations

import json

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool

from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")


def parent_of(kit, *reports, show=None, ours=None):
    """A parent whose fourth call asks children that made three searches each and reported as given."""
    children = [kit.agent(kit.searches(3, report), f"scout{k}") for k, report in enumerate(reports, 1)]

    @tool
    def ask(q: str) -> str:
        """Ask everyone."""
        texts = [child.invoke({"messages": [("user", q)]})["messages"][-1].text for child in children]
        return (show or "\n\n".join)(texts)

    model = kit.model(*(kit.call("search", q=str(k)) for k in range(3)), kit.call("ask", q="x"), "ok")
    return kit.agent((), tools=[*kit.tools, ask], model=model, receipts=ours), model


def body_of(model, tag_lines=2):
    return "\n".join(model.requests[-1][-1].text.split("\n")[:-tag_lines])


@pytest.mark.rows("harvest/reports.json")
def test_citations_stand_under_the_parents_ids(kit, drive, row):
    parent, model = parent_of(kit, row["report"])
    result = drive.ask(parent)
    assert body_of(model) == row["shown"]
    assert kit.delegations(result)[0].content == row["report"]


def test_the_persisted_message_is_the_same_with_and_without_receipts(kit, drive):
    def run(bare):
        child = kit.agent(kit.searches(1, "Found [r1 search]."), "scout", bare=bare)
        result = drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[kit.ask(child)], bare=bare))
        return next(m for m in result["messages"] if isinstance(m, ToolMessage))

    ours, bare = run(False), run(True)
    assert ours.content.encode() == bare.content.encode()
    assert (ours.name, ours.tool_call_id, ours.status) == (bare.name, bare.tool_call_id, bare.status)


def test_content_blocks_are_qualified_block_by_block(kit, drive):
    child = kit.agent(kit.searches(1, "Found [r1 search]."), "scout")
    blocks = [
        {"type": "text", "text": "Found [r1 search]."},
        {"type": "image", "url": "https://example.com/[r1].png"},
        {"type": "text", "text": "Again: [r1 search]."},
    ]
    model = kit.model(kit.call("ask", q="x"), "ok")
    result = drive.ask(kit.agent((), tools=[kit.ask(child, show=lambda _: blocks)], model=model))
    shown = model.requests[1][-1].content
    assert shown[0]["text"] == "Found [r1.1 search]."
    assert shown[1] == blocks[1]
    assert shown[2]["text"] == "Again: [r1.1 search]."
    assert len(shown) == 4
    assert kit.delegations(result)[0].content == blocks


def test_several_children_under_one_call_each_have_ids_of_their_own(kit, drive):
    parent, model = parent_of(kit, "One [r1 search].", "Two [r3 search], [r1-3].", "Three [r2 search].")
    run = harvest(drive.ask(parent))
    assert body_of(model) == "One [r4.1 search].\n\nTwo [r4.6 search], [r4.4-r4.6].\n\nThree [r4.8 search]."
    assert [child.agent for child in run.children] == ["scout1", "scout2", "scout3"]


def test_equal_reports_are_told_apart_by_their_order(kit, drive):
    parent, model = parent_of(kit, *["Same [r1 search]."] * 3)
    drive.ask(parent)
    assert body_of(model) == "Same [r4.1 search].\n\nSame [r4.4 search].\n\nSame [r4.7 search]."


def test_a_report_within_another_is_the_longer_ones(kit, drive):
    parent, model = parent_of(kit, "Seen [r2 search].", "He says: Seen [r2 search]. I agree [r1 search].",
                              show=lambda texts: texts[1] + " | " + texts[0])  # fmt: skip
    drive.ask(parent)
    assert body_of(model) == "He says: Seen [r4.5 search]. I agree [r4.4 search]. | Seen [r4.2 search]."


def test_json_of_several_reports(kit, drive):
    parent, model = parent_of(kit, 'Said "yes" [r1 search].', "Über [r1 search].", show=json.dumps)
    drive.ask(parent)
    assert body_of(model) == json.dumps(['Said "yes" [r4.1 search].', "Über [r4.4 search]."])


def test_a_citation_of_which_the_author_is_unknown_names_nothing(kit, drive):
    """As it stands it would name a receipt of the parent; of which child it is cannot be said."""
    parent, model = parent_of(kit, "One [r1 search].", "Two [r2 search].", show=lambda _: "In short [r1 search].")
    run = harvest(drive.ask(parent))
    assert body_of(model) == "In short [r4.0.1 search]."
    assert [child.report_state for child in run.children] == ["lost", "lost"]
    cited = kit.agent([kit.call("search", q="x"), "In short [r1.0.1 search]."])
    assert kit.resolutions(drive.ask(cited)) == [("r1.0.1", "unknown", "")]


def test_an_invented_id_does_not_come_to_name_a_siblings_receipt(kit, drive):
    """The first child made three calls and cites a fifth: the number is the second child's below the call."""
    parent, model = parent_of(kit, "Wrote it [r5 search].", "Two [r2 search].")
    drive.ask(parent)
    assert body_of(model) == "Wrote it [r4.0.5 search].\n\nTwo [r4.5 search]."


@pytest.mark.parametrize("placement", ["inline", "tail", "none"])
def test_placements(kit, drive, placement):
    parent, model = parent_of(kit, "Found [r1 search].", ours=kit.receipts(placement=placement))
    drive.ask(parent)
    texts = [message.text for message in model.requests[-1]]
    if placement == "none":
        assert texts[-1] == "Found [r1 search]."
    else:
        message = texts[-1] if placement == "inline" else texts[-2]
        assert message.startswith("Found [r4.1 search].\n")
        assert "Subagent scout1 made 3 calls; its one citation resolved." in message


def test_each_request_begins_with_the_one_before(kit, drive):
    specs = [kit.spec(f"scout{k}", kit.searches(k, f"Found [r1 search], not [r{k + 4} search].")) for k in (1, 2, 3)]
    both = kit.calls(*(("task", {"subagent_type": f"scout{k}", "description": "x"}) for k in (1, 2)))
    model = kit.model(both, kit.task("scout3"), kit.task("scout1"), kit.call("search", q="x"), "ok")
    drive.ask(kit.deep((), *specs, model=model, tools=list(kit.tools)))
    assert len(model.requests) == 5
    for before, after in zip(model.requests, model.requests[1:], strict=False):
        assert [m.content for m in after[: len(before)]] == [m.content for m in before]
        assert len(after) > len(before)


def test_a_later_turn_of_the_thread_shows_the_same_as_the_first(kit, drive):
    from langgraph.checkpoint.memory import InMemorySaver

    child = kit.agent(kit.searches(2, "Found [r2 search], not [r9 search]."), "scout")
    model = kit.model(kit.call("ask", q="x"), "ok", "again")
    parent = kit.agent((), tools=[kit.ask(child)], model=model, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    drive.ask(parent, config)
    again = kit.agent((), tools=[kit.ask(child)], model=model, checkpointer=parent.checkpointer)
    drive(again, {"messages": [("user", "and now?")]}, config)
    first, second = model.requests[1], model.requests[2]
    assert [m.content for m in second[: len(first)]] == [m.content for m in first]


def test_the_model_never_gets_the_record(kit, drive):
    parent, model = parent_of(kit, "Found [r1 search].")
    drive.ask(parent)
    assert not any(key.startswith("receipts_middleware") for m in model.requests[-1] for key in m.additional_kwargs)


def test_a_childs_tag_in_its_report_is_made_harmless(kit, drive):
    """A child of the same thread has the same tag; a line of its ledger in its report would read as the parent's."""
    quote = []
    child = kit.agent(
        [kit.call("search", q="x"), lambda m: quote.append(m[-1].text.splitlines()[-1]) or f"My ledger: {quote[0]}"],
        "scout",
    )
    model = kit.model(kit.call("ask", q="x"), "ok")
    drive(
        kit.agent((), tools=[kit.ask(child)], model=model),
        {"messages": [("user", "go")]},
        {"configurable": {"thread_id": "t"}},
    )
    body, *lines = model.requests[1][-1].text.split("\n")
    assert body == "My ledger: (not a receipt) [r1.1 search] success"
    assert lines[0].split()[0] == quote[0].split()[0]


def test_a_message_of_a_parent_is_not_touched_where_no_child_ran(kit, drive):
    @tool
    def read_page(url: str) -> str:
        """Read a page."""
        return "As [r1 search] says."

    model = kit.model(kit.call("read_page", url="u"), "ok")
    drive.ask(kit.agent((), tools=[read_page], model=model))
    assert model.requests[1][-1].text.startswith("As [r1 search] says.\n")


def test_a_parents_own_words_are_not_touched(kit, drive):
    child = kit.agent(kit.searches(1, "Found [r1 search]."), "scout")
    model = kit.model(
        {"content": "Next [r1 ask].", **kit.call("ask", q="x")},
        {"content": "I asked [r1 ask] and it found [r1.1 search].", **kit.call("ask", q="y")},
        "ok",
    )
    drive.ask(kit.agent((), tools=[kit.ask(child)], model=model))
    words = [m.text for m in model.requests[2] if isinstance(m, AIMessage)]
    assert words == ["Next [r1 ask].", "I asked [r1 ask] and it found [r1.1 search]."]
