"""The HTML page without a browser: what is escaped, what is counted, what is cut, and that nothing else can run."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware import read_transcript
from receipts_middleware.cli.renderers import RENDERERS, Look
from receipts_middleware.core.verify import verify_replies
from receipts_middleware.reports.html import HtmlRuns
from receipts_middleware.reports.html.marks import Mark, segments_of
from receipts_middleware.reports.html.markup import data_block, element, shown
from receipts_middleware.reports.html.page import MAX_NAMES
from receipts_middleware.reports.html.receipts import MAX_CARDS, MAX_RESULT
from receipts_middleware.reports.html.reply import MAX_REPLY
from receipts_middleware.reports.html.run import MAX_MESSAGES, MAX_TEXT
from receipts_middleware.reports.runs import CollectingRenderer, Place, RunResult, Skipped, Totals


class Reader(HTMLParser):
    """Elements and attributes as a parser sees them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self._in = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._in = tag

    def handle_endtag(self, tag):
        self._in = ""

    def handle_data(self, data):
        (self.scripts if self._in in ("script", "style") else self.texts).append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return "".join(self.texts)


def as_run(messages: list, tools: list | None = None, name: str = "run.json") -> RunResult:
    transcript = read_transcript(messages, tools=tools)
    found = list(verify_replies(transcript))
    return RunResult(
        place=Place(name),
        id="",
        form=transcript.source,
        messages=len(transcript.messages),
        turns=len(found),
        calls=sum(len(m.calls) for m in transcript.messages),
        stamped=0,
        unstamped=0,
        skipped="",
        verifications=found,
        transcript=transcript,
    )


def renderer() -> HtmlRuns:
    made = RENDERERS["html"](Look())
    assert isinstance(made, HtmlRuns)
    assert isinstance(made, CollectingRenderer)
    return made


def page_of(*runs: RunResult, made: HtmlRuns | None = None, skipped: tuple[Skipped, ...] = ()) -> str:
    made = made or renderer()
    collector, totals = made.collector(), Totals(files=1, skipped=len(skipped))
    parts = [collector.head()]
    for run in runs:
        totals.count(run)
        parts.append(collector.take(made.piece(run)))
    return "".join([*parts, collector.foot(totals, skipped)])


def call(number: int, tool: str, args: dict, result: str) -> list[dict]:
    asked = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


@pytest.fixture
def rows(fixture_rows) -> dict[str, dict]:
    return {row["id"]: row for row in fixture_rows("html/runs.json")}


def test_only_our_style_and_script_may_run_and_nothing_is_loaded(rows) -> None:
    for row in rows.values():
        page = Reader(page_of(as_run(row["messages"], row["tools"])))
        [policy] = [m["content"] for m in page.named("meta") if m.get("http-equiv") == "Content-Security-Policy"]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        script, css = renderer().script, renderer().css
        for name, text in (("script-src", script), ("style-src", css)):
            assert rules.pop(name) == f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
        assert rules == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
        assert script in page.scripts
        assert css in page.scripts
        assert [a.get("type") for a in page.named("script")] == ["application/json", None]
        allowed = set(
            "html head meta title style body header h1 h2 h3 h4 nav a button form label select option input output "
            "main section details summary span p ol ul li div pre code q dl dt dd article script aside table caption "
            "thead tbody tr th td".split()
        )
        assert {tag for tag, _ in page.elements} <= allowed
        for _, attributes in page.elements:
            assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "srcset")]
            assert (attributes.get("href") or "#").startswith("#")


def test_hostile_text_is_shown_as_it_stands(rows) -> None:
    row = rows["hostile"]
    text = page_of(as_run(row["messages"], row["tools"], name="</title><script>window.ran=1</script>.json"))
    page = Reader(text)
    assert "<script>window.ran=1</script>" in page.text
    assert text.count("<script") == 2
    assert text.count("<style") == 1
    assert "\\u202e reversed \\x00 \\ud800" in page.text
    text.encode("utf-8")


def test_assets_cannot_end_their_elements() -> None:
    made = renderer()
    assert "</" not in made.css
    assert not re.search(r"</script|<!--", made.script)


