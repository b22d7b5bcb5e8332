"""Verification of message lists: readers in front of the one judge in `core.verify`.

Here alone somebody else than the rules may be asked (`extractor`): what it reads is handed to the judge as data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Protocol

from receipts_middleware.core.attested import Under
from receipts_middleware.core.confirmation import MAX_CONFIRMATIONS, Confirmation
from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.finding import Verification
from receipts_middleware.core.ledger import Entry, Ledger
from receipts_middleware.core.policy import Policy
from receipts_middleware.core.toolspec import ToolSpec
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.core.turn import Turn
from receipts_middleware.core.verify import judge_turn, last_turn, read_turns
from receipts_middleware.core.verify import verify as judge_given
from receipts_middleware.readers import read_transcript

if TYPE_CHECKING:  # what only a run with a sink, a key or an extractor needs is imported there
    from receipts_middleware.core.executed import Recorded, SinkReader
    from receipts_middleware.core.suspicion import Suspicion
    from receipts_middleware.signing import Keys


class ClaimExtractor(Protocol):
    """Whoever reads claims beside the rules, for example `receipts_middleware.LLMExtractor`. What it says is untrusted.

    It is given a reply and the tools of the run, never an argument or a result.
    """

    def extract(self, reply: str, tools: Sequence[ToolSpec]) -> Iterable[Suspicion]:
        """Spans of the reply that may claim something."""

    async def aextract(self, reply: str, tools: Sequence[ToolSpec]) -> Iterable[Suspicion]:
        """The same, awaited."""


def verify_messages(
    messages: object,
    *,
    tools: Iterable[object] | None = None,
    policy: Policy | None = None,
    signing_key: Keys | None = None,
    extractor: ClaimExtractor | None = None,
    llm_blocks: bool = False,
    sink: SinkReader | str | PathLike[str] | None = None,
    thread: str | None = None,
    run: str | None = None,
    confirmations: Iterable[object] = (),
) -> Verification:
    """Verify the last reply of a run.

    Args:
        messages: LangChain messages (objects or dicts), an OpenAI chat list, Anthropic messages, OpenAI Responses
            items, Gemini contents or Bedrock Converse messages (dicts or objects), a state, result or request that
            holds them, or a `Transcript`. Untrusted.
        tools: Tools that the agent had: names, pairs of name and description, provider dicts or tool objects. Where
            not given, those that the run itself recorded.
        policy: What is said of the tools and of the run, for example by `load_policy("receipts.toml")`. No file is
            read unasked.
        signing_key: The key that the middleware signs with: bytes, a key of `receipts_middleware.signing`, or several.
            A call that none of them signed counts as `no_result` and its citation as `unknown`; `trust` says what
            holds. Without it nothing is checked, and `trust` says that.
        extractor: Asked for claims that the rules do not find, once. It can add claims with the status `suspected`
            and change nothing that the rules say.
        llm_blocks: A suspected claim is an error and makes the run `overstated`; otherwise it is a warning.
        sink: Ledger outside of the messages: a sink, its path, or `postgresql://...`. Where it has a call its record
            counts; a call that only the messages show counts as `no_result`. `trust["sink"]` says what was compared.
        thread: Thread of the run, in the sink and under a key, where records of another count as none. Where not given,
            the receipts on the messages find it.
        run: Run in the sink, where it belongs to no thread.
        confirmations: What `confirm` gave for calls of the run, where neither state nor sink keeps it: `Confirmation`s
            or plain objects. Under a key one must have signed them; with a sink and without a key they count as none.

    Returns:
        The verification of the last assistant message with text after the last user message.

    Raises:
        FormatError: The input cannot be read as messages at all.
        UsageError: `policy` is no policy, `signing_key` is no key, or `extractor` cannot be asked.
        ReceiptsError: The sink cannot be read.
    """
    turn = last_turn(
        _as_transcript(messages, tools, confirmations), policy=policy, under=under_keys(signing_key, thread or "")
    )
    if sink is not None:
        [turn] = _with_recorded([turn], _fetch(_reader(sink), turn.ledger, thread, run))
    return judge_turn(_asked(turn, extractor, llm_blocks=llm_blocks))


async def averify_messages(
    messages: object,
    *,
    tools: Iterable[object] | None = None,
    policy: Policy | None = None,
    signing_key: Keys | None = None,
    extractor: ClaimExtractor | None = None,
    llm_blocks: bool = False,
    sink: SinkReader | str | PathLike[str] | None = None,
    thread: str | None = None,
    run: str | None = None,
    confirmations: Iterable[object] = (),
) -> Verification:
    """Verify the last reply of a run, and wait for the extractor without blocking the loop.

    Args:
        messages: As for `verify_messages`.
        tools: As for `verify_messages`.
        policy: As for `verify_messages`.
        signing_key: As for `verify_messages`.
        extractor: As for `verify_messages`; its `aextract` is awaited.
        llm_blocks: As for `verify_messages`.
        sink: As for `verify_messages`.
        thread: As for `verify_messages`.
        run: As for `verify_messages`.
        confirmations: As for `verify_messages`.

    Returns:
        As `verify_messages`.

    Raises:
        FormatError: The input cannot be read as messages at all.
        UsageError: `policy` is no policy, `signing_key` is no key, or `extractor` cannot be asked.
        ReceiptsError: The sink cannot be read.
    """
    turn = last_turn(
        _as_transcript(messages, tools, confirmations), policy=policy, under=under_keys(signing_key, thread or "")
    )
    if sink is not None:
        [turn] = _with_recorded([turn], await _afetch(_reader(sink), turn.ledger, thread, run))
    return judge_turn(await _aasked(turn, extractor, llm_blocks=llm_blocks))


def verify_turns(
    messages: object,
    *,
    tools: Iterable[object] | None = None,
    policy: Policy | None = None,
    signing_key: Keys | None = None,
    extractor: ClaimExtractor | None = None,
    llm_blocks: bool = False,
    sink: SinkReader | str | PathLike[str] | None = None,
    thread: str | None = None,
    run: str | None = None,
    confirmations: Iterable[object] = (),
) -> list[Verification]:
    """Verify every reply of a run, each against what was known up to it.

    Args:
        messages: As for `verify_messages`.
        tools: As for `verify_messages`.
        policy: As for `verify_messages`.
        signing_key: As for `verify_messages`.
        extractor: As for `verify_messages`; asked once for each reply.
        llm_blocks: As for `verify_messages`.
        sink: As for `verify_messages`.
        thread: As for `verify_messages`.
        run: As for `verify_messages`.
        confirmations: As for `verify_messages`.

    Returns:
        One verification for each assistant message with text, in order. A message whose own calls are still
        unanswered comes once they are answered, so appending messages never changes an earlier verification (where
        the extractor, if there is one, says the same again).

    Raises:
        FormatError: The input cannot be read as messages at all.
        UsageError: `policy` is no policy, `signing_key` is no key, or `extractor` cannot be asked.
        ReceiptsError: The sink cannot be read.
    """
    turns: Iterable[Turn] = read_turns(
        _as_transcript(messages, tools, confirmations), policy=policy, under=under_keys(signing_key, thread or "")
    )
    if sink is not None:
        held = list(turns)
        recorded = _fetch(_reader(sink), held[-1].ledger if held else (), thread, run)
        turns = _with_recorded(held, recorded, later=False)
    return [judge_turn(_asked(turn, extractor, llm_blocks=llm_blocks)) for turn in turns]


async def averify_turns(
    messages: object,
    *,
    tools: Iterable[object] | None = None,
    policy: Policy | None = None,
    signing_key: Keys | None = None,
    extractor: ClaimExtractor | None = None,
    llm_blocks: bool = False,
    sink: SinkReader | str | PathLike[str] | None = None,
    thread: str | None = None,
    run: str | None = None,
    confirmations: Iterable[object] = (),
) -> list[Verification]:
    """Verify every reply of a run, and wait for the extractor without blocking the loop, one reply after another.

    Args:
        messages: As for `verify_messages`.
        tools: As for `verify_messages`.
        policy: As for `verify_messages`.
        signing_key: As for `verify_messages`.
        extractor: As for `verify_messages`; its `aextract` is awaited once for each reply.
        llm_blocks: As for `verify_messages`.
        sink: As for `verify_messages`.
        thread: As for `verify_messages`.
        run: As for `verify_messages`.
        confirmations: As for `verify_messages`.

    Returns:
        As `verify_turns`.

    Raises:
        FormatError: The input cannot be read as messages at all.
        UsageError: `policy` is no policy, `signing_key` is no key, or `extractor` cannot be asked.
        ReceiptsError: The sink cannot be read.
    """
    turns: Iterable[Turn] = read_turns(
        _as_transcript(messages, tools, confirmations), policy=policy, under=under_keys(signing_key, thread or "")
    )
    if sink is not None:
        held = list(turns)
        recorded = await _afetch(_reader(sink), held[-1].ledger if held else (), thread, run)
        turns = _with_recorded(held, recorded, later=False)
    return [judge_turn(await _aasked(turn, extractor, llm_blocks=llm_blocks)) for turn in turns]


def verify(
    reply: str,
    ledger: Ledger | Iterable[Mapping[str, object]],
    *,
    tools: Iterable[object] | None = None,
    shown: Iterable[int] | None = None,
    policy: Policy | None = None,
    signing_key: Keys | None = None,
    thread: str | None = None,
    confirmations: Iterable[object] = (),
) -> Verification:
    """Verify a reply against a ledger.

    Args:
        reply: The text to judge. Untrusted.
        ledger: The receipts as of the reply: a `Ledger`, receipts as plain objects, or short rows
            `{"id": "r1", "tool": ..., "outcome": ...}` of a caller's own log. Rows without a number are numbered in
            order. An unknown outcome counts as `success`.
        tools: Tools of the run: names, pairs of name and description, provider dicts or tool objects.
        shown: Numbers that the writer of the reply was shown; everything where not given.
        policy: What is said of the tools and of the run.
        signing_key: As for `verify_messages`; a receipt that none of the keys signed counts as `no_result`.
        thread: As for `verify_messages`.
        confirmations: As for `verify_messages`.

    Returns:
        The verification. `trust` says that the ledger was given by the caller.

    Raises:
        UsageError: A row is not an object, or two rows have one number, or `policy` or `signing_key` is none.
    """
    under = under_keys(signing_key, thread or "")
    return judge_given(reply, ledger, tools=tools, shown=shown, policy=policy, under=under, confirmations=confirmations)


def under_keys(signing_key: Keys | None, thread: str = "") -> Under | None:
    """What a verification holds a run against; None where no key was given."""
    if signing_key is None:
        return None
    from receipts_middleware.signing import as_keyring  # noqa: PLC0415 - most runs have no key

    return Under(as_keyring(signing_key), thread)


def _as_transcript(
    messages: object, tools: Iterable[object] | None, confirmations: Iterable[object] = ()
) -> Transcript:
    found = messages if isinstance(messages, Transcript) and tools is None else read_transcript(messages, tools=tools)
    single = isinstance(confirmations, Confirmation | Mapping)
    more = (confirmations,) if single else tuple(islice(confirmations, MAX_CONFIRMATIONS))
    return replace(found, confirmations=(*found.confirmations, *more)) if more else found


def _reader(sink: SinkReader | str | PathLike[str]) -> SinkReader:
    """The sink that was given, opened where it is a path or URL."""
    if isinstance(sink, str | PathLike):
        from receipts_middleware.store import open_sink  # noqa: PLC0415 - only who has a sink waits for its libraries

        return open_sink(sink)
    if isinstance(sink, type) or not callable(getattr(sink, "read", None)):
        raise UsageError("sink is a sink of receipts_middleware.store, a path, or a URL postgresql://...")
    return sink


def _fetch(sink: SinkReader, ledger: Iterable[Entry], thread: str | None, run: str | None) -> Recorded:
    """What the sink holds of a run."""
    from receipts_middleware.core.executed import fetch  # noqa: PLC0415 - most runs have no sink

    return fetch(sink, ledger, thread=thread, run=run)


def _with_recorded(turns: Sequence[Turn], recorded: Recorded, *, later: bool = True) -> list[Turn]:
    """Turns held against what the sink holds."""
    from receipts_middleware.core.witness import with_recorded  # noqa: PLC0415 - most runs have no sink

    return [with_recorded(turn, recorded, later=later) for turn in turns]


async def _afetch(sink: SinkReader, ledger: Iterable[Entry], thread: str | None, run: str | None) -> Recorded:
    """What the sink holds, read in a thread, so that the event loop goes on."""
    import asyncio  # noqa: PLC0415 - loading it takes longer than all of this package

    return await asyncio.to_thread(_fetch, sink, ledger, thread, run)


def _asked(turn: Turn, extractor: ClaimExtractor | None, *, llm_blocks: bool) -> Turn:
    if extractor is None:
        return turn
    _check(extractor, "extract")
    listed = _listed(turn)
    return _with(
        turn, listed, extractor.extract(turn.reply, listed) if turn.reply.strip() else (), llm_blocks=llm_blocks
    )


async def _aasked(turn: Turn, extractor: ClaimExtractor | None, *, llm_blocks: bool) -> Turn:
    if extractor is None:
        return turn
    _check(extractor, "aextract")
    listed = _listed(turn)
    return _with(
        turn, listed, await extractor.aextract(turn.reply, listed) if turn.reply.strip() else (), llm_blocks=llm_blocks
    )


def _check(extractor: object, name: str) -> None:
    if isinstance(extractor, type) or not callable(getattr(extractor, name, None)):
        raise UsageError(f"extractor has no {name}(reply, tools); wrap a model: extractor=LLMExtractor(model)")


def _listed(turn: Turn) -> Sequence[ToolSpec]:
    """Tools of a run: those that were listed, and those that were only called."""
    tools = turn.policy.with_known(turn.tools)
    names = {spec.name for spec in tools}
    called = dict.fromkeys(entry.tool for entry in turn.ledger if entry.tool not in names)
    return (*tools, *(ToolSpec(name) for name in called if name))


def _with(turn: Turn, listed: Sequence[ToolSpec], said: Iterable[Suspicion], *, llm_blocks: bool) -> Turn:
    """The turn with what an extractor said of it, held to the guards whoever it is."""
    from receipts_middleware.core.suspicion import read_suspicions  # noqa: PLC0415 - most runs have no extractor

    held = read_suspicions(turn.reply, ((s.text, s.tools) for s in said), listed)
    return replace(turn, suspicions=held, suspicions_block=llm_blocks)
