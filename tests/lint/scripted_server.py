"""A server that answers as a script says, over stdio: what the SDK's own server would never send.

The argument is JSON: `pages` are the results of tools/list in order, the last one again and again with `repeat`;
`endless` pages come of themselves; `mode` makes it misbehave before that.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

script = json.loads(sys.argv[1])
mode = script.get("mode", "")


def send(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if mode == "silent":  # and deaf to a friendly end, as is what it started
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(120)"
    child = subprocess.Popen([sys.executable, "-c", code])
    Path(script["pids"]).write_text(f"{os.getpid()} {child.pid}")
    time.sleep(120)
if mode == "flood":
    while True:
        sys.stdout.write("x" * 65_536)
if mode == "noise":
    print("Starting up ...", flush=True)
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/unheard_of"}), flush=True)

asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        if mode == "dies":
            print("no database\x1b[31m configured", file=sys.stderr)
            sys.exit(3)
        if mode == "refuses":
            send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602, "message": "not today"}})
            continue
        chosen = "1999-01-01" if mode == "old" else message["params"]["protocolVersion"]
        info = {"name": "scripted", "version": "1"}
        result = {"protocolVersion": chosen, "capabilities": {"tools": {}}, "serverInfo": info}
        send({"jsonrpc": "2.0", "id": message["id"], "result": result})
    elif message.get("method") == "tools/list":
        if mode == "no tools":
            send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
            continue
        if script.get("endless"):
            tool = {"name": f"tool_{asked}", "inputSchema": {"type": "object"}}
            page = {"tools": [tool], "nextCursor": f"page {asked + 1}"}
        else:
            pages = script["pages"]
            page = pages[min(asked, len(pages) - 1)] if script.get("repeat") else pages[asked]
        expected = (
            None if not asked or script.get("repeat") or script.get("endless") else pages[asked - 1]["nextCursor"]
        )
        given = (message.get("params") or {}).get("cursor")
        if expected is not None and given != expected:
            sys.exit(f"asked with the cursor {given!r}")
        asked += 1
        send({"jsonrpc": "2.0", "id": message["id"], "result": page})
