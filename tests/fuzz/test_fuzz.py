"""The short version of the fuzzer: a fixed number of cases with a fixed seed, about ten seconds."""

from __future__ import annotations

import pytest

from receipts_middleware.core.errors import FormatError
from receipts_middleware.readers.registry import READERS, Reader

from . import fuzz

CASES = 2_000


@pytest.fixture(scope="module")
def seeds() -> list[tuple[str, bytes]]:
    return fuzz.load_seeds(fuzz.FIXTURES)


def test_no_input_does_more_than_fail_to_be_read(seeds) -> None:
    report = fuzz.run(fuzz.Mutator(seeds, seed=1), cases=CASES)
    assert report.findings == [], report.findings[0][0]
    assert report.cases == CASES
    assert report.read > CASES // 20
    assert report.verified > 0
    assert report.linted > 0


def test_cases_are_the_same_each_time(seeds) -> None:
    first, second = (fuzz.Mutator(seeds[:20], seed=3).cases() for _ in range(2))
    assert repr([next(first) for _ in range(50)]) == repr([next(second) for _ in range(50)])


@pytest.mark.parametrize("fault", [KeyError("x"), RecursionError(), FormatError(""), None])
def test_fault_of_a_reader_is_found(seeds, monkeypatch, fault) -> None:
    def read(value: object) -> list:
        if fault is not None:
            raise fault
        return [17]

    broken = Reader("broken", lambda value: True, read)
    monkeypatch.setattr(fuzz, "READERS", (broken, *READERS))
    report = fuzz.run(fuzz.Mutator(seeds[:20], seed=1), cases=3)
    assert len(report.findings) == 3