def test_every_link_leads_to_one_place(rows) -> None:
    runs = [as_run(row["messages"], row["tools"]) for row in rows.values()]
    again = as_run(rows["every-status"]["messages"], rows["every-status"]["tools"], "other.json")
    page = Reader(page_of(*runs, again))
    ids = [attributes["id"] for _, attributes in page.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    targets = {attributes["href"] for attributes in page.named("a")}
    assert targets <= {f"#{identity}" for identity in ids}
    for attributes in page.named("a"):
        assert attributes.get("aria-describedby", ids[0]) in ids


def test_page_tells_without_javascript_of_every_claim_finding_and_receipt(rows) -> None:
    row = rows["every-status"]
    run = as_run(row["messages"], row["tools"])
    page = Reader(page_of(run))
    shown_statuses = [a["data-status"] for a in page.named("span") if "data-status" in a]
    assert sorted(shown_statuses) == sorted(claim.status for v in run.verifications for claim in v.claims)
    rules = [a["data-rule"] for a in page.named("p") if "data-rule" in a]
    assert sorted(rules) == sorted(finding.rule for v in run.verifications for finding in v.findings)
    assert [a["data-id"] for a in page.named("article")] == [entry.id for entry in run.verifications[-1].ledger]
    for v in run.verifications:
        assert v.reply in page.text
        assert v.summary in page.text


def test_the_only_run_is_open_and_several_are_closed(rows) -> None:
    run = as_run(rows["hostile"]["messages"])
    other = as_run(rows["every-status"]["messages"])
    opened = [
        ["open" in a for a in Reader(page_of(*runs)).named("details") if a["class"] == "run"]
        for runs in ([], [run], [run, other])
    ]
    assert opened == [[], [True], [False, False]]


def test_findings_are_counted_by_rule_and_by_tool(rows) -> None:
    row = rows["every-status"]
    run = as_run(row["messages"], row["tools"])
    text = page_of(run, as_run(row["messages"], row["tools"], "other.json"))
    table = dict(re.findall(r'<th scope="row" data-rule="(\w+)".*?<td>(\d+)</td>', text))
    assert table["claim_failed"] == table["claim_misquoted"] == "2"
    assert table["uncited_report"] == "0"  # a warning stands in another column
    tools = dict(re.findall(r'<th scope="row" data-tool="([^"]+)".*?<td>(\d+)</td>', text))
    assert tools["send_email"] == "8"
    assert tools["book_courier"] == "2"


def test_what_could_not_be_read_is_listed_and_bounded() -> None:
    skipped = tuple(Skipped(Place("<b>.json", n), "is <i>broken</i>") for n in range(300))
    page = Reader(page_of(skipped=skipped))
    assert "<b>.json:0: is <i>broken</i>" in page.text
    assert "and 100 more" in page.text


def test_long_texts_many_messages_and_many_receipts_are_cut_and_said_to_be() -> None:
    messages: list[dict] = [{"role": "user", "content": "u" * (MAX_TEXT + 7)}]
    for number in range(MAX_CARDS + 5):
        messages += call(number, "read_file", {"path": f"f{number}"}, "x" * (MAX_RESULT + 1000))
    messages.append({"role": "assistant", "content": "w" * (MAX_REPLY + 3)})
    page = Reader(page_of(as_run(messages)))
    assert " … 1,000 more characters are not kept in this page" in page.text
    assert " … 3 more characters are not kept in this page" in page.text
    assert "5 receipts more are not kept in this page." in page.text
    assert f"{len(messages) - MAX_MESSAGES} messages not kept in this page." in page.text
    assert len([a for a in page.named("li") if "message" in (a.get("class") or "").split()]) == MAX_MESSAGES
    first = Reader(page_of(as_run([messages[0], {"role": "assistant", "content": "Fine."}])))
    assert " … 7 more characters are not kept in this page" in first.text


def test_a_page_has_a_bound_and_says_what_it_leaves_out(rows) -> None:
    clean = as_run([*call(1, "read_file", {"path": "a"}, "b"), {"role": "assistant", "content": "Hello."}])
    bad = as_run(rows["every-status"]["messages"], rows["every-status"]["tools"])
    made = renderer()
    room = 3 * len(made.piece(bad))
    small = HtmlRuns(css=made.css, script=made.script, max_chars=room)
    page = Reader(page_of(*[clean] * 60, bad, bad, bad, made=small))
    sections = [a for a in page.named("details") if a["class"] == "run"]
    found = [a["data-verdict"] for a in sections]
    assert found.count("fabricated") == 1  # half of the room is theirs, whatever came before
    left_out = 63 - len(sections)
    assert f"{left_out} runs more are counted here" in page.text
    assert "63 runs" in page.text


def test_names_of_tools_are_counted_within_a_bound() -> None:
    made = renderer()
    collector = made.collector()
    row = [[f"tool {n}", "error", 1] for n in range(MAX_NAMES + 50)]
    collector.take(json.dumps({"rules": [], "tools": row}) + "\n<details></details>")
    foot = collector.foot(Totals(), ())
    assert 'data-tool="(other tools)"' in foot
    assert re.search(r"\(other tools\)</th><td>50</td>", foot)
    assert "and 801 more" in foot


@given(
    st.text(max_size=40), st.lists(st.tuples(st.integers(-3, 45), st.integers(-3, 45)), max_size=8), st.integers(0, 40)
)
def test_segments_make_up_the_text_and_lie_under_their_spans(text, spans, end) -> None:
    end = min(end, len(text))
    marks = [Mark(*span) for span in spans]
    at = 0
    first: list[int] = []
    for piece in segments_of(text, marks, end=end):
        for number in piece.marks:
            assert marks[number].start <= at
            assert at + len(piece.text) <= marks[number].end
        first += [piece.marks[0]] if piece.is_first else []
        assert text.startswith(piece.text, at)
        at += len(piece.text)
    assert at == end
    assert len(first) == len(set(first))


@given(st.text())
def test_any_text_survives_a_parser(text: str) -> None:
    source = element("p", {"title": text}, text).source
    page = Reader(source)
    clean = shown(text)
    assert page.elements == [("p", {"title": clean})]
    assert page.text == clean
    source.encode("utf-8")


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=3)))
def test_data_blocks_hold_any_value_and_no_markup(value) -> None:
    source = data_block(value, kind="facts").source
    inner = source.removeprefix('<script type="application/json" class="facts">').removesuffix("</script>")
    assert not set(inner) & set("<>&")
    assert json.loads(inner) == value


@pytest.mark.parametrize("name", ["", "a b", "x>", 'a"', "ON"])
def test_names_that_we_would_not_write_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        element(name)
    with pytest.raises(ValueError, match="no name"):
        element("p", {name: "x"})
