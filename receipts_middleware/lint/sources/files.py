"""Tools from files and other texts: JSON, JSON lines and YAML, in whatever shape the tools have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.lint.sources.source import FORMS, MAX_DOCUMENT_BYTES, FetchedTools, ToolSourceError
from receipts_middleware.readers.http import yaml_loader

_BOMS: Final = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_YAML: Final = (".yaml", ".yml")


def fetch_file(path: str) -> FetchedTools:
    """The tools of a file.

    Args:
        path: Its path.

    Raises:
        ToolSourceError: It cannot be read, or holds neither JSON nor YAML.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_DOCUMENT_BYTES + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ToolSourceError(f"cannot read {path}: {why}; give the tools as {FORMS}") from error
    return FetchedTools(parse_document(data, path), path)


def parse_document(data: bytes, name: str) -> object:
    """The value of a text that lists tools.

    Args:
        data: UTF-8, or UTF-16 with a byte order mark. Untrusted.
        name: Of the file or address, for messages; `.yaml` and `.yml` say what it is.

    Raises:
        ToolSourceError: It is too long, empty, or neither JSON nor YAML.
    """
    if len(data) > MAX_DOCUMENT_BYTES:
        raise ToolSourceError(f"{name} is longer than {MAX_DOCUMENT_BYTES >> 20} MiB; give a list of tools")
    encoding = next((encoding for bom, encoding in _BOMS if data.startswith(bom)), "utf-8-sig")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ToolSourceError(f"{name}: byte {error.start} is not UTF-8; give a list of tools as JSON") from error
    if not text.strip():
        raise ToolSourceError(f"{name} is empty; give a list of tools")
    if name.lower().endswith(_YAML):
        return _yaml(text, name)
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ToolSourceError(f"{name} is nested too deeply; give a list of tools as JSON") from error
    except ValueError as error:
        return _lines_or_yaml(text, name, error)


def _lines_or_yaml(text: str, name: str, error: ValueError) -> object:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        try:
            return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            pass
    if text.lstrip()[:1] not in ("{", "["):
        value = _yaml(text, name)
        if isinstance(value, dict | list):
            return value
    raise ToolSourceError(f"{name} is not JSON ({error}); give a list of tools, or of their names") from error


def _yaml(text: str, name: str) -> object:
    try:
        return yaml_loader.load(text)
    except FormatError as error:
        raise ToolSourceError(f"{name}: {error}; give a list of tools") from error
