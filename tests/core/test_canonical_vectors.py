"""The published vectors hold, here and in processes with other hash seeds. Run as a script it prints digests."""

from __future__ import annotations

import builtins
import dataclasses
import enum
import hashlib
import json
import os
import struct
import subprocess
import sys
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from uuid import UUID

import pydantic
import pytest

from receipts_middleware.core.canonical import (
    canon,
    canonicalize,
    digest_args,
    digest_output,
    digest_text,
)

ROOT = Path(__file__).resolve().parents[2]
FILES = ("vectors.json", "cases.json", "outputs.json")


class Colour(enum.Enum):
    RED = "red"


class Word(str, enum.Enum):  # noqa: UP042
    A = "a"


class Level(enum.Enum):
    HIGH = 3


class Rank(enum.IntEnum):
    FIRST = 1


class Right(enum.Flag):
    R = 1
    W = 2


@dataclasses.dataclass
class Plain:
    a: object
    b: object


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    a: object
    b: object


ENUMS = {kind.__name__: kind for kind in (Colour, Word, Level, Rank)}
Pair = namedtuple("Pair", "x y")


def _pairs(marker: dict) -> list:
    return [(build(key), build(value)) for key, value in marker["items"]]


def _cycle(_: object) -> list:
    knot: list = []
    knot.append(knot)
    return knot


def _cycle_through_dict(_: object) -> dict:
    knot: dict = {}
    knot["a"] = [knot]
    return knot


def _shared(_: object) -> list:
    one = [1]
    return [one, one]


def _nested(marker: dict) -> list:
    value = [marker["inner"]] if "inner" in marker else []
    for _ in range(marker["depth"] - 1):
        value = [value]
    return value


def _float(marker: dict) -> float:
    if "bits" in marker:
        return struct.unpack(">d", bytes.fromhex(marker["bits"]))[0]
    return float(marker["value"])


BUILDERS: dict[str, Callable] = {
    "float": _float,
    "int": lambda m: int(m["hex"], 16),
    "units": lambda m: "".join(chr(int(unit, 16)) for unit in m["value"]),
    "tuple": lambda m: tuple(build(m["value"])),
    "set": lambda m: set(build(m["value"])),
    "frozenset": lambda m: frozenset(build(m["value"])),
    "named_tuple": lambda m: Pair(*build(m["value"])),
    "dict": lambda m: dict(_pairs(m)),
    "dict_mixed_keys": lambda m: dict(_pairs(m)),
    "dict_tuple_key": lambda _: {(1, 2): "a"},
    "ordered_dict": lambda m: OrderedDict(_pairs(m)),
    "mapping_proxy": lambda m: MappingProxyType(dict(_pairs(m))),
    "bytes": lambda m: bytes.fromhex(m["hex"]),
    "bytearray": lambda m: bytearray.fromhex(m["hex"]),
    "memoryview": lambda m: memoryview(bytes.fromhex(m["hex"])),
    "datetime": lambda m: datetime.fromisoformat(m["value"]),
    "date": lambda m: date.fromisoformat(m["value"]),
    "time": lambda m: time.fromisoformat(m["value"]),
    "decimal": lambda m: Decimal(m["value"]),
    "uuid": lambda m: UUID(m["value"]),
    "path": lambda m: PurePosixPath(m["value"]),
    "windows_path": lambda m: PureWindowsPath(m["value"]),
    "enum": lambda m: ENUMS[m["name"]][m["member"]],
    "flag": lambda m: Right(m["value"]),
    "dataclass": lambda m: Plain(**build(m["fields"])),
    "pydantic": lambda m: Model(**build(m["fields"])),
    "object": lambda _: object(),
    "generator": lambda _: (x for x in "ab"),
    "builtin": lambda m: getattr(builtins, m["name"]),
    "builtin_call": lambda m: getattr(builtins, m["name"])(*m.get("args", ())),
    "cycle": _cycle,
    "cycle_through_dict": _cycle_through_dict,
    "shared": _shared,
    "nested": _nested,
    "repeat": lambda m: [m["value"]] * m["times"],
    "text": lambda m: m["value"] * m["times"],
}


