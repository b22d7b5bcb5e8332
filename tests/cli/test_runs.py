"""`receipts verify` over many runs: order, totals, exit codes, formats, processes, and what could not be read."""

from __future__ import annotations

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from referencing import Registry, Resource

from receipts_middleware.cli.renderers import RENDERERS
from receipts_middleware.core.verify import verify_replies, verify_transcript
from receipts_middleware.readers import read_transcript
from receipts_middleware.reports.text import render_text

from .conftest import FALSE_REPLY, make_run, to_lines

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schema"
VERIFICATION, RUNS = (
    json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")) for name in ("verification", "runs")
)
VALIDATOR = jsonschema.Draft202012Validator(
    RUNS,
    registry=Registry().with_resource("verification.schema.json", Resource.from_contents(VERIFICATION)),
)

GOOD, BAD = make_run("good"), make_run("bad", FALSE_REPLY)
MUTE = {"id": "mute", "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]}
REFUND = {
    "id": "refund",
    "tools": [{"name": "issue_refund", "description": "Refund an order."}],
    "messages": [
        {"role": "user", "content": "Refund order 4821."},
        {"role": "assistant", "content": "I refunded EUR 59.90 for order 4821."},
    ],
}
ASKED = {"id": "asked", "messages": [{"role": "user", "content": "Anyone there?"}]}


def plain(value: object) -> object:
    return json.loads(json.dumps(value))


@pytest.fixture
def mixed(folder):
    """Five runs in three files, one of which nobody can read, and a line that is cut off."""
    (folder / "runs" / "deep").mkdir(parents=True)
    (folder / "runs" / "a.jsonl").write_text(to_lines(GOOD, BAD) + '{"cut": \n' + to_lines(MUTE))
    with gzip.open(folder / "runs" / "b.json.gz", "wb") as file:
        file.write(json.dumps([GOOD, {"steps": []}, BAD], indent=1).encode())
    (folder / "runs" / "deep" / "c.json").write_text('{"not": "a run"}')
    return folder


# --- one run as before ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [json.dumps(BAD), json.dumps(BAD, indent=1), to_lines(BAD), json.dumps([BAD])])
@pytest.mark.parametrize("turns", [False, True])
def test_one_file_with_one_run_is_reported_by_itself(folder, call, text, turns) -> None:
    (folder / "run.json").write_text(text)
    transcript = read_transcript(BAD)
    verification = verify_transcript(transcript)
    options = ["--turns"] if turns else []
    code, out, err = call("verify", "run.json", "--format", "json", *options)
    wanted = (
        {"schema": 1, "turns": [v.to_dict() for v in verify_replies(transcript)]} if turns else verification.to_dict()
    )
    assert (code, json.loads(out), err) == (1, plain(wanted), "")
    code, out, err = call("verify", "run.json", *options)
    assert (code, err) == (1, "")
    if not turns:
        assert out == render_text(verification, width=100)


def test_one_run_among_several_files_is_one_of_many(folder, call) -> None:
    (folder / "run.json").write_text(json.dumps(BAD))
    code, out, _ = call("verify", ".", "--format", "json")
    assert code == 1
    assert [run["id"] for run in json.loads(out)["runs"]] == ["bad"]


# --- many runs ------------------------------------------------------------------------------------------


def test_text_has_a_line_each_the_reports_with_findings_and_the_totals(mixed, call) -> None:
    code, out, err = call("verify", "runs")
    assert code == 1
    lines = out.splitlines()
    heads = [line for line in lines if line.startswith("runs/")]
    assert [head.split()[0] for head in heads] == [
        "runs/a.jsonl:1",
        "runs/a.jsonl:2",
        "runs/a.jsonl:4",
        "runs/b.json.gz:2",
        "runs/b.json.gz:37",
    ]
    assert ["fabricated" in head for head in heads] == [False, True, False, False, True]
    assert out.count(render_text(verify_transcript(read_transcript(BAD)), width=100)) == 2
    assert lines[-5:] == [
        "totals",
        "  read      3 files, 5 runs, 5 turns (5 judged), 4 calls, 3 records skipped",
        "  claims    6 read, 6 judged, gap rate 33.3 % (2 not borne out)",
        "  replies   2 fabricated, 2 clean, 1 nothing checked",
        "  findings  2 errors, 2 warnings",
    ]
    bad_line, bad_element, bad_file = err.splitlines()
    assert bad_line == "receipts: runs/a.jsonl:3: not JSON: Expecting value at column 8"
    assert bad_element.startswith("receipts: runs/b.json.gz:34 /1: this is no transcript in any known format")
    assert bad_file.startswith(
        "receipts: runs/deep/c.json: this is no transcript in any known format: an object with the keys 'not'; "
    )


def test_json_fits_its_schema_and_says_where_everything_stands(mixed, call) -> None:
    code, out, _ = call("verify", "runs", "--format", "json", "--jobs", "2")
    assert code == 1
    assert out.isascii()
    document = json.loads(out)
    VALIDATOR.validate(document)
    assert [(run["file"], run["line"], run["pointer"], run["id"]) for run in document["runs"]] == [
        ("runs/a.jsonl", 1, "", "good"),
        ("runs/a.jsonl", 2, "", "bad"),
        ("runs/a.jsonl", 4, "", "mute"),
        ("runs/b.json.gz", 2, "/0", "good"),
        ("runs/b.json.gz", 37, "/2", "bad"),
    ]
    assert [(item["file"], item["line"], item["pointer"]) for item in document["skipped"]] == [
        ("runs/a.jsonl", 3, ""),
        ("runs/b.json.gz", 34, "/1"),
        ("runs/deep/c.json", None, ""),
    ]
    assert document["runs"][1]["verification"] == plain(verify_transcript(read_transcript(BAD)).to_dict())
    assert document["totals"]["gap_rate"] == 0.3333


def test_jsonl_is_the_same_line_by_line(mixed, call) -> None:
    _, out, _ = call("verify", "runs", "--format", "jsonl", "--turns")
    lines = [json.loads(line) for line in out.splitlines()]
    for line in lines:
        VALIDATOR.validate(line)
    assert [line["kind"] for line in lines] == ["run"] * 5 + ["skipped"] * 3 + ["totals"]
    _, out, _ = call("verify", "runs", "--format", "json", "--turns")
    document = json.loads(out)
    VALIDATOR.validate(document)
    assert [{k: v for k, v in line.items() if k != "kind"} for line in lines[:5]] == document["runs"]


def test_jsonl_of_one_run_has_the_same_form(folder, call) -> None:
    (folder / "run.json").write_text(json.dumps(GOOD))
    _, out, _ = call("verify", "run.json", "--format", "jsonl")
    assert [json.loads(line)["kind"] for line in out.splitlines()] == ["run", "totals"]


@pytest.mark.parametrize("form", sorted(RENDERERS))
def test_jobs_change_nothing_but_the_time(folder, call, monkeypatch, form) -> None:
    monkeypatch.setattr("receipts_middleware.cli.inputs.batches.BATCH_ITEMS", 2)
    for name in "abc":
        (folder / f"{name}.jsonl").write_text(to_lines(*(make_run(f"{name}{n}") for n in range(7)), BAD))
    alone = call("verify", ".", "--format", form)
    assert call("verify", ".", "--format", form, "--jobs", "2") == alone
    assert alone[0] == 1


def test_verbose_reports_every_run_and_how_it_was_read(mixed, call) -> None:
    _, out, err = call("verify", "runs/a.jsonl", "--verbose")
    assert out.count("verdict") == 3
    assert "runs/a.jsonl:1: read as openai_chat: 4 messages, 1 turn, 1 call, 0 receipts stamped and 1 not" in err


def test_quiet_says_only_what_could_not_be_read(mixed, call) -> None:
    code, out, err = call("verify", "runs", "--quiet")
    assert (code, out) == (1, "")
    assert err.count("\n") == 3


def test_output_goes_to_the_file_alone(mixed, call) -> None:
    code, out, _ = call("verify", "runs", "--format", "json", "--output", "report.json")
    assert (code, out) == (1, "")
    VALIDATOR.validate(json.loads((mixed / "report.json").read_text()))


# --- exit codes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "options", "code"),
    [
        ([GOOD, GOOD], [], 0),
        ([GOOD, MUTE], [], 0),
        ([GOOD, BAD], [], 1),
        ([GOOD, BAD], ["--fail-on", "never"], 0),
        ([BAD, REFUND], [], 2),
        ([GOOD, REFUND], ["--fail-on", "never"], 2),
        ([GOOD, MUTE], ["--require-checked"], 3),
        ([GOOD, GOOD], ["--require-checked"], 0),
        ([GOOD, {"not": "a run"}], [], 3),
        ([GOOD, BAD, {"not": "a run"}], [], 1),
        ([GOOD, {"not": "a run"}], ["--fail-on", "never"], 3),
        ([GOOD, ASKED], [], 0),
        ([ASKED, ASKED], [], 3),
    ],
)
def test_exit_code_is_the_worst_of_the_runs(folder, call, runs, options, code) -> None:
    (folder / "runs.jsonl").write_text(to_lines(*runs))
    assert call("verify", "runs.jsonl", *options)[0] == code
    for number, run in enumerate(runs):
        (folder / f"{number}.json").write_text(json.dumps(run))
    one = [call("verify", f"{number}.json", *options)[0] for number in range(len(runs))]
    if ASKED not in runs:
        assert min(one, key=[2, 1, 3, 0].index) == code


