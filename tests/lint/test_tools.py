"""Declarations of tools in every shape."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.tools import tool
from pydantic import BaseModel

from receipts_middleware.lint.schemas import MAX_DEPTH, MAX_NODES
from receipts_middleware.lint.tools import MAX_TOOLS, DeclaredTool, parse_declared_tools


@pytest.mark.rows("lint/tools.json")
def test_declarations_are_read_in_every_shape(row: dict) -> None:
    found = parse_declared_tools(row["document"], "here")
    expected = [
        DeclaredTool(
            name=e["name"],
            schema=e["schema"],
            description=e.get("description", ""),
            strict=e.get("strict", False),
            origin="here",
            problem=e.get("problem"),
        )
        for e in row["expect"]
    ]
    assert found == expected


def test_all_shapes_in_one_list() -> None:
    tools = [
        {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}},
        {"type": "function", "name": "b", "parameters": {"type": "object"}, "strict": True},
        {"name": "c", "input_schema": {"type": "object"}},
        {"functionDeclarations": [{"name": "d", "parametersJsonSchema": {"type": "object"}}]},
        {"name": "e", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 5},
    ]
    found = parse_declared_tools(tools, "")
    assert [t.name for t in found if t.schema is not None] == ["a", "b", "c", "d", "e"]
    assert [t.name for t in found if t.schema is None] == ["web_search"]
    assert all(t.problem is None for t in found)


def test_langchain_tools_are_asked_for_the_schema_that_the_model_sees() -> None:
    @tool
    def refund(order: int, amount: float = 1.0) -> str:
        """Refund an order."""
        return ""

    (found,) = parse_declared_tools([refund], "")
    assert (found.name, found.description) == ("refund", "Refund an order.")
    assert found.schema is not None
    assert set(found.schema["properties"]) == {"order", "amount"}  # type: ignore[call-overload]
    assert found.schema["required"] == ["order"]


def test_a_pydantic_class_is_a_tool() -> None:
    class Refund(BaseModel):
        """Refund an order."""

        order: int

    (found,) = parse_declared_tools([Refund], "")
    assert (found.name, found.description, found.problem) == ("Refund", "Refund an order.", None)


class _Raises:
    name = "bad"
    description = "x"

    @property
    def tool_call_schema(self) -> object:
        raise RuntimeError("no")

    class args_schema:
        @staticmethod
        def model_json_schema() -> object:
            raise TypeError("cannot say")


def test_an_object_that_raises_is_told_of_and_the_others_are_read() -> None:
    found = parse_declared_tools([_Raises(), {"name": "good", "input_schema": {}}], "")
    assert [(t.name, t.problem is None) for t in found] == [("bad", False), ("good", True)]


def _nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "object"}
    for _ in range(depth):
        value = {"type": "object", "properties": {"a": value}}
    return value


def _cycle() -> dict[str, Any]:
    value: dict[str, Any] = {"type": "object"}
    value["properties"] = {"a": value}
    return value


def _shared(levels: int) -> dict[str, Any]:
    """Few objects, but as many values as there are ways to them."""
    value: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        value = {"properties": dict.fromkeys("abcdefgh", value)}
    return value


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (_nested(10_000), "nested deeper"),
        (_cycle(), "nested deeper"),
        (_shared(20), "more than"),
        ({"enum": list(range(MAX_NODES + 1))}, "more than"),
        ({1: 2}, "no strings"),
    ],
    ids=["deep", "cycle", "shared", "wide", "keys"],
)
def test_too_much_of_a_schema_is_a_problem_of_this_tool_alone(schema: dict, said: str) -> None:
    bad, good = parse_declared_tools([{"name": "a", "parameters": schema}, {"name": "b", "parameters": {}}], "")
    assert said in (bad.problem or "")
    assert bad.schema is None
    assert (good.schema, good.problem) == ({}, None)


def test_what_is_just_not_too_deep_is_used() -> None:
    found = parse_declared_tools([{"name": "a", "parameters": _nested(MAX_DEPTH // 2 - 1)}], "")
    assert found[0].problem is None


def test_more_tools_than_are_read_are_told_of() -> None:
    found = parse_declared_tools([f"t{n}" for n in range(MAX_TOOLS + 5)], "")
    assert len(found) == MAX_TOOLS
    assert "more than" in (found[-1].problem or "")


def test_lists_in_lists_end() -> None:
    value: list[Any] = []
    value.append(value)
    assert parse_declared_tools(value, "") == []


@pytest.mark.parametrize("odd", [["object"], {"object": 1}, {"a"}, bytearray(b"object")], ids=str)
def test_a_type_that_no_schema_has_is_read_without_a_fault(odd: object) -> None:
    assert parse_declared_tools([{"type": odd}, {"name": "send", "parameters": {"type": odd}}], "x")[-1].name == "send"
    assert parse_declared_tools({"send": {"type": odd}}, "x") == []
