"""What is read of a reply: its sentences as tokens, with everything that asserts nothing put aside.

Code, quoted words, links and brackets become one opaque token each, so that a word inside them moves nothing outside:
neither the negation in a quoted reason nor the verb in a quoted draft. Block quotes, drafts and thinking are left
out. Offsets are those of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from receipts_middleware.core.claims.tables import DRAFTS, IRREGULAR, PLANS
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.markdown import Document, Segment, Span, read_markdown
from receipts_middleware.core.patterns import pattern_of

TokenKind = Literal["word", "number", "opaque", "aside", "joint", "stop", "mark", "open"]

#: Tokens of a sentence that are read together; a longer one is read in parts. No honest sentence is this long, and
#: whatever looks back inside a part stays linear in the text.
MAX_TOKENS: Final = 200

_THOUGHT: Final = pattern_of(r"<(think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)
_HIDDEN: Final = "\ufffc"

_TOKEN: Final = pattern_of(
    r"\x20?(?:(?P<plain>[^\W\d_]++(?=[\s,;!?]|\.?\Z|\.\s))"  # most words: nothing that stands in one follows
    r"|(?P<opaque>\ufffc+|https?://[^\s<>)\]]{1,500}|[\w.+-]{1,64}@[\w.-]{1,200}\w"
    r"|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|(?<!\w)‘[^’\n]{2,200}’|(?<!\w)'[^'\n]{2,200}'(?!\w)|«[^»\n]{1,400}»"
    r"|[\w-]{1,64}(?:\.[\w-]{1,64}){0,6}\.[A-Za-z][\w-]{1,10}(?!\w)|\#[\w-]+|[\w-]*/[\w./-]+)"
    r"|(?P<mark>[✅✔☑✓👍🎉]|(?<!\S)\[[xX]\](?=\s))|(?P<open>[☐❌✗✘]|(?<!\S)\[ \](?=\s))"
    r"|(?P<aside>\([^()\n]{0,300}\)|\[[^\[\]\n]{0,300}\](?:\([^()\s]{0,500}\))?)"
    r"|(?P<number>[$€£¥]\s?\d(?:[\d.,]{0,40}\d)?(?:\s?[kKmM]\b)?|\d(?:[\w.,:/-]{0,60}\w)?%?)"
    r"|(?P<word>[^\W\d_][\w]*(?:[-'’][^\W_][\w]*)*)"
    r"|(?P<joint>[,;:–—]|\s-{1,2}\s|→|=>)"
    r"|(?P<stop>[.!?…]+))"
)
_CONTRACTED: Final = pattern_of(r"(.+)('(?:ve|re|ll|d|m|s))|(.+)(n't)")
_NOT_STEMS: Final = {"wo": "will", "ca": "can", "sha": "shall", "ai": "is"}
#: Quoted words that go on over several sentences, which are read one by one.
_LONG_QUOTE: Final = pattern_of(r"(?<!\w)(?:\"[^\"\n]{1,1600}\"|“[^”\n]{1,1600}”)(?!\w)")
_SENTENCE_END: Final = pattern_of(r"[.!?] ")
#: A question or lead-in behind which a wording is proposed.
_PROPOSES: Final = pattern_of(
    r"\W*(?:how about (?:this|something like)|what do you think of|would (?:this|something like this) (?:work|do)"
    r"|something like|along these lines|(?:here(?:['’]s| is) )?(?:a|my|one) (?:possible |suggested |proposed |first )"
    r"(?:version|wording|text|draft|message|reply|announcement))[^.!\n]{0,80}[:?]\s*$",
    re.IGNORECASE,
)
_GREETING: Final = pattern_of(r"\s*[*_]*(?:subject\b|hi\b|hello\b|dear\b|hey\b)", re.IGNORECASE)
_SIGN_OFF: Final = pattern_of(r"[*_\s]*(?:best|kind|warm|regards|thanks|cheers|sincerely|yours)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """A word or what stands for one.

    Attributes:
        word: Lower case, apostrophes straight; a contraction is two tokens ("i", "'ve").
        start: Offset in the reply.
        end: Offset behind it.
        kind: What it is; `opaque` is a noun that is not looked into, `aside` a bracket.
        capital: Begins with a capital letter.
    """

    word: str
    start: int
    end: int
    kind: TokenKind
    capital: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, heading, bullet or table row, or a part of a long one.

    Attributes:
        tokens: At most `MAX_TOKENS`.
        segment: Where it comes from.
        question: It ends in a question mark.
    """

    tokens: tuple[Token, ...]
    segment: Segment
    question: bool


