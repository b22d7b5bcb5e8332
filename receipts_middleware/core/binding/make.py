"""The run that claims are held against, made from a ledger."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from receipts_middleware.core.binding.known import Asked, Known
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.said import spec_under, traits_under, with_object_id
from receipts_middleware.core.binding.toolbox import traits_of_all
from receipts_middleware.core.binding.tools import Traits
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.language.value import NO_WORDS, Words
from receipts_middleware.core.ledger import Ledger
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.policy import Policy, ToolPolicy
from receipts_middleware.core.toolspec import ToolSpec

#: What stands between the words of a name.
_NAMED: Final = pattern_of(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")


def make_run(
    ledger: Ledger,
    tools: Sequence[ToolSpec],
    policy: Policy,
    *,
    reply: str = "",
    said: str = "",
    request: str = "",
    this_turn: int = 0,
    delegated: bool = False,
    known: Known | None = None,
    lost: bool = False,
    told: Collection[int] = (),
    agents: Collection[str] = (),
    words: Words = NO_WORDS,
) -> Run:
    """Make the run of a reply.

    Args:
        ledger: Calls up to the reply.
        tools: Tools that the agent had.
        policy: What is said of them.
        reply: The text to judge: of many calls those are kept that share something with it.
        said: What the user and the operator wrote.
        request: The newest of it that the user wrote.
        delegated: A call handed work to a subagent.
        this_turn: Number of the last call before the message that the reply answers.
        known: Calls that were read for an earlier turn of the same walk, filled in.
        lost: Calls were made of which nothing but the number is known.
        told: Numbers of calls that handed work to subagents of which all is known: what these did stands in the
            ledger, so what such a call returned is only what they reported.
        agents: Names of those subagents. Untrusted.
        words: Rows that are added to the tables.

    Returns:
        The run.
    """
    known = known if known is not None else Known()
    specs = tuple(spec_under(spec, policy) for spec in tools) if policy.tools else tuple(tools)
    if policy.tools:
        ledger = _with_objects(ledger, {tool: policy.for_tool(tool) for tool in {e.tool for e in ledger}})
    known.follow(ledger[:], Asked(specs, policy, words), told)
    listed = _listed(specs, policy, words)
    if known.handed:  # what such a tool is good for, subagents did with their own
        handing = {entry.tool for entry in known.handed} - known.called
        listed = [traits for traits in listed if traits.name not in handing]
    return Run(
        known.near(reply, this_turn),
        listed,
        called=known.called,
        said=said,
        request=request,
        this_turn=this_turn,
        delegated=delegated,
        lost=lost,
        asked=[known.act(entry) for entry in known.handed],
        words=words,
        agents=_words_of(agents),
        alike=known.alike,
    )


def _listed(specs: Sequence[ToolSpec], policy: Policy, words: Words) -> list[Traits]:
    """Traits of the tools that the agent had."""
    if policy.tools:
        return [traits_under(spec, policy, spec.name, words) for spec in specs]
    return list(traits_of_all(specs, words))


def _with_objects(ledger: Ledger, said_of: Mapping[str, ToolPolicy]) -> Ledger:
    """The ledger with the objects that stand where the policy says."""
    if all(tool.object_id is None for tool in said_of.values()):
        return ledger
    return Ledger([with_object_id(entry, said_of[entry.tool]) for entry in ledger], ledger.notes)


def _words_of(names: Collection[str]) -> frozenset[str]:
    """Stems of the words of names."""
    return stems_of(" ".join(_NAMED.sub(" ", name[:128]) for name in names))
