"""Names of people, firms and places in a claim against those that a call was given under keys of their kind.

A name is another one only where it stands nowhere in the call nor in what was read of the call's things, was asked for
or read elsewhere, and the call's own stands nowhere in the claim: short forms, initials, surnames alone, addresses of
an office and inflected names are no other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.name_tables import AIRPORTS, CITIES, GIVEN
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.counts import singular
from receipts_middleware.core.values.tables import MONTHS, WEEKDAYS

_PHRASE: Final = pattern_of(
    r"(?<![\w@./-])(?P<title>(?:Mrs?|Ms|Miss|Dr|Prof|Sir|Professor|Doctor)\.?\s)?"
    r"(?P<name>[^\W\d_a-z][^\W\d_]{1,30}(?:[-'][^\W\d_]{2,20})?(?:\s[^\W\d_a-z][^\W\d_]{1,30}){0,2})(?P<own>['’]s?\b)?(?![\w@./-]\w)"
)
_LETTERS: Final = pattern_of(r"[^\W\d_]+")
#: Keys under which a person is named, and those under which a firm or a house is.
_PERSONS: Final = frozenset(
    """to recipient email user username contact assignee attendee participant guest invitee member owner reviewer
    parent customer client patient student employee teacher doctor physician dentist stylist actor actress
    trainer instructor coach driver technician engineer passenger traveller tenant candidate applicant speaker
    author manager approver host agent person who handler carer nurse vet tutor cleaner chef guard barber
    therapist singer player worker""".split()
)
_FIRMS: Final = frozenset(
    """supplier vendor payee restaurant hotel contractor publisher brand company organisation organization merchant
    retailer partner agency beneficiary manufacturer caterer name""".split()
)
_PLACES: Final = frozenset(
    """city destination origin from to pickup dropoff location airport station country town port stop venue arrival
    departure page slug place site""".split()
)
#: Local parts and words by which an office, a group or a machine is addressed.
_OFFICES: Final = frozenset(
    """office info team board support sales hr admin help billing accounts service services contact hello mail all
    staff list group noreply no reply desk press media finance legal it ops orders booking bookings reservations
    enquiries ap ar invoices payments reception secretary manager owner everyone customer client user me self""".split()
)
#: Those who are served, and those who serve: what is done for the ones is done with the others.
_SERVED: Final = frozenset(
    "guest patient customer passenger student client traveller employee tenant candidate".split()
)
_SERVING: Final = frozenset(
    """doctor physician dentist stylist actor actress trainer instructor coach driver technician engineer teacher
    vet nurse agent host chef cleaner guard barber therapist tutor manager approver reviewer author speaker
    owner who singer player worker handler carer""".split()
)
#: Words before a name that say to whom something was done.
_TO_WHOM: Final = frozenset(
    """to with and emailed mailed messaged texted notified told informed invited contacted called pinged reminded
    alerted added removed phoned rang nudged asked copied thanked warned updated assigned made named""".split()
)
_FOR_WHOM: Final = frozenset("for registered enrolled admitted booked added checked invited notified".split())
_WITH_WHOM: Final = frozenset("with to by".split())
#: Words before the name of a house or a firm that say whose goods or place it is.
_OF_FIRM: Final = frozenset("from with at by via".split())
_PAID: Final = frozenset({"payee", "beneficiary"})
#: Words of firms' names that tell nothing of them.
_LEGAL: Final = frozenset(
    "ltd limited inc llc gmbh plc ag bv nv sa srl co corp company group sons holdings brothers bros partners".split()
)
#: Words behind which a place is where something was done.
_WHERE: Final = frozenset("to from in at into for near of".split())
#: Cities that are words of another kind where they are not written as names.
_COMMON: Final = frozenset("nice cork essen split perth york".split())
_TITLES: Final = frozenset("mr mrs ms miss dr prof".split())
_NOT_NAMES: Final = frozenset(MONTHS) | frozenset(WEEKDAYS) | frozenset("i the a an re".split())
#: Characters around an address in what the user wrote in which the name stands that it is of.
_BESIDE: Final = 60


@lru_cache(maxsize=2_048)
def _plain(word: str) -> str:
    """A word in lower case, without accents and doubled letters."""
    bare = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c))
    return re.sub(r"(.)\1", r"\1", bare)


def _is_same(a: str, b: str) -> bool:
    """Whether two words may name one person: equal, inflected, an initial, or forms of one given name."""
    one, other = _plain(a), _plain(b)
    if one == other or (min(len(one), len(other)) == 1 and one[0] == other[0]):
        return True
    if GIVEN.get(a.lower(), frozenset()) & GIVEN.get(b.lower(), frozenset()):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) >= 3 and short in long and not (a.lower() in GIVEN and b.lower() in GIVEN):
        return True
    shared = next((n for n, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), len(short))
    return shared >= 4 and len(long) - shared <= 2 and len(short) - shared <= 2


def is_same_name(a: str, b: str) -> bool:
    """Whether two words may name one person: equal, inflected, an initial, or forms of one given name.

    Args:
        a: A word.
        b: Another.
    """
    return _is_same(a, b)


def is_given_name(word: str) -> bool:
    """Whether a word is a given name that is known.

    Args:
        word: In lower case.
    """
    return word in GIVEN


@dataclass(frozen=True, slots=True)
class _Said:
    """A name of a claim: its words, the words around it, whether a title stands before it, all words of the claim."""

    words: tuple[str, ...]
    lead: str
    behind: str
    titled: bool
    claim: tuple[str, ...]


@lru_cache(maxsize=512)  # asked for each call that a claim may mean
def _names_of(text: str) -> tuple[_Said, ...]:
    return tuple(_read_names(text))


def _read_names(text: str) -> Iterator[_Said]:
    claim = tuple(w.lower() for w in _LETTERS.findall(text))
    for match in _PHRASE.finditer(text):
        words = tuple(match["name"].lower().split())
        if match["own"] or _NOT_NAMES & set(words):
            continue
        before = [w.lower() for w in _LETTERS.findall(text[max(0, match.start() - 24) : match.start()])]
        after = [w.lower() for w in _LETTERS.findall(text[match.end() : match.end() + 24])]
        yield _Said(words, (before or [""])[-1], (after or [""])[0], bool(match["title"]), claim)


def other_name(text: str, act: Act, run: Run) -> str:
    """Whom or which place a call was given where the claim names another one.

    Args:
        text: The claim. Untrusted.
        act: The call.
        run: Everything else that was seen.

    Returns:
        Key and value of the call; empty where nothing speaks against the claim.
    """
    names = _names_of(text)
    if not names:
        return ""
    pairs = act.arg_pairs()[:64]
    places = frozenset(city for _, value in pairs for city in _cities(value.strip()))
    for said in names:
        for key, value in pairs:
            own = value.strip()
            kind = singular(key.split()[-1]) if key else ""
            if kind in _PLACES and places & CITIES.get(" ".join(said.words), frozenset()):
                continue  # another argument is that very place
            if 1 < len(own) <= 64 and _is_other(said, kind, own) and _is_unknown(said, own, act, run):
                return f"{key} {own}"[:100]
    return ""


def _is_other(said: _Said, kind: str, own: str) -> bool:
    if kind in _PLACES and "@" not in own and _is_other_place(said, kind, own):
        return True
    if kind in _PERSONS:
        leads = _FOR_WHOM if kind in _SERVED else _WITH_WHOM if kind in _SERVING else _TO_WHOM
        as_it = kind in _SERVING and said.behind == "as"
        return (said.lead in leads or as_it) and _is_other_person(said, own)
    return kind in _FIRMS and _is_other_firm(said, kind, own)


@lru_cache(maxsize=512)
def _cities(own: str) -> frozenset[str]:
    """Cities that an argument may be, as a name or, alone and in capitals, as a code."""
    code = len(own) == 3 and own.isupper()
    parts = [w for w in _LETTERS.findall(own[:80]) if (len(w) > 3 or code) and w not in _COMMON]
    return frozenset(city for w in parts for city in CITIES.get(w.lower(), ()))


def _is_other_place(said: _Said, kind: str, own: str) -> bool:
    """A city or an airport where the argument is another one of the same kind, and the claim names it for that end."""
    ends = {"to": "to destination dropoff arrival city location", "from": "from origin pickup departure"}
    if said.lead in ("to", "from") and kind not in ends[said.lead].split():
        return False
    if said.lead not in _WHERE and kind not in ("page", "slug"):
        return False
    meant, given = CITIES.get(" ".join(said.words), frozenset()), _cities(own)
    if not meant or not given or len(given) > 2 or any(CITIES.get(w, frozenset()) & given for w in said.claim):
        return False
    if meant & AIRPORTS.keys() and not given & AIRPORTS.keys() and len(own) != 3:
        return False
    wide = {AIRPORTS.get(city, city) for city in given} | given
    return not meant & wide and not ({AIRPORTS.get(city, "") for city in meant} & given)


def _is_other_person(said: _Said, own: str) -> bool:
    names, words = _person(own), said.words
    if not names or any(_is_same(name, word) for name in names for word in said.claim if len(word) > 2):
        full = len(words) == 2 == len(names) and _is_same(words[0], names[0]) and words[0] in GIVEN
        return full and len(names[1]) > 2 and not any(_is_same(names[1], word) for word in said.claim)
    if any(_is_same(name, word) for name in names for word in words):
        return False
    return said.titled or any(word in GIVEN for word in words)


def _person(own: str) -> list[str]:
    """Names in an argument that is a person: an address with names in it, a login of two, or names as written."""
    local, mark, _ = own.partition("@")
    bare = local if mark else own
    if any(c.isdigit() for c in bare) or len(bare.split()) > 4:
        return []
    parts = [p.lower() for p in _LETTERS.findall(bare)]
    titled = bool(_TITLES.intersection(parts))
    names = [p for p in parts if p not in _TITLES]
    if not names or _OFFICES.intersection(names):
        return []
    written = not mark and " " in own and all(w[:1].isupper() for w in own.split())
    known = any(name in GIVEN for name in names)
    return names if titled or (known and (written or len(names) <= 2)) or (written and len(names) > 1) else []


def _is_other_firm(said: _Said, kind: str, own: str) -> bool:
    parts, words = own.split(), said.words
    if not 0 < len(parts) <= 3 or not all(p.isalpha() and p[:1].isupper() and p[1:].islower() for p in parts):
        return False
    names = [p.lower() for p in parts]
    fresh = [name for name in names if not any(_is_same(name, word) for word in said.claim)]
    if len(names) > 1 and len(names) == len(words) and len(fresh) == 1:  # Halden Roofing, Halden Plumbing
        other = [w for w in words if not any(_is_same(w, name) for name in names)]
        return len(other) == 1 and not _LEGAL.intersection((*other, *fresh))
    leads = frozenset({"to"}) if kind in _PAID else _OF_FIRM
    return kind != "name" and fresh == names and said.lead in leads


def _is_unknown(said: _Said, own: str, act: Act, run: Run) -> bool:
    """Whether the claim's name stands nowhere about the call, and was asked for or read elsewhere.

    A name of several words is unknown where its last is: the given name may be that of both.
    """
    name, heard = said.words[-1], run.heard()
    owns = [w for w in _LETTERS.findall(own.partition("@")[0].lower()) if len(w) > 2 and w not in _TITLES]
    owns = [w for w in owns if w not in said.claim]
    if len(said.words) == 1 and any(f"{name} {w}" in text for w in owns for text in (heard, run.seen_text())):
        return False  # martin@ is Dana Martin's
    if any(_has(heard, w) for w in owns):
        return False  # the call's own was asked for as well
    if name not in heard and name not in run.seen_text():
        return False
    if any(_has(text, name) for text in _about(own, act, run)):
        return False
    at = heard.find(own.lower())
    if at >= 0 and name in heard[max(0, at - _BESIDE) : at + len(own) + _BESIDE]:
        return False
    return not any(o is not act and o.kind != "reading" and _has(o.text()[:4_000], name) for o in run.acts)


def _about(own: str, act: Act, run: Run) -> Iterator[str]:
    """The call, and records of readings that hold one of its arguments."""
    yield act.text()
    scalars = [own, *(value for _, value in act.arg_pairs()[:32])]
    for scalar in scalars:
        low = scalar.strip().lower()
        if 1 < len(low) <= 64:
            for record in run.about(low)[:4]:
                yield " ".join(text for _, text in record.pairs)[:4_000]


def _has(text: str, name: str) -> bool:
    return any(_is_same(word, name) for word in _LETTERS.findall(text[:20_000].lower()) if len(word) > 2)
