"""Sources of tools that need no MCP server: files, Python, addresses, transcripts; what sources and headers mean."""

from __future__ import annotations

import importlib
import json
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from receipts_middleware import read_transcript
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.toolspec import read_tools
from receipts_middleware.lint.sources import (
    ToolSourceError,
    aload_tools,
    fetch_tools,
    load_tools,
    parse_headers,
    tools_of_transcript,
)
from receipts_middleware.lint.sources.headers import without_values
from receipts_middleware.lint.sources.source import MAX_DOCUMENT_BYTES, parse_source

TOOLS = [{"name": "send_email", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}}}]
SECRET = "s3cr3t-t0ken"


@pytest.mark.rows("lint/sources.json")
def test_what_a_source_is(row: dict) -> None:
    if "error" in row:
        with pytest.raises(ToolSourceError, match=row["error"]):
            parse_source(row["text"])
        return
    found = parse_source(row["text"], is_file=row.get("is_file", False))
    assert (found.kind, found.target) == (row["kind"], row["target"])
    if "origin_shown" in row:
        assert found.origin == row["origin_shown"]


@pytest.mark.rows("lint/headers.json")
def test_headers(row: dict) -> None:
    if "error" in row:
        with pytest.raises(UsageError, match=row["error"]) as raised:
            parse_headers(row["lines"], row["environment"])
        assert "secret" not in str(raised.value)
        return
    assert parse_headers(row["lines"], row["environment"]) == row["headers"]


def test_no_value_of_a_header_is_left_in_a_text() -> None:
    headers = {"Authorization": "Bearer abcdefgh", "X": "12", "Y": ""}
    assert without_values("a Bearer abcdefgh b abcdefgh c", headers) == "a *** b *** c"


# --- files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps(TOOLS)),
        ("a.txt", json.dumps({"tools": TOOLS})),
        ("a.json", json.dumps({"result": {"tools": TOOLS}}, indent=2)),
        ("a.jsonl", json.dumps(TOOLS[0]) + "\n"),
        (
            "a.yaml",
            "tools:\n- name: send_email\n  inputSchema:\n    type: object\n    properties: {to: {type: string}}",
        ),
        ("a", "- name: send_email\n  inputSchema: {type: object, properties: {to: {type: string}}}\n"),
    ],
)
def test_files_of_every_shape(tmp_path, name, text) -> None:
    file = tmp_path / name
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        file.write_text(text, encoding=encoding)
        (found,) = load_tools(str(file))
        assert found.name == "send_email"
        assert found.schema == TOOLS[0]["inputSchema"]
        assert found.origin == str(file)


def test_lines_with_a_tool_each(tmp_path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"name": "a"}\n\n{"name": "b"}\n')
    assert [tool.name for tool in load_tools(str(file))] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"{", "is not JSON"),
        (b"just words", "is not JSON"),
        (b"\xff\xfe\x00", "is not UTF-8|is empty|is not JSON"),
        (b"\x80", "byte 0 is not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b"[]", "holds no tools"),
        (b"{}", "holds no tools"),
        (b"null", "holds no tools"),
    ],
)
def test_file_without_tools(tmp_path, text, why) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(text)
    with pytest.raises(ToolSourceError, match=why):
        load_tools(str(file))


def test_yaml_that_expands_is_refused(tmp_path) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join(['*' + a] * 10)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    file = tmp_path / "a.yaml"
    file.write_text("\n".join(lines))
    with pytest.raises(ToolSourceError, match="aliases"):
        load_tools(str(file))


def test_file_that_is_not_there_or_too_long(tmp_path) -> None:
    with pytest.raises(ToolSourceError, match="No such file"):
        load_tools("no/such/tools.json")
    with pytest.raises(ToolSourceError, match="directory"):
        load_tools(str(tmp_path))
    with pytest.raises(ToolSourceError, match="null"):
        load_tools("a\0b")
    file = tmp_path / "a.json"
    with file.open("wb") as handle:
        handle.truncate(MAX_DOCUMENT_BYTES + 1)
    with pytest.raises(ToolSourceError, match="longer than 32 MiB"):
        load_tools(str(file))


