"""A list of tools that a plain GET gives."""

from __future__ import annotations

import http.client
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from receipts_middleware.lint.sources.files import parse_document
from receipts_middleware.lint.sources.headers import without_values
from receipts_middleware.lint.sources.source import (
    MAX_DOCUMENT_BYTES,
    FetchedTools,
    ToolSource,
    ToolSourceError,
)

_CHUNK: Final = 1 << 16
#: A plain address goes somewhere else once or twice.
_MAX_REDIRECTS: Final = 5


def fetch_url(source: ToolSource, *, headers: Mapping[str, str], timeout_seconds: float) -> FetchedTools:
    """Get a list of tools.

    Args:
        source: Its address.
        headers: Sent to the origin of the address, and to no other that it redirects to.
        timeout_seconds: For everything.

    Raises:
        ToolSourceError: It cannot be had in time, is too long, or is no JSON or YAML.
    """
    getting = _Getting(source.target, headers, timeout_seconds)
    # A thread of its own: a server that sends a byte now and then keeps a single read within its time for ever.
    thread = threading.Thread(target=getting.run, daemon=True)
    thread.start()
    thread.join(timeout_seconds + 0.5)
    if getting.data is None:
        why = getting.error or f"nothing within {timeout_seconds:g} s; check the address, or give more time"
        why = without_values(why.replace(source.target, source.origin), headers)
        raise ToolSourceError(f"{source.origin}: {why}")
    return FetchedTools(parse_document(getting.data, source.origin), source.origin)


class _Getting:
    """One GET; `data` or `error` is there when it is done."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout_seconds: float) -> None:
        self._url = url
        self._headers = {"Accept": "application/json, application/yaml, */*;q=0.1", "User-Agent": "receipts", **headers}
        self._timeout_seconds = timeout_seconds
        self._end = time.monotonic() + timeout_seconds
        self.data: bytes | None = None
        self.error: str | None = None

    def run(self) -> None:
        opener = urllib.request.build_opener(_WithinOrigin)
        request = urllib.request.Request(self._url, headers=self._headers)  # noqa: S310 - http(s), checked before
        try:
            with opener.open(request, timeout=self._timeout_seconds) as response:
                self.data = self._read(response)
        except urllib.error.HTTPError as error:
            self.error = _refusal(error.code)
            error.close()
        except urllib.error.URLError as error:
            self.error = f"it cannot be reached ({error.reason}); check the address"
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.error = f"it cannot be read ({type(error).__name__}: {error}); check the address"

    def _read(self, response: http.client.HTTPResponse) -> bytes | None:
        parts: list[bytes] = []
        size = 0
        while data := response.read1(_CHUNK):
            parts.append(data)
            size += len(data)
            if size > MAX_DOCUMENT_BYTES:
                self.error = f"it is longer than {MAX_DOCUMENT_BYTES >> 20} MiB, which is no list of tools"
                return None
            if time.monotonic() > self._end:
                return None
        return b"".join(parts)


def _refusal(code: int) -> str:
    if code in (401, 403):
        return f"the server refuses it ({code}); give --tools-header 'Authorization: Bearer $TOKEN'"
    if 300 <= code < 400:
        return f"it redirects to nothing that is followed ({code}); give the address of the list itself"
    return f"the server answered with status {code} in place of a list of tools; check the address"


class _WithinOrigin(urllib.request.HTTPRedirectHandler):
    """Follows redirects, and leaves our headers behind where one goes to another origin."""

    max_redirections = _MAX_REDIRECTS

    def redirect_request(  # noqa: PLR0917 - the signature of the library
        self,
        req: urllib.request.Request,
        fp: object,
        code: int,
        msg: str,
        headers: object,
        newurl: str,
    ) -> urllib.request.Request | None:
        """The request that follows a redirect."""
        del fp, msg, headers
        if code not in (301, 302, 303, 307, 308):
            return None
        same = _origin(newurl) == _origin(req.full_url)
        return urllib.request.Request(newurl, headers=dict(req.headers) if same else {})  # noqa: S310


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