@pytest.mark.parametrize(
    "text", ["", json.dumps([]), json.dumps(ASKED), to_lines(ASKED, ASKED), json.dumps({"messages": []}), "words", "{}"]
)
def test_file_without_a_turn_is_a_loud_error(folder, call, text) -> None:
    (folder / "x.json").write_text(text)
    (folder / "good.json").write_text(json.dumps(GOOD))
    code, _, err = call("verify", "x.json", "good.json")
    assert code == 3
    assert err.startswith("receipts: x.json")
    assert err.count("\n") == 1


def test_missing_file_never_loses_the_others(folder, call) -> None:
    (folder / "good.json").write_text(json.dumps(GOOD))
    code, out, err = call("verify", "good.json", "no-such.json", "good.json")
    assert code == 3
    assert err.startswith("receipts: cannot read no-such.json: ")
    assert "2 runs" in out


def test_line_that_a_crash_cut_off_is_told_of_and_fails_nothing(folder, call) -> None:
    (folder / "chat.jsonl").write_text(to_lines(*GOOD["messages"]) + '{"role": "ass')
    code, out, err = call("verify", "chat.jsonl")
    assert code == 0
    assert err == "receipts: chat.jsonl: 1 line could not be read: line 5, the last, is cut off\n"
    assert out.startswith("reply (message 4)")


