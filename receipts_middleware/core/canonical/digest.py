"""The hashes of a call: of its arguments and of its output (docs/formats.md section 1).

SHA-256 throughout, each with a domain of its own, so that no output can be taken for arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from receipts_middleware.core.canonical.blocks import block_forms
from receipts_middleware.core.canonical.scalars import CHUNK, utf8
from receipts_middleware.core.canonical.walk import canonicalize
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.hashing import sha256

_ARGS: Final = b"receipts/1/args\0"
_TEXT: Final = b"receipts/1/text\0"
_BLOCKS: Final = b"receipts/1/blocks\0"
#: Bytes that are joined to their domain rather than hashed after it: one call less, and a small copy.
_SHORT: Final = 8_192


@dataclass(frozen=True, slots=True)
class Digest:
    """The hash of arguments.

    Attributes:
        sha256: 64 lower-case hex digits.
        lossy: Other arguments may have the same hash.
    """

    sha256: str
    lossy: bool


@dataclass(frozen=True, slots=True)
class OutputDigest:
    """The hash of an output.

    Attributes:
        sha256: 64 lower-case hex digits.
        output_bytes: Text in UTF-8 plus decoded payloads, in bytes.
        lossy: Another output may have the same hash, or a payload could not be decoded.
    """

    sha256: str
    output_bytes: int
    lossy: bool


def digest_args(args: object) -> Digest:
    """Hash the arguments of a call.

    Args:
        args: As handed to the tool, after any outer edit and before coercion and defaults. Untrusted.

    Returns:
        The digest; equal for equal arguments in every process. Never raises.
    """
    form = canonicalize(args)
    return Digest(_hash(_ARGS, form.data), form.lossy)


def digest_text(text: str) -> str:
    """Hash an output that is text.

    Args:
        text: The text as given, of any length; each surrogate code unit counts as `?`. Untrusted.

    Returns:
        64 lower-case hex digits. Never raises.
    """
    return _digest_text(text)[0]


def digest_output(content: object) -> OutputDigest:
    """Hash the output of a call.

    Text has a text digest; a list or tuple of content blocks a blocks digest, in which the provider's
    spelling of a block plays no part. Anything else, which no message should carry, counts as a list of that
    one thing.

    Args:
        content: Content of the tool message, as the tool node formed it. Untrusted.

    Returns:
        The digest and the size. Never raises.
    """
    if issubclass(type(content), str):
        sha256, size = _digest_text(cast("str", content))
        return OutputDigest(sha256, size, lossy=False)
    blocks = block_forms(content)
    form = canonicalize(blocks.forms)
    return OutputDigest(_hash(_BLOCKS, form.data), blocks.output_bytes, blocks.lossy or form.lossy)


def _digest_text(text: str) -> tuple[str, int]:
    plain = str.__str__(text)
    if len(plain) <= CHUNK:
        data = utf8(plain)
        return _hash(_TEXT, data), len(data)
    running = sha256(_TEXT)
    size = 0
    for piece in _pieces(plain):
        running.update(piece)
        size += len(piece)
    return running.hexdigest(), size


def _pieces(text: str) -> Iterator[bytes]:
    """UTF-8 in pieces, so that a long text never stands in memory twice."""
    for start in range(0, len(text), CHUNK):
        yield utf8(text[start : start + CHUNK])


def _hash(domain: bytes, data: bytes) -> str:
    if len(data) <= _SHORT:
        return sha256(domain + data).hexdigest()
    running = sha256(domain)
    running.update(data)
    return running.hexdigest()
