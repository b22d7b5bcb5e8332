"""Links of README.md and docs/ lead somewhere, and what the README promises to start with is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))]


def links_of(text: str) -> list[str]:
    """Targets of the links and images of a page; code holds none."""
    return [
        str(child.attrs.get("href") or child.attrs.get("src"))
        for token in MarkdownIt("commonmark").enable("table").parse(text)
        for child in token.children or ()
        if child.type in ("link_open", "image")
    ]


def anchors_of(text: str) -> set[str]:
    """Anchors of the headings of a page, as code hosts make them: lower case, hyphens for blanks."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "heading_open"]
    plain = ("".join(child.content for child in heading.children or ()) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def broken_links(page: str, text: str, root: Path = ROOT) -> list[str]:
    """Relative links of a page whose file or heading does not exist, or which leave the project."""
    broken = []
    for link in links_of(text):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (root / page).parent / path if path else root / page
        there = target.exists() and target.resolve().is_relative_to(root.resolve())
        if not there or (anchor and anchor not in anchors_of(target.read_text(encoding="utf-8"))):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    assert broken_links(page, (ROOT / page).read_text(encoding="utf-8")) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "b.md").write_text("# One `two` three, four\n\n    # no heading\n", encoding="utf-8")
    good = "# Here\n\n[a](b.md) [b](b.md#one-two-three-four) [c](#here) [d](https://example.com/x) `[e](no.md)`"
    bad = "[a](no.md) [b](b.md#no-heading) [c](#there) [d](../../x.md)"
    (tmp_path / "docs" / "a.md").write_text(good, encoding="utf-8")
    assert broken_links("docs/a.md", good, tmp_path) == []
    assert broken_links("docs/a.md", bad, tmp_path) == ["no.md", "b.md#no-heading", "#there", "../../x.md"]


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_every_page_can_be_reached_from_the_readme(page: str) -> None:
    seen, ahead = set(), ["README.md"]
    while ahead:
        current = ahead.pop()
        if current in seen or not current.endswith(".md"):
            continue
        seen.add(current)
        for link in links_of((ROOT / current).read_text(encoding="utf-8")):
            target = ((ROOT / current).parent / link.partition("#")[0]).resolve()
            if ":" not in link and target.is_file() and target.is_relative_to(ROOT):
                ahead.append(target.relative_to(ROOT).as_posix())
    assert page in seen


def test_readme_starts_with_the_run_and_the_tests() -> None:
    tokens = MarkdownIt("commonmark").parse((ROOT / "README.md").read_text(encoding="utf-8"))
    fences = [token for token in tokens if token.type == "fence"]
    assert [fence.info for fence in fences[:2]] == ["sh", "sh"]
    run, tests = fences[0].content, fences[1].content
    assert "-m venv" in run
    assert "receipts demo" in run
    assert "-m venv" in tests
    assert "-m pytest" in tests


@pytest.mark.parametrize("schema", sorted((ROOT / "docs" / "schema").glob("*.json")), ids=lambda p: p.name)
def test_schema_is_one(schema: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    document = json.loads(schema.read_text(encoding="utf-8"))
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(document)
