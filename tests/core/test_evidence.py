"""What a result says about how its call ended."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.evidence import Evidence, read_evidence, status_class
from receipts_middleware.core.evidence.literals import parse_value
from receipts_middleware.core.evidence.object_id import clean_id
from receipts_middleware.core.receipt import MAX_TEXT, OUTCOME_SOURCES, OUTCOMES


def _read(row: dict) -> Evidence:
    return read_evidence(
        content=row.get("content", row["text"]),
        text=row["text"],
        error=row.get("error"),
        exit_code=row.get("exit_code"),
        origin=row.get("layer"),
        kind=row["kind"],
        tool=row.get("tool", ""),
    )


@pytest.mark.rows("evidence/outcomes.json")
def test_outcome(row: dict) -> None:
    seen = _read(row)
    expect = dict(row["expect"])
    if "exit_code_out" in expect:
        expect["exit_code"] = expect.pop("exit_code_out")
    assert {name: getattr(seen, name) for name in expect} == expect, seen


@pytest.mark.rows("evidence/outcomes.json")
def test_every_field_fits_a_receipt_and_is_one_clean_line(row: dict) -> None:
    seen = _read(row)
    for value in (seen.object_id, seen.status_word, seen.error_type, seen.reason):
        assert value is None or (len(value) <= MAX_TEXT and (value.isprintable() or not value))


@pytest.mark.rows("evidence/outcomes.json")
def test_a_failure_gives_its_reason(row: dict) -> None:
    seen = _read(row)
    assert bool(seen.reason) == (seen.outcome != "success")


@pytest.mark.rows("evidence/outcomes.json")
def test_what_a_reading_tool_returned_decides_nothing(row: dict) -> None:
    quiet = {key: row[key] for key in ("text", "content", "tool") if key in row}
    assert _read({**quiet, "kind": "reading"}).outcome == "success"
    assert _read({**quiet, "kind": "unknown"}).outcome == "success"


@pytest.mark.rows("evidence/literals.json")
def test_literals(row: dict) -> None:
    parsed = parse_value(row["text"])
    if row.get("none"):
        assert parsed is None
    else:
        assert parsed is not None
        assert parsed.value == row["value"]


def test_a_text_beyond_the_limit_is_not_parsed() -> None:
    assert parse_value("[1]", limit=2) is None
    assert parse_value("[1]", limit=3) is not None


@pytest.mark.parametrize(
    ("word", "tool", "said"),
    [
        ("failed", "", "failed"),
        ("queued", "", "accepted"),
        ("delivered", "", "verified"),
        ("succeeded", "", "done"),
        ("purple", "", ""),
        ("", "", ""),
        ("x" * 500, "", ""),
        ("declined", "issue_refund", "failed"),
        ("declined", "decline_invite", "done"),
        ("cancelled", "cancel_order", "done"),
        ("canceled", "cancel_order", "done"),
        ("undelivered", "", "failed"),
        ("not delivered", "", "failed"),
        ("not failed", "", ""),
        ("partially failed", "", "failed"),
        ("Submitted - awaiting review", "", "accepted"),
        ("submitted", "submit_eta", "done"),
    ],
)
def test_status_words(word: str, tool: str, said: str) -> None:
    assert status_class(word, tool) == said


def test_ids_are_clean_or_none() -> None:
    assert clean_id(" re_1 ") == "re_1"
    assert clean_id(7) == "7"
    for value in (True, 1.5, None, "", " ", "x" * 129, "a\tb", "a\u200bb", ["id"], 10**30):
        assert clean_id(value) is None


_TEXTS = st.text(max_size=200) | st.sampled_from(
    ["Error: ", "exit code: ", "HTTP 503", "{'a': ", '{"error": ', "# var_1 = ", "```", "[exit 1]", "Traceback"]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "errors", "status", "state", "code", "id", "data", "ok", "items", "failed", "message"]
            )
            | st.text(max_size=6),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@given(
    text=st.lists(_TEXTS, max_size=6).map("".join),
    content=_JSON,
    error=st.sampled_from([None, True, False]),
    exit_code=st.none() | st.integers(-300, 300),
    origin=st.none() | st.sampled_from(["human_rejected", "repaired", "answer", "else"]),
    kind=st.sampled_from(["acting", "reading", "shell", "unknown"]),
    tool=st.text(max_size=30),
)
def test_no_result_raises(text, content, error, exit_code, origin, kind, tool) -> None:  # noqa: PLR0917
    for held in (text, content):
        seen = read_evidence(
            content=held, text=text, error=error, exit_code=exit_code, origin=origin, kind=kind, tool=tool
        )
        assert seen.outcome in OUTCOMES
        assert seen.outcome_source in OUTCOME_SOURCES


@given(_JSON)
def test_every_body_reads_the_same_as_json_and_as_a_literal(value: object) -> None:
    import json

    try:
        spelled = json.dumps(value, allow_nan=False)
    except ValueError:
        return
    first, second = parse_value(spelled), parse_value(repr(json.loads(spelled)))
    assert first is not None
    assert second is not None
    assert first.value == second.value


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 300_000,
        "/a" * 150_000,
        "a: " * 100_000,
        "```" + "`` ` " * 60_000,
        "# " + "v" * 300_000,
        " ! [" * 80_000,
        "error " * 60_000,
        "'" + "\\'" * 30_000,
        "Error executing" + " " * 300_000,
        "(" * 65_000,
        "sh: " + "x" * 300_000,
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("kind", ["acting", "shell"])
def test_hostile_texts_end(text: str, kind: str) -> None:
    seen = read_evidence(content=text, text=text, error=None, exit_code=None, origin=None, kind=kind)
    assert seen.outcome in OUTCOMES
