"""Policies: what they may hold, which entry a tool finds, on which line a mistake is, and what they change."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware import Policy, ToolPolicy, UsageError, load_policy, verify, verify_messages, verify_turns
from receipts_middleware.core.policy import NO_POLICY, PolicyError, read_policy, weigh
from receipts_middleware.core.policy.value import fits
from receipts_middleware.core.rules import RULES, make_finding
from receipts_middleware.policy import parse_policy, suggest_policy
from receipts_middleware.policy.locate import MAX_DEPTH, key_lines, line_of
from receipts_middleware.readers import read_transcript


@pytest.mark.rows("policy/valid.json")
def test_valid_policies(row: dict) -> None:
    policy = parse_policy("\n".join(row["toml"]))
    for key, value in row.get("holds", {}).items():
        held = getattr(policy, key)
        assert (list(held) if isinstance(held, tuple) else held) == value
    for name, wanted in row.get("tools", {}).items():
        found = policy.for_tool(name)
        assert {key: getattr(found, key) for key in wanted} == wanted, name


@pytest.mark.rows("policy/wrong.json")
def test_mistakes_are_named_by_line(row: dict) -> None:
    with pytest.raises(UsageError) as raised:
        parse_policy("\n".join(row["toml"]), name="receipts.toml")
    said = str(raised.value).split("\n")
    assert [line.split(":")[1] for line in said] == [str(item["line"]) for item in row["says"]], said
    for line, item in zip(said, row["says"], strict=True):
        assert line.startswith("receipts.toml:")
        assert [words for words in item["words"] if words not in line] == [], line


def test_from_a_file(tmp_path) -> None:
    path = tmp_path / "receipts.toml"
    path.write_bytes(b'\xef\xbb\xbffail_on = "note"\r\n[tools.a]\r\nkind = "x"\r\n')
    with pytest.raises(PolicyError, match=r"receipts\.toml:3: tools\.a\.kind"):
        load_policy(path)
    path.write_text('fail_on = "note"')
    assert load_policy(path) == load_policy(str(path)) == load_policy('fail_on = "note"\n') == Policy(fail_on="note")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\n\xff", ":2: not UTF-8"),
        (b"#" + b"x" * 600_000, "longer than 512 KiB"),
        (b"\n#" + b"x" * 2_000, ":2: longer than 1000 characters"),
        (b"a" + b".a" * 200 + b" = 1", ":1: more than 40 dots"),
        (b"a = " + b"[" * 900, ""),
    ],
    ids=["bytes", "long", "long-line", "dots", "deep"],
)
def test_hostile_files(tmp_path, data: bytes, says: str) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(data)
    with pytest.raises(UsageError) as raised:
        load_policy(path)
    assert says in str(raised.value)


@pytest.mark.parametrize("source", ["no-such-file.toml", ".", "a\0b"])
def test_files_that_cannot_be_read(source: str) -> None:
    with pytest.raises(UsageError, match="cannot read the policy"):
        load_policy(source)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ToolPolicy("a", kind="actin"),  # type: ignore[arg-type]
        lambda: ToolPolicy(""),
        lambda: ToolPolicy("a" * 257),
        lambda: ToolPolicy("a", object_id="a b"),
        lambda: Policy(fail_on="never ever"),  # type: ignore[arg-type]
        lambda: Policy(tools=(ToolPolicy("a*"), ToolPolicy("a**"))),
        lambda: Policy(rules={"nope": "note"}),
        lambda: Policy(rules=["nope"]),  # type: ignore[arg-type]
        lambda: Policy(tools=("a",)),  # type: ignore[arg-type]
        lambda: Policy(ignore_tools="think"),  # type: ignore[arg-type]
        lambda: read_policy([]),  # type: ignore[arg-type]
    ],
    ids="kind name long path level twice rule rules tool ignore document".split(),
)
def test_objects_are_held_to_the_same_rules(make) -> None:
    with pytest.raises(UsageError):
        make()


def test_objects_are_values() -> None:
    given = {"uncited_report": "note"}
    policy = Policy(tools=(ToolPolicy("a*", kind="acting"),), rules=given)  # type: ignore[arg-type]
    given.clear()
    assert policy.rules == {"uncited_report": "note"}
    for twin in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert twin == policy
        assert hash(twin) == hash(policy)
        assert twin.kind("ab") == "acting"
    assert NO_POLICY.for_tool("anything") == ToolPolicy("*")


@pytest.mark.parametrize("judge", [lambda p: verify("Hi.", [], policy=p), lambda p: verify_messages([], policy=p)])
def test_a_path_is_no_policy(judge) -> None:
    assert judge(None) == judge(NO_POLICY)
    with pytest.raises(UsageError, match="load_policy"):
        judge("receipts.toml")
    with pytest.raises(UsageError, match="load_policy"):
        verify_turns([], policy="receipts.toml")  # type: ignore[arg-type]


# --- properties ----------------------------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    'tools rules fail_on kind "acting" acting name ignore_tools [ ] [[ ]] { } = . , \n # " \' """ 1 true a* \\ é'.split(
        " "
    )
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(_WORDS, max_size=30).map("".join), st.binary(max_size=60)))
def test_any_text_gives_a_policy_or_a_usage_error(text: str | bytes) -> None:
    with contextlib.suppress(UsageError):
        assert isinstance(parse_policy(text), Policy)


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("acting"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS | st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["tools", "rules", "fail_on", "ignore_tools", "x"]), _PLAIN))
def test_any_document_gives_a_policy_or_a_usage_error(document: dict) -> None:
    with contextlib.suppress(UsageError):
        assert isinstance(read_policy(document), Policy)


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS, max_size=30).map("".join))
def test_lines_never_raise_and_lie_in_the_text(text: str) -> None:
    lines = key_lines(text)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())


_KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(_KEYS, st.dictionaries(_KEYS, st.text(st.sampled_from("ab\n\"'#[]=,\\{}"), max_size=8))))
def test_every_key_has_its_line(document: dict) -> None:
    wanted, rows = {}, []
    for table, pairs in document.items():
        rows.append(f"[{json.dumps(table, ensure_ascii=False)}] # {table}")
        wanted[(table,)] = len(rows)
        for key, value in pairs.items():
            rows.append(f"{json.dumps(key)} = {json.dumps(value, ensure_ascii=False)} # x")
            wanted[(table, key)] = len(rows)
    text = "\n".join(rows).replace("\x7f", "?")
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # escapes of JSON that TOML does not know
        return
    assert all(key_lines(text)[path] == line for path, line in wanted.items() if path[0] in read)


def test_deep_values_have_the_line_of_what_contains_them() -> None:
    lines = key_lines("x = 1\n" + ".".join("a" * 30) + " = [\n[1]]\n")
    assert max(map(len, lines)) == MAX_DEPTH
    assert line_of(lines, tuple("a" * 12)) == 2
    assert line_of(lines, ("b",)) == 1


@settings(max_examples=150, deadline=None)
@given(st.text("ab*?", max_size=8), st.text("ab", max_size=8))
def test_patterns_fit_as_their_expansion_does(pattern: str, name: str) -> None:
    def slow(p: str, n: str) -> bool:
        if not p:
            return not n
        if p[0] == "*":
            return slow(p[1:], n) or (bool(n) and slow(p, n[1:]))
        return bool(n) and p[0] in ("?", n[0]) and slow(p[1:], n[1:])

    assert fits(pattern, name) == slow(pattern, name)


# --- what a policy changes -----------------------------------------------------------------------------------------


def _run(tool: str, result: str, reply: str = "All of it is done.", **stamp: object) -> list[dict]:
    call = {"id": "c", "type": "function", "function": {"name": tool, "arguments": "{}"}}
    return [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": result},
        {"role": "assistant", "content": reply},
    ]


