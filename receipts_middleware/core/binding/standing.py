"""How things stand by a claim against how they stand by results: states, all, none, and members of lists."""

from __future__ import annotations

import re
from typing import Final

from receipts_middleware.core.binding.opposites import adverse, favourable, opposed
from receipts_middleware.core.binding.pieces import NEGATED, NOT_PLAIN, Piece, acted_since
from receipts_middleware.core.binding.rows import STATUS_KEYS, Cell, Row, View, key_stems, number_in, stands_in
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.words import stem, stems_of
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import read_values

#: A state as what a thing is said to be: behind a verb, with nothing behind it that it would describe.
_IS: Final = pattern_of(
    r"\b(?:is|are|has been|have been|has|have|shows as|shows|marked|listed as|stays|remains)"
    r"(?: (?:already|currently|still|fully|now|all|both|showing(?: as)?))*"
    r" (?P<state>[a-z]+(?:-[a-z]+)?)\b(?P<rest>[^\n]{0,60})"
)
_ALONE: Final = pattern_of(
    r"\W*(?:$|(?:in|on|at|by|for|since|with|and|from|as|today|yet|already|too|to|until|this|that|and)\b|[,.;])"
)
_ALL: Final = pattern_of(r"\b(?:all|every|everyone|everything|both)\b(?! (?:but|except))", re.IGNORECASE)
_NONE: Final = pattern_of(
    r"\b(?:no|zero|without any|free of|none of (?:the|them|your|his|her|its|their)|nobody|no one|nothing|none)\b"
    r"(?! (?:other|more|further|new|longer|additional|better|need|idea|way|doubt|problem|later|less|fewer))",
    re.IGNORECASE,
)
_EXCEPT: Final = pattern_of(
    r"\b(?:except|apart|besides|other than|but|only|beyond|than|else|yet|until)\b", re.IGNORECASE
)
_EMPTY: Final = frozenset({"", "none", "no", "false", "0", "0.0", "null", "n/a", "na", "-", "nil", "[]", "clear", "ok"})
#: Past tenses, which are plain where all of a set is told of.
_PAST: Final = pattern_of(r"\b(?:was|were|had been)\b", re.IGNORECASE)
_HOLDS: Final = pattern_of(r"\b(?:is|are|has|have)\b")
_STOCK: Final = frozenset("stock qty quantity units left available seats inventory on hand".split())
_OUT: Final = pattern_of(r"\b(?:is|are) (?:currently |now )?(?:out of stock|sold out)\b", re.IGNORECASE)
_SWITCHED: Final = pattern_of(
    r"\b(?:is|are) (?:currently |still )?(?:switched |turned )?(?P<state>on|off)\b(?! (?:the|a|an|my|your|its|\d))",
    re.IGNORECASE,
)
_NAME: Final = pattern_of(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}")


def _sides(word: str) -> list[tuple[int, int]]:
    """Which sides of which oppositions a word is on."""
    own = stem(word)
    return [(n, m) for n, sides in enumerate(opposed()) for m, side in enumerate(sides) if own in side]


def _opposite(said: str, shown: str) -> bool:
    ours, theirs = _sides(said), _sides(shown)
    return any(n == k and m != j for n, m in ours for k, j in theirs) and not set(ours) & set(theirs)


def _states_of(row: Row) -> list[tuple[str, bool, Cell]]:
    """Words that tell how a row stands, and whether they hold."""
    found = []
    for cell in row.cells:
        text = cell.text.strip().lower().replace("_", " ")
        words = cell.key.split()
        if text in ("true", "false") and words:
            found.append((words[-1], text == "true", cell))
        elif STATUS_KEYS.intersection(words) and len(text) <= 30 and words[-1] in STATUS_KEYS:
            found.extend((word, True, cell) for word in text.split()[:3])
    return found


def _one_row(piece: Piece, view: View) -> Row | None:
    """The row that a piece is of: the only one that it names, or the only one that there is."""
    named = [row for group in view.groups for row in piece.named(group)]
    if len(named) == 1:
        return named[0]
    alone = [row for row in view.alone if _states_of(row)]
    grouped = any(_states_of(row) for group in view.groups for row in group)
    return alone[0] if not named and not grouped and len(alone) == 1 else None


