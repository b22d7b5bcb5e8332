"""The Say-Do pair: a reply and a log, in every form of a log, with and without a field mapping."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.errors import FormatError, UsageError
from receipts_middleware.core.grade import grade_ledger
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import last_turn, verify_transcript
from receipts_middleware.readers.log_mapping import parse_mapping
from receipts_middleware.readers.say_do import read_pair


def _pair(row: dict, reply: str | None = None) -> Transcript:
    return read_pair(reply or row["reply"], row["log"], row.get("mapping"), tools=row.get("tools"))


@pytest.mark.rows("readers/pairs.json")
def test_pair(row: dict) -> None:
    transcript = _pair(row)
    turn = last_turn(transcript)
    graded = grade_ledger(turn.ledger, turn.tools)
    calls = [call for message in transcript.messages for call in message.calls]
    found = [[call.tool, call.args, graded[n].grade] for n, call in enumerate(calls, 1)]
    assert found == row["calls"]
    assert [entry.pairing for entry in turn.ledger if entry.result is not None] == ["exact"] * sum(
        call.result is not None for call in calls
    )
    assert transcript.messages[-1].text == row["reply"]
    assert (transcript.meta or {}).get("skipped") == row.get("skipped")
    verification = verify_transcript(transcript)
    assert verification.ok is row["ok"]
    if "statuses" in row:
        assert [claim.status for claim in verification.claims] == row["statuses"]


@pytest.mark.rows("readers/pairs.json")
def test_the_other_reply_of_a_pair_is_judged_the_other_way(row: dict) -> None:
    if "honest" in row:
        assert verify_transcript(_pair(row, row["honest"])).ok
    if "lie" in row:
        verification = verify_transcript(_pair(row, row["lie"]))
        assert not verification.ok
        assert [claim.status for claim in verification.claims] == row["lie_statuses"]


@pytest.mark.rows("readers/pairs.json")
def test_a_log_reads_alike_as_text_bytes_and_records(row: dict) -> None:
    log = row["log"]
    if isinstance(log, str):
        assert read_pair("x", log.encode("utf-8")) == read_pair("x", log)
    else:
        text = json.dumps(log)
        mapping = row.get("mapping")
        assert read_pair("x", log, mapping) == read_pair("x", text, mapping) == read_pair("x", text.encode(), mapping)


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        ("name", "is no field mapping"),
        ("colour=$.x", "is no field of a log record"),
        ("name=$.a[", "is no path"),
        ("name=$" + ".a" * 40, "is no path"),
        ({"verb": "$.x"}, "is no field of a log record"),
        ("name=$.a[*].b", "is for records alone"),
        ({"name": 3}, "name: int is no path"),
        ({"name": ["$.a", None]}, "name: NoneType is no path"),
        ({"words": ["x"]}, "words is list"),
        ({"words": {"great": ["x"]}}, "is nothing that a word may mean"),
        ({"words": {"done": [None]}}, "give words or whole numbers"),
        ({"words": {"done": list(range(2_000))}}, "at most 1000"),
    ],
    ids="no-path unknown-field open-bracket long object each type list words meaning word many".split(),
)
def test_a_mapping_that_cannot_be_right_says_why(mapping: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_mapping(mapping)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "log", "says"),
    [
        ("", [], "the reply is empty"),
        ("x", [{"a": 1}], "/0: no record names what was done"),
        ("x", '{"steps": [1, 2]}', "/steps/0: no record"),
        ("x", 7, "the log is int"),
        ("x", b"\xff", "byte 0 of the log"),
        ("x", "just words", "line 1: the log is neither JSON nor a table"),
        ("x", "[" * 100_000, "nested too deeply"),
    ],
    ids=["reply", "fields", "items", "type", "bytes", "words", "deep"],
)
def test_a_log_that_cannot_be_read_says_where(reply: str, log: object, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        read_pair(reply, log)


_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("tool args status error grade http_status result id target log".split())
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
)


@settings(max_examples=150, deadline=None)
@given(log=_JUNK | st.text(max_size=60) | st.binary(max_size=20) | _JUNK.map(json.dumps), reply=st.text(max_size=10))
def test_no_log_raises_anything_else(log: object, reply: str) -> None:
    try:
        transcript = read_pair(reply, log)
    except FormatError:
        return
    last_turn(transcript)


def test_fields_of_a_mapping_outweigh_common_names() -> None:
    log = [{"tool": "wrong", "verb": "open_gate", "status": "failed", "end": "done"}]
    call = read_pair("x", log, "name=$.verb,status=$.end").messages[0].calls[0]
    assert call.tool == "open_gate"
    assert call.result is not None
    assert call.result.error is False


def _graded(row: dict, *, strict: bool = False) -> tuple[str, Transcript]:
    log = [{"tool": "send_email", "target": "dana@port.example", **row["record"]}]
    transcript = read_pair("I emailed dana@port.example.", log)
    turn = last_turn(transcript)
    return grade_ledger(turn.ledger, turn.tools, strict=strict)[1].grade, transcript


@pytest.mark.rows("readers/pair_grades.json")
def test_record_is_graded_and_the_claim_is_held_against_it(row: dict) -> None:
    grade, transcript = _graded(row)
    assert grade == row["grade"]
    (claim,) = verify_transcript(transcript).claims
    assert (claim.status, claim.grade) == (row["status"], row["grade"])
    assert (grade == row["said"]) is ("why" not in row), "a row says why it differs from a Say-Do check, or does not"


@pytest.mark.rows("readers/pair_grades.json")
def test_strictness_changes_no_grade_that_a_record_gives_itself(row: dict) -> None:
    assert _graded(row, strict=True)[0] == row.get("strict", row["grade"])


@pytest.mark.parametrize(("grade", "resolution"), [("F", "cites_failure"), ("S3", "resolved"), (None, "cites_failure")])
def test_grade_of_a_record_decides_over_citations_too(grade: str | None, resolution: str) -> None:
    log = [{"tool": "send_email", "target": "dana@port.example", "status": "failed", "grade": grade}]
    verification = verify_transcript(read_pair("I emailed dana@port.example [r1 send_email].", log))
    assert [citation.resolution for citation in verification.citations] == [resolution]


def test_grade_of_a_record_is_not_changed_by_a_later_reading() -> None:
    log = [
        {"tool": "send_email", "target": "dana@port.example", "id": "m-17", "grade": "S2"},
        {"tool": "get_email", "args": {"id": "m-17"}, "result": {"id": "m-17", "status": "delivered"}},
    ]
    turn = last_turn(read_pair("x", log))
    assert grade_ledger(turn.ledger, turn.tools)[1].grade == "S2"
    log[0].pop("grade")
    turn = last_turn(read_pair("x", log))
    assert grade_ledger(turn.ledger, turn.tools)[1].grade == "S4"


def test_what_a_graded_record_returned_is_still_read() -> None:
    log = [{"tool": "find_orders", "result": {"total": "18.50"}, "grade": "S3"}]
    assert verify_transcript(read_pair("The total is 18.50.", log)).claims[0].status == "supported"
    assert verify_transcript(read_pair("The total is 19.50.", log)).claims[0].status == "misquoted"


@pytest.mark.rows("readers/pair_mappings.json")
def test_log_of_another_program_reads_by_its_mapping(row: dict) -> None:
    def grades(log: object) -> list[str]:
        turn = last_turn(read_pair("x", log, row["mapping"]))
        return [graded.grade for graded in grade_ledger(turn.ledger, turn.tools).values()]

    assert grades(row["log"]) == row["grades"]
    text = row["log"] if isinstance(row["log"], str) else json.dumps(row["log"])
    assert grades(text.encode()) == row["grades"]
    for reply in row["honest"]:
        assert verify_transcript(read_pair(reply, row["log"], row["mapping"])).ok, reply
    for reply, statuses in row["lies"].items():
        verification = verify_transcript(read_pair(reply, row["log"], row["mapping"]))
        assert [claim.status for claim in verification.claims] == statuses, reply
        assert not verification.ok, reply


def test_log_without_its_mapping_says_what_to_do(fixture_rows) -> None:
    row = next(row for row in fixture_rows("readers/pair_mappings.json") if row["id"] == "make-operations")
    with pytest.raises(FormatError, match="no record names what was done; map it"):
        read_pair("x", row["log"], "records=$.executions")
    with pytest.raises(FormatError, match=r"/executions/1/operations/0: no record"):
        read_pair("x", {"executions": [{}, {"operations": [{}]}]}, row["mapping"])
