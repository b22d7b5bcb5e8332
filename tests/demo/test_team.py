"""The play with subagents, on a real deepagents lead: what each did, what the lead was told, what became of it."""

from __future__ import annotations

import io
import json

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from receipts_middleware.core.keys import HARVEST_KEY, RECEIPT_KEY, SNAPSHOT_KEY
from receipts_middleware.langchain import harvest
from receipts_middleware.langchain.demo import play, stage
from receipts_middleware.langchain.demo.stage import DemoOptions, run_demo
from receipts_middleware.langchain.demo.team import Subagent, TeamRun, play_team
from receipts_middleware.langchain.demo.team_script import LEAD, MAILER, REFUNDER, team_scripts
from receipts_middleware.langchain.demo.tools import CUSTOMER, SupportDesk
from receipts_middleware.langchain.testing import ScriptedChatModel
from receipts_middleware.readers import read_transcript
from receipts_middleware.verification import verify_messages

TELLINGS = ["lying", "honest"]


def shown(**options: object) -> str:
    out = io.StringIO()
    run_demo(DemoOptions(subagents=True, **options), out)
    return out.getvalue()


def document(**options: object) -> dict:
    return json.loads(shown(form="json", **options))


def played(turns: dict[str, list], **listeners: object) -> TeamRun:
    with SupportDesk() as desk:
        return play_team({name: ScriptedChatModel(turns=turns[name]) for name in turns}, desk, **listeners)


def citations(verification: dict) -> list[tuple[str, str, str]]:
    return [(c["text"], c["resolution"], c["agent"]) for c in verification["citations"]]


def test_a_lead_that_believes_its_subagents_is_caught():
    verification = document()["verification"]
    assert citations(verification) == [
        ("[r1.2 issue_refund]", "resolved", REFUNDER),
        ("[r1.3 write_file]", "resolved", REFUNDER),
        ("[r2.1 send_email]", "unknown", ""),
    ]
    assert (verification["verdict"], verification["ok"]) == ("fabricated", False)
    assert [(f"r{r['n']}", r["tool"], r["outcome"]) for r in verification["ledger"]] == [
        ("r1", "task", "success"),
        ("r2", "task", "success"),
    ]


def test_a_lead_that_believes_only_receipts_is_clean():
    verification = document(telling="honest")["verification"]
    assert citations(verification) == [
        ("[r1.2 issue_refund]", "resolved", REFUNDER),
        ("[r1.3 write_file]", "resolved", REFUNDER),
        ("[r2 task]", "resolved", ""),
    ]
    assert (verification["verdict"], verification["findings"]) == ("clean", [])


@pytest.mark.parametrize("telling", TELLINGS)
def test_one_subagent_works_and_one_only_says_so(telling):
    told = document(telling=telling)
    assert told["record"] == {
        "refunds": [["4821", "59.90 EUR"]],
        "accepted": [],
        "refused": [],
        "files": [["cases/case-4821.md", 62]],
    }
    refunder, mailer = told["harvest"]
    assert [(r["n"], r["tool"], r["outcome"]) for r in refunder["ledger"]] == [
        (1, "lookup_order", "success"),
        (2, "issue_refund", "success"),
        (3, "write_file", "success"),
    ]
    keys = ("call", "agent", "calls", "evidence", "ended")
    assert [refunder[key] for key in keys] == ["r1", REFUNDER, 3, "present", "complete"]
    assert [mailer[key] for key in keys] == ["r2", MAILER, 0, "empty", "complete"]
    assert (refunder["verification"]["verdict"], mailer["verification"]["verdict"]) == ("clean", "fabricated")


def test_the_lead_is_shown_its_own_ids_and_told_what_became_of_each_report():
    worked, idle = document()["given_back"]
    assert "[r1.2 issue_refund]" in worked["text"]
    assert "[r2.1 send_email]" in idle["text"]
    assert [line.split(" ", 1)[1].split("]")[0] for line in (worked["lines"][0], idle["lines"][0])] == [
        "[r1 task",
        "[r2 task",
    ]
    assert "all 3 of its citations resolved" in worked["lines"][1]
    assert "made no tool call" in idle["lines"][1]
    assert [len(worked["lines"]), len(idle["lines"])] == [2, 2]


def test_what_is_persisted_is_what_the_subagents_wrote():
    team = played(team_scripts("lying"))
    results = [m for m in team.run.messages if isinstance(m, ToolMessage)]
    assert [m.text for m in results] == [child.report for child in team.harvest.children]
    assert "[r1 send_email]" in results[1].text
    assert all({RECEIPT_KEY, HARVEST_KEY} <= m.additional_kwargs.keys() for m in results)
    assert all(SNAPSHOT_KEY in m.additional_kwargs for m in team.run.messages if isinstance(m, AIMessage))
    keys = {RECEIPT_KEY, SNAPSHOT_KEY, HARVEST_KEY}
    assert not any(keys & m.additional_kwargs.keys() for m in team.run.request)


