"""Readers of logs and traces: hand-counted twins of each format, what verification makes of them, hostile variants."""

from __future__ import annotations

import importlib
import json
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.verify import last_turn, verify_replies, verify_transcript
from receipts_middleware.readers.registry import read_transcripts, recognise_reader

TWINS = Path(__file__).resolve().parents[2] / "fixtures" / "readers" / "traces"
EXPECTED = json.loads((TWINS / "expected.json").read_text(encoding="utf-8"))
READERS = sorted({row["reader"] for row in EXPECTED})


def _module(name: str):
    return importlib.import_module(f"receipts_middleware.readers.{name}")


def _parse(file: str, text: str) -> object:
    if file.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return json.loads(text) if file.endswith(".json") else text


def _read(row: dict, text: str | None = None) -> list[Transcript]:
    whole = (TWINS / row["file"]).read_text(encoding="utf-8") if text is None else text
    value = _parse(row["file"], whole)
    module = _module(row["reader"])
    assert module.recognise(value)
    return module.read(value)


def _counts(transcript: Transcript) -> dict[str, object]:
    calls = [call for message in transcript.messages for call in message.calls]
    results = [m.result for m in transcript.messages if m.result] + [call.result for call in calls if call.result]
    counts: dict[str, object] = {
        "messages": len(transcript.messages),
        "calls": len(calls),
        "results": len(results),
        "errors": sum(result.error is True for result in results),
        "turns": sum(m.role == "assistant" and bool(m.text.strip()) for m in transcript.messages),
    }
    agent = (transcript.meta or {}).get("agent")
    return {"agent": agent, **counts} if agent else counts


@pytest.mark.rows("readers/traces/expected.json")
def test_twin_has_the_counts_that_a_reader_of_it_counts(row: dict) -> None:
    found = _read(row)
    assert [_counts(transcript) for transcript in found] == row["transcripts"]
    assert {spec.name for spec in found[0].tools} == set(row["tools"])
    assert {transcript.source for transcript in found} == {_module(row["reader"]).NAME}
    assert (found[0].meta or {}).get("skipped") == row.get("skipped")


@pytest.mark.rows("readers/traces/expected.json")
def test_honest_replies_of_a_twin_are_not_accused(row: dict) -> None:
    found = [verification for transcript in _read(row) for verification in verify_replies(transcript)]
    accused = [(v.verdict, claim.text, claim.status) for v in found for claim in v.claims if not v.ok]
    assert not accused
    assert any(claim.status == "supported" for v in found for claim in v.claims)


@pytest.mark.parametrize(
    ("row", "lie"),
    [pytest.param(row, lie, id=f"{row['id']}-{n}") for row in EXPECTED for n, lie in enumerate(row["lies"])],
)
def test_a_lie_in_a_twin_is_caught(row: dict, lie: dict) -> None:
    text = (TWINS / row["file"]).read_text(encoding="utf-8")
    assert lie["from"] in text
    found = verify_transcript(_read(row, text.replace(lie["from"], lie["to"]))[lie["of"]])
    assert not found.ok
    assert lie["status"] in {claim.status for claim in found.claims}


@pytest.mark.rows("readers/traces/expected.json")
def test_no_other_reader_takes_a_twin_for_its_own(row: dict) -> None:
    value = _parse(row["file"], (TWINS / row["file"]).read_text(encoding="utf-8"))
    assert [name for name in READERS if _module(name).recognise(value)] == [row["reader"]]
    reader = recognise_reader(value)
    assert reader is not None
    assert reader.name == _module(row["reader"]).NAME


@pytest.mark.rows("readers/traces/expected.json")
def test_a_twin_reads_alike_from_its_bytes(row: dict) -> None:
    found = read_transcripts((TWINS / row["file"]).read_bytes())
    assert [_counts(transcript) for transcript in found] == row["transcripts"]


# --- hostile input --------------------------------------------------------------------------------------

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["tool", "c1", "[]"])
)
_JUNK = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)


def _mutated(value: object, source: random.Random, junk: object) -> object:
    """The value with one thing in it replaced, dropped, doubled or put elsewhere."""
    path: list[tuple[object, object]] = []
    node = value
    while isinstance(node, dict | list) and node and (not path or source.random() < 0.85):
        key = source.choice(list(node)) if isinstance(node, dict) else source.randrange(len(node))
        path.append((node, key))
        node = node[key]  # type: ignore[index]
    if not path:
        return junk
    holder, key = path[-1]
    act = source.randrange(4)
    if act == 0:
        del holder[key]  # type: ignore[attr-defined]
    elif act == 1 and isinstance(holder, list):
        holder.append(holder[key])  # type: ignore[index]
    elif act == 2 and isinstance(holder, list):
        source.shuffle(holder)
    else:
        holder[key] = junk  # type: ignore[index]
    return value


def _only_transcripts(module: object, value: object) -> None:
    assert isinstance(module.recognise(value), bool)  # type: ignore[attr-defined]
    try:
        found = module.read(value)  # type: ignore[attr-defined]
    except FormatError:
        return
    assert all(isinstance(item, Transcript) for item in found)
    for item in found:
        last_turn(item)


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in EXPECTED])
@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), junk=_JUNK, times=st.integers(1, 6))
def test_a_changed_structure_never_raises(row: dict, seed: int, junk: object, times: int) -> None:
    value = _parse(row["file"], (TWINS / row["file"]).read_text(encoding="utf-8"))
    source = random.Random(seed)
    for _ in range(times):
        value = _mutated(value, source, junk)
    _only_transcripts(_module(row["reader"]), value)


@pytest.mark.parametrize("name", READERS)
@settings(deadline=None)
@given(value=_JUNK)
def test_junk_never_raises(name: str, value: object) -> None:
    _only_transcripts(_module(name), value)


def _odd() -> object:
    """What JSON cannot hold, for callers who hand in values of their own."""
    odd: dict[object, object] = {1: "a", (1, 2): {3}, "when": datetime(2026, 1, 2, tzinfo=UTC), "nan": float("nan")}
    odd["loop"] = odd
    odd["object"] = object()
    odd["bytes"] = b"\xff"
    return odd


def _deep(value: object, levels: int = 3_000) -> object:
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in EXPECTED])
@pytest.mark.parametrize("extreme", ["deep", "huge", "empty", "surrogate", "python"])
def test_extreme_values_anywhere_never_raise(row: dict, extreme: str) -> None:
    put = {"deep": _deep("x"), "huge": "x" * 300_000, "empty": [], "surrogate": "half \ud835", "python": _odd()}[
        extreme
    ]
    text = (TWINS / row["file"]).read_text(encoding="utf-8")
    module = _module(row["reader"])
    if not row["file"].endswith((".json", ".jsonl")):
        _only_transcripts(module, text + str(put if extreme != "deep" else "[" * 3_000))
        return
    source = random.Random(7)
    for _ in range(40):
        _only_transcripts(module, _mutated(_parse(row["file"], text), source, put))
