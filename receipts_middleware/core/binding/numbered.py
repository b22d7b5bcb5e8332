"""Things that are told apart by a number: `van 8`, `berths 3 and 5`, work order `W-9`."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import shape, stands_in_text
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import MONTHS

#: A number, or a short name with one, as the value of an argument.
_NUMBERED: Final = pattern_of(r"#?([A-Za-z]{0,4}-?)(\d{1,6})")
#: Nouns of an argument's key by which a claim may call the thing.
_KEY: Final = pattern_of(r"[a-z]{3,20}\Z")
#: Keys whose numbers are how much of something there is, or when.
_AMOUNTS: Final = frozenset(
    """amount quantity qty count total price cost size limit percent rate hours minutes days weeks months years date
    time year month day hour minute seconds second age height weight width length temperature page version at from
    until start end""".split()
)
#: A key in the plural holds how many: `tonnes`, `replicas`.
_COUNTS: Final = pattern_of(r"(?<!bu)(?<!ga)(?<!s)s\Z")
#: The number of a claim behind its noun: "van 8", "berths 3 and 5", "table no. 4".
_LIST: Final = r"s?(?:\s(?:no\.?|number|nos\.?|#))?\s?((?:#?[A-Za-z]{0,4}-?\d{1,6}(?:\s?(?:,|and|&|or|-|–|to)\s?)?)+)"
_DIGITS: Final = pattern_of(r"\d{1,6}")
_RANGE: Final = pattern_of(r"\d\s?(?:-|–|to)\s?[A-Za-z]{0,4}-?\d")
#: What a call made, under an id of letters and digits.
_MADE: Final = pattern_of(r"([A-Za-z]{1,6}-?)(\d{1,8})")
_IDS: Final = pattern_of(r"(?<![\w-])([A-Za-z]{1,6}-?)(\d{1,8})(?![\w-])")


def other_number(said: Spoken, act: Act) -> str:
    """The number of the thing that a call was about, where the claim has another one behind its noun.

    Args:
        said: The claim.
        act: The call.

    Returns:
        Noun and number of the call; empty where nothing speaks against the claim.
    """
    things = act.once(_things)
    if not things or said.is_contrasted():
        return ""
    lowered, run = said.lowered(), said.run
    for key, word, given, own in things:
        noun = word.removesuffix("s")
        listed = re.search(rf"\b{re.escape(noun)}{_LIST}", lowered) if noun in lowered else None
        if not listed or _RANGE.search(listed[1]):
            continue
        numbers = {int(n) for n in _DIGITS.findall(listed[1])}
        ran = {int(m[2]) for other in run.acts if other.traits.name == act.traits.name for m in _given(other, key)}
        if own not in numbers and numbers - ran:
            return f"{word} {given.strip()}"
        if numbers - ran and ran - numbers and len(numbers) > 1:
            return f"{word} {', '.join(map(str, sorted(ran - numbers)))}"
    return ""


def _things(act: Act) -> list[tuple[str, str, str, int]]:
    """Arguments that are the number of a thing: key, noun, as given, number."""
    found = []
    for key, given in act.arg_pairs():
        word = next(iter(reversed(key.split())), "") if not key.endswith((" id", " no", " number")) else key.split()[-2]
        value = _NUMBERED.fullmatch(given.strip())
        if value and _KEY.match(word) and word not in _AMOUNTS and not _COUNTS.search(word):
            found.append((key, word, given, int(value[2])))
    return found


def _given(act: Act, key: str) -> list[re.Match[str]]:
    return [m for k, text in act.arg_pairs() if k == key and (m := _NUMBERED.fullmatch(text.strip()))]


def other_made(said: Spoken, act: Act) -> str:
    """The id of what a call made, where the claim gives it another id of the same letters that stands nowhere.

    Args:
        said: The claim.
        act: The call.

    Returns:
        The id; empty where nothing speaks against the claim.
    """
    own = act.entry.receipt.object_id
    made = _MADE.fullmatch(own or "")
    if own is None or not made or own.lower() in said.lowered() or said.is_contrasted():
        return ""
    run = said.run
    for letters, digits in _IDS.findall(said.text):
        name = f"{letters}{digits}".lower()
        if letters.lower() == made[1].lower() and name not in run.seen_text() and name not in run.heard():
            return own
    return ""


#: A name of letters and digits, at times of several words ("KX19 LNO"), as the value of an argument.
_CODE: Final = pattern_of(r"(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9-]{2,12}(?: [A-Za-z0-9-]{2,8}){0,2}")
_MIN_CODE: Final = 5
#: An address of four numbers, with the length of its net at times.
_ADDRESS: Final = pattern_of(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?")


def other_code(said: Spoken, act: Act) -> str:
    """The name of the thing that a call was about, where the claim has one that differs in a letter or two.

    Args:
        said: The claim.
        act: The call.

    Returns:
        What the call was given; empty where nothing speaks against the claim.
    """
    text, lowered, run = said.text, said.lowered(), said.run
    for own in act.once(_codes):
        if own.lower() in lowered:
            continue
        like = re.compile(r"(?<![\w-])" + "".join(_alike(c) for c in own) + r"(?![\w-])", re.IGNORECASE)
        for match in like.finditer(text[:2_000]):
            other = match[0].lower()
            apart = sum(a != b for a, b in zip(other, own.lower(), strict=True))
            if 0 < apart <= 2 and other not in run.seen_text():
                return own
    return ""


def _codes(act: Act) -> list[str]:
    """Arguments that are names of letters and digits."""
    given = (text.strip() for _, text in act.arg_pairs())
    return [own for own in given if len(own) >= _MIN_CODE and (_CODE.fullmatch(own) or _ADDRESS.fullmatch(own))]


def _alike(char: str) -> str:
    return "[a-z]" if char.isalpha() else "[0-9]" if char.isdigit() else re.escape(char)


_BESIDE: Final = pattern_of(
    r"(?<![\w.,$€£-])(\d{1,5}) ([A-Z][a-z]{2,20})(?![a-z])|([A-Z][a-z]{2,20}) (\d{1,5})(?![\w.,:])"
)


def other_numbered(text: str, act: Act) -> str:
    """A number beside a name (`13 Fern Road`, `Room 21`) where the claim has another one beside the same name.

    Args:
        text: The claim. Untrusted.
        act: The call.

    Returns:
        What the call was given; empty where nothing speaks against the claim.
    """
    given = act.once(_numbered_args)
    said = dict(_numbered(text)) if given else {}
    for name, number, whole in given if said else ():
        other = said.get(name)
        if other is not None and other != number and not stands_in_text(other, act.text()):
            return whole
    return ""


def _numbered_args(act: Act) -> list[tuple[str, str, str]]:
    """Numbers beside names in the arguments: name, number, the argument."""
    return [
        (name, number, given.strip()[:100]) for _, given in act.arg_pairs() for name, number in _numbered(given[:400])
    ]


def _numbered(text: str) -> list[tuple[str, str]]:
    return [
        ((m[2] or m[3]).lower(), m[1] or m[4]) for m in _BESIDE.finditer(text) if (m[2] or m[3]).lower() not in MONTHS
    ]


_FEW_DIGITS: Final = pattern_of(r"\d{2,4}")
_SHORT_NAME: Final = pattern_of(r"(?<![\w-])[A-Za-z]{0,4}-?\d{1,4}[A-Za-z]?(?![\w-])")


def _shorts(act: Act) -> list[tuple[str, str]]:
    """Short names with a digit among the arguments, in lower case and as given."""
    pairs = ((given.strip().lower(), given) for _, given in act.arg_pairs())
    return [(o, g) for o, g in pairs if len(o) <= _MAX_SHORT and not o.isdecimal() and any(c.isdigit() for c in o)]


_MAX_SHORT: Final = 10


def other_short(text: str, act: Act, run: Run) -> str:
    """A short name of the call (`4B`, `R7`) in whose place the claim has another of the same shape.

    Args:
        text: The claim. Untrusted.
        act: The call.
        run: Everything else that was seen: a name that a look showed is of another thing.

    Returns:
        What the call was given; empty where nothing speaks against the claim.
    """
    shorts = act.once(_shorts)
    said = [m[0].lower() for m in _SHORT_NAME.finditer(text) if not m[0].isdecimal()] if shorts else ()
    if not said:
        return ""
    for own, given in shorts:
        if own in said:
            continue
        digits = "".join(c for c in own if c.isdigit())
        if any(s.isdecimal() and s == digits for s in _FEW_DIGITS.findall(text)):
            continue  # "the 40 GB plan" is M40
        rivals = [s for s in said if shape(s) == shape(own) and not stands_in_text(s, act.text())]
        if rivals and not any(stands_in_text(s, a.text()) for s in rivals for a in run.acts if a.kind == "reading"):
            return given.strip()
    return ""