def _rules(verification) -> list[tuple[str, str]]:
    return [(finding.rule, finding.severity) for finding in verification.findings]


def test_a_kind_outweighs_the_guess() -> None:
    run = _run("frobnicate_it", "Error: no such thing")
    assert _rules(verify_messages(run)) == []
    acting = Policy(tools=(ToolPolicy("frob*", kind="acting"),))
    v = verify_messages(run, policy=acting)
    assert _rules(v) == [("claim_failed", "error"), ("uncited_report", "note")]
    assert v.ledger[0].outcome == "error"  # content rules are for acting and shell tools
    assert verify_turns(run, policy=acting) == [v]
    reading = Policy(tools=(ToolPolicy("send_email", kind="reading"),))
    assert _rules(verify_messages(_run("send_email", "{}"))) == [("uncited_report", "note")]
    assert _rules(verify_messages(_run("send_email", "{}"), policy=reading)) == []
    shell = Policy(tools=(ToolPolicy("send_email", kind="shell"),))
    assert verify_messages(_run("send_email", "exit code: 2"), policy=shell).ledger[0].outcome == "error"


def test_a_kind_outweighs_the_tools_given() -> None:
    run = _run("zap", "{}")
    assert _rules(verify_messages(run, tools=[("zap", "Send a letter.")])) == [("uncited_report", "note")]
    policy = Policy(tools=(ToolPolicy("zap", kind="reading"),))
    assert _rules(verify_messages(run, tools=[("zap", "Send a letter.")], policy=policy)) == []


@pytest.mark.parametrize(
    "policy", [Policy(ignore_tools=("send_*",)), Policy(tools=(ToolPolicy("send_email", kind="acting", ignore=True),))]
)
def test_ignored_tools_need_not_be_told_of(policy: Policy) -> None:
    log = [{"id": "r1", "tool": "send_email", "outcome": "success"}]
    assert _rules(verify("Done.", log)) == [("uncited_report", "note")]
    assert _rules(verify("Done.", log, policy=policy)) == []
    assert verify("Done [r1 send_email].", log, policy=policy).citations[0].resolution == "resolved"
    both = [*log, {"id": "r2", "tool": "issue_refund", "outcome": "success"}]
    (finding,) = verify("Done.", both, policy=policy).findings
    assert finding.receipts == ("r2",)


def test_ignored_tools_may_have_several_attempts() -> None:
    stamp = verify("", [{"tool": "send_email"}]).ledger[0].receipt.to_dict() | {"attempts": 3}
    reply = "Done [r1 send_email]."
    assert _rules(verify(reply, [stamp])) == [("multiple_attempts", "warning")]
    assert _rules(verify(reply, [stamp], policy=Policy(ignore_tools=("send_email",)))) == []


def test_severities_of_rules() -> None:
    log = [{"id": "r1", "tool": "send_email", "outcome": "success"}]
    lie = "Sent [r7 send_email]."
    assert verify(lie, log).verdict == "fabricated"
    v = verify(lie, log, policy=Policy(rules={"citation_unknown": "warning"}))
    assert (v.ok, v.verdict, _rules(v)) == (True, "clean", [("citation_unknown", "warning")])
    v = verify(lie, log, policy=Policy(rules={"citation_unknown": "off"}))
    assert (v.ok, v.findings, v.citations[0].resolution) == (True, (), "unknown")
    v = verify("Sent [r1 book].", log, policy=Policy(rules={"citation_anchor_mismatch": "error"}))
    assert (v.ok, v.verdict, v.counts["errors"]) == (False, "clean", 1)
    assert "the policy makes an error" in v.summary


def test_a_weakened_finding_is_not_made_stronger() -> None:
    weak = make_finding("citation_cites_failure", "x", severity="warning")
    for level, wanted in {"error": "warning", "warning": "warning", "note": "note"}.items():
        (found,) = weigh([weak], Policy(rules={"citation_cites_failure": level}))  # type: ignore[dict-item]
        assert found.severity == wanted


