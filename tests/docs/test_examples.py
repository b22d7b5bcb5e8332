"""Every example of README.md and docs/ runs as written.

The convention, also in docs/contributing.md:

- A page is one test: its blocks run in order, in one temporary folder, and its `python` blocks share one
  namespace.
- `python` blocks are executed. One that stands under `<!-- no-run: reason -->` is only compiled.
- `sh` blocks made only of `receipts ...` lines are executed line by line; a line that ends in `# exit N` must
  exit with N, every other with 0. Other `sh` blocks are not run here (the two of README.md: by `.ci/run`).
- `json` and `toml` blocks must parse.
- A `text` block under `<!-- output -->` is what the block before it printed, ends of lines and of the block
  stripped. A line that is only `...` stands for any number of lines.
- Any other HTML comment that begins with `no-run` or `output` is a mistake, and so is one without its block.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))]

_DIRECTIVE = re.compile(r"<!--\s*(no-run|output)\b(.*?)-->", re.DOTALL)
_EXIT = re.compile(r"#\s*exit\s+(\d+)\s*$")
#: Longer runs of one command line are a hang, not an example.
COMMAND_SECONDS = 120


class PageError(AssertionError):
    """A page breaks the convention, or says what is not so."""


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block.

    Attributes:
        language: First word of the info string.
        source: Its text.
        line: Line of the page on which the text begins, from 1.
        directive: `no-run`, `output` or empty.
    """

    language: str
    source: str
    line: int
    directive: str


def read_blocks(text: str, page: str = "page") -> list[Block]:
    """Fenced blocks of a page, in order, each with the directive that stands directly above it."""
    blocks: list[Block] = []
    directive, directive_line = "", 0
    for token in MarkdownIt("commonmark").parse(text):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "html_block" and (found := _DIRECTIVE.match(token.content)):
            if directive:
                raise PageError(f"{page}:{directive_line}: no block under <!-- {directive} -->")
            directive, directive_line = _directive(found, f"{page}:{line}"), line
        elif token.type == "fence":
            blocks.append(Block((token.info.split() or [""])[0], token.content, line + 1, directive))
            directive = ""
        elif directive:
            raise PageError(f"{page}:{directive_line}: no block directly under <!-- {directive} -->")
    if directive:
        raise PageError(f"{page}:{directive_line}: no block under <!-- {directive} -->")
    return blocks


def _directive(found: re.Match[str], where: str) -> str:
    name, rest = found[1], found[2].strip()
    if name == "no-run" and not rest.removeprefix(":").strip():
        raise PageError(f"{where}: no-run needs a reason")
    if name == "output" and rest:
        raise PageError(f"{where}: output takes nothing")
    return name


def run_page(text: str, page: str, folder: Path) -> int:
    """Run every block of a page.

    Returns:
        How many blocks were executed, parsed or compared.
    """
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    done = 0
    for block in read_blocks(text, page):
        where = f"{page}:{block.line}"
        if block.directive == "output":
            _compare(block, printed, where)
        elif block.language == "python":
            printed = _run_python(block, page, namespace)
        elif block.language == "sh" and _is_command_block(block):
            printed = _run_commands(block, where, folder)
        elif block.language in ("json", "toml"):
            _parse_data(block, where)
        else:
            continue
        done += 1
    return done


def _run_python(block: Block, page: str, namespace: dict[str, object]) -> str | None:
    padded = "\n" * (block.line - 1) + block.source  # so that a traceback names the line of the page
    try:
        code = compile(ast.parse(padded, page), page, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise PageError(f"{page}:{error.lineno}: {error.msg}") from error
    if block.directive == "no-run":
        return None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, namespace)
    return out.getvalue()


def _is_command_block(block: Block) -> bool:
    lines = list(_command_lines(block))
    return bool(lines) and all(line.startswith("receipts ") for line in lines)


def _command_lines(block: Block) -> Iterator[str]:
    for line in block.source.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()


def _run_commands(block: Block, where: str, folder: Path) -> str | None:
    if block.directive == "no-run":
        return None
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed = ""
    for line in _command_lines(block):
        run = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=folder,
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        found = _EXIT.search(line)
        wanted = int(found[1]) if found else 0
        if run.returncode != wanted:
            said = f"{run.stdout[-2000:]}{run.stderr[-2000:]}"
            raise PageError(f"{where}: `{line}` exits with {run.returncode}, not {wanted}\n{said}")
        printed += run.stdout
    return printed


def _parse_data(block: Block, where: str) -> None:
    try:
        json.loads(block.source) if block.language == "json" else tomllib.loads(block.source)
    except ValueError as error:
        raise PageError(f"{where}: not {block.language}: {error}") from error


def _compare(block: Block, printed: str | None, where: str) -> None:
    if printed is None:
        raise PageError(f"{where}: no executed block before this output")
    wanted, got = _stripped(block.source), _stripped(printed)
    lines = (r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in wanted.split("\n"))
    if re.fullmatch("".join(lines), got + "\n") is None:
        diff = difflib.unified_diff(wanted.split("\n"), got.split("\n"), "the page says", "was printed", lineterm="")
        raise PageError(f"{where}: not what was printed\n" + "\n".join(diff))


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).rstrip("\n")


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page((ROOT / page).read_text(encoding="utf-8"), page, tmp_path)


def test_pages_have_examples() -> None:
    counted = [len(read_blocks((ROOT / page).read_text(encoding="utf-8"), page)) for page in PAGES]
    assert sum(counted) > 30, "pages were not found, or their blocks were not read"


@pytest.mark.rows("docs/pages.json")
def test_convention(row: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\n".join(row["page"])
    if "fails" in row:
        with pytest.raises(Exception, match=row["fails"]):
            run_page(text, "page", tmp_path)
    else:
        assert run_page(text, "page", tmp_path) == row["done"]


def test_traceback_names_the_line_of_the_page(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_page("# A page\n\n```python\nx = 1\nx / 0\n```\n", "page", tmp_path)
    assert (caught.traceback[-1].path, caught.traceback[-1].lineno + 1) == ("page", 5)
