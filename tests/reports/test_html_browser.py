"""The HTML page in a real browser: Chromium without a screen, driven through WebDriver.

Where the browser is not installed these tests are skipped, but never in continuous integration (`CI=true`).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import ActionChains, Chrome, ChromeOptions, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from receipts_middleware import Verification, read_transcript, verify_turns
from receipts_middleware.cli.renderers import RENDERERS, Look
from receipts_middleware.core.finding import Claim
from receipts_middleware.core.suspicion import Suspicion
from receipts_middleware.reports.html import HtmlRuns
from receipts_middleware.reports.runs import Place, RunResult, Totals

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
STATUSES = set(
    "supported not_called failed accepted_only unconfirmed wrong_target wrong_amount partial_batch misquoted "
    "false_denial unmatched suspected".split()
)
#: Without a screen, without a sandbox (which root has none of), and without what a browser asks the network for itself.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync --window-size=1400,1000"
).split()


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Chrome]:
    missing = [str(path) for path in (CHROMIUM, DRIVER) if not path.exists()]
    if missing:
        reason = f"{' and '.join(missing)} not installed; Debian's packages are chromium and chromium-driver"
        if os.environ.get("CI", "").lower() in ("true", "1"):
            pytest.fail(reason)
        pytest.skip(reason)
    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(str(DRIVER)))
    try:
        yield driver
    finally:
        driver.quit()


class Suspecting:
    """Suspects one span, as a language model would."""

    def __init__(self, text: str, tools: list[str]) -> None:
        self._suspicion = Suspicion(text=text, start=0, end=0, tools=tuple(tools))

    def extract(self, reply, tools):
        return [self._suspicion] if self._suspicion.text in reply else []

    async def aextract(self, reply, tools):
        return self.extract(reply, tools)


def judge(row: dict) -> list[Verification]:
    suspected = row.get("suspected")
    extractor = Suspecting(suspected["text"], suspected["tools"]) if suspected else None
    return verify_turns(row["messages"], tools=row["tools"], extractor=extractor)


def as_run(row: dict, found: list[Verification] | None = None, name: str = "run.json") -> RunResult:
    transcript = read_transcript(row["messages"], tools=row["tools"])
    found = judge(row) if found is None else found
    return RunResult(
        place=Place(name),
        id=row["id"],
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


def load(browser: Chrome, path: Path, *runs: RunResult) -> None:
    """Write a page over these runs and open it; what the browser logged before is forgotten."""
    made = RENDERERS["html"](Look())
    assert isinstance(made, HtmlRuns)
    collector, totals = made.collector(), Totals(files=len(runs))
    parts = [collector.head()]
    for run in runs:
        totals.count(run)
        parts.append(collector.take(made.piece(run)))
    page = path / "report.html"
    page.write_text("".join([*parts, collector.foot(totals, ())]), encoding="utf-8")
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(page.as_uri())


def all_of(browser: Chrome, css: str) -> list[WebElement]:
    return browser.find_elements(By.CSS_SELECTOR, css)


def one(browser: Chrome, css: str) -> WebElement:
    [found] = all_of(browser, css)
    return found


def shown_runs(browser: Chrome) -> list[str]:
    return [element.text for element in all_of(browser, ".run > summary .place") if element.is_displayed()]


def panel_text(browser: Chrome) -> str:
    return one(browser, "#panel").text


def events_of(browser: Chrome) -> list[tuple[str, dict]]:
    """What the browser's network did since it was last asked: names of events with their parameters."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [(message["method"], message["params"]) for message in messages]


def focused(browser: Chrome) -> WebElement:
    return browser.switch_to.active_element


@pytest.fixture
def rows(fixture_rows) -> dict[str, dict]:
    return {row["id"]: row for row in fixture_rows("html/runs.json")}


@pytest.fixture
def every(rows) -> dict:
    return rows["every-status"]


def mark_of(browser: Chrome, claim: Claim) -> WebElement:
    """The mark at which a claim begins."""
    fitting = [m for m in all_of(browser, "a.mark") if m.text and claim.text.startswith(m.text)]
    assert fitting, claim.text
    return fitting[0]


