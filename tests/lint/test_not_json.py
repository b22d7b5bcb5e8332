"""Arguments that were read though they are no JSON, where the format promises JSON."""

from __future__ import annotations

import pytest

from receipts_middleware import read_transcript
from receipts_middleware.lint import lint_transcript, parse_declared_tools

TOOLS = parse_declared_tools(
    [{"name": "send", "parameters": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}}],
    "",
)


def chat(arguments: object, *, wrapped: bool = True) -> list[dict]:
    call = {"name": "send", "arguments": arguments}
    item = {"id": "c1", "type": "function", "function": call} if wrapped else {"id": "c1", **call}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [item]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"role": "assistant", "content": "Done."},
    ]


def responses(arguments: object) -> list[dict]:
    return [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "call_id": "c1", "name": "send", "arguments": arguments},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ]


@pytest.mark.parametrize("make", [chat, responses])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("{'to': 'a'}", [("args_not_json", "warning")]),
        ("{'to': None}", [("args_type", "error"), ("args_not_json", "warning")]),
        ('"{\\"to\\": \\"a\\"}"', [("args_not_json", "warning")]),
        ('{"to": "a"}', []),
        ('{"to": "{\'a\': 1}"}', []),
    ],
)
def test_a_literal_of_python_is_told_of_and_still_held_against_the_schema(make, arguments, expected) -> None:
    report = lint_transcript(read_transcript(make(arguments)), TOOLS)
    assert [(f.rule, f.severity) for f in report.findings] == expected
    assert report.counts.checked == 1


@pytest.mark.parametrize("messages", [chat("{'to': 'a'}", wrapped=False), chat({"to": "a"})])
def test_formats_that_promise_no_json_are_left_alone(messages) -> None:
    assert lint_transcript(read_transcript(messages), TOOLS).findings == []
