"""Paths to files, files to records, bytes to values: nothing is lost, and what is wrong is said with its place."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.cli.inputs import (
    Document,
    InputError,
    Record,
    find_files,
    known_size,
    parse_document,
    parse_record,
    pointed_at_one_file,
    read_batches,
    read_document,
)
from receipts_middleware.cli.inputs import parse as parse_module
from receipts_middleware.cli.inputs import split as split_module
from receipts_middleware.cli.inputs.source import Source
from receipts_middleware.cli.inputs.split import cut_array, cut_lines

from .conftest import make_run, to_lines

RUN = make_run()


class Dribble(io.BytesIO):
    """A stream that gives a few bytes at a time, as pipes do."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read(self, size: int | None = -1) -> bytes:
        wanted = self._size if size is None or size < 0 else min(size, self._size)
        return super().read(wanted)


def source_of(data: bytes, size: int = 1 << 30) -> Source:
    return Source(Dribble(data, size), "x.json")


# --- paths ----------------------------------------------------------------------------------------------


def test_folder_gives_known_suffixes_in_order_without_hidden_ones(folder: Path) -> None:
    for name in ("b.jsonl", "a.json", "sub/c.yaml.gz", "sub/d.traj", "sub/deep/E.NDJSON.zst", "note.txt", ".h.json"):
        path = folder / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (folder / "runs" / ".git").mkdir()
    (folder / "runs" / ".git" / "g.json").write_text("x")
    names = [found.name for found in find_files(["runs"])]
    assert names == [f"runs/{n}" for n in ("a.json", "b.jsonl", "sub/c.yaml.gz", "sub/d.traj", "sub/deep/E.NDJSON.zst")]
    assert known_size(["runs"]) == 5


def test_pattern_is_one_only_where_no_file_is_called_so(folder: Path) -> None:
    for name in ("run[1].json", "run1.json", "deep/run2.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    assert [f.name for f in find_files(["run[1].json"])] == ["run[1].json"]
    assert [f.name for f in find_files(["run?.json"])] == ["run1.json"]
    assert [f.name for f in find_files(["**/run*.json"])] == ["deep/run2.json", "run1.json", "run[1].json"]
    assert [f.name for f in find_files(["-", "run1.json", "run1.json"])] == ["-", "run1.json", "run1.json"]


@pytest.mark.parametrize(
    ("paths", "one"), [(["a.json"], True), (["-"], True), (["a.json", "b.json"], False), (["."], False), (["*"], False)]
)
def test_one_file_or_not(folder: Path, paths: list[str], one: bool) -> None:
    (folder / "a.json").write_text("x")
    assert pointed_at_one_file(paths) is one


@pytest.mark.parametrize("path", [".", "*.json"])
def test_nothing_found_is_said(folder: Path, path: str) -> None:
    (found,) = find_files([path])
    assert found.error is not None
    assert str(found.error).startswith(f"cannot read {path}: ")


def test_links_to_folders_are_not_followed(folder: Path) -> None:
    (folder / "runs").mkdir()
    (folder / "runs" / "a.json").write_text("x")
    (folder / "runs" / "loop").symlink_to(folder / "runs")
    assert [f.name for f in find_files(["runs"])] == ["runs/a.json"]


# --- opening --------------------------------------------------------------------------------------------

TEXT = '{"é": 1}\n'.encode()
PACKED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "two gzip members": gzip.compress(TEXT[:4]) + gzip.compress(TEXT[4:]),
    "zstd": zstandard.compress(TEXT),
    "two zstd frames": zstandard.compress(TEXT[:4]) + zstandard.compress(TEXT[4:]),
    "UTF-16": codecs.BOM_UTF16_LE + TEXT.decode().encode("utf-16-le"),
    "UTF-16 in gzip": gzip.compress(codecs.BOM_UTF16_BE + TEXT.decode().encode("utf-16-be")),
}


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("standard_input", [False, True])
def test_packed_input_reads_as_plain(folder: Path, monkeypatch, name: str, standard_input: bool) -> None:
    (folder / "x").write_bytes(PACKED[name])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PACKED[name])))
    data = read_document("-" if standard_input else "x")
    assert parse_document(data, "x").value == {"é": 1}


