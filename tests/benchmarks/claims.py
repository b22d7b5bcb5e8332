"""Speed of claim checking beside the public checker `toolreceipt`, in one process and one run.

    python tests/benchmarks/claims.py                 # a table
    python tests/benchmarks/claims.py --json          # one JSON object
    python tests/benchmarks/claims.py --only "wrong id" --repeat 9

toolreceipt is a yardstick and no dependency: `pip install toolreceipt==0.3.1` adds its columns, else ours run alone.
Both get the same reply, the same tools and the same run, in three forms: `ledger` is the check of a reply against a log
that is there already (ours `verify`, theirs `check`), `first` the same where no reply was held against that log before
(ours remembers with a `Ledger` what it read of its calls; theirs reads them anew in either case), and `messages` is the
check of saved messages, the log read from them (`verify_messages`, `check_messages`). The two are timed in turn, so
that a busy machine is busy for both, and by the processor's time. What ours keeps of texts that it has read is dropped
before each repetition, but for what belongs to the ledger that is there already; what it keeps of
tools stays, as an agent keeps its tools. `ratio` is their median by ours: above 1 we are faster.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from receipts_middleware import verify, verify_messages
from receipts_middleware.core import markdown
from receipts_middleware.core.binding import contrast_words, contrasts, people, toolbox, words
from receipts_middleware.core.ledger import Ledger
from receipts_middleware.core.values import arguments, pool, read

#: Seconds that one measurement of a checker may take before it is not repeated.
SLOW = 1.5
#: Seconds that one repetition should last: short work is done several times within one.
LEAST = 0.02

#: Tools of the runs; the first five are called.
TOOLS = (
    ("issue_refund", "Refund an order."),
    ("send_email", "Send an email."),
    ("find_order", "Find an order."),
    ("cancel_order", "Cancel an order."),
    ("create_ticket", "Create a ticket."),
)
VERBS = "create update delete send cancel fetch archive assign approve publish".split()
NOUNS = "invoice order ticket report user team file booking shipment contract".split()
PARTS = "draft copy note link tag owner price status label version".split()

#: Sentences of a long reply: acts with and without values, looks, plans and small talk.
SENTENCES = (
    "I refunded order {n} in full.",
    "I sent an email to ada{n}@example.com.",
    "The ticket was created for the warehouse.",
    "Let me know if you would like anything else.",
    "I cancelled order {n} as you asked.",
    "The order total is $64.00.",
)

#: Where replies of many kinds stand, and those of them whose sentences are taken.
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "claims"
VARIED = ("judged.json", "contrasts.json", "misquotes.json")
#: Characters of what is no sentence yet.
SHORT = 15

Checker = Callable[[], object]

#: In which a reply and its run are given.
FORMS = ("ledger", "first", "messages")

#: What ours keeps of claims, arguments and results, and of their verbs.
KEPT = (
    words._kept_stems,
    words._with_joined,
    read._kept,
    arguments._kept_of_text,
    contrasts._sets_in,
    contrast_words._kept_words,
    contrast_words._kept_mentions,
    people._names_of,
    toolbox._levels_of,
    pool._keys,
    markdown._kept,
)


@dataclass(frozen=True, slots=True)
class Case:
    """One reply with its run.

    Attributes:
        name: Of the row.
        reply: Text that is checked.
        tools: Number of known tools.
        entries: Number of calls in the log.
        aim: How many times faster ours should be.
        peer: Whether the peer ends within a minute.
    """

    name: str
    reply: str
    tools: int = 5
    entries: int = 10
    aim: float = 1.0
    peer: bool = True


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of several repetitions."""

    median: float
    low: float
    high: float
    repetitions: int


def make_tools(count: int) -> list[tuple[str, str]]:
    """So many tools with a name and a description each."""
    made = [
        (f"{verb}_{noun}_{part}", f"{verb.title()} the {part} of a {noun}.")
        for part in PARTS
        for noun in NOUNS
        for verb in VERBS
    ]
    return [*TOOLS, *made][:count]