# --- Python ----------------------------------------------------------------------------------------------

MODULE = '''
print("hello from the module")
from typing import Annotated
from langchain_core.tools import BaseTool, InjectedToolCallId, tool

@tool
def send_email(to: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Send one."""
    return to

def refund(order_id: str, cents: int = 0):
    """Pay back."""

async def bare(x): ...

class Kit:
    def get_tools(self):
        return [send_email]

class Client:
    async def get_tools(self):
        return [send_email, refund]

class Holder:
    tools = [send_email, {"name": "plain", "parameters": {"type": "object"}}]

TOOLS = [send_email, refund, bare]
NESTED = [Kit(), [refund], {"name": "plain"}]
DOCUMENT = {"tools": [send_email, refund]}
NAMED = {"pay": refund}
NONE = []
EXIT = property(lambda self: 1)

def make():
    return TOOLS

async def amake():
    return TOOLS

def lazily():
    yield send_email

def broken():
    raise RuntimeError("no settings")

def leaves():
    raise SystemExit(0)
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "shop_tools.py").write_text(MODULE)
    (tmp_path / "shop_broken.py").write_text("import nothing_of_this_name_at_all")
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)
    for name in ("shop_tools", "shop_broken"):  # an example of the documentation has one of this name
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    yield
    assert sys.path == path
    for name in ("shop_tools", "shop_broken"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("attribute", "names"),
    [
        ("TOOLS", ["send_email", "refund", "bare"]),
        ("send_email", ["send_email"]),
        ("refund", ["refund"]),
        ("Holder.tools", ["send_email", "plain"]),
        ("NESTED", ["send_email", "refund", "plain"]),
        ("DOCUMENT", ["send_email", "refund"]),
        ("NAMED", ["refund"]),
        ("make()", ["send_email", "refund", "bare"]),
        ("amake()", ["send_email", "refund", "bare"]),
        ("lazily()", ["send_email"]),
        ("Kit()", ["send_email"]),
        ("Client()", ["send_email", "refund"]),
    ],
)
def test_python_objects(module, capsys, attribute, names) -> None:
    for where in (f"shop_tools:{attribute}", f"./shop_tools.py:{attribute}"):
        found = load_tools(where)
        assert [tool.name for tool in found] == names
        assert all(tool.problem is None for tool in found)
        for tool in found:
            if tool.name == "send_email":  # what the framework injects, no model gives
                assert list(tool.schema["properties"]) == ["to"]
            if tool.name == "refund":
                assert tool.schema["required"] == ["order_id"]
    assert capsys.readouterr().out == ""


async def test_python_in_a_running_loop(module) -> None:
    assert [tool.name for tool in await aload_tools("shop_tools:amake()")] == ["send_email", "refund", "bare"]
    assert [spec.name for spec in read_tools(fetch_tools("shop_tools:TOOLS").document)] == [
        "send_email",
        "refund",
        "bare",
    ]


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("no_such_module_here:x", "there is no module no_such_module_here"),
        ("shop_tools.deeper:x", "there is no module shop_tools.deeper"),
        ("shop_tools:missing", "shop_tools has no 'missing'"),
        ("shop_tools:Holder.missing", "AttributeError"),
        ("shop_tools:broken()", "RuntimeError: no settings at shop_tools.py:"),
        ("shop_tools:leaves()", "SystemExit"),
        ("shop_broken:x", "No module named 'nothing_of_this_name_at_all'"),
        ("shop_tools:NONE", "holds no tools"),
        ("./nowhere.py:x", "there is no file ./nowhere.py"),
    ],
)
def test_python_that_gives_no_tools(module, where, why) -> None:
    with pytest.raises(ToolSourceError, match=why):
        load_tools(where)


def test_server_object_of_the_sdk_is_asked_for_its_tools(module, tmp_path) -> None:
    (tmp_path / "shop_server.py").write_text(
        "try:\n    from mcp.server.fastmcp import FastMCP\n"
        "except ImportError:\n    from mcp.server.mcpserver import MCPServer as FastMCP\n"
        "server = FastMCP('shop')\n@server.tool()\ndef refund(order_id: str) -> str:\n    return order_id\n"
    )
    (found,) = load_tools("shop_server.py:server")
    assert found.name == "refund"
    assert found.schema["required"] == ["order_id"]


# --- addresses -------------------------------------------------------------------------------------------


class _Handler(BaseHTTPRequestHandler):
    seen: list[tuple[str, str | None]] = []  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("X-Key")))
        port = self.server.server_port
        body, status, headers = json.dumps(TOOLS).encode(), 200, {}
        if self.path == "/near":
            status, headers = 302, {"Location": "/tools.json"}
        elif self.path == "/far":
            status, headers = 302, {"Location": f"http://localhost:{port}/tools.json"}
        elif self.path == "/file":
            status, headers = 302, {"Location": "file:///etc/hostname"}
        elif self.path == "/round":
            status, headers = 302, {"Location": "/round"}
        elif self.path == "/locked":
            status, body = 401, b"your key " + self.headers.get("X-Key", "").encode()
        elif self.path == "/slow":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            for _ in range(100):
                try:
                    self.wfile.write(b" ")
                    self.wfile.flush()
                except OSError:
                    return
                threading.Event().wait(0.05)
            return
        elif self.path == "/long":
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(1_000):
                    self.wfile.write(b" " * 65_536)
            except OSError:
                pass
            return
        elif self.path.startswith("/html"):
            body = b"<html>"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def web_server():
    handler = type("Handler", (_Handler,), {"seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.seen
    finally:
        server.shutdown()
        server.server_close()


def test_plain_get_with_headers_to_its_own_origin_alone() -> None:
    with web_server() as (origin, seen):
        for path in ("/tools.json?key=" + SECRET, "/near", "/far"):
            (found,) = load_tools(origin + path, headers={"X-Key": SECRET})
            assert found.name == "send_email"
            assert SECRET not in found.origin
    assert [key for path, key in seen if not path.startswith("/tools.json")] == [SECRET, SECRET]
    assert [key for path, key in seen if path.startswith("/tools.json")] == [SECRET, SECRET, None]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/locked", r"refuses it \(401\)"),
        ("/file", "redirects to nothing"),
        ("/round", "redirects to nothing"),
        ("/slow", "nothing within 1 s|timed out"),
        ("/long", "longer than 32 MiB"),
        ("/html", "is not JSON"),
    ],
)
def test_get_that_gives_no_tools(path, why) -> None:
    with web_server() as (origin, _):
        seconds = 20 if path == "/long" else 1
        with pytest.raises(ToolSourceError, match=why) as raised:
            load_tools(f"{origin}{path}?key={SECRET}" if path == "/html" else origin + path, timeout_seconds=seconds)
        assert SECRET not in str(raised.value)


def test_address_that_nobody_answers() -> None:
    with pytest.raises(ToolSourceError, match="cannot be reached"):
        load_tools("http://127.0.0.1:1/tools.json")


# --- transcripts -----------------------------------------------------------------------------------------

RUN = {
    "tools": [{"type": "function", "function": {"name": "send_email", "parameters": {"type": "object"}}}, "log"],
    "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}],
}


def test_tools_that_a_transcript_records(tmp_path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps(RUN))
    found = load_tools(f"transcript:{file}")
    assert [(tool.name, tool.schema) for tool in found] == [("send_email", {"type": "object"}), ("log", None)]
    own = tools_of_transcript(read_transcript(RUN))
    assert [(tool.name, tool.schema) for tool in own] == [(tool.name, tool.schema) for tool in found]
    assert {tool.origin for tool in own} == {"transcript"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "No such file"),
        (json.dumps({"messages": RUN["messages"]}), "records no tools"),
        ("{", "no transcript"),
    ],
)
def test_transcript_without_tools(tmp_path, content, why) -> None:
    file = tmp_path / "run.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ToolSourceError, match=why):
        load_tools(f"transcript:{file}")


def test_the_word_transcript_alone_has_no_tools_of_its_own() -> None:
    with pytest.raises(ToolSourceError, match="transcript:FILE"):
        load_tools("transcript")