DAMAGED = {
    "cut gzip": PACKED["gzip"][:-6],
    "gzip that is none": b"\x1f\x8b\x08nonsense",
    "cut zstd": zstandard.compress(b"x" * 1_000_000)[:20],
    "zstd that is none": b"\x28\xb5\x2f\xfd" + b"\xff" * 20,
    "empty gzip": gzip.compress(b""),
    "empty": b"",
    "blank": b" \r\n\t",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_input_says_which_file(folder: Path, name: str) -> None:
    (folder / "x.json").write_bytes(DAMAGED[name])
    with pytest.raises(InputError, match=r"x\.json"):
        parse_document(read_document("x.json"), "x.json")
    (batch,) = read_batches(find_files(["x.json"]))
    (item,) = batch.items
    assert isinstance(item, Document)


def test_zstandard_without_its_library_says_what_to_install(folder: Path, monkeypatch) -> None:
    (folder / "x.zst").write_bytes(PACKED["zstd"])
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match=r"receipts-middleware\[zstd\]"):
        read_document("x.zst")


# --- cutting --------------------------------------------------------------------------------------------


def test_lines_with_their_numbers() -> None:
    data = b'\xef\xbb\xbf{"a": 1}\r\n\n  \n[2]\nbad\n{"last": 1}'
    cuts = list(cut_lines(source_of(data)))
    assert [(cut.line, cut.data) for cut in cuts] == [(1, b'{"a": 1}'), (4, b"[2]"), (5, b"bad"), (6, b'{"last": 1}')]


def test_line_that_is_too_long_never_loses_the_others(monkeypatch) -> None:
    monkeypatch.setattr(split_module, "MAX_RECORD_BYTES", 10)
    cuts = list(cut_lines(source_of(b"[1]\n" + b"x" * 500 + b"\n[2]\n" + b"y" * 11)))
    assert [(cut.line, cut.data, cut.error is not None) for cut in cuts] == [
        (1, b"[1]", False),
        (2, b"", True),
        (3, b"[2]", False),
        (4, b"", True),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text('ab"\\[]{},:\n é', max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('a"\\[]{}', max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.lists(JSON, max_size=6), st.integers(1, 40), st.sampled_from([None, 1]), st.sampled_from(["", " \n\ufeff"[:2]])
)
def test_array_is_cut_as_it_is_parsed(values: list[object], size: int, indent: int | None, blank: str) -> None:
    text = blank + json.dumps(values, indent=indent) + blank
    cuts = list(cut_array(source_of(text.encode(), size)))
    assert [json.loads(cut.data) for cut in cuts] == values
    assert [cut.pointer for cut in cuts] == [f"/{index}" for index in range(len(values))]
    assert all(cut.data.decode().split("\n")[0] in text.split("\n")[cut.line - 1] for cut in cuts)


def test_elements_of_an_array_know_their_lines() -> None:
    text = json.dumps([{"a": [1, 2]}, "x\n", {"b": 2}], indent=1)
    assert [cut.line for cut in cut_array(source_of(text.encode()))] == [2, 8, 9]


@pytest.mark.parametrize(
    ("text", "elements", "says"),
    [
        ('[{"a": 1}, {"b": ', ['{"a": 1}'], "cut off"),
        ('[{"a": 1}', ['{"a": 1}'], "cut off"),
        ('[{"a": 1}] {"b": 2}', ['{"a": 1}'], "behind the end"),
        ('[{"a": 1}, {"b": "x]', ['{"a": 1}'], "cut off"),
        ('[{"a" 1}, {"b": 2}]', ['{"a" 1}', '{"b": 2}'], None),
        ("[nonsense, {}]", ["nonsense", "{}"], None),
        ("[}, 1]", ["}", "1"], None),
    ],
)
def test_array_that_is_damaged(text: str, elements: list[str], says: str | None) -> None:
    cuts = list(cut_array(source_of(text.encode(), 3)))
    good = [cut.data.decode() for cut in cuts if cut.error is None]
    assert good == elements
    errors = [str(cut.error) for cut in cuts if cut.error is not None]
    assert len(errors) == (says is not None)
    assert all(says is not None and says in error for error in errors)


@given(st.binary(max_size=80), st.integers(1, 9))
def test_any_bytes_are_cut_without_an_exception(data: bytes, size: int) -> None:
    cuts = list(cut_array(source_of(b"[" + data, size)))
    assert all(cut.line >= 1 for cut in cuts)
    assert sum(len(cut.data) for cut in cuts) <= len(data)


def test_element_that_is_too_long_ends_the_array(monkeypatch) -> None:
    monkeypatch.setattr(split_module, "MAX_RECORD_BYTES", 100)
    cuts = list(cut_array(source_of(b'[{"a": 1}, {"b": "' + b"x" * 900 + b'"}, {}]', 50)))
    assert [cut.error is None for cut in cuts] == [True, False]
    assert "longer than" in str(cuts[1].error)


# --- parsing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "123456789012345678901234567890",
        "-9223372036854775809",
        "18446744073709551616",
        '"\\ud800"',
        "1e400",
        "-0.0",
        "1.0",
        '{"a": 1, "a": 2}',
        "0.1234567890123456789",
        "[" * 500 + "]" * 500,
    ],
)
def test_values_are_those_of_the_standard_library(text: str) -> None:
    assert repr(parse_record(text.encode())) == repr(json.loads(text))


