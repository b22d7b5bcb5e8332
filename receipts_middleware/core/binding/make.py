"""The run that claims are held against, made from a ledger."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.said import acting_as, digest_without, repeat_key, with_object_id
from receipts_middleware.core.binding.told import as_told
from receipts_middleware.core.binding.toolbox import traits_of_all
from receipts_middleware.core.binding.tools import Traits, traits_of
from receipts_middleware.core.binding.words import stems_of
from receipts_middleware.core.dataclass import dataclass, field, replace
from receipts_middleware.core.evidence import normal_status, read_evidence
from receipts_middleware.core.grade import Graded, Shown, Walk, grade, grade_ledger
from receipts_middleware.core.language.value import NO_WORDS, Words
from receipts_middleware.core.ledger import Entry, Ledger
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.policy import Policy, ToolPolicy
from receipts_middleware.core.toolspec import ToolSpec, find_spec, kind_of, kind_of_call, name_tokens

#: With more calls than this a claim is held only against those that may be meant, so that judging stays near-constant.
MANY: Final = 200
#: A token that more calls share tells none of them from the others.
RARE: Final = 40
#: Characters of a reply whose tokens are looked for in calls.
MAX_REPLY: Final = 200_000
#: What stands between the words of a name.
_NAMED: Final = pattern_of(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")
_TOKEN: Final = pattern_of(r"[a-z0-9]{2,40}")


@dataclass(frozen=True, slots=True)
class Known:
    """What was read of the calls of a walk, so that a later turn does not read it again.

    Attributes:
        acts: Calls, by uid.
        shown: What readings showed, by uid.
        walk: How far they are graded.
    """

    acts: dict[str, Act] = field(default_factory=dict)
    shown: dict[str, Shown] = field(default_factory=dict)
    walk: Walk = field(default_factory=Walk)


def make_run(
    ledger: Ledger,
    tools: Sequence[ToolSpec],
    policy: Policy,
    *,
    reply: str = "",
    said: str = "",
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
        delegated: A call handed work to a subagent.
        this_turn: Number of the last call before the message that the reply answers.
        known: Calls that were read for an earlier turn of the same walk, by uid; filled in.
        lost: Calls were made of which nothing but the number is known.
        told: Numbers of calls that handed work to subagents of which all is known: what these did stands in the
            ledger, so what such a call returned is only what they reported.
        agents: Names of those subagents. Untrusted.
        words: Rows that are added to the tables.

    Returns:
        The run.
    """
    known = known if known is not None else Known()
    specs = tuple(_said(spec, policy) for spec in tools) if policy.tools else tuple(tools)
    said_of = {tool: policy.for_tool(tool) for tool in {e.tool for e in ledger}} if policy.tools else {}
    ledger = _with_objects(ledger, said_of)
    given = {tool: said.grade for tool, said in said_of.items() if said.grade is not None}
    strict = policy.require_object_id
    graded = grade_ledger(ledger, specs, strict=strict, policy=given, shown=known.shown, walk=known.walk)
    found = {tool: _spec(tool, specs, policy) for tool in {e.receipt.tool: e for e in ledger}}
    traits = {tool: _traits(spec, policy, tool, words) for tool, spec in found.items()}
    acts = []
    for entry in ledger:
        act, spec = known.acts.get(entry.receipt.uid), found[entry.receipt.tool]
        if act is not None and not said_of and _is_as_before(act, entry, graded[entry.receipt.n], spec):
            acts.append(act)
            continue
        if entry.call is not None and entry.call.kind == "answer":
            continue  # the reply itself in the shape of a call: nothing ran, and it is no evidence of what it says
        kind = kind_of_call(spec, entry.call.args if entry.call is not None else None)
        if kind == "unknown":
            graded[entry.n] = _as_an_act(entry, graded[entry.n], strict=strict)
        if act is None or act.entry is not entry:
            act = Act(entry, graded[entry.n], kind, traits[entry.tool])
            known.acts[entry.receipt.uid] = act
        act.graded = _weighed(graded[entry.n], act, spec)
        act.check_args = policy.check_args
        if entry.tool in said_of:
            _tell(act, said_of[entry.tool])
        acts.append(act)
    acts, asked, listed = _apart(acts, _listed(specs, traits, policy, words), told)
    return Run(
        _near(acts, reply, this_turn) if len(acts) > MANY else acts,
        listed,
        every=acts,
        said=said,
        this_turn=this_turn,
        delegated=delegated,
        lost=lost,
        asked=asked,
        words=words,
        agents=_words_of(agents),
    )


