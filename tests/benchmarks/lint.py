"""Speed and memory of `receipts lint` over a generated tape of calls, beside another linter where one is given.

    python tests/benchmarks/lint.py                                   # 50 MB of bare calls, and of chat messages
    python tests/benchmarks/lint.py --mb 5 --rival .venv-other/bin/toolcall-linter

Each command runs as a process of its own, so that its time and memory are its own; the rival, which reads bare calls
too, gets the same tape and the same tools. Processor time is what is compared, since other work on the machine does not
count in it. The tape is a text in which 3 % of the calls are spoiled in one of four ways.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TEXT, INTEGER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
WORDS = "the order was late and the customer asked for a refund of the shipping cost while we wait for stock".split()


def _object(properties: dict, required: list[str], **more: object) -> dict:
    return {"type": "object", "properties": properties, "required": required, **more}


_WHO = _object({"name": TEXT, "email": TEXT}, ["email"])
_TAGS = {"type": "array", "items": TEXT}
SCHEMAS: dict[str, dict] = {
    "send_email": _object(
        {"to": {"type": "array", "items": {"type": "string", "format": "email"}}, "subject": TEXT, "body": TEXT},
        ["to", "subject", "body"],
        additionalProperties=False,
    ),
    "refund_order": _object(
        {
            "order_id": {"type": "string", "pattern": "^ORD-[0-9]+$"},
            "amount": {"type": "number", "minimum": 0},
            "currency": {"enum": ["USD", "EUR", "GBP"]},
        },
        ["order_id", "amount"],
        additionalProperties=False,
    ),
    "read_file": _object({"path": TEXT, "offset": INTEGER, "limit": {"type": "integer", "minimum": 1}}, ["path"]),
    "write_file": _object(
        {"path": TEXT, "content": TEXT, "mode": {"enum": ["overwrite", "append"]}}, ["path", "content"]
    ),
    "search": _object(
        {"query": TEXT, "filters": _object({"since": {"type": "string", "format": "date"}, "tags": _TAGS}, [])},
        ["query"],
    ),
    "create_event": {
        **_object(
            {
                "title": TEXT,
                "start": TEXT,
                "attendees": {"type": "array", "items": {"$ref": "#/$defs/who"}},
                "remind": FLAG,
            },
            ["title", "start"],
        ),
        "$defs": {"who": _WHO},
    },
    "set_flag": _object({"flag": TEXT, "on": FLAG}, ["flag", "on"], additionalProperties=False),
}


def words(rng: random.Random, count: int) -> str:
    """Some words."""
    return " ".join(rng.choice(WORDS) for _ in range(count))


def make_arguments(rng: random.Random, tool: str) -> dict:
    """Arguments that fit."""
    number = rng.randrange(10_000)
    made = {
        "send_email": lambda: {
            "to": [f"u{number}@example.com"],
            "subject": words(rng, 5),
            "body": words(rng, rng.randint(20, 80)),
        },
        "refund_order": lambda: {"order_id": f"ORD-{number}", "amount": number / 100, "currency": "EUR"},
        "read_file": lambda: {"path": f"src/app/module_{number}.py", "offset": number, "limit": 200},
        "write_file": lambda: {
            "path": f"src/app/module_{number}.py",
            "content": "\n".join(words(rng, 12) for _ in range(rng.randint(3, 30))),
            "mode": "overwrite",
        },
        "search": lambda: {"query": words(rng, 4), "filters": {"since": "2026-01-05", "tags": [words(rng, 1)]}},
        "create_event": lambda: {
            "title": words(rng, 4),
            "start": "2026-03-05T10:00:00Z",
            "attendees": [{"name": words(rng, 2), "email": "a@example.com"} for _ in range(rng.randint(1, 5))],
            "remind": True,
        },
        "set_flag": lambda: {"flag": words(rng, 1), "on": True},
    }
    return made[tool]()


def spoil(rng: random.Random, tool: str, arguments: dict) -> tuple[str, dict]:
    """A call with something wrong: an argument missing, of the wrong type or too many, or the tool misspelt."""
    way = rng.randrange(4)
    if way == 0:
        return tool, dict(list(arguments.items())[1:])
    if way == 1:
        return tool, {key: str(v) if isinstance(v, int | float) else 1 for key, v in arguments.items()}
    return (tool, {**arguments, "extra_thing": 1}) if way == 2 else (f"{tool}s", arguments)


def write_tape(path: Path, megabytes: float, form: str) -> tuple[int, int]:
    """Write a tape; gives calls and bytes."""
    rng = random.Random(7)
    size = count = 0
    with path.open("w", encoding="utf-8") as file:
        while size < megabytes * 1_000_000:
            tool = rng.choice(list(SCHEMAS))
            arguments = make_arguments(rng, tool)
            if rng.random() < 0.03:
                tool, arguments = spoil(rng, tool, arguments)
            count += 1
            line: dict = {"name": tool, "input": arguments}
            if form == "messages":
                call = {"id": f"call_{count}", "type": "function"}
                call |= {"function": {"name": tool, "arguments": json.dumps(arguments)}}
                line = {"role": "assistant", "content": None, "tool_calls": [call]}
            text = json.dumps(line) + "\n"
            file.write(text)
            size += len(text)
    return count, size


def measure(command: list[str], size: int, output: Path) -> dict:
    """Run a command once; gives its rates, its memory and its exit code."""
    begun = time.perf_counter()
    with output.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return {
        "exit_code": process.returncode,
        "elapsed_s": round(time.perf_counter() - begun, 1),
        "processor_s": round(seconds, 1),
        "mb_per_processor_s": round(size / 1_000_000 / seconds, 3),
        "peak_mb": round(usage.ru_maxrss / 1024),
    }


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, default=50)
    parser.add_argument("--rival", help="command of another linter that takes a tape, --tools and --format json")
    options = parser.parse_args()
    ours = [sys.executable, "-c", "from receipts_middleware.cli import main; main()", "lint"]
    result: dict[str, object] = {"mb": options.mb}
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder) / "tools.json"
        tools.write_text(json.dumps([{"name": name, "inputSchema": schema} for name, schema in SCHEMAS.items()]))
        for form in ("bare_calls", "messages"):
            tape = Path(folder) / f"{form}.jsonl"
            calls, size = write_tape(tape, options.mb, form)
            arguments = [str(tape), "--tools", str(tools), "--format", "json"]
            found = measure([*ours, *arguments], size, Path(folder) / "report.json")
            found["findings"] = len(json.loads((Path(folder) / "report.json").read_text())["findings"])
            row: dict[str, object] = {"calls": calls, "receipts": found}
            if options.rival and form == "bare_calls":
                rival = row["rival"] = measure([options.rival, *arguments], size, Path(folder) / "rival.json")
                row["times_as_fast"] = round(found["mb_per_processor_s"] / rival["mb_per_processor_s"], 1)
            result[form] = row
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
