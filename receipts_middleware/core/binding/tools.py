"""Which tools could have done what a claim says, by words alone: names, descriptions, families of verbs and nouns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from receipts_middleware.core.binding.families import (
    GENERIC_VERBS,
    MEDIA,
    MEDIUM_VERBS,
    NOUN_FAMILIES,
    PHRASAL,
    VERB_FAMILIES,
)
from receipts_middleware.core.binding.words import stem, stems, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.tables import ADVERBS, PREPOSITIONS
from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.language.value import NO_WORDS, Words
from receipts_middleware.core.lexicon.verbs import ACTING_VERBS, RUN_VERBS
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec import name_tokens
from receipts_middleware.core.toolspec.spec import ToolKind

#: From this sum on a tool fits.
FITS: Final = 2.0
#: Verbs of a name whose object says what is done: `create_refund`, `make_reservation`.
_LIGHT: Final = frozenset(
    "create issue make add send open place submit request do perform process run execute post raise initiate".split()
)
_EMPTY: Final[frozenset[str]] = frozenset()
#: Words of a clause that name nothing.
_IDLE: Final = (
    PREPOSITIONS
    | ADVERBS
    | frozenset(
        """okay ok yes yep no not sorry able unable anything nothing everything something none thing things it them one
        ones because while although as ve going up down out off please thanks great good sure new old same such e g
        i""".split()
    )
)


@dataclass(frozen=True, slots=True)
class Traits:
    """What a tool's name and description say of it, as stems.

    Attributes:
        name: As bound.
        kind: What kind of tool it is.
        own: Stems of the name.
        told: Stems of the description.
        verbs: Families of the words of the name.
        told_verbs: Families of the words that the description begins with.
        nouns: Families of nouns of the name.
        media: Media that the name speaks of.
        lead: Stem of the first word of the name.
        acts: Those stems of the name that are verbs of a family.
        head: Stem of the first word of the description.
        states: Stems of the name that only say how a thing stands: `exchange_delivered_items` delivers nothing.
    """

    name: str
    kind: ToolKind
    own: frozenset[str]
    told: frozenset[str]
    verbs: frozenset[str]
    told_verbs: frozenset[str]
    nouns: frozenset[str]
    media: frozenset[str]
    lead: str = ""
    acts: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    head: str = ""


@lru_cache(maxsize=2_048)
def traits_of(name: str, description: str, kind: ToolKind, more: Words = NO_WORDS) -> Traits:
    """Traits of a tool.

    Args:
        name: As bound. Untrusted.
        description: As bound; its first 400 characters are read, since what follows is a manual. Untrusted.
        kind: What kind of tool it is.
        more: Rows that are added to the tables.
    """
    return _traits(name, description[:400], kind, more)


@lru_cache(maxsize=2_048)  # an agent keeps its tools from run to run
def _traits(name: str, head: str, kind: ToolKind, more: Words) -> Traits:
    own = stems(name_tokens(name))
    first = head.partition(". ")[0]
    told = stems_of(head)
    lead = [stem(word) for word in first.lower().split()[:4]]
    return Traits(
        name=name,
        kind=kind,
        own=own,
        told=told,
        verbs=families(_verbs_of(name), more),
        told_verbs=families(lead, more),
        nouns=nouns(own, more),
        media=frozenset(m for word in own for m in MEDIA.get(word, ())),
        lead=stem(name_tokens(name)[0]) if name_tokens(name) else "",
        acts=acts_among(own, more),
        head=lead[0] if lead else "",
        states=stems(token for token in name_tokens(name)[1:] if token.endswith("ed") and len(token) > 5),
    )


def _verbs_of(name: str) -> frozenset[str]:
    """Stems of the words of a name that say what it does: its verb, and the noun of an act behind a light one."""
    tokens = name_tokens(name)
    sure = [t for t in tokens if t in ACTING_VERBS or t in RUN_VERBS]
    if not sure:
        return stems(tokens)
    if sure[0] in _LIGHT:
        return stems(tokens)
    return stems(sure)


def families(words: Sequence[str] | frozenset[str], more: Words = NO_WORDS) -> frozenset[str]:
    """Families of verbs that stems belong to, with those of rows that are added."""
    return _found(words, VERB_FAMILIES, more.verbs)


def acts_among(words: frozenset[str], more: Words = NO_WORDS) -> frozenset[str]:
    """Stems that are verbs of a family."""
    return frozenset(word for word in words if word in VERB_FAMILIES or word in more.verbs)


def nouns(words: frozenset[str], more: Words = NO_WORDS) -> frozenset[str]:
    """Families of nouns that stems belong to, with those of rows that are added."""
    return _found(words, NOUN_FAMILIES, more.nouns)


def _found(words: Iterable[str], *tables: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found: set[str] = set()
    for table in tables:
        if table:
            for word in words:
                if word in table:
                    found |= table[word]
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Meant:
    """What a claim speaks of, as stems.

    Attributes:
        verb: Stem of its verb; empty where it names no act.
        verbs: Families of the verb.
        words: Stems of its content words.
        nouns: Families of nouns among them.
        media: Media that it names.
        generic: Its verb names no particular act.
        also: Stem of the verb that says in one word what verb and particle say ("turned down": reject); else empty.
    """

    verb: str
    verbs: frozenset[str]
    words: frozenset[str]
    nouns: frozenset[str]
    media: frozenset[str]
    generic: bool
    also: str = ""


def meant_by(claim: FoundClaim) -> Meant:
    """What a claim speaks of.

    Args:
        claim: As found in the reply. Untrusted.
    """
    more = claim.more
    verb = stem(claim.action) if claim.action else ""
    words = stems(w for w in claim.objects if w not in _IDLE and not _is_adverb(w))
    media = {m for word in words for m in MEDIA.get(word, ())}
    if claim.action in MEDIUM_VERBS:
        media.add(MEDIUM_VERBS[claim.action])
    also = _in_one_word(verb, claim.text)
    light = claim.action in ("get", "make", "take", "do", "have", "give", "put", "let", "")
    own = families(words, more) if light else _EMPTY
    return Meant(
        verb=verb,
        verbs=families((verb, also), more) | own,
        words=words,
        nouns=nouns(words, more),
        media=frozenset(media),
        generic=not verb or (verb in GENERIC_VERBS and not also),
        also=also,
    )


#: Verbs of which a particle makes another.
_WITH_PARTICLES: Final = frozenset(verb for verb, _ in PHRASAL)
#: Words in "ly" that are no adverbs.
_NOT_ADVERBS: Final = frozenset(
    "reply supply family assembly apply july italy anomaly rally bully belly jelly lily tally".split()
)


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and len(word) > 4 and word.rpartition("-")[2] not in _NOT_ADVERBS


_PARTICLES: Final = frozenset("up down off on out in over through back aside forward across away along live go".split())
#: Words between a verb and its particle ("kicked cad-02 off", "turned the first request down").
_APART: Final = 4


def _in_one_word(verb: str, text: str) -> str:
    """The verb that says what verb and particle say; empty where no particle follows."""
    if verb not in _WITH_PARTICLES:
        return ""
    words = _WORDS.findall(text[:400].lower())
    if _PARTICLES.isdisjoint(words):
        return ""
    for at, word in enumerate(words):
        if verb and (stem(word) == verb or word == verb):
            for behind in range(at + 1, min(at + 2 + _APART, len(words))):
                meaning = PHRASAL.get((verb, words[behind])) if words[behind] in _PARTICLES else None
                if meaning and (behind == at + 1 or _ends_phrase(words, behind)):
                    return meaning
    return ""


def _ends_phrase(words: Sequence[str], at: int) -> bool:
    """Whether a particle behind an object is none that leads to another noun ("put the book on the table")."""
    return at + 1 == len(words) or words[at + 1] in ("and", "but", "so", "for", "from", "as", "until", "with", "by")


_WORDS: Final = pattern_of(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a tool fits a claim.

    Attributes:
        verb: 3 its very verb, 2 a verb of the same family or its very verb in the description, 1 a related one, 0 none.
        noun: 0 to 4, by how many of the things that the claim names the tool speaks of.
        clash: It goes by another medium than the one named.
        named: Its name, not only its description, has the verb or one of the same family, and a thing that is named.
        score: Verb and nouns together; nothing where the media exclude one another.
    """

    verb: float
    noun: float
    clash: bool
    named: bool = False
    score: float = field(init=False)

    def __post_init__(self) -> None:
        """Add up once what is asked for each tool of a claim."""
        object.__setattr__(self, "score", 0.0 if self.clash else self.verb + self.noun)


