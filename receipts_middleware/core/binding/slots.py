"""What a call was given in one place, where the claim has what the user asked for, or what a look was given there.

The pull request that was read is 61, the one that was approved is 16, and the reply says 61; the user wants a restart
in the namespace `payments`, the command went to `payments-dev`, and the reply says `payments`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.people import is_given_name, is_same_name
from receipts_middleware.core.binding.rows import stands_in
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.claims.tables import STOPWORDS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import AMOUNT_KEYS

#: Nouns by which claims call what keys and options are short for.
_NOUNS: Final = {
    "env": "environment", "ns": "namespace", "n": "namespace", "repo": "repository", "db": "database",
    "org": "organisation", "dept": "department", "lang": "language", "acct": "account", "pr": "pull request",
}  # fmt: skip
#: Nouns before which a lower-case name says where or to which of several something was done.
_WHERE: Final = frozenset(
    """environment namespace cluster server region database repository branch channel queue bucket project workspace
    tenant site warehouse store depot location printer folder calendar list board team department account profile
    schema topic index zone group""".split()
)
#: Ends of names by which one of several copies is told.
_COPY: Final = pattern_of(
    r"[-_.](?:dev|devel|stage|staging|test|testing|qa|uat|prod|sandbox|old|backup|copy|archive|\d)"
)
_OPTION: Final = pattern_of(r"(?<!\S)--?([A-Za-z][\w-]{0,30})[ =]([\w./:-]{2,64})")
_PUSH: Final = pattern_of(r"\bgit push (?:-\S+ )*[\w.-]+ (?:-\S+ )*(?:[\w./-]*:)?([\w./-]{2,64})")
_PUSHED: Final = pattern_of(
    r"\bpush(?:ed)?\b[^.;,]{0,40}?\b(?:to|on|onto) [`\"“]?(?:origin/)?([\w][\w./-]{1,60})", re.IGNORECASE
)
_ID: Final = pattern_of(r"#?[A-Za-z]{0,6}-?\d{1,12}")
_MAX_VALUE: Final = 64
#: Words by which a claim says of some thing that it is not the one.
_CONTRASTED: Final = pattern_of(
    r"\b(?:not|instead|rather|previous(?:ly)?|old|except|than|wrong|mistake|sorry|unlike|besides)\b", re.IGNORECASE
)


def other_slot(said: Spoken, act: Act) -> str:
    """What a call was given in a place for which the claim names another.

    Args:
        said: The claim.
        act: The call.

    Returns:
        Key and value of the call; empty where nothing speaks against the claim.
    """
    if _CONTRASTED.search(said.text):
        return ""
    return _twin(said, act) or _keyed(said, act) or _pushed(said, act)


def _twin(said: Spoken, act: Act) -> str:
    """An id under a key under which a look was given the id that the claim names."""
    if not said.has_digits():
        return ""
    lowered, run = said.lowered(), said.run
    for key, text in act.arg_pairs()[:40]:
        own = text.strip().lower()
        if not key or AMOUNT_KEYS.intersection(key.split()) or not _ID.fullmatch(own) or stands_in(own, lowered):
            continue
        for other in run.acts:
            for theirs in _under(key, other) if other.kind != "acting" else ():
                if theirs == own or not _is_make(theirs, own) or not _names(theirs, lowered, key):
                    continue
                given = any(theirs in _under(key, a) for a in run.acts if a.kind == "acting")
                if not given and stands_in(theirs, run.heard()) and not stands_in(own, run.heard()):
                    return f"{key} {text.strip()}"[:100]
    return ""


def _under(key: str, act: Act) -> Iterator[str]:
    return (text.strip().lower() for name, text in act.arg_pairs()[:40] if name == key)


def _is_make(one: str, other: str) -> bool:
    return bool(_ID.fullmatch(one)) and one.isdecimal() == other.isdecimal()


#: Digits of a number that tells nothing without its noun.
_FEW: Final = 3


def _names(name: str, lowered: str, key: str) -> bool:
    """Whether a claim names an id: a short number only behind `#` or its noun."""
    if len(name) > _FEW or not name.isdecimal():
        return stands_in(name, lowered)
    noun = key.rsplit(maxsplit=1)[-1]
    nouns = "|".join(map(re.escape, {noun, _NOUNS.get(noun, noun)}))
    return re.search(rf"(?:#|\b(?:{nouns})s?\s(?:no\.?\s|number\s)?#?){name}(?![\w.,]\d|\w)", lowered) is not None


def _keyed(said: Spoken, act: Act) -> str:
    """`the payments namespace` where the call was given `payments-dev`."""
    lowered, heard = said.lowered(), said.run.heard()
    for key, text in _places(act):
        own = text.strip().lower()
        noun = _NOUNS.get(key, key)
        if noun not in _WHERE or noun not in lowered or not 1 < len(own) <= _MAX_VALUE or stands_in(own, lowered):
            continue
        match = re.search(rf"[`\"“]?([a-z][\w.-]*)[`\"”]? {noun}\b", lowered)
        if match is None or match[1] in STOPWORDS or own in heard or not _is_asked(match[1], noun, said.run):
            continue
        if _is_copy(own, match[1]) or not _is_told(match[1], own, act, said.run):
            return f"{noun} {text.strip()}"[:100]
    return ""


def _places(act: Act) -> Iterator[tuple[str, str]]:
    """Short arguments by the last word of their key, and options of a command."""
    for key, text in act.arg_pairs()[:40]:
        if key and len(text) <= _MAX_VALUE and " " not in text.strip():
            yield key.split()[-1], text
        elif len(text) <= 2_000:
            yield from ((m[1].lower(), m[2]) for m in _OPTION.finditer(text))


def _is_asked(name: str, noun: str, run: Run) -> bool:
    heard = run.heard()
    return (
        stands_in(f"{name} {noun}", heard)
        or re.search(rf"\b(?:in|on|to|for|at) (?:the )?{re.escape(name)}\b", heard) is not None
    )


def _is_copy(own: str, name: str) -> bool:
    return own.startswith(name) and _COPY.fullmatch(own[len(name) :]) is not None


def _is_told(name: str, own: str, act: Act, run: Run) -> bool:
    """Whether a name may be the call's own: it begins as that does, the call has it, or a look shows both as one."""
    short, long = sorted((name, own), key=len)
    if long.startswith(short[:3]) or name in act.text() or short in long:
        return True
    if len(short) < 3 and long[:1] == short[:1]:
        return True
    records = run.about(own)
    return any(name in text.lower() for record in records for _, text in record.pairs) or any(
        name in a.text() for a in run.acts if a.kind == "acting" and a is not act
    )


