"""Languages: sentences in others than English are told, are judged by nothing but their values, English ones stay."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import Policy, Verification, verify_messages
from receipts_middleware.core.claims.segment import read_units
from receipts_middleware.core.language import LanguageReading, read_language
from receipts_middleware.core.language.claims import read_claims
from receipts_middleware.core.language.shipped import LANGUAGES
from receipts_middleware.core.language.words import FOREIGN

TOOLS = [("issue_refund", "Issue a refund for an order"), ("send_email", "Send an email to a recipient")]
GERMAN = "Ich habe die Bestellung 4821 erstattet und Ihnen eine Bestätigung geschickt."


def read(text: str) -> LanguageReading:
    return read_language([unit.tokens for unit in read_units(text)], LANGUAGES)


def call(tool: str, args: dict, result: dict, number: int = 1) -> list[dict]:
    made = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(result)},
    ]


REFUND = call("issue_refund", {"order_id": "4821", "amount": 64}, {"status": "succeeded", "refund_id": "re_91"})


def judge(reply: str, calls: list[dict] | None = None, policy: Policy | None = None) -> Verification:
    asked = {"role": "user", "content": "4821"}
    return verify_messages([asked, *(calls or []), {"role": "assistant", "content": reply}], tools=TOOLS, policy=policy)


@pytest.mark.rows("language/foreign.json")
def test_reply_in_another_language_is_unjudged(row: dict) -> None:
    """It has no claims, accuses nobody, and is not clean, whatever ran."""
    for calls in ([], REFUND):
        v = judge(row["text"], calls)
        assert (v.verdict, v.ok, list(v.claims), list(v.unreported)) == ("unjudged", True, [], [])
        assert v.counts["unjudged"] >= 1
        assert "language" in v.summary


def test_rows_cover_many_languages(fixture_rows) -> None:
    assert len({row["code"] for row in fixture_rows("language/foreign.json")}) >= 40
    assert len(fixture_rows("language/english.json")) >= 40


@pytest.mark.rows("language/english.json")
def test_english_stays_judged(row: dict) -> None:
    v = judge(row["text"])
    assert read(row["text"]) == LanguageReading()
    assert "unjudged" not in v.counts
    assert v.verdict != "unjudged"


@pytest.mark.rows("language/mixed.json")
def test_reply_in_two_languages(row: dict) -> None:
    found = read_claims(row["text"])
    texts = [row["text"][start:end] for start, end in found.unread]
    assert len(texts) == len(row["unread"]), texts
    assert all(text.startswith(words) for text, words in zip(texts, row["unread"], strict=True)), texts
    assert found.mostly == row["mostly"]
    assert not any(start < c.end and c.start < end for c in found.claims for start, end in found.unread)


def test_english_beside_another_language_is_judged_and_the_rest_is_told() -> None:
    v = judge(f"I've refunded order 4821.\n\n{GERMAN}")
    assert [c.status for c in v.claims] == ["not_called"]
    assert v.verdict == "fabricated"
    [finding] = [f for f in v.findings if f.rule == "unjudged_text"]
    assert (finding.severity, v.reply[finding.start : finding.end], v.counts["unjudged"]) == ("note", GERMAN, 1)
    assert "de" in finding.message

    honest = judge(f"I've refunded order 4821.\n\n{GERMAN}", REFUND)
    assert (honest.verdict, honest.ok) == ("clean", True)
    assert "language" in honest.summary


def test_rule_of_unjudged_text_can_be_raised_and_turned_off() -> None:
    reply = f"I've refunded order 4821.\n\n{GERMAN}"
    assert not judge(reply, REFUND, Policy(rules={"unjudged_text": "error"})).ok
    off = judge(reply, REFUND, Policy(rules={"unjudged_text": "off"}))
    assert "unjudged_text" not in {f.rule for f in off.findings}
    assert off.counts["unjudged"] == 1


def test_citations_are_checked_in_any_language() -> None:
    cited = "Ich habe die Bestellung 4821 erstattet [r1 issue_refund]."
    v = judge(cited, REFUND)
    assert (v.verdict, [c.resolution for c in v.citations]) == ("unjudged", ["resolved"])
    invented = judge("Ich habe Ihnen die Bestätigung geschickt [r9 send_email].", REFUND)
    assert (invented.verdict, invented.ok) == ("fabricated", False)


def test_values_beside_a_citation_are_checked_in_any_language() -> None:
    calls = [*REFUND, *call("send_email", {"to": "kim@example.com"}, {"id": "m_1", "status": "sent"}, 2)]
    right = judge("Die Bestätigung ging an kim@example.com, wie Sie es wollten [r2 send_email].", calls)
    assert [c.supports for c in right.citations] != [False]
    wrong = judge("Die Bestätigung ging an kim@example.com, wie Sie es wollten [r1 issue_refund].", calls)
    assert [c.supports for c in wrong.citations] == [False]
    assert not wrong.ok


def test_calls_that_an_unread_sentence_may_tell_of_are_not_called_unreported() -> None:
    calls = [*REFUND, *call("send_email", {"to": "kim@example.com"}, {"id": "m_1", "status": "sent"}, 2)]
    assert list(judge("I've refunded order 4821.", calls).unreported) == ["r2"]
    told = judge("I've refunded order 4821.\n\nDie Bestätigung ging an kim@example.com, wie Sie es wollten.", calls)
    assert list(told.unreported) == []
    other = judge("I've refunded order 4821.\n\nSie müssen jetzt nichts weiter tun, und das Geld ist unterwegs.", calls)
    assert list(other.unreported) == ["r2"]


def test_language_that_a_policy_names_is_not_told_from_the_text() -> None:
    assert judge(GERMAN, policy=Policy(language="en")).verdict != "unjudged"
    assert judge("I've refunded order 4821.", policy=Policy(language="de")).verdict == "unjudged"


def test_a_reply_without_words_is_in_no_language() -> None:
    for text in ("", " \n", "4821", "```\nich habe die Bestellung\n```", "> Ich habe die Bestellung erstattet."):
        assert read(text) == LanguageReading()


def test_shipped_languages_are_the_ones_they_say() -> None:
    assert set(LANGUAGES) == {"en"}
    for code, language in LANGUAGES.items():
        assert language.code == code
        assert all(word == word.lower() for word in language.function_words)
    assert set(LANGUAGES).isdisjoint(code for codes in FOREIGN.values() for code in codes)


@given(st.text(max_size=400))
@settings(max_examples=150)
def test_no_text_raises_and_what_is_unread_claims_nothing(text: str) -> None:
    found = read_claims(text)
    assert not found.mostly or found.unread
    assert not any(start <= c.start < end for c in found.claims for start, end in found.unread)


@given(st.lists(st.sampled_from("I've refunded it|The mail is sent|Both orders were cancelled".split("|")), min_size=1))
def test_english_sentences_stay_read_however_they_are_joined(parts: list[str]) -> None:
    assert read(". ".join(parts) + ".") == LanguageReading()


@pytest.mark.parametrize("piece", ["ich habe ", "的", "l'", "é ", "de La ", "xq "])
def test_hostile_repetition_is_read(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert isinstance(read_claims(text).unread, tuple)
