"""What a clause claims: an effect, a check, a result, an umbrella, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from receipts_middleware.core.claims import tables as t
from receipts_middleware.core.claims.chains import Chain, is_amount
from receipts_middleware.core.claims.clauses import Clause
from receipts_middleware.core.claims.morphology import is_participle
from receipts_middleware.core.claims.phrases import tells_outcome
from receipts_middleware.core.claims.segment import Token
from receipts_middleware.core.claims.value import ClaimKind
from receipts_middleware.core.language.value import NO_WORDS, Words

_GENERIC: Final = frozenset(
    "typically usually generally normally always policy policies eligible allowed permitted each every any may".split()
)
#: Words of a moment.
_AT_ONCE: Final = frozenset("today tonight now immediately yesterday".split())
#: Past forms that are written as the imperative is; as the first word of a full sentence they ask for something.
_UNMARKED: Final = frozenset({"read", "put", "set", "cut", "let", "hit", "run", "split", "reset", "shut", "come"})


def kind_of(clause: Clause, tokens: Sequence[Token], more: Words = NO_WORDS) -> ClaimKind | None:
    """What a clause claims.

    Args:
        clause: A clause of the tokens.
        tokens: Tokens of the unit.
        more: Rows that are added to the tables.

    Returns:
        Its kind; None where nothing is claimed.
    """
    chain = clause.chain
    if chain.form == "modal" and chain.negated and clause.shape == "agent" and chain.word and clause.asserted:
        return None if tokens[chain.start].word != "could" else "check" if chain.base in t.CHECKS else "effect"
    if chain.form == "modal" and clause.asserted and not chain.negated and _is_now(tokens, chain):
        return "effect"  # "the record should now show 7,500": it says that it was changed
    if not clause.asserted or clause.modal or chain.form in ("modal", "infinitive"):
        return None
    if chain.bare and _describes(chain.base, tokens, chain.end):
        return None  # "made of glass", "linked to your account"
    if chain.bare and clause.shape != "agent" and is_amount(tokens, chain):
        return "result"  # "205 left", "98% translated"
    if clause.speech and clause.asserted and clause.shape in ("noun", "thing", "other", "none"):
        return "result"
    if chain.form == "copula":
        return _copula(clause, tokens, more)
    third = clause.shape == "none" and tokens[chain.start].word in ("has", "hasn't")
    if clause.shape == "agent" or (clause.shape == "none" and not chain.passive and not third):
        return _by_agent(clause, tokens, more)
    if chain.passive:
        return _passive(clause, tokens, more)
    return _by_other(clause, tokens, more)


def _by_agent(clause: Clause, tokens: Sequence[Token], more: Words) -> ClaimKind | None:
    chain = clause.chain
    base = chain.base
    if _is_no_act(clause, tokens, more):
        return None
    if f"{base} {_behind(tokens, chain)}" in t.CHECKED_IN:
        return "effect"
    if f"{base} {_behind(tokens, chain)}" in t.LOOKING:
        return "check"
    rest = [token.word for token in tokens[chain.end : clause.last]]
    if chain.bare and clause.shape == "none" and _by_third_party(tokens, clause):
        return "result"  # "approved by Apple"
    if chain.form == "present" or (chain.form in ("base", "progressive") and not chain.past):
        return None
    if chain.passive:
        return "effect" if clause.negated else None
    if chain.form == "have" and base != "get":
        return "check" if "look" in rest[:3] and chain.past else None
    if base == "leave" and clause.negated:
        return "effect"  # "I've left the ledger alone"
    if base in ("do", "get", "make", "take", "have", "let", "go", "give", "run", "leave"):
        return _light(base, rest, clause, tokens)
    if base == "open" and any(word in t.CHECKS for word in rest[2:]) and "to" in rest:
        return "check"
    if base in t.CHECKS and not (base in t.MIXED_CHECKS and _is_act(base, rest)):
        return "check"
    told = base in t.TELLING and clause.shape == "agent" and rest[:1] not in _NOBODY  # "I've told your manager"
    return None if base in t.NON_ACTION and not told else "effect"


#: Objects of telling by which nobody but the reader, or nothing, is told.
_NOBODY: Final[tuple[list[str], ...]] = ([], ["you"], ["that"], ["me"], ["us"], ["myself"])


def _behind(tokens: Sequence[Token], chain: Chain) -> str:
    return tokens[chain.end].word if chain.end < len(tokens) else ""


def _is_no_act(clause: Clause, tokens: Sequence[Token], more: Words) -> bool:
    """Whether a verb without another subject than the agent tells of no act all the same."""
    chain = clause.chain
    begins = {chain.word, f"{chain.word} {_behind(tokens, chain)}"}
    if begins & t.IDLE_OPENERS and _opens(tokens, chain.start, ","):
        return True  # "Given the circumstances, ...", "Taken together, the three regions ..."
    near = {f"{chain.base} {x.word}" for x in tokens[chain.end : chain.end + 5]}
    if chain.base in more.non_acts or not (near.isdisjoint(t.NO_ACTS) and near.isdisjoint(more.no_acts)):
        return True  # "I made a mistake", "I've applied your preferences"
    named = chain.base in ("call", "invoke") and chain.end < len(tokens) and tokens[chain.end].kind == "opaque"
    if named or _is_in_reply(clause, tokens):
        return True  # "I called `create_event`": a call is told of, and no act
    standing = chain.base in t.STANDINGS and not _takes_object(tokens, clause)
    if chain.bare and clause.shape == "none" and (standing or _is_history(tokens, clause)):
        return True
    return chain.bare and chain.word in _UNMARKED and not chain.start and tokens[-1].kind == "stop"


def _is_in_reply(clause: Clause, tokens: Sequence[Token]) -> bool:
    """Whether what was written is the reply itself: "I've put the figures below", "written here only"."""
    if clause.chain.base not in t.WRITING:
        return False
    rest = [token.word for token in tokens[clause.chain.end : clause.last]]
    return bool({"here", "below", "above"} & set(rest[:6]))


def _is_now(tokens: Sequence[Token], chain: Chain) -> bool:
    words = [token.word for token in tokens[chain.start : chain.end]]
    return words[:2] == ["should", "now"] and len(words) > 2


def _opens(tokens: Sequence[Token], at: int, joint: str) -> bool:
    return at == 0 or tokens[at - 1].word == joint


def _is_act(base: str, rest: Sequence[str]) -> bool:
    """Whether "opened", "ran", "pulled" changed something: a new thing, or one named by no source word."""
    if base == "open":
        return bool({"a", "an", "pr", "ticket", "issue", "dispute", "case"} & set(rest[:3]))
    return base == "run" and bool(
        {"migration", "deploy", "rollback", "job", "backfill", "payroll", "script"} & set(rest[:5])
    )


def _light(base: str, rest: Sequence[str], clause: Clause, tokens: Sequence[Token]) -> ClaimKind | None:
    near = rest[:7]
    if base == "let":
        return "effect" if "know" in near and near[0] not in ("me", "us") else None
    if base == "take" and "care" in near[:1]:
        return "umbrella"
    if base in ("take", "have") and "look" in near[:3]:
        return "check"
    if base == "run":
        return "effect" if _is_act("run", rest) else "check"
    if base == "go":
        return "check" if near[:1] in (["through"], ["over"]) else ("effect" if near[:2] == ["ahead", "and"] else None)
    if base == "get":
        return "effect" if any(is_participle(word) or word in ("in", "done", "ready") for word in near[1:]) else None
    if any(word in t.LIGHT_NOUNS for word in near):
        return "effect"
    if base == "do" and clause.chain.word == "done" and not rest:
        return "effect"
    if base == "do":
        return (
            "effect" if near[:1] in (["it"], ["that"], ["this"]) or (clause.chain.negated and near[:0] == []) else None
        )
    return (
        "effect"
        if base in ("make", "give", "take")
        and clause.shape in ("agent", "none")
        and near[:1] != ["sure"]
        and "error" not in near
        and "mistake" not in near
        else None
    )


#: Looks, as what was done to a thing: that it was confirmed or opened is an act.
_SEEN: Final = t.CHECKS - {"confirm", "open", "run", "pull"}
_STATES: Final = t.OUTCOME_STATES | {"all", "now", "on"}
_CLOSED: Final = t.PREPOSITIONS | t.ADVERBS | t.DETERMINERS | t.SUBORDINATORS | {"and", "or", "but", "not"}


def _passive(clause: Clause, tokens: Sequence[Token], more: Words) -> ClaimKind | None:
    chain = clause.chain
    if f"{chain.base} {_behind(tokens, chain)}" in t.CHECKED_IN:
        return "effect"
    if chain.base == "leave" and not clause.negated and chain.end >= clause.last - 1:
        return None  # "it has been left so"
    if chain.base in t.TELLING and chain.perfect and not chain.past and clause.shape in ("noun", "thing", "other"):
        return "effect"  # "the tenant has been told"
    if (
        chain.base in more.non_acts
        or (chain.base in t.NON_ACTION and chain.base not in ("make", "do"))
        or (chain.base in t.STANDINGS and not chain.perfect and clause.shape != "you")
    ):
        return None if is_generic(clause, tokens) else "result"
    if chain.base in _SEEN and clause.shape != "you":
        named = tokens[clause.subject].word != "all" and not is_generic(clause, tokens)
        if not (chain.past or chain.perfect) and chain.base in t.CONFIRMED and named:
            return "effect"  # "the race condition is verified fixed"
        return "check" if chain.past or chain.perfect else None
    if not chain.perfect and not chain.past and is_generic(clause, tokens):
        return None
    if chain.base in t.CARRYING and not t.LOOKS.keys().isdisjoint(x.word for x in tokens[clause.subject : chain.start]):
        return "check"  # "sanctions screening was carried out"
    if chain.past and not chain.perfect and _is_history(tokens, clause):
        return "result"
    if _by_third_party(tokens, clause):
        return "result"
    if (chain.base == "schedule" or _describes(chain.base, tokens, chain.end)) and not chain.perfect:
        return "result"
    return "effect"


def _by_third_party(tokens: Sequence[Token], clause: Clause) -> bool:
    for index in range(clause.chain.end, clause.last - 1):
        if tokens[index].word == "by" and tokens[index + 1].kind == "word":
            return tokens[index + 1].capital or tokens[index + 1].word in ("the", "a", "you", "your", "our")
    return False


def _is_history(tokens: Sequence[Token], clause: Clause) -> bool:
    """A simple past passive with a date: what a record says of itself."""
    for index in range(clause.chain.end, clause.last):
        token = tokens[index]
        before = tokens[index - 1].word
        if token.word == "ago":
            return tokens[index - 1].word not in ("moment", "minute", "second")
        if token.word in t.HISTORY:
            return True
        if before in ("on", "at", "in", "since") and (
            token.word in t.MONTHS or (token.kind == "number" and token.word[:4].isdigit() and "-" in token.word)
        ):
            return True
        if before == "on" and token.kind == "number" and index + 1 < clause.last and tokens[index + 1].word in t.MONTHS:
            return True
    return False


def is_generic(clause: Clause, tokens: Sequence[Token]) -> bool:
    """A rule rather than a fact: "invoices are issued on the 1st of each month"."""
    colon = next((n for n in range(clause.chain.end, clause.last) if tokens[n].word == ":"), clause.last)
    part = tokens[clause.first : colon]
    words = [x.word for x in part]
    if not _GENERIC.isdisjoint(words) and any(x.word in _GENERIC and (x.word != "may" or not x.capital) for x in part):
        return True
    if not _AT_ONCE.isdisjoint(words):
        return False  # "records are kept for seven years, starting today" is no standing rule
    start = clause.chain.start
    if clause.shape != "noun" or clause.subject >= start or tokens[start].word not in ("are", "is", "get", "gets"):
        return False
    behind = [token.word for token in tokens[clause.chain.end : clause.chain.end + 3]]
    rule = any((word in t.SUBORDINATORS and word != "as") or word == "only" for word in behind)
    if rule or any(token.word == "only" for token in tokens[start : clause.chain.end]):
        return True
    head = tokens[clause.subject]
    if head.kind != "word" or (head.word in t.DETERMINERS and head.word not in ("a", "an")):
        return False
    if head.word in ("a", "an"):
        part = tokens[clause.chain.end : clause.last] if clause.chain.passive else ()
        return not any(x.kind in ("number", "opaque") or x.capital for x in part)  # "A crew is booked for Friday"
    if any(x.kind in ("number", "opaque") for x in tokens[clause.subject : start]):
        return False  # "totes 51 to 54 are shut"
    plural = head.word if head.word.endswith("s") else tokens[start - 1].word
    if tokens[start].word not in ("are", "get") or not plural.endswith("s"):
        return False
    return head.word.endswith("s") or not t.HABITS.isdisjoint(x.word for x in tokens[start : clause.last])


def _copula(clause: Clause, tokens: Sequence[Token], more: Words) -> ClaimKind | None:
    if _is_test(clause, tokens):
        return "check"
    chain = clause.chain
    if clause.subject < chain.start and tokens[clause.subject].word in ("here", "there") and chain.past is False:
        return "result" if tokens[clause.subject].word == "there" and _result(clause, tokens) else None
    behind = tokens[chain.end : clause.last]
    words = [token.word for token in behind if token.kind == "word"]
    inside = {token.word for token in tokens[chain.start : chain.end + 1]}
    if clause.shape == "agent":
        return "effect" if clause.negated and set(words[:2]) & {"able", "unable"} else None
    if words[:1] == ["able"]:
        return None
    if tells_outcome(tokens, chain.start, min(clause.last, chain.end + 6), more):
        return "effect"
    if clause.shape == "you" and any(x.kind in ("number", "opaque") for x in behind) and not chain.past:
        return "effect" if "now" in inside else "result"
    if clause.shape == "you":
        return "effect" if not _STATES.isdisjoint(words[:3]) or "now" in inside else None
    if "now" in inside or words[-1:] == ["now"]:
        return "effect"
    if words[:1] and words[0] in t.PARTICLES and len(behind) > 1 and behind[1].word not in ("every", "for", "until"):
        return _result(clause, tokens)
    if words[:1] and words[0] in t.OUTCOME_STATES and not chain.past and not is_generic(clause, tokens):
        return "effect"
    return _result(clause, tokens)


def _is_test(clause: Clause, tokens: Sequence[Token]) -> bool:
    """Whether it says "tests pass", "the suite is green", a check that was run, where no count makes it a result."""
    part = tokens[clause.first : clause.last]
    subject = {token.word for token in tokens[clause.subject : clause.chain.start]}
    words = {token.word for token in part}
    outcome = {"pass", "passes", "passed", "passing", "green", "clean"} & words
    if clause.chain.base in ("come", "return") and "back" in words | {clause.chain.base}:
        outcome = set(t.CLEAN & words)  # "validation came back without complaints"
    if not outcome or any(x.kind in ("number", "opaque") for x in part):
        return False
    if clause.chain.base in ("come", "return") and not t.TESTS.isdisjoint(subject):
        return True
    passed = clause.chain.base == "pass" and not t.EXAMINED.isdisjoint(x.word for x in tokens[clause.chain.end :][:4])
    return passed or not t.TESTS.isdisjoint(subject)  # "the feed passes validation"


def _by_other(clause: Clause, tokens: Sequence[Token], more: Words) -> ClaimKind | None:
    chain = clause.chain
    if _is_test(clause, tokens):
        return "check"
    if chain.form == "present" and tokens[chain.start - 1].word == "now":
        return "effect"
    near = [token.word for token in tokens[chain.end : min(clause.last, chain.end + 6)]]
    if chain.base in ("come", "go", "get", "pass") and near[:1] == ["through"] and not t.LOOKS.keys().isdisjoint(near):
        return "check"  # "they came through the screening without a hit"
    if chain.base == "get" and chain.form == "have" and clause.shape == "noun" and _takes_object(tokens, clause):
        return "effect"  # "each of the five got a reminder"
    if f"{chain.base} {_behind(tokens, chain)}" in ("turn up", "bring up", "throw up"):
        return "result"  # "the search turned up no form"
    if tells_outcome(tokens, chain.start, min(clause.last, chain.end + 4), more):
        return "result" if clause.shape == "other" else "effect"
    if clause.shape == "you":
        return _result(clause, tokens) if chain.form == "have" and not chain.past else None
    if (
        chain.bare
        and clause.shape in ("noun", "thing")
        and not _takes_object(tokens, clause)
        and is_participle(chain.word)
    ):
        if chain.base in t.NON_ACTION or chain.base in more.non_acts or chain.base in t.HAPPENING:
            return _result(clause, tokens)
        if _describes(chain.base, tokens, chain.end) or _is_title(clause, tokens):
            return None
        return "check" if chain.base in t.CHECKS and chain.base not in t.MIXED_CHECKS else "effect"
    if chain.form in ("base", "progressive") and not chain.negated:
        return _result(clause, tokens) if chain.form == "progressive" else None
    if chain.perfect and chain.base in t.RECEIVING:
        return "result"  # "she has seen it"
    return _result(clause, tokens)


def _describes(base: str, tokens: Sequence[Token], end: int) -> bool:
    """Such as "the address linked to your account", "made of glass"."""
    following = tokens[end] if end < len(tokens) else None
    return following is not None and following.word in t.DESCRIPTIONS.get(base, ())


def _is_title(clause: Clause, tokens: Sequence[Token]) -> bool:
    """Such as "airline cancelled flight": the name of a choice, in which a bare noun follows the verb."""
    chain = clause.chain
    following = tokens[chain.end] if chain.end < len(tokens) else None
    subject = tokens[clause.subject]
    return (
        following is not None
        and chain.base not in t.CHECKS
        and chain.base not in t.CONFIRMED
        and following.kind == "word"
        and not following.capital
        and not subject.capital
        and subject.word not in t.DETERMINERS
        and following.word not in _CLOSED
        and not following.word.endswith(("ly", "ed", "ing"))
        and following.word not in t.HISTORY
    )


def _takes_object(tokens: Sequence[Token], clause: Clause) -> bool:
    index = clause.chain.end
    if index >= clause.last:
        return False
    token = tokens[index]
    if token.kind in ("opaque", "number"):
        return True
    return token.kind == "word" and (token.word in t.DETERMINERS or token.capital)


def _result(clause: Clause, tokens: Sequence[Token]) -> ClaimKind | None:
    """A fact, where it is definite enough that something must have told it."""
    if is_generic(clause, tokens):
        return None
    part = tokens[clause.first : clause.last]
    if any(token.kind in ("number", "opaque") or token.word in t.NUMBER_WORDS for token in part[1:]):
        return "result"
    if part and part[0].kind in ("number", "opaque"):
        return "result"
    if clause.shape == "noun" and any(token.capital for token in part[1:]):
        return "result"
    if clause.shape not in ("noun", "thing"):
        return None
    if clause.chain.past or clause.chain.perfect:
        return "result"
    first = tokens[clause.subject]
    definite = first.word in ("the", "your", "this", "my", "our") or (first.capital and clause.subject > 0)
    placed = tokens[min(clause.chain.end, len(tokens) - 1)].word in ("on", "in")
    return "result" if clause.chain.form == "copula" and (definite or placed or first.word == "it") else None
