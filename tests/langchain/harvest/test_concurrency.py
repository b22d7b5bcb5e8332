"""Many runs at once on one instance of the middleware: no child reaches another parent."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from receipts_middleware.langchain import harvest

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")

RUNS = 20


def world(kit):
    """One parent, one child and one grandchild, one middleware for all; who is asked what follows from the question."""
    ours = kit.receipts()

    def topic(messages):
        return next(m.text for m in messages if m.type == "human")

    scout = kit.agent(
        [lambda m: kit.call("search", q=f"deep {topic(m)}"), lambda m: f"Deep {topic(m)} [r1 search]."],
        "scout",
        receipts=ours,
    )
    clerk = kit.agent(
        [
            lambda m: kit.calls(("book_room", {"room": topic(m)}), ("ask_scout", {"q": topic(m)})),
            lambda m: f"Room {topic(m)} [r1 book_room], {topic(m)} [r2.1 search].",
        ],
        "clerk",
        tools=[*kit.tools, kit.ask(scout, "ask_scout")],
        receipts=ours,
    )
    return kit.agent(
        [
            lambda m: kit.calls(*(("ask", {"q": f"{topic(m)}-{k}"}) for k in (1, 2))),
            "Booked [r1.1 book_room] [r2.1 book_room], seen [r1.2.1 search] [r2.2.1 search].",
        ],
        tools=[kit.ask(clerk)],
        receipts=ours,
    )


def check(kit, results):
    uids = []
    for number, result in enumerate(results):
        run = harvest(result)
        assert kit.facts(run.children) == [
            ("r1", "clerk", "present", "complete", 2),
            ("r2", "clerk", "present", "complete", 2),
        ]
        for k, child in enumerate(run.children, 1):
            assert child.report == f"Room run{number}-{k} [r1 book_room], run{number}-{k} [r2.1 search]."
            assert child.ledger[0].receipt.object_id == f"bk_run{number}-{k}"
            assert child.children[0].report == f"Deep run{number}-{k} [r1 search]."
            uids += [entry.receipt.uid for part in (child, *child.children) for entry in part.ledger]
        assert {r for _, r, _ in kit.resolutions(run)} == {"resolved"}
    assert len(set(uids)) == len(uids) == len(results) * 2 * 3


async def test_twenty_runs_on_one_event_loop(kit):
    parent = world(kit)
    results = await asyncio.gather(*(parent.ainvoke({"messages": [("user", f"run{k}")]}) for k in range(RUNS)))
    check(kit, results)


def test_twenty_runs_in_threads(kit):
    parent = world(kit)
    with ThreadPoolExecutor(RUNS) as pool:
        results = list(pool.map(lambda k: parent.invoke({"messages": [("user", f"run{k}")]}), range(RUNS)))
    check(kit, results)


async def test_twenty_runs_of_which_every_other_is_cancelled(kit):
    """What a cancelled run leaves in the process reaches none of the others."""
    parent = world(kit)
    tasks = [asyncio.create_task(parent.ainvoke({"messages": [("user", f"run{k}")]})) for k in range(RUNS)]
    for _ in range(40):
        await asyncio.sleep(0)
    for task in tasks[1::2]:
        task.cancel()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    results = [item for item in done[::2] if isinstance(item, dict)]
    assert len(results) == RUNS // 2
    for number, result in zip(range(0, RUNS, 2), results, strict=True):
        run = harvest(result)
        assert [c.report for c in run.children] == [
            f"Room run{number}-{k} [r1 book_room], run{number}-{k} [r2.1 search]." for k in (1, 2)
        ]


def test_twenty_runs_in_a_thread_pool_without_a_parent_know_of_none(kit):
    """Roots have no parent, whatever ran in the same threads before."""
    from receipts_middleware.langchain.collect import current_collector

    parent, seen = world(kit), []
    with ThreadPoolExecutor(4) as pool:
        for k in range(RUNS):
            pool.submit(parent.invoke, {"messages": [("user", f"run{k}")]})
            pool.submit(lambda: seen.append(current_collector()))
    assert seen == [None] * RUNS
