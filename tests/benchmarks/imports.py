"""What importing costs: the package alone, its parts when they are first asked for, and `import json` in the same run.

    python tests/benchmarks/imports.py [PROCESSES]

Each row is the median over fresh processes, in milliseconds of the process's own time, so that a busy machine changes
it little; the interpreter's start is not in it. Bytecode is warm: the first process of a row is left out.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

ROWS = (
    ("import json", "import json"),
    ("import receipts_middleware", "import receipts_middleware"),
    ("from receipts_middleware import UsageError", "from receipts_middleware import UsageError"),
    ("from receipts_middleware import parse_citations", "from receipts_middleware import parse_citations"),
    ("from receipts_middleware import read_transcript", "from receipts_middleware import read_transcript"),
    ("from receipts_middleware import verify_messages", "from receipts_middleware import verify_messages"),
    ("from receipts_middleware import *", "from receipts_middleware import *"),
)
CODE = (
    "import sys, time\n"
    "held = len(sys.modules)\n"
    "begun = time.process_time()\n"
    "{statement}\n"
    "print((time.process_time() - begun) * 1000, len(sys.modules) - held)\n"
)


def measure(statement: str) -> tuple[float, int]:
    """Milliseconds and number of modules of one import, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(statement=statement)], capture_output=True, text=True, check=True
    )
    taken, loaded = done.stdout.split()
    return float(taken), int(loaded)


def main() -> None:
    """Print a row for each import."""
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print(f"{'':<52}{'ms':>8}{'x json':>9}{'modules':>9}")
    base = 0.0
    for name, statement in ROWS:
        measure(statement)
        runs = [measure(statement) for _ in range(processes)]
        taken = median(time for time, _ in runs)
        base = base or taken
        print(f"{name:<52}{taken:>8.1f}{taken / base:>9.2f}{runs[0][1]:>9}")


if __name__ == "__main__":
    main()