@given(JSON)
def test_any_value_is_that_of_the_standard_library(value: object) -> None:
    text = json.dumps(value)
    assert repr(parse_record(text.encode())) == repr(json.loads(text))


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe", b"[" * 100_000, b"", b"1" * 5000, b'"\x01"'])
def test_record_that_is_no_json_says_where(data: bytes) -> None:
    with pytest.raises(InputError, match="not JSON") as caught:
        parse_record(data, line=7, pointer="/3")
    assert (caught.value.line, caught.value.pointer) == (7, "/3")


def test_error_within_a_record_of_several_lines_names_the_line_of_the_file() -> None:
    with pytest.raises(InputError, match="column 3") as caught:
        parse_record(b'{"a": 1,\n"b": 2,\n  x}', line=10)
    assert caught.value.line == 12


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b"Agent: hello\nUser: bye\n", "Agent: hello\nUser: bye\n"),
        (b"interactions:\n- request: 1\n", {"interactions": [{"request": 1}]}),
        (b"# recorded\n---\n- a\n- b: 2001-01-01\n", ["a", {"b": "2001-01-01"}]),
        (b"- a\n- b: 1\n", "- a\n- b: 1\n"),
        (b"just words", "just words"),
        (b"17\n18\n", "17\n18\n"),
    ],
)
def test_documents(data: bytes, value: object) -> None:
    assert parse_document(data, "-").value == value


def test_lines_of_a_document_that_are_bad_are_told_of() -> None:
    parsed = parse_document(b'{"a": 1}\nnonsense\n\n{"b": 2}\n{"cut', "x.jsonl")
    assert parsed.value == [{"a": 1}, {"b": 2}]
    assert parsed.lines == (1, 4)
    assert [error.line for error in parsed.skipped] == [2, 5]
    assert parsed.is_cut


@pytest.mark.parametrize("data", [b"{", b'{"a": 1,\n}', b"[1, 2", b'{"a": 1}}'])
def test_document_that_would_be_json_says_why_it_is_not(data: bytes) -> None:
    with pytest.raises(InputError, match="not JSON"):
        parse_document(data, "x.json")


