"""Facts: a bounded set of normalised values read off arguments and result.

They are kept so that a statement can still be checked when its message is gone.

What is kept is the caller's choice: the values themselves, keyed digests of them (equality can be checked, nothing can
be read), or nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.hashing import keyed_sha256, sha256
from receipts_middleware.core.patterns import pattern_of

Capture = Literal["values", "digests", "hashes"]

#: A receipt's facts cost state on every turn that carries them: this keeps them near the size of the receipt.
MAX_VALUES: Final = 16
MAX_VALUE_CHARS: Final = 64
MAX_TOTAL_CHARS: Final = 320
#: The beginning of a result names what was made; reading further would be felt per call.
SCAN_CHARS: Final = 1_024
_MAX_LEAVES: Final = 64
_MAX_DEPTH: Final = 6

# Words between blanks, quotes and brackets; one that holds a digit or an at sign is an id, a date, a count, a code, an
# amount, a path or an address. Two linear passes: one expression for all of it is quadratic on long words.
_WORD = pattern_of(r"[^\s\"'`,;(){}\[\]<>|]+")
_TELLING = pattern_of(r"[\d@]")


def extract_facts(args: object, text: str, *, capture: Capture, key: bytes | None = None) -> dict[str, list[str]]:
    """Read the facts of one call.

    Args:
        args: Executed arguments, untrusted.
        text: Text of the result, untrusted; its first 1,024 characters are read.
        capture: What to keep.
        key: Key of the digests; needed for `digests`.

    Returns:
        `{"args": [...], "output": [...]}` in order of appearance, without repetition, at most 16 values of at most 64
        characters in all; digests are 16 hex digits. Empty for `hashes`.
    """
    if capture == "hashes":
        return {}
    seen: set[str] = set()
    budget = [MAX_VALUES, MAX_TOTAL_CHARS]
    facts = {
        "args": _take(_arg_values(args), seen, budget),
        "output": _take(_words(text), seen, budget),
    }
    if capture == "digests":
        return {name: [_digest(value, key or b"") for value in values] for name, values in facts.items() if values}
    return {name: values for name, values in facts.items() if values}


def digest_facts(facts: Mapping[str, object]) -> str:
    """SHA-256 of facts as they are kept, by which the signature of their receipt covers them."""
    return sha256(b"receipts/1/facts\0" + canon(dict(facts))).hexdigest()


def _digest(value: str, key: bytes) -> str:
    return keyed_sha256(key, b"receipts/1/fact\0" + value.encode("utf-8", "replace"))[:16]


def _take(values: Iterable[str], seen: set[str], budget: list[int]) -> list[str]:
    out = []
    for raw in values:
        value = raw.strip(" .,;:")[:MAX_VALUE_CHARS]
        if not value or value in seen:
            continue
        if budget[0] <= 0 or budget[1] < len(value):
            break
        seen.add(value)
        out.append(value)
        budget[0] -= 1
        budget[1] -= len(value)
    return out


def _arg_values(args: object) -> Iterator[str]:
    """Short scalar arguments as they are; of long texts the values in them."""
    for leaf in _leaves(args, [_MAX_LEAVES], 0):
        text = str(leaf)
        if len(text) <= MAX_VALUE_CHARS and "\n" not in text:
            yield text
        else:
            yield from _words(text)


def _words(text: str) -> Iterator[str]:
    telling = _TELLING.search
    plain = text[:SCAN_CHARS].encode("utf-8", "replace").decode("utf-8")
    return (word for word in _WORD.findall(plain) if telling(word))


def _leaves(value: object, left: list[int], depth: int) -> Iterator[str | int | float]:
    if left[0] <= 0 or depth > _MAX_DEPTH:
        return
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        left[0] -= 1
        # Integers of thousands of digits cannot even be printed; they are no facts.
        if not isinstance(value, int) or abs(value) < 10**18:
            yield value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item, left, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, left, depth + 1)
