"""Options of the middleware: whether a value can be right, said before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.tools import BaseTool

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.policy import Policy
from receipts_middleware.signing import Keyring, Keys, as_keyring, derive_key


def names_of(tools: Sequence[BaseTool | str], option: str) -> frozenset[str]:
    """Names of tools that were given as names or as tools; `option` is what they were given for."""
    if isinstance(tools, str):
        raise UsageError(f"{option}={tools!r}: pass a list of names or tools, [{tools!r}]")
    names = [tool if isinstance(tool, str) else getattr(tool, "name", None) for tool in tools]
    if not all(isinstance(name, str) for name in names):
        raise UsageError(f"{option} holds something that is neither a name nor a tool with one")
    return frozenset(name for name in names if isinstance(name, str))


def check_choice(name: str, value: object, choices: Sequence[str | None]) -> None:
    """Raise `UsageError` where a value is none of its choices."""
    if value not in choices:
        raise UsageError(f"{name}={value!r}: choose one of {', '.join(map(str, choices))}")


def check_capture(capture: object, key: object, policy: Policy) -> None:
    """Raise `UsageError` where facts cannot be kept like that: in no known way, or as digests without a key."""
    check_choice("capture", capture, ("values", "digests", "hashes"))
    if isinstance(key, bytes) and len(key) >= 16:
        return
    if capture == "digests":
        raise UsageError('capture="digests" needs signing_key or capture_key, at least 16 secret bytes')
    if capture == "values" and "digests" in (policy.capture, *(tool.capture for tool in policy.tools)):
        raise UsageError(
            'the policy says capture = "digests", which needs signing_key or capture_key, at least 16 secret '
            "bytes (secrets.token_bytes(32))"
        )


def keyring_of(keys: Keys | None) -> Keyring | None:
    """The keys that were given, of which the first must be able to sign; None for none."""
    ring = as_keyring(keys) if keys is not None else None
    if ring is not None:
        _ = ring.signer
    return ring


def capture_key_of(key: bytes | None, ring: Keyring | None) -> bytes | None:
    """Key of the digests of facts: the one given, else one derived from the key that signs."""
    return derive_key(ring.signer, "capture") if key is None and ring is not None else key


def check_budget(max_chars: int, max_tokens: int | None, token_counter: object) -> None:
    """Raise `UsageError` where the budget cannot be kept: below zero, or tokens that nobody counts."""
    if max_chars < 0 or (max_tokens is not None and max_tokens < 0):
        raise UsageError("max_chars and max_tokens count from 0 upwards")
    if (max_tokens is None) != (token_counter is None):
        raise UsageError("max_tokens needs token_counter, and token_counter needs max_tokens: pass both")
