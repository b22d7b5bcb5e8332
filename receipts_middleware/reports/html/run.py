"""One run: its line in the list, the conversation with the judged replies, and its receipts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from receipts_middleware.core.finding import Finding, Verification
from receipts_middleware.core.ledger import Entry
from receipts_middleware.core.rules import VERDICT_ORDER
from receipts_middleware.core.transcript import Message
from receipts_middleware.reports.html.markup import Child, Html, data_block, element, join, shown
from receipts_middleware.reports.html.receipts import (
    Cards,
    choose_cards,
    cut_block,
    grades_of,
    plain_text,
    render_cards,
)
from receipts_middleware.reports.html.reply import judged_reply
from receipts_middleware.reports.runs import RunResult
from receipts_middleware.reports.text.runs import run_counts
from receipts_middleware.reports.text.sections import VERDICT_STYLES, count_of, spoken_of

#: Messages of one run that a page shows; judged replies come first, then the last of the others.
MAX_MESSAGES: Final = 200
#: Characters of a message that is not judged, of the arguments of a call, and of a result.
MAX_TEXT: Final = 4_000
MAX_ARGUMENTS: Final = 1_000
MAX_RESULT: Final = 2_000
_MAX_NAME: Final = 200
#: Tools by which the findings of one run are counted.
MAX_TOOLS: Final = 200
NO_TOOL: Final = "(no tool)"
_EMPTY: Final = {
    "pending": "The run ends on a call without a result; there is no reply to judge.",
    "empty": "The run holds no reply.",
}


def run_section(run: RunResult) -> Html:
    """A run as a closed `details` element: its summary is its line in the list.

    Args:
        run: The run. Its texts are untrusted.
    """
    found = run.verifications
    identity = run_identity(run)
    worst = max((v.verdict for v in found), key=VERDICT_ORDER.index, default="nothing_checked")
    stops = any(v.stop_ship for v in found)
    rules = sorted({finding.rule for v in found for finding in v.findings})
    tools = sorted({tool for v in found for finding in v.findings for tool in _tools_of(finding, v)})
    spoken = {receipt for v in found for receipt in spoken_of(v)}
    cards = choose_cards(found[-1].ledger if found else (), run=identity, spoken_of=spoken)
    facts = {"verdict": worst, "stop_ship": stops, "rules": rules, "tools": [shown(tool) for tool in tools]}
    parts: list[Child] = [
        _summary(run, worst, stops=stops),
        data_block(facts, kind="facts"),
        element("p", {"class": "meta"}, _read_words(run)),
        element("ol", {"class": "conversation"}, _conversation(run, cards)),
    ]
    if found:
        grades = grades_of(found[-1], run.transcript.tools if run.transcript is not None else (), run.policy)
        parts += [render_cards(cards, grades), _trust(found[-1])]
    return element("details", {"class": "run", "id": identity, "data-verdict": worst}, parts)


def opened(section: str) -> str:
    """The markup of a run, open."""
    return section.replace("<details", "<details open", 1)


def counts_of_run(run: RunResult) -> dict[str, list[tuple[str, str, int]]]:
    """Findings of a run by rule and by tool: name, severity and number each. Names are untrusted."""
    rules: Counter[tuple[str, str]] = Counter()
    tools: Counter[tuple[str, str]] = Counter()
    for v in run.verifications:
        for finding in v.findings:
            rules[finding.rule, finding.severity] += 1
            tools.update((shown(tool), finding.severity) for tool in _tools_of(finding, v))
    return {
        "rules": [(*key, number) for key, number in rules.items()],
        "tools": [(*key, number) for key, number in tools.most_common(MAX_TOOLS)],
    }


def _tools_of(finding: Finding, v: Verification) -> set[str]:
    """Tools that a finding is about: those of its receipts, else those that could have done what its claim says."""
    names = {entry.id: entry.tool for entry in v.ledger}
    found = {names[receipt] for receipt in finding.receipts if receipt in names}
    if not found and finding.start is not None:
        span = (finding.start, finding.end)
        found = {tool for claim in v.claims if (claim.start, claim.end) == span for tool in claim.tools}
    return {name[:_MAX_NAME] for name in found} or {NO_TOOL}


def run_identity(run: RunResult) -> str:
    """An id for a run that needs no count of the runs before: equal ones have equal replies."""
    digest = sha256()
    for text in (str(run.place), run.id, run.form, str(run.messages), *(v.reply for v in run.verifications)):
        digest.update(text.encode("utf-8", "backslashreplace") + b"\0")
    return f"run-{digest.hexdigest()[:16]}"


def _summary(run: RunResult, worst: str, *, stops: bool) -> Html:
    return element(
        "summary",
        None,
        element("span", {"class": f"badge {VERDICT_STYLES[worst]}"}, worst.replace("_", " ")),
        element("span", {"class": "badge error"}, "stop-ship") if stops else None,
        element("span", {"class": "place"}, shown(str(run.place))[:_MAX_NAME]),
        element("span", {"class": "name"}, shown(run.id)[:_MAX_NAME]) if run.id else None,
        element("span", {"class": "count"}, run_counts(run.verifications) or "nothing judged"),
    )


def _read_words(run: RunResult) -> str:
    words = [
        f"read as {run.form or 'an empty run'}",
        count_of(run.messages, "message"),
        count_of(run.turns, "turn"),
        count_of(run.calls, "call"),
        f"{count_of(run.stamped, 'receipt')} stamped and {run.unstamped} not",
    ]
    return ", ".join(words) + (f"; left out: {run.skipped[:MAX_TEXT]}" if run.skipped else "")


def _trust(verification: Verification) -> Html | None:
    if not verification.trust:
        return None
    words = "; ".join(f"{key.replace('_', ' ')}: {_plain(value)}" for key, value in verification.trust.items())
    return element("p", {"class": "meta"}, f"Trust: {words[:MAX_TEXT]}")


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(item)}".replace("_", " ") for key, item in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value)) or "none"
    return plain_text(value)


# --- the conversation ------------------------------------------------------------------------------------


def _conversation(run: RunResult, cards: Cards) -> Iterator[Html]:
    judged = {v.message_index: number for number, v in enumerate(run.verifications, 1) if v.message_index is not None}
    messages = run.transcript.messages if run.transcript is not None else ()
    for number, v in enumerate(run.verifications, 1):
        if v.message_index is None:
            yield element("li", {"class": "message"}, element("p", None, _EMPTY.get(v.ended, _EMPTY["empty"])))
        elif v.message_index >= len(messages):
            yield _message("assistant", v.message_index, judged_reply(v, cards=cards, turn=number))
    if not messages:
        return
    kept = _kept(len(messages), judged)
    names = _names_of_calls(run)
    before = -1
    for index in kept:
        yield from _gap(index - before - 1)
        before = index
        turn = judged.get(index)
        body: Child = None
        if turn is not None:
            body = judged_reply(run.verifications[turn - 1], cards=cards, turn=turn)
        yield _message(messages[index].role, index, body, _body(messages[index], names.get(index, ()), cards, turn))
    yield from _gap(len(messages) - 1 - before)


def _kept(count: int, judged: dict[int, int]) -> list[int]:
    """Positions of the messages that are shown."""
    chosen = [index for index in judged if index < count][:MAX_MESSAGES]
    others = [index for index in range(count - 1, -1, -1) if index not in judged]
    chosen += others[: MAX_MESSAGES - len(chosen)]
    return sorted(chosen)


def _gap(count: int) -> Iterator[Html]:
    if count > 0:
        yield element("li", {"class": "cut"}, f"{count_of(count, 'message')} not kept in this page.")


def _message(role: str, index: int, *body: Child | Iterator[Child]) -> Html:
    head = element("h3", None, f"{role} ", element("span", {"class": "count"}, f"message {index + 1}"))
    return element("li", {"class": f"message {role}"}, head, *body)


def _body(message: Message, names: Sequence[str], cards: Cards, turn: int | None) -> Iterator[Child]:
    if message.text and turn is None and message.result is None:
        yield element("div", {"class": "text"}, _cut(message.text))
    for number, call in enumerate(message.calls[:MAX_MESSAGES]):
        name = names[number] if number < len(names) else ""
        link = cards.link(name, kind="to-receipt") if name else None
        shown_call = join(["called ", element("code", None, call.tool[:_MAX_NAME]), " " if link else None, link])
        yield element("div", {"class": "call"}, shown_call, cut_block(plain_text(call.args), MAX_ARGUMENTS))
    if len(message.calls) > MAX_MESSAGES:
        yield element(
            "p", {"class": "cut"}, f"{len(message.calls) - MAX_MESSAGES} more calls are not kept in this page."
        )
    if message.result is not None:
        result = message.result
        yield element("div", {"class": "result"}, cut_block(result.text or plain_text(result.content), MAX_RESULT))


def _cut(text: str) -> Html:
    if len(text) <= MAX_TEXT:
        return join([text])
    note = f" … {len(text) - MAX_TEXT:,} more characters are not kept in this page"
    return join([shown(text[:MAX_TEXT]), element("span", {"class": "cut"}, note)])


def _names_of_calls(run: RunResult) -> dict[int, list[str]]:
    """Ids of the receipts of each message's calls, in the order of the calls."""
    names: dict[int, list[str]] = {}
    ledger: Sequence[Entry] = run.verifications[-1].ledger if run.verifications else ()
    for entry in ledger:
        if entry.message_index is not None:
            names.setdefault(entry.message_index, []).append(entry.id)
    return names
