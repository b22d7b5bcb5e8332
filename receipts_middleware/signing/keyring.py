"""Several keys: one that signs, and all against which signatures are checked, so that keys can be changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.seal import SealState
from receipts_middleware.signing.keys import Ed25519Key, PublicKey, SigningKey

Key: TypeAlias = SigningKey | Ed25519Key | PublicKey
MAX_KEYS: Final = 256


class Keyring:
    """Keys in order; the first one signs, all of them check.

    To change the key, put the new one in front and keep the old ones for as long as records of theirs are verified.

    Args:
        keys: At least one. Bytes are keys for HMAC-SHA-256.
    """

    __slots__ = ("_by_name", "_keys")

    def __init__(self, *keys: Key | bytes) -> None:
        if not 0 < len(keys) <= MAX_KEYS:
            raise UsageError(f"a keyring holds 1 to {MAX_KEYS} keys")
        held = [SigningKey(bytes(key)) if isinstance(key, bytes | bytearray) else key for key in keys]
        for key in held:
            if not isinstance(key, SigningKey | Ed25519Key | PublicKey):
                raise UsageError(f"signing_key holds {type(key).__name__}; give bytes or a key of {_WHERE}")
        self._keys: tuple[Key, ...] = tuple(held)
        self._by_name: dict[tuple[str, str], list[Key]] = {}
        for key in held:
            self._by_name.setdefault((key.alg, key.kid), []).append(key)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"Keyring({', '.join(f'{key.alg} {key.kid}' for key in self._keys)})"

    @property
    def kids(self) -> tuple[str, ...]:
        """Names of the keys, in order."""
        return tuple(key.kid for key in self._keys)

    @property
    def signer(self) -> SigningKey | Ed25519Key:
        """The key that signs, which is the first.

        Raises:
            UsageError: The first is a public key.
        """
        first = self._keys[0]
        if isinstance(first, PublicKey):
            raise UsageError("a public key cannot sign; put the private key or a secret in front")
        return first

    def check(self, alg: str, kid: str, message: bytes, mac: str) -> SealState:
        """What a signature is worth.

        Args:
            alg: As the signature names it. Untrusted, and never what decides how a key is used.
            kid: As the signature names it. Untrusted.
            message: What was signed.
            mac: The signature. Untrusted.

        Returns:
            `valid`, `bad`, or `unknown_key` where no key of that name and kind is held.
        """
        held = self._by_name.get((alg, kid))
        if held is None:
            return "unknown_key"
        return "valid" if any(key.verify(message, mac) for key in held) else "bad"


#: What may be given as `signing_key`: bytes, a key, a keyring, or several in the order of a keyring.
Keys: TypeAlias = bytes | Key | Keyring | Iterable[bytes | Key]

_WHERE: Final = "receipts_middleware.signing"


def as_keyring(keys: Keys) -> Keyring:
    """The keyring of what was given as `signing_key`.

    Args:
        keys: Bytes, a key, a keyring, or several keys.

    Returns:
        A keyring.

    Raises:
        UsageError: It holds something that is no key.
    """
    if isinstance(keys, Keyring):
        return keys
    if isinstance(keys, bytes | bytearray | SigningKey | Ed25519Key | PublicKey):
        return Keyring(keys)
    given: object = keys
    if isinstance(given, str):
        raise UsageError(f"signing_key is text; give bytes, or read a file with {_WHERE}.load_keys(path)")
    if not isinstance(given, Iterable):
        raise UsageError(f"signing_key is {type(keys).__name__}; give bytes or a key of {_WHERE}")
    return Keyring(*given)
