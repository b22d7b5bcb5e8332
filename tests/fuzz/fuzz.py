"""Mutated and generated input over all readers; see README.md beside it. A script, and the engine of `test_fuzz.py`."""

from __future__ import annotations

import argparse
import copy
import json
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

from receipts_middleware.cli.inputs import InputError, parse_document
from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.noted import note
from receipts_middleware.core.transcript import Message, ToolCall, ToolResult, Transcript
from receipts_middleware.core.verify import verify_transcript
from receipts_middleware.lint import check_call, lint_transcript, parse_declared_tools, tools_of_transcript
from receipts_middleware.readers.registry import READERS, read_transcripts, read_value

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SUFFIXES = (".json", ".jsonl", ".yaml", ".yml", ".traj", ".txt")
#: Never read here: texts that accuracy is measured on.
KEPT_APART = "claims"

#: A case that takes more processor time is a finding. Inputs are small, so that this is a thousand times the usual.
SLOW_SECONDS = 5.0
#: Longer samples are cut down to a part, so that there are many cases a second.
MAX_SEED_BYTES = 200_000
#: One case in so many is verified as well, which costs more than all reading.
VERIFY_EVERY = 20

NASTY_BYTES = (
    b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\n", b"\r\n", b"{", b"}", b"[", b"]", b'"', b"\\",
    b"null", b"true", b"-0", b"1e999", b"9" * 40, b'"\\ud800"', b"[" * 300, b'{"a":' * 200, b"data: ", b"---\n", b"*a",
    b"&a [*a]", b"!!python/object:os.system", b"NaN", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", "\u202e\u2028".encode(),
)  # fmt: skip
NASTY_VALUES: tuple[object, ...] = (
    None, True, False, 0, -1, 2**70, 1.5, float("nan"), float("inf"), "", " ", "x", "\ud800", "\x00", "a" * 5000,
    "[" * 400, "{" * 400, '{"a": [1, 2]}', "r1", "tool", "assistant", "2024-01-01T00:00:00Z", [], {}, [[]], [{}],
    {"": ""}, {"type": "text", "text": "x"}, [None] * 3, [["x", "y"]], {"role": "assistant"}, b"x",
)  # fmt: skip


@dataclass(slots=True)
class Report:
    """What a run of the fuzzer did.

    Attributes:
        cases: Inputs tried.
        read: Of these, inputs that were read as at least one transcript.
        verified: Transcripts that were verified as well.
        linted: Transcripts whose calls were held against schemas.
        by_reader: Inputs by the first reader that recognised them.
        findings: Each with its input.
    """

    cases: int = 0
    read: int = 0
    verified: int = 0
    linted: int = 0
    by_reader: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[str, object]] = field(default_factory=list)


class TooSlow(Exception):
    """A case took longer than it may."""


# --- samples --------------------------------------------------------------------------------------------


def load_seeds(*folders: Path) -> list[tuple[str, bytes]]:
    """Name and bytes of the samples in some folders."""
    seeds = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in SUFFIXES and KEPT_APART not in path.relative_to(folder).parts:
                seeds.append((path.name, path.read_bytes()[:MAX_SEED_BYTES]))
    return seeds


def load_values(seeds: list[tuple[str, bytes]]) -> list[object]:
    """The parsed samples; rows of fixtures count each by itself, so that what they hold is a document."""
    values: list[object] = []
    for name, data in seeds:
        try:
            value = parse_document(data, name).value
        except InputError:
            continue
        values.append(value)
        if isinstance(value, list):
            values += [
                inner for row in value[:40] if isinstance(row, dict) for inner in row.values() if _is_tree(inner)
            ]
    return values


def _is_tree(value: object) -> bool:
    return isinstance(value, dict | list) and len(value) > 0


# --- mutations ------------------------------------------------------------------------------------------


