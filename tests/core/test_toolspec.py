"""Tool specifications: the kind of a tool, every provider's shape, and finding one again."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool, tool

from receipts_middleware.core.toolspec import (
    ToolSpec,
    find_spec,
    kind_of,
    kind_of_call,
    name_tokens,
    read_tools,
)


@pytest.mark.rows("toolspec/kinds.json", "toolspec/probe_tools.json")
def test_kind(row: dict) -> None:
    assert kind_of(row["name"], row["description"], row.get("annotations")) == row["kind"]


def test_few_tools_of_the_probes_are_unknown(fixture_rows) -> None:
    rows = fixture_rows("toolspec/probe_tools.json")
    unknown = [row["name"] for row in rows if row["kind"] == "unknown"]
    assert len(unknown) / len(rows) < 0.03


@pytest.mark.rows("toolspec/calls.json")
def test_kind_of_a_call(row: dict) -> None:
    spec = read_tools([{"name": row["name"], "description": row["description"]}])[0]
    assert kind_of_call(spec, row["args"]) == row["kind"]


@pytest.mark.rows("toolspec/shapes.json")
def test_shapes(row: dict) -> None:
    specs = read_tools(row["tools"])
    assert [spec.name for spec in specs] == row["names"]
    assert [spec.name for spec in specs if spec.parameters is not None] == row.get("parameters", [])
    if "kinds" in row:
        assert [spec.kind for spec in specs] == row["kinds"]


@pytest.mark.rows("toolspec/lookup.json")
def test_lookup(row: dict) -> None:
    found = find_spec(read_tools(row["tools"]), row["name"])
    assert (found.name if found else None) == row["found"]


def test_pairs_are_names_with_descriptions() -> None:
    specs = read_tools([("issue_refund", "Refund an order"), ("get_order", "")])
    assert [(s.name, s.description, s.kind) for s in specs] == [
        ("issue_refund", "Refund an order", "acting"),
        ("get_order", "", "reading"),
    ]


def test_a_given_kind_is_kept_and_an_unknown_one_is_worked_out() -> None:
    specs = read_tools([ToolSpec("get_order", kind="acting"), ToolSpec("send_email")])
    assert [s.kind for s in specs] == ["acting", "acting"]


def test_langchain_tools_are_read_by_attribute() -> None:
    @tool
    def send_note(text: str) -> str:
        """Send a note."""
        return text

    mcp_like = StructuredTool(
        name="sweep",
        description="",
        args_schema={"type": "object", "properties": {}},
        func=lambda: None,
        metadata={"readOnlyHint": True},
    )
    specs = read_tools([send_note, mcp_like])
    assert [(s.name, s.kind, s.parameters is not None) for s in specs] == [
        ("send_note", "acting", False),
        ("sweep", "reading", True),
    ]


def test_functions_classes_and_client_objects_are_read() -> None:
    def cancel_order(order_id: str) -> None:
        """Cancel an order."""

    @dataclass
    class Named:
        name: str
        description: str

    nested = SimpleNamespace(type="function", function=SimpleNamespace(name="get_order", description="Read"))
    specs = read_tools([cancel_order, Named("a", "Send it"), nested])
    assert [(s.name, s.kind) for s in specs] == [("cancel_order", "acting"), ("a", "acting"), ("get_order", "reading")]


def test_a_tool_whose_properties_raise_is_skipped() -> None:
    class Hostile:
        @property
        def name(self) -> str:
            raise RuntimeError("no")

    assert [s.name for s in read_tools([Hostile(), "send_email"])] == ["send_email"]


def test_any_iterable_and_a_tool_alone_are_read() -> None:
    @tool
    def send_note(text: str) -> str:
        """Send a note."""
        return text

    assert [s.name for s in read_tools(name for name in ("a", "b"))] == ["a", "b"]
    assert [s.name for s in read_tools({"a": 1, "b": 2}.keys())] == ["a", "b"]
    assert [s.name for s in read_tools(send_note)] == ["send_note"]


def test_nothing_given_is_no_tools() -> None:
    assert read_tools(None) == ()
    assert read_tools([]) == ()


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("send_email", ("send", "email")),
        ("bookTable", ("book", "table")),
        ("mcp__github__create_pull_request", ("create", "pull", "request")),
        ("calendar.events.insert", ("calendar", "events", "insert")),
        ("transfer-funds", ("transfer", "funds")),
        ("sha256", ("sha256",)),
        ("getHTMLPage", ("get", "html", "page")),
        ("", ()),
    ],
)
def test_words_of_a_name(name: str, tokens: tuple[str, ...]) -> None:
    assert name_tokens(name) == tokens


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=8)
            | st.sampled_from(["name", "function", "tools", "functionDeclarations", "description", "type"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(_JSON)
def test_no_description_of_tools_raises(value: object) -> None:
    specs = read_tools([value])
    assert all(isinstance(spec.name, str) and spec.name for spec in specs)
    assert all(find_spec(specs, spec.name) == spec for spec in specs)


@given(st.text(max_size=300), st.text(max_size=600))
def test_the_kind_of_any_text_is_one_of_four(name: str, description: str) -> None:
    assert kind_of(name, description) in ("acting", "reading", "shell", "unknown")
