"""Keys in files and environment variables: reading, making and writing them.

A key file holds `{"v": 1, "alg": ..., "kid": ..., "secret": ...}` as `receipts keygen` writes it, a line for each key.
A PEM file holds Ed25519 keys as other programs write them. Anything else is the secret itself.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from receipts_middleware.core.errors import UsageError
from receipts_middleware.signing.keyring import Key, Keyring
from receipts_middleware.signing.keys import ED25519_BYTES, Ed25519Key, PublicKey, SigningKey, decode, encode

MAX_FILE_BYTES: Final = 1_000_000
_KEY_VERSION: Final = 1
_OWNER_ONLY: Final = 0o600


def load_keys(source: str | os.PathLike[str]) -> Keyring:
    """Read keys from a file or an environment variable.

    Args:
        source: Path of a file, or `env:NAME` for the content of an environment variable.

    Returns:
        The keys in order; the first signs.

    Raises:
        UsageError: There is no such file or variable, or it holds no key. No message holds any of a secret.
    """
    name = os.fspath(source)
    if name.startswith("env:"):
        return key_from_env(name.removeprefix("env:"))
    try:
        with Path(name).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        raise UsageError(f"the key file {name} cannot be read: {reason}") from error
    if len(data) > MAX_FILE_BYTES:
        raise UsageError(f"the key file {name} is larger than {MAX_FILE_BYTES} bytes")
    return parse_keys(data, where=f"the key file {name}")


def key_from_env(name: str) -> Keyring:
    """Read keys from an environment variable.

    Args:
        name: Of the variable, whose content is what a key file holds.

    Returns:
        The keys in order; the first signs.

    Raises:
        UsageError: It is not set, or holds no key.
    """
    value = os.environ.get(name)
    if value is None:
        raise UsageError(f"the environment variable {name} is not set; it is to hold the signing key")
    return parse_keys(os.fsencode(value), where=f"the environment variable {name}")


def parse_keys(data: bytes, *, where: str = "this") -> Keyring:
    """Keys from the content of a key file.

    Args:
        data: JSON lines, PEM, or a secret as it stands, without the line break at its end.
        where: What to call it in a message.

    Returns:
        The keys in order.

    Raises:
        UsageError: It holds no key.
    """
    text = data.strip()
    try:
        if text.startswith(b"{"):
            return Keyring(*(_from_json(line) for line in text.splitlines() if line.strip()))
        if text.startswith(b"-----BEGIN"):
            return Keyring(_from_pem(text))
        return Keyring(SigningKey(data.rstrip(b"\r\n")))
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error


def _from_json(line: bytes) -> Key:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError("a key is not JSON") from error
    if not isinstance(row, Mapping) or row.get("v") != _KEY_VERSION:
        raise UsageError(f"a key is an object with v {_KEY_VERSION}")
    alg, kid = row.get("alg"), row.get("kid", "")
    name = "public" if "public" in row and "secret" not in row else "secret"
    held = row.get(name)
    material = decode(held) if isinstance(held, str) else None
    if material is None or not isinstance(kid, str):
        raise UsageError("a key has kid, and secret or public in base64url without padding")
    if alg == "HS256" and name == "secret":
        return SigningKey(material, kid)
    if alg == "Ed25519":
        return PublicKey(material, kid) if name == "public" else Ed25519Key(material, kid)
    raise UsageError("alg is HS256 with a secret, or Ed25519 with a secret or public")


def _from_pem(text: bytes) -> Key:
    try:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - the extra
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - the extra
    except ImportError as error:
        raise UsageError("PEM files need cryptography: pip install 'receipts-middleware[ed25519]'") from error
    try:
        if b"PRIVATE" in text.splitlines()[0]:
            private = serialization.load_pem_private_key(text, password=None)
            if isinstance(private, ed25519.Ed25519PrivateKey):
                return Ed25519Key(private.private_bytes_raw())
        else:
            public = serialization.load_pem_public_key(text)
            if isinstance(public, ed25519.Ed25519PublicKey):
                return PublicKey(public.public_bytes_raw())
    except (ValueError, TypeError) as error:
        raise UsageError("this PEM text holds no key that can be read without a password") from error
    raise UsageError("of PEM keys only Ed25519 is used")


def make_key(alg: Literal["HS256", "Ed25519"] = "HS256", kid: str = "") -> SigningKey | Ed25519Key:
    """A new key from the system's randomness.

    Args:
        alg: How it is to sign.
        kid: Its name; worked out from the key where not given.

    Returns:
        The key.

    Raises:
        UsageError: Ed25519 without its extra, or a name that is none.
    """
    material = secrets.token_bytes(ED25519_BYTES)
    return Ed25519Key(material, kid) if alg == "Ed25519" else SigningKey(material, kid)


def spell_key(key: Key) -> str:
    """One line of a key file; it holds the secret of a key that signs."""
    row: dict[str, object] = {"v": _KEY_VERSION, "alg": key.alg, "kid": key.kid}
    if isinstance(key, PublicKey):
        row["public"] = encode(key.raw)
    else:
        row["secret"] = encode(key.secret if isinstance(key, SigningKey) else key.seed)
    return json.dumps(row) + "\n"


def write_key(key: Key, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a key to a file; nobody but its owner can read it.

    Args:
        key: The key.
        path: Of the file.
        force: Write over a file that is there.

    Raises:
        UsageError: The file is there, or cannot be written.
    """
    name = Path(path)
    mode = 0o644 if isinstance(key, PublicKey) else _OWNER_ONLY
    target = name.with_name(f"{name.name}.{secrets.token_hex(4)}.new") if force else name
    try:
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(spell_key(key))
        if force:
            target.replace(name)  # a new file, so that who could read the old one cannot read this
    except FileExistsError as error:
        raise UsageError(f"{name} is there already; a key that is lost cannot be made again") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        raise UsageError(f"{name} cannot be written: {reason}") from error
