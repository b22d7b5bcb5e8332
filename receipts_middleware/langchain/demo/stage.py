"""One demo from beginning to end: choose the play, play it, show it, keep it.

The command line calls `run_demo` and nothing else of this folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, TextIO, TypeVar

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
from receipts_middleware.langchain.demo.team import Subagent, TeamRun, check_deepagents, play_team
from receipts_middleware.langchain.demo.team_script import TEAM_REQUEST, team_scripts
from receipts_middleware.langchain.demo.tools import SupportDesk
from receipts_middleware.langchain.testing import ScriptedChatModel

_OPENING: Final = (
    "The support desk of a small shop. Its orders, refunds, mails and files are real; they stay in a "
    "temporary folder and on the loopback interface."
)
_TEAM_OPENING: Final = (
    "The same support desk, played in deepagents: an agent hands its work to two subagents, which run side by side, "
    "and reports on what they tell it. Orders, refunds and files are real."
)
#: A reader may try again and again; this many times is enough for an evening.
_MAX_TRIES: Final = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """What is to be played and how it is shown.

    Attributes:
        telling: Whether the scripted report is true.
        forge: Play the attempts to fake a receipt instead.
        subagents: Play an agent that hands its work to two subagents instead.
        model: A real chat model as `provider:name`; None for the script.
        save: Where to keep the run as JSON; None not to.
        form: `text` shows the play as it goes, `json` prints one document at the end.
        color: Use colours.
        width: Columns of the screen.
        ask: Asks the reader for a fake line and gives what was typed, empty for no more; None not to ask.
    """

    telling: Telling = "lying"
    forge: bool = False
    subagents: bool = False
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
        DemoError: The chosen model cannot be used, deepagents is missing, or the run cannot be kept.
    """
    if options.subagents:
        check_deepagents()
    model = load_model(options.model) if options.model is not None else None
    screen = Screen(out, color=options.color, width=options.width) if options.form == "text" else None
    with SupportDesk() as desk:
        if options.forge:
            _forge(desk, options, screen, out)
        elif options.subagents:
            _team(desk, options, model, screen, out)
        else:
            _report(desk, options, model, screen, out)


def _report(
    desk: SupportDesk, options: DemoOptions, model: BaseChatModel | None, screen: Screen | None, out: TextIO
) -> None:
    events: list[Event] = []
    if screen is not None:
        screen.opening(_OPENING, REQUEST)
    agent = model or ScriptedChatModel(turns=desk_script(options.telling))
    tell = screen.event if screen is not None else events.append
    run = _played(options, lambda: play(agent, desk.tools(), [HumanMessage(REQUEST)], on_event=tell))
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


def _team(
    desk: SupportDesk, options: DemoOptions, model: BaseChatModel | None, screen: Screen | None, out: TextIO
) -> None:
    events: list[Event] = []
    scripts = team_scripts(options.telling)
    models = {name: model or ScriptedChatModel(turns=turns) for name, turns in scripts.items()}
    if screen is not None:
        screen.opening(_TEAM_OPENING, TEAM_REQUEST)
    tell, show = (screen.event, screen.subagent) if screen is not None else (events.append, _ignore)
    team = _played(options, lambda: play_team(models, desk, on_event=tell, on_subagent=show))
    record = desk.record()
    if screen is None:
        _print_json(_team_document(team, events, options) | {"record": asdict(record)}, out)
    else:
        screen.given_back(team.given)
        screen.record(record)
        screen.verification(team.run.verification)
        screen.harvest(team.harvest.children)
        screen.note(*_what_next(options))
    _save(team.run, options.save)


def _team_document(team: TeamRun, events: Sequence[Event], options: DemoOptions) -> dict[str, object]:
    return {
        "scenario": options.model or options.telling,
        "request": TEAM_REQUEST,
        "events": [asdict(event) for event in events],
        "subagents": [asdict(subagent) for subagent in team.subagents],
        "given_back": [asdict(report) for report in team.given],
        "ledger": list(team.run.shown),
        "verification": team.run.verification.to_dict(),
        "harvest": [child.to_dict() for child in team.harvest.children],
    }


def _ignore(subagent: Subagent) -> None:
    """Nobody watches; the document has it all."""


def _played(options: DemoOptions, play_it: Callable[[], T]) -> T:
    try:
        return play_it()
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
    command = "receipts demo --subagents" if options.subagents else "receipts demo"
    if options.model is not None:
        return [f"The same with a script: {command}"]
    others = [(f"{command} --honest", "the same run, told as it was")]
    if options.telling == "honest":
        others = [(command, "a report that says more than was done")]
    if not options.subagents:
        others += [
            ("receipts demo --forge", "try to fake a receipt"),
            ("receipts demo --subagents", "an agent that believes its subagents"),
        ]
    cells = max(len(other) for other, _ in others) + 3
    lines = [f"{other:<{cells}}{says}" for other, says in others]
    lines.append(f"{command} --save run.json && receipts verify run.json")
    return [("      " if place else "Next: ") + line for place, line in enumerate(lines)]


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
