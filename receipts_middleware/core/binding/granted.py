"""What a call granted of what it was asked for, where that is less or other: a claim that repeats the request is wrong.

`stock.reserve(tonnes=24)` that answers `{"reserved": 18.5, "shortfall": 5.5}` has not reserved 24.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import AMOUNTS, Mismatch, mismatch_of
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.values import Value

#: Participles under which a result tells how much of what was asked for it gave, whatever the act.
_GIVEN: Final = frozenset(
    """granted accepted approved booked reserved allocated confirmed ordered refunded paid charged credited debited
    transferred sent dispensed dosed added issued filled fulfilled supplied applied capped set""".split()
)


def granted_other(values: Sequence[Value], act: Act) -> tuple[Mismatch, Value, str] | None:
    """An amount that the call was asked for, where its result says that it gave another.

    Args:
        values: Of the claim.
        act: The call that bears it out by its words.

    Returns:
        Which mismatch, the value, and what was given; None where nothing speaks against the claim.
    """
    given = [pair for pair in _given(act) if pair[0]]  # that there is nothing of it yet takes nothing back
    if not given:
        return None
    for value in values:
        if value.kind not in AMOUNTS or act.args_pool().find(value) != "same" or _number(value.norm) is None:
            continue
        if any(number == _number(value.norm) for number, _ in given):
            continue
        for number, text in given:
            if not any(_number(v.norm) == number for v in values) and act.output_pool().find(value) != "same":
                return mismatch_of(value), value, text
    return None


#: Participles under which a result counts what came of an order, and verbs that say no more than that it was given.
_CAME_OF_IT: Final = frozenset("filled executed processed completed delivered settled".split())
_GIVEN_IN: Final = frozenset(
    stem(w) for w in "place submit enter put rest work queue send lodge open set order".split()
)


def nothing_yet(verb: str, act: Act) -> str:
    """What a result says where nothing came of an order yet that a claim calls carried out: `"filled": 0`.

    Args:
        verb: Stem of the claim's verb.
        act: The call that bears it out by its words.
    """
    if not verb or verb in _GIVEN_IN:
        return ""
    body = act.body()
    pairs = list(body.items())[:50] if isinstance(body, dict) else []
    return next((f"{key}: 0" for key, held in pairs if str(key) in _CAME_OF_IT and held == 0 and held is not False), "")


def done_other(verb: str, values: Sequence[Value], act: Act) -> str:
    """How many a result says were done, where a claim says more of them: 148 imported over `"imported": 139`.

    Args:
        verb: Stem of the claim's verb.
        values: Of the claim.
        act: The call that bears it out by its words.
    """
    counts = {v.norm for v in values if v.kind == "count" and v.norm.isdecimal()}
    for number, text in _given(act):
        word = text.partition(":")[0]
        more = any(float(n) > number and act.output_pool().find(_count(n)) == "same" for n in counts)
        if number and stem(base_form(word)) == verb and str(int(number)) not in counts and more:
            return text
    return ""


def _count(norm: str) -> Value:
    return Value("count", norm, 0, 0, norm)


def mistyped(values: Sequence[Value], act: Act, run: Run) -> tuple[Mismatch, Value, str] | None:
    """A number that stands nowhere, where the call was given, as asked, one that differs in a digit or in their order.

    Args:
        values: Of the claim.
        act: The call that bears it out by its words.
        run: What ran.

    Returns:
        Which mismatch, the value, and what the call was given; None where nothing speaks against the claim.
    """
    for value in values:
        digits = value.norm.partition(".")[0]
        least = _MIN_DIGITS if value.kind == "count" else _MIN_DIGITS - 1
        if value.kind not in AMOUNTS or not digits.isdecimal() or len(digits) < least:
            continue
        if run.seen().find(value) is not None or run.told().contains(value) or digits in run.heard():
            continue
        for _, text in act.arg_pairs():
            other = text.strip().partition(".")[0]
            if (
                other in run.heard()
                and differ_little(digits, other)
                and not any(v.norm.startswith(other) for v in values)
            ):
                return mismatch_of(value), value, text.strip()[:60]
    return None


#: A shorter number differs in a digit from any other.
_MIN_DIGITS: Final = 3


def differ_little(said: str, given: str) -> bool:
    """Whether two numbers of as many digits differ in one digit, or in nothing but their order.

    Args:
        said: Digits.
        given: Digits.
    """
    if len(said) != len(given) or said == given or not given.isdecimal():
        return False
    return sorted(said) == sorted(given) or sum(a != b for a, b in zip(said, given, strict=True)) == 1


#: Keys that hold free text or tell how the call went.
_FREE: Final = frozenset(
    """text body message note notes subject title description reason status state content comment query url id type
    kind""".split()
)
_MAX_WORD: Final = 40
#: Keys of a result that answers the call rather than returning a record.
_ANSWER: Final = 6


def echoed_other(text: str, act: Act) -> str:
    """A choice that the call was asked for and the claim repeats, where its result has another one under the same key.

    Args:
        text: The claim. Untrusted.
        act: The call that bears it out by its words.

    Returns:
        What stands in the result; empty where nothing speaks against the claim.
    """
    body = act.body()
    if not isinstance(body, dict) or not isinstance(act.args, dict) or len(body) > _ANSWER:
        return ""  # a whole record may be the one from before
    said = f" {_plain(text)} "
    for key, asked in list(act.args.items())[:50]:
        held = body.get(key)
        if not (isinstance(asked, str) and isinstance(held, str)) or _FREE.intersection(str(key).lower().split("_")):
            continue
        wanted, got = _plain(asked), _plain(held)
        if not wanted.replace(" ", "").isalpha() or not got.replace(" ", "").isalpha() or got.startswith(wanted):
            continue
        if len(held) <= _MAX_WORD and f" {wanted} " in said and f" {got} " not in said:
            return f"{key}: {held}"
    return ""


def _plain(text: str) -> str:
    return " ".join(words_of(text[:2_000]))


def _given(act: Act) -> Iterator[tuple[float, str]]:
    """Numbers of the result under a participle that says what was done."""
    body = act.body()
    for key, held in list(body.items())[:50] if isinstance(body, dict) else ():
        word = str(key)[:64].lower()
        number = held if isinstance(held, int | float) and not isinstance(held, bool) else None
        if number is None or not word.isalpha():
            continue
        own = is_participle(word) and stem(base_form(word)) in act.traits.own
        if own or word in _GIVEN:
            yield float(number), f"{word}: {held}"


def _number(norm: str) -> float | None:
    try:
        return float(norm)
    except ValueError:
        return None
