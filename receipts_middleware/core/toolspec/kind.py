"""What kind of tool a name and a description speak of.

Asked in this order, the first that answers decides: hints of the tool's author (MCP annotations), shells, the
verb in the name, the verb that leads the description, and words that are verbs only by their place. Looking is a
closed class of verbs; an unknown verb that takes an object acts. Where nothing answers the kind is `unknown`,
which accuses nobody: such a tool may back an effect and is never listed as unreported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from receipts_middleware.core.lexicon.verbs import (
    ACTING_VERBS,
    AMBIGUOUS_VERBS,
    COMMAND_LINE_PROGRAMS,
    DELEGATION_WORDS,
    DESCRIPTION_FILLERS,
    DETERMINERS,
    EITHER_VERBS,
    HTTP_METHOD_KINDS,
    INTERFACE_NOUNS,
    LAST_WORDS_THAT_LOOK,
    LOOKED_AT_WHEN_OPENED,
    LOOKED_AT_WHEN_RUN,
    LOOKS_THAT_ARE_NOUNS,
    NOUNS_WHEN_LAST,
    OWN_NOTES,
    PHRASAL_ACTS,
    READING_HEADS,
    READING_NOUNS,
    READING_VERBS,
    RUN_IN_A_SHELL,
    RUN_VERBS,
    SAYING_VERBS,
    SHELL_NAMES,
    THOUGHTS,
    WEAK_READING_VERBS,
)
from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.toolspec.spec import ToolKind

#: A longer name is no name; what follows decides nothing, and reading stays linear.
MAX_NAME = 256
#: The leading verb stands in the first sentence; longer descriptions are manuals.
MAX_LEAD = 400

#: `mcp__server__tool`, as hosts of MCP servers name their tools.
MCP_PREFIX: Final = pattern_of(r"mcp__.{1,100}?__(?=.)")
_CAMEL: Final = pattern_of(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\dA-Z_]+\d*|[A-Z]+\d*|\d+")
_WORD: Final = pattern_of(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|/\S*|\d+")
_SENTENCE_END: Final = pattern_of(r"[.!?](?:\s|$)|\n\s*\n")


def name_tokens(name: str) -> tuple[str, ...]:
    """Words of a tool name in lower case, without an `mcp__server__` prefix.

    Args:
        name: Name of a tool: snake, kebab, dotted or camel case. Untrusted.

    Returns:
        The words in order, for example `("create", "pull", "request")`.
    """
    return _name_tokens(name[:MAX_NAME])


@lru_cache(maxsize=1_024)
def _name_tokens(name: str) -> tuple[str, ...]:
    short = MCP_PREFIX.sub("", name, count=1) if name.startswith("mcp__") else name
    return tuple(token.lower() for token in _CAMEL.findall(short.replace("_", " ")))


def kind_of(name: str, description: str = "", annotations: object = None) -> ToolKind:
    """Say whether a tool acts, looks, may do either in a shell, or cannot be told.

    Args:
        name: As bound. Untrusted.
        description: As bound; may be empty. Untrusted.
        annotations: MCP annotations as a mapping or an object: `readOnlyHint`, `destructiveHint`. Hints of
            the tool's author, believed before the name.

    Returns:
        The kind. Never raises.
    """
    return _kind_of(name[:MAX_NAME], description[:MAX_LEAD], _hinted(annotations))


@lru_cache(maxsize=2_048)  # an agent keeps its tools from run to run
def _kind_of(name: str, description: str, hint: ToolKind | None) -> ToolKind:
    tokens = name_tokens(name)
    lead = _lead_words(description)
    if hint == "reading":
        return "reading"
    if _is_shell(tokens, lead):
        return "shell"
    if hint is not None:
        return hint
    if _cannot_be_told(tokens, lead):
        return "unknown"
    return _by_both(tokens, lead) or by_verb(tokens) or _by_description(tokens, lead) or _by_place(tokens) or "unknown"


def _hinted(annotations: object) -> ToolKind | None:
    """`readOnlyHint` decides; `destructiveHint` has meaning only where it is true (MCP 2025-06-18, tool hints)."""
    read_only, destructive = (_hint(annotations, name) for name in ("readOnlyHint", "destructiveHint"))
    if read_only is True:
        return "reading"
    return "acting" if read_only is False or destructive is True else None


def _hint(annotations: object, name: str) -> object:
    return annotations.get(name) if isinstance(annotations, Mapping) else getattr(annotations, name, None)


def _is_shell(tokens: tuple[str, ...], lead: tuple[str, ...]) -> bool:
    if len(tokens) == 1 and tokens[0] in COMMAND_LINE_PROGRAMS:
        return True
    if len(tokens) > 1 and tokens[-1] in READING_NOUNS:
        return False
    verbs = (
        {token for token in tokens if token in ACTING_VERBS or token in READING_VERBS}
        - RUN_VERBS
        - {"query", "evaluate"}
    )
    if verbs:
        return False
    if SHELL_NAMES.intersection(tokens):
        return True
    runs = (RUN_VERBS | {"evaluate", "eval"}).intersection(tokens)
    if runs and RUN_IN_A_SHELL.intersection(tokens):
        return True
    return bool(lead) and _base_in(lead[0], RUN_VERBS) and bool(RUN_IN_A_SHELL.intersection(lead[1:5]))


def is_thought(tool: str) -> bool:
    """Whether a tool only writes down what the agent thinks, so that a call of it shows nothing of the world.

    Args:
        tool: Name as bound. Untrusted.
    """
    return "".join(name_tokens(tool)) in THOUGHTS


def _cannot_be_told(tokens: tuple[str, ...], lead: tuple[str, ...]) -> bool:
    """Subagents do whatever their calls do; own notes are no act that anybody reports; interfaces do either."""
    if DELEGATION_WORDS.intersection(tokens) or DELEGATION_WORDS.intersection(lead):
        return True
    if "".join(tokens) in OWN_NOTES:
        return True
    if tokens[-1:] == ("request",) and INTERFACE_NOUNS.intersection(tokens[:-1]):
        return True
    return by_verb(tokens) is None and bool(INTERFACE_NOUNS.intersection(lead[:6]))


def _by_both(tokens: tuple[str, ...], lead: tuple[str, ...]) -> ToolKind | None:
    """What the verb of the description says, where the name has it too or names no act of looking by its first word.

    `archive_search` ("Search the archive") looks and `book_visit` ("Book a visit") acts: which word of the name is the
    verb, the description tells.
    """
    if not lead or not tokens or lead[0].endswith("ing") or lead[0].isupper():
        return None
    if tokens[:2] in PHRASAL_ACTS:
        return "acting"
    verb = next((base for base in _bases(lead[0].lower()) if _is_verb(base)), None)
    rest = lead[1:]
    if verb is None or verb in RUN_VERBS | EITHER_VERBS | _BY_OBJECT:
        return None
    if verb in tokens and verb in AMBIGUOUS_VERBS - SAYING_VERBS and rest and rest[0] in DETERMINERS:
        return "acting"  # `visit_log`: "Log a visit"
    if _names_a_look(tokens) or _is_thing(lead, verb, tokens):
        return None
    if verb in tokens and verb in READING_VERBS | WEAK_READING_VERBS:
        return None if _looks_and_acts(rest) or _looks_and_acts(tokens) else "reading"
    first = tokens[0] in READING_VERBS or (tokens[0] in WEAK_READING_VERBS and verb in AMBIGUOUS_VERBS | SAYING_VERBS)
    looks = verb in SAYING_VERBS or not rest or rest[0] in READING_NOUNS or rest[0] == "of"
    if first or verb not in ACTING_VERBS | AMBIGUOUS_VERBS or (looks and verb not in tokens[:1]) or rest[:1] == ("of",):
        return None
    if verb in AMBIGUOUS_VERBS and verb not in tokens and rest[0] not in DETERMINERS and not _looks_by_noun(tokens):
        return None  # "Order lines of a customer"
    return "acting" if verb in ACTING_VERBS or verb not in tokens or tokens[0] == verb else None


#: Verbs of which the object says whether they act: read with the description as a whole.
_BY_OBJECT: Final = frozenset({"confirm", "open"})


def _is_thing(lead: tuple[str, ...], verb: str, tokens: tuple[str, ...]) -> bool:
    """Whether a description begins with a noun that is a verb as well: "Feed pump status", "Doses given"."""
    rest = lead[1:]
    if verb not in AMBIGUOUS_VERBS or (rest and rest[0] in DETERMINERS):
        return False
    if lead[0].lower() != verb:
        return True
    if (
        len(rest) > 1
        and verb not in tokens
        and rest[-1].endswith("ed")
        and not any(word in DETERMINERS for word in rest)
    ):
        return True  # "Order confirmations received"
    named = rest[:1] == tokens[1:2] and "of" in rest[1:3]  # `rent_roll`: "Rent roll of a building"
    return named or (bool(rest) and rest[-1] in READING_NOUNS)


def _names_a_look(tokens: tuple[str, ...]) -> bool:
    """Whether the last words of a name say that it looks, whatever comes before: `order_status`, `merge_dry_run`."""
    if len(tokens) < 2:
        return False
    return (
        tokens[-1] in LAST_WORDS_THAT_LOOK
        or tokens[-2:] == ("dry", "run")
        or (tokens[-1] in READING_HEADS and tokens[0] not in ACTING_VERBS)
    )


def _looks_by_noun(tokens: tuple[str, ...]) -> bool:
    return any(token in READING_VERBS for token in tokens[1:])


def by_verb(tokens: tuple[str, ...]) -> ToolKind | None:
    """What the leftmost word says that is nothing but a verb.

    Args:
        tokens: Words of a name, as `name_tokens` gives them.

    Returns:
        Acting or reading; None where no such verb stands in the name.
    """
    if len(tokens) > 1 and (tokens[-1] in LAST_WORDS_THAT_LOOK or tokens[-2:] == ("dry", "run")):
        return "reading"
    for at, word in enumerate(tokens):
        following = tokens[at + 1 : at + 2]
        if (word, *following) in PHRASAL_ACTS:
            return "acting"
        if word in RUN_VERBS and LOOKED_AT_WHEN_RUN.intersection(tokens[at + 1 :]):
            return "reading"
        if word in ACTING_VERBS:
            return "acting"
        if word in READING_VERBS:
            if at and word in LOOKS_THAT_ARE_NOUNS and tokens[0] in AMBIGUOUS_VERBS:
                return "acting"  # `book_visit`
            if at and word == "list" and by_verb(tokens[at + 1 :]) is not None:
                continue  # `mailing_list_add`: the list is a thing
            return "acting" if _looks_and_acts(tokens[at + 1 :]) else "reading"
    return None


def _looks_and_acts(rest: tuple[str, ...]) -> bool:
    """`find_and_replace`, `get_or_create`, `search_replace`: the act is what matters."""
    if rest[:1] and rest[0] in ACTING_VERBS and rest[0] in {"replace", "update", "create", "delete", "remove"}:
        return True
    return any(word in {"and", "or"} and after in ACTING_VERBS for word, after in pairwise(rest))


def _by_description(tokens: tuple[str, ...], lead: tuple[str, ...]) -> ToolKind | None:
    if not lead:
        return None
    if lead[0].isupper() and lead[1:2] and lead[1].startswith("/"):
        return HTTP_METHOD_KINDS.get(lead[0])
    verb = next((base for base in _bases(lead[0].lower()) if _is_verb(base)), None)
    rest = lead[1:]
    if verb is not None and _is_thing(lead, verb, tokens):
        return "reading" if lead[0].lower() == verb or READING_NOUNS.intersection(rest) else None
    if verb is None:
        return "acting" if rest and rest[0] in DETERMINERS else None
    if verb in RUN_VERBS:
        return "reading" if LOOKED_AT_WHEN_RUN.intersection(rest[:5]) else "acting"
    if verb in EITHER_VERBS:
        return "unknown"
    if verb in SAYING_VERBS and verb not in tokens:
        return "reading"
    if verb == "confirm" and READING_NOUNS.intersection(rest[:4]):
        return "reading"
    if verb == "open":
        return "reading" if LOOKED_AT_WHEN_OPENED.intersection(rest[:3]) else "acting"
    if verb in READING_VERBS or verb in WEAK_READING_VERBS:
        return "unknown" if _looks_and_acts(rest) else "reading"
    if verb in AMBIGUOUS_VERBS and verb not in tokens and rest and (rest[0] in READING_NOUNS or rest[0] == "of"):
        return "reading"
    return "acting"


def leads_with_reading(description: str) -> bool:
    """Whether a description begins with looking: "View and edit files".

    Args:
        description: Untrusted.
    """
    return _leads_with_reading(description[:MAX_LEAD])


@lru_cache(maxsize=1_024)  # asked of the same few tools for every call of a run
def _leads_with_reading(head: str) -> bool:
    lead = _lead_words(head)
    return any(_base_in(word, READING_VERBS) for at, word in enumerate(lead) if at < 2 or word.endswith("ing"))


def _by_place(tokens: tuple[str, ...]) -> ToolKind | None:
    """Nothing but the name, and no clear verb in it."""
    if not tokens:
        return None
    first, last = tokens[0], tokens[-1]
    if first == "open" or (last == "open" and len(tokens) > 1):
        return "reading" if LOOKED_AT_WHEN_OPENED.intersection(tokens) else "acting"
    if last in (READING_HEADS if first in AMBIGUOUS_VERBS else READING_NOUNS):
        return "reading"
    if len(tokens) > 1 and first in AMBIGUOUS_VERBS:
        return "acting"
    if any(token in WEAK_READING_VERBS for token in tokens):
        return "reading"
    acts = any(word in AMBIGUOUS_VERBS and word not in NOUNS_WHEN_LAST for word in tokens[1:])
    return "acting" if acts else None


def _lead_words(description: str) -> tuple[str, ...]:
    """Words of the first sentence from its verb on, at most twelve; the first keeps its case."""
    head = description[:MAX_LEAD]
    end = _SENTENCE_END.search(head)
    words = _WORD.findall(head[: end.start()] if end else head)
    skipped = 0
    while skipped < len(words) and words[skipped].lower() in DESCRIPTION_FILLERS:
        skipped += 1
    rest = words[skipped : skipped + 12]
    return (rest[0], *(word.lower() for word in rest[1:])) if rest else ()


def _is_verb(word: str) -> bool:
    return any(
        word in table
        for table in (
            READING_VERBS,
            ACTING_VERBS,
            WEAK_READING_VERBS,
            AMBIGUOUS_VERBS,
            SAYING_VERBS,
            RUN_VERBS,
            EITHER_VERBS,
        )
    )


def _base_in(word: str, table: frozenset[str]) -> bool:
    return any(base in table for base in _bases(word.lower()))


def _bases(word: str) -> Iterator[str]:
    """The word and the base forms that it may be an `-s` or `-ing` form of."""
    yield word
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s"):
        yield word[:-1]
    if word.endswith("ing") and len(word) > 5:
        stem = word[:-3]
        yield stem
        yield stem + "e"
        if stem[-1] == stem[-2]:
            yield stem[:-1]
