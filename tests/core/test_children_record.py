"""What is kept of subagents and read back: the same, within bounds, with all that is left out counted."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.children import Below, ChildRun, below, children_of, cut, write_record
from receipts_middleware.core.children.judge import judge_run
from receipts_middleware.core.children.run import MAX_BELOW, MAX_CHILDREN, MAX_DEPTH
from receipts_middleware.core.ledger import Entry, View
from receipts_middleware.core.ranges import parse_ranges
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Receipt, parse_receipt
from receipts_middleware.core.transcript import ToolResult

ENDS = ("complete", "cut_off", "failed", "cancelled", "interrupted", "pending")


def receipt(n, uid, tool="search", **more):
    fields = {
        "uid": uid,
        "n": n,
        "tool_call_id": "",
        "tool": tool,
        "outcome": "success",
        "outcome_source": "body",
        "args_sha256": EMPTY_TEXT_SHA256,
        "output_sha256": EMPTY_TEXT_SHA256,
        "output_bytes": 0,
        "created_at": "",
    }
    return Receipt(**{**fields, **more})


def kept_and_read(runs, text, missed=0, **more):
    """What is read of what was written, through JSON as a checkpoint or a file has it."""
    kept = cut(runs, missed, **more)
    stamp = json.loads(json.dumps(receipt(4, "call", "ask", children=children_of(kept.runs)).to_dict()))
    result = ToolResult(tool_call_id="", tool="ask", content=text, text=text, harvest=write_record(kept, text))
    call = parse_receipt(stamp)
    assert isinstance(call, Receipt), call
    return kept, below(Entry(receipt=call, origin="stamped", result=result))


def counted(run):
    """Every subagent below a run, kept or not."""
    kept = [child for children in run.children.values() for child in children]
    return run.children_left_out + sum(1 + counted(child) for child in kept)


views = st.sampled_from(
    [
        View("none"),
        View("missing"),
        View("malformed", reason="the snapshot is not valid JSON"),
        View("present", 0, parse_ranges(""), "JBWG"),
        View("present", 7, parse_ranges("1-3,6"), "AAAA"),
    ]
)


@st.composite
def runs(draw, depth=0):
    """A run as a child's messages give it; two generations deep at most, since three are made by hand below."""
    base = draw(st.integers(0, 3))
    count = draw(st.integers(0, 5))
    agent = draw(st.text(max_size=12))
    own = tuple(receipt(base + n, f"{agent[:4]}.{depth}.{base + n}") for n in range(1, count + 1))
    past = tuple(receipt(n, f"past{n}") for n in range(1, draw(st.integers(0, base)) + 1))
    calls = {} if depth else {r.n: draw(st.lists(runs(depth=1), max_size=3)) for r in own[:2]}
    return ChildRun(
        agent=agent,
        report=draw(st.text(max_size=40)).rstrip(),
        ended=draw(st.sampled_from(ENDS)),
        evidence="present" if count else "empty",
        calls=count,
        receipts=own,
        base=base,
        forked=draw(st.booleans()),
        inherited=past,
        view=draw(views),
        kinds={"search": "reading"},
        children={n: tuple(below) for n, below in calls.items() if below},
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(runs(), min_size=1, max_size=4), st.booleans())
def test_what_was_written_is_read_back(children, with_words):
    text = "\n--\n".join(child.report for child in children) if with_words else "The tool says something else."
    kept, found = kept_and_read(children, text)
    assert len(found.runs) == len(children)
    for wrote, read in zip(kept.runs, found.runs, strict=True):
        for name in (
            "ended",
            "evidence",
            "calls",
            "receipts",
            "base",
            "forked",
            "inherited",
            "kinds",
            "children",
            "left_out",
        ):
            assert getattr(read, name) == getattr(wrote, name), name
        assert read.agent == wrote.agent.encode("utf-8", "replace").decode()
        if with_words and (wrote.report or len(children) == 1):
            assert read.report in (wrote.report, text.rstrip())
        if read.report_state == "written" and read.report == wrote.report and wrote.ended == "complete":
            assert judge_run(read).to_dict() == judge_run(replace(wrote, agent=read.agent)).to_dict()


