"""Tools from MCP servers: the SDK's own over all transports, and servers that behave as none should."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from receipts_middleware.core.toolspec import read_tools
from receipts_middleware.lint.sources import ToolSourceError, aload_tools, fetch_tools, load_tools, source
from receipts_middleware.lint.sources.mcp_listing import MAX_PAGES

HERE = Path(__file__).parent
CASES = HERE.parents[1] / "fixtures" / "cases"
SECRET = "s3cr3t-t0ken-of-the-shop"


def command(name: str, *arguments: str) -> str:
    return "mcp-stdio:" + shlex.join([sys.executable, str(HERE / name), *arguments])


def scripted(**script: object) -> str:
    return command("scripted_server.py", json.dumps(script))


@contextmanager
def sdk_server(transport: str, *arguments: str):
    """The SDK's server on a free port of the loopback interface; gives its origin."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(HERE / "sdk_server.py"), transport, str(port), *arguments])
    try:
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)


@pytest.mark.rows("lint/mcp.json")
def test_scripted_server(row: dict) -> None:
    warnings: list[str] = []
    where = scripted(**row["script"])
    if "error" in row:
        with pytest.raises(ToolSourceError) as raised:
            load_tools(where)
        assert row["error"] in str(raised.value)
        assert "mcp-stdio:" in str(raised.value)
        return
    found = load_tools(where, on_warning=warnings.append)
    assert [tool.name for tool in found] == row["tools"]
    assert [tool.name for tool in found if tool.problem] == row.get("unusable", [])
    assert len(warnings) == (0 if row["warning"] is None else 1)
    assert (row["warning"] or "") in "".join(warnings)


def test_field_case_of_pagination() -> None:
    case = json.loads((CASES / "90-mcp-pagination.json").read_text())
    first, second = case["servers"]
    assert [tool.name for tool in load_tools(scripted(**first))] == case["expect"]["tools"]
    warnings: list[str] = []
    found = load_tools(scripted(**second), on_warning=warnings.append)
    assert [tool.name for tool in found] == case["expect"]["second_server"]["tools"]
    assert case["expect"]["second_server"]["warning"] in warnings[0]


def test_field_case_of_shapes_from_a_file_and_for_every_command(tmp_path) -> None:
    case = json.loads((CASES / "89-tool-definition-shapes.json").read_text())
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(case["tools"]))
    loaded = [tool for tool in load_tools(str(file)) if tool.schema is not None]
    assert [tool.name for tool in loaded] == case["expect"]["loaded"]
    names = [spec.name for spec in read_tools([fetch_tools(str(file)).document])]
    assert names == [*case["expect"]["loaded"], *case["expect"]["skipped_builtin"]]  # called so, without a schema


def test_pages_without_end_are_read_up_to_the_bound() -> None:
    warnings: list[str] = []
    found = load_tools(scripted(endless=True), on_warning=warnings.append)
    assert len(found) == MAX_PAGES
    assert "there is more" in warnings[0]


def test_giant_list_is_cut_with_a_word(tmp_path) -> None:
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(300)]
    # 40 pages of 300: the bound on tools ends it before the bound on pages does.
    script = {"pages": [{"tools": tools, "nextCursor": str(n)} for n in range(40)]}
    file = tmp_path / "script.json"  # longer than an argument can be
    file.write_text(json.dumps(script))
    server = str(HERE / "scripted_server.py")
    code = f"import sys, runpy; sys.argv = ['x', open({str(file)!r}).read()]; runpy.run_path({server!r})"
    found = fetch_tools("mcp-stdio:" + shlex.join([sys.executable, "-c", code]))
    assert len(found.document["tools"]) == 10_200
    assert "there is more behind" in found.warnings[0]


