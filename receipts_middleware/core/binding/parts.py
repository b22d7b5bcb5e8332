"""What the user asked for, part by part, and which tool without a call each part is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.families import GENERIC_VERBS
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.tools import Traits, families, is_related
from receipts_middleware.core.binding.words import stem, stems_of, words_of
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of

#: Characters of what the user said last that are looked at, and parts of it.
_ASKED: Final = 2_000
_MAX_PARTS: Final = 12
#: Where one part of a request ends and another begins.
_PART: Final = pattern_of(
    r"(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)[.;!?]\s+|\n+\s*|,\s+|[.;!?]$|\s+\b(?:and|then|also|plus)\b\s+"
    r"|^(?:and|then|also|plus)\b"
)
#: What only says when or under what condition a part is asked for.
_CONDITION: Final = pattern_of(
    r"\b(?:before|after|if|unless|once|until|so that|so (?:he|she|they|it|I|we)|because|as soon as|in case)\b.*",
    re.IGNORECASE,
)
#: What is not asked for: prohibitions, what was done before, questions.
_UNASKED: Final = pattern_of(
    r"\b(?:not|never|no|without|instead of|rather than|did|didn't|dont|hold off|already|last|yesterday|who"
    r"|when|why|how|what"
    r"|might|maybe|thanks? you|(?:tell|show|give|let) me|(?:I|we|they|he|she)(?:[’']ve| have| had| was| were)"
    r"|thinking|wonder\w*|later|tomorrow I|(?:was|were|ha(?:s|ve) been) \w+ed"
    r"|I[’']ll|we[’']ll)\b|n[’']t\b|\b(?:is|are|was|were|does|has"
    r"|have) (?:it|he|she|they|the|my|our|there|we|you)\b",
    re.IGNORECASE,
)
#: What says how things are, and asks for nothing.
_STATES: Final = pattern_of(r"\b(?:is|are|was|were|says?|seems?|comes?|has)\b|[’']s\b", re.IGNORECASE)
#: Words of a part that name nothing.
_IDLE: Final = frozenset(
    stem(w)
    for w in """please can could would you me my our us your his her their it them that this one ones thing need want
    like make sure let get also too again now today just some any new old same asap thanks thank ok okay hey hi
    up out down in on off for to from with at by of as be do have has give take put""".split()
)
#: Words of tools' names that say nothing of what a tool is for.
COMMON: Final = frozenset(
    stem(w)
    for w in """add create update send set make change get put edit modify open give move do run new item
    record data info details tool api service system manage handle process request submit start check show find
    crm hris pms db app user id""".split()
)
#: What files are by their endings.
_FILES: Final = {
    "jpg": "photo", "jpeg": "photo", "png": "photo", "heic": "photo", "gif": "photo", "svg": "photo", "mp4": "video",
    "mov": "video", "mp3": "audio", "wav": "audio", "pdf": "document", "docx": "document", "doc": "document",
    "csv": "sheet", "xlsx": "sheet", "zip": "archive", "ics": "event", "eml": "mail",
}  # fmt: skip
#: Words for one kind of file.
_ALIKE: Final = {
    "photo": "photo picture image pic attachment file", "video": "video clip attachment file",
    "document": "document attachment file pdf paper report", "sheet": "sheet table file attachment",
    "audio": "audio recording file attachment", "archive": "archive file attachment", "mail": "mail email message",
    "event": "event invite calendar",
}  # fmt: skip
_ENDING: Final = pattern_of(r"\b[\w-]+\.([a-z][a-z0-9]{2,3})\b", re.IGNORECASE)
#: Verbs of families that are looked for first.
_FIRST: Final = 6


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a request.

    Attributes:
        text: Of it.
        words: Stems of its words that name something.
        verb: Stem of the verb by which it asks; empty where it only names what is wanted.
        verbs: Families of that verb.
    """

    text: str
    words: frozenset[str]
    verb: str
    verbs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Unmet:
    """A part of a request for which a tool was there and nobody called it.

    Attributes:
        traits: Of the tool.
        part: Of the request.
        things: Stems that name what it is about and that no call has.
        own: Stems of the tool's name and description that no call has.
        orphan: No tool speaks of the part, and this one is the nearest without a call.
    """

    traits: Traits
    part: Part
    things: frozenset[str]
    own: frozenset[str]
    orphan: bool = False


