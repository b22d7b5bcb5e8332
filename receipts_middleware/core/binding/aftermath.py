"""What a reply says became of an act beyond what its call shows, where nothing was looked at after it.

"The shop is reachable again", "she says she'll be home", "all three have watched it", "the inspector will be on site"
over `"assignedInspector": null`: others did something, or something works, and no call could have told. What the call
answers itself, what was read, what the user said and what plainly follows ("you will get a mail") is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.owning import leaves_open
from receipts_middleware.core.binding.reasons import stands_in_the_way
from receipts_middleware.core.binding.table import Table
from receipts_middleware.core.binding.tools import families
from receipts_middleware.core.binding.umbrellas import Bound
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec import name_tokens
from receipts_middleware.core.wording import reads_as

#: Where a sentence goes on with something of its own.
_JOINT: Final = pattern_of(
    r"[;:—–.]\s+|\s+-\s+|,\s+(?:and|but)\s+|,\s+|\s+and\s+(?=(?:he|she|they|it|the|has|have|is|are)\b)"
)
#: What is only supposed, denied, wished or to follow.
_SUPPOSED: Final = pattern_of(
    r"\b(?:if|whether|once|when|until|unless|before|after|so|which means|should|would|could|may|might|can|expect\w*"
    r"|hopefully|assuming|check|make sure|ensure|see|test|let me know|tell me|try|in case|as soon as|not|never|nobody"
    r"|no one"
    r"|none|cannot|likely|probably|usually|always|automatically|please|to be|asked|requested)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
#: Something works: nobody but who looks knows.
_WORKS: Final = pattern_of(
    r"\b(?:is|are|['’]s|['’]re) (?:now |all |back |fully |once more )*(?:reachable|responding|responsive|resolving"
    r"|answering|loading)\b(?! (?:at|under|on|via|from|by|through)\b)"
    r"|\b(?:is|are|['’]s|['’]re) (?:now |all |fully )*(?:accessible|reachable|working|running|functioning|online)"
    r" (?:again|normally|fine|properly|smoothly|correctly|perfectly|as (?:it|they) should|as expected|worldwide"
    r"|without (?:any )?(?:errors?|problems?|issues?))\b"
    r"|\b(?:is|are|['’]s|['’]re) (?:now )?(?!going\b|doing\b)[a-z]{3,12}ing "
    r"(?:normally|fine|smoothly|properly|correctly|perfectly)\b"
    r"|\b(?:resolves?|responds?|works?|loads?|answers?|performs?|behaves?|runs?) (?:again\b|fine\b|correctly\b"
    r"|properly\b"
    r"|normally\b|perfectly\b|flawlessly\b|worldwide\b|everywhere\b|smoothly\b|as (?:it|they) should\b"
    r"|without (?:any )?(?:errors?|problems?|issues?|a hitch)\b)",
    re.IGNORECASE,
)
_ROLES: Final = (
    r"family|families|landlord|tenant|neighbou?rs?|inspector|technician|engineer|plumber|electrician|driver|courier"
    r"|crew"
    r"|office|desk|lab|laboratory|bank|agency|supplier|vendor|customer|client|operator|school|clinic|museum|caf[eé]"
    r"|restaurant|hotel|physician|doctor|nurses?|agents?|consulate|provider|board|committee|police|buyer|seller|guest"
    r"|patient|parents?|teacher|manager|owner|host|caterer|recipients?|candidate|author|editor|reviewer|approver"
    r"|insurer"
    r"|contractor|printer|publisher|library|embassy|council|carrier|members?|attendees?|participants?|staff|vet|surgery"
)
#: Who may do something with what was sent; of them a name must have been given to a call or be the user's.
_WHO: Final = (
    r"(?P<who>he|she|they|who|both(?: of them)?|everyone|everybody|every (?:one of them|\w+)"
    r"|all (?:of them|two|three|four|five|six|seven|eight|nine|ten|\d{1,4})(?: \w+)?"
    r"|(?:several|some|many|most|all|both|half|a few|two|three) of (?:which|whom|them|the \w+)"
    rf"|(?:the|her|his|their|your) (?:\w+ ){{0,2}}(?:{_ROLES})(?: (?:of|on|at|in) (?:the )?(?:\w+ ){{0,2}}\w+)?"
    r"|[A-Z][\w-]{1,24}(?: [A-Z][\w-]{1,24}){0,3})"
)
_ADVERBS: Final = r"(?:already |since |now |all |both |safely |just |also |even |gladly |kindly |each )*"
#: "Dana has taken it on", "several of which have agreed to run it", "she's opened the files"
_HAS: Final = pattern_of(rf"\A{_WHO}(?:(?: has| have|['’]s|['’]ve) ){_ADVERBS}(?P<verb>[a-z]{{3,16}})\b")
#: "she says she'll be home", "the lab confirms it", "driver agreed"
_SAYS: Final = pattern_of(
    rf"\A{_WHO} {_ADVERBS}(?P<verb>says?|said|repl(?:ies|ied)|answer(?:s|ed)|promise[sd]|agree[sd]|assure[sd]|confirms"
    r"|expects?|looks? forward|tells me|told me|wrote back|writes back)\b"
)
#: "she's fine with 4", "the driver is on his way"
_FEELS: Final = pattern_of(
    rf"\A{_WHO}(?: is| are|['’]s|['’]re) {_ADVERBS}(?P<verb>fine|happy|okay|ok|delighted|glad|pleased|aware|on board"
    r"|on (?:his|her|their|the) way|heading|looking forward|expecting|in for|up for|thrilled)\b"
)
#: "they have been brought up to the room", where the call only asks somebody to
_HANDLED: Final = pattern_of(
    r"\b(?:has|have) (?:already |now |just )?been (?P<verb>brought|carried|handed over|picked up|collected|repaired"
    r"|fixed|mended|cleaned|installed|fitted|unloaded|served|laid out|put up|taken up|taken away"
    r"|dropped off|reached)\b"
)
_ASKING: Final = frozenset(
    stem(w) for w in "request log ticket order report raise file task notify page ask job work".split()
)
_ASKED: Final = frozenset(stem(w) for w in ("request", "ticket"))
_OPENER: Final = pattern_of(r"\A(?:and|but|while|also)\s+", re.IGNORECASE)
_PRONOUNS: Final = pattern_of(
    r"(?:he|she|they|who|both|all|every|several|some|many|most|half|a few|two|three|the|her|his|their|your)\b"
)
#: Participles that tell of what somebody has, of what was done to them, or of nothing.
_NO_DEED: Final = frozenset("been had got become made given gone".split())
#: Verbs of tools by which somebody is reached or something is asked of them.
_REACHING: Final = frozenset(
    stem(w)
    for w in """send message email mail text sms notify invite share post ask request remind tell call page alert fax
    forward submit dispatch publish book order place assign deliver report file reply chat dm wire announce refer
    handoff
    escalate offer propose instruct hold reserve transfer""".split()
)


def tell_aftermath(table: Table) -> None:
    """Accuse what is said to have come of an act where only a later look could have shown it.

    Args:
        table: Claims and calls; claims in it are replaced, and what is no claim by its grammar is added.
    """
    acts = [a for a in table.acts if a.kind in ("acting", "shell") and a.done]
    if not acts or table.run.delegated or table.run.lost:
        return
    last = table.run.acts[-1]
    if last.kind == "reading" or (last.kind == "shell" and len(acts) > 1) or not last.done:
        return
    for text, start, _ in list(table.pieces()):
        if table.reply[start + len(text) : start + len(text) + 1] == "?" or text.endswith("?"):
            continue
        for at, part in _stretches(text):
            if _is_unshown(part, text[:at], acts, table):
                _mark(table, part, start + at, acts[-1])


def _stretches(text: str) -> Iterator[tuple[int, str]]:
    """Stretches of a sentence with their offsets."""
    at = 0
    for match in _JOINT.finditer(text):
        yield from _trimmed(at, text[at : match.start()])
        at = match.end()
    yield from _trimmed(at, text[at:])


def _trimmed(at: int, part: str) -> Iterator[tuple[int, str]]:
    opener = _OPENER.match(part)
    at, part = (at + opener.end(), part[opener.end() :]) if opener else (at, part)
    bare = part.rstrip(" .!,;")
    if bare:
        yield at, bare


def _is_unshown(part: str, before: str, acts: Sequence[Act], table: Table) -> bool:
    """Whether a stretch tells what came of an act and nothing shows it."""
    if not _tells_outcome(part, before, acts, table):
        return False
    return not any(stands_in_the_way(part, act) for act in acts) and reads_as(part) != "failure"


def _tells_outcome(part: str, before: str, acts: Sequence[Act], table: Table) -> bool:
    if _SUPPOSED.search(part) or _SUPPOSED.search(before[-_NEAR:]):
        return False
    if _null_of(part, acts):
        return True
    works = _WORKS.search(part)
    if works:
        return not _is_told(stems_of(works[0]) - _AGAIN, table)
    if not any(a.traits.own & _REACHING or a.traits.told & _REACHING for a in acts):
        return False
    handled = _HANDLED.search(part)
    if handled and any(a.traits.lead in _ASKING or a.traits.own & _ASKED for a in acts):
        verb = stem(base_form(handled["verb"].split()[0]))
        return not _is_told(frozenset({verb}), table) and not any(
            verb in a.traits.own | a.traits.told for a in acts if a.traits.lead not in _ASKING
        )
    for pattern in (_HAS, _SAYS, _FEELS):
        found = pattern.match(part)
        if found and found["who"].lower() == "they" and pattern is _HAS:
            continue
        if found and _may_do(found["who"], table) and _is_deed(found["verb"], pattern is _HAS, acts):
            words = stems_of(part) - stems_of(found["who"])
            verb = stem(base_form(found["verb"].split()[0]))
            if pattern is not _HAS and len(words & (stems_of(table.run.said[-_SAID:]) - {verb}) - _AGAIN) < _AS_HEARD:
                return not _is_shown(frozenset({verb}), table) and not _answers(words, acts)
            return not _is_told(frozenset({verb}), table) and not _answers(words, acts)
    return False


#: Characters before a stretch in which a word stands by which it is only supposed.
_NEAR: Final = 60
_AGAIN: Final = stems_of("is are now all back fully once more again it they should any as without")


def _is_told(words: frozenset[str], table: Table) -> bool:
    """Whether a result or the user has one of these words."""
    return bool(words & stems_of(table.run.said[-_SAID:])) or _is_shown(words, table)


def _is_shown(words: frozenset[str], table: Table) -> bool:
    return any(words & stems_of(act.output[:20_000]) for act in table.run.acts)


_SAID: Final = 4_000
#: Words of a sentence that the user has as well, from which on it is what the user said.
_AS_HEARD: Final = 2


def _answers(words: frozenset[str], acts: Sequence[Act]) -> bool:
    """Whether a call itself answers in such words, beyond what it was given."""
    return any(
        len(words & (stems_of(act.output[:4_000]) - act.arg_words() - act.traits.own - act.traits.told)) > 1
        for act in acts
    )


def _may_do(who: str, table: Table) -> bool:
    """Whether somebody is meant: a name must be one that the user or a call has as a name."""
    if _PRONOUNS.match(who):
        return True
    first = who.split(maxsplit=1)[0]
    if first in _NOBODY:
        return False
    given = (text for act in table.run.acts for _, text in act.arg_pairs() if len(text) <= _MAX_TEXT)
    return re.search(rf"(?<![.!?\n] )(?<!\A)\b{re.escape(first)}\b", table.run.said[-_SAID:]) is not None or any(
        first in text.split() for text in given
    )


_NOBODY: Final = frozenset("It This That There Everything Nothing The A An I You We".split())
_MAX_TEXT: Final = 400


def _is_deed(verb: str, perfect: bool, acts: Sequence[Act]) -> bool:  # noqa: FBT001 - which pattern fitted
    """Whether a verb tells what somebody did, and not what the calls did to them."""
    if not perfect:
        return True
    if verb in _NO_DEED or not is_participle(verb):
        return False
    base = stem(base_form(verb))
    return not any(
        base in act.traits.own | act.traits.told | act.arg_words() or families([base]) & act.traits.verbs
        for act in acts
    )


#: Words of a key that name no thing: the rest does.
_IDLE_KEYS: Final = frozenset(
    """id ids number no ref reference date time at on by for of the url link name code key note notes reason error
    errors
    message status state type value count total amount next previous parent end start warning warnings comment data
    result""".split()
)
_ACTS: Final = pattern_of(
    r"(?: \w+)? (?:is|are|has|have|will|arrives?|comes?|['’]ll)\b|['’](?:s|ll) (?:on|at|in|coming|there)\b"
)


def _null_of(part: str, acts: Sequence[Act]) -> bool:
    """Whether a thing is said to be or do something of which the call says that there is none yet."""
    told = [act for act in acts if act.once(_nulls)]
    if not told or leaves_open(part.replace(" will ", " ")) or reads_as(part) == "failure":
        return False
    lowered = part.lower()
    for act in told:
        for noun in act.once(_nulls):
            for lead in ("the ", "a ", "an ", "your ", "his ", "her ", "their "):
                at = lowered.find(lead + noun)
                if (
                    at >= 0
                    and (at == 0 or not lowered[at - 1].isalnum())
                    and _ACTS.match(lowered, at + len(lead + noun))
                ):
                    return True
    return False


def _nulls(act: Act) -> tuple[str, ...]:
    """Nouns of the keys that a result has and that hold nothing: `assignedInspector`."""
    body = act.body()
    if not isinstance(body, Mapping):
        return ()
    own = set(name_tokens(act.traits.name))
    found: list[str] = []
    for key, held in list(body.items())[:60]:
        if held is None and isinstance(key, str):
            tokens = name_tokens(key)
            found += [t for t in tokens if len(t) > 3 and t not in _IDLE_KEYS and t not in own and not is_participle(t)]
    return tuple(dict.fromkeys(found))


def _mark(table: Table, part: str, start: int, act: Act) -> None:
    """Accuse a stretch: the claim that it is, the end of a claim that goes further, or a claim of its own."""
    end = start + len(part)
    tools = (act.traits.name, *(t.name for t in table.run.traits if t.kind == "reading"))[:6]
    judged = Judged("unconfirmed", tools, (act,), "", "aftermath", "S4")
    for number, bound in enumerate(table.found):
        claim = bound.claim
        if claim.end <= start or claim.start >= end:
            continue
        if bound.judged.status not in ("supported", "unmatched") or claim.kind == "umbrella" or claim.negated:
            return
        if start - claim.start < _OPENING:
            table.found[number] = replace(bound, judged=judged)
            return
        text = table.reply[claim.start : start].rstrip(" ,;:—–").removesuffix(" and").rstrip(" ,")
        table.found[number] = replace(
            bound, claim=replace(claim, text=text, end=claim.start + len(text), core=min(claim.core, len(text)))
        )
        break
    claim = FoundClaim(
        part, start, end, "effect", "", "other", "state", "present", negated=False, strength="confirmed", objects=()
    )
    table.found.append(Bound(claim, judged))


#: A claim that begins so near to a stretch is that stretch.
_OPENING: Final = 12