class Mutator:
    """Makes cases of samples, by one random source."""

    def __init__(self, seeds: list[tuple[str, bytes]], seed: int) -> None:
        self._random = random.Random(seed)
        self._seeds = seeds
        self._values = load_values(seeds)
        # Each format gets as many cases, whether it has one sample or forty.
        self._by_reader = _grouped(self._values)
        self._files = [group for group in _grouped_files(seeds).values() if group]
        self._keys = sorted({key for value in self._values for key in _keys(value)})

    def cases(self) -> Iterator[tuple[str, object]]:
        """Name and input, without end: bytes, or a value as a reader gets it."""
        while True:
            draw = self._random.random()
            if draw < 0.35:
                name, data = self._random.choice(self._random.choice(self._files))
                yield name, self._bytes(data)
            elif draw < 0.9:
                yield "value", self._tree(copy.deepcopy(self._random.choice(self._random.choice(self._by_reader))))
            else:
                yield "made", self._made(self._random.randint(1, 5))

    def _bytes(self, data: bytes) -> bytes:
        rng = self._random
        for _ in range(rng.randint(1, 6)):
            at = rng.randint(0, len(data))
            to = min(len(data), at + rng.choice((1, 1, 8, 60, 400)))
            kind = rng.randrange(6)
            if kind == 0 and data:
                at = min(at, len(data) - 1)
                data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
            elif kind == 1:
                data = data[:at] + data[to:]
            elif kind == 2:
                data = data[:to] + data[at:]
            elif kind == 3:
                data = data[:at] + rng.choice(NASTY_BYTES) + data[at:]
            elif kind == 4:
                other = rng.choice(self._seeds)[1]
                start = rng.randint(0, len(other))
                data = data[:at] + other[start : start + 200] + data[at:]
            else:
                data = data[:at]
        return data

    def _tree(self, value: object) -> object:
        rng = self._random
        for _ in range(rng.randint(1, 5)):
            places = list(_places(value))
            if not places or rng.random() < 0.02:
                value = self._leaf()
                continue
            holder, key = rng.choice(places)
            kind = rng.randrange(8)
            if kind <= 1:
                holder[key] = self._leaf()
            elif kind == 2:
                holder[key] = copy.deepcopy(self._part())
            elif kind == 3:
                del holder[key]
            elif kind == 4 and isinstance(holder, list):
                holder.insert(rng.randint(0, len(holder)), copy.deepcopy(rng.choice(holder)))
            elif kind == 5 and isinstance(holder, dict) and self._keys:
                holder[rng.choice(self._keys)] = holder.pop(key)
            elif kind == 6 and isinstance(holder, dict) and self._keys:
                holder[rng.choice(self._keys)] = copy.deepcopy(self._part())
            else:
                holder[key] = [holder[key]] if rng.random() < 0.5 else {rng.choice(self._keys): holder[key]}
        return value

    def _leaf(self) -> object:
        return copy.deepcopy(self._random.choice(NASTY_VALUES))

    def _part(self) -> object:
        value = self._random.choice(self._values)
        for _ in range(self._random.randint(0, 6)):
            inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
            if not inner:
                break
            value = self._random.choice(inner)
        return value

    def _made(self, depth: int) -> object:
        rng = self._random
        draw = rng.random()
        if depth == 0 or draw < 0.25:
            return self._leaf() if draw < 0.15 else copy.deepcopy(self._part())
        if draw < 0.55:
            return [self._made(depth - 1) for _ in range(rng.randint(0, 4))]
        return {rng.choice(self._keys): self._made(depth - 1) for _ in range(rng.randint(0, 6))}


def _first_reader(value: object) -> str:
    return next((reader.name for reader in READERS if reader.recognise(value)), "")


def _grouped(values: list[object]) -> list[list[object]]:
    groups: dict[str, list[object]] = {}
    for value in values:
        if name := _first_reader(value):
            groups.setdefault(name, []).append(value)
    return list(groups.values())


def _grouped_files(seeds: list[tuple[str, bytes]]) -> dict[str, list[tuple[str, bytes]]]:
    groups: dict[str, list[tuple[str, bytes]]] = {}
    for name, data in seeds:
        try:
            value = parse_document(data, name).value
        except InputError:
            value = data.decode("utf-8", "replace")
        groups.setdefault(_first_reader(value), []).append((name, data))
    return groups


def _keys(value: object) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield from (key for key in item if isinstance(key, str) and len(key) < 60)
            stack += item.values()
        elif isinstance(item, list):
            stack += item


def _places(value: object) -> Iterator[tuple[dict | list, object]]:
    """Every place of a tree that holds something; of a very large one the first."""
    stack = [value]
    seen = 0
    while stack and seen < 20_000:
        item = stack.pop()
        inner = (
            list(item.items()) if isinstance(item, dict) else list(enumerate(item)) if isinstance(item, list) else []
        )
        for key, part in inner:
            seen += 1
            yield item, key
            if isinstance(part, dict | list):
                stack.append(part)


# --- the check ------------------------------------------------------------------------------------------


def check(case: object, name: str, report: Report, *, verify: bool) -> None:
    """Try one input; what is wrong goes into the report."""
    report.cases += 1
    try:
        found = _read(case, name, report)
        if verify:
            for transcript in found[:2]:
                verify_transcript(transcript)
                report.verified += 1
            report.linted += _lint(case, found[:2])
    except TooSlow:
        report.findings.append((f"slow: more than {SLOW_SECONDS} s", case))
    except Exception:  # noqa: BLE001 - each is what is looked for
        report.findings.append((traceback.format_exc(limit=-6), case))


def _read(case: object, name: str, report: Report) -> list[Transcript]:
    if isinstance(case, bytes):
        try:
            value = parse_document(case, name).value
        except InputError:
            value = case.decode("utf-8", "replace")
        _may_fail(read_transcripts, case)
    else:
        value = case
    first = "none"
    for reader in reversed(READERS):
        recognised = reader.recognise(value)
        if recognised is not True and recognised is not False:
            raise TypeError(f"{reader.name}.recognise gave {recognised!r}")
        first = reader.name if recognised else first
    report.by_reader[first] += 1
    found = _may_fail(read_value, value)
    for reader in READERS:  # also those that would not be asked
        _may_fail(reader.read, value)
    report.read += bool(found)
    return found