def test_a_run_with_every_status_shows_each_finding_and_each_claim(browser, tmp_path, every) -> None:
    found = judge(every)
    claims = [claim for v in found for claim in v.claims]
    assert {claim.status for claim in claims} == STATUSES
    load(browser, tmp_path, as_run(every, found))

    reported = Counter(e.get_attribute("data-rule") for e in all_of(browser, ".run .finding"))
    assert reported == Counter(finding.rule for v in found for finding in v.findings)
    for claim in claims:
        mark_of(browser, claim).click()
        [badge] = [
            e
            for e in all_of(browser, "#panel .claim")
            if e.find_element(By.TAG_NAME, "q").get_attribute("textContent") == claim.text
        ]
        status = badge.find_element(By.CSS_SELECTOR, "[data-status]")
        assert (status.get_attribute("data-status"), status.is_displayed()) == (claim.status, True)
        named = [e.get_attribute("data-id") for e in all_of(browser, "#panel .receipt")]
        assert set(claim.receipts) <= set(named)
        if claim.observed:
            assert claim.observed in panel_text(browser)
    by_rule = {
        row.find_element(By.TAG_NAME, "th").text: sum(int(td.text) for td in row.find_elements(By.TAG_NAME, "td"))
        for row in all_of(browser, "#by-rule tbody tr")
    }
    assert by_rule == reported


def test_click_and_pointer_show_the_receipt_its_grade_and_what_was_observed(browser, tmp_path, every) -> None:
    load(browser, tmp_path, as_run(every))
    assert not one(browser, "#panel").is_displayed()
    mark = next(m for m in all_of(browser, "a.mark.error") if m.text.startswith("I emailed dana"))
    ActionChains(browser).scroll_to_element(mark).move_to_element(mark).perform()
    WebDriverWait(browser, 10).until(lambda b: one(b, "#panel").is_displayed())
    for words in ("claim_failed", "[r2 send_email]", "grade F", "F: failed", "550 mailbox unavailable"):
        assert words in panel_text(browser)
    mark.click()
    other = next(m for m in all_of(browser, "a.mark.ok") if m.text.startswith("I refunded EUR 59.90"))
    ActionChains(browser).move_to_element(other).perform()
    assert "claim_failed" in panel_text(browser), "what was opened on purpose stays"
    other.click()
    assert "grade S3" in panel_text(browser)
    one(browser, "#close").click()
    assert not one(browser, "#panel").is_displayed()
    assert focused(browser) == other


def test_keys_reach_marks_open_the_panel_go_on_and_close_it(browser, tmp_path, every) -> None:
    load(browser, tmp_path, as_run(every))
    press = lambda *keys: ActionChains(browser).send_keys(*keys).perform()  # noqa: E731
    marks = all_of(browser, "a.mark")
    for _ in range(200):  # from the top of the page, by Tab alone
        press(Keys.TAB)
        if focused(browser) == marks[0]:
            break
    assert focused(browser) == marks[0]
    ring = "const s = getComputedStyle(document.activeElement); return s.outlineStyle + s.outlineWidth"
    assert browser.execute_script(ring) == "solid3px"
    described = marks[0].get_attribute("aria-describedby")
    assert "supported" in browser.find_element(By.ID, described).get_attribute("textContent")
    press(Keys.ENTER)
    assert focused(browser) == one(browser, "#panel")
    assert focused(browser).accessible_name == "Evidence"
    assert "[r1 issue_refund]" in panel_text(browser)
    press(Keys.ESCAPE)
    assert not one(browser, "#panel").is_displayed()
    assert focused(browser) == marks[0]
    press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert focused(browser) == marks[2]
    assert "claim_failed" in panel_text(browser)
    press(Keys.ARROW_LEFT)
    assert focused(browser) == marks[1]


def test_arrow_keys_go_from_run_to_run_and_enter_opens_one(browser, tmp_path, rows) -> None:
    load(browser, tmp_path, as_run(rows["every-status"]), as_run(rows["hostile"], name="b.json"))
    first, second = all_of(browser, ".run > summary")
    browser.execute_script("arguments[0].focus()", first)
    ActionChains(browser).send_keys(Keys.ARROW_DOWN).perform()
    assert focused(browser) == second
    assert not all_of(browser, ".run[open]")
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert one(browser, ".run[open] > summary") == second