def other_state(piece: Piece, view: View, run: Run) -> str | None:
    """A state in whose place the row that is spoken of has the opposite.

    Args:
        piece: The piece.
        view: What the results hold.
        run: Everything that was seen.
    """
    if not piece.is_plain or piece.text.rstrip().endswith("?") or acted_since(piece.acts, run.acts):
        return None
    match = _IS.search(piece.text)
    switched = _of_switch(piece, view) or _of_stock(piece, view) or _of_flag(piece, view) or _of_key(piece, view)
    if switched is not None:
        return switched
    row = _one_row(piece, view) if match and _ALONE.match(match["rest"]) else None
    if match is None or row is None:
        return None
    said = match["state"].removesuffix("-out")
    states = _states_of(row)
    own = {stem(word) for word, holds, _ in states if holds}
    if stem(said) in own or any(set(_sides(w)) & set(_sides(said)) for w, holds, _ in states if holds):
        return None
    for word, holds, cell in states:
        if (stem(word) == stem(said) and not holds) or (holds and _opposite(said, word)):
            return f"{said}: {cell.key} {cell.text}"[:100]
    return None


def _of_switch(piece: Piece, view: View) -> str | None:
    match = _SWITCHED.search(piece.text)
    row = _one_row(piece, view) if match else None
    if match is None or row is None:
        return None
    for cell in row.cells:
        text = cell.text.strip().lower()
        if text in ("on", "off") and text != match["state"].lower() and key_stems(cell.key) & piece.stems:
            return f"{match['state']}: {cell.key} {text}"
    return None


def _of_flag(piece: Piece, view: View) -> str | None:
    """What a key of several words denies where the claim says all of them: "has met its reserve"."""
    row = _one_row(piece, view) if _HOLDS.search(piece.text) else None
    for cell in row.cells if row is not None else ():
        own = key_stems(cell.key)
        if cell.text.strip().lower() == "false" and len(own) > 1 and own <= piece.stems:
            return f"{cell.key}: false"
    return None


def _of_key(piece: Piece, view: View) -> str | None:
    """A state of a thing that is a key of its own (`pump B: standby`)."""
    match = _IS.search(piece.text)
    if match is None or not _ALONE.match(match["rest"]):
        return None
    before = piece.text[: match.start()].lower()
    for row in view.alone:
        named = [c for c in row.cells if len(c.key) > 3 and not c.listed and stands_in(c.key, before)]
        states = [c.text.strip().lower() for c in named]
        if len(states) == 1 and states[0].isalpha() and _opposite(match["state"], states[0]):
            return f"{match['state']}: {named[0].key} {states[0]}"
    return None


def _of_stock(piece: Piece, view: View) -> str | None:
    if not _OUT.search(piece.text):
        return None
    named = [row for group in view.groups for row in piece.named(group)] or list(view.alone)
    if len(named) != 1:
        return None
    left = [n for c in named[0].cells if _STOCK & set(c.key.split()) and (n := number_in(c.text)) is not None]
    return f"out: {left[0]:g}" if len(left) == 1 and left[0] > 0 else None


def not_all(piece: Piece, view: View, run: Run) -> str | None:
    """All of a set, where the results count some for which it is not so.

    Args:
        piece: The piece.
        view: What the results hold.
        run: Everything that was seen.
    """
    text = _PAST.sub(" ", piece.text)
    if not _ALL.search(text) or NOT_PLAIN.search(text) or acted_since(piece.acts, run.acts):
        return None
    said = favourable() & piece.stems
    if not said:
        return None
    counts = [v.norm for v in read_values(piece.text) if v.kind == "count"]
    for row in view.alone:
        numbers = {c.key: n for c in row.cells if not c.listed and (n := number_in(c.text)) is not None}
        bad = [(k, n) for k, n in numbers.items() if n > 0 and adverse() & key_stems(k) and len(k.split()) <= 2]
        whole = not counts or any(float(c) == n > m for c in counts for n in numbers.values() for _, m in bad)
        short = any(said & key_stems(k) and n < float(c) for k, n in numbers.items() for c in counts)
        if ((len(bad) == 1 and whole) or (bad and short)) and not adverse() & piece.stems:
            return f"{bad[0][0]}: {bad[0][1]:g}"
    return _not_all_rows(piece, view, counts)


