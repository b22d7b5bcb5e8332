"""deepagents' own tools: files, evicted results, calls that were left dangling."""

from __future__ import annotations

from typing import Any

from deepagents import create_deep_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from receipts_middleware import verify_messages
from receipts_middleware.core.canonical import digest_args, digest_output
from receipts_middleware.langchain import ReceiptsMiddleware
from receipts_middleware.langchain.testing import ScriptedChatModel


def run(drive: Any, *turns: Any, tools: Any = (), given: Any = None) -> Any:
    model = ScriptedChatModel(turns=turns, by="order")
    agent = create_deep_agent(model=model, tools=list(tools), middleware=[ReceiptsMiddleware()])
    return drive(agent, {"messages": given or [("user", "go")]})


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


def test_its_own_tools_are_recorded_with_what_they_did(drive, stamps, ledger):
    result = run(
        drive,
        call("write_file", file_path="/note.md", content="hello"),
        call("read_file", file_path="/note.md"),
        call("edit_file", file_path="/note.md", old_string="hello", new_string="bye"),
        call("ls", path="/"),
        "Wrote it [r1 write_file] [r3 edit_file].",
    )

    receipts = stamps(result)
    assert [(r.n, r.tool, r.outcome) for r in receipts] == [
        (1, "write_file", "success"),
        (2, "read_file", "success"),
        (3, "edit_file", "success"),
        (4, "ls", "success"),
    ]
    assert receipts[0].args_sha256 == digest_args({"file_path": "/note.md", "content": "hello"}).sha256
    assert not any(r.args_edited for r in receipts)
    assert "/note.md" in result["files"]
    verification = verify_messages(result)
    assert verification.verdict == "clean"
    assert verification.trust["unstamped"] == 0
    assert not [f for f in verification.findings if f.rule == "transformed"]


def test_a_result_that_is_moved_to_a_file_keeps_the_hash_of_what_the_tool_returned(drive, stamps):
    long = "line of a long report\n" * 20_000

    @tool
    def fetch(url: str) -> str:
        """Fetch a page."""
        return long

    result = run(drive, call("fetch", url="https://example.com"), "Fetched [r1 fetch].", tools=[fetch])

    receipt = stamps(result)[0]
    message = next(m for m in result["messages"] if isinstance(m, ToolMessage))
    assert len(message.text) < len(long)
    assert receipt.output_sha256 == digest_output(long).sha256
    assert receipt.output_bytes == len(long)
    assert "transformed" in [f.rule for f in verify_messages(result).findings]


def test_an_error_of_its_own_tools_is_recorded_as_what_they_say(drive, stamps):
    edit = call("edit_file", file_path="/none.md", old_string="a", new_string="b")
    receipts = stamps(run(drive, call("read_file", file_path="/none.md"), edit, "There is no such file."))
    assert [(r.tool, r.outcome) for r in receipts] == [("read_file", "error"), ("edit_file", "error")]


def test_a_call_that_was_left_dangling_is_repaired_and_known_as_never_answered(drive, ledger):
    @tool
    def send_email(to: str) -> str:
        """Send an email."""
        return "sent"

    given = [
        HumanMessage("go"),
        AIMessage("", tool_calls=[{"name": "send_email", "args": {"to": "ana"}, "id": "c1"}]),
        HumanMessage("and?"),
    ]
    result = run(drive, "I cannot say whether it went out.", tools=[send_email], given=given)
    assert {n: (e.tool, e.outcome) for n, e in ledger(result).items()} == {1: ("send_email", "cancelled")}


def test_a_subagent_call_is_one_receipt_of_the_parent(drive, stamps):
    child = ScriptedChatModel(turns=["The child's report."])
    model = ScriptedChatModel(
        turns=[call("task", description="Look.", subagent_type="looker"), "It reports [r1 task]."]
    )
    looker = {
        "name": "looker",
        "description": "Looks.",
        "system_prompt": "Look.",
        "model": child,
        "tools": [],
        "middleware": [ReceiptsMiddleware()],
    }
    agent = create_deep_agent(model=model, middleware=[ReceiptsMiddleware()], subagents=[looker])
    result = drive.ask(agent)
    assert [(r.n, r.tool, r.outcome) for r in stamps(result)] == [(1, "task", "success")]
