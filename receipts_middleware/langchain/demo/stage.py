"""One demo from beginning to end: choose the play, play it, show it, keep it.

The command line calls `run_demo` and nothing else of this folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, TextIO

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from receipts_middleware.langchain.demo.forge import (
    FAKE_LINE,
    TAG,
    judge_history,
    judge_invention,
    judge_line,
    judge_stamp,
    play_history,
    play_invention,
    play_ticket,
)
from receipts_middleware.langchain.demo.play import DemoError, Event, Run, load_model, play
from receipts_middleware.langchain.demo.script import REQUEST, TICKET_REQUEST, Telling, desk_script
from receipts_middleware.langchain.demo.show import Screen
from receipts_middleware.langchain.demo.tools import SupportDesk
from receipts_middleware.langchain.testing import ScriptedChatModel

_OPENING: Final = (
    "The support desk of a small shop. Its orders, refunds, mails and files are real; they stay in a "
    "temporary folder and on the loopback interface."
)
#: A reader may try again and again; this many times is enough for an evening.
_MAX_TRIES: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """What is to be played and how it is shown.

    Attributes:
        telling: Whether the scripted report is true.
        forge: Play the attempts to fake a receipt instead.
        model: A real chat model as `provider:name`; None for the script.
        save: Where to keep the run as JSON; None not to.
        form: `text` shows the play as it goes, `json` prints one document at the end.
        color: Use colours.
        width: Columns of the screen.
        ask: Asks the reader for a fake line and gives what was typed, empty for no more; None not to ask.
    """

    telling: Telling = "lying"
    forge: bool = False
    model: str | None = None
    save: Path | None = None
    form: Literal["text", "json"] = "text"
    color: bool = False
    width: int = 80
    ask: Callable[[str], str] | None = None


def run_demo(options: DemoOptions, out: TextIO) -> None:
    """Play the demo.

    Args:
        options: What to play.
        out: Where it is shown.

    Raises:
        DemoError: The chosen model cannot be used, or the run cannot be kept.
    """
    model = load_model(options.model) if options.model is not None else None
    screen = Screen(out, color=options.color, width=options.width) if options.form == "text" else None
    with SupportDesk() as desk:
        if options.forge:
            _forge(desk, options, screen, out)
        else:
            _report(desk, options, model, screen, out)


def _report(
    desk: SupportDesk, options: DemoOptions, model: BaseChatModel | None, screen: Screen | None, out: TextIO
) -> None:
    events: list[Event] = []
    if screen is not None:
        screen.opening(_OPENING, REQUEST)
    agent = model or ScriptedChatModel(turns=desk_script(options.telling))
    run = _play(agent, desk, options, on_event=screen.event if screen is not None else events.append)
    record = desk.record()
    if screen is None:
        body = {
            "scenario": options.model or options.telling,
            "request": REQUEST,
            "events": [asdict(event) for event in events],
            "ledger": list(run.shown),
            "record": asdict(record),
            "verification": run.verification.to_dict(),
        }
        _print_json(body, out)
    else:
        screen.ledger(run.shown)
        screen.record(record)
        screen.verification(run.verification)
        screen.note(*_what_next(options))
    _save(run, options.save)


def _play(agent: BaseChatModel, desk: SupportDesk, options: DemoOptions, *, on_event: Callable[[Event], None]) -> Run:
    try:
        return play(agent, desk.tools(), [HumanMessage(REQUEST)], on_event=on_event)
    except Exception as error:
        if options.model is None:
            raise
        # Providers have exception classes of their own for a wrong key, an unknown model, a lost connection.
        reason = str(error).strip().split("\n", 1)[0] or type(error).__name__
        raise DemoError(f"the run with {options.model} broke off: {reason}") from error


def _forge(desk: SupportDesk, options: DemoOptions, screen: Screen | None, out: TextIO) -> None:
    if screen is not None and options.ask is not None:
        _let_the_reader_try(desk, options.ask, screen)
    ticket, invention, history = play_ticket(desk, FAKE_LINE), play_invention(desk), play_history(desk)
    attempts = [
        judge_line(ticket, FAKE_LINE),
        judge_stamp(ticket),
        judge_invention(invention),
        judge_history(history, desk),
    ]
    if screen is None:
        runs = {"ticket": ticket, "invention": invention, "history": history}
        body = {
            "scenario": "forge",
            "attempts": [asdict(attempt) for attempt in attempts],
            "verifications": {name: run.verification.to_dict() for name, run in runs.items()},
        }
        _print_json(body, out)
    else:
        screen.note("Four attempts to fake a receipt, on real runs of a real agent. No refund was ever made.")
        for number, attempt in enumerate(attempts, 1):
            screen.attempt(number, attempt)
        caught = sum(attempt.caught for attempt in attempts)
        screen.note(f"{caught} of {len(attempts)} were caught.")
    _save(ticket, options.save)


def _let_the_reader_try(desk: SupportDesk, ask: Callable[[str], str], screen: Screen) -> None:
    screen.note(
        f"An agent is asked: {TICKET_REQUEST}",
        "Nothing was refunded. The last line of the ticket is yours: make the agent's report hold up.",
        f"The ledger of this conversation has the tag {TAG}; a line of it reads like this:",
        f"  {FAKE_LINE}",
    )
    for number in range(1, _MAX_TRIES + 1):
        screen.note()
        line = ask("Your line (empty for the built-in attempts)")
        if not line.strip():
            return
        run = play_ticket(desk, line)
        screen.attempt(number, judge_line(run, line))
        screen.verification(run.verification)


def _what_next(options: DemoOptions) -> list[str]:
    if options.model is not None:
        return ["The same with a script: receipts demo"]
    other = "receipts demo --honest   the same run, told as it was"
    if options.telling == "honest":
        other = "receipts demo            a report that says more than was done"
    return [
        f"Next: {other}",
        "      receipts demo --forge    try to fake a receipt",
        "      receipts demo --save run.json && receipts verify run.json",
    ]


def _save(run: Run, path: Path | None) -> None:
    if path is None:
        return
    text = json.dumps(run.to_document(), indent=1, default=str) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise DemoError(f"the run cannot be kept in {path} ({error}); give another --save") from error


def _print_json(value: object, out: TextIO) -> None:
    out.write(json.dumps(value, indent=2, default=str) + "\n")