def parts_of(run: Run) -> list[Part]:
    """Parts of the newest request that ask for something. Untrusted.

    Args:
        run: What ran.
    """
    found = []
    for text in _PART.split(run.request[-_ASKED:])[: 4 * _MAX_PARTS]:
        plain = _CONDITION.sub("", text).strip()
        if plain and not _UNASKED.search(plain):
            part = _part(plain, run)
            if part.verb or not _STATES.search(plain):
                found.append(part)
    return found[:_MAX_PARTS]


def _part(text: str, run: Run) -> Part:
    words = list(words_of(text))
    verb = _asking_verb(words, run)
    if "let" in words and "know" in words:
        verb = stem("notify")
    return Part(
        text,
        (stems_of(text) | _files_of(text) | codes_of(text)) - _IDLE - {verb, stem("know")},
        verb,
        families([verb, verb.removeprefix("re")], run.words),
    )


_CODE: Final = pattern_of(r"\b(?=[\w-]*\d)(?:[A-Za-z]+-?\d[\w-]{0,20}|\d{2,}[\w-]{0,20})\b")


def codes_of(text: str) -> frozenset[str]:
    """Numbers and names with a number in them, in lower case: "v6", "20418". Untrusted."""
    return frozenset(m[0].lower() for m in _CODE.finditer(text[:_ASKED]))


def _asking_verb(words: list[str], run: Run) -> str:
    """Stem of the verb by which a part asks, which stands at its beginning in its plain form."""
    for word in [w for w in words[:_FIRST] if w not in _POLITE][:2]:
        own = stem(word)
        if (
            not _NO_VERB.search(word)
            and (own not in _IDLE or word in _LIGHT)
            and families([own, own.removeprefix("re")], run.words)
        ):
            return own
    return ""


#: Words that may stand before the verb of a request.
_POLITE: Final = frozenset(
    """please can could would you and then also just to now ok okay hey hi i'd i like want need need to us we so too
    yes sure""".split()
)
#: Forms of words that no request begins with as its verb.
_NO_VERB: Final = pattern_of(r"(?:ing|ed|tion|ment|ance|ness|ity)$")
_LIGHT: Final = frozenset("put give take get let add".split())


def _files_of(text: str) -> frozenset[str]:
    kinds = {_FILES[m[1].lower()] for m in _ENDING.finditer(text) if m[1].lower() in _FILES}
    return frozenset(stem(word) for kind in kinds for word in _ALIKE[kind].split())


def unmet_parts(run: Run) -> list[Unmet]:
    """Parts of the request that a listed tool was for and that no call met.

    Args:
        run: What ran.
    """
    able = [t for t in run.traits if t.name not in run.called and t.kind in ("acting", "reading")]
    opaque = any(a.kind in ("shell", "unknown") and a.traits.kind == "shell" for a in run.acts)
    if not able or run.delegated or run.lost or opaque:
        return []
    held = held_words(run)
    return [found for part in parts_of(run) for found in _tools_for(part, able, held, run)]


#: A tool fits a part from this sum on.
_FITS: Final = 1.0


def _tools_for(part: Part, able: list[Traits], held: frozenset[str], run: Run) -> Iterator[Unmet]:
    called = [t for t in run.traits if t.name in run.called]
    if _is_met(part, run):
        return
    best = max((_fits(part, t) + _met(part, t, run) for t in called), default=0.0)
    fresh = part.words - held - frozenset(code for code in codes_of(part.text) if code in run.seen_text())
    scores = [(_fits(part, t), t) for t in able]
    if (
        not part.verb
        and _WISH.search(part.text)
        and len(fresh) > 1
        and fresh == part.words
        and not any(score >= _FITS for score, _ in scores)
    ):
        acting = [(score, t) for score, t in scores if t.kind == "acting"]
        chosen = max(acting, key=lambda pair: pair[0], default=None)
        if chosen is not None and (chosen[0] or len(acting) == 1):
            yield Unmet(chosen[1], part, fresh, frozenset(), orphan=True)
        return
    top = max((score for score, _ in scores), default=0.0)
    for score, traits in scores:
        if score < max(_FITS, top) or score <= best:
            continue
        own = (traits.own | traits.told) - COMMON - held
        yield Unmet(traits, part, fresh, own)


