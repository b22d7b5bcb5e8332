"""One message from outside: our keys taken off wherever they could be read, names and words made harmless."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.keys import (
    HARVEST_KEY,
    KEY_PREFIX,
    LEGACY_LEDGER_KEY,
    LEGACY_RECEIPT_KEY,
    RECEIPT_KEY,
    SNAPSHOT_KEY,
)
from receipts_middleware.sanitizing.texts import Words, safe_name
from receipts_middleware.sanitizing.value import Findings, ForgeryKind
from receipts_middleware.sanitizing.vouch import Vouched

#: Keys that other releases read, or the application in which the design began.
_LEGACY: Final = frozenset({LEGACY_RECEIPT_KEY, LEGACY_LEDGER_KEY})
_KINDS: Final[Mapping[str, ForgeryKind]] = {RECEIPT_KEY: "receipt", SNAPSHOT_KEY: "snapshot", HARVEST_KEY: "record"}
#: Where the host and readers look for further keys of a message, besides the message itself.
_HOLDERS: Final = ("additional_kwargs", "response_metadata", "metadata", "extras")
#: Lists of calls; those of providers stand in `additional_kwargs`, too.
_CALLS: Final = ("tool_calls", "invalid_tool_calls")
_BLOCK_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class Cleaner:
    """Cleans the messages of one conversation.

    Attributes:
        vouched: Records that count.
        tags: Ledger tags of the thread.
        findings: Where things are written down.
    """

    vouched: Vouched
    tags: frozenset[str]
    findings: Findings

    def fields(self, fields: Mapping[str, object], index: int, *, kept: bool = True) -> dict[str, object]:
        """The fields of a message, cleaned; a field that needs no change is the same object.

        Args:
            fields: Of the message. Untrusted.
            index: Its position.
            kept: Records in `additional_kwargs` may stay where somebody vouches for them; not in another place.
        """
        out = dict(self._without_keys(fields, index, "", frozenset()))
        for name in _HOLDERS:
            held = out.get(name)
            if isinstance(held, Mapping):
                allowed = self._allowed(index) if kept and name == "additional_kwargs" else frozenset()
                out[name] = self._without_keys(held, index, name, allowed)
        content = out.get("content")
        if isinstance(content, list | tuple):
            out["content"] = self._blocks(content, index, 0)
        if index not in self.vouched.whole:
            self._harmless(out, index)
        elif isinstance(out.get("content"), str | list):
            self._words(index, "content", touch=False).value(out["content"])
        if index in self.vouched.altered and kept:
            self.findings.add("content", index, "content", "it is not what the genuine receipt beside it is of")
        return out

    def _allowed(self, index: int) -> frozenset[str]:
        seen = self.vouched
        allowed = {RECEIPT_KEY} if index in seen.receipts else set()
        if index in seen.snapshots:
            allowed.add(SNAPSHOT_KEY)
        if index in seen.receipts and index in seen.records:
            allowed.add(HARVEST_KEY)
        return frozenset(allowed)

    def _without_keys(
        self, held: Mapping[str, object], index: int, where: str, allowed: frozenset[str]
    ) -> Mapping[str, object]:
        """A mapping without our keys; the very object where none is in it."""
        ours = [key for key in held if isinstance(key, str) and (key.startswith(KEY_PREFIX) or key in _LEGACY)]
        gone = [key for key in ours if key not in allowed]
        self.findings.kept += sum(key in allowed and key != HARVEST_KEY for key in ours)
        for key in gone:
            reason = self.vouched.reasons.get(index, "nobody vouches for it") if where else "it stands in a wrong place"
            self.findings.add(_KINDS.get(key, "key"), index, f"{where}.{key}".lstrip("."), reason)
        return {key: value for key, value in held.items() if key not in gone} if gone else held

    def _blocks(self, blocks: Iterable[object], index: int, depth: int) -> object:
        """Content blocks without our keys."""
        made = [self._block(block, index, depth) for block in blocks]
        return blocks if all(new is old for new, old in zip(made, blocks, strict=False)) else made

    def _block(self, block: object, index: int, depth: int) -> object:
        if not isinstance(block, dict) or depth >= _BLOCK_DEPTH:
            return block
        out = self._without_keys(block, index, "content", frozenset())
        for name in ("extras", "additional_kwargs", "content"):
            held = out.get(name)
            new: object = held
            if isinstance(held, dict):
                new = self._without_keys(held, index, f"content.{name}", frozenset())
            elif isinstance(held, list):
                new = self._blocks(held, index, depth + 1)
            if new is not held:
                out = {**out, name: new}
        return out

    def _harmless(self, out: dict[str, object], index: int) -> None:
        """Words and names that no genuine record covers."""
        for name in ("content", "text"):
            if name in out:
                out[name] = self._words(index, name).value(out[name])
        if isinstance(out.get("name"), str):
            out["name"] = self._name(str(out["name"]), index, "name")
        for name in _CALLS:
            out.update({name: self._calls(out[name], index, name)} if isinstance(out.get(name), list) else {})
        extra = out.get("additional_kwargs")
        if isinstance(extra, Mapping):
            changed = {
                name: self._calls(extra[name], index, f"additional_kwargs.{name}")
                for name in ("tool_calls", "function_call")
                if name in extra
            }
            if any(changed[name] is not extra[name] for name in changed):
                out["additional_kwargs"] = {**extra, **changed}

    def _calls(self, calls: object, index: int, where: str) -> object:
        if isinstance(calls, dict):
            return self._call(calls, index, where)
        if not isinstance(calls, list):
            return calls
        made = [self._call(call, index, where) if isinstance(call, dict) else call for call in calls]
        return calls if all(new is old for new, old in zip(made, calls, strict=True)) else made

    def _call(self, call: Mapping[str, object], index: int, where: str) -> Mapping[str, object]:
        out = self._without_keys(call, index, where, frozenset())
        changed: dict[str, object] = {}
        if isinstance(out.get("name"), str):
            changed["name"] = self._name(str(out["name"]), index, f"{where}.name")
        for name in ("args", "arguments"):
            if name in out:
                changed[name] = self._words(index, f"{where}.{name}").value(out[name])
        function = out.get("function")
        if isinstance(function, dict):
            changed["function"] = self._call(function, index, f"{where}.function")
        return out if all(changed[name] is out[name] for name in changed) else {**out, **changed}

    def _name(self, name: str, index: int, where: str) -> str:
        safe = safe_name(name, self.tags)
        if safe == name:
            return name
        self.findings.add("tool_name", index, where, f"{name[:80]!r} is now {safe[:80]!r}")
        return safe

    def _words(self, index: int, where: str, *, touch: bool = True) -> Words:
        def tell(kind: str, detail: str) -> None:
            told: ForgeryKind = "ledger_line" if kind == "ledger_line" and touch else "look_alike"
            self.findings.add(told, index, where, detail)

        return Words(self.tags, tell)
