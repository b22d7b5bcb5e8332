"""What a policy says of a tool, put in the place of what its name, its description and its results suggest."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from receipts_middleware.core.binding.tools import Traits, acts_among, families, traits_of
from receipts_middleware.core.binding.words import stem, stems
from receipts_middleware.core.canonical import digest_args
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.evidence.object_id import id_at, value_at, without
from receipts_middleware.core.language.value import NO_WORDS, Words
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.policy import Policy, ToolPolicy
from receipts_middleware.core.toolspec import ToolSpec

_EMPTY: Final[frozenset[str]] = frozenset()


def spec_under(spec: ToolSpec, policy: Policy) -> ToolSpec:
    """A tool of the kind that a policy says.

    Args:
        spec: As it is described.
        policy: What is said of it.
    """
    kind = policy.for_tool(spec.name).kind
    return replace(spec, kind=kind) if kind is not None and kind != spec.kind else spec


def traits_under(spec: ToolSpec, policy: Policy, name: str, words: Words) -> Traits:
    """Traits of a tool, under the verb that a policy says.

    Args:
        spec: The tool.
        policy: What is said of it.
        name: By which it was called.
        words: Rows that are added to the tables.
    """
    found = traits_of(name, spec.description, spec.kind, words)
    action = policy.for_tool(name).action if policy.tools else None
    return acting_as(found, action, words) if action is not None else found


@lru_cache(maxsize=2_048)
def acting_as(traits: Traits, action: str, more: Words = NO_WORDS) -> Traits:
    """Traits of a tool that does what a policy says, whatever verb its name or its description begins with.

    Args:
        traits: As its name and description give them.
        action: Base form of what it does, of several words the first is the verb.
        more: Rows that are added to the tables.

    Returns:
        The same tool under that verb; what it speaks of else stays.
    """
    words = stems(action.lower().split())
    verb = stem(action.lower().split()[0])
    others = acts_among(frozenset({traits.lead}), more)
    told = frozenset(word for word in traits.told if not _is_other_verb(word, words, traits, more))
    own = (traits.own - others) | words
    return replace(
        traits,
        own=own,
        acts=acts_among(own, more),
        told=told,
        verbs=families(words, more),
        told_verbs=_EMPTY,
        lead=verb,
    )


def _is_other_verb(word: str, words: frozenset[str], traits: Traits, more: Words) -> bool:
    """Whether a word of the description is the verb that it begins with, and not what the tool is said to do."""
    return word not in words and bool(families((word,), more) & traits.told_verbs)


def with_object_id(entry: Entry, said: ToolPolicy) -> Entry:
    """A call whose result names the object where the policy says; what the receipt records is not changed for others.

    Args:
        entry: The call. Untrusted.
        said: What is said of its tool.
    """
    if said.object_id is None or entry.result is None:
        return entry
    found = id_at(entry.result.content, entry.result.text, said.object_id)
    if found == entry.receipt.object_id:
        return entry
    return replace(entry, receipt=replace(entry.receipt, object_id=found))


def repeat_key(args: object, path: str) -> str | None:
    """The key by which a call marks itself as a repeat of one with the same key; None where it holds none.

    Args:
        args: Arguments of the call. Untrusted.
        path: Where they hold it.
    """
    value = value_at(args, path)
    return str(value)[:512] if isinstance(value, str | int) and not isinstance(value, bool) else None


def digest_without(args: object, path: str) -> str:
    """Digest of the arguments of a call without the key that marks a repeat.

    Args:
        args: Arguments of the call. Untrusted.
        path: Where they hold it.
    """
    return digest_args(without(args, path)).sha256