def test_server_that_never_answers_is_ended_with_its_children(tmp_path) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(ToolSourceError, match="no list of tools within 1 s"):
        load_tools(scripted(mode="silent", pids=str(pids)), timeout_seconds=1)
    for pid in map(int, pids.read_text().split()):
        for _ in range(100):
            if not _is_running(pid):
                break
            time.sleep(0.05)
        assert not _is_running(pid)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    try:
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_line_without_end_stops_in_time() -> None:
    with pytest.raises(ToolSourceError, match="no list of tools within 1 s"):
        load_tools(scripted(mode="flood"), timeout_seconds=1)


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("mcp-stdio:no-such-command-anywhere --now", "cannot start it"),
        ("mcp-stdio:'unbalanced", "quote the command"),
        ("mcp-stdio:", "lacks the command"),
        ("mcp-http:", "lacks the address"),
        ("mcp-http:ftp://a.example/x", "is no address"),
        ("mcp-http:http://127.0.0.1:1/mcp", "cannot be reached"),
        ("mcp-sse:http://127.0.0.1:1/sse", "cannot be reached"),
    ],
)
def test_source_that_cannot_be(where: str, why: str) -> None:
    with pytest.raises(ToolSourceError, match=why):
        load_tools(where, timeout_seconds=10)


def test_sdk_server_over_stdio() -> None:
    _check_shop(command("sdk_server.py", "stdio"))


async def test_sdk_server_over_stdio_in_a_running_loop() -> None:
    found = await aload_tools(command("sdk_server.py", "stdio"))
    assert [tool.name for tool in found] == ["handle", "refund_order"]
    assert load_tools(command("sdk_server.py", "stdio")) == found  # from a thread of its own, as in a notebook


def _check_shop(where: str, **options: object) -> None:
    found = load_tools(where, **options)  # type: ignore[arg-type]
    assert [(tool.name, tool.problem) for tool in found] == [("handle", None), ("refund_order", None)]
    assert found[1].description == "Pay an order back."
    assert found[1].schema is not None
    assert found[1].schema["required"] == ["order_id", "amount"]
    # hints of the author reach those who ask what kind a tool is
    specs = read_tools(fetch_tools(where, **options).document)  # type: ignore[arg-type]
    assert [spec.kind for spec in specs] == ["reading", "acting"]


def test_sdk_server_over_streamable_http_and_sse() -> None:
    with sdk_server("streamable-http") as origin:
        _check_shop(f"mcp-http:{origin}/mcp")
        with pytest.raises(ToolSourceError, match=r"nothing at that address \(404\)"):
            load_tools(f"mcp-http:{origin}/elsewhere")
        with pytest.raises(ToolSourceError, match="status 406"):
            load_tools(f"{origin}/mcp")
    with sdk_server("sse") as origin:
        _check_shop(f"mcp-sse:{origin}/sse")
        _check_shop(f"mcp-http:{origin}/sse")  # streamable HTTP first, which this server refuses


@pytest.mark.parametrize("transport", ["streamable-http", "sse"])
def test_headers_open_the_door_and_are_never_shown(transport: str) -> None:
    path = "/mcp" if transport == "streamable-http" else "/sse"
    with sdk_server(transport, f"Bearer {SECRET}") as origin:
        _check_shop(f"mcp-http:{origin}{path}", headers={"Authorization": f"Bearer {SECRET}"})
        for headers in ({}, {"Authorization": f"Bearer {SECRET}x"}):
            with pytest.raises(ToolSourceError) as raised:
                load_tools(f"mcp-http:{origin}{path}?key={SECRET}", headers=headers)
            assert "401" in str(raised.value)
            assert "--tools-header" in str(raised.value)
            assert SECRET not in str(raised.value)


# --- HTTP servers that misbehave -------------------------------------------------------------------------


