"""One process of test_load.py: threads that record executions into a shared sink as fast as they can.

python load_worker.py URL PROCESS THREADS EXECUTIONS
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from receipts_middleware import Recorder
from receipts_middleware.store import open_sink


def main() -> None:
    where, process, threads, executions = sys.argv[1], *map(int, sys.argv[2:5])
    with open_sink(where) as sink:

        def work(k: int) -> None:
            recorder = Recorder(sink, run=f"p{process}.t{k}", on_sink_error="raise")
            for i in range(executions):
                with recorder.call("act", {"i": i}, tool_call_id=f"c{i}") as call:
                    call.returned(f"done {i}")

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads)))


if __name__ == "__main__":
    main()
