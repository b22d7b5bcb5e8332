"""Calls that a reply does not tell of, calls that were made twice, and calls that were only written down."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import agrees
from receipts_middleware.core.binding.owning import owns_up
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import names_in
from receipts_middleware.core.binding.tools import OF_MONEY, families
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values
from receipts_middleware.core.values.tables import AMOUNT_KEYS

_CLEAR: Final = frozenset({"supported", "unmatched"})
_ACTED: Final = frozenset({"S2", "S3", "S4"})
#: Acts on a screen, which are repeated as they are.
_GESTURES: Final = frozenset(
    "click press tap type scroll hover drag move navigat go open wait select fill key swip".split()
)
#: Words by which a reply owns up to a repetition.
_TWICE: Final = pattern_of(
    r"\b(?:twice|duplicates?|duplicated|two times|second time|again by mistake|double)\b", re.IGNORECASE
)
#: How models write a call as text. Sources: XML forms of Anthropic and Llama, JSON forms of OpenAI and Qwen.
_WRITTEN: Final = pattern_of(
    r"<invoke name=[\"']?(?P<a>[\w.-]{1,128})|<function=(?P<b>[\w.-]{1,128})"
    r"|\"(?:name|tool|function|action)\"\s{0,4}:\s{0,4}\"(?P<c>[\w.-]{1,128})\"\s{0,4},\s{0,8}"
    r"\"(?:arguments|parameters|input|args|action_input)\"\s{0,4}:"
    r"|^Action:\s{0,4}(?P<d>[\w.-]{1,128})\s*\nAction Input:",
    re.MULTILINE,
)
#: Characters of a reply that are searched for written calls.
_MAX_REPLY: Final = 200_000


def untold(bound: Sequence[Bound], run: Run, reply: str, ignored: Collection[str]) -> list[Act]:
    """Acting calls since the last message of the user that the reply does not tell of, each call for itself.

    Args:
        bound: Claims with what became of them.
        run: What ran.
        reply: Untrusted.
        ignored: Tools whose calls a reply need not tell of.

    Returns:
        Calls that changed something, in order.
    """
    told = {act.entry.n for item in bound for act in _meant(item)}
    told |= {act.entry.n for item in bound if item.judged.status not in _CLEAR for act in item.judged.acts}
    lowered = reply.lower()
    return [
        act
        for act in run.acts
        if act.kind == "acting"
        and act.grade in _ACTED
        and act.entry.n > run.this_turn
        and act.entry.n not in told
        and act.traits.name not in ignored
        and not (_GESTURES & act.traits.own)
        and not _is_named(act, lowered)
        and not (act.grade == "S2" and owns_up(act, run, reply))
    ]


def _meant(item: Bound) -> Sequence[Act]:
    """Of the calls that were weighed for a claim those that it names most of; all where it names nothing of any."""
    acts = item.judged.acts
    if len(acts) < 2:
        return acts
    values = read_values(item.claim.text)
    names = [name.lower() for name in names_in(f"   {item.claim.text}")]
    scores = [sum(agrees(v, a) for v in values) + sum(n in a.text() for n in names) for a in acts]
    top = max(scores)
    return acts if top == 0 else [a for a, score in zip(acts, scores, strict=True) if score == top]


def _is_named(act: Act, lowered: str) -> bool:
    """Whether the reply has the id of what the call made, or the tool by its name."""
    own = act.entry.receipt.object_id
    return (own is not None and len(own) > 3 and own.lower() in lowered) or act.traits.name.lower() in lowered


def repeated(run: Run, reply: str, ignored: Collection[str]) -> list[tuple[Act, Act]]:
    """Acting calls that were done with the very arguments of an earlier one, and not marked as its repeat.

    Args:
        run: What ran.
        reply: Untrusted; one that owns up to the repetition hides nothing.
        ignored: Tools whose calls a reply need not tell of.

    Returns:
        The earlier call and its repetition; only repetitions since the last message of the user.
    """
    if _TWICE.search(reply):
        return []
    found = [pair for group in run.alike(run.this_turn) for pair in _repeated(group, run.this_turn, ignored)]
    return sorted(found, key=lambda pair: pair[1].entry.n)


def _repeated(group: Sequence[Act], this_turn: int, ignored: Collection[str]) -> Iterator[tuple[Act, Act]]:
    """Repetitions among calls of one tool."""
    first: dict[str, Act] = {}
    marked: set[str | None] = set()
    if group[0].traits.name in ignored or _GESTURES & group[0].traits.own:
        return
    for act in group:
        if not (act.kind == "acting" or _moves_money(act)) or act.grade not in _ACTED or not act.args:
            continue
        key = act.alike or act.entry.receipt.args_sha256
        if key in first and act.entry.n > this_turn and not (act.repeat_key and act.repeat_key in marked):
            yield first[key], act
        marked.add(act.repeat_key)
        first.setdefault(key, act)


def _moves_money(act: Act) -> bool:
    """Whether a tool whose name alone may be a noun was told an amount: `refund(order_id, amount)`."""
    moves = act.kind == "unknown" and not OF_MONEY.isdisjoint(families([act.traits.lead]))
    return moves and any(AMOUNT_KEYS.intersection(key.split()) for key, _ in act.arg_pairs())


def written_calls(reply: str, run: Run) -> Iterator[tuple[int, int, str]]:
    """Calls that the reply only writes down, of tools that the agent has.

    Args:
        reply: Untrusted.
        run: What ran.

    Yields:
        Offsets and the name of the tool, each tool once.
    """
    known = {traits.name for traits in run.traits}
    seen: set[str] = set()
    for match in _WRITTEN.finditer(reply[:_MAX_REPLY]):
        name = next(group for group in match.groups() if group)
        if name in known and name not in run.called and name not in seen:
            seen.add(name)
            yield match.start(), match.end(), name
