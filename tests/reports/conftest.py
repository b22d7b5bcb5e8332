"""Runs made of fixture rows, and a way to write them as the command does."""

from __future__ import annotations

from collections.abc import Sequence

from receipts_middleware.core.finding import Claim, Finding, Verification
from receipts_middleware.core.verify import verify
from receipts_middleware.reports.runs import CollectingRenderer, Place, RunResult, Skipped, Totals

LEDGER = verify(
    "",
    [
        {"id": "r1", "tool": "lookup_order", "outcome": "success"},
        {"id": "r2", "tool": "issue_refund", "outcome": "success"},
        {"id": "r3", "tool": "send_email", "outcome": "error"},
    ],
).ledger


def run_of(row: dict) -> RunResult:
    """A run of `fixtures/reports/runs.json`; a quote or a claim stands where its words stand in the reply."""
    return RunResult(
        place=Place(row["file"], row.get("line"), row.get("pointer", "")),
        id=row.get("run", ""),
        form="openai_chat",
        messages=4,
        turns=len(row["replies"]),
        calls=row["calls"],
        stamped=0,
        unstamped=row["calls"],
        skipped=row.get("left_out", ""),
        verifications=[_verification(number, reply) for number, reply in enumerate(row["replies"])],
    )


def _verification(number: int, row: dict) -> Verification:
    reply = row["reply"]
    return Verification(
        reply=reply,
        reply_source="text",
        message_index=None if row.get("ended") else 2 * number + 1,
        verdict=row["verdict"],
        ok=not any(finding["severity"] == "error" for finding in row.get("findings", ())),
        stop_ship=row.get("stop_ship", False),
        summary=f"The reply is {row['verdict']}.",
        ended=row.get("ended", "reply"),
        ledger=LEDGER,
        claims=[_claim(reply, claim) for claim in row.get("claims", ())],
        findings=[_finding(reply, finding) for finding in row.get("findings", ())],
    )


def _claim(reply: str, row: dict) -> Claim:
    start = reply.index(row["text"])
    return Claim(
        text=row["text"],
        start=start,
        end=start + len(row["text"]),
        kind="effect",
        action="do",
        tools=(),
        status=row["status"],
        required="S3",
        grade="",
        receipts=tuple(row["receipts"]),
    )


def _finding(reply: str, row: dict) -> Finding:
    start = reply.index(row["quote"]) if "quote" in row else None
    return Finding(
        rule=row["rule"],
        severity=row["severity"],
        message=row["message"],
        start=start,
        end=None if start is None else start + len(row["quote"]),
        receipts=tuple(row.get("receipts", ())),
    )


def hostile_run(text: str) -> RunResult:
    """A run in which a text stands wherever a run can put one."""
    finding = {"rule": text, "severity": "error", "message": text, "quote": text, "receipts": [text, "r1"]}
    known = {**finding, "rule": "claim_failed", "severity": "warning"}
    about_all = {"rule": "unreported_call", "severity": "note", "message": text}
    reply = {"reply": f"{text} and {text}", "verdict": "fabricated", "findings": [finding, known, about_all]}
    return run_of(
        {"file": text, "line": 7, "pointer": text, "run": text, "left_out": text, "calls": 1, "replies": [reply]}
    )


def written(renderer: CollectingRenderer, runs: Sequence[RunResult], skipped: Sequence[Skipped] = ()) -> str:
    """A report over runs, and over as many files."""
    totals = Totals(files=len(runs) + len(skipped), skipped=len(skipped))
    collector = renderer.collector()
    parts = [collector.head()]
    for run in runs:
        totals.count(run)
        parts.append(collector.take(renderer.piece(run)))
    return "".join([*parts, collector.foot(totals, skipped)])
