"""Keys that sign receipts and check signatures: HMAC-SHA-256, and Ed25519 as an extra.

`keys` holds the keys, `keyring` several of them, `files` reads and writes them. What is signed is in `core.seal`.
"""

from receipts_middleware.signing.files import key_from_env, load_keys, make_key, parse_keys, write_key
from receipts_middleware.signing.keyring import Keyring, Keys, as_keyring
from receipts_middleware.signing.keys import Ed25519Key, PublicKey, SigningKey, derive_key

__all__ = [
    "Ed25519Key",
    "Keyring",
    "Keys",
    "PublicKey",
    "SigningKey",
    "as_keyring",
    "derive_key",
    "key_from_env",
    "load_keys",
    "make_key",
    "parse_keys",
    "write_key",
]