def _not_all_rows(piece: Piece, view: View, counts: list[str]) -> str | None:
    words = [w for w in piece.text.lower().split() if stem(w.strip(".,")) in favourable()]
    for group in view.groups:
        if len(group) < 2 or piece.named(group) or (counts and float(counts[0]) != len(group)):
            continue
        for row in group:
            for word, holds, cell in _states_of(row):
                if holds and any(_opposite(said.strip(".,"), word) for said in words):
                    return f"{cell.key}: {cell.text}"[:100]
    return None


def not_none(piece: Piece, view: View, run: Run) -> str | None:
    """None of something, where the results hold some of it.

    Args:
        piece: The piece.
        view: What the results hold.
        run: Everything that was seen.
    """
    match = _NONE.search(piece.text)
    if match is None or _EXCEPT.search(piece.text) or acted_since(piece.acts, run.acts):
        return None
    behind = stems_of(piece.text[match.end() :])
    if not behind or len(NEGATED.findall(piece.text)) > 1:
        return None
    for row in view.alone:
        for cell in row.cells:
            content = key_stems(cell.key)
            if not content or not content <= behind or cell.text.strip().lower() in _EMPTY or len(behind - content) > 2:
                continue
            n = number_in(cell.text)
            if not _noun_is(match, piece, content) or (n is not None and n == 0):
                continue
            if not _is_of_row(piece, row, behind - content, view):
                continue
            return f"{match[0]}: {cell.key} {cell.text}"[:100]
    return _not_none_rows(piece, view, behind)


def _noun_is(match: re.Match[str], piece: Piece, content: frozenset[str]) -> bool:
    """Whether what there is to be none of is what the key names, without a word before it that narrows it."""
    words = re.findall(r"[a-z]+", piece.text[match.end() :].lower())
    if match[0].lower() in ("no", "zero", "without any", "free of"):
        return bool(words) and stem(words[0]) in content
    return any(stem(w) in content for w in words)


def _is_of_row(piece: Piece, row: Row, rest: frozenset[str], view: View) -> bool:
    """Whether the words beside the key are words of the row or its call."""
    known = piece.acts[row.act].words() | piece.acts[row.act].traits.own
    return rest <= known and not any(
        r is not row and {c.key for c in r.cells} == {c.key for c in row.cells} for r in view.alone
    )


def _not_none_rows(piece: Piece, view: View, behind: frozenset[str]) -> str | None:
    for group in view.groups:
        if piece.named(group):
            continue
        for row in group:
            for word, holds, cell in _states_of(row):
                own = stem(word)
                tool = piece.acts[row.act].traits.own
                if (
                    holds
                    and own in behind
                    and len(own) > 3
                    and behind - {own} <= tool | piece.acts[row.act].arg_words()
                ):
                    return f"{cell.key}: {cell.text}"[:100]
    return None


def stranger_in_list(piece: Piece, view: View, run: Run) -> str | None:
    """A name among names of one list that stands nowhere at all.

    Args:
        piece: The whole claim.
        view: What the results hold.
        run: Everything that was seen.
    """
    if "," not in piece.text and " and " not in piece.text:
        return None
    named = list(dict.fromkeys(_NAME.findall(piece.text)))
    if not 2 <= len(named) <= 12:
        return None
    for row in view.rows():
        lists: dict[str, list[str]] = {}
        for cell in row.cells:
            if cell.listed:
                lists.setdefault(cell.key, []).append(cell.text.strip())
        for key, members in lists.items():
            inside = [n for n in named if n in members]
            if len(inside) < 2 or not key_stems(key) & piece.stems:
                continue
            first, last = piece.text.find(inside[0]), piece.text.rfind(inside[-1]) + len(inside[-1])
            for name in named:
                at = piece.text.find(name)
                between = piece.text[min(first, at) : max(last, at + len(name))]
                plain = re.fullmatch(r"(?:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}|,|and|&|\s)+", between)
                known = name.lower() in run.seen_text() or name.lower() in run.heard()
                if name not in members and plain and not known and not stands_in(name.lower(), key):
                    return f"{name}: {', '.join(members)}"[:100]
    return None