def make_messages(calls: int, reply: str) -> list[dict[str, object]]:
    """A run of so many calls, one a message, and its reply."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Please see to my orders."}]
    for n in range(calls):
        order = 50_000 + n
        tool = TOOLS[n % len(TOOLS)][0]
        arguments: dict[str, object] = {"order_id": order, "note": "as asked"}
        if tool == "send_email":
            arguments = {"to": f"ada{order}@example.com", "subject": "Your order"}
        function = {"name": tool, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{n}", "type": "function", "function": function}
        result = json.dumps({"status": "succeeded", "order_id": order, "total": 64.0})
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{n}", "content": result})
    return [*messages, {"role": "assistant", "content": reply}]


def make_reply(sentences: int) -> str:
    """A reply of so many sentences about calls of the log, in paragraphs of six."""
    said = [SENTENCES[n % len(SENTENCES)].format(n=50_000 + n % 10) for n in range(sentences)]
    return "\n\n".join(" ".join(said[at : at + 6]) for at in range(0, sentences, 6))


def make_varied(sentences: int) -> str:
    """A reply of so many sentences, no two alike, as the fixtures have them, in paragraphs of six."""
    judged, *others = (json.loads((FIXTURES / name).read_text(encoding="utf-8")) for name in VARIED)
    texts = [row["messages"][-1]["content"] for row in judged] + [row["claim"] for rows in others for row in rows]
    parts = (part.strip(" -*#>") for text in texts if text for part in re.split(r"(?<=[.!?])\s+|\n+", text))
    said = [part if part[-1] in ".!?" else f"{part}." for part in dict.fromkeys(parts) if len(part) > SHORT]
    chosen = said[:: len(said) // sentences][:sentences]
    return "\n\n".join(" ".join(chosen[at : at + 6]) for at in range(0, sentences, 6))


def make_cases() -> Iterator[Case]:
    """Every row of the table."""
    for sentences, reply in ((1, "I sent an email to the customer."), (60, make_reply(60))):
        what = "1 claim" if sentences == 1 else "60 sentences"
        for tools in (5, 50, 500):
            for entries in (10, 1_000, 10_000):
                aim = 50.0 if tools == 500 else 5.0 if sentences == 60 else 1.0
                slow = sentences == 60 and entries == 10_000
                yield Case(f"{what}, {tools} tools, {entries:,} calls", reply, tools, entries, aim, peer=not slow)
    for sentences in (120, 240, 480):
        yield Case(f"{sentences} sentences, 5 tools, 10 calls", make_reply(sentences), aim=5.0)
    for sentences in (60, 480):
        for tools in (5, 500):
            aim = 50.0 if tools == 500 else 5.0
            yield Case(f"{sentences} varied sentences, {tools} tools, 10 calls", make_varied(sentences), tools, aim=aim)
    for entries in (125, 500, 2_000):
        reply = "I refunded order 99999 in full."
        yield Case(f"wrong id, 5 tools, {entries:,} calls", reply, entries=entries)
    yield Case("1 MB of one word", "refunded " * 111_112, peer=False)
    yield Case("100 kB of one word", "refunded " * 11_112)
    yield Case("10,000 nested brackets", "I sent " + "[" * 10_000 + "it" + "]" * 10_000)
    yield Case("1,000 nested brackets", "I sent " + "[" * 1_000 + "it" + "]" * 1_000)
    yield Case("100,000 bullets", "- I sent it\n" * 100_000, peer=False)
    yield Case("10,000 bullets", "- I sent it\n" * 10_000, peer=False)
    yield Case("1,000 bullets", "- I sent it\n" * 1_000)


def our_checks(case: Case) -> dict[str, Checker]:
    """Our claim checking, by form."""
    tools = make_tools(case.tools)
    messages = make_messages(case.entries, case.reply)
    ledger = verify_messages([*messages[:-1], {"role": "assistant", "content": "Hello."}], tools=tools).ledger
    return {
        "ledger": lambda: verify(case.reply, ledger, tools=tools),
        "first": lambda: verify(case.reply, Ledger.in_order(ledger), tools=tools),
        "messages": lambda: verify_messages(messages, tools=tools),
    }


def peer_checks(case: Case) -> dict[str, Checker]:
    """The peer's, by form; none where it is not installed or does not end in time."""
    try:
        peer = import_module("toolreceipt")
    except ImportError:
        return {}
    if not case.peer:
        return {}
    tools = make_tools(case.tools)
    messages = make_messages(case.entries, case.reply)
    results = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
    calls = [call for m in messages for call in m.get("tool_calls", ())]  # type: ignore[attr-defined]
    ledger = peer.Ledger(
        [
            peer.LedgerEntry(
                tool=call["function"]["name"],
                status="ok",
                args=json.loads(call["function"]["arguments"]),
                result=results[call["id"]],
            )
            for call in calls
        ]
    )
    return {
        "ledger": lambda: peer.check(case.reply, ledger, known_tools=tools),
        "first": lambda: peer.check(case.reply, ledger, known_tools=tools),
        "messages": lambda: peer.check_messages(messages, known_tools=tools),
    }


