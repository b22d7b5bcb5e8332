"""What starting costs: the package alone, its parts when they are first asked for, and the first judgement.

    python tests/benchmarks/imports.py [PROCESSES]

Each row is the median over fresh processes, in milliseconds of the process's own time, so that a busy machine changes
it little; the interpreter's start is not in it. Bytecode is warm: the first process of a row is left out, and writing
bytecode is never switched off. `import json` in the same run is the measure of the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median

#: A run as most are: two calls, their results, and a reply in plain words.
RUN = """
from receipts_middleware import verify_messages
def call(name, args): return {"id": name, "type": "function", "function": {"name": name, "arguments": args}}
messages = [
    {"role": "user", "content": "Refund order 4821 and tell Dana."},
    {"role": "assistant", "content": "", "tool_calls": [call("issue_refund", '{"order_id": "4821", "amount": 64.0}')]},
    {"role": "tool", "tool_call_id": "issue_refund", "content": '{"status": "succeeded", "refund_id": "re_1"}'},
    {"role": "assistant", "content": "I refunded order 4821 ($64) and emailed Dana."},
]
tools = ["issue_refund", "send_email"]
"""
JUDGE = "verify_messages(messages, tools=tools)"
#: What is measured, and what comes before it.
ROWS = (
    ("import json", "import json", ""),
    ("import receipts_middleware", "import receipts_middleware", ""),
    ("from receipts_middleware import UsageError", "from receipts_middleware import UsageError", ""),
    ("from receipts_middleware import parse_citations", "from receipts_middleware import parse_citations", ""),
    ("from receipts_middleware import read_transcript", "from receipts_middleware import read_transcript", ""),
    ("from receipts_middleware import verify_messages", "from receipts_middleware import verify_messages", ""),
    ("from receipts_middleware import *", "from receipts_middleware import *", ""),
    ("the first judgement of a short reply", JUDGE, RUN),
    ("the second", JUDGE, f"{RUN}\n{JUDGE}"),
)
CODE = (
    "{before}\n"
    "import sys, time\n"
    "held = len(sys.modules)\n"
    "begun = time.process_time()\n"
    "{statement}\n"
    "print((time.process_time() - begun) * 1000, len(sys.modules) - held)\n"
)


def measure(statement: str, before: str) -> tuple[float, int]:
    """Milliseconds and number of modules of one statement, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(statement=statement, before=before)],
        capture_output=True,
        text=True,
        check=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    )
    taken, loaded = done.stdout.split()
    return float(taken), int(loaded)


def main() -> None:
    """Print a row for each."""
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    print(f"{'':<52}{'ms':>8}{'x json':>9}{'modules':>9}")
    base = 0.0
    for name, statement, before in ROWS:
        measure(statement, before)
        runs = [measure(statement, before) for _ in range(processes)]
        taken = median(time for time, _ in runs)
        base = base or taken
        print(f"{name:<52}{taken:>8.1f}{taken / base:>9.2f}{runs[0][1]:>9}")


if __name__ == "__main__":
    main()
