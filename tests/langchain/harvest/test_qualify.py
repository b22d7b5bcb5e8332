"""Properties of the ids in the view: no citation of a child is left that the parent would read as its own."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.children import ChildRun, name_below
from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.receipt import EMPTY_TEXT_SHA256, Receipt
from receipts_middleware.langchain.qualify import qualify


def child(report, calls, *, base=0, forked=False):
    receipts = tuple(
        Receipt(
            uid=f"{report[:4]!r}.{n}",
            n=n,
            tool_call_id="",
            tool="search",
            outcome="success",
            outcome_source="body",
            args_sha256=EMPTY_TEXT_SHA256,
            output_sha256=EMPTY_TEXT_SHA256,
            output_bytes=0,
            created_at="",
        )
        for n in range(base + 1, base + calls + 1)
    )
    return ChildRun(report=report, ended="complete", evidence="present", calls=calls, receipts=receipts, base=base,
                    forked=forked)  # fmt: skip


number = st.integers(0, 30).map(str) | st.sampled_from(["01", "\uff11", "\u0661", "1.2", "2.1.1", "99999999999"])
anchor = st.sampled_from(["", " search", ": search", " `search`", " | search", "\nsearch", " r2_tool", " search tool"])
item = st.builds(lambda r, n, a: f"{r}{n}{a}", st.sampled_from("rrrrR"), number, anchor)
ranges = st.builds(
    lambda a, b, dash: f"r{a}{dash}{b}", number, number, st.sampled_from(["-r", "-", "\u2013r", "..r", " to r"])
)
inside = st.lists(item | ranges, min_size=1, max_size=3).map(", ".join)
bracket = st.builds(
    lambda pair, text: f"{pair[0]}{text}{pair[1]}",
    st.sampled_from(
        [("[", "]"), ("[", "]"), ("[", "]"), ("[[", "]]"), ("\u3010", "\u3011"), ("[^", "]"), ("[see ", "]"), ("[", "")]
    ),
    inside,
)
plain = st.text(alphabet="abc .\n`(-\u65e5", max_size=12)
texts = st.lists(plain | bracket, max_size=8).map(" ".join)


def ids(text):
    return [c.id for c in parse_citations(text) if c.id and not c.round_brackets]


def is_read_whole(text):
    """Nothing in it is malformed; of a malformed bracket only what can be read is respelled."""
    return not any(c.malformed for c in parse_citations(text))


@settings(max_examples=400, deadline=None)
@given(texts, st.integers(0, 5))
def test_no_bare_id_is_left_and_none_is_lost(report, calls):
    naming = name_below([child(report, calls)])
    shown = qualify(report, 7, naming.runs)
    before, after = ids(report), ids(shown)
    assert len(after) >= len(before) or not is_read_whole(report)
    if is_read_whole(report):
        assert all(found.startswith("r7.") for found in after)
        assert after == [naming.spell(found, 7, 0) for found in before]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(texts, st.integers(0, 4)), min_size=2, max_size=4), plain, st.booleans())
def test_of_several_children_each_id_names_its_own_child_or_nothing(reports, between, all_shown):
    runs = [child(f"{k}: {report}".rstrip(), calls) for k, (report, calls) in enumerate(reports)]
    parts = [run.report for run in runs]
    text = f"\n{between.replace('`', '')}\n".join(parts if all_shown else parts[:-1])
    if is_read_whole(text):
        assert all(found.startswith("r7.") for found in ids(qualify(text, 7, runs)))


@settings(max_examples=300, deadline=None)
@given(texts, st.integers(0, 5), st.integers(1, 20))
def test_a_forks_inherited_ids_stay_and_no_other(report, calls, base):
    run = child(report, calls, base=base, forked=True)
    if not is_read_whole(report):
        return
    for before, after in zip(ids(report), ids(qualify(report, 21, [run])), strict=False):
        if int(before.removeprefix("r").split(".")[0][:12]) <= base:
            assert after == before


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200), st.integers(0, 5))
def test_any_text_is_taken(text, calls):
    shown = qualify(text, 7, [child(text, calls)])
    assert isinstance(shown, str)
    if not ids(text):
        assert shown is text


def test_a_text_without_children_or_citations_is_the_same_object():
    text = "Found [r1 search]."
    assert qualify(text, 7, []) is text
    plain_text = "Found nothing."
    assert qualify(plain_text, 7, [child(plain_text, 1)]) is plain_text
