"""Importing the package loads nothing but itself; every public name is there when it is asked for, and typed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import receipts_middleware

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path(receipts_middleware.__file__)
#: Names that are no part of the star import.
APART = {"ReceiptsMiddleware"}
FRAMEWORKS = ("langchain", "langchain_core", "langgraph", "langsmith", "deepagents", "pydantic", "rich", "click")
#: What costs time to load and is not needed to import the package.
COSTLY = (
    "typing dataclasses re json enum inspect functools collections.abc asyncio decimal datetime tomllib pathlib "
    "markdown_it receipts_middleware.core receipts_middleware.readers receipts_middleware.verification "
    "receipts_middleware.policy receipts_middleware.langchain"
).split()

#: What the judge may load of others: modules that everything loads, and those without which no value can be read. A
#: module that is not here costs every user time at each start; import it where it is used.
MAY_LOAD = frozenset(
    """binascii bisect collections contextlib copyreg datetime enum functools gc heapq importlib
    itertools json keyword math operator re reprlib struct types typing unicodedata warnings""".split()
)
#: What of ours is loaded by those alone who have a use for it: keys, citations, a sink, a policy in a file.
ON_DEMAND = (
    "receipts_middleware.core.attest receipts_middleware.core.bearing receipts_middleware.core.binding.misquotes "
    "receipts_middleware.core.executed receipts_middleware.core.seal "
    "receipts_middleware.core.canonical.rare receipts_middleware.core.rows receipts_middleware.policy "
    "receipts_middleware.reports receipts_middleware.signing receipts_middleware.store"
).split()
#: A judgement of a run as most are: a call, its result, and a reply in plain words.
JUDGED = """
from receipts_middleware import verify_messages
call = {"id": "a", "type": "function", "function": {"name": "issue_refund", "arguments": '{"order": "4821"}'}}
verification = verify_messages(
    [
        {"role": "user", "content": "Refund order 4821."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": '{"status": "succeeded"}'},
        {"role": "assistant", "content": "I refunded order 4821 ($64) on 3 May and sent Dana 2 mails."},
    ],
    tools=["issue_refund", "send_email"],
)
assert verification.claims
"""


def loaded_by(statement: str) -> set[str]:
    """Modules that a statement loads in an interpreter with no site packages but ours, beside those of its start."""
    code = (
        f"import sys\nsys.path.insert(0, {str(SOURCE.parents[1])!r})\nheld = set(sys.modules)\n{statement}\n"
        "print(' '.join(sorted(set(sys.modules) - held)))\n"
    )
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_import_loads_the_package_alone() -> None:
    loaded = loaded_by("import receipts_middleware")
    assert loaded - {"__future__"} == {"receipts_middleware"}
    assert loaded.isdisjoint(COSTLY)


def test_everything_public_loads_no_framework() -> None:
    loaded = loaded_by("from receipts_middleware import *")
    assert "receipts_middleware.core.verify" in loaded
    assert [name for name in loaded if name.split(".")[0] in FRAMEWORKS] == []


@pytest.mark.parametrize(
    ("name", "unwanted"),
    [
        ("UsageError", "receipts_middleware.core.ledger"),
        ("parse_citations", "receipts_middleware.core.verify"),
        ("Policy", "receipts_middleware.core.verify"),
        ("read_transcript", "receipts_middleware.core.verify"),
        ("verify_messages", "tomllib"),
        ("verify_messages", "markdown_it"),
    ],
)
def test_a_name_loads_no_more_than_it_needs(name: str, unwanted: str) -> None:
    loaded = loaded_by(f"from receipts_middleware import {name}")
    assert "receipts_middleware" in loaded
    assert unwanted not in loaded


@pytest.mark.parametrize(
    "statement", ["from receipts_middleware import verify_messages", JUDGED], ids=["import", "use"]
)
def test_the_judge_loads_little_of_others_and_of_ours_what_the_run_needs(statement: str) -> None:
    loaded = loaded_by(statement)
    assert "receipts_middleware.core.verify" in loaded
    others = {name.split(".")[0] for name in loaded if not name.startswith(("_", "receipts_middleware"))}
    assert others <= MAY_LOAD
    assert loaded.isdisjoint(ON_DEMAND)


@pytest.mark.parametrize("name", ON_DEMAND)
def test_what_is_loaded_on_demand_is_there(name: str) -> None:
    assert name in loaded_by(f"import {name}")


@pytest.mark.parametrize("name", sorted({*receipts_middleware.__all__, *APART}))
def test_every_public_name_can_be_imported(name: str) -> None:
    space: dict[str, object] = {}
    exec(f"from receipts_middleware import {name}", space)
    assert space[name] is getattr(receipts_middleware, name)
    assert name in dir(receipts_middleware) or name in APART


def test_names_are_the_objects_of_their_modules() -> None:
    from receipts_middleware.core.citation import parse_citations
    from receipts_middleware.verification import verify, verify_messages

    assert receipts_middleware.parse_citations is parse_citations
    assert receipts_middleware.verify is verify
    assert receipts_middleware.verify_messages is verify_messages


def test_what_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError, match="verify_everything"):
        _ = receipts_middleware.verify_everything
    with pytest.raises(ImportError):
        exec("from receipts_middleware import verify_everything", {})


def test_type_checkers_see_the_same_names_from_the_same_modules() -> None:
    """The block that only they read says what `__getattr__` does, and `__all__` lists it."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    typed = {
        alias.asname or alias.name: str(node.module).removeprefix("receipts_middleware.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == receipts_middleware._PLACES
    assert set(receipts_middleware.__all__) == {*typed, "__version__"} - APART


def test_a_type_checker_knows_what_is_behind_a_name(tmp_path: Path) -> None:
    user = tmp_path / "user.py"
    user.write_text(
        "from receipts_middleware import Policy, UsageError, verify_messages\n"
        "reveal_type(verify_messages([]).ok)\nreveal_type(Policy().language)\nreveal_type(UsageError)\n"
        "from receipts_middleware import nothing_of_the_kind\n",
        encoding="utf-8",
    )
    api = pytest.importorskip("mypy.api")
    out, _, _ = api.run(
        [str(user), "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary"]
    )
    shown = out.replace("builtins.", "")
    assert 'Revealed type is "bool"' in shown
    assert 'Revealed type is "str | None"' in shown.replace("Union[str, None]", "str | None")
    assert "receipts_middleware.core.errors.UsageError" in shown
    assert "nothing_of_the_kind" in shown