class _Odd(BaseHTTPRequestHandler):
    """Streamable HTTP with JSON answers; `mode` says what goes wrong."""

    mode = ""
    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str, str | None]] = []  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.seen.append(("GET", self.path, self.headers.get("X-Key")))
        if not self.mode.startswith("sse"):
            self._send(405, b"")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if self.mode == "sse elsewhere":
            self.wfile.write(b"event: endpoint\ndata: http://localhost:1/messages\n\n")
        try:
            while self.mode == "sse endless":
                self.wfile.write(b"data: " + b"x" * 65_536 + b"\n")
            for _ in range(100):
                self.wfile.write(b": wait\n\n")
                time.sleep(0.05)
        except OSError:
            return

    def do_DELETE(self) -> None:
        self._send(405, b"")

    def do_POST(self) -> None:
        self.seen.append(("POST", self.path, self.headers.get("X-Key")))
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message:
            self._send(202, b"")
        elif self.mode == "elsewhere":
            self._send(307, b"", Location=f"http://localhost:{self.server.server_port}/stolen")
        elif self.mode == "echo":
            said = {"code": -32000, "message": f"bad key {self.headers['X-Key']} {'x' * 5_000}"}
            self._answer({"jsonrpc": "2.0", "id": message["id"], "error": said})
        elif self.mode == "drip":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            for _ in range(200):
                try:
                    self.wfile.write(b" ")
                    self.wfile.flush()
                except OSError:
                    return
                time.sleep(0.05)
        elif self.mode == "gzip":
            self._send(200, b"\x1f\x8b", **{"Content-Type": "application/json", "Content-Encoding": "gzip"})
        elif self.mode == "html":
            self._send(200, b"<html>sign in</html>", **{"Content-Type": "text/html"})
        elif self.mode == "broken":
            self._send(200, b"{", **{"Content-Type": "application/json"})
        elif self.mode == "500":
            self._send(500, b"oops")
        elif message["method"] == "initialize":
            given = message["params"]["protocolVersion"]
            info = {"name": "odd", "version": "1"}
            result = {"protocolVersion": given, "capabilities": {"tools": {}}, "serverInfo": info}
            self._answer({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif self.mode == "giant":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for _ in range(10_000):
                    self.wfile.write(b"10000\r\n" + b" " * 65_536 + b"\r\n")
            except OSError:
                return
        else:
            page = {"tools": [{"name": "only", "inputSchema": {"type": "object"}}], "nextCursor": "same"}
            self._answer({"jsonrpc": "2.0", "id": message["id"], "result": page})

    def _answer(self, message: object) -> None:
        self._send(200, json.dumps(message).encode(), **{"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def odd_server(mode: str):
    handler = type("Handler", (_Odd,), {"mode": mode, "seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"mcp-http:http://127.0.0.1:{server.server_port}/mcp", handler.seen
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("drip", "within 2 s"),
        ("gzip", "compressed"),
        ("html", "cannot be read|within 2 s"),
        ("broken", "cannot be read|within 2 s"),
        ("500", "status 500"),
        ("giant", "more than 32 MiB"),
        ("elsewhere", r"redirects elsewhere \(307\)"),
    ],
)
def test_odd_http_server_is_told_of_in_time(mode: str, why: str) -> None:
    with odd_server(mode) as (where, seen):
        with pytest.raises(ToolSourceError, match=why):
            load_tools(where, timeout_seconds=10 if mode == "giant" else 2, headers={"X-Key": SECRET})
        assert all(path == "/mcp" for _, path, _ in seen)  # the key went nowhere else


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("sse silent", "within 2 s"),
        ("sse endless", "more than 32 MiB"),
        ("sse elsewhere", "within 2 s|origin"),
    ],
)
def test_odd_sse_server_is_told_of_in_time(mode: str, why: str) -> None:
    with odd_server(mode) as (where, seen):
        with pytest.raises(ToolSourceError, match=why):
            load_tools(
                where.replace("mcp-http:", "mcp-sse:"),
                timeout_seconds=20 if mode == "sse endless" else 2,
                headers={"X-Key": SECRET},
            )
        assert [(method, path) for method, path, _ in seen] == [("GET", "/mcp")]


def test_http_server_whose_cursor_stands_still() -> None:
    warnings: list[str] = []
    with odd_server("") as (where, seen):
        assert [t.name for t in load_tools(where, on_warning=warnings.append, headers={"X-Key": SECRET})] == ["only"]
        assert ("POST", "/mcp", SECRET) in seen
    assert "cursor_not_advancing" in warnings[0]


def test_key_that_a_server_sends_back_is_starred_out() -> None:
    with odd_server("echo") as (where, _), pytest.raises(ToolSourceError) as raised:
        load_tools(where, headers={"X-Key": SECRET})
    assert "bad key ***" in str(raised.value)
    assert SECRET not in str(raised.value)
    assert len(str(raised.value)) < 600


async def test_reading_can_be_cancelled() -> None:
    with odd_server("drip") as (where, _), pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await aload_tools(where)


def test_missing_sdk_is_told_with_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    for where in ("mcp-stdio:anything", "mcp-http:http://127.0.0.1:1/mcp"):
        with pytest.raises(ToolSourceError, match=r"pip install 'receipts-middleware\[mcp\]'"):
            load_tools(where)


def test_bounds_have_not_moved() -> None:
    assert source.MAX_DOCUMENT_BYTES == 32 << 20
