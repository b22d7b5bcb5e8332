"""Marks of an open end anywhere in a result: empty keys of an outcome, and states that say that it is not there yet.

The receipt keeps what the tables of `evidence` read of a call, whose own status outweighs what stands beside it. Here
everything is read that a claim of an outcome can be held against, at any depth and in lines of plain text:
`firstPublished: null`, `approvals: {needed: 2, given: 0}`, `State: pending`. What claims make of it, `outcome` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.words import stem, words_of
from receipts_middleware.core.claims.morphology import base_form, is_participle
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.evidence import normal_status, status_class
from receipts_middleware.core.evidence.markup import leaf_elements
from receipts_middleware.core.evidence.own import leading_verb
from receipts_middleware.core.evidence.prose import read_prose
from receipts_middleware.core.lexicon.keys import ENVELOPE_KEYS, REMARK_KEYS
from receipts_middleware.core.lexicon.outcomes import BEGUN
from receipts_middleware.core.lexicon.status import RECORD_KEYS
from receipts_middleware.core.lexicon.verbs import CREATING_VERBS
from receipts_middleware.core.patterns import pattern_of

_MAX_DEPTH: Final = 7
_MAX_LEAVES: Final = 300
#: Characters of a plain text that are read for lines of a key and a value.
_MAX_TEXT: Final = 3_000
_MAX_STATE: Final = 60
_STATE_KEYS: Final = frozenset("status state stage phase disposition lifecycle sts substatus situation st".split())
#: Words beside those in a key, that say of what kind its value is.
_OF_KIND: Final = (
    frozenset("status state stage phase descr description desc code name text value label current".split())
    | ENVELOPE_KEYS
)
_DATED: Final = frozenset("date at on time timestamp datetime".split())
_WANTED: Final = frozenset("needed required want wanted of total quorum minimum necessary desired".split())
_GIVEN: Final = frozenset("given received have got granted collected done approved signed current step ready".split())
_REMARKS: Final = frozenset(REMARK_KEYS)
#: Keys whose value says what is waited for, and those that count a place in a queue.
_WAITS: Final = frozenset("awaiting awaits waiting waits pending requires needs".split())
_QUEUES: Final = frozenset("queue waitlist waitinglist ahead".split())
#: States that do no more than name what is so, as adjectives; keys that lead to what was made public.
_ADJECTIVES: Final = frozenset("visible live active public online effective available".split())
_PLACES: Final = frozenset("url permalink link publicurl liveurl".split())
#: Keys of what comes out in the end, and nouns of acts.
_VERDICTS: Final = frozenset("overall verdict decision outcome conclusion ruling".split())
_NOUNS: Final = {
    "approval": "approve", "approvals": "approve", "signature": "sign", "signatures": "sign", "publication": "publish",
    "clearance": "clear", "settlement": "settle", "activation": "activate", "completion": "complete",
    "confirmation": "confirm", "acceptance": "accept", "fills": "fill", "executions": "execute",
    "allocation": "allocate",
}  # fmt: skip
#: Keys that tell what is still to come, and flags that say that the call was taken.
_FUTURE: Final = frozenset("scheduled expected estimated goes earliest planned".split())
_TAKEN: Final = frozenset("accepted received queued submitted requested registered scheduled acknowledged".split())
_PROGRESS: Final = frozenset("progress completion complete completed done".split())
_SHARES: Final = frozenset("percent percentage pct".split())
_SHARE: Final = pattern_of(r"(\d{1,3}(?:\.\d+)?) ?%?\Z")
_OF: Final = pattern_of(r"(\d{1,4}) ?(?:of|/) ?(\d{1,4})\Z")
_WORD_OPEN: Final = frozenset("pending queued enqueued waitlisted awaiting waiting".split())
#: What a remark says is still wanted.
_REMARKED: Final = pattern_of(
    r"\brequired\b|\b(?:within|up to) \d{1,3} ?[a-z]|\bwill be (?:informed|notified|told)\b|\breplies within\b"
    r"|\b(?:assignment|decision|answer|reply) (?:by|within)\b",
    re.IGNORECASE,
)
#: `State:       pending`, `Status: Waiting for authentication`, `state=queued`
_LINE: Final = pattern_of(r"(?:^|[;,|\n\t ])([A-Za-z][A-Za-z_ -]{0,30}?)[ \t]{0,3}[:=][ \t]{0,20}([^\n;|=:]{1,60})")


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of an open end.

    Attributes:
        shown: Key and value as they stand.
        verbs: Stems of verbs whose outcome is said to be missing; empty for a state.
        within: Words of the keys that hold a state.
        word: The state, as the tables spell it.
        begun: The state says no more than that the thing was begun or handed in.
        number: How many are there of a greater number.
    """

    shown: str
    verbs: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    word: str = ""
    begun: bool = False
    number: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a result shows of how far things have come.

    Attributes:
        open: Marks of an open end.
        closed: States that say that it is done.
        done: Stems of verbs whose outcome is there: `firstPublished: 2026-02-01`.
    """

    open: tuple[Mark, ...] = ()
    closed: tuple[str, ...] = ()
    done: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.open or self.closed)


def marks_in(act: Act, about: frozenset[str] = frozenset()) -> Marks:
    """Marks in the result of a call.

    Args:
        act: The call.
        about: What rows of a list must have one of to be read, in lower case; without it a longer list is data.
    """
    body = act.body()
    text = body if isinstance(body, str) else act.output[:_MAX_TEXT]
    body = (body if isinstance(body, Mapping | list) else None) or leaf_elements(text)
    found = _Found()
    if isinstance(body, Mapping) and _is_record(body, act):
        return found.marks()
    if body:
        for path, key, value in _leaves(body, about):
            found.read(path, key, value)
        return found.marks()
    for match in _LINE.finditer(text[:_MAX_TEXT]):
        found.read((), match[1], match[2].strip().strip("\"'"))
    for match in _PAIR.finditer(text[:_MAX_TEXT]):
        found.read((), match[1], match[2].strip("\"'"))
    if order := _FIX.search(text):
        found.opened.append(Mark(order[0], verbs=frozenset({stem("fill"), stem("execute")})))
    for heads, cells in _table_rows(text[:_MAX_TEXT], about):
        for head, cell in zip(heads, cells, strict=False):
            found.read((), head, cell)
    if not found.opened and not found.closed:
        said = read_prose(text, act.entry.tool)
        plain = _PLAIN_OPEN.search(text) if len(text) <= _MAX_PLAIN else None
        if said.said == "open" or (plain and not said.said):
            found.opened.append(Mark(said.words or plain[0] if plain else said.words, word="pending"))
        elif not said.said and len(text) <= _MAX_PLAIN and not _PLAIN_DONE.search(text):
            plain = _PLAIN_BEGUN.search(text)
            if plain is not None:
                found.opened.append(Mark(plain[0], word=plain[1].lower(), begun=True))
    return found.marks()


#: An execution report of the FIX protocol whose order is new, pending or filled in part.
_FIX: Final = pattern_of(r"(?<![\w.])39=[01A6E](?=[|\x01;^ ]|\Z)")
_MAX_PLAIN: Final = 400
_PAIR: Final = pattern_of(r"(?<![\w])([A-Za-z][\w-]{1,30})=(\"[^\"\n]{1,60}\"|[^\s;,|]{1,60})")
#: What a short answer says in words of its own of an end that is open, or of what was only taken.
_PLAIN_OPEN: Final = pattern_of(
    r"\b\d{1,3}(?:st|nd|rd|th) in (?:line|the queue)\b|\bposition \d|\b\d{1,3} (?:jobs? )?(?:ahead|before you)\b"
    r"|\bon reconnect\b|\bauto-?start\b|\bas soon as\b|\bnext (?:run|batch|window|cycle|sync|poll|check-?in)\b"
    r"|\bETA\b|\b(?:within|up to|in about|in approx\w*|allow) \d{1,3} ?[a-z]|\b(?:0|none) of (?:the )?\d"
    r"|\bwould (?:be|have been)\b"
    r"|\bnot (?:yet|released|final|signed|sent|started)\b|\bpreliminar|\bunsigned\b|\bparked\b|\bheld\b|\bon hold\b",
    re.IGNORECASE,
)
_PLAIN_DONE: Final = pattern_of(
    r"\b(?:delivered|completed?|done|finished|booked|confirmed|success\w*|250|saved|created)\b", re.IGNORECASE
)
_PLAIN_BEGUN: Final = pattern_of(
    r"\b(accepted|queued|spooled|scheduled|registered|received|submitted|requested|lodged|initiated|started)\b",
    re.IGNORECASE,
)


def _is_record(body: Mapping[object, object], act: Act) -> bool:
    """The record of something that the call touched, as `evidence` knows it: how it stands is its own affair."""
    keys = {normal_status(key).replace("_", "") for key, held in body.items() if isinstance(key, str) and held}
    return not RECORD_KEYS.isdisjoint(keys) and leading_verb(act.entry.tool) not in CREATING_VERBS


_BREAK: Final = pattern_of(r" *[,|\t] *| {2,}")
_MAX_ROWS: Final = 60


def _table_rows(text: str, about: frozenset[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Lines under a line of heads of which one is a state: those that are spoken of, or the only one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()][:_MAX_ROWS]
    if len(lines) < 2:
        return
    heads = _BREAK.split(lines[0].strip("| "))
    plain = lines[0].split()
    if len(heads) < 2 and len(plain) > 1 and lines[0].isupper():
        heads = plain
    if len(heads) < 2 or not any(_STATE_KEYS.intersection(_key_words(head)) for head in heads):
        return
    rows = [line.split() if heads is plain else _BREAK.split(line.strip("| ")) for line in lines[1:]]
    rows = [row for row in rows if len(row) >= len(heads) - 1 and not set("".join(row)) <= set("-+=: ")]
    for row in rows:
        if len(rows) == 1 or any(cell.strip().lower() in about for cell in row):
            yield heads, row


def marks_about(act: Act, about: frozenset[str]) -> Marks:
    """As `marks_in`; what has no list tells the same of whatever is asked about, and is read once.

    Args:
        act: The call.
        about: As for `marks_in`.
    """
    if isinstance(act.body(), Mapping) and "[" not in act.output:
        return act.once(marks_in)
    return marks_in(act, about)


def own_marks(act: Act) -> Marks:
    """Marks in the result of a call, lists of several rows left out; none where the act was confirmed since."""
    return _NO_MARKS if act.entry.confirmed == "confirmed" else marks_in(act)


_NO_MARKS: Final = Marks()
_Leaf = tuple[tuple[str, ...], str, object]


def _leaves(body: object, about: frozenset[str]) -> Iterator[_Leaf]:
    """Scalars and empty holders with the keys above them; of long lists the rows that are spoken of."""
    left = _MAX_LEAVES
    stack: list[tuple[tuple[str, ...], object, int]] = [((), body, 0)]
    while stack and left > 0:
        path, held, depth = stack.pop()
        if isinstance(held, Mapping):
            left -= 1
            short = _short_of(held)
            if short and path:
                yield path[:-1], path[-1], short
                continue
            for key, value in list(held.items())[:_MAX_LEAVES]:
                if not isinstance(key, str):
                    continue
                left -= 1
                if isinstance(value, Mapping | list) and value and depth < _MAX_DEPTH:
                    stack.append(((*path, key), value, depth + 1))
                elif not isinstance(value, Mapping | list) or not value:
                    yield path, key, value
        elif isinstance(held, list):
            rows = [row for row in held[:_MAX_LEAVES] if isinstance(row, Mapping)]
            if len(rows) > 1:
                rows = [row for row in rows if about and about & _scalars(row)]
            stack.extend((path, row, depth + 1) for row in rows)


class _Short(str):
    """How much of what is needed is there."""


def _short_of(held: Mapping[object, object]) -> str:
    """`{needed: 2, given: 0}`: as many are missing."""
    if len(held) > 5:
        return ""
    numbers = {k.lower(): v for k, v in held.items() if isinstance(k, str) and type(v) is int}
    want = next((v for k, v in numbers.items() if k in _WANTED), None)
    have = next((v for k, v in numbers.items() if k in _GIVEN), None)
    return _Short(f"{have} of {want}") if want is not None and have is not None and 0 <= have < want else ""


def _scalars(row: Mapping[object, object]) -> frozenset[str]:
    return frozenset(str(v).lower() for v in list(row.values())[:60] if isinstance(v, str | int))


@lru_cache(maxsize=4_096)
def _key_words(key: str) -> tuple[str, ...]:
    return tuple(words_of(key[:64].replace("_", " ")))


@lru_cache(maxsize=4_096)
def _outcomes_of(key: str) -> frozenset[str]:
    """Stems of the verbs whose outcome a key names or dates: `firstPublished`, `releaseDate`, `paidAmount`."""
    words = _key_words(key)
    found = {stem(base_form(word)) for word in words if is_participle(word) and len(word) > 2}
    found.update(stem(_NOUNS[word]) for word in words if word in _NOUNS)
    found.update(word for word in words if word in _ADJECTIVES)
    if len(words) > 1 and words[-1] in _DATED:
        found.add(stem(words[-2]))
    if "".join(words) in _PLACES:
        found.add(stem("publish"))
    if not found and words and words[-1] in _VERDICTS:
        return _FINISHED
    return frozenset(found)


_FINISHED: Final = frozenset(stem(w) for w in ("finish", "complete", "decide"))


def _is_empty(value: object) -> bool:
    return value is None or value is False or value == 0 or value in ("", [], {})


class _Found:
    """Marks as they are read, leaf by leaf."""

    def __init__(self) -> None:
        self.opened: list[Mark] = []
        self.closed: list[str] = []
        self.done: set[str] = set()

    def marks(self) -> Marks:
        return Marks(tuple(self.opened), tuple(self.closed), frozenset(self.done))

    def read(self, path: tuple[str, ...], key: str, value: object) -> None:
        """One scalar or empty holder."""
        words = _key_words(key)
        within = frozenset(word for part in (*path[-3:], key) for word in _key_words(part) if word not in _OF_KIND)
        if value is True or (isinstance(value, str) and _DATE.match(value)):
            self.done |= _outcomes_of(key)
        if isinstance(value, _Short):
            verbs = frozenset({stem(words[-1])}) if words else frozenset()
            number = value.partition(" ")[0]
            self.opened.append(Mark(f"{key}: {value}", within=within, word="pending", verbs=verbs, number=number))
        elif _is_empty(value) and not isinstance(value, float):
            verbs = _outcomes_of(key)
            if verbs:
                shown = "null" if value is None else str(value).lower()
                self.opened.append(Mark(f"{key}: {shown}", verbs=verbs, within=within))
        elif words and (words[0] in _FUTURE or (value is True and words[-1] in _TAKEN)):
            self.opened.append(Mark(f"{key}: {str(value)[:60]}", within=within, word="scheduled", begun=True))
        elif waited := _waits(words, value):
            self.opened.append(Mark(f"{key}: {str(value)[:60]}", within=within, word=waited))
        elif isinstance(value, str) and 1 < len(value) <= _MAX_REMARK:
            self._read_text(key, words, within, value)

    def _read_text(self, key: str, words: tuple[str, ...], within: frozenset[str], value: str) -> None:
        word = normal_status(value)
        tells = bool(_STATE_KEYS.intersection(words)) and len(value) <= _MAX_STATE
        if tells or word.split("_")[0] in _WORD_OPEN or word in ("in_review", "under_review"):
            said = status_class(value) if len(word.split("_")) <= _MAX_WORDS else ""
            if said == "accepted":
                self.opened.append(Mark(f"{key}: {value}"[:100], within=within, word=word, begun=word in BEGUN))
            elif said in ("done", "verified") and tells:
                self.closed.append(word)
        elif normal_status(key).replace("_", "") in _REMARKS:
            said_in = read_prose(value, "")
            remarked = _REMARKED.search(value) if said_in.said == "" else None
            if said_in.said == "open" or remarked:
                shown = said_in.words or value
                self.opened.append(Mark(f"{key}: {shown}"[:100], within=within, word="pending"))


_DATE: Final = pattern_of(r"\d{4}-\d\d")
_MAX_REMARK: Final = 300
_MAX_WORDS: Final = 8


def _waits(words: tuple[str, ...], value: object) -> str:
    """What a key says that is waited for, a place in a queue, or a share that is not whole."""
    if not words:
        return ""
    if words[0] in _WAITS and (value is True or (isinstance(value, str | list) and words != ("pending",))):
        return "pending"
    if _QUEUES.intersection(words) and type(value) is int and value > 0:
        return "queued"
    if isinstance(value, str) and "queue" in words and value.isdigit() and value != "0":
        return "queued"
    text = str(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else ""
    measured = "progress" in words or (len(words) == 2 and words[0] in _SHARES and words[1] in _PROGRESS)
    if measured and len(text) < _MAX_SHARE and (match := _SHARE.match(text)):
        return "in_progress" if 1 < float(match[1]) < _WHOLE else ""
    if any(is_participle(w) or w in _NOUNS for w in words) and len(text) < _MAX_SHARE and (match := _OF.match(text)):
        return "in_progress" if int(match[1]) < int(match[2]) else ""
    return ""


_MAX_SHARE: Final = 12
_WHOLE: Final = 100
