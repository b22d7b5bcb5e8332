"""What each setting of a policy changes in the judgement of a run: rows that must flag, and near misses."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from receipts_middleware import Policy, ToolPolicy, Verification, load_policy, verify_messages
from receipts_middleware.core.evidence.object_id import id_at, value_at, without
from receipts_middleware.core.policy import NO_POLICY
from receipts_middleware.core.policy.check import RUN_CHECKS, TOOL_CHECKS


def judge(row: dict) -> Verification:
    messages: list[dict] = [{"role": "user", "content": "Go on."}]
    for at, (name, args, result) in enumerate(row["calls"]):
        function = {"name": name, "arguments": json.dumps(args)}
        call = {"id": f"c{at}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": result})
    messages.append({"role": "assistant", "content": row["reply"]})
    policy = load_policy("\n".join(row["toml"]) + "\n")
    return verify_messages(messages, tools=row["tools"] or None, policy=policy)


@pytest.mark.rows("policy/effects.json")
def test_row(row: dict) -> None:
    v, expect = judge(row), row["expect"]
    for words, status in expect.get("claims", ()):
        assert [c.status for c in v.claims if words in c.text] == [status], words
    findings = [f for f in v.findings if f.rule != "uncited_report"]
    assert sorted(f.rule for f in findings) == sorted(expect.get("rules", [f.rule for f in findings]))
    assert [f.severity for f in findings] == expect.get("severities", [f.severity for f in findings])
    assert v.ok == expect["ok"]
    assert v.verdict == expect.get("verdict", v.verdict)
    assert v.stop_ship == expect.get("stop_ship", v.stop_ship)
    ids = [entry.receipt.object_id for entry in v.ledger]
    assert ids == expect.get("objects", ids)


def test_every_setting_that_judges_has_a_row_that_must_flag_and_a_near_miss(fixture_rows) -> None:
    counts = Counter("-".join(row["id"].split("-")[:2]) for row in fixture_rows("policy/effects.json"))
    # These say what the command line and the middleware do, or are tested with kinds, grades and languages.
    elsewhere = {"fail_on", "require_checked", "language", "capture", "kind", "grade", "require_object_id", "ignore"}
    for setting in {*RUN_CHECKS, *TOOL_CHECKS} - elsewhere:
        assert counts[f"{setting}-must"], setting
        assert counts[f"{setting}-near"], setting


@pytest.mark.parametrize(
    ("path", "found"),
    [("a.b", 1), ("a", {"b": 1}), ("l.1.x", "y"), ("l.9", None), ("l.x", None), ("a.b.c", None), ("z", None)],
)
def test_paths(path: str, found: object) -> None:
    assert value_at({"a": {"b": 1}, "l": [0, {"x": "y"}]}, path) == found


def test_an_id_is_read_where_it_stands_and_nowhere_else() -> None:
    body = '{"id": "a-1", "deep": {"id": "b-2", "flag": true, "long": "' + "x" * 200 + '"}}'
    assert id_at(body, body, "deep.id") == "b-2"
    assert [id_at(body, body, path) for path in ("deep", "deep.flag", "deep.long", "deep.none")] == [None] * 4
    assert id_at({"n": 7}, "", "n") == "7"
    assert id_at("not json", "not json", "id") is None


def test_arguments_without_a_key_are_a_copy() -> None:
    args = {"key": "k", "in": {"key": "k", "a": 1}}
    assert without(args, "in.key") == {"key": "k", "in": {"a": 1}}
    assert without(args, "key") == {"in": {"key": "k", "a": 1}}
    assert without(args, "no.key") == args
    assert without([1], "0") == [1]
    assert args == {"key": "k", "in": {"key": "k", "a": 1}}


@pytest.mark.parametrize("allowed", ["values", "digests", "hashes"])
def test_never_more_is_kept_than_is_allowed(allowed) -> None:
    order = ["values", "digests", "hashes"]
    for run in (None, *order):
        for tool in (None, *order):
            policy = Policy(capture=run, tools=(ToolPolicy("a", capture=tool),))  # type: ignore[arg-type]
            said = tool or run or allowed
            assert policy.keeps("a", allowed) == max(said, allowed, key=order.index)
            assert policy.keeps("b", allowed) == max(run or allowed, allowed, key=order.index)
    assert NO_POLICY.keeps("a", allowed) == allowed


def test_known_tools_are_whole_names() -> None:
    with pytest.raises(ValueError, match="whole name"):
        Policy(known_tools=("a*",))