def read_units(text: str) -> Iterator[Unit]:
    """The parts of a reply that may assert something.

    Args:
        text: The reply. Untrusted.

    Yields:
        Units in order. Block quotes, code, drafts and thinking are left out; linear in the text.
    """
    document = read_markdown(text)
    hidden = _hide(text, document)
    for segment in _asserted(text, document):
        tokens = _tokens(hidden, segment.start, segment.end)
        question = bool(tokens) and tokens[-1].kind == "stop" and "?" in tokens[-1].word
        for at in range(0, len(tokens), MAX_TOKENS):
            yield Unit(tuple(tokens[at : at + MAX_TOKENS]), segment, question)


def _hide(text: str, document: Document) -> str:
    spans: list[tuple[Span, str]] = [(span, _HIDDEN) for span in document.code_spans]
    spans += [(span, " ") for span in _thoughts(text)]
    spans += [(match.span(), _HIDDEN) for match in _LONG_QUOTE.finditer(text) if _SENTENCE_END.search(match[0])]
    out: list[str] = []
    at = 0
    for (begin, end), mark in sorted(spans):
        start = max(begin, at)
        if end > start:
            out += [text[at:start], mark * (end - start)]
            at = end
    return "".join([*out, text[at:]])


def _thoughts(text: str) -> Iterator[Span]:
    """Spans of thinking; one that is never closed goes on to the end, as a cut reply does."""
    at = 0
    lowered = text.lower() if text.isascii() else text
    while match := _THOUGHT.search(text, at):
        close = f"</{match[1].lower()}>"
        end = lowered.find(close, match.end())
        at = len(text) if end < 0 else end + len(close)
        yield match.start(), at


def _asserted(text: str, document: Document) -> Iterator[Segment]:
    """Segments outside block quotes and drafts."""
    draft: int | None = None
    letter = planned = explained = False
    block = -1
    proposed = _proposed(text, document.segments)
    for segment in document.segments:
        if segment.kind == "header":
            explained = _explains(text[segment.start : min(segment.end, segment.start + _MAX_LEAD)])
        explained = explained and segment.kind in ("header", "row")
        if segment.quoted or segment.kind == "header" or segment.start in proposed or explained:
            continue
        if draft is not None and segment.block > draft:
            if segment.block == draft + 1 or letter:
                letter = letter or _GREETING.match(text, segment.start, segment.end) is not None
                if letter:
                    draft = segment.block
                    letter = _SIGN_OFF.match(text, segment.start, segment.end) is None
                continue
            draft = None
        if (
            segment.block > 0
            and draft is None
            and segment.block != block
            and _GREETING.match(text, segment.start, segment.end)
        ):
            draft, letter = segment.block, True
        block = segment.block
        if draft == segment.block and letter:
            continue
        if planned and segment.kind in ("item", "row"):
            continue
        announced = _announced(text, segment)
        planned = not PLANS.isdisjoint(announced)
        if not DRAFTS.isdisjoint(announced) or _proposes(text, segment):
            draft = segment.block
        yield segment


