"""Rows that a policy adds to the tables of a language: what they change, for whom, and what cannot be a row."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from receipts_middleware import LanguageTables, Policy, UsageError, Verification, load_policy, verify_messages
from receipts_middleware.core.bearing.named import read_statement
from receipts_middleware.core.language.added import words_of
from receipts_middleware.core.language.shipped import ENGLISH, LANGUAGES
from receipts_middleware.core.language.value import NO_WORDS
from receipts_middleware.core.policy.language import FAMILIES, LISTS, SHIPPED
from receipts_middleware.policy import read_policy

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")


def messages(row: dict) -> list[dict]:
    out: list[dict] = [{"role": "user", "content": "Please see to it."}]
    for number, (tool, args, result) in enumerate(row["calls"]):
        made = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
        out.append({"role": "assistant", "content": None, "tool_calls": [made]})
        out.append({"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(result)})
    return [*out, {"role": "assistant", "content": row["reply"]}]


def judge(row: dict, policy: Policy | None) -> Verification:
    return verify_messages(messages(row), tools=[tuple(tool) for tool in row["tools"]], policy=policy)


def statuses(v: Verification) -> list[str]:
    return [f"{c.status}:{c.reason}" if c.reason else c.status for c in v.claims]


@pytest.mark.rows("language/added.json")
def test_row_changes_what_it_should(row: dict) -> None:
    policy = load_policy("\n".join(row["toml"]) + "\n")
    without, ruled = judge(row, None), judge(row, policy)
    assert statuses(ruled) == ([row["with"]] if row["with"] else [])
    assert statuses(without) != statuses(ruled) or [c.kind for c in without.claims] != [c.kind for c in ruled.claims]
    if "without" in row:
        assert set(statuses(without)) <= set(row["without"].split("|"))
    assert [c.kind for c in ruled.claims] == [row.get("kind", c.kind) for c in ruled.claims]


@pytest.mark.rows("language/added.json")
def test_nothing_is_left_behind_for_the_next_verification(row: dict) -> None:
    """Verified without, with, and without again: the first and the last say the same, whatever was remembered."""
    policy = load_policy("\n".join(row["toml"]) + "\n")
    before = judge(row, None).to_dict()
    judge(row, policy)
    assert judge(row, None).to_dict() == before
    assert judge(row, Policy()).to_dict() == before
    other = Policy(languages=(LanguageTables(umbrella_phrases=("quite another phrase",)),))
    assert judge(row, other).to_dict() == before


@pytest.mark.rows("language/added.json")
def test_object_and_file_are_the_same(row: dict) -> None:
    policy = load_policy("\n".join(row["toml"]) + "\n")
    [tables] = policy.languages
    again = Policy(languages=(LanguageTables(**{key: getattr(tables, key) for key in ("code", *FAMILIES, *LISTS)}),))
    assert again == policy
    assert hash(again) == hash(policy)
    assert words_of(again.added("en")) is words_of(policy.added("en"))


def test_a_cited_statement_is_read_with_the_added_rows(fixture_rows) -> None:
    [row] = [row for row in fixture_rows("language/added.json") if row["id"] == "outcome-phrase"]
    more = words_of(load_policy("\n".join(row["toml"]) + "\n").added("en"))
    [claim] = read_statement(row["reply"], "", more=more).claims
    assert (claim.kind, claim.more is more) == ("effect", True)
    assert "effect" not in {claim.kind for claim in read_statement(row["reply"], "").claims}


def test_added_rows_come_to_the_shipped_ones() -> None:
    assert words_of(None) is NO_WORDS
    assert Policy().added("en") is None
    reply = {"tools": [["send_email", "Send an email"]], "calls": [], "reply": "I've emailed kim@example.com."}
    more = Policy(languages=(LanguageTables(verb_families={"tell": ("semaphore",)}),))
    assert statuses(judge(reply, more)) == statuses(judge(reply, None)) == ["not_called"]


def test_language_of_replies_can_be_said_beside_the_rows() -> None:
    policy = load_policy('[language.en]\nassumed = true\nnon_acts = ["ponder"]\n')
    assert (policy.language, policy.languages) == ("en", (LanguageTables(non_acts=("ponder",)),))
    assert load_policy("[language.en]\nassumed = false\n").language is None


WRONG = [
    ("code", ["[language.de]", 'non_acts = ["gehen"]'], 1, "language.de: is no language that has tables; write en"),
    ("not-a-table", ["[language]", "en = 3"], 2, "language.en: is 3; write a table"),
    ("table", ["[language.en]", "", 'outcome_phrase = ["a b"]'], 3, "did you mean outcome_phrases?"),
    (
        "verb-table",
        ["[language.en]", 'non_acts = ["ponder"]', 'verbs = ["ping"]'],
        3,
        "is no table that can be added to",
    ),
    ("families-as-list", ["[language.en]", 'verb_families = ["ping"]'], 2, "write a table of families"),
    ("family-name", ["[language.en.verb_families]", '"Tell It" = ["ping"]'], 2, "is no name of a family"),
    ("family-as-word", ["[language.en.verb_families]", 'tell = "ping"'], 2, 'is "ping"; write a list of words'),
    ("two-verbs", ["[language.en.verb_families]", "tell = [", '  "ping",', '  "give notice",', "]"], 4, "one verb"),
    ("upper-case", ["[language.en.noun_families]", 'berth = ["Slip"]'], 2, "write it in lower case"),
    ("number", ["[language.en]", "non_acts = [3]"], 2, "language.en.non_acts[1]: is 3; write a word in quotes"),
    ("one-word-phrase", ["[language.en]", 'outcome_phrases = ["done"]'], 2, "write two to 5 words"),
    ("long-phrase", ["[language.en]", 'umbrella_phrases = ["a b c d e f"]'], 2, "write two to 5 words"),
    ("empty-phrase", ["[language.en]", 'umbrella_phrases = ["it is", "all shipshape"]'], 2, "stands in any sentence"),
    ("three-words", ["[language.en]", 'non_acts = ["draw a breath"]'], 2, "a verb and a noun"),
    ("assumed", ["[language.en]", 'assumed = "yes"'], 2, 'language.en.assumed: is "yes"; write true or false'),
    ("twice", ['language = "en"', "[language.en]", 'non_acts = ["ponder"]'], 2, "keep one of them"),
]


@pytest.mark.parametrize(("lines", "line", "words"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_mistake_is_named_by_its_line(lines: list[str], line: int, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_policy("\n".join(lines) + "\n")
    [said] = str(caught.value).splitlines()
    assert said.startswith(f"policy:{line}: ")
    assert words in said


def test_every_mistake_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        load_policy('[language.en]\nnon_acts = ["PONDER", "ok", 3]\noutcome_phrases = ["x"]\n')
    assert [said.split(": ")[0] for said in str(caught.value).splitlines()] == ["policy:2", "policy:2", "policy:3"]


@pytest.mark.parametrize(
    "given",
    [
        {"code": "de"},
        {"verb_families": {"tell": ("two words",)}},
        {"verb_families": ("tell",)},
        {"outcome_phrases": ("one",)},
        {"non_acts": "ponder"},
        {"umbrella_phrases": tuple(f"all phrase number{'x' * n}" for n in range(2_000))},
    ],
    ids=repr,
)
def test_an_object_is_checked_as_a_file_is(given: dict) -> None:
    with pytest.raises(UsageError):
        LanguageTables(**given)


def test_entries_of_a_policy() -> None:
    with pytest.raises(UsageError, match="two entries for one language"):
        Policy(languages=(LanguageTables(), LanguageTables()))
    with pytest.raises(UsageError, match="LanguageTables objects"):
        Policy(languages=({"code": "en"},))
    assert read_policy({"language": {"en": {"non_acts": ["ponder"]}}}).languages[0].non_acts == ("ponder",)


def test_what_was_given_can_be_changed_without_harm() -> None:
    families = {"tell": ["ping"]}
    tables = LanguageTables(verb_families=families)
    families["tell"].append("pong")
    families["more"] = []
    assert tables.verb_families == {"tell": ("ping",)}


def test_codes_that_a_policy_takes_are_those_that_are_shipped() -> None:
    assert set(SHIPPED) == set(LANGUAGES)


@pytest.mark.parametrize(
    ("title", "index"), [("verb_families", ENGLISH.tables.verbs), ("noun_families", ENGLISH.tables.nouns)]
)
def test_page_names_the_families_that_are_shipped(title: str, index: dict) -> None:
    shipped = {name for names in index.values() for name in names}
    listed = re.search(rf"^- `{title}`: (.*?)\n(?:-|\n)", PAGE, re.MULTILINE | re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`(\w+)`", listed[1])) == shipped, "list the families of the tables in docs/policy.md"