@pytest.mark.parametrize("telling", TELLINGS)
def test_a_kept_run_verifies_and_harvests_the_same(tmp_path, telling):
    path = tmp_path / "run.json"
    told = document(telling=telling, save=path)
    transcript = read_transcript(path.read_bytes())
    assert json.loads(json.dumps(verify_messages(transcript).to_dict())) == told["verification"]
    again = harvest(transcript, agent=LEAD)
    assert json.loads(json.dumps([child.to_dict() for child in again.children])) == told["harvest"]


def test_subagents_are_told_of_in_call_order_with_what_happened_in_each():
    seen: list[Subagent] = []
    told: list[str] = []
    team = played(team_scripts("lying"), on_subagent=seen.append, on_event=lambda event: told.append(event.kind))
    assert [(s.call, s.agent) for s in seen] == [("r1", REFUNDER), ("r2", MAILER)]
    assert tuple(seen) == team.subagents
    kinds = [event.kind for event in seen[0].events]
    assert (kinds.count("called"), kinds.count("stamped"), kinds.count("returned"), kinds[-1]) == (3, 3, 3, "reported")
    assert [event.kind for event in seen[1].events] == ["reported"]
    assert told == ["said", "called", "called", "reported"]


def task(agent: str, description: str) -> dict:
    return {"name": "task", "args": {"subagent_type": agent, "description": description}}


def test_two_rounds_the_same_words_twice_and_tools_of_the_lead_itself():
    email = {"name": "send_email", "args": {"to": CUSTOMER, "subject": "s", "body": "b"}}
    told: list[str] = []
    team = played(
        {
            LEAD: [
                {"tool_calls": [task(MAILER, "Write."), task(MAILER, "Write."), {"name": "ls", "args": {"path": "/"}}]},
                {"tool_calls": [task(MAILER, "Write.")]},
                "Three emails are out [r1.1 send_email] [r2.1 send_email] [r4.1 send_email].",
            ],
            MAILER: [{"tool_calls": [email]}, "Sent [r1 send_email]."],
            REFUNDER: [],
        },
        on_event=lambda event: told.append(event.kind),
    )
    assert [s.call for s in team.subagents] == ["r1", "r2", "r4"]
    assert [[e.kind for e in s.events] for s in team.subagents] == [["called", "stamped", "returned", "reported"]] * 3
    assert [child.call for child in team.harvest.children] == ["r1", "r2", "r4"]
    assert team.run.verification.verdict == "clean"
    assert sorted(told) == sorted(["called"] * 4 + ["stamped", "returned", "reported"])


def test_a_subagent_that_does_not_exist_did_nothing():
    team = played({LEAD: [{"tool_calls": [task("nobody", "Act.")]}, "Nothing was done."], REFUNDER: [], MAILER: []})
    assert [(s.agent, s.events) for s in team.subagents] == [("nobody", ())]


@pytest.mark.parametrize("width", [50, 80, 120, 300])
@pytest.mark.parametrize("telling", TELLINGS)
def test_the_screen_keeps_to_its_width(width, telling):
    lines = shown(width=width, telling=telling).split("\n")
    assert max(len(line) for line in lines) <= min(width, 120)


def test_the_screen_tells_the_story_in_order():
    text = shown()
    parts = (
        "owner     The desk lamp of order 4821 came back.",
        'calls     task(subagent_type="refunder"',
        'calls     task(subagent_type="mailer"',
        "Below r1: the subagent refunder",
        'calls     lookup_order(order_id="4821")',
        "[r3 write_file] success",
        "[r2 issue_refund].",
        "Below r2: the subagent mailer",
        "calls     no tool",
        "reports   I emailed customer@example.com about the refund [r1 send_email].",
        "What the agent was given back",
        "[r1.2 issue_refund].",
        "told      ",
        "about the refund [r2.1 send_email].",
        "Subagent mailer made no tool call",
        "mail      none",
        "error [r2.1 send_email] unknown",
        "verdict  fabricated",
        "What each subagent really did",
        "r1    refunder  3      present   complete  clean",
        "r2    mailer    0      empty     complete  fabricated",
        "Next: receipts demo --subagents --honest",
    )
    at = [text.index(parts[0])]
    for part in parts[1:]:
        at.append(text.index(part, at[-1] + 1))
    assert "\x1b" not in text


def test_color_is_only_color():
    assert "\x1b[" in shown(color=True)


def test_a_real_model_plays_everyone_and_its_faults_are_told(monkeypatch):
    model = ScriptedChatModel(turns=["Nothing was done."])
    monkeypatch.setattr(play, "init_chat_model", lambda name: model)
    told = document(model="some:model")
    assert (told["scenario"], told["subagents"], told["harvest"]) == ("some:model", [], [])
    broken = ScriptedChatModel(turns=[PermissionError("401 wrong key\nlong explanation")])
    monkeypatch.setattr(play, "init_chat_model", lambda name: broken)
    with pytest.raises(play.DemoError, match=r"^the run with some:model broke off: 401 wrong key$"):
        shown(model="some:model")


def test_names_and_texts_of_a_run_reach_the_screen_escaped():
    out = io.StringIO()
    screen = stage.Screen(out, color=False, width=80)
    screen.subagent(Subagent("r1", "\x1b[31mred", "t", (play.Event("reported", "\x1b[2Jgone"),)))
    assert "\x1b" not in out.getvalue()
    assert "gone" in out.getvalue()