def fit(meant: Meant, traits: Traits) -> Fit:
    """How well a tool fits what a claim speaks of.

    Args:
        meant: The claim.
        traits: The tool.
    """
    own, words = traits.own, meant.words
    medium = meant.media and traits.media and meant.media & traits.media
    clash = bool(meant.media and traits.media) and not medium
    verb = 0.0
    if (meant.verb and meant.verb in traits.own - traits.states) or (meant.also and meant.also in traits.own):
        verb = 3.0
    elif is_related(meant.verbs, traits.verbs, traits) or (meant.verb and meant.verb in traits.told):
        verb = 2.0
    elif is_related(meant.verbs, traits.told_verbs, traits):
        verb = 1.5
    elif words & traits.acts:
        verb = 1.5  # "Refund issued", "made a reservation": the act is a noun of the claim
    named = len(words & own)
    told = words & traits.told
    noun = 2.0 * named + (min(len(told - own), 2) if told else 0)
    if not named and not meant.nouns.isdisjoint(traits.nouns):
        noun += 1.0
    if medium:
        noun += 1.0
    strong = verb >= 3 or named > 1 or (named > 0 and (not traits.verbs or not meant.verbs.isdisjoint(traits.verbs)))
    return fit_of(verb, noun if noun < 4.0 else 4.0, clash, strong)


