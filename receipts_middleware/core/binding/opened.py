"""Acts of a turn whose end is open, by their own results or by the last look at the same thing.

A look counts that was given what the act was given, or what it made; the last one that says how the thing stands
outweighs every earlier one, and the act's own result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.open_marks import Mark, marks_about, own_marks
from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.dataclass import dataclass
from receipts_middleware.core.patterns import pattern_of

#: Calls of a turn that are looked at, the newest.
_MAX_CALLS: Final = 40
#: A shorter argument is shared by calls that have nothing to do with one another; a longer one is a text.
_NEEDLE: Final = 2
_MAX_NEEDLE: Final = 64
_MAX_RECORDS: Final = 20
#: Verbs of bringing a thing to its end.
FINISHED: Final = frozenset(stem(w) for w in "finish complete conclude".split())


@dataclass(frozen=True, slots=True)
class Opened:
    """An act whose end is open.

    Attributes:
        act: The act.
        marks: What says so.
        looks: Later calls that looked at the same thing.
        closed: Something says that it is done.
        done: Stems of verbs whose outcome a result says is there.
    """

    act: Act
    marks: tuple[Mark, ...]
    looks: tuple[Act, ...]
    closed: bool = False
    done: frozenset[str] = frozenset()


def open_acts(acts: Sequence[Act], this_turn: int) -> list[Opened]:
    """Acts of a turn whose end is open.

    Args:
        acts: Calls of the run, in order.
        this_turn: Number of the last call before the turn.
    """
    calls = [a for a in acts if a.entry.n > this_turn][-_MAX_CALLS:]
    looks = [a for a in calls if a.kind != "acting" and a.grade not in ("F", "S0", "S1")]
    found = []
    for act in calls:
        if act.kind == "reading" or act.grade in ("S0", "S1") or (act.grade == "F" and _was_retried(act, calls)):
            continue
        alone = all(a is act or a.kind == "reading" for a in calls)
        opened = _as_last_seen(act, [a for a in looks if a.entry.n > act.entry.n], alone=alone)
        if opened.marks:
            found.append(opened)
    return found


def _was_retried(act: Act, calls: Sequence[Act]) -> bool:
    return any(a.entry.n > act.entry.n and a.traits.name == act.traits.name and a.done for a in calls)


def _as_last_seen(act: Act, later: Sequence[Act], *, alone: bool) -> Opened:
    """An act with the marks of its own result, or of the last look at the same thing that says how it stands."""
    own = act.once(own_marks)
    marks, looks, closed, done = own.open, [], bool(own.closed), own.done
    if marks:
        asked = {("".join(key.split()), text.strip().lower()) for key, text in act.arg_pairs()}
        marks = tuple(m for m in marks if not _was_asked(m, asked))
        if own.closed and not any(m.word for m in marks):
            marks = tuple(m for m in marks if not FINISHED & m.verbs)
    for look in later:
        akin = alone and look.kind == "reading" and (not look.arg_pairs() or bool(act.traits.own & look.traits.own))
        if not akin and not _looks_at(look, act):
            continue
        seen = marks_about(look, act.once(_needles))
        if not seen:
            continue
        looks.append(look)
        done |= seen.done
        marks, closed = seen.open, bool(seen.closed)
        if seen.closed and not any(m.word for m in marks):
            marks = ()
    return Opened(act, marks, tuple(looks), closed, done)


def _was_asked(mark: Mark, asked: Set[tuple[str, str]]) -> bool:
    """Whether the call was given the very value: `set_visible(visible=false)`."""
    key, _, value = mark.shown.partition(": ")
    return (re.sub(r"[^a-z0-9]", "", key.lower()), value.lower()) in asked


def _needles(act: Act) -> frozenset[str]:
    """Names and ids of what an act was given and what it made."""
    given = {text.strip().lower() for _, text in act.arg_pairs() if _NEEDLE <= len(text) <= _MAX_NEEDLE}
    made = {v.norm.lower() for v in act.output_values() if v.kind in ("id", "count") and len(v.norm) > _NEEDLE}
    ids = {
        text.lower()
        for record in act.records()[:_MAX_RECORDS]
        for key, text in record.pairs
        if _ID_KEY.search(key) and _NEEDLE <= len(text) <= _MAX_NEEDLE
    }
    if act.kind == "shell":
        given |= {
            word.lower() for _, text in act.arg_pairs() for word in text.split()[:_MAX_WORDS] if _NAME.match(word)
        }
    return frozenset(given | made | ids) - _IDLE


_MAX_WORDS: Final = 40
#: A word of a command that may name a thing.
_NAME: Final = pattern_of(r"[A-Za-z][\w.:-]{3,60}\Z")


def ids_made(act: Act) -> frozenset[str]:
    """Ids and numbers by which a result names things, in lower case.

    Args:
        act: The call.
    """
    records = act.records()[:_MAX_RECORDS]
    return frozenset(text.lower() for r in records for key, text in r.pairs if _ID_END.search(key))


_ID_END: Final = pattern_of(r"(?:\b|_)(?:id|ref|reference|number|no|code|uuid)\Z", re.IGNORECASE)


_ID_KEY: Final = pattern_of(r"(?:\b|_)(?:id|ref|reference|number|no|key|code|uuid)\Z|\A[a-z]{3,12}\Z", re.IGNORECASE)
_IDLE: Final = frozenset({"true", "false", "none", "null", "ok", "success", "yes", "no"})


def _looks_at(look: Act, act: Act) -> bool:
    """Whether a look was given a name or an id of what an act was given or made."""
    given = look.once(_names_given)
    hay = act.once(_all_text)
    likely = [name for name in given if name in hay]  # reading the names of an act takes longer
    return bool(likely) and not act.once(_needles).isdisjoint(likely)


def _names_given(act: Act) -> frozenset[str]:
    texts = [text.strip().lower() for _, text in act.arg_pairs()]
    return frozenset(texts).union(*(text.split()[:20] for text in texts))


def _all_text(act: Act) -> str:
    """What a call was given and returned, in lower case; numbers without their commas as well."""
    text = act.text().lower()
    return f"{text}\n{text.replace(',', '')}" if "," in text else text
