"""Tools of an MCP server behind an address: streamable HTTP, and SSE where the server is older.

Both transports are those of the SDK, over its own HTTP client. Headers go to the origin of the address alone: the SDK
follows no redirect that leaves it. What an answer may hold is bounded while it arrives.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.lint.sources.headers import without_values
from receipts_middleware.lint.sources.mcp_listing import (
    Listing,
    as_document,
    leaves,
    read_listing,
    require_sdk,
    what_it_said,
)
from receipts_middleware.lint.sources.source import (
    MAX_DOCUMENT_BYTES,
    FetchedTools,
    ToolSource,
    ToolSourceError,
    shown_address,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    class _Response(Protocol):
        status_code: int
        headers: Mapping[str, str]
        stream: object
        request: Any


@dataclass(slots=True)
class _Seen:
    """What passed by on the wire."""

    status: int = 0
    size: int = 0
    too_much: bool = False
    packed: bool = False
    failed: Callable[[], None] | None = None


async def afetch_http(source: ToolSource, *, headers: Mapping[str, str], timeout_seconds: float) -> FetchedTools:
    """Connect to a server, list its tools and leave.

    Args:
        source: Its address. `mcp-http` tries streamable HTTP, and SSE where the server refuses that with a 4xx.
        headers: Sent with each request.
        timeout_seconds: For everything.

    Raises:
        ToolSourceError: It cannot be reached, refuses, does not answer in time, or declines.
    """
    require_sdk()
    import anyio  # noqa: PLC0415 - comes with the SDK

    seen = _Seen()
    try:
        with anyio.fail_after(timeout_seconds):
            if source.kind == "mcp-sse":
                listing = await _over_sse(source.target, headers, seen)
            else:
                listing = await _over_streamable_http(source.target, headers, seen)
    except Exception as error:  # noqa: BLE001 - of the SDK and two HTTP libraries
        raise _told(source, error, seen, headers, timeout_seconds) from None
    return FetchedTools(as_document(listing), source.origin, tuple(listing.warnings))


async def _over_streamable_http(url: str, headers: Mapping[str, str], seen: _Seen) -> Listing:
    """Also over SSE, for a server that knows nothing else (MCP 2025-06-18, transports, backwards compatibility)."""
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    try:
        async with _client(headers, seen) as client, streamable_http_client(url, http_client=client) as streams:
            return await _until_refused(streams, seen)
    except Exception as error:
        if seen.status not in (400, 404, 405, 406, 415) or any(isinstance(e, TimeoutError) for e in leaves(error)):
            raise
        refused = seen.status
        seen.status = 0
        try:
            return await _over_sse(url, headers, seen)
        except Exception:
            seen.status = seen.status or refused
            raise


async def _over_sse(url: str, headers: Mapping[str, str], seen: _Seen) -> Listing:
    from mcp.client.sse import sse_client  # noqa: PLC0415

    def make_client(headers: dict[str, str] | None = None, timeout: object = None, auth: object = None) -> Any:
        del timeout, auth
        return _client(headers or {}, seen)

    async with sse_client(url, headers=dict(headers), httpx_client_factory=make_client) as streams:
        return await _until_refused(streams, seen)


async def _until_refused(streams: tuple[Any, ...], seen: _Seen) -> Listing:
    """The listing; ends at once where a request is refused, for which a session would wait."""
    import anyio  # noqa: PLC0415

    with anyio.CancelScope() as scope:
        seen.failed = scope.cancel
        if seen.status < 400 and not seen.too_much:
            return await read_listing(streams[0], streams[1])
    raise ToolSourceError("the server refused")


def _client(headers: Mapping[str, str], seen: _Seen) -> Any:
    """A client of the HTTP library that the installed SDK uses, that looks at each answer."""
    from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: PLC0415 - where the SDK's own transports get theirs

    client = create_mcp_http_client(headers={"Accept-Encoding": "identity", **headers})
    hooks: dict[str, list[Callable[..., Awaitable[None]]]] = {"request": [], "response": [_look_at(seen)]}
    client.event_hooks = hooks
    client.follow_redirects = False  # older SDKs follow them anywhere, with the headers; newer ones within the origin
    return client


def _look_at(seen: _Seen) -> Callable[[_Response], Awaitable[None]]:
    async def look(response: _Response) -> None:
        method = response.request.method
        if response.status_code >= 300 and method == "POST":
            seen.status = response.status_code
            if response.status_code >= 400 and seen.failed is not None:
                seen.failed()
        elif response.status_code >= 400 and seen.status == 0 and response.status_code != 405:
            seen.status = response.status_code
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        seen.packed = seen.packed or packed not in ("", "identity")
        response.stream = _bounded(response, seen)

    return look


def _bounded(response: _Response, seen: _Seen) -> object:
    """The body of an answer, up to the bound; what is packed is not read, since it may unpack to anything."""
    library = import_module(type(response).__module__.partition(".")[0])
    inner = cast("AsyncIterator[bytes]", response.stream)

    class _Bounded(library.AsyncByteStream):  # type: ignore[misc, name-defined]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in inner:
                seen.size += len(chunk)
                seen.too_much = seen.too_much or seen.size > MAX_DOCUMENT_BYTES
                if seen.too_much or seen.packed:
                    if seen.failed is not None:
                        seen.failed()
                    return
                yield chunk

        async def aclose(self) -> None:
            await inner.aclose()  # type: ignore[attr-defined]

    return _Bounded()


_REFUSALS: Final[Mapping[int, str]] = {
    401: "the server wants to know who asks (401); give --tools-header 'Authorization: Bearer $TOKEN'",
    403: "the server does not allow it (403); check what --tools-header gives it",
    404: "there is nothing at that address (404); give the address of the MCP endpoint, which often ends in /mcp",
    405: "there is no MCP server at that address (405); it often ends in /mcp, or in /sse for older ones",
}


def _told(
    source: ToolSource, error: Exception, seen: _Seen, headers: Mapping[str, str], timeout_seconds: float
) -> ToolSourceError:
    """What went wrong, without a value of a header and without what the address keeps to itself."""
    why = _why(error, seen, timeout_seconds)
    why = why.replace(source.target, shown_address(source.target))
    return ToolSourceError(f"{source.kind}:{source.origin}: {without_values(why, headers)}")


def _why(error: Exception, seen: _Seen, timeout_seconds: float) -> str:
    found = leaves(error)
    if seen.too_much:
        return f"it sent more than {MAX_DOCUMENT_BYTES >> 20} MiB, which is no list of tools"
    if seen.packed:
        return "its answer is compressed though that was not asked for; it was not read"
    if any(isinstance(leaf, TimeoutError) for leaf in found) and not seen.status:
        return f"no list of tools within {timeout_seconds:g} s; check the address, or give more time (--tools-timeout)"
    if 300 <= seen.status < 400:
        return f"the server redirects elsewhere ({seen.status}); give the address of the MCP endpoint itself"
    if seen.status:
        return _REFUSALS.get(seen.status, f"the server answered with status {seen.status} in place of tools")
    for leaf in found:
        if isinstance(leaf, ToolSourceError):
            return str(leaf)
        said = what_it_said(leaf)
        if said is not None:
            return said
    for leaf in found:
        if "Connect" in type(leaf).__name__:
            return "it cannot be reached; check the address, and whether the server runs"
    return f"it is no MCP server that can be read ({type(found[0]).__name__}: {str(found[0])[:300]})"