@settings(max_examples=100, deadline=None)
@given(st.lists(runs(), min_size=1, max_size=4))
def test_without_the_record_the_receipt_still_says_who_did_what(children):
    kept = cut(children)
    call = receipt(4, "call", "ask", children=children_of(kept.runs))
    found = below(Entry(receipt=call, origin="carried"))
    for wrote, read in zip(kept.runs, found.runs, strict=True):
        assert (read.ended, read.calls, read.evidence) == (wrote.ended, wrote.calls, wrote.evidence)
        assert [*read.inherited, *read.receipts] == [*wrote.inherited, *wrote.receipts]
        assert read.report == ""
        assert {n: len(c) for n, c in read.children.items()} == {n: len(c) for n, c in wrote.children.items()}


def tree(width, depth, calls):
    """A run of so many calls, each of which ran so many subagents, so many generations deep."""
    own = tuple(receipt(n, f"{depth}.{n}") for n in range(1, calls + 1))
    below_it = tuple(tree(width, depth - 1, calls) for _ in range(width)) if depth > 1 else ()
    return ChildRun(
        agent=f"g{depth}",
        report=f"Done [r1 search]. {'x' * 3_000}",
        ended="complete",
        evidence="present",
        calls=calls,
        receipts=own,
        children={r.n: below_it for r in own} if below_it else {},
    )


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 4), st.integers(0, 90))
def test_whatever_ran_it_stays_bounded_and_counted(width, depth, calls, missed):
    if (width * calls) ** (depth - 1) > 20_000:
        return
    whole = [tree(width, depth, calls)] * width
    kept, found = kept_and_read(whole, "ok", missed)
    record = write_record(kept, "ok")
    stamp = json.dumps(receipt(4, "call", "ask", children=children_of(kept.runs)).to_dict())
    assert len(record) < 400_000
    assert len(stamp) < 400_000
    total = sum(1 + counted(run) for run in whole) + missed
    assert sum(1 + counted(run) for run in found.runs) + found.left_out >= min(total, len(found.runs))
    first_gone = whole[len(found.runs) :]
    assert found.left_out == missed + len(first_gone)
    assert sum(1 + counted(run) for run in found.runs) == sum(1 + counted(run) for run in whole[: len(found.runs)])
    assert len(found.runs) <= MAX_CHILDREN
    assert generations(found.runs) <= MAX_DEPTH
    assert (
        sum(units(child) for run in found.runs for children in run.children.values() for child in children) <= MAX_BELOW
    )


def generations(children):
    return 1 + max((generations(c) for run in children for c in run.children.values()), default=0) if children else 0


def units(run):
    return 1 + len(run.receipts) + sum(units(child) for children in run.children.values() for child in children)


def test_no_texts_of_later_generations_where_they_are_not_wanted():
    done = {"ended": "complete", "evidence": "present", "calls": 1}
    inner = ChildRun(agent="in", report="secret [r1]", receipts=(receipt(1, "i"),), **done)
    outer = ChildRun(agent="out", report="told", receipts=(receipt(1, "o"),), children={1: (inner,)}, **done)
    kept, found = kept_and_read([outer], "told", texts=False)
    assert "secret" not in write_record(kept, "told")
    assert found.runs[0].children[1][0].report_state == "lost"
    assert kept_and_read([outer], "told")[1].runs[0].children[1][0].report == "secret [r1]"


def test_the_words_of_the_first_generation_are_never_written():
    run = ChildRun(report="secret words", ended="complete", evidence="empty")
    for text in ("secret words", "other"):
        assert "secret" not in write_record(cut([run]), text)


def test_nothing_below_a_call():
    assert below(Entry(receipt=receipt(1, "a"), origin="stamped")) == Below()
