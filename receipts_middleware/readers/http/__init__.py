"""Reader of recorded HTTP exchanges with models: VCR cassettes, and lists of pairs of request and response.

`cassette` takes a document apart into exchanges, `bodies` makes values of their bodies, `stream` puts a streamed
response together, `dialects` knows whose request it is, `join` makes conversations of exchanges.
"""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.transcript import Transcript
from receipts_middleware.readers.http.cassette import is_cassette, read_exchanges
from receipts_middleware.readers.http.dialects import speak
from receipts_middleware.readers.http.join import Spoken, join
from receipts_middleware.readers.native import Skipped, make_transcript

__all__ = ["NAME", "read", "recognise"]

NAME: Final = "http_exchanges"


def recognise(value: object) -> bool:
    """Whether a value is a recording of exchanges.

    Args:
        value: A parsed cassette, a list of pairs, one pair, or the text of a YAML cassette. Untrusted; only its
            beginning is looked at.
    """
    return is_cassette(value)


def read(value: object) -> list[Transcript]:
    """Read the conversations of a recording: each is its longest request with its response.

    Args:
        value: As for `recognise`. Untrusted.

    Returns:
        The conversations in the order in which they begin. Exchanges that are with no model are counted in
        `meta["other_exchanges"]`.

    Raises:
        FormatError: No exchange with a model could be read.
    """
    skipped = Skipped()
    spoken: list[Spoken] = []
    others = 0
    for exchange in read_exchanges(value, skipped):
        said = speak(exchange)
        if said is None:
            others += 1
        else:
            spoken.append(said)
    conversations = [conversation for conversation in join(spoken) if conversation.messages]
    if not conversations:
        raise FormatError(f"{skipped.first or '/'}: no exchange of the recording is with a model that is known here")
    found: list[Transcript] = []
    for conversation in conversations:
        about = [{"source": conversation.dialect, "model": conversation.model}]
        told = "" if found else skipped.told()
        made = make_transcript(conversation.messages, NAME, tools=conversation.tools, about=about, skipped=told)
        found.append(made)
    if others:
        meta = {**(found[0].meta or {}), "other_exchanges": str(others)}
        first = found[0]
        found[0] = Transcript(first.messages, first.tools, first.source, meta)
    return found
