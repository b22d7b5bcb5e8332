"""Bounds: what is kept of many calls, many children and many generations, and that the rest is counted."""

from __future__ import annotations

import pytest
from langchain_core.tools import tool

from receipts_middleware.core.keys import HARVEST_KEY
from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")


def test_a_hundred_calls_in_a_child(kit, drive):
    """Kept are what the report cites, then failures, then the newest; the others are counted."""
    turns = [
        kit.calls(
            *(("send_email" if k == 30 else "search", {"to" if k == 30 else "q": str(k)}) for k in range(1, 101))
        ),
        "First [r1 search], then [r40 search], never [r101 search]; also [r2-r4].",
    ]
    child = kit.agent(turns, "scout")
    report = "[r1.1 search] [r1.40 search] [r1.100 search] [r1.50 search] [r1.101 search]. Sent [r1.30 send_email]."
    result = drive.ask(kit.agent([kit.call("ask", q="x"), report], tools=[kit.ask(child)]))
    run = harvest(result)
    scout = run.children[0]
    assert (scout.calls, len(scout.ledger), scout.left_out) == (100, 32, 68)
    numbers = [entry.n for entry in scout.ledger]
    assert {1, 2, 3, 4, 30, 40} <= set(numbers)
    assert numbers[-26:] == list(range(75, 101))
    assert [r for _, r, _ in kit.resolutions(scout)] == ["resolved", "resolved", "unknown", *["resolved"] * 3]
    assert [(i, r) for i, r, _ in kit.resolutions(run)] == [
        ("r1.1", "resolved"),
        ("r1.40", "resolved"),
        ("r1.100", "resolved"),
        ("r1.50", "unknown"),
        ("r1.101", "unknown"),
        ("r1.30", "cites_failure"),
    ]


@pytest.mark.parametrize("stamped", [True, False])
def test_a_report_that_cites_more_than_is_otherwise_kept(kit, drive, stamped):
    """Dropping what is cited would accuse an honest agent of inventing it."""
    calls = kit.calls(*(("search", {"q": str(k)}) for k in range(120)))
    honest = " ".join(f"Found {k} [r{k} search]." for k in range(1, 61))
    child = kit.agent([calls, honest], "scout", bare=not stamped)
    result = drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[kit.ask(child)]))
    alone = harvest(drive.ask(child))
    runs = [alone, *harvest(result).children]
    assert len(runs) == 1 + stamped
    for run in runs:
        assert {r for _, r, _ in kit.resolutions(run)} == {"resolved"}
        assert (len(run.ledger), run.left_out) == (60, 60)


def test_beyond_all_that_is_kept_a_citation_is_dropped_and_not_unknown(kit, drive):
    calls = kit.calls(*(("search", {"q": str(k)}) for k in range(120)))
    every = " ".join(f"Found {k} [r{k} search]." for k in range(1, 122))
    for bare in (True, False):
        run = harvest(drive.ask(kit.agent([calls, every], "scout", bare=bare)))
        found = [r for _, r, _ in kit.resolutions(run)]
        assert (found.count("resolved"), found.count("dropped"), found.count("unknown")) == (96, 24, 1)


def test_twelve_children_under_one_call(kit, drive):
    children = [kit.agent(kit.searches(2, f"Mine {k} [r1 search]."), f"scout{k}") for k in range(1, 13)]

    @tool
    def ask(q: str) -> str:
        """Ask everyone."""
        return "\n".join(c.invoke({"messages": [("user", q)]})["messages"][-1].text for c in children)

    model = kit.model(kit.call("ask", q="x"), "[r1.1 search] [r1.15 search] [r1.17 search]")
    run = harvest(drive.ask(kit.agent((), tools=[ask], model=model)))
    assert [child.agent for child in run.children] == [f"scout{k}" for k in range(1, 9)]
    assert run.children_left_out == 4
    lines = model.requests[1][-1].text.splitlines()
    assert lines[:8] == [f"Mine {k} [r1.{2 * k - 1} search]." for k in range(1, 9)]
    assert lines[8:12] == [f"Mine {k} [r1.0.1 search]." for k in range(9, 13)]
    assert "9 more subagents not listed" in lines[13]
    assert [r for _, r, _ in kit.resolutions(run)] == ["resolved", "resolved", "unknown"]


def test_a_hundred_children_under_one_call(kit, drive):
    child = kit.agent(["Nothing."], "scout")

    @tool
    def ask(q: str) -> str:
        """Ask a hundred times."""
        for _ in range(100):
            child.invoke({"messages": [("user", q)]})
        return "asked"

    run = harvest(drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask])))
    assert (len(run.children), run.children_left_out) == (8, 92)


def generations(kit, count):
    """A chain of agents, each but the last asking the next; every one searches first."""
    agent = kit.agent(kit.searches(1, "Last of all [r1 search]."), f"g{count}")
    for k in range(count - 1, 0, -1):
        below = ".".join(["r2", *["2"] * (count - k - 1), "1"])
        turns = [kit.call("search", q=str(k)), kit.call("ask", q="x"), f"I am {k} [r1 search], below [{below} search]."]
        agent = kit.agent(turns, f"g{k}", tools=[*kit.tools, kit.ask(agent)])
    return agent