def _fits(part: Part, traits: Traits) -> float:
    """How well a tool fits a part: by its verb, and by the things that both name."""
    named = part.words & (traits.own - COMMON)
    told = (part.words & traits.told) - traits.own - COMMON
    score = 1.0 * min(2, len(named)) + 0.5 * min(2, len(told))
    if part.verb and not _exact(part).isdisjoint(traits.own | {traits.head}):
        score += 1.5 if part.verb not in GENERIC_VERBS | COMMON else 1.0 if told or named else 0.5
    elif "schedule" in part.verbs and not _DATES.isdisjoint(traits.own):
        score += 1.0
    elif part.verbs and is_related(part.verbs, traits.verbs | traits.told_verbs, traits):
        score += 1.0 if score or not traits.acts <= COMMON else 0.0
        score += 0.5 if part.verb in traits.told else 0.0
    elif part.verb and part.verb in traits.told:
        score += 0.5
    if not part.words and score < _ALONE:
        return 0.0  # "fix it"
    whole = bool(named) and traits.own - COMMON <= part.words
    return score if traits.kind == "acting" or score > _FITS or whole else 0.0


def _is_met(part: Part, run: Run) -> bool:
    """Whether an acting call of the part's kind was given most of what the part names, or all of it."""
    for act in run.acts:
        if act.kind == "reading":
            continue
        given = part.words & (act.once(given_words) | run.alias_words(act) | act.traits.own)
        kin = bool(part.verbs) and is_related(part.verbs, act.traits.verbs | act.traits.told_verbs, act.traits)
        if kin and 2 * len(given) >= len(part.words):
            return True
    return False


_WISH: Final = pattern_of(r"\b(?:please|would like|like|needs?|wants?|extra|also|plus|with)\b", re.IGNORECASE)
#: Things that are added by booking time.
_DATES: Final = frozenset(stem(w) for w in "calendar event appointment meeting slot".split())


def _exact(part: Part) -> frozenset[str]:
    return frozenset({part.verb, part.verb.removeprefix("re")}) - {""}


#: By its verb alone a part is for a tool only where it is the tool's own.
_ALONE: Final = 1.5


def is_named(unmet: Unmet) -> bool:
    """Whether a tool speaks of what its part is about, and does not only do such things.

    Args:
        unmet: The part and the tool.
    """
    speaks = unmet.traits.own | unmet.traits.told
    return not unmet.part.words.isdisjoint(speaks - COMMON) or not _exact(unmet.part).isdisjoint(speaks - COMMON)


def _met(part: Part, traits: Traits, run: Run) -> float:
    """How much of a part stands in calls of a tool."""
    given = frozenset(w for a in run.acts if a.traits.name == traits.name for w in a.once(given_words))
    return 0.5 * min(3, len(part.words & given))


def held_words(run: Run) -> frozenset[str]:
    """Stems of all that calls were given and returned and of the names of their tools, without what they say is none.

    Args:
        run: What ran.
    """
    return frozenset(
        w for a in run.acts for w in (*(a.words() - a.once(_of_nothing)), *a.traits.own, *run.alias_words(a))
    )


def given_words(act: Act) -> frozenset[str]:
    """Stems of the words that a call was given, without keys of what it says is none.

    Args:
        act: The call.
    """
    return act.arg_words() - act.once(_of_nothing)


_NOTHING: Final = pattern_of(
    r"[\"']?\b([A-Za-z_]{2,40})[\"']?\s*[:=]\s*(?:\[\s*\]|\{\s*\}|null\b|None\b|\"\"|false\b|0(?![\d.]))"
)


def _of_nothing(act: Act) -> frozenset[str]:
    """Stems of keys under which a result has nothing: `"photos": []`."""
    keys = " ".join(m[1].replace("_", " ") for m in _NOTHING.finditer(act.output[:8_000]))
    return stems_of(keys) - act.arg_words() if keys else frozenset()
