"""The toolreceipt half of its migration page, run where toolreceipt is installed; the page's own test runs our half."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "migrate-toolreceipt.md"
BLOCK = re.compile(r"```(python|text)\n(.*?)```", re.DOTALL)


def test_the_example_there_prints_what_the_page_says() -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    at = next(n for n, (kind, text) in enumerate(blocks) if kind == "python" and "from toolreceipt" in text)
    assert (blocks[at - 1][0], blocks[at + 1][0]) == ("python", "text"), "the run before it, the output behind it"
    if find_spec("toolreceipt") is None:
        pytest.skip("toolreceipt is a yardstick and no dependency: pip install toolreceipt==0.3.1")
    printed = StringIO()
    with redirect_stdout(printed):
        exec(blocks[at - 1][1] + blocks[at][1], {})
    assert printed.getvalue() == blocks[at + 1][1]