def test_filters_by_verdict_rule_tool_and_text(browser, tmp_path, rows) -> None:
    clean = {**rows["every-status"], "id": "fine", "messages": rows["every-status"]["messages"][:4]}
    load(browser, tmp_path, as_run(rows["every-status"], name="a.json"), as_run(clean, name="b.json"))
    assert shown_runs(browser) == ["a.json", "b.json"]

    def choose(field: str, value: str) -> list[str]:
        Select(one(browser, f"#filter-{field}")).select_by_value(value)
        return shown_runs(browser)

    assert choose("verdict", "clean") == ["b.json"]
    assert one(browser, "#shown").text == "1 of 2 runs shown"
    assert choose("verdict", "fabricated") == ["a.json"]
    assert choose("verdict", "overstated") == []
    one(browser, "#reset").click()
    assert choose("rule", "claim_misquoted") == ["a.json"]
    assert choose("rule", "") == ["a.json", "b.json"]
    assert choose("tool", "cancel_order") == ["a.json"]
    one(browser, "#reset").click()
    for text, wanted in (("Robin@Example", ["a.json"]), ("order 4821", ["a.json", "b.json"]), ("no such words", [])):
        field = one(browser, "#filter-text")
        field.clear()
        field.send_keys(text)
        WebDriverWait(browser, 10).until(lambda b, wanted=wanted: shown_runs(b) == wanted)
    one(browser, "#reset").click()
    one(browser, '#by-rule [data-rule="claim_failed"] button').click()
    assert shown_runs(browser) == ["a.json"]
    assert one(browser, "#filter-rule").get_attribute("value") == "claim_failed"


def test_dark_and_light_follow_the_system_and_the_switch(browser, tmp_path, every) -> None:
    colour = "return getComputedStyle(document.body).backgroundColor"
    seen = {}
    for scheme in ("dark", "light"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        load(browser, tmp_path, as_run(every))
        seen[scheme] = browser.execute_script(colour)
    one(browser, "#theme").click()
    assert browser.execute_script(colour) == seen["dark"] != seen["light"]
    one(browser, "#theme").click()
    assert browser.execute_script(colour) == seen["light"]


def test_hostile_text_runs_nothing_and_no_request_leaves(browser, tmp_path, rows) -> None:
    load(browser, tmp_path, as_run(rows["hostile"], name="</title><script>window.ran=1</script>.json"))
    for mark in all_of(browser, "a.mark"):
        mark.click()
    assert browser.execute_script("return window.ran") is None
    assert browser.title == "Receipts report"
    assert len(all_of(browser, "script")) == 2
    assert all_of(browser, "img, svg, iframe, link, b, object, embed") == []
    assert "<script>window.ran=1</script>" in one(browser, ".message.user").text
    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    sent = [p["request"]["url"] for name, p in events_of(browser) if name == "Network.requestWillBeSent"]
    assert sent == [browser.current_url]


def test_the_policy_stops_a_script_that_gets_in_all_the_same(browser, tmp_path, every) -> None:
    load(browser, tmp_path, as_run(every))
    browser.execute_script(
        "const box = document.createElement('div'); document.body.append(box);"
        'box.innerHTML = \'<img src="http://127.0.0.1:9/x.png" onerror="window.ran=1">\';'
        "const script = document.createElement('script'); script.textContent = 'window.ran=2'; box.append(script);"
    )
    assert browser.execute_script("return window.ran") is None
    told = " ".join(entry["message"] for entry in browser.get_log("browser"))
    assert "Content Security Policy" in told
    events = events_of(browser)
    assert [p["blockedReason"] for name, p in events if name == "Network.loadingFailed"] == ["csp"]
    assert not [
        p for name, p in events if name == "Network.responseReceived" and p["response"]["url"].startswith("http")
    ]


def test_the_page_can_be_read_without_javascript(browser, tmp_path, every) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        load(browser, tmp_path, as_run(every))
        assert one(browser, ".run").get_attribute("open")
        assert "I emailed dana@example.com" in one(browser, ".conversation").text
        assert one(browser, '.receipt[data-id="r2"]').is_displayed()
        assert not one(browser, "#filters").is_displayed()
        assert one(browser, "#by-rule").is_displayed()
        details = all_of(browser, "details.evidence > summary")[1]
        details.click()
        assert "claim_failed" in all_of(browser, "details.evidence")[1].text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