@lru_cache(maxsize=256)  # a few dozen differ
def fit_of(verb: float, noun: float, clash: bool, named: bool) -> Fit:  # noqa: FBT001 - in the order of the fields
    """A fit, made once."""
    return Fit(verb, float(noun), clash, named)


#: What is done with money and goods, of which tools with a verb for everything ("send", "issue") speak by their nouns.
OF_MONEY: Final = frozenset("refund pay donate credit waive charge ship transfer move issue grant dispense".split())
_MONEY: Final = frozenset(
    stem(w)
    for w in """refund payment pay payout money credit invoice donation fund funds bonus fee cash wire charge deposit
    balance price amount voucher card bank transfer order shipment parcel package goods item stock gift""".split()
)
#: Verbs that say what is done only with their object.
_OPEN: Final = frozenset(
    stem(w)
    for w in "send issue give process put add apply write make open create post submit share forward drop".split()
)


def is_related(said: frozenset[str], known: frozenset[str], traits: Traits) -> bool:
    """Whether a verb and a tool are of one family, and not by a verb for everything: `send_email` refunds nothing."""
    common = said & known
    if not common or not common <= OF_MONEY or speaks_of_money(traits):
        return bool(common)
    by = [act for act in traits.acts if common.intersection(VERB_FAMILIES.get(act, ()))]
    return not by or not _OPEN.issuperset(by)


def speaks_of_money(traits: Traits) -> bool:
    """Whether a tool's name or description has a word of money or goods."""
    return not (_MONEY.isdisjoint(traits.own) and _MONEY.isdisjoint(traits.told))


def is_another_act(meant: Meant, traits: Traits) -> bool:
    """Whether the verb of a claim is known and none of what the tool is known to do: to refund is not to mail.

    Args:
        meant: The claim.
        traits: The tool.
    """
    known = traits.verbs | traits.told_verbs
    return bool(meant.verbs and known) and not is_related(meant.verbs, known, traits)