def test_five_generations(kit, drive):
    turns = [kit.call("ask", q="x"), "[r1.1 search] [r1.2.1 search] [r1.2.2.1 search] [r1.2.2.2.1 search]"]
    result = drive.ask(kit.agent(turns, tools=[kit.ask(generations(kit, 5))]))
    run = harvest(result)
    found, depth = run.children, []
    while found:
        depth.append((found[0].agent, found[0].call, len(found[0].ledger), found[0].children_left_out))
        found = found[0].children
    assert depth == [("g1", "r1", 2, 2), ("g2", "r2", 2, 2), ("g3", "r2", 2, 2)]
    assert run.children_left_out == 2
    assert [(i, r, a) for i, r, a in kit.resolutions(run)] == [
        ("r1.1", "resolved", "g1"),
        ("r1.2.1", "resolved", "g2"),
        ("r1.2.2.1", "resolved", "g3"),
        ("r1.2.2.2", "malformed", ""),
    ]


def test_siblings_and_generations_with_the_same_numbers(kit, drive):
    """Everyone has an r1 and an r2; every id of the parent names one of them."""
    leaves = [kit.agent(kit.searches(2, "Leaf [r2 search]."), f"leaf{k}") for k in (1, 2)]
    nodes = [
        kit.agent(
            [kit.call("book_room", room=str(k)), kit.call("ask_leaf", q="x"), "Node [r1 book_room] [r2.2 search]."],
            f"node{k}",
            tools=[*kit.tools, kit.ask(leaf, "ask_leaf")],
        )
        for k, leaf in enumerate(leaves, 1)
    ]

    @tool
    def ask(q: str) -> str:
        """Ask both."""
        return "\n".join(n.invoke({"messages": [("user", q)]})["messages"][-1].text for n in nodes)

    report = "[r1 search] [r2.1 book_room] [r2.2.1 search] [r2.3 book_room] [r2.4.2 search] [r2.4 ask_leaf]"
    model = kit.model(kit.call("search", q="a"), kit.call("ask", q="x"), report)
    run = harvest(drive.ask(kit.agent((), tools=[*kit.tools, ask], model=model)))
    assert kit.resolutions(run) == [
        ("r1", "resolved", ""),
        ("r2.1", "resolved", "node1"),
        ("r2.2.1", "resolved", "leaf1"),
        ("r2.3", "resolved", "node2"),
        ("r2.4.2", "resolved", "leaf2"),
        ("r2.4", "resolved", "node2"),
    ]
    assert model.requests[2][-1].text.splitlines()[:2] == [
        "Node [r2.1 book_room] [r2.2.2 search].",
        "Node [r2.3 book_room] [r2.4.2 search].",
    ]


def test_a_wide_and_deep_tree_stays_bounded(kit, drive):
    """Six children of six children of many calls: the record is cut, and what is gone is counted."""
    leaf = kit.agent(
        [kit.calls(*(("search", {"q": str(k)}) for k in range(12))), "Leaf [r1 search]. " + "x" * 12_000], "leaf"
    )
    node = kit.agent(
        [kit.calls(*(("ask_leaf", {"q": str(k)}) for k in range(6))), "Node [r1.1 search]."],
        "node",
        tools=[kit.ask(leaf, "ask_leaf")],
    )
    turns = [kit.calls(*(("ask", {"q": str(k)}) for k in range(2))), "ok"]
    one = drive.ask(kit.agent(turns, tools=[kit.ask(node)]))

    @tool
    def ask(q: str) -> str:
        """Ask six times."""
        return "\n".join(node.invoke({"messages": [("user", q)]})["messages"][-1].text for _ in range(6))

    wide = drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[ask]))
    for result in (one, wide):
        for message in kit.delegations(result):
            assert len(message.additional_kwargs[HARVEST_KEY]) < 500_000
    run = harvest(wide)
    leaves = [leaf for node in run.children for leaf in node.children]
    assert [child.calls for child in run.children] == [6] * 6
    assert len(leaves) + run.children_left_out == 36
    assert run.children_left_out > 0
    assert all(len(leaf.ledger) + leaf.left_out == 12 for leaf in leaves)
    assert {leaf.report_state for leaf in leaves} == {"written", "lost"}
    assert run.children[0].children[0].verification.verdict == "clean"


@pytest.mark.parametrize("report", ["lost", "kept"])
def test_a_report_beyond_what_is_kept_of_later_generations(kit, drive, report):
    words = "Seen [r1 search]. " + "x" * (30_000 if report == "lost" else 10)
    scout = kit.agent(kit.searches(1, words), "scout")
    clerk = kit.agent([kit.call("ask_scout", q="a"), "ok"], "clerk", tools=[kit.ask(scout, "ask_scout")])
    run = harvest(drive.ask(kit.agent([kit.call("ask", q="x"), "ok"], tools=[kit.ask(clerk)])))
    grandchild = run.children[0].children[0]
    assert (grandchild.report, grandchild.report_state) == (("", "lost") if report == "lost" else (words, "written"))
    assert kit.rows(grandchild) == [("r1", "search", "success")]
