"""Tools from Python: an import path to tool objects, functions, toolkits or a server, or to what makes them.

Importing runs the code of the module: whoever names a path trusts it. What it prints goes to standard error, so that a
report on standard output stays whole.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

from receipts_middleware.lint.sources.source import FetchedTools, ToolSourceError, split_python
from receipts_middleware.lint.tools import MAX_TOOLS, DeclaredTool

#: A list of toolkits of tools; nothing wraps deeper.
_MAX_DEPTH: Final = 4


async def afetch_python(target: str) -> FetchedTools:
    """The tools that a Python object is, holds or gives.

    Args:
        target: `package.module:attribute` or `path/to/file.py:attribute`, the attribute dotted where that is needed,
            with `()` behind where it is a function that returns the tools.

    Returns:
        A list of tool objects and tool dicts. Functions are made tools as LangChain makes them.

    Raises:
        ToolSourceError: It cannot be imported, or there is no such attribute.
    """
    module_name, attribute, called = split_python(target)
    with contextlib.redirect_stdout(sys.stderr), _importable_from_here():
        try:
            value: object = _imported(module_name)
            for part in attribute.split("."):
                value = getattr(value, part)
            if called:
                value = value() if callable(value) else value
                value = await value if inspect.isawaitable(value) else value
            found = await _resolved(value, 0)
        except ToolSourceError:
            raise
        except (Exception, SystemExit) as error:
            raise ToolSourceError(f"{target}: {_what_went_wrong(error, module_name, attribute)}") from error
    return FetchedTools(found, target)


@contextlib.contextmanager
def _importable_from_here() -> Iterator[None]:
    """Modules of the current folder can be imported, as with `python -m`."""
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        yield
    finally:
        if added and here in sys.path:
            sys.path.remove(here)


def _imported(name: str) -> ModuleType:
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name)
    if not path.is_file():
        raise ToolSourceError(f"there is no file {name}; give path/to/file.py:attribute or package.module:attribute")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ToolSourceError(f"{name} cannot be imported; give package.module:attribute")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(path.stem)
    sys.modules[path.stem] = module  # annotations of tools are looked up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if before is None:
            del sys.modules[path.stem]
        else:
            sys.modules[path.stem] = before
        raise
    return module


def _what_went_wrong(error: BaseException, module: str, attribute: str) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and (module + ".").startswith(error.name + "."):
        return f"there is no module {error.name}; run this where it can be imported, or give a path to a file.py"
    if isinstance(error, AttributeError) and error.obj is not None and isinstance(error.obj, ModuleType):
        return f"{module} has no {attribute!r}; name the list of tools, a tool, or a function with () behind"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"it raised {type(error).__name__}: {error}{place}; import it yourself to see more"


async def _resolved(value: object, depth: int) -> list[object]:
    """Tool objects and dicts of an object; functions become tools, toolkits and servers are asked for theirs."""
    if isinstance(value, Mapping):
        return await _of_mapping(value)
    if isinstance(value, str | DeclaredTool) or depth > _MAX_DEPTH:
        return [value]
    if _is_tool(value):
        return [value]
    for name in ("get_tools", "list_tools"):  # toolkits of LangChain, clients of its MCP adapters; MCP servers
        method = getattr(value, name, None)
        if callable(method) and not isinstance(value, type):
            given = method()
            return await _resolved(await given if inspect.isawaitable(given) else given, depth + 1)
    if inspect.isroutine(value):
        return [_from_function(value)]
    if isinstance(value, Iterable) and not isinstance(value, type | bytes):
        found: list[object] = []
        for item in value:
            found += await _resolved(item, depth + 1)
            if len(found) > MAX_TOOLS:
                break
        return found
    return [value]


async def _of_mapping(value: Mapping[object, object]) -> list[object]:
    """A mapping with the objects in its list of tools resolved; of a mapping of names to objects, the objects."""
    tools = value.get("tools")
    if isinstance(tools, list | tuple):
        return [{**value, "tools": await _resolved(tools, 1)}]
    if any(inspect.isroutine(item) or _is_tool(item) for item in value.values()):
        return await _resolved(list(value.values()), 1)
    return [value]


def _is_tool(value: object) -> bool:
    return isinstance(getattr(value, "name", None), str) and not callable(getattr(value, "list_tools", None))


def _from_function(function: object) -> object:
    """The tool that LangChain makes of a function, without what it injects; the function itself where it cannot."""
    from langchain_core.tools import tool  # noqa: PLC0415 - only where a function is given as a tool

    for options in ({}, {"description": getattr(function, "__name__", "function")}):  # it may have no docstring
        with contextlib.suppress(Exception):  # odd annotations: it is still known by name
            made: object = tool(function, **options)  # type: ignore[call-overload]
            return made
    return function