def test_yaml_by_its_name() -> None:
    assert parse_document(b"{a: 1, b: 2024-01-01T00:00:00Z}", "x.YAML.gz").value == {
        "a": 1,
        "b": "2024-01-01T00:00:00Z",
    }


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LAUGHS, "aliases"),
        ("a: &a [*a]", "aliases"),
        ("a: &a {b: {c: *a}}", "aliases"),
        ("a: [", "not YAML"),
        ("a: !!python/object/apply:os.system ['true']", "not YAML"),
        ("{[a]: 1}", "not YAML"),
    ],
)
def test_yaml_that_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_document(text.encode(), "x.yaml")


def test_yaml_that_is_too_long(monkeypatch) -> None:
    monkeypatch.setattr(parse_module, "MAX_YAML_BYTES", 10)
    with pytest.raises(InputError, match="YAML is read up to"):
        parse_document(b"a: " + b"x" * 20, "x.yaml")


@given(st.binary(max_size=100), st.sampled_from(["x.json", "x.yaml", "-"]))
def test_any_bytes_parse_or_say_why(data: bytes, name: str) -> None:
    try:
        parsed = parse_document(data, name)
    except InputError:
        return
    assert parsed.skipped == () or isinstance(parsed.value, list)


# --- deciding -------------------------------------------------------------------------------------------

MESSAGES = RUN["messages"]


@pytest.mark.parametrize(
    ("text", "records"),
    [
        (json.dumps(RUN), 0),
        (json.dumps(RUN, indent=2), 0),
        (json.dumps(MESSAGES), 0),
        (json.dumps(MESSAGES, indent=2), 0),
        (to_lines(*MESSAGES), 0),
        (to_lines(RUN), 0),
        (to_lines(RUN, RUN, RUN), 3),
        (to_lines(MESSAGES, MESSAGES), 2),
        (to_lines(RUN, RUN) + "nonsense\n" + to_lines(RUN), 4),
        ("nonsense\n" + to_lines(RUN, RUN, RUN), 4),
        (json.dumps([RUN, RUN]), 2),
        (json.dumps([RUN, RUN, {"no": 1}], indent=1), 3),
        (json.dumps([MESSAGES, MESSAGES]), 2),
        ("[]", 0),
        ("[1, 2]", 0),
        ("words\nmore words", 0),
    ],
)
@pytest.mark.parametrize("standard_input", [False, True])
def test_lines_and_elements_are_runs_or_the_file_is_one(
    folder: Path, monkeypatch, text: str, records: int, standard_input: bool
) -> None:
    (folder / "x.json").write_text(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    (batch,) = read_batches(find_files(["-" if standard_input else "x.json"]))
    assert sum(isinstance(item, Record) for item in batch.items) == records
    assert batch.files == 1
    if not records:
        (item,) = batch.items
        assert isinstance(item, Document)
        assert item.error is None
        assert (item.data == text.encode()) if standard_input else item.data is None


def test_batches_are_bounded_and_lose_nothing(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr("receipts_middleware.cli.inputs.batches.BATCH_ITEMS", 5)
    (folder / "x.jsonl").write_text(to_lines(*(make_run(str(n)) for n in range(23))))
    (folder / "y.json").write_text(json.dumps(RUN))
    batches = list(read_batches(find_files(["x.jsonl", "y.json"])))
    assert [len(batch.items) for batch in batches] == [5, 5, 5, 5, 4]
    assert [batch.files for batch in batches] == [1, 0, 0, 0, 1]
    lines = [item.cut.line for batch in batches for item in batch.items if isinstance(item, Record)]
    assert lines == list(range(1, 24))


def test_one_long_line_is_not_looked_at_whole(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr(split_module, "MAX_RECORD_BYTES", 1_000)
    (folder / "x.json").write_text(json.dumps([make_run(str(n)) for n in range(9)]))
    (batch,) = read_batches(find_files(["x.json"]))
    assert [item.cut.pointer for item in batch.items if isinstance(item, Record)] == [f"/{n}" for n in range(9)]
