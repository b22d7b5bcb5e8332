"""What a receipt notes of a malformed call: written bounded, read back from whatever stands there."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware import verify
from receipts_middleware.core.lint import LINT_RULES, make_lint_finding
from receipts_middleware.core.noted import MAX_NOTED, NOTED_RULES, Noted, note, read_noted

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["rule", "severity", "path"]), inner),
)
ROWS = st.lists(
    st.fixed_dictionaries({}, optional={"rule": st.sampled_from(NOTED_RULES) | JSON, "severity": JSON, "path": JSON})
)


def test_what_is_noted_reads_back() -> None:
    found = [make_lint_finding("args_type", "", path="/a"), make_lint_finding("args_null", "")]
    keys = json.loads(json.dumps(note(found)))
    assert read_noted(keys) == ((Noted("args_type", "error", "/a"), Noted("args_null", "note")), 0)


def test_nothing_is_noted_of_a_call_that_fits_or_of_what_is_no_fault_of_a_call() -> None:
    assert note([]) == {}
    assert note([make_lint_finding("tool_schema_unusable", "")]) == {}


def test_notes_are_bounded_and_say_how_many_there_are_more() -> None:
    keys = note([make_lint_finding("args_extra", "", path=f"/{'x' * 500}{i}") for i in range(40)])
    assert len(json.dumps(keys)) < 1_000
    found, more = read_noted(keys)
    assert (len(found), more) == (MAX_NOTED, 40 - MAX_NOTED)


def test_half_characters_do_not_get_into_state() -> None:
    json.dumps(note([make_lint_finding("args_extra", "", path="/\ud800")]), ensure_ascii=False).encode("utf-8")


@given(ROWS | JSON, JSON)
def test_whatever_stands_there_is_read_within_bounds(rows, more) -> None:
    found, beyond = read_noted({"lint": rows, "lint_more": more})
    assert len(found) <= MAX_NOTED
    assert all(item.rule in LINT_RULES and len(item.path) <= 60 for item in found)
    assert type(beyond) is int


def test_a_forged_note_accuses_nobody_of_an_untrue_report() -> None:
    row = {"id": "r1", "tool": "write_file", "outcome": "success"}
    plain = verify("Wrote it [r1 write_file].", [row])
    assert plain.ok
    assert plain.verdict == "clean"
