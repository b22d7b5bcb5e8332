"""Patterns that are compiled late: they answer as compiled ones, and every one of the package compiles."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

import receipts_middleware
from receipts_middleware.core import patterns
from receipts_middleware.core.patterns import pattern_of


def modules() -> Iterator[str]:
    for package in ("core", "readers"):
        path = [f"{receipts_middleware.__path__[0]}/{package}"]
        for found in pkgutil.walk_packages(path, f"receipts_middleware.{package}."):
            yield found.name


def test_every_pattern_of_a_module_compiles() -> None:
    found = {
        f"{name}.{key}": value
        for name in modules()
        for key, value in vars(import_module(name)).items()
        if type(value) is patterns._Pattern
    }
    assert len(found) > 200
    for name, value in found.items():
        assert value.groups == re.compile(value.pattern, value.flags & ~re.UNICODE).groups, name


def test_no_module_of_the_judge_compiles_a_pattern_when_it_is_imported() -> None:
    held = [f"{name}.{key}" for name in modules() for key, value in vars(import_module(name)).items()
            if isinstance(value, re.Pattern)]  # fmt: skip
    assert held == [], "write pattern_of(...) in place of re.compile(...)"


@pytest.mark.parametrize("name", ["match", "search", "fullmatch", "findall", "split", "groups", "groupindex", "flags"])
def test_answers_as_the_compiled_pattern_does(name: str) -> None:
    late, compiled = pattern_of(r"(?P<word>[a-z]+)-?", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)-?", re.IGNORECASE)
    said, wanted = getattr(late, name), getattr(compiled, name)
    if callable(wanted):
        said, wanted = str(said("Ab-c")), str(wanted("Ab-c"))
    assert said == wanted


def test_is_compiled_once_and_not_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def counting(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return original(pattern, flags)

    original = re.compile
    monkeypatch.setattr(re, "compile", counting)
    late = pattern_of("late")
    assert (compiled, late.pattern, repr(late)) == ([], "late", "pattern_of('late')")
    assert late.search("of late") is not None
    assert late.sub("", "late") == ""
    assert compiled == ["late"]


def test_has_no_further_attributes() -> None:
    with pytest.raises(AttributeError):
        pattern_of("late").strip  # type: ignore[attr-defined]  # noqa: B018
