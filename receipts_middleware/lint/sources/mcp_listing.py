"""The tools of an MCP server over any transport of the official SDK: handshake, pages, and their bounds.

The session of the SDK refuses a whole page over one tool whose schema is no object. So the messages pass by here first:
the tools of a page are set aside as the server wrote them, and the session is handed the page without them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final, Protocol

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.lint.sources.source import ToolSourceError
from receipts_middleware.lint.tools import MAX_TOOLS

if TYPE_CHECKING:
    from types import ModuleType

#: Servers page by fifty or a hundred; this many pages are ten thousand tools and more.
MAX_PAGES: Final = 200
_NO_METHOD: Final = -32601  # JSON-RPC 2.0, section 5.1


class _Stream(Protocol):
    async def aclose(self) -> None: ...


class _Receiving(_Stream, Protocol):
    def __aiter__(self) -> AsyncIterator[object]: ...


class _Sending(_Stream, Protocol):
    async def send(self, item: Any, /) -> None: ...


@dataclass(slots=True)
class Listing:
    """What a server listed.

    Attributes:
        tools: As the server wrote them, in order. Untrusted.
        warnings: What was odd, a sentence each.
        pages: Pages that were read.
    """

    tools: list[object] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    pages: int = 0


@dataclass(slots=True)
class _Page:
    """The latest page, as it passed by."""

    tools: list[object] | None = None
    cursor: object = None

    def take(self) -> tuple[list[object] | None, object]:
        """Its tools and the cursor of the next one; none where nothing passed by since."""
        tools, cursor = self.tools, self.cursor
        self.tools = self.cursor = None
        return tools, cursor


def require_sdk() -> ModuleType:
    """The SDK.

    Raises:
        ToolSourceError: It is not installed.
    """
    try:
        import mcp  # noqa: PLC0415 - an extra
    except ImportError as error:
        text = "reading tools from an MCP server needs its SDK; run: pip install 'receipts-middleware[mcp]'"
        raise ToolSourceError(text) from error
    return mcp


async def read_listing(read: _Receiving, write: _Sending) -> Listing:
    """Shake hands with a server and read all pages of its tools.

    Args:
        read: Stream of messages from the server, of a transport of the SDK. Untrusted.
        write: Stream of messages to it.

    Returns:
        What it listed. A cursor that comes again ends the reading, as does the bound on pages and on tools.

    Raises:
        ToolSourceError: The server declined, or what it sent is no list of tools.
    """
    import anyio  # noqa: PLC0415 - comes with the SDK
    from mcp import ClientSession  # noqa: PLC0415
    from mcp.types import Implementation  # noqa: PLC0415

    page = _Page()
    passing, passed = anyio.create_memory_object_stream[object](0)
    client = Implementation(name="receipts", version=_own_version())
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_pass_on, read, passing, page)
            async with ClientSession(passed, write, client_info=client) as session:  # type: ignore[arg-type]
                await session.initialize()
                listing = await _read_pages(session, page)
            tasks.cancel_scope.cancel()
        return listing
    finally:
        with anyio.CancelScope(shield=True):  # a session closes what it was given, in some versions and endings
            for stream in (passed, passing, write, read):
                await stream.aclose()


def _own_version() -> str:
    try:
        return version("receipts-middleware")
    except PackageNotFoundError:  # run from a checkout
        return "0"


async def _pass_on(read: _Receiving, passing: _Sending, page: _Page) -> None:
    try:
        async for item in read:
            _set_aside(item, page)
            await passing.send(item)
    finally:
        await passing.aclose()


def _set_aside(item: object, page: _Page) -> None:
    """Keep the tools of a page, and leave it without them."""
    message = getattr(item, "message", None)
    message = getattr(message, "root", message)
    result = getattr(message, "result", None)
    if isinstance(result, dict) and isinstance(result.get("tools"), list):
        page.tools, result["tools"] = result["tools"], []
        page.cursor = result.get("nextCursor")
        if page.cursor is not None and not isinstance(page.cursor, str):
            del result["nextCursor"]


async def _read_pages(session: object, page: _Page) -> Listing:
    from mcp.types import PaginatedRequestParams  # noqa: PLC0415

    listing = Listing()
    seen: set[str] = set()
    cursor: str | None = None
    while True:
        params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
        await session.list_tools(params=params)  # type: ignore[attr-defined]
        tools, following = page.take()
        if tools is None:
            raise ToolSourceError("its answer to tools/list holds no list of tools; it is no MCP server that has any")
        repeats = isinstance(following, str) and (following in seen or following == cursor)
        listing.tools += [tool for tool in tools if tool not in listing.tools] if repeats else tools
        listing.pages += 1
        if following is None:
            return listing
        if not isinstance(following, str):
            listing.warnings.append(f"nextCursor is no text on page {listing.pages}; nothing behind it was read")
            return listing
        if repeats:
            listing.warnings.append(
                f"cursor_not_advancing: nextCursor of page {listing.pages} was given before; nothing behind it was read"
            )
            return listing
        if listing.pages >= MAX_PAGES or len(listing.tools) > MAX_TOOLS:
            what = f"{listing.pages} pages with {len(listing.tools):,} tools"
            listing.warnings.append(f"there is more behind {what}; it was not read")
            return listing
        seen.add(following)
        cursor = following


def leaves(error: BaseException) -> list[BaseException]:
    """The exceptions that a group holds, or the one alone.

    Args:
        error: What task groups raised.
    """
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]


def what_it_said(error: BaseException) -> str | None:
    """What the server answered in place of tools, in words; None where it answered nothing.

    Args:
        error: Of the SDK.
    """
    said = getattr(error, "error", None)
    code, message = getattr(said, "code", None), getattr(said, "message", None)
    if not isinstance(code, int) or not isinstance(message, str):
        return None
    if code == _NO_METHOD:
        return "the server offers no tools (it does not know tools/list)"
    return f"the server answered with error {code}: {message[:300]}"


def as_document(listing: Listing) -> Mapping[str, object]:
    """A listing as `tools/list` gives it."""
    return {"tools": listing.tools}
