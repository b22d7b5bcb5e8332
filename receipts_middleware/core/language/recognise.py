"""Which sentences of a reply are in no language that can be read: by scripts and function words, a sentence at a time.

A sentence is foreign only by evidence for something else: letters of another script, function words of one other
language, or a run of words of which none is known. Where little is said (ids, names, code, a heading), nothing is
decided, and the sentence goes by the rest of the reply. Linear in the words; no word is compared with another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from receipts_middleware.core.dataclass import dataclass, field
from receipts_middleware.core.language.value import Language, LanguageReading, SpokenWord
from receipts_middleware.core.language.words import FOREIGN, LOANS, PARTICLES

#: What is decided of one sentence: read; foreign; rather foreign, with little to go by; nothing.
_Said = Literal["read", "foreign", "leaning", "open"]

#: Words of one sentence that are looked at; a language shows in far fewer.
MAX_SAID: Final = 200
#: The last letter of the Latin blocks that lie together; what lies behind it is another script ...
_LATIN_END: Final = 0x024F
#: ... but for Latin Extended Additional, which Vietnamese is written in.
_LATIN_MORE: Final = range(0x1E00, 0x1F00)
#: From here on (Hangul, kana, ideographs) a letter is a syllable or a word.
_DENSE: Final = 0x1100
#: Letters of another script that weigh as a word does.
_LETTERS_A_WORD: Final = 4.0
_DENSE_LETTERS_A_WORD: Final = 2.0
#: Evidence that decides for another language by itself, and how many times that for English it must be.
_ENOUGH: Final = 3.0
_TIMES: Final = 3.0
#: Evidence that decides where nothing is English: in a sentence, or in all that lean together.
_SOME: Final = 2.0
#: What a word with accents weighs that is in no list.
_ACCENT: Final = 0.75
#: Of running text without evidence for any language: words that it must have, and the share of known ones below which
#: it is foreign. English has two in five from its closed classes alone.
_RUNNING: Final = 6
_KNOWN: Final = 0.18
#: Words of such text that decide by themselves; fewer only lean.
_LONG: Final = 9
#: How many times the words that are read the unread ones must be to be most of a reply.
_MOSTLY: Final = 3


@dataclass(slots=True)
class _Heard:
    """What was counted in one sentence.

    Attributes:
        english: Function words of the language that is read.
        shared: Those of them that another language has as well, by its code; counted where anything speaks for one.
        foreign: Function words of other languages, by code.
        said: Words in any letters.
        accents: Words with letters that English has not, in no list.
        letters: Letters of other scripts, as words.
        plain: Words in Latin letters that are no names.
        run: The longest run of such words without a comma.
    """

    english: int = 0
    said: int = 0
    shared: Counter[str] = field(default_factory=Counter)
    foreign: Counter[str] = field(default_factory=Counter)
    accents: int = 0
    letters: float = 0.0
    plain: int = 0
    run: int = 0


def read_language(
    sentences: Sequence[Sequence[SpokenWord]], languages: Mapping[str, Language], *, assumed: str | None = None
) -> LanguageReading:
    """Find the sentences of a reply that are in no language that can be read.

    Args:
        sentences: Words of each, without what is quoted or code. Untrusted.
        languages: Those that can be read, by code.
        assumed: Code of the language of the reply where its owner says it: nothing is told from the text then.

    Returns:
        What cannot be read. Never raises; linear in the words.
    """
    if assumed is not None:
        every = () if assumed in languages else tuple(range(len(sentences)))
        return LanguageReading(every, bool(every), (assumed,) if every else ())
    said: list[_Said] = []
    spoken: list[int] = []
    names: Counter[str] = Counter()
    hints = 0.0
    own = frozenset().union(*(language.function_words for language in languages.values()))
    for sentence in sentences:
        heard = _hear(sentence[:MAX_SAID], own)
        decided, code, hint = _decide(sentence[:MAX_SAID], heard, languages)
        said.append(decided)
        spoken.append(heard.said)
        if code and decided in ("foreign", "leaning"):
            names[code] += 1
        hints += hint
    strange = [n for n, decided in enumerate(said) if decided == "foreign"]
    read = sum(spoken[n] for n, decided in enumerate(said) if decided == "read")
    unread = [n for n, decided in enumerate(said) if decided in ("foreign", "leaning")]
    unread = unread if strange or hints >= _SOME else []
    mostly = bool(unread) and (sum(spoken[n] for n in (strange if read else unread)) > _MOSTLY * read)
    if mostly:  # what is undecided goes by the rest
        strange = [n for n, decided in enumerate(said) if decided != "read" and spoken[n]]
    return LanguageReading(tuple(strange), mostly, tuple(code for code, _ in names.most_common(3)) if strange else ())


def _decide(
    sentence: Sequence[SpokenWord], heard: _Heard, languages: Mapping[str, Language]
) -> tuple[_Said, str, float]:
    """What is decided of a sentence, the code of the other language that it looks like, and how much says so."""
    foreign, shared = heard.foreign, heard.shared
    code = ""
    if foreign or shared:
        code = max({**foreign, **shared}, key=lambda name: (foreign[name], shared[name]))
    own = foreign[code]
    words = own + _ACCENT * heard.accents
    english = heard.english - (shared[code] if words >= 1 else 0)  # a word that both have speaks for neither
    code = code if words >= 1 else ""
    if heard.letters >= max(_ENOUGH, _TIMES * english):
        return "foreign", "", heard.letters
    if own >= 2 and words >= max(_ENOUGH, _TIMES * english):
        return "foreign", code, words
    if not english and own and words >= _SOME and heard.plain > 3:
        return "foreign", code, words
    unknown = own < 2 and _is_unknown(sentence, heard, languages, english)
    if unknown and heard.run >= _LONG:
        return "foreign", code, words
    if not english:
        lean = words + (heard.letters if not heard.plain else 0) + unknown
        return ("leaning" if lean else "open"), code, lean
    return ("read" if english > words else "open"), code, 0.0


def _codes(word: str) -> tuple[str, ...]:
    """Languages that have a word among their function words."""
    return FOREIGN.get(word) or (FOREIGN.get(word.partition("'")[0], ()) if "'" in word[:5] else ())


def _hear(sentence: Sequence[SpokenWord], own: frozenset[str]) -> _Heard:
    """Count what a sentence has of the languages that are read, whose function words are given, and of others."""
    heard = _Heard()
    first = True
    run = longest = plain = said = 0
    english: list[str] = []
    for at, token in enumerate(sentence):
        if token.kind != "word":
            if token.kind in ("joint", "stop"):
                longest, run = max(longest, run), 0
            first = first or token.kind == "stop"
            continue
        said += 1
        word, named = token.word, token.capital and not first
        first = False
        if word in own:
            english.append(word)
            plain += 1
            run += 1
            continue
        number = ord(word[0])
        if number > _LATIN_END and number not in _LATIN_MORE:
            if named:
                continue
            heard.letters += len(word) / (_DENSE_LETTERS_A_WORD if number >= _DENSE else _LETTERS_A_WORD)
            continue
        if named:
            continue
        plain += 1
        run += 1
        codes = _codes(word)
        if codes:
            if not (word in PARTICLES and _is_in_a_name(sentence, at)):
                heard.foreign.update(codes)
        elif not word.isascii() and word not in LOANS:
            heard.accents += 1
    if heard.foreign or heard.accents:
        for word in english:
            heard.shared.update(_codes(word))
    heard.english, heard.said, heard.plain, heard.run = len(english), said, plain, max(longest, run)
    return heard


def _is_in_a_name(sentence: Sequence[SpokenWord], at: int) -> bool:
    """Whether the words on both sides, but for further particles, begin with capitals."""
    before = next((x for x in reversed(sentence[max(0, at - 3) : at]) if x.word not in PARTICLES), None)
    behind = next((x for x in sentence[at + 1 : at + 4] if x.word not in PARTICLES), None)
    return behind is not None and behind.capital and (before is None or before.capital or before.kind != "word")


def _is_unknown(sentence: Sequence[SpokenWord], heard: _Heard, languages: Mapping[str, Language], english: int) -> bool:
    """Whether running text holds hardly a word of a language that is read."""
    if heard.run < _RUNNING or english > _KNOWN * heard.plain:
        return False
    words = [x.word for x in sentence if x.kind == "word" and x.word[:1] <= "\u024f"]
    known = sum(any(x in y.function_words or y.knows(x) for y in languages.values()) for x in words)
    return known <= _KNOWN * len(words)