def _spec(tool: str, specs: Sequence[ToolSpec], policy: Policy) -> ToolSpec:
    """A tool as it is described, or as its name and the policy say."""
    return find_spec(specs, tool) or _said(_unlisted(tool), policy)


def _listed(specs: Sequence[ToolSpec], called: Mapping[str, Traits], policy: Policy, words: Words) -> list[Traits]:
    """Traits of the tools that the agent had."""
    if policy.tools:
        return [called.get(s.name) or _traits(s, policy, s.name, words) for s in specs]
    return [called.get(t.name) or t for t in traits_of_all(specs, words)]


def _is_as_before(act: Act, entry: Entry, graded: Graded, spec: ToolSpec) -> bool:
    """Whether nothing about a call has changed since it was weighed for an earlier turn; it then has that grade."""
    weighed = act.weighed
    if act.entry is not entry or act.kind == "unknown" or weighed is None:
        return False
    if weighed[0] is not graded or weighed[1] is not spec:
        return False
    act.graded = weighed[2]
    return True


@lru_cache(maxsize=1_024)
def _unlisted(tool: str) -> ToolSpec:
    return ToolSpec(tool, "", kind_of(tool))


def _with_objects(ledger: Ledger, said_of: Mapping[str, ToolPolicy]) -> Ledger:
    """The ledger with the objects that stand where the policy says."""
    if all(tool.object_id is None for tool in said_of.values()):
        return ledger
    return Ledger([with_object_id(entry, said_of[entry.tool]) for entry in ledger], ledger.notes)


def _apart(acts: list[Act], listed: list[Traits], told: Collection[int]) -> tuple[list[Act], list[Act], list[Traits]]:
    """Calls and tools without those that only handed work on: what these are good for, subagents did with their own."""
    asked = [act for act in acts if act.entry.n in told]
    if not asked:
        return acts, asked, listed
    rest = [act for act in acts if act.entry.n not in told]
    handing = {act.traits.name for act in asked} - {act.traits.name for act in rest}
    return rest, asked, [traits for traits in listed if traits.name not in handing]


def _words_of(names: Collection[str]) -> frozenset[str]:
    """Stems of the words of names."""
    return stems_of(" ".join(_NAMED.sub(" ", name[:128]) for name in names))


def _traits(spec: ToolSpec, policy: Policy, name: str, words: Words) -> Traits:
    """Traits of a tool, under the verb that the policy says."""
    found = traits_of(name, spec.description, spec.kind, words)
    action = policy.for_tool(name).action if policy.tools else None
    return acting_as(found, action, words) if action is not None else found


def _tell(act: Act, said: ToolPolicy) -> None:
    """Put into a call what the policy says of it."""
    if said.check_args is not None:
        act.check_args = said.check_args
    if said.idempotency_key is not None:
        act.repeat_key = repeat_key(act.args, said.idempotency_key)
        act.alike = digest_without(act.args, said.idempotency_key)