def _pushed(said: Spoken, act: Act) -> str:
    """The branch that a command pushed to, where the claim has the one that was asked for."""
    match = _PUSHED.search(said.text)
    if match is None or act.kind not in ("shell", "unknown"):
        return ""
    name = match[1].lower().rstrip(".")
    sent = [m[1] for _, text in act.arg_pairs() for m in _PUSH.finditer(text[:2_000])]
    if len(sent) != 1 or name in sent[0].lower() or not stands_in(name, said.run.heard()):
        return ""
    return "" if stands_in(name, act.text()) else f"branch {sent[0]}"


#: Keys of records under which a thing is called by its name.
_TITLES: Final = frozenset("name displayname display fullname title label username login".split())
_NAME: Final = pattern_of(r"(?<![\w@./-])[^\W\d_a-z][^\W\d_A-Z]{2,20}(?![\w@/-])")


#: Letters of words that name nobody.
_SHORT: Final = 2


def shown_otherwise(said: Spoken, act: Act) -> str:
    """What a look calls the thing that a call was about, where the claim has the user's name for another.

    Args:
        said: The claim.
        act: The call.

    Returns:
        The name; empty where nothing speaks against the claim.
    """
    run = said.run
    names = [m[0].lower() for m in _NAME.finditer(said.text) if m.start() > 2]
    fresh = [name for name in names if name in run.heard() and name not in run.seen_text()]
    if not fresh:
        return ""
    claim = frozenset(words_of(said.text))
    for _, text in act.arg_pairs()[:40]:
        own = text.strip().lower()
        if not 1 < len(own) <= _MAX_VALUE or own in run.heard() or not any(c.isdigit() for c in own):
            continue
        for record in run.about(own)[:4]:
            shown = [t for k, t in record.pairs if _TITLES.intersection(k.split()) and 2 < len(t) <= 60]
            words = [w for t in shown for w in words_of(t) if len(w) > _SHORT]
            if not words or any(is_same_name(w, c) for w in words for c in claim if len(c) > _SHORT):
                continue
            if any(_is_mistaken(name, words[0]) for name in fresh):
                return f"{text.strip()} is {shown[0]}"[:100]
    return ""


def _is_mistaken(said: str, shown: str) -> bool:
    """Whether one name may stand by mistake for the other: they begin alike, or both are given names."""
    if stem(said) == stem(shown):
        return False
    return said[:2] == shown[:2] or (is_given_name(said) and is_given_name(shown))
