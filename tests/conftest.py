"""Shared by all tests: the one fixture loader and the fixtures that several folders use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"


def load_rows(relative: str) -> list[dict]:
    """Rows of `fixtures/<relative>` (a JSON array or JSON lines); each must have an `id` and an `origin`."""
    text = (FIXTURES / relative).read_text(encoding="utf-8")
    rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(x) for x in text.splitlines() if x]
    for row in rows:
        assert row.get("id"), f"{relative}: a row without id"
        assert row.get("origin"), f"{relative}: row {row['id']} without origin"
    assert len({row["id"] for row in rows}) == len(rows), f"{relative}: ids repeat"
    return rows


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test marked `@pytest.mark.rows("area/file.json")` with an argument `row` runs once for each row."""
    marker = metafunc.definition.get_closest_marker("rows")
    if marker is None:
        return
    params = []
    for relative in marker.args:
        for row in load_rows(relative):
            marks = [pytest.mark.xfail(strict=True, reason=row["known_failure"])] if row.get("known_failure") else []
            params.append(pytest.param(row, id=row["id"], marks=marks))
    metafunc.parametrize("row", params)


@pytest.fixture
def fixture_rows():
    """Loader for tests that want several rows at once."""
    return load_rows


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Names of tests must be equal in every process, or the suite cannot run on several of them."""
    odd = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if odd:
        raise pytest.UsageError(f"give the parameters ids that hold no address: {odd[0][:200]}")