def measure(checkers: Sequence[Checker], repeat: int) -> list[Times]:
    """Time checkers in turn: each warmed up once, then so many times; what is slow is not repeated in full."""
    spent: list[list[float]] = [[] for _ in checkers]
    rounds = []
    for checker, times in zip(checkers, spent, strict=True):
        once = timed(checker, 1)
        if once <= SLOW:  # the first run compiles patterns
            once = timed(checker, 1)
        times.append(once)
        rounds.append(max(1, min(200, int(LEAST / max(once, 1e-6)))))
    for _ in range(repeat - 1):
        for checker, times, count in zip(checkers, spent, rounds, strict=True):
            if times[0] <= SLOW or len(times) < 2:
                times.append(timed(checker, count))
    return [Times(median(times), min(times) * 1e3, max(times) * 1e3, len(times)) for times in spent]


def median(times: Sequence[float]) -> float:
    """The median of seconds, in milliseconds."""
    return statistics.median(times) * 1e3


def timed(checker: Checker, count: int) -> float:
    """Processor seconds of one run, as the mean of so many."""
    gc.collect()
    spent = 0.0
    for _ in range(count):
        forget()
        start = time.process_time()
        checker()
        spent += time.process_time() - start
    return spent / count


def forget() -> None:
    """Drop what is kept of texts: a repetition must not find its own reply read already."""
    for kept in KEPT:
        kept.cache_clear()


def run_case(case: Case, repeat: int) -> dict[str, object]:
    """One row: times of both by form, and how much faster ours is."""
    ours, peers = our_checks(case), peer_checks(case)
    row: dict[str, object] = {
        "case": case.name,
        "characters": len(case.reply),
        "tools": case.tools,
        "calls": case.entries,
        "aim": case.aim,
    }
    for form, check in ours.items():
        times = measure([check, peers[form]] if form in peers else [check], repeat)
        row[form] = {"ours": asdict(times[0])}
        if form in peers:
            ratio = times[1].median / times[0].median
            row[form] = {"ours": asdict(times[0]), "peer": asdict(times[1]), "ratio": ratio, "met": ratio >= case.aim}
    return row


def print_row(row: dict[str, object]) -> None:
    """A row of the table: the case, then each form as median (lowest to highest) in milliseconds."""
    cells = [str(row["case"])]
    for form in FORMS:
        found = row[form]
        assert isinstance(found, dict)
        cells += [show(found["ours"]), show(found["peer"]) if "peer" in found else "-"]
        cells.append(f"{found['ratio']:.1f}{'' if found['met'] else ' **missed**'}" if "ratio" in found else "-")
    cells.append(f"{row['aim']:g}")
    print("| " + " | ".join(cells) + " |", flush=True)


def show(times: dict[str, float]) -> str:
    """Median and spread."""
    digits = 2 if times["median"] < 10 else 0
    return f"{times['median']:,.{digits}f} ({times['low']:,.{digits}f} to {times['high']:,.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object in place of the table")
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions; fewer where one takes seconds")
    parser.add_argument("--alone", action="store_true", help="leave the peer out")
    options = parser.parse_args()
    try:
        peer = "" if options.alone else version("toolreceipt")
    except PackageNotFoundError:
        peer = ""
    cases = [replace(c, peer=c.peer and bool(peer)) for c in make_cases() if options.only in c.name]
    if not options.json:
        print(f"toolreceipt {peer or 'is not measured (pip install toolreceipt==0.3.1)'}, milliseconds")
        print("| case | " + " | ".join(f"{form}: ours | peer | ratio" for form in FORMS) + " | aim |")
        print("|" + " --- |" * (3 * len(FORMS) + 2))
    rows = []
    for case in cases:
        rows.append(run_case(case, options.repeat))
        if not options.json:
            print_row(rows[-1])
    if options.json:
        print(json.dumps({"python": platform.python_version(), "peer": peer or None, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
