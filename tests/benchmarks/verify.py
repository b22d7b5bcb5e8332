"""Speed and memory of `receipts verify` over generated JSON lines, and the share of the time that is spent parsing.

    python tests/benchmarks/verify.py                # 200 MB, one job and two
    python tests/benchmarks/verify.py --mb 20 --turns

The command runs as a process of its own, so that its memory is its own; the share is measured in this one, on the first
megabytes. Runs are of the shape of a support desk: a few calls with results of some kilobytes, and a reply with claims.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from receipts_middleware.cli.inputs import find_files, parse_record, read_batches
from receipts_middleware.cli.inputs.batches import Record
from receipts_middleware.core.verify import verify_replies, verify_transcript
from receipts_middleware.readers.registry import read_record

#: Bytes on which the shares are measured.
SHARE_BYTES = 4_000_000
NAMES = "Ada Ben Chloe Dev Ema Finn Gita Hugo Iris Jon".split()
TOOLS = [
    {"name": "find_orders", "description": "Find the orders of a customer."},
    {"name": "issue_refund", "description": "Refund an order."},
    {"name": "send_email", "description": "Send an email."},
]


def make_run(rng: random.Random, number: int, result_bytes: int) -> dict:
    """A run of four calls and two replies; half of the last replies say more than was done."""
    order, amount, name = str(rng.randint(10_000, 99_999)), rng.randint(500, 20_000) / 100, rng.choice(NAMES)
    rows: list[dict] = []
    while len(json.dumps(rows)) < result_bytes:
        rows.append(
            {"order_id": str(rng.randint(10_000, 99_999)), "customer": rng.choice(NAMES), "total": rng.random()}
        )
    calls = [
        ("find_orders", {"customer": name}, {"status": "ok", "orders": [{"order_id": order, "total": amount}, *rows]}),
        ("find_orders", {"order_id": order}, {"status": "ok", "orders": rows}),
        ("issue_refund", {"order_id": order, "amount": amount}, {"status": "succeeded", "refund_id": f"re_{number}"}),
        ("send_email", {"to": f"{name.lower()}@example.com"}, {"status": "sent", "message_id": f"msg_{number}"}),
    ]
    messages: list[dict] = [{"role": "user", "content": f"Refund order {order} and tell {name}."}]
    for index, (tool, arguments, result) in enumerate(calls):
        function = {"name": tool, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{index}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{index}", "content": json.dumps(result)})
    extra = " I also booked a courier for Friday." if number % 2 else ""
    messages.append({"role": "assistant", "content": f"I found order {order} and refunded {amount:.2f} for it.{extra}"})
    messages.append({"role": "user", "content": "Thanks. Did the mail go out?"})
    messages.append({"role": "assistant", "content": f"Yes, I emailed {name.lower()}@example.com.{extra}"})
    return {"id": f"run-{number}", "tools": TOOLS, "messages": messages}


def write_file(path: Path, size: int, result_bytes: int) -> int:
    """Write about so many bytes; gives the number of runs."""
    rng = random.Random(0)
    lines = [json.dumps(make_run(rng, number, result_bytes)) + "\n" for number in range(400)]
    written = runs = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            line = lines[runs % len(lines)]
            file.write(line)
            written += len(line)
            runs += 1
    return runs


def run_command(path: Path, *, jobs: int, turns: bool) -> dict[str, float]:
    """Seconds, processor seconds and peak memory of the largest process, over a whole file."""
    command = [
        sys.executable,
        "-c",
        "from receipts_middleware.cli import main; main()",
        "verify",
        str(path),
        "--format",
    ]
    command += [
        "jsonl",
        "--output",
        os.devnull,
        "--fail-on",
        "never",
        "--jobs",
        str(jobs),
        *(["--turns"] if turns else []),
    ]
    program = (
        "import resource, subprocess, sys, time, json\n"
        "start = time.perf_counter()\ncode = subprocess.run(sys.argv[1:]).returncode\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([code, time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss]))"
    )
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=True)
    code, wall, processor, peak = json.loads(done.stdout)
    if code not in (0, 2):
        raise RuntimeError(done.stderr)
    return {"seconds": wall, "processor_seconds": processor, "peak_mb": peak / 1024}


def measure_shares(path: Path, *, turns: bool) -> dict[str, float]:
    """Shares of the time of one process: cutting, parsing, reading, verifying."""
    spent = dict.fromkeys(("cut", "parse", "read", "verify"), 0.0)
    seen = 0
    batches = read_batches(find_files([str(path)]))
    while seen < SHARE_BYTES:
        start = time.perf_counter()
        batch = next(batches, None)
        spent["cut"] += time.perf_counter() - start
        if batch is None:
            break
        for item in batch.items:
            assert isinstance(item, Record)
            seen += len(item.cut.data)
            start = time.perf_counter()
            value = parse_record(item.cut.data)
            parsed = time.perf_counter()
            (transcript,) = read_record(value)
            read = time.perf_counter()
            _ = list(verify_replies(transcript)) if turns else verify_transcript(transcript)
            spent["parse"] += parsed - start
            spent["read"] += read - parsed
            spent["verify"] += time.perf_counter() - read
    total = sum(spent.values())
    return {name: round(seconds / total, 4) for name, seconds in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, default=200.0)
    parser.add_argument("--result-bytes", type=int, default=4_000)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--turns", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        runs = write_file(path, int(options.mb * 1e6), options.result_bytes)
        size = path.stat().st_size / 1e6
        out: dict[str, object] = {"mb": round(size, 1), "runs": runs, "turns": options.turns}
        out["shares"] = measure_shares(path, turns=options.turns)
        for jobs in options.jobs:
            found = run_command(path, jobs=jobs, turns=options.turns)
            out[f"jobs_{jobs}"] = {
                "seconds": round(found["seconds"], 1),
                "mb_per_second": round(size / found["seconds"], 2),
                "mb_per_processor_second": round(size / found["processor_seconds"], 2),
                "runs_per_second": round(runs / found["seconds"]),
                "peak_mb_of_the_largest_process": round(found["peak_mb"]),
            }
        out["this_process_peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
