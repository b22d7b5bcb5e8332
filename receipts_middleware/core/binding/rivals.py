"""Things beside each other in a look, of which a call was about one and a claim names another.

The refund went to the charge that a listing gives for order 7741, and the reply says order 7714.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.compare import ID_KEYS
from receipts_middleware.core.binding.name_tables import GIVEN
from receipts_middleware.core.binding.rows import stands_in
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.things import MAX_ID, NO_IDS, Thing, is_code, listings_of, plain_id, tokens_of
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.claims.tables import PREPOSITIONS, STOPWORDS
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import UNITS

_TOKEN: Final = pattern_of(r"[^\W_]+(?:['’][^\W\d_]{3,})?")
#: Words behind which, up to the next comma, another thing is named than the one that was acted on.
_ASIDE: Final = frozenset(
    """not instead rather than unlike except but from previous previously former formerly old originally before after
    like besides replacing replaced whereas while without longer untouched unchanged remains remain still versus vs
    about regarding next alongside kept keeps left leaves""".split()
)
_BREAK: Final = frozenset("to into onto for in on at under and".split())
#: Keys whose values are words of all sorts.
_FREE: Final = NO_IDS | frozenset("summary event".split())
#: What a run names by ids, at most, in one call.
_MAX_NAMED: Final = 16


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a claim as it is compared.

    Attributes:
        token: As `tokens_of` gives it.
        capital: It is written as a name, inside the claim.
        aside: Another thing is named by it than the one that was acted on.
        bare: It stands as a noun of its own, behind a preposition or an article and before no other noun.
    """

    token: str
    capital: bool = False
    bare: bool = False
    aside: bool = False


def other_rival(said: Spoken, act: Act) -> str:
    """What the call was about, where the claim names another thing of a listing that holds both.

    Args:
        said: The claim.
        act: The call.

    Returns:
        The argument and what it stands for; empty where nothing speaks against the claim.
    """
    run = said.run
    named = [(given, own, rivals) for given in _named(act) for own, rivals in _standing(given.name, act, run)]
    if not named:
        return ""
    if _CONFESSED.search(said.text):
        return ""
    everything = _words_of(said.text)
    words = [word for word in everything if not word.aside]
    tokens = frozenset(word.token for word in everything)
    asked = tokens_of(run.heard()[-_HEARD:])
    for given, own, rivals in named:
        full = own.tokens | own.months | _told_of(given.name, run) | _numbered(given, own)
        if stands_in(given.name, said.lowered()):
            continue
        known: frozenset[str] | None = None
        for rival in rivals:
            theirs = (rival.telling | _numbered(given, rival)) - full
            if theirs.isdisjoint(tokens) or tokens & (full - rival.tokens - rival.months - act.traits.own):
                continue  # what is named is the call's own
            known = _known(act, given.name, run) if known is None else known
            met = [w for w in words if w.token in theirs and w.token not in known]
            if met and _names_it(met, rival, tokens, asked, full):
                return f"{given.text} is {own.title}"[:160]
    return ""


#: Words by which a claim itself says that another thing was meant.
_CONFESSED: Final = pattern_of(
    r"\b(?:wrong|mistakes?|mistakenly|by accident|accidentally|in error|sorry|instead|rather than|other one|different"
    r"|should have|meant|intended|you (?:wanted|asked|named|said)|mix(?:ed)?[- ]up|not the)\b",
    re.IGNORECASE,
)
#: Characters of what was asked for that are looked at, the newest.
_HEARD: Final = 4_000


@dataclass(frozen=True, slots=True)
class _Given:
    """An argument that may be the id of a thing.

    Attributes:
        noun: Stem of the last word of its key.
        text: As given.
        name: As it is compared.
    """

    noun: str
    text: str
    name: str


_NUMBERED: Final = pattern_of(r"([a-z]{1,3})-?(\d{1,2})")


def _numbered(given: _Given, thing: Thing) -> frozenset[str]:
    """`line 3` for `line="L3"`."""
    codes = [m for _, name in thing.ids if (m := _NUMBERED.fullmatch(name)) and given.noun.startswith(m[1])]
    return frozenset(f"{given.noun} {int(m[2])}" for m in codes)


def _named(act: Act) -> tuple[_Given, ...]:
    """Arguments that may be the id of a thing."""
    return act.once(_ids_given)


def _ids_given(act: Act) -> tuple[_Given, ...]:
    found = []
    for key, text in act.arg_pairs()[:40]:
        bare = text.strip()
        words = key.split()
        if not 0 < len(bare) <= MAX_ID or (words and words[-1] in _FREE and not is_code(bare)):
            continue
        if bare.count(" ") <= 3 or plain_id(bare).isdecimal():
            found.append(_Given(stem(words[-1]) if words else "", bare, plain_id(bare)))
    return tuple(found[:_MAX_NAMED])


def _standing(name: str, act: Act, run: Run) -> Iterator[tuple[Thing, list[Thing]]]:
    """The thing of each listing that goes by an id, with those beside it that go by others of its kind."""
    for look in run.acts[-_MAX_LOOKS:]:
        if look is act or look.kind == "acting":
            continue
        for group, owns in look.once(_by_id).get(name, ()):
            if len(owns) != 1:
                continue
            keys = {k for k, i in owns[0].ids if i == name}
            if name.isdecimal() and len(name) < _SURE and not any(ID_KEYS.intersection(key.split()) for key in keys):
                continue
            rivals = [t for t in group if t is not owns[0] and any(k in keys for k, _ in t.ids)]
            if rivals:
                yield owns[0], rivals