def test_default_severities_written_down_change_nothing() -> None:
    policy = Policy(rules={rule.id: rule.severity for rule in RULES.values()})
    for run in (_run("send_email", "{}"), _run("send_email", '{"error": "x"}', "Sent [r1 send_email], [r9 x] (r1).")):
        assert verify_messages(run, policy=policy) == verify_messages(run)


# --- a first policy ------------------------------------------------------------------------------------------------


RUNS = st.lists(
    st.tuples(
        st.sampled_from(
            ["send_email", "get_order", "bash", "frob", "edit_file", 'odd "name" \\', "a*", "do\nit", "送信", "mcp.x"]
        ),
        st.sampled_from(["{}", '{"error": "x"}', "Error: no", '{"status": "sent"}', "exit code: 2"]),
    ),
    max_size=6,
)
TOOLS = [
    {"name": "edit_file", "description": "View and edit files."},
    {"name": "frob", "description": "Send a letter to everybody."},
    {"name": "zap", "description": "x", "annotations": {"readOnlyHint": True}},
    {"name": "odd \ud800"},
]


def _conversation(calls: list[tuple[str, str]], reply: str) -> list[dict]:
    messages: list[dict] = [{"role": "user", "content": "Go."}]
    for at, (tool, result) in enumerate(calls):
        call = {"id": f"c{at}", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": result})
    return [*messages, {"role": "assistant", "content": reply}]


@settings(max_examples=60, deadline=None)
@given(RUNS, st.sampled_from([None, TOOLS]), st.sampled_from(["Done.", "Done [r1 send_email] [r2 frob]."]))
def test_a_first_policy_changes_nothing(calls: list, tools: list | None, reply: str) -> None:
    transcript = read_transcript(_conversation(calls, reply), tools=tools)
    policy = parse_policy(suggest_policy(transcript))
    assert verify_turns(transcript, policy=policy) == verify_turns(transcript)


def test_a_first_policy_says_what_was_seen() -> None:
    calls = [("send_email", '{"error": "x"}'), ("send_email", '{"status": "sent"}'), ("frob", "{}"), ("a*", "{}")]
    text = suggest_policy(read_transcript(_conversation(calls, "Done."), tools=TOOLS))
    text.encode()
    for words in (
        '# called 2 times: 1 error, 1 success\n[tools.send_email]\nkind = "acting"  # by its name\n',
        '# called once: 1 success\n[tools.frob]\nkind = "acting"  # by its description\n',
        '# never called\n[tools.zap]\nkind = "reading"  # by the hints of its author\n',
        '[tools.edit_file]\n# kind = "acting"  # may look as well',
        "# 2 further tools left out",
    ):
        assert words in text
    assert '[tools."a*"]' not in text
    assert suggest_policy(read_transcript([])).count("[tools.") == 0


def test_a_first_policy_quotes_names() -> None:
    calls = [("mcp.x", "{}"), ('a "b" \\', "{}")]
    policy = parse_policy(suggest_policy(read_transcript(_conversation(calls, "Done."))))
    assert {tool.name for tool in policy.tools} == {"mcp.x", 'a "b" \\'}


def test_a_first_policy_leaves_out_a_kind_that_changed() -> None:
    from receipts_middleware.core.keys import SNAPSHOT_KEY
    from receipts_middleware.core.snapshot import make_snapshot

    def turn(description: str) -> dict:
        snapshot = make_snapshot(n=0, shown="", head="0" * 64, tag="ABCD", toolset=[("frob", description)])
        return {"type": "ai", "content": "Hello.", "additional_kwargs": {SNAPSHOT_KEY: snapshot}}

    run = [{"type": "human", "content": "Go."}, turn("Send a letter."), turn("Read a letter.")]
    transcript = read_transcript(run)
    text = suggest_policy(transcript)
    assert '# kind = "acting"  # was guessed as acting and as ' in text
    assert verify_turns(transcript, policy=parse_policy(text)) == verify_turns(transcript)
