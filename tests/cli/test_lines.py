"""Lines of replies: `--format sarif` and `github` point at the line on which a reply stands, whatever the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts_middleware.cli.inputs import find_reply_lines

READERS = Path(__file__).parents[2] / "fixtures" / "readers"


def run(reply: str, *, ident: str = "x") -> dict:
    call = {"id": "c", "type": "function", "function": {"name": "send_email", "arguments": '{"to": "a@x.example"}'}}
    return {
        "id": ident,
        "messages": [
            {"role": "user", "content": "Write to a."},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": '{"status": "failed"}'},
            {"role": "assistant", "content": reply},
        ],
    }


def lines_of(call, *arguments: str) -> list[int]:
    code, out, _ = call("verify", *arguments, "--format", "sarif")
    assert code in (1, 2)
    results = json.loads(out)["runs"][0]["results"]
    assert all(result["properties"]["lineKnown"] for result in results)
    errors = [result for result in results if result["level"] == "error"]
    return sorted({r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in errors})


def line_in(path: Path, words: str) -> int:
    (line,) = [number for number, text in enumerate(path.read_text().split("\n"), 1) if words in text]
    return line


LIE = 'I emailed "a@x.example" \u2014 done.'


@pytest.mark.parametrize("ascii_only", [True, False])
def test_line_in_a_document_that_is_one_run(folder, call, ascii_only) -> None:
    (folder / "run.json").write_text(json.dumps(run(LIE), indent=1, ensure_ascii=ascii_only))
    wanted = line_in(folder / "run.json", "I emailed")
    assert wanted > 10
    assert lines_of(call, "run.json") == [wanted]
    _, out, _ = call("verify", "run.json", "--format", "github")
    assert f"file=run.json,line={wanted}," in out


def test_lines_in_an_array_of_runs(folder, call) -> None:
    runs = [run("I emailed a@x.example.", ident="one"), run("It failed."), run("a@x.example was emailed.", ident="two")]
    (folder / "runs.json").write_text(json.dumps(runs, indent=2))
    wanted = [line_in(folder / "runs.json", words) for words in ("I emailed", "was emailed")]
    assert lines_of(call, "runs.json") == wanted
    assert lines_of(call, "runs.json", "--jobs", "2") == wanted


def test_lines_of_equal_replies_are_told_apart_by_their_order(folder, call) -> None:
    (folder / "runs.json").write_text(json.dumps([run(LIE), run(LIE), run(LIE)], indent=1))
    text = (folder / "runs.json").read_text().split("\n")
    assert lines_of(call, "runs.json") == [number for number, line in enumerate(text, 1) if "I emailed" in line]


def test_every_turn_has_its_own_line(folder, call) -> None:
    document = run(LIE)
    document["messages"] += [{"role": "user", "content": "Really?"}, {"role": "assistant", "content": "Yes. " + LIE}]
    (folder / "run.json").write_text(json.dumps(document, indent=1))
    text = (folder / "run.json").read_text().split("\n")
    assert lines_of(call, "run.json", "--turns") == [n for n, line in enumerate(text, 1) if "I emailed" in line]


def test_json_lines_keep_theirs(folder, call) -> None:
    (folder / "runs.jsonl").write_text("\n".join(json.dumps(run(reply)) for reply in ("It failed.", LIE, "It failed.")))
    assert lines_of(call, "runs.jsonl") == [2]


def test_standard_input_and_compressed_files_have_lines_too(folder, call) -> None:
    import gzip

    text = json.dumps(run(LIE), indent=1)
    (folder / "run.json").write_text(text)
    (folder / "run.json.gz").write_bytes(gzip.compress(text.encode()))
    assert lines_of(call, "run.json.gz") == [line_in(folder / "run.json", "I emailed")]


def test_line_of_a_session_that_is_one_run_over_many_lines(folder, call, fixture_rows) -> None:
    row = next(row for row in fixture_rows("readers/subagents.json") if row["id"] == "claude-code-agent")
    lie = "I refunded order 4822."
    lines = [json.dumps(line).replace('"@reply"', json.dumps(lie)) for line in row["document"]]
    (folder / "session.jsonl").write_text("\n".join(lines))
    assert line_in(folder / "session.jsonl", lie) in lines_of(call, "session.jsonl")


def test_a_file_that_is_gone_when_it_is_looked_at_again_fails_nothing(folder, call, monkeypatch) -> None:
    from receipts_middleware.cli.runs import work

    (folder / "run.json").write_text(json.dumps(run(LIE)))
    real, seen = work.read_document, []

    def once(name: str) -> bytes:
        seen.append(name)
        if len(seen) > 1:
            raise work.InputError("gone")
        return real(name)

    monkeypatch.setattr(work, "read_document", once)
    code, out, _ = call("verify", "run.json", "--format", "sarif")
    assert code == 1
    assert json.loads(out)["runs"][0]["results"][0]["properties"]["lineKnown"] is False


# --- finding --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "replies", "lines"),
    [
        ('{"a":\n"Done."\n}', ["Done."], [2]),
        ('["Done.",\n"Done.",\n"Done."]', ["Done.", "Done."], [2, 3]),
        ('["Done."]\n', ["Done.", "Done."], [1, 1]),
        ('["x",\n" Done. "]', ["Done."], [2]),
        ('["x",\n"D\\u006fne \\"it\\"."]', ['Done "it".'], [2]),
        ('["first part",\n"the second, longer part"]', ["first part\nthe second, longer part"], [2]),
        ('{"body":\n"{\\"content\\": \\"All is d\\u00f6ne.\\"}"}', ["All is döne."], [2]),
        ("user: hello\nassistant: All is done.\n", ["All is done."], [2]),
        ('["other"]', ["Done."], [None]),
        ('["x"]', ["", "  "], [None, None]),
        ("", ["Done."], [None]),
        ('"never closed\n"Done."', ["Done."], [2]),
    ],
    ids="one order more-wanted blanks escapes parts within text none empty nothing open".split(),
)
def test_lines(data, replies, lines) -> None:
    assert find_reply_lines(data.encode(), replies) == lines
    shifted = [None if line is None else line + 9 for line in lines]
    assert find_reply_lines(data.encode(), replies, first_line=10) == shifted


@settings(max_examples=200, deadline=None)
@given(
    texts=st.lists(st.text(min_size=1, max_size=30).filter(lambda text: text.strip()), min_size=1, max_size=6),
    ascii_only=st.booleans(),
    indent=st.sampled_from([None, 1]),
)
def test_whatever_a_reply_says_its_line_is_found(texts: list[str], ascii_only: bool, indent: int | None) -> None:
    texts = [text for text in texts if text.encode("utf-8", "ignore").decode() == text]
    data = json.dumps(
        [{"role": "assistant", "content": text} for text in texts], indent=indent, ensure_ascii=ascii_only
    )
    found = find_reply_lines(data.encode(), texts)
    for text, line in zip(texts, found, strict=True):
        assert line is not None
        strings = [json.loads(part.partition(": ")[2]) for part in [data.split("\n")[line - 1]]] if indent else [text]
        assert any(text.strip() in said or said.strip() in text for said in strings)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=200), replies=st.lists(st.text(max_size=10), max_size=4))
def test_no_bytes_raise(data: bytes, replies: list[str]) -> None:
    assert len(find_reply_lines(data, replies)) == len(replies)


def test_many_equal_replies_are_found_in_one_pass() -> None:
    text = json.dumps(["Done."] * 20_000, indent=0)
    assert find_reply_lines(text.encode(), ["Done."] * 20_000) == list(range(2, 20_002))