#: Looks that are searched, the newest, and acts whose things may be spoken of as well.
_MAX_LOOKS: Final = 100
_MAX_ACTS: Final = 40
#: A number of fewer digits is an id only under a key that says so.
_SURE: Final = 4


def _by_id(act: Act) -> dict[str, list[tuple[tuple[Thing, ...], list[Thing]]]]:
    """Listings of a look by the ids in them, each with the things that go by that id."""
    found: dict[str, list[tuple[tuple[Thing, ...], list[Thing]]]] = {}
    for group in act.once(listings_of):
        own: dict[str, list[Thing]] = {}
        for thing in group:
            for name in {name for _, name in thing.ids}:
                own.setdefault(name, []).append(thing)
        for name, things in own.items():
            found.setdefault(name, []).append((group, things))
    return found


def _told_of(name: str, run: Run) -> frozenset[str]:
    """What further looks say of a thing: records that hold its id, and what was returned for it."""
    told = run.told_of.get(name)
    if told is None:
        found: set[str] = set()
        for record in run.about(name)[:8]:
            for key, text in record.pairs[:60]:
                found |= tokens_of(text[:400], stem(key.split()[-1]) if key else "")
        for look in run.acts[-_MAX_LOOKS:]:
            if look.kind != "acting" and name in look.once(_names_given):
                found |= look.once(_tokens_told)
        told = run.told_of[name] = frozenset(found)
    return told


def _names_given(act: Act) -> frozenset[str]:
    return frozenset(given.name for given in _named(act))


def _tokens_told(act: Act) -> frozenset[str]:
    return tokens_of(act.output[:4_000]) | _tokens_given(act)


def _tokens_given(act: Act) -> frozenset[str]:
    found: set[str] = set()
    for key, text in act.arg_pairs()[:60]:
        found |= tokens_of(text[:400], stem(key.split()[-1]) if key else "")
    return frozenset(found)


def _known(act: Act, name: str, run: Run) -> frozenset[str]:
    """What the call itself and other acts have, and what stands for their other arguments: it may be spoken of too."""
    found = set(act.traits.own | act.traits.told | act.key_words() | act.once(_tokens_told))
    for other in [a for a in run.acts if a.kind in ("acting", "shell")][-_MAX_ACTS:]:
        if other.kind == "shell":
            found |= other.once(_tokens_given)
            continue
        found |= other.once(_tokens_told)
        for given in _named(other):
            if given.name != name:
                for thing, _ in _standing(given.name, other, run):
                    found |= thing.tokens
                found |= _told_of(given.name, run)
    return frozenset(found)


def _words_of(text: str) -> list[_Word]:
    """Words of a claim, its numbers and each number behind its noun."""
    text = text[:1_000]
    found: list[_Word] = []
    matches = list(_TOKEN.finditer(text))
    asides = _asides(text, matches)
    noun = ""
    for at, match in enumerate(matches):
        word = match[0].lower()
        number = word if word.isdecimal() else str(UNITS.get(word, ""))
        if number:
            plain = number.lstrip("0") or "0"
            found += [_Word(f"{noun} {plain}", aside=asides[at])] if noun else []
            found += [_Word(plain, aside=asides[at])] if len(plain) >= _LONG else []
            continue
        noun = stem(word)
        if word not in STOPWORDS and len(word) > 1:
            capital = at > 0 and match[0][:1].isupper()
            found.append(_Word(noun, capital, _is_bare(text, matches, at), asides[at]))
    return found


def _asides(text: str, matches: Sequence[re.Match[str]]) -> list[bool]:
    """Which words name another thing than the one that was acted on."""
    found: list[bool] = []
    aside = ended = False
    before, end = "", 0
    for match in matches:
        word, gap = match[0].lower(), text[end : match.start()]
        ended = ended or ";" in gap or " — " in gap or " – " in gap
        if word in _ASIDE:
            aside = True
        elif any(c in gap for c in ",:()") or (word in _BREAK and before not in _ASIDE):
            aside = False
        found.append(aside or ended)
        before, end = word, match.end()
    return found


def _is_bare(text: str, matches: Sequence[re.Match[str]], at: int) -> bool:
    """Whether a word stands behind an article or a preposition, and before no further noun."""
    before = matches[at - 1][0].lower() if at else ""
    if before not in PREPOSITIONS and before not in ("the", "your"):
        return False
    if at + 1 == len(matches) or text[matches[at].end() : matches[at + 1].start()] != " ":
        return True
    after = matches[at + 1][0].lower()
    return after in STOPWORDS or after in PREPOSITIONS or after in _VERBS


#: Fewer digits tell a thing only behind its noun.
_LONG: Final = 3
_VERBS: Final = frozenset("got gets now today tomorrow tonight again".split())


def _names_it(
    met: list[_Word], rival: Thing, tokens: frozenset[str], asked: frozenset[str], own: frozenset[str]
) -> bool:
    """Whether words of a claim that are of one thing alone are enough to name it."""
    for word in met:
        if any(c.isdigit() for c in word.token):
            if word.token in asked or " " in word.token:
                return True
            continue
        if any(GIVEN.get(word.token, frozenset()) & GIVEN.get(o, frozenset()) or o.startswith(word.token) for o in own):
            continue
        if word.token in asked or word.capital:
            return True
        if any(word.token in label and label <= tokens for label in rival.labels) and (len(met) > 1 or word.bare):
            return True
    return False