def _lint(case: object, found: list[Transcript]) -> int:
    """Hold runs against what they record as their tools, and against the case itself read as declarations."""
    declared = parse_declared_tools(case, "case")[:50]
    called = {call.tool for transcript in found for message in transcript.messages for call in message.calls}
    # Whatever schema there is stands for the tools that were called, so that something is held against it.
    declared += [replace(tool, name=name) for tool, name in zip(declared, sorted(called), strict=False)]
    for transcript in found:
        for tools in (declared, tools_of_transcript(transcript)):
            report = lint_transcript(transcript, tools)
            json.dumps(report.to_dict())
            if report.counts.checked > report.counts.calls:
                raise ValueError("more calls were checked than there are")
    for tool in declared[:5]:
        note(check_call(tool, case if isinstance(case, dict) else {"case": case}))
    return len(found)


def _may_fail(read, value: object) -> list[Transcript]:
    try:
        found = read(value)
    except FormatError as error:
        if not str(error).strip():
            raise TypeError("a FormatError without a message") from error
        return []
    if not isinstance(found, list):
        raise TypeError(f"{read} gave {type(found).__name__}")
    for transcript in found:
        _check_transcript(transcript)
    return found


def _check_transcript(transcript: object) -> None:
    if not isinstance(transcript, Transcript) or not isinstance(transcript.messages, tuple):
        raise TypeError(f"no transcript: {type(transcript).__name__}")
    for key, text in (transcript.meta or {}).items():
        _must_be(str, key, text)
    _must_be(str, transcript.source)
    for message in transcript.messages:
        _must_be(Message, message)
        _must_be(str, message.text, message.message_id)
        _must_be(tuple, message.calls)
        if message.role not in ("system", "user", "assistant", "tool"):
            raise TypeError(f"role {message.role!r}")
        for call in message.calls:
            _must_be(ToolCall, call)
            _must_be(str, call.tool, call.tool_call_id)
            _check_result(call.result)
        _check_result(message.result)


def _check_result(result: object) -> None:
    if result is None:
        return
    if not isinstance(result, ToolResult):
        raise TypeError(f"no result: {type(result).__name__}")
    _must_be(str, result.tool_call_id, result.text, result.tool or "", result.origin or "")
    if result.error not in (None, True, False) or not isinstance(result.exit_code, int | None):
        raise TypeError(f"error {result.error!r}, exit code {result.exit_code!r}")


def _must_be(kind: type, *values: object) -> None:
    for value in values:
        if not isinstance(value, kind):
            raise TypeError(f"{type(value).__name__} in place of {kind.__name__}")


def run(mutator: Mutator, *, cases: int | None = None, seconds: float | None = None) -> Report:
    """Try so many cases, or for so long."""
    report = Report()
    until = None if seconds is None else time.monotonic() + seconds
    for number, (name, case) in enumerate(mutator.cases()):
        if (cases is not None and number >= cases) or (until is not None and time.monotonic() > until):
            return report
        check(case, name, report, verify=number % VERIFY_EVERY == 0)
    return report


# --- the script -----------------------------------------------------------------------------------------


def _alarm(signum: int, frame: FrameType | None) -> None:
    raise TooSlow


def _run_watched(mutator: Mutator, seconds: float, out: Path | None) -> Report:
    """As `run`, with a clock on each case, and each finding written when it is found."""
    signal.signal(signal.SIGPROF, _alarm)
    report, told = Report(), 0
    until = time.monotonic() + seconds
    for number, (name, case) in enumerate(mutator.cases()):
        if time.monotonic() > until:
            break
        signal.setitimer(signal.ITIMER_PROF, SLOW_SECONDS)
        try:
            check(case, name, report, verify=number % VERIFY_EVERY == 0)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        for text, found in report.findings[told:]:
            told += 1
            print(text, file=sys.stderr)
            if out is not None:
                out.mkdir(parents=True, exist_ok=True)
                (out / f"{told:04}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
                data = found if isinstance(found, bytes) else json.dumps(found, default=repr).encode()
                (out / f"{told:04}.input").write_bytes(data)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description="Feed mutated and generated input to all readers.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder for findings")
    parser.add_argument("--seeds", type=Path, nargs="*", default=[], help="folders with more samples")
    options = parser.parse_args()
    seeds = load_seeds(FIXTURES, *options.seeds)
    report = _run_watched(Mutator(seeds, options.seed), options.seconds, options.out)
    print(
        json.dumps(
            {
                "seconds": options.seconds,
                "seed": options.seed,
                "samples": len(seeds),
                "readers": len(READERS),
                "cases": report.cases,
                "read": report.read,
                "verified": report.verified,
                "linted": report.linted,
                "recognised": dict(report.by_reader),
                "findings": len(report.findings),
            }
        )
    )
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