def build(value: object) -> object:
    """The Python value that a fixture describes; the markers are listed in fixtures/canonical/README.md."""
    if isinstance(value, list):
        return [build(item) for item in value]
    if isinstance(value, dict):
        kind = value.get("$py")
        if kind is not None:
            return BUILDERS[kind](value)
        return {key: build(item) for key, item in value.items()}
    return value


@pytest.mark.rows("canonical/vectors.json", "canonical/cases.json")
def test_vector(row):
    value = build(row["value"])
    form = canonicalize(value)
    assert form.data.decode() == row["canonical"]
    assert canon(value) == form.data
    digest = digest_args(value)
    assert digest.sha256 == row["args_sha256"]
    assert form.lossy is digest.lossy is row["lossy"]


@pytest.mark.rows("canonical/vectors.json", "canonical/cases.json")
def test_published_digest_is_that_of_the_published_bytes(row):
    data = b"receipts/1/args\0" + row["canonical"].encode()
    assert hashlib.sha256(data).hexdigest() == row["args_sha256"]


@pytest.mark.rows("canonical/outputs.json")
def test_output(row):
    content = build(row["content"])
    digest = digest_output(content)
    assert (digest.sha256, digest.output_bytes, digest.lossy) == (
        row["output_sha256"],
        row["output_bytes"],
        row["lossy"],
    )
    if "text" in row:
        assert digest_text(content) == row["output_sha256"]


@pytest.mark.rows("canonical/outputs.json")
def test_published_output_digest_is_that_of_the_published_bytes(row):
    domain, spelled = ("text", row["text"]) if "text" in row else ("blocks", row["canonical"])
    data = f"receipts/1/{domain}\0{spelled}".encode()
    assert hashlib.sha256(data).hexdigest() == row["output_sha256"]


def test_different_rows_differ(fixture_rows):
    """A vector repeats the bytes of another one only where its origin means it to."""
    spelled: dict[str, list[str]] = {}
    for row in fixture_rows("canonical/vectors.json"):
        if not row["lossy"]:
            spelled.setdefault(row["canonical"], []).append(row["id"])
    alike = sorted(ids for ids in spelled.values() if len(ids) > 1)
    assert alike == [
        ["bytes", "bytearray", "memoryview"],
        ["datetime-utc", "datetime-other-zone-same-instant"],
        ["decimal-0", "decimal--0", "decimal-0E+10", "decimal--0.000"],
        ["decimal-100", "decimal-1E+2"],
        ["decimal-19.90", "decimal-19.9"],
        ["dict-subclass", "mapping-proxy"],
        ["ecmascript-1e-6", "rfc8785-3eb0c6f7a0b5ed8d"],
        ["ecmascript-1e21", "rfc8785-444b1ae4d6e2ef50"],
        ["ecmascript-5e-324", "rfc8785-0000000000000001"],
    ]


def rows_of(name: str) -> list[dict]:
    return json.loads((ROOT / "fixtures" / "canonical" / name).read_text(encoding="utf-8"))


def digests() -> list[str]:
    """Digest of every row, in order."""
    arguments = [digest_args(build(row["value"])) for name in FILES[:2] for row in rows_of(name)]
    outputs = [digest_output(build(row["content"])) for row in rows_of(FILES[2])]
    return [digest.sha256 for digest in (*arguments, *outputs)]


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_digests_are_equal_in_other_processes(seed):
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "PYTHONINTMAXSTRDIGITS": "640"}
    run = subprocess.run([sys.executable, __file__], env=env, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    published = [row.get("args_sha256") or row["output_sha256"] for name in FILES for row in rows_of(name)]
    assert json.loads(run.stdout) == published


if __name__ == "__main__":
    print(json.dumps(digests()))
