"""What became of a claim of what a tool returned, of what others did, and of how things stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.binding.acts import Act
from receipts_middleware.core.binding.bodies import Record
from receipts_middleware.core.binding.checks import reported_failure
from receipts_middleware.core.binding.compare import DATA_UNITS, shape
from receipts_middleware.core.binding.effects import Judged
from receipts_middleware.core.binding.grounds import is_derived
from receipts_middleware.core.binding.owning import leaves_open
from receipts_middleware.core.binding.reasons import stands_in_the_way
from receipts_middleware.core.binding.run import Run
from receipts_middleware.core.binding.spoken import Spoken
from receipts_middleware.core.binding.units import in_another_unit
from receipts_middleware.core.binding.words import stem, stems, stems_of
from receipts_middleware.core.claims import FoundClaim
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values import Pool, Value, read_values
from receipts_middleware.core.values.tables import DURATIONS
from receipts_middleware.core.wording import reads_as

#: Share of the content words of a claim that a result must have for it to be what the claim tells of.
COVERS: Final = 0.5


#: Values that are worked out in so many ways that an unseen one shows nothing.
_DERIVED_WORDS: Final = pattern_of(
    r"\b(?:total|sum|combined|together|altogether|overall|averages?|averaged|mean|median|difference|save[sd]?|saving|savings|remaining|left"
    r"|each|per|over|under|points? (?:above|below|ahead|behind)|more than|less than|at least|up to|between"
    r"|additional|extra|cheaper|higher|lower|increase|decrease|net|gross|minus|plus|worth|estimated?|would|could)\b",
    re.IGNORECASE,
)


_ROUGHLY: Final = pattern_of(r"\b(?:about|around|roughly|approximately|nearly|almost|some|~)\b|~", re.IGNORECASE)
_MISQUOTABLE: Final = frozenset({"money", "percent", "date", "email", "id", "count", "time"})


def judge_result(said: Spoken) -> Judged:
    """Weigh a claim of a value or a state.

    Args:
        said: The claim.

    Returns:
        Supported, misquoted, not called, or unmatched where nothing can be said.
    """
    claim, values, run = said.claim, said.values, said.run
    told = said.told()
    best = told[0][1] if told else 0.0
    near = [act for act, share in told if share >= best - 0.15][:4]
    looked = next((act for act, _ in told if act.kind == "reading"), None)
    tools = tuple(dict.fromkeys(act.traits.name for act in (*near, *([looked] if looked is not None else []))))
    acts = tuple(near)
    if not run.acts:
        return Judged("unmatched", required="S1")
    wrong = (
        reported_failure(claim, near) or _misquoted(claim, values, near, run) or _contradicted(claim.text, near, run)
    )
    if wrong is not None:
        return Judged("misquoted", tools, acts, wrong, "value", "S1")
    if near and best >= COVERS and all(_only_failed(claim, act, run) for act in near):
        return Judged("failed", tools, acts, near[0].graded.reason[:200], "grade", "S3")
    unseen = [v for v in values if v.kind in _MISQUOTABLE and not is_seen(v, run)]
    if unseen:
        return Judged("unmatched", tools, acts, "", "unseen", "S1")
    if (values and near) or best >= COVERS:
        return Judged("supported", tools, acts, "", "", "S1")
    return Judged("unmatched", tools, acts, "", "words", "S1")


#: Characters of what was asked for that are looked at, the newest.
_REQUEST: Final = 4_000


def _only_failed(claim: FoundClaim, act: Act, run: Run) -> bool:
    """Whether a call failed, and a claim says what it was asked for and nothing of what it answered."""
    if act.kind != "acting" or act.grade != "F" or claim.negated or claim.strength != "done":
        return False
    runs = claim.voice == "active" and claim.aspect == "present"
    if claim.aspect == "past" or runs or _AS_BEFORE.search(claim.text):
        return False  # "August was already there"
    answer, given = act.output_pool(), act.args_pool()
    if any(answer.find(v) == "same" and not given.contains(v) for v in read_values(claim.text)):
        return False
    asked = act.arg_words() | act.traits.own | act.traits.told | stems_of(run.heard()[-_REQUEST:])
    told = stems_of(act.output[:2_000]) - asked
    if stems(claim.objects).isdisjoint(act.arg_words() | act.traits.own | act.traits.told):
        return False
    if stands_in_the_way(claim.text, act) or (stems(claim.objects) - asked and reads_as(claim.text) != "success"):
        return False  # "Spin on Thursday is packed"
    return (
        told.isdisjoint(stems_of(claim.text))
        and not leaves_open(claim.text)
        and reads_as(claim.text) not in ("failure", "pending")
    )


#: Words by which a sentence tells how things stood, or why it could not be done.
_AS_BEFORE: Final = pattern_of(
    r"\b(?:already|still|remains?|stays?|as (?:it|they) (?:was|were)|below|above|beyond|outside|under|over|exceed\w*"
    r"|too|only|just|(?:more|less|fewer|lower|higher|later|earlier|larger|smaller|longer|shorter) than)\b",
    re.IGNORECASE,
)


def is_seen(value: Value, run: Run) -> bool:
    """Whether a value stands in anything that was seen, or follows from it.

    Args:
        value: Of a claim.
        run: What ran.
    """
    if (
        value.kind == "date"
        and value.norm.startswith("wd:")
        and re.search(rf"\b{value.text[:3].lower()}\b", run.seen_text())
    ):
        return True  # "Wed 11 Mar"
    if value.kind == "date" and len(value.norm) == 7 and f"{value.norm[5:]}/{value.norm[:4]}" in run.seen_text():
        return True
    if value.kind == "count" and _is_year(value):
        return run.seen().find(value) == "same" or value.norm in run.heard()
    if value.unit in DATA_UNITS or run.seen().contains(value) or value.norm.lower() in run.heard():
        return True
    if run.told().contains(value) or in_another_unit(value, run):
        return True
    return value.kind == "count" and value.norm in run.spans()


def _contradicted(text: str, near: Sequence[Act], run: Run) -> str | None:
    from receipts_middleware.core.binding.misquotes import contradicted  # noqa: PLC0415 - for claims of results alone

    return contradicted(text, near, run)


def _works_out(value: Value, near: Sequence[Act], run: Run) -> bool:
    from receipts_middleware.core.binding.misquotes import works_out  # noqa: PLC0415 - for claims of results alone

    return works_out(value, near, run)


def _misquoted(claim: FoundClaim, values: Sequence[Value], near: Sequence[Act], run: Run) -> str | None:
    """What the results show in place of a value of the claim; None where nothing speaks against it."""
    if claim.negated or not near:
        return None
    swapped = _swapped(claim, values, near, run)
    if swapped is not None:
        return swapped
    if _DERIVED_WORDS.search(claim.text):
        return None
    roughly = _ROUGHLY.search(claim.text) is not None
    for value in values:
        if roughly and value.kind in ("money", "percent", "count") and _is_near(value, run):
            continue
        if value.kind not in _MISQUOTABLE or is_seen(value, run) or value.text.lower() in run.heard():
            continue
        if value.kind == "count" and value.norm in ("0", "1", "2", "3") and not value.unit:
            continue
        if _is_name(value, claim.text, run):
            continue
        if claim.text[: value.start].rstrip().endswith((" but", " except")):
            continue
        if (value.kind == "percent" and _is_ratio(value, values)) or _is_share(value, values, near):
            continue
        other = _in_place_of(value, claim, values, near)
        if other is not None and not (_works_out(value, near, run) or is_derived(value, claim.text, run, near)):
            return f"{value.text}: {other}"
    return None


_NAMED: Final = pattern_of(r"[A-Za-z]{2,12}[ -]\Z")


def _is_name(value: Value, text: str, run: Run) -> bool:
    """Whether a number with the word before it stands in a result: "GEOL 402" over "GEOL 402-01"."""
    word = _NAMED.search(text, max(0, value.start - 14), value.start)
    return word is not None and f"{word[0]}{value.text}".lower() in run.seen_text()


def _is_near(value: Value, run: Run) -> bool:
    """Whether a rough number lies within a tenth of one that was seen, also of a share told in hundredths."""
    target = float(value.norm)
    for act in run.acts:
        for other in act.output_values():
            if other.kind in ("money", "percent", "count"):
                number = float(other.norm)
                scales = (1, 100) if value.kind == "percent" and other.kind != "percent" else (1,)
                if any(abs(number * scale - target) <= abs(target) / 10 for scale in scales):
                    return True
    return False


def _is_ratio(value: Value, values: Sequence[Value]) -> bool:
    """Whether a percentage is what two numbers of the claim come to: 168 of 240 are 70 %."""
    numbers = [float(v.norm) for v in values if v.kind in ("count", "money") and float(v.norm) > 0][:8]
    places = len(value.norm.partition(".")[2])
    return any(round(100 * x / b, places) == float(value.norm) for a in numbers for b in numbers for x in (a, b - a))


def _is_share(value: Value, values: Sequence[Value], near: Sequence[Act]) -> bool:
    """Whether an amount is a share of another that the claim or a result tells, or that with the share on it or off it.

    70 % of 540 are 378; 55 with a tolerance of 10 % are 60.50.
    """
    shares = [float(v.norm) / 100 for v in values if v.kind == "percent"][:8]
    if value.kind not in ("money", "count") or not shares:
        return False
    shown = (v for act in near for v in act.output_values()[:_MAX_SHOWN])
    numbers = [float(v.norm) for v in (*values, *shown) if v.kind in ("money", "count") and v is not value]
    return any(
        round(n * s, 2) == float(value.norm) for n in numbers for share in shares for s in (share, 1 + share, 1 - share)
    )


#: Numbers of one result that a share may be of.
_MAX_SHOWN: Final = 60


def _in_place_of(value: Value, claim: FoundClaim, values: Sequence[Value], near: Sequence[Act]) -> str | None:
    """A value of the same kind in the record or line that the rest of the claim speaks of."""
    mentioned = Pool(values)
    words = stems_of(claim.text)
    for act in near:
        for text in _passages(act, words, [v for v in values if v is not value]):
            pool = [v for v in text if _alike(v, value) and _may_be_misread(value, v) and not mentioned.contains(v)]
            if pool:
                return pool[0].text
        if value.kind == "count" and (keyed := _under_its_key(value, words, act)) is not None:
            return keyed if _may_be_misread(value, Value("count", keyed, 0, 0, keyed)) else None
    return None


def _under_its_key(value: Value, words: frozenset[str], act: Act) -> str | None:
    """The one number of a record under a key that is the unit of a count, or of a small record that the claim names."""
    unit = stem(value.unit) if value.unit else ""
    for record in act.records()[:100]:
        numbers = [(key, t) for key, t in record.pairs if t.replace(".", "", 1).isdecimal() and len(t) < 12]
        own = [t for key, t in numbers if unit and unit in {stem(w) for w in key.split()}]
        if value.norm in own:
            return None
        if len(own) == 1:
            return own[0]
        named = any(len(t) < 40 and stems_of(t) and stems_of(t) <= words for _, t in record.pairs if not t.isdecimal())
        plain = value.text[:1].isdecimal() and value.unit not in DURATIONS
        if len(numbers) == 1 and len(record.pairs) <= 4 and named and plain:
            return numbers[0][1]
    return None


def _alike(other: Value, value: Value) -> bool:
    if other.kind == value.kind:
        if value.kind == "id":
            return shape(other.norm) == shape(value.norm)
        if value.kind == "count":
            if not value.unit:
                return _is_year(value) and _is_year(other)
            return bool(other.unit) and stem(other.unit) == stem(value.unit)
        if value.kind == "date":
            return len(other.norm) == len(value.norm) or value.norm.startswith("wd:") or len(other.norm) > 4
        return True
    return value.kind in ("money", "percent") and other.kind == "count" and not other.unit and "." in other.norm


#: A number that is misread stays within this factor; what lies further off was worked out, or is of something else.
_FACTOR: Final = 3.0


def _may_be_misread(value: Value, other: Value) -> bool:
    """Whether a value may stand by mistake for another: a number of about its size, or with its digits."""
    if value.norm == other.norm:
        return False
    try:
        said, shown = abs(float(value.norm)), abs(float(other.norm))
    except ValueError:
        return True
    if not said or not shown or max(said, shown) <= _FACTOR * min(said, shown):
        return True
    if value.unit[:1] == "k" and 1 / _FACTOR <= 1_000 * said / shown <= _FACTOR:
        return True  # kilos over grams
    return value.norm.strip("0.") == other.norm.strip("0.") or (value.kind == "money" and value.unit != other.unit)


def _is_year(value: Value) -> bool:
    return len(value.norm) == 4 and value.norm[:2] in ("19", "20") and not value.unit


def _passages(act: Act, words: frozenset[str], others: Sequence[Value]) -> list[list[Value]]:
    """Values of the records or lines of a result that share most with the claim."""
    from receipts_middleware.core.values import read_arguments, read_values  # noqa: PLC0415

    records = act.records()
    if records:
        scored = [(_shared(record, words, others), record) for record in records[:200]]
        top = max(score for score, _ in scored)
        if top <= 0:
            return []
        return [
            read_arguments({k.replace(" ", "_"): _number(t) for k, t in r.pairs}) for score, r in scored if score == top
        ][:3]
    lines = act.output[:20_000].splitlines() or [""]
    ranked = [(len(stems_of(line) & words), line) for line in lines[:400]]
    top = max(score for score, _ in ranked)
    return [read_values(line) for score, line in ranked if score == top and top > 0][:3]


def _shared(record: Record, words: frozenset[str], others: Sequence[Value]) -> float:
    own = stems_of(" ".join(f"{key} {text}" for key, text in record.pairs)[:2_000])
    text = " ".join(text.lower() for _, text in record.pairs)
    return len(own & words) + 2.0 * sum(v.norm.lower() in text for v in others) - 0.01 * len(record.pairs)


def _number(text: str) -> object:
    try:
        return int(text) if text.lstrip("-").isdecimal() and len(text) < 18 else float(text) if len(text) < 18 else text
    except ValueError:
        return text


#: Behind a number: it is by how much two others differ.
_DIFFERENCE: Final = pattern_of(
    r"(?: \w+)? (?:fewer|less|more|short|over|above|below|under|later|earlier)\b", re.IGNORECASE
)


def _swapped(claim: FoundClaim, values: Sequence[Value], near: Sequence[Act], run: Run) -> str | None:
    """Counts whose unit is a key of the result that holds another number, which stands under another key."""
    for value in values:
        unit = stem(value.unit) if value.kind == "count" and value.unit else ""
        if not unit or not value.norm.isdecimal() or claim.text[: value.start].rstrip().endswith((" of", " but")):
            continue  # "168 of 240 responded": what responded is told before it
        worked_out = run.seen().find(value) != "same" and is_derived(value, claim.text, run)
        if worked_out or _DIFFERENCE.match(claim.text, value.end):
            continue
        for act in near:
            for record in act.records()[:50]:
                own = [t for k, t in record.pairs if unit in {stem(w) for w in k.split()} and t.isdecimal()]
                if own and value.norm not in own and str(sum(map(int, own))) != value.norm:
                    elsewhere = [t for k, t in record.pairs if t == value.norm]
                    also = any(o in {v.norm for v in values} for o in own)
                    if elsewhere or (also and not _works_out(value, near, run)):
                        return f"{value.text}: {own[0]}"
    return None
