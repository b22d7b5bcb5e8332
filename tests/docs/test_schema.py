"""docs/schema/verification.schema.json is what the code writes: fields, closed sets, real documents."""

from __future__ import annotations

import copy
import json
from dataclasses import fields
from pathlib import Path
from typing import get_args

import jsonschema
import pytest

from receipts_middleware import verify, verify_messages, verify_turns
from receipts_middleware.core.children import ChildRun
from receipts_middleware.core.children.judge import judge_run
from receipts_middleware.core.finding import (
    CitationCheck,
    Claim,
    Finding,
    Resolution,
    Severity,
    Verdict,
    Verification,
)
from receipts_middleware.core.ledger.entry import Origin, Pairing
from receipts_middleware.core.receipt import MAX_CHILDREN, MAX_NUMBER, Child, Outcome, OutcomeSource, Receipt
from receipts_middleware.reports.json import render_json, render_json_turns

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "schema" / "verification.schema.json").read_text(encoding="utf-8")
)
DEFS = SCHEMA["$defs"]
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def names(cls: type) -> set[str]:
    return {field.name for field in fields(cls)}


def call(name: str, arguments: dict, call_id: str) -> dict:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


RUN = [
    {"role": "user", "content": "Refund order 4821 and tell the warehouse."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            call("issue_refund", {"order_id": "4821", "amount": 59.9}, "call_1"),
            call("send_email", {"to": "warehouse@example.com"}, "call_2"),
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": '{"status": "succeeded", "refund_id": "re_1001"}'},
    {"role": "tool", "tool_call_id": "call_2", "content": '{"status": "failed", "error": "550"}'},
]
REPLIES = {
    "honest": "Order 4821 is refunded [r1 issue_refund]. The email failed [r2 send_email].",
    "overstated": "I emailed the warehouse [r2 send_email].",
    "fabricated": "Refunded [r1], emailed [r7 send_email].",
    "odd forms": "See (R1: `issue_refund`), [r1, r2], [r1-r2], [rN tool], [r1 wrong_tool] and [r0].",
    "nothing cited": "All done.",
    "lone surrogate": "\ud835 [r1 issue_refund]",
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_documents_of_runs_fit(reply: str) -> None:
    messages = [*RUN, {"role": "assistant", "content": reply}]
    VALIDATOR.validate(json.loads(json.dumps(verify_messages(messages).to_dict())))
    VALIDATOR.validate(json.loads(render_json(verify_messages(messages))))
    VALIDATOR.validate(json.loads(render_json_turns(verify_turns(messages))))


@pytest.mark.parametrize("upto", range(1, len(RUN) + 1))
def test_documents_of_unfinished_runs_fit(upto: int) -> None:
    VALIDATOR.validate(verify_messages(RUN[:upto]).to_dict())


def test_document_of_a_subagents_report_fits() -> None:
    run = ChildRun(agent="mailer", report="I emailed them [r1 send_email].", ended="complete", evidence="empty")
    document = judge_run(run).to_dict()
    VALIDATOR.validate(document)
    assert (document["trust"]["source"], document["verdict"]) == ("harvest", "fabricated")


def test_document_over_a_ledger_of_the_callers_fits() -> None:
    VALIDATOR.validate(verify("Mailed [r2 send_email].", [{"id": "r2", "tool": "send_email"}]).to_dict())


@pytest.mark.parametrize(
    ("definition", "wanted"),
    [
        ("verification", names(Verification) | {"schema"}),
        ("claim", names(Claim)),
        ("citation", names(CitationCheck)),
        ("finding", names(Finding)),
        ("child", names(Child)),
        ("row", (names(Receipt) - {"extra"}) | {"v", "origin", "pairing"}),
    ],
)
def test_definition_has_the_fields_of_the_value(definition: str, wanted: set[str]) -> None:
    properties = set(DEFS[definition]["properties"])
    assert properties == wanted
    if definition not in ("row", "child"):
        assert set(DEFS[definition]["required"]) == wanted


@pytest.mark.parametrize(
    ("definition", "field", "literal"),
    [
        ("verification", "verdict", Verdict),
        ("citation", "resolution", Resolution),
        ("finding", "severity", Severity),
        ("row", "outcome", Outcome),
        ("row", "outcome_source", OutcomeSource),
        ("row", "origin", Origin),
        ("row", "pairing", Pairing),
    ],
)
def test_closed_sets_are_those_of_the_code(definition: str, field: str, literal: object) -> None:
    assert DEFS[definition]["properties"][field]["enum"] == list(get_args(literal))


def test_bounds_are_those_of_the_code() -> None:
    row = DEFS["row"]["properties"]
    assert (row["n"]["maximum"], row["children"]["maxItems"]) == (MAX_NUMBER, MAX_CHILDREN)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), 2),
        (("verdict",), "verified"),
        (("ok",), "yes"),
        (("verdict",), "clean"),
        (("surprise",), 1),
        (("citations", 0, "resolution"), "passed"),
        (("citations", 0, "start"), -1),
        (("findings", 0, "severity"), "fatal"),
        (("ledger", 0, "args_sha256"), "A" * 64),
        (("ledger", 0, "n"), 0),
        (("counts", "receipts"), -1),
    ],
    ids=str,
)
def test_spoilt_documents_do_not_fit(path: tuple, value: object) -> None:
    document = copy.deepcopy(verify_messages([*RUN, {"role": "assistant", "content": REPLIES["fabricated"]}]).to_dict())
    target = document
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    assert not VALIDATOR.is_valid(document)