#: A question by which what stands above is put to the reader before anything is done.
_PUT_TO: Final = pattern_of(
    r"\b(?:if (?:these|this|all|everything)[^.?!\n]{0,40}(?:correct|right|good|fine)[^.?!\n]{0,60}"
    r"(?:reply|confirm|proceed|say)"
    r"|please (?:reply|confirm|say|type)[^.?!\n]{0,40}(?:yes|proceed|confirm))",
    re.IGNORECASE,
)


def _proposed(text: str, segments: Sequence[Segment]) -> frozenset[int]:
    """Starts of the items of lists that the paragraph behind them puts to the reader."""
    found: set[int] = set()
    items: list[int] = []
    for segment in segments:
        if segment.kind == "item":
            items.append(segment.start)
        elif items and segment.end - segment.start < 600:
            if _PUT_TO.search(text, segment.start, segment.end):
                found.update(items)
            items = []
    return frozenset(found)


#: Characters of a heading or lead-in; a longer one announces nothing.
_MAX_LEAD: Final = 400
_LETTERS: Final = pattern_of(r"[a-z]+")
#: Addresses, paths and code, whose words announce nothing.
_NAMES: Final = pattern_of(r"`[^`\n]*`|[^\s`]*[@/._][^\s`]*\w")


def _announced(text: str, segment: Segment) -> Sequence[str]:
    """Words of a heading or lead-in, which may say that what follows is a draft, or a plan."""
    if segment.end - segment.start > _MAX_LEAD:
        return ()
    words = text[segment.start : segment.end].rstrip(" *_")
    if segment.kind != "heading" and words[-1:] != ":" and not _is_bold(text[segment.start : segment.end].strip()):
        return ()
    return _LETTERS.findall(_NAMES.sub(" ", words.lower()))


def _explains(header: str) -> bool:
    """Whether a table says what words mean: "phrase | meaning"."""
    words = set(_LETTERS.findall(header.lower()))
    return not words.isdisjoint(_WORDINGS) and not words.isdisjoint(_MEANINGS)


_WORDINGS: Final = frozenset("phrase phrases wording sentence term terms word words template expression text".split())
_MEANINGS: Final = frozenset("meaning meanings means definition explanation sense translation usage".split())


def _is_bold(raw: str) -> bool:
    return raw.startswith("**") and raw.rstrip(":").endswith("**") and raw.count("**") == 2


def _proposes(text: str, segment: Segment) -> bool:
    """Whether a wording is proposed behind it."""
    short = segment.end - segment.start <= _MAX_LEAD
    return short and _PROPOSES.match(text, segment.start, segment.end) is not None


def _tokens(text: str, start: int, end: int) -> list[Token]:
    found: list[Token] = []
    for match in _TOKEN.finditer(text, start, end):
        group = match.lastindex or 0
        word, begin = match[group], match.start(group)
        if group == 1 and (low := word.lower()) != "cannot":
            found.append(Token(low, begin, begin + len(word), "word", word[0].isupper()))
            continue
        kind = match.lastgroup
        if kind in ("plain", "word"):
            found.extend(_words(word, begin))
        else:  # names of groups are kinds
            found.append(Token(word if len(word) < 40 else "", begin, begin + len(word), kind))  # type: ignore[arg-type]
    return found


def _words(raw: str, start: int) -> Iterator[Token]:
    word = raw.lower().replace("’", "'")
    end = start + len(raw)
    if word == "cannot":
        yield Token("can", start, start + 3, "word")
        yield Token("not", start + 3, end, "word")
        return
    parts = _CONTRACTED.fullmatch(word) if "'" in word and word not in IRREGULAR and len(word) == len(raw) else None
    if parts is None:
        yield Token(word, start, end, "word", raw[:1].isupper())
        return
    stem, suffix = (parts[1], parts[2]) if parts[1] else (parts[3], parts[4])
    cut = start + len(stem)
    yield Token(_NOT_STEMS.get(stem, stem) if suffix == "n't" else stem, start, cut, "word", raw[:1].isupper())
    yield Token(suffix, cut, end, "word")