def _near(acts: Sequence[Act], reply: str, this_turn: int) -> list[Act]:
    """Of many calls the newest, those of this turn, and those that share a rare word or number with the reply."""
    wanted = frozenset(_TOKEN.findall(reply[:MAX_REPLY].lower()))
    counts: dict[str, int] = {}
    tokens: list[frozenset[str]] = []
    for act in acts:
        own = wanted & act.tokens()
        tokens.append(own)
        for token in own:
            counts[token] = counts.get(token, 0) + 1
    rare = {token for token, count in counts.items() if count <= RARE}
    kept = {n for n, own in enumerate(tokens) if not rare.isdisjoint(own)}
    kept = set(sorted(kept)[-MANY:])
    turn = [n for n, act in enumerate(acts) if act.entry.n > this_turn][-MANY:]
    kept.update(turn, range(max(0, len(acts) - MANY // 2), len(acts)))
    return [acts[n] for n in sorted(kept)]


def _as_an_act(entry: Entry, graded: Graded, *, strict: bool) -> Graded:
    """The grade of a call of which nobody knows whether it acts, read as an act: only a claim of an act asks for it.

    What the receipt records stays as it is: there, what such a tool returned is data.
    """
    result = entry.result
    if graded.is_given or result is None or entry.outcome != "success" or graded.grade not in ("S3", "S4"):
        return graded
    said = read_evidence(
        content=result.content,
        text=result.text,
        error=result.error,
        exit_code=result.exit_code,
        origin=result.origin,
        kind="acting",
        tool=entry.tool,
    )
    receipt = replace(
        entry.receipt,
        outcome=said.outcome,
        outcome_source=said.outcome_source,
        http_status=said.http_status,
        status_word=said.status_word,
        exit_code=said.exit_code,
        error_type=said.error_type,
    )
    return grade(receipt, strict=strict, kind="acting")


def _weighed(graded: Graded, act: Act, spec: ToolSpec | None) -> Graded:
    """The grade of a call as claims are held against it; worked out once while nothing about it changes."""
    if graded.is_given:
        return graded
    if act.weighed is None or act.weighed[0] != graded or act.weighed[1] != spec:
        found = _documented(graded, act.entry, spec)
        if act.kind == "acting":
            found = _documented(as_told(found, act.entry, act.traits, act.body), act.entry, spec)
        act.weighed = graded, spec, found
    return act.weighed[2]


def _documented(graded: Graded, entry: Entry, spec: ToolSpec | None) -> Graded:
    """An open end that the tool's own description, or the call's arguments, give as what the call does is done.

    "The order status will be changed to 'exchange requested'"; `set_status(status="in review")`.
    """
    word = entry.receipt.status_word
    if graded.grade != "S2" or not word or spec is None or len(word) < 4:
        return graded
    norm = normal_status(word)
    asked = entry.call.args if entry.call is not None else None
    values = asked.values() if isinstance(asked, Mapping) else ()
    if any(isinstance(v, str) and len(v) <= 64 and normal_status(v) == norm for v in values):
        return Graded("S3", f"as_asked: {word}"[:200])
    share = _PERCENT.search(word)
    if share is not None and any(str(v).removesuffix(".0") == share[1] for v in values):
        return Graded("S3", f"as_asked: {word}"[:200])  # the dimmer was to be set to 80 percent
    own = norm.removesuffix("_requested")
    if own != norm and own in _own_acts(spec.name) and not _WAITING.search(_rest(entry)):
        return Graded("S3", f"own_request: {word}"[:200])
    if "_" in norm and norm in normal_status_text(spec.description):
        return Graded("S3", f"documented: {word}"[:200])
    return graded


_PERCENT: Final = re.compile(r"percent\w* is (\d{1,3})\b")
#: Words of a result that leave the end open, beside its status.
_WAITING: Final = pattern_of(
    r"await|pending|review|guarantee|confirm|approv|not yet|waiting|subject to|once |will be", re.IGNORECASE
)


def _own_acts(name: str) -> frozenset[str]:
    """Words of a tool's name with the nouns of their acts: `cancel` and `cancellation`."""
    return frozenset(name_tokens(name))


def _rest(entry: Entry) -> str:
    """What a result says beside its status word."""
    text = entry.result.text[:2_000] if entry.result is not None else ""
    return text.replace(entry.receipt.status_word or "", "")


def normal_status_text(text: str) -> str:
    """A description with its words joined as those of a status are."""
    return re.sub(r"[^a-z0-9]+", "_", text[:4_000].lower())


def _said(spec: ToolSpec, policy: Policy) -> ToolSpec:
    kind = policy.for_tool(spec.name).kind
    return replace(spec, kind=kind) if kind is not None and kind != spec.kind else spec
