"""One key: what it is called, how it signs, how it checks. Secrets never show in a representation.

`cryptography` is imported where an Ed25519 key is made and nowhere else, so HMAC needs nothing beyond Python.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Final, Literal

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.errors import UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

#: Shorter secrets can be found by trying, and the thing that they protect is in everybody's hands.
MIN_SECRET_BYTES: Final = 16
ED25519_BYTES: Final = 32
_KID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")


def encode(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes | None:
    """Bytes of base64url without padding; None where it is not exactly that."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if encode(data) == text else None  # one spelling only


def kid_of(alg: str, material: bytes) -> str:
    """The name of a key that was given none: 8 hex digits of its digest."""
    return hashlib.sha256(b"receipts/1/kid\0" + alg.encode() + b"\0" + material).hexdigest()[:8]


def _named(kid: str, alg: str, material: bytes) -> str:
    if kid and not _KID.match(kid):
        raise UsageError(f"kid={kid!r}: the name of a key is 1 to 64 letters, digits, dots, dashes and underscores")
    return kid or kid_of(alg, material)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A secret key for HMAC-SHA-256. Whoever can check with it can sign with it.

    Attributes:
        secret: At least 16 bytes, best 32 from `secrets.token_bytes(32)`.
        kid: Its name, which stands in every signature; worked out from the key where not given.
    """

    secret: bytes = field(repr=False)
    kid: str = ""

    def __post_init__(self) -> None:
        """Refuse what is no key, and name it."""
        if not isinstance(self.secret, bytes | bytearray | memoryview):
            raise UsageError(f"a signing key is bytes, this is {type(self.secret).__name__}")
        object.__setattr__(self, "secret", bytes(self.secret))
        if len(self.secret) < MIN_SECRET_BYTES:
            raise UsageError(
                f"a signing key has at least {MIN_SECRET_BYTES} bytes, this one {len(self.secret)}; "
                "make one with `receipts keygen`"
            )
        object.__setattr__(self, "kid", _named(self.kid, self.alg, self.secret))

    @property
    def alg(self) -> Literal["HS256"]:
        """How it signs."""
        return "HS256"

    def sign(self, message: bytes) -> str:
        """Signature over these bytes, base64url without padding."""
        return encode(hmac.digest(self.secret, message, "sha256"))

    def verify(self, message: bytes, mac: str) -> bool:
        """Whether a signature is this key's over these bytes; takes the same time wherever they differ."""
        given = decode(mac)
        return given is not None and hmac.compare_digest(hmac.digest(self.secret, message, "sha256"), given)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public half of an Ed25519 key: checks signatures and cannot make any, so anybody may have it.

    Attributes:
        raw: 32 bytes.
        kid: Its name; worked out from the key where not given.
    """

    raw: bytes
    kid: str = ""
    _key: Ed25519PublicKey = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no key, and name it."""
        public, _ = _ed25519()
        try:
            object.__setattr__(self, "_key", public.from_public_bytes(self.raw))
        except (ValueError, TypeError) as error:
            raise UsageError("an Ed25519 public key is 32 bytes") from error
        object.__setattr__(self, "kid", _named(self.kid, self.alg, self.raw))

    def __reduce__(self) -> tuple[type[PublicKey], tuple[bytes, str]]:
        """For other processes: the key of the library cannot be copied."""
        return PublicKey, (self.raw, self.kid)

    @property
    def alg(self) -> Literal["Ed25519"]:
        """How its private half signs."""
        return "Ed25519"

    def verify(self, message: bytes, mac: str) -> bool:
        """Whether a signature is of the private half over these bytes."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - the extra

        given = decode(mac)
        if given is None:
            return False
        try:
            self._key.verify(given, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Ed25519Key:
    """A private Ed25519 key; hand out `public`, with which a third party can check and not sign.

    Attributes:
        seed: 32 secret bytes.
        kid: Its name; worked out from the public half where not given.
    """

    seed: bytes = field(repr=False)
    kid: str = ""
    public: PublicKey = field(init=False)
    _key: Ed25519PrivateKey = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no key, and name it."""
        _, private = _ed25519()
        try:
            key = private.from_private_bytes(self.seed)
        except (ValueError, TypeError) as error:
            raise UsageError("an Ed25519 private key is 32 bytes") from error
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "public", PublicKey(key.public_key().public_bytes_raw(), self.kid))
        object.__setattr__(self, "kid", self.public.kid)

    def __reduce__(self) -> tuple[type[Ed25519Key], tuple[bytes, str]]:
        """For other processes of the same program: the key of the library cannot be copied."""
        return Ed25519Key, (self.seed, self.kid)

    @property
    def alg(self) -> Literal["Ed25519"]:
        """How it signs."""
        return "Ed25519"

    def sign(self, message: bytes) -> str:
        """Signature over these bytes, base64url without padding."""
        return encode(self._key.sign(message))

    def verify(self, message: bytes, mac: str) -> bool:
        """Whether a signature is this key's over these bytes."""
        return self.public.verify(message, mac)


def derive_key(key: SigningKey | Ed25519Key, purpose: str) -> bytes:
    """A secret of its own for another purpose, from which the signing key cannot be found (HMAC as in HKDF-Expand).

    Args:
        key: A key that signs.
        purpose: What it is for; other purposes give other secrets.

    Returns:
        32 bytes.
    """
    secret = key.secret if isinstance(key, SigningKey) else key.seed
    return hmac.digest(secret, b"receipts/1/derive\0" + key.alg.encode() + b"\0" + purpose.encode() + b"\x01", "sha256")


def _ed25519() -> tuple[type[Ed25519PublicKey], type[Ed25519PrivateKey]]:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - the extra
    except ImportError as error:
        raise UsageError(
            "Ed25519 keys need the package cryptography: pip install 'receipts-middleware[ed25519]'"
        ) from error
    return ed25519.Ed25519PublicKey, ed25519.Ed25519PrivateKey