def test_line_within_a_run_that_is_bad_fails(folder, call) -> None:
    lines = to_lines(*GOOD["messages"]).splitlines(keepends=True)
    (folder / "chat.jsonl").write_text("".join([*lines[:2], "nonsense\n", *lines[2:]]))
    code, _, err = call("verify", "chat.jsonl")
    assert code == 3
    assert err.startswith("receipts: chat.jsonl:3: not JSON")


def test_many_errors_are_counted_and_not_all_told(folder, call) -> None:
    (folder / "x.jsonl").write_text(to_lines(GOOD, GOOD, GOOD) + "nonsense\n" * 30)
    code, out, err = call("verify", "x.jsonl")
    assert (code, err.count("\n")) == (3, 21)
    assert err.endswith("... and 10 more like these; --verbose shows all\n")
    assert "30 records skipped" in out
    assert call("verify", "x.jsonl", "--verbose")[2].count("not JSON") == 30


def test_bug_over_one_run_never_loses_the_others(folder, call, monkeypatch) -> None:
    (folder / "x.jsonl").write_text(to_lines(GOOD, BAD, GOOD))

    def broken(transcript, **options):
        if "courier" in transcript.messages[-1].text:
            raise ZeroDivisionError("oops")
        return verify_transcript(transcript, **options)

    monkeypatch.setattr("receipts_middleware.cli.runs.work.verify_transcript", broken)
    code, out, err = call("verify", "x.jsonl")
    assert code == 3
    assert err.startswith("receipts: this is a bug in receipts (ZeroDivisionError: oops at test_runs.py:")
    assert "over x.jsonl:2); please report it" in err
    assert "2 runs" in out


# --- options --------------------------------------------------------------------------------------------


def test_input_format_by_name(folder, call) -> None:
    (folder / "x.json").write_text(json.dumps(GOOD))
    assert call("verify", "x.json", "--input-format", "openai-chat")[0] == 0
    code, _, err = call("verify", "x.json", "--input-format", "nonsense")
    assert code == 3
    assert "give auto or one of" in err


def test_explain_needs_no_path(folder, call) -> None:
    code, out, err = call("verify", "--explain", "claim_failed")
    assert (code, err) == (0, "")
    assert "severity  error" in out
    assert "Leaves alone" in out
    code, out, err = call("verify", "--explain", "no_rule")
    assert (code, out) == (3, "")
    assert "claim_failed" in err


@pytest.mark.parametrize(
    ("words", "index", "wanted"),
    [
        ("receipts verify --explain claim_f", 3, "plain,claim_failed"),
        ("receipts verify --input-format messa", 3, "plain,messages"),
        ("receipts verify --format js", 3, "plain,jsonl"),
        ("receipts verify run", 2, "file,run"),
        ("receipts led", 1, "plain,ledger"),
    ],
)
def test_shells_can_complete(words: str, index: int, wanted: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from receipts_middleware.cli import main; main()"],
        env={**os.environ, "_RECEIPTS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(index)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert wanted in done.stdout.splitlines(), done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interruption_ends_all_processes_at_once(folder, jobs) -> None:
    (folder / "x.jsonl").write_text(to_lines(*(make_run(str(n)) for n in range(2_000))))
    # A job in the background of a shell is started with the signal ignored, and so are its children.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{heard}; from receipts_middleware.cli import main; main()"
    command = [sys.executable, "-c", program, "verify", "x.jsonl", "--output", "out.txt", "--jobs", jobs, "--verbose"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"receipts: x.jsonl:1: read as")
        os.killpg(process.pid, signal.SIGINT)
        process.stderr.read()  # ends once the last process has ended
    assert process.returncode == 130


def test_progress_is_shown_on_a_terminal_alone(folder) -> None:
    (folder / "x.jsonl").write_text(to_lines(*(make_run(str(n)) for n in range(20))))
    program = (
        "import receipts_middleware.cli.runs.progress as p\np._PATIENCE = 0\n"
        "from receipts_middleware.cli import main\nmain(['verify', 'x.jsonl', '--output', 'out.txt'])"
    )
    command = [sys.executable, "-c", program]
    quiet = subprocess.run(command, capture_output=True, check=False)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, b"", b"")
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=env, check=False)
    os.close(theirs)
    assert (shown.returncode, shown.stdout) == (0, b"")
    assert b"runs" in os.read(ours, 1 << 16)
    os.close(ours)
