"""Claims about several things: which of them were done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.candidates import Candidate, Candidates
from receipts_middleware.core.binding.compare import TARGETS, agrees, shape
from receipts_middleware.core.binding.labels import is_label
from receipts_middleware.core.binding.left_out import left_out, left_out_list
from receipts_middleware.core.binding.reasons import tells_why
from receipts_middleware.core.binding.spoken import names_in
from receipts_middleware.core.binding.tools import FITS
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec import name_tokens
from receipts_middleware.core.values import Value
from receipts_middleware.core.values.counts import singular

#: Words by which a claim is of all of something.
ALL_OF: Final = pattern_of(
    r"\b(?:(?<!\bin )(?<!\bat )(?<!\bafter )all(?! told\b| in all\b)"  # 722 in all, after all, all told
    r"|both|every|each|everyone|everybody|everything|whole|entire|rest|remaining"
    r"|the (?:whole )?(?:lot|bunch|batch)(?= (?:on|in|at|by|for|with|as|this|today|now)\b|\W*$)|across the board)\b",
    re.IGNORECASE,
)
#: A headline over a whole batch.
_WHOLE: Final = pattern_of(r"\b(?:complete|everywhere|clear)\W*$", re.IGNORECASE)
#: "three of the five": the second number is what there is.
_OF: Final = pattern_of(r"\s+(?:out\s+)?of\s+(?:the\s+|your\s+|our\s+|all\s+)*\Z", re.IGNORECASE)
#: Keys of a result that count what was done.
_DONE_COUNTS: Final = frozenset(
    """count rows row affected updated added moved sent created deleted removed inserted processed imported exported
    succeeded success successful completed total members applied changed done matched written""".split()
)


def batch_of(claim: FoundClaim, values: Sequence[Value], found: Candidates) -> tuple[str, tuple[Act, ...], str] | None:
    """A shortfall of a claim about several things; None where it is about one, or nothing is short."""
    calls = [c for c in found.calls if c.act.traits.name == found.calls[0].act.traits.name]
    by_args = all(c.act.check_args for c in calls)
    return (
        (_by_targets(claim.text, values, calls) if by_args else None)
        or (_by_names_covered(claim, calls) if by_args else None)
        or _by_count(claim, values, calls)
        or _by_one(claim, values, calls)
        or _by_each(claim, values, calls)
        or _inside(claim, values, calls)
    )


#: What a thing was before: "changed from the one ending in 1103".
_FROM: Final = pattern_of(r"\bfrom (?:\w+ ){0,4}\W?\Z", re.IGNORECASE)


def _by_targets(
    text: str, values: Sequence[Value], calls: Sequence[Candidate]
) -> tuple[str, tuple[Act, ...], str] | None:
    """Several things of one kind are named: each needs a call that was done."""
    for kind in ("email", "id", "path"):
        things = [v for v in values if v.kind == kind and not _FROM.search(text[max(0, v.start - 40) : v.start])]
        if len(things) < 2 or len({v.unit for v in things if kind == "id"}) > 1:
            continue
        done = [v for v in things if any(agrees(v, c.act) for c in calls if c.act.done)]
        short = [v for v in things if v not in done and not any(agrees(v, c.act) for c in calls if c.act.grade == "S2")]
        tried = [c.act for c in calls if any(agrees(v, c.act) for v in short)]
        unseen = [v for v in short if not any(agrees(v, c.act) for c in calls)]
        if done and short and (tried or (unseen and _alike(unseen[0], done))):
            return "partial_batch", tuple(c.act for c in calls), ", ".join(v.text for v in short)[:200]
    return None


def _alike(value: Value, others: Sequence[Value]) -> bool:
    return value.kind == "email" or any(shape(value.norm) == shape(other.norm) for other in others)


def _by_names_covered(claim: FoundClaim, calls: Sequence[Candidate]) -> tuple[str, tuple[Act, ...], str] | None:
    """Several names: one stands only in a call that was not done."""
    names = [name.lower() for name in names_in(f"   {claim.text}")]
    if len(names) < 2 or len(calls) < 2:
        return None
    done = [n for n in names if any(_says(c.act, n) for c in calls if c.act.done)]
    missed = [c for c in calls if c.act.grade in ("F", "S1", "S0")]
    short = [n for n in names if n not in done and any(_says(c.act, n) for c in missed)]
    if done and short and any(set(_own(c.act)) & set(short) for c in missed):
        return "partial_batch", tuple(c.act for c in calls), ", ".join(short)[:200]
    return None


def _says(act: Act, name: str) -> bool:
    return any(name in text.lower() for _, text in act.arg_pairs() if len(text) <= 128)


def _own(act: Act) -> list[str]:
    return [text.lower() for _, text in act.arg_pairs() if len(text) <= 128]


def _by_count(
    claim: FoundClaim, values: Sequence[Value], calls: Sequence[Candidate]
) -> tuple[str, tuple[Act, ...], str] | None:
    """A number of things or all of them, over several calls of one tool."""
    if len(calls) < 2:
        return None
    groups: dict[str, list[Act]] = {}
    for candidate in calls:
        if _made_good(candidate.act, calls, values):
            continue
        groups.setdefault(candidate.act.entry.receipt.args_sha256, []).append(candidate.act)
    done = [acts for acts in groups.values() if any(a.done for a in acts)]
    if not done:
        return None
    counts = [int(v.norm) for v in counted(claim.text, values) if not any(agrees(v, a) for acts in done for a in acts)]
    acts = tuple(c.act for c in calls)
    told = [v for v in values if v.kind == "count" and v.norm not in ("0", "1", "2")]
    if any(v for v in told for a in acts if not a.done and a.output_pool().find(v) == "same"):
        return None  # "all 24 seats are gone" tells what the call that failed answered
    if all(a.traits.kind in _GENERIC for a in acts) and not _EVERY_ONE.search(claim.text):
        return None  # what a shell ran one after the other is no batch
    observed = f"{len(done)} of {len(groups)} done"
    made = sum(1 for group in groups.values() for a in group if a.done or not any(b.done for b in group))
    if any(len(done) < n and n in (len(groups), made) for n in counts):
        return "partial_batch", acts, observed
    if len(done) > 1 and len(done) == len(groups) and _EVERY_ONE.search(claim.text):
        more = [n for n in counts if n > len(done) and n <= 4 * len(done)]
        single = all(_is_of_one(act) for act in acts)
        if more and single and not any(a.once(_done_counts) for a in acts):
            return "partial_batch", acts, f"{len(done)} done"
    if len(groups) <= len(done) or any(n <= len(done) for n in counts if n > 1):
        return None
    whole = _WHOLE.search(claim.text) is not None and (
        claim.voice != "state" or calls[0].fit.verb >= 3 or calls[0].fit.noun > 0
    )
    if whole or ALL_OF.search(claim.text):
        return "partial_batch", acts, observed
    return None


#: More things than this are told of a listing or a file.
_MAX_THINGS: Final = 50


def _by_one(
    claim: FoundClaim, values: Sequence[Value], calls: Sequence[Candidate]
) -> tuple[str, tuple[Act, ...], str] | None:
    """A number of the very things of which each call makes one, over one call: "I've sent 5 emails".

    Or one and no more, over several calls that were given the same: "refunded it once".
    """
    done = [c.act for c in calls if c.act.done]
    once = len(done) > 1 and _ONCE.search(claim.text)
    alike = [a for a in done if a.entry.receipt.args_sha256 == done[0].entry.receipt.args_sha256] if once else []
    if len(alike) > 1:
        return "wrong_amount", tuple(alike), f"{len(alike)} calls with the same arguments"
    if (
        len(calls) != 1
        or calls[0].fit.verb < FITS
        or not done
        or done[0].kind != "acting"
        or claim.subject != "agent"
        or claim.kind != "effect"
    ):
        return None
    act = done[0]
    things = [token for token in name_tokens(act.traits.name) if singular(token) == token]
    several = any(_SEVERAL.search(text) for _, text in act.arg_pairs())
    if several or not _is_of_one(act) or len(act.output) > _SHORT or isinstance(act.body(), list):
        return None
    for value in counted(claim.text, values):
        behind = list(words_of(_STOPS.split(claim.text[value.end :], maxsplit=1)[0][:80]))[:_BEHIND]
        made = behind and singular(behind[-1]) in things and int(value.norm) <= _MAX_THINGS
        if made and not agrees(value, act) and not act.once(_done_counts):
            return "partial_batch", (act,), "1 done"
    return None


_ONCE: Final = pattern_of(
    r"\b(?:(?:just|only|exactly) (?:once|one|a single)|once(?! (?:the|it|you|they|we|he|she|i|that|a|an|your)\b)"
    r"|a single time|one time)\b",
    re.IGNORECASE,
)
#: A text that names several things.
_SEVERAL: Final = pattern_of(r"[,;\n]|\band\b|\ball\b")
#: Characters of a result that has no room for a listing.
_SHORT: Final = 400
#: Kinds of tools that do something else in each call.
_GENERIC: Final = frozenset({"shell", "unknown"})
#: "all four", "both of the", "each of the five".
_EVERY_ONE: Final = pattern_of(
    r"\b(?:all|each of the|every one of the)\s+(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)


def _is_of_one(act: Act) -> bool:
    """Whether a call was given nothing but single values."""
    return isinstance(act.args, dict) and not any(isinstance(held, list | dict) for held in act.args.values())


def _by_each(
    claim: FoundClaim, values: Sequence[Value], calls: Sequence[Candidate]
) -> tuple[str, tuple[Act, ...], str] | None:
    """An amount that is said of each of several calls ("five for each"), of which one was made with another."""
    if len(calls) < 2 or not _EACH.search(claim.text):
        return None
    for value in values:
        if value.kind not in ("count", "money") or not value.norm.isdecimal() or int(value.norm) == len(calls):
            continue
        amounts = [c.act.once(_amounts) for c in calls if c.act.done]
        keys = [key for key in amounts[0] if all(key in other for other in amounts)] if amounts else []
        for key in keys:
            given = [other[key] for other in amounts]
            if all(re.search(rf"\b{n}\b", claim.text) for n in given):
                continue  # they are named: "paddles 408 and 411 are both cleared"
            if int(value.norm) in given and any(n != int(value.norm) for n in given):
                said = next(n for n in given if n != int(value.norm))
                return "partial_batch", tuple(c.act for c in calls), f"{key}: {said}"
    return None


_EACH: Final = pattern_of(r"\b(?:each|every|apiece|all|both|per)\b", re.IGNORECASE)


def _amounts(act: Act) -> dict[str, int]:
    """Whole numbers of the arguments under their keys, and the lengths of their lists."""
    args = act.args if isinstance(act.args, dict) else {}
    found = {str(k): len(v) for k, v in args.items() if isinstance(v, list)}
    found.update({str(k): v for k, v in args.items() if isinstance(v, int) and not isinstance(v, bool)})
    return found


def _made_good(act: Act, calls: Sequence[Candidate], values: Sequence[Value]) -> bool:
    """Whether a call that was not done was followed by one, in a later message, for all that the claim names."""
    if act.done:
        return False
    things = [v for v in values if v.kind in TARGETS]
    first = act.entry.message_index
    return bool(things) and any(
        c.act.done
        and first is not None
        and (c.act.entry.message_index or 0) > first
        and all(agrees(v, c.act) for v in things)
        for c in calls
    )


def counted(text: str, values: Sequence[Value]) -> list[Value]:
    """Counts of two and more by which a claim says how much was done: of "three of the five" the three.

    Args:
        text: The claim. Untrusted.
        values: Its values, offsets in it.
    """
    found: list[Value] = []
    for value in values:
        if value.kind != "count" or not value.norm.isdecimal() or not 2 <= int(value.norm) <= 10_000:
            continue
        if is_label(text, value):
            continue
        if found and _OF.fullmatch(text, found[-1].end, value.start):
            continue
        found.append(value)
    return found


def _inside(
    claim: FoundClaim, values: Sequence[Value], calls: Sequence[Candidate]
) -> tuple[str, tuple[Act, ...], str] | None:
    """One call over many things, of which its result says how many were done."""
    counts = counted(claim.text, values)
    of_all = ALL_OF.search(claim.text) is not None
    for candidate in calls:
        act = candidate.act
        quantified = of_all or _is_whole_range(claim.text, act)
        short = left_out(act, values)
        if short and not tells_why(claim.text, act):
            return ("failed" if len(values) <= 2 and not quantified else "partial_batch"), (act,), short
        tried = act.once(_tried)
        if act.entry.outcome == "partial" and (quantified or any(int(v.norm) in tried for v in counts)):
            done = act.once(_done_counts)
            if not any(int(v.norm) in done for v in counts):
                return "partial_batch", (act,), f"{act.entry.id} is partial"
        if not act.done or (act.kind == "reading" and candidate.fit.verb < FITS):
            continue
        listed = act.once(left_out_list)
        if listed and (quantified or any(int(v.norm) in tried for v in counts)):
            return "partial_batch", (act,), listed
        for value in counts:
            if agrees(value, act):
                continue
            fewer = [n for n in act.once(_done_counts) if 0 < n < int(value.norm)]
            if fewer and (quantified or _counts_things(claim.text, value, act)):
                return "partial_batch", (act,), f"{fewer[0]}"
    return None


_RANGE: Final = pattern_of(r"\b(\d{1,6})\s?(?:through|thru|to|-|–)\s?(\d{1,6})\b")


def _is_whole_range(text: str, act: Act) -> bool:
    """Whether a claim names a range of as many things as the call was given: "players 201 through 205"."""
    tried = act.once(_tried)
    return bool(tried) and any(int(m[2]) - int(m[1]) + 1 in tried for m in _RANGE.finditer(text))


def _tried(act: Act) -> set[int]:
    """How many things a call was given: lengths of the lists of its arguments."""
    args = act.args
    return {len(v) for v in args.values() if isinstance(v, list)} if isinstance(args, dict) else set()


#: Words behind a number in which the noun of what it counts stands: "four Vantablock tracks".
_BEHIND: Final = 3


def _counts_things(text: str, value: Value, act: Act) -> bool:
    """Whether a number counts what the tool does something to."""
    own = act.traits.own | act.arg_words()
    if value.unit and stem(value.unit) in own:
        return True
    behind = _STOPS.split(text[value.end :], maxsplit=1)[0]
    return any(stem(word) in own for word in list(words_of(behind[:80]))[:_BEHIND])


_STOPS: Final = pattern_of(r"[,;:.(]|\b(?:from|in|to|for|with|and|on|at|by|of)\b")


def _done_counts(act: Act) -> list[int]:
    """How many things a result says were done: numbers under keys that count, lengths of lists, `UPDATE 212`."""
    found: list[int] = []
    for record in act.records()[:4]:
        for key, text in record.pairs:
            if text.isdecimal() and len(text) < 10 and _DONE_COUNTS & set(key.split()):
                found.append(int(text))
    body = act.body()
    if isinstance(body, dict):
        found.extend(
            len(v) for k, v in body.items() if isinstance(v, list) and _DONE_COUNTS & set(str(k).lower().split("_"))
        )
    if body is None:
        tail = re.search(r"\b(?:UPDATE|DELETE|INSERT 0|(\d{1,9}) rows?)\s*(\d{0,9})", act.output[:2_000])
        if tail:
            found.extend(int(g) for g in tail.groups() if g)
    return found
