"""The house rules that a machine can hold, read off the syntax tree of every module.

Tables first: who may import whom, the order inside `core`, what pure code may not touch, which package may
use which third-party library, and how long things may be. To add a package, a core module or a library, add
its row here and say why in docs/decisions/. The checker itself is tested on `fixtures/layers/snippets.json`.

An import under `if TYPE_CHECKING:` names a type and loads nothing, so only the layer order and the table of
libraries hold for it; an import inside a function counts like any other.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "receipts_middleware"

#: Folders inside a package that count as packages of their own.
OWN_PACKAGES: dict[str, str] = {"langchain.demo": "demo"}

#: Who may import whom. `""` is the package's own `__init__`; a package is always allowed to import itself.
MAY_IMPORT: dict[str, frozenset[str]] = {
    "core": frozenset(),
    "readers": frozenset({"core"}),
    "reports": frozenset({"core"}),
    "signing": frozenset({"core"}),
    "policy": frozenset({"core"}),
    "llm": frozenset({"core"}),
    "guard": frozenset({"core"}),
    "store": frozenset({"core", "signing"}),
    "recorder": frozenset({"core", "guard", "policy", "readers", "signing", "store"}),
    "lint": frozenset({"core", "readers"}),
    "batch": frozenset({"core", "readers", "policy", "signing", "store"}),
    "langchain": frozenset(
        """
        core guard lint readers sanitizing signing policy llm store recorder verification
        """.split()
    ),
    "demo": frozenset({"core", "readers", "reports", "langchain", "verification"}),
    "cli": frozenset(
        """
        core readers reports signing policy llm store lint batch langchain demo verification audit attestation
        """.split()
    )
    | {""},
    "__main__": frozenset({"cli"}),
    "verification": frozenset({"core", "readers", "signing", "store"}),
    "testing": frozenset({"core", "readers", "reports"}),
    "pytest_plugin": frozenset({"core", "testing", "pytest_report"}),
    "pytest_report": frozenset({"core", "reports", "cli"}),
    "audit": frozenset({"core", "readers"}),
    "attestation": frozenset({"core", "readers", "signing"}),
    "sanitizing": frozenset({"core", "readers", "signing"}),
    "confirming": frozenset({"core", "signing", "store"}),
    "": frozenset(
        {"core", "readers", "policy", "audit", "confirming", "llm", "recorder", "sanitizing", "verification"}
    ),
}

#: The order inside `core`: a module imports only from rows above its own. A folder counts as one module, but for
#: files of it that have a row of their own.
CORE_ORDER: tuple[str, ...] = tuple(
    """
    errors dataclass hashing keys patterns tables canonical lexicon values ranges markdown citation receipt chain
    toolspec transcript evidence facts snapshot seal confirmation rows ledger attest grade outside children finding
    lint noted wording language.value claims rules policy children.reduce binding given resolve inspect suspicion
    language claimed bearing cited attested summary confirmed turn audit executed audited verify witness
    children.judge
    """.split()
)

#: Imports that break a rule above for a reason: (importing file, imported module) -> the reason.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("__init__.py", "langchain"): "the lazy `receipts_middleware.ReceiptsMiddleware`",
    ("core/finding.py", "reports"): "`Verification._repr_html_`, by which notebooks ask a value for its looks",
}

#: Packages that take values and return values.
PURE = frozenset({"core", "readers", "reports"})

#: What pure code may not import: it would read files, clock, network, environment or chance, or log.
IMPURE = frozenset(
    """
    asyncio concurrent ctypes dbm fileinput getpass glob http importlib io locale logging mmap
    multiprocessing os pathlib pickle platform queue random sched secrets select selectors
    shelve shutil signal smtplib socket socketserver sqlite3 ssl subprocess sys tempfile
    threading time urllib webbrowser
    """.split()
)
#: Names of those modules that touch nothing.
IMPURE_BUT_FOR = frozenset({"pathlib.PurePath", "pathlib.PurePosixPath", "pathlib.PureWindowsPath"})

#: Calls that pure code may not make, by the end of their dotted name.
IMPURE_CALLS = frozenset(
    """open print input exec eval compile breakpoint __import__ datetime.now datetime.utcnow datetime.today
    date.today uuid.uuid1 uuid.uuid4 uuid1 uuid4""".split()
)

#: Which packages may import which third-party library. What has no row may not be imported at all.
THIRD_PARTY: dict[str, frozenset[str]] = {
    "markdown_it": frozenset({"core"}),
    "langchain": frozenset({"langchain", "demo"}),
    "langchain_core": frozenset({"langchain", "demo", "lint"}),  # lint: a function given as a tool is made one
    "langgraph": frozenset({"langchain"}),
    "deepagents": frozenset({"demo"}),
    "pydantic": frozenset({"langchain"}),  # LangChain's base classes are pydantic models
    "typing_extensions": frozenset({"langchain", "demo"}),  # as LangChain itself: `override` before Python 3.12
    "click": frozenset({"cli"}),
    "pytest": frozenset({"pytest_plugin", "pytest_report"}),  # who loads them has it
    "rich": frozenset({"cli", "demo"}),
    "orjson": frozenset({"cli"}),
    "yaml": frozenset({"readers"}),  # a text in, values out
    "zstandard": frozenset({"cli"}),
    "ormsgpack": frozenset({"langchain"}),  # what checkpoints are written with; comes with langgraph
    "psycopg": frozenset({"langchain"}),  # of an extra, imported for checkpoints in PostgreSQL
    "sqlalchemy": frozenset({"store"}),  # of an extra, imported by the one sink that needs it
    "aiosmtpd": frozenset({"demo"}),
    "cryptography": frozenset({"signing"}),
    "mcp": frozenset({"lint"}),
    "anyio": frozenset({"lint"}),  # the SDK's own, and never without it
    "jsonschema_rs": frozenset({"lint"}),
}

#: Calls that break the rule above for a reason: (file, call) -> the reason.
MAY_CALL: dict[tuple[str, str], str] = {
    (
        "core/dataclass.py",
        "exec",
    ): "`__init__` is written as `dataclasses` does it, of the names of fields in our source",
}

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule, and where."""

    file: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{PACKAGE}/{self.file}:{self.line}: {self.rule}: {self.message}"


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: `module` is absolute, `name` is None for `import module`."""

    line: int
    module: str
    name: str | None
    for_types_only: bool

    @property
    def dotted(self) -> str:
        return self.module if self.name is None else f"{self.module}.{self.name}"


def check_module(file: str, source: str) -> list[Violation]:
    """Every broken rule of one module; `file` is relative to the package, with forward slashes."""
    tree = ast.parse(source)
    found = [*_check_shape(file, source, tree)]
    for imported in _imports(file, tree):
        found += _check_import(file, imported)
    if _package_of(file) in PURE:
        found += _check_calls(file, tree)
    return sorted(set(found), key=lambda v: (v.line, v.rule, v.message))


def _package_of(file: str) -> str:
    """`core` for `core/receipt.py`, `store` for `store.py`, the empty string for the root `__init__.py`."""
    parts = file.removesuffix(".py").removesuffix("__init__").split("/")
    return OWN_PACKAGES.get(".".join(parts[:2]), parts[0])


def _core_row(parts: list[str]) -> str:
    """`verify` for `["verify", "bind"]`, unless `verify.bind` has a row of its own; empty for `core` itself."""
    dotted = ".".join(parts[:2])
    return dotted if dotted in CORE_ORDER else parts[0] if parts else ""


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """What a function says of itself is for its callers; the bound is on what it does."""
    first = node.body[0]
    return (first.end_lineno or first.lineno) - first.lineno + 1 if ast.get_docstring(node) is not None else 0


def _check_shape(file: str, source: str, tree: ast.Module) -> Iterator[Violation]:
    if ast.get_docstring(tree) is None:
        yield Violation(file, 1, "docstring", "the module does not begin by saying what belongs in it")
    lines = len(source.splitlines())
    if lines > MAX_MODULE_LINES:
        yield Violation(file, lines, "module-length", f"{lines} lines, at most {MAX_MODULE_LINES}")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1 - _docstring_lines(node)
            if length > MAX_FUNCTION_LINES:
                message = f"{node.name} has {length} lines, at most {MAX_FUNCTION_LINES}"
                yield Violation(file, node.lineno, "function-length", message)


def _imports(file: str, tree: ast.Module) -> Iterator[Import]:
    typed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, None, id(node) in typed)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(file, node)
            for alias in node.names:
                yield Import(node.lineno, module, alias.name, id(node) in typed)


def _absolute(file: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    folders = [PACKAGE, *file.split("/")[:-1]]
    base = folders[: len(folders) - (node.level - 1)]
    return ".".join([*base, *([node.module] if node.module else [])])


def _check_import(file: str, imported: Import) -> Iterator[Violation]:
    root = imported.module.split(".")[0]
    if root == PACKAGE:
        yield from _check_own(file, imported)
    elif root not in sys.stdlib_module_names:
        yield from _check_third_party(file, imported, root)
    elif _package_of(file) in PURE and not imported.for_types_only and _is_impure(root, imported.dotted):
        yield Violation(file, imported.line, "impure-import", f"pure code imports {imported.dotted}")


def _is_impure(root: str, dotted: str) -> bool:
    return root in IMPURE and dotted not in IMPURE_BUT_FOR


def _check_own(file: str, imported: Import) -> Iterator[Violation]:
    target = imported.dotted.split(".")[1:]
    package = _package_of(file)
    if package not in MAY_IMPORT:
        yield Violation(file, imported.line, "no-row", f"{package} has no row in MAY_IMPORT")
        return
    head = OWN_PACKAGES.get(".".join(target[:2]), target[0] if target else "")
    head = head if head in MAY_IMPORT else ""
    if head != package:
        if head not in MAY_IMPORT[package] and (file, head) not in EXCEPTIONS:
            message = f"{package or PACKAGE} may not import {head or PACKAGE}"
            yield Violation(file, imported.line, "layer", message)
    elif package == "core" and len(target) > 1:
        yield from _check_core_order(file, imported.line, _core_row(target[1:]))


def _check_core_order(file: str, line: int, target: str) -> Iterator[Violation]:
    module = _core_row([part for part in file.removesuffix(".py").split("/")[1:] if part != "__init__"])
    if not module or module == target or (file, f"core.{target}") in EXCEPTIONS:
        return
    for name in (module, target):
        if name not in CORE_ORDER:
            yield Violation(file, line, "no-row", f"core.{name} has no row in CORE_ORDER")
            return
    if CORE_ORDER.index(target) > CORE_ORDER.index(module):
        yield Violation(file, line, "core-order", f"core.{module} may not import core.{target}, which comes later")


def _check_third_party(file: str, imported: Import, root: str) -> Iterator[Violation]:
    package = _package_of(file)
    if root not in THIRD_PARTY:
        yield Violation(file, imported.line, "no-row", f"{root} has no row in THIRD_PARTY")
    elif package not in THIRD_PARTY[root]:
        where = ", ".join(sorted(THIRD_PARTY[root]))
        yield Violation(file, imported.line, "third-party", f"only {where} may import {root}")


def _check_calls(file: str, tree: ast.Module) -> Iterator[Violation]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = ast.unparse(node.func)
            last_two = ".".join(name.split(".")[-2:])
            if (name in IMPURE_CALLS or last_two in IMPURE_CALLS) and (file, name) not in MAY_CALL:
                yield Violation(file, node.lineno, "impure-call", f"pure code calls {name}")


def _modules() -> list[str]:
    return sorted(p.relative_to(ROOT / PACKAGE).as_posix() for p in (ROOT / PACKAGE).rglob("*.py"))


@pytest.mark.parametrize("file", _modules())
def test_module_keeps_the_house_rules(file: str) -> None:
    found = check_module(file, (ROOT / PACKAGE / file).read_text(encoding="utf-8"))
    assert not found, "\n" + "\n".join(map(str, found))


@pytest.mark.rows("layers/snippets.json")
def test_checker_names_each_violation_and_nothing_else(row: dict) -> None:
    source = "\n".join(row["source"]) + "\n" * row.get("blank_lines", 0)
    found = check_module(row["file"], source)
    assert [f"{v.line}:{v.rule}" for v in found] == row["expect"], "\n".join(map(str, found))


def test_every_rule_has_a_snippet_that_breaks_it_and_one_that_keeps_it(fixture_rows) -> None:
    rows = fixture_rows("layers/snippets.json")
    broken = {item.split(":")[1] for row in rows for item in row["expect"]}
    kept = {row["near_miss_of"] for row in rows if not row["expect"]}
    rules = {"docstring", "module-length", "function-length", "no-row", "layer", "core-order", "third-party"}
    assert broken == kept == rules | {"impure-import", "impure-call"}


def test_tables_have_no_row_for_a_package_that_imports_in_a_circle() -> None:
    def reach(package: str, seen: tuple[str, ...]) -> None:
        assert package not in seen, " <- ".join((*seen, package))
        for below in MAY_IMPORT[package]:
            reach(below, (*seen, package))

    for package in MAY_IMPORT:
        reach(package, ())


@pytest.mark.parametrize("key", EXCEPTIONS, ids="->".join)
def test_exception_is_still_needed(key: tuple[str, str]) -> None:
    file, target = key
    imports = _imports(file, ast.parse((ROOT / PACKAGE / file).read_text(encoding="utf-8")))
    assert any(f"{PACKAGE}.{target}" in (i.module, i.dotted) for i in imports), "remove the row"


@pytest.mark.parametrize("key", MAY_CALL, ids=":".join)
def test_excepted_call_is_still_made(key: tuple[str, str]) -> None:
    file, name = key
    tree = ast.parse((ROOT / PACKAGE / file).read_text(encoding="utf-8"))
    assert any(isinstance(n, ast.Call) and ast.unparse(n.func) == name for n in ast.walk(tree)), "remove the row"


FRAMEWORKS = ("langchain", "langgraph", "langsmith", "deepagents", "pydantic")


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        (PACKAGE, (*FRAMEWORKS, "rich", "click", "aiosmtpd", "asyncio")),
        (f"{PACKAGE}.cli", (*FRAMEWORKS, "aiosmtpd", "orjson", "yaml", "zstandard", "rich", "multiprocessing")),
    ],
)
def test_import_loads_no_framework(module: str, unwanted: tuple[str, ...]) -> None:
    code = (
        f"import sys\nbefore = set(sys.modules)\nimport {module}\nprint(' '.join(sorted(set(sys.modules) - before)))\n"
    )
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    loaded = run.stdout.split()
    assert module in loaded
    assert [name for name in loaded if name.split(".")[0].startswith(unwanted)] == []
