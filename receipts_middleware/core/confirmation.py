"""A confirmation: what somebody outside said of an execution after it had ended (docs/formats.md section 5).

A record of its own, keyed by the execution's `uid` and without a number: it is appended and edits no receipt. Only the
value, its parsing and what of several counts belong here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from receipts_middleware.core.canonical import canon
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.hashing import sha256
from receipts_middleware.core.keys import FORMAT_VERSION
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.receipt import MAX_TEXT, Malformed

if TYPE_CHECKING:
    from receipts_middleware.core.seal import Checking, Place, SealState, Signing

#: confirmed: it was done, which lifts S2 and S3 to S4; failed: it was not, which lowers any grade to F.
ConfirmedState = Literal["confirmed", "failed"]

CONFIRMATION_DOMAIN: Final = b"receipts/1/confirmation"
#: Of one run; what is beyond is not read. A webhook that is delivered again makes no new record.
MAX_CONFIRMATIONS: Final = 10_000
_ID_HEX: Final = 20
_DIGEST: Final = pattern_of(r"[0-9a-f]{64}\Z")
#: One spelling, so that texts compare as times do.
_TIME: Final = pattern_of(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
_TEXTS: Final = ("uid", "state", "at", "evidence_sha256", "word", "source", "line")


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """What was said of one execution.

    Attributes:
        uid: Of the execution, as on its receipt.
        state: What became of it.
        at: When it came to be so, ISO 8601 in UTC with milliseconds.
        evidence_sha256: Digest of the evidence, which is not kept.
        word: Status word of the evidence, untrusted; empty where it has none.
        source: Who said so, in the words of whoever confirmed; untrusted.
        line: The line for the user, untrusted.
        scope: Thread and checkpoint namespace of the run.
        sig: Signature object.
    """

    uid: str
    state: ConfirmedState
    at: str
    evidence_sha256: str
    word: str = ""
    source: str = ""
    line: str = ""
    scope: Mapping[str, str] | None = None
    sig: Mapping[str, str] | None = None

    @property
    def id(self) -> str:
        """The same for the same evidence of the same execution, so that saying it twice is saying it once."""
        told = canon([self.uid, self.state, self.evidence_sha256])
        return sha256(b"receipts/1/confirmation-id\0" + told).hexdigest()[:_ID_HEX]

    def to_dict(self) -> dict[str, object]:
        """Plain JSON object."""
        out: dict[str, object] = {"v": FORMAT_VERSION}
        out.update((name, value) for name in _TEXTS if (value := getattr(self, name)))
        for name in ("scope", "sig"):
            value = getattr(self, name)
            if value is not None:
                out[name] = dict(value)
        return out


def parse_confirmation(value: object) -> Confirmation | Malformed:
    """Turn what stands in a state, a sink or a list into a confirmation.

    Args:
        value: A confirmation, or an object as `to_dict` gives it. Untrusted.

    Returns:
        The confirmation, or `Malformed`. Never raises.
    """
    if isinstance(value, Confirmation):
        return value
    if not isinstance(value, Mapping) or type(value.get("v")) is not int or value["v"] != FORMAT_VERSION:
        return Malformed("a confirmation is an object with v 1")
    texts = {name: value.get(name, "") for name in _TEXTS}
    if not all(isinstance(text, str) and len(text) <= MAX_TEXT for text in texts.values()):
        return Malformed("a text of the confirmation is none, or too long")
    if not texts["uid"] or texts["state"] not in ("confirmed", "failed"):
        return Malformed("it names no execution, or its state is unknown")
    if not _TIME.match(texts["at"]) or not _DIGEST.match(texts["evidence_sha256"]):
        return Malformed("its time or the digest of its evidence is none")
    scope, sig = value.get("scope"), value.get("sig")
    if not all(item is None or _is_texts(item) for item in (scope, sig)):
        return Malformed("its scope or its signature is no object of texts")
    return Confirmation(**texts, scope=scope, sig=sig)


def _is_texts(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and len(value) <= 16
        and all(isinstance(k, str) and isinstance(v, str) and len(v) <= MAX_TEXT for k, v in value.items())
    )


def seal_confirmation(confirmation: Confirmation, key: Signing) -> Confirmation:
    """A confirmation with its signature; one that it had is replaced."""
    from receipts_middleware.core.seal import place_of, seal_record  # noqa: PLC0415 - for runs under a key

    body = seal_record(CONFIRMATION_DOMAIN, confirmation.to_dict(), place_of(confirmation.scope), key)
    sealed = parse_confirmation(body)
    assert isinstance(sealed, Confirmation)
    return sealed


def check_confirmation(confirmation: Confirmation, keys: Checking) -> SealState:
    """What the signature of a confirmation is worth. Untrusted."""
    from receipts_middleware.core.seal import check_record  # noqa: PLC0415 - for runs under a key

    return check_record(CONFIRMATION_DOMAIN, confirmation.to_dict(), keys)


def place_of_confirmation(confirmation: Confirmation) -> Place:
    """Where it says that it belongs."""
    from receipts_middleware.core.seal import place_of  # noqa: PLC0415 - as above

    return place_of(confirmation.scope)


def newest_of(confirmations: Iterable[Confirmation]) -> dict[str, Confirmation]:
    """What counts of several, by uid: the latest; of two at one moment the failure."""
    out: dict[str, Confirmation] = {}
    for item in confirmations:
        held = out.get(item.uid)
        if held is None or (held.at, held.state == "failed") < (item.at, item.state == "failed"):
            out[item.uid] = item
    return out
