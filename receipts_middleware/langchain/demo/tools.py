"""The support desk of the demo: tools that really do things, and the places where they do them.

Orders and refunds stand in an SQLite file, mail goes through an SMTP server on the loopback interface, notes
are files; all of it in one temporary folder that lives as long as the desk is open. Nothing here knows of
receipts.
"""

from __future__ import annotations

import asyncio
import email
import email.policy
import json
import smtplib
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Final, Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from langchain_core.tools import BaseTool, StructuredTool
from typing_extensions import override

CUSTOMER: Final = "customer@example.com"
WAREHOUSE: Final = "warehouse@example.com"
DESK: Final = "desk@example.com"
ORDER_ID: Final = "4821"

_ORDER: Final = "select order_id, customer, item, total_cents, currency, status from orders where order_id = ?"
_REFUNDED: Final = "select coalesce(sum(amount_cents), 0) from refunds where order_id = ?"
_REFUND: Final = "insert into refunds (order_id, amount_cents, currency, status) values (?, ?, ?, 'succeeded')"
_SCHEMA: Final = """
create table orders (order_id text primary key, customer text, item text, total_cents integer, currency text,
                     status text);
create table refunds (number integer primary key, order_id text references orders, amount_cents integer,
                      currency text, status text);
"""
_ORDERS: Final = (
    (ORDER_ID, CUSTOMER, "desk lamp", 5990, "EUR", "returned"),
    ("4822", "other@example.com", "office chair", 24900, "EUR", "shipped"),
)
#: Refund and message numbers count from here, so that an id does not look like a count.
_FIRST_NUMBER: Final = 1001
_SMTP_TIMEOUT_S: Final = 10.0
#: A note longer than this is refused: with a real model the text is untrusted.
_MAX_NOTE_BYTES: Final = 100_000
_NOTE_SUFFIXES: Final = (".md", ".txt")


@dataclass(frozen=True, slots=True)
class DeskRecord:
    """What is really there, whatever anybody says: read off the database, the mail server and the folder.

    Attributes:
        refunds: Order id and amount with currency of each row, oldest first.
        accepted: Recipients whose mail the server accepted, in order.
        refused: Recipients that it refused, in order.
        files: Name and size in bytes of each note, by name.
    """

    refunds: tuple[tuple[str, str], ...]
    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    files: tuple[tuple[str, int], ...]


class SupportDesk:
    """A support desk, as a context manager: starts its mail server, and removes everything when it ends.

    Attributes:
        folder: The temporary folder; holds `desk.db` and the notes. Exists only while the desk is open.
        mailbox: Mails that the server accepted, in order.
    """

    def __init__(self) -> None:
        self.mailbox: list[EmailMessage] = []
        self._refused: list[str] = []
        self._lock = threading.Lock()
        self._messages = 0
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self.folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="receipts-demo-")))
        with closing(self._connect()) as db, db:
            db.executescript(_SCHEMA)
            db.executemany("insert into orders values (?, ?, ?, ?, ?, ?)", _ORDERS)
        self._server = _LoopbackController(_Mailroom(self.mailbox, self._refused), hostname="127.0.0.1", port=0)
        self._server.start()
        self._open.callback(self._server.stop)
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()

    @property
    def smtp_address(self) -> tuple[str, int]:
        """Host and port of the mail server."""
        return self._server.hostname, self._server.port

    def tools(self) -> list[BaseTool]:
        """The four tools of the desk, made anew."""
        functions: tuple[Callable[..., str], ...] = (
            self.lookup_order,
            self.issue_refund,
            self.send_email,
            self.write_file,
        )
        return [StructuredTool.from_function(function) for function in functions]

    def lookup_order(self, order_id: str) -> str:
        """Look up one order by its id."""
        with closing(self._connect()) as db:
            row = db.execute(_ORDER, (order_id,)).fetchone()
        if row is None:
            return json.dumps({"error": f"no order {order_id}"})
        order_id, customer, item, cents, currency, status = row
        return json.dumps(
            {
                "order_id": order_id,
                "customer": customer,
                "item": item,
                "total": _money(cents),
                "currency": currency,
                "order_status": status,
            }
        )

    def issue_refund(self, order_id: str, amount: float) -> str:
        """Refund an amount, in the currency of the order, to the customer of the order."""
        cents = round(amount * 100)
        # The check and the row belong together, and calls may run in parallel.
        with self._lock, closing(self._connect()) as db, db:
            order = db.execute(_ORDER, (order_id,)).fetchone()
            if order is None:
                return _failed(f"no order {order_id}")
            total, currency = order[3:5]
            left = total - db.execute(_REFUNDED, (order_id,)).fetchone()[0]
            if not 0 < cents <= left:
                return _failed(f"{_money(left)} {currency} of order {order_id} can be refunded")
            number = db.execute(_REFUND, (order_id, cents, currency)).lastrowid
        refund_id = f"re_{_FIRST_NUMBER - 1 + (number or 0)}"
        done = {"status": "succeeded", "refund_id": refund_id, "order_id": order_id}
        return json.dumps({**done, "amount": _money(cents), "currency": currency})

    def send_email(self, to: str, subject: str, body: str) -> str:
        """Send an email to one address."""
        try:
            # One mail at a time: only an accepted one takes a number, so a run reads the same whichever went first.
            with self._lock:
                message_id = f"msg_{_FIRST_NUMBER + self._messages}"
                self._deliver(message_id, to, subject, body)
                self._messages += 1
        except smtplib.SMTPRecipientsRefused as refused:
            code, reason = next(iter(refused.recipients.values()))
            return _failed(f"{code} {reason.decode(errors='replace')}", to=to)
        except (smtplib.SMTPException, OSError, ValueError) as error:
            return _failed(f"{type(error).__name__}: {error}", to=to)
        return json.dumps({"status": "sent", "message_id": message_id, "to": to})

    def _deliver(self, message_id: str, to: str, subject: str, body: str) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = DESK, to, subject
        mail["Message-ID"] = f"<{message_id}@example.com>"
        mail.set_content(body)
        host, port = self.smtp_address
        with smtplib.SMTP(host, port, local_hostname="localhost", timeout=_SMTP_TIMEOUT_S) as smtp:
            smtp.send_message(mail)

    def write_file(self, path: str, text: str) -> str:
        """Write a text file into the case folder."""
        data = text.encode("utf-8", errors="replace")
        if len(data) > _MAX_NOTE_BYTES:
            return _failed(f"a note has at most {_MAX_NOTE_BYTES} bytes")
        try:
            target = (self.folder / path).resolve()
            if not target.is_relative_to(self.folder.resolve()) or target.suffix not in _NOTE_SUFFIXES:
                return _failed(f"{path} is not a .md or .txt file in the case folder")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        except (OSError, ValueError) as error:
            return _failed(f"{type(error).__name__}: {error}")
        return json.dumps({"status": "written", "path": path, "bytes": len(data)})

    def record(self) -> DeskRecord:
        """What is there now."""
        with closing(self._connect()) as db:
            rows = db.execute("select order_id, amount_cents, currency from refunds order by number").fetchall()
        notes = sorted(path for path in self.folder.rglob("*") if path.suffix in _NOTE_SUFFIXES)
        return DeskRecord(
            refunds=tuple((order_id, f"{_money(cents)} {currency}") for order_id, cents, currency in rows),
            accepted=tuple(str(mail["To"]) for mail in self.mailbox),
            refused=tuple(self._refused),
            files=tuple((str(note.relative_to(self.folder)), note.stat().st_size) for note in notes),
        )

    def _connect(self) -> sqlite3.Connection:
        # One connection for each call: the tool node runs calls in threads of its own.
        return sqlite3.connect(self.folder / "desk.db")


class _Mailroom:
    """What the mail server does with mail: takes it for one address, refuses all others."""

    def __init__(self, mailbox: list[EmailMessage], refused: list[str]) -> None:
        self._mailbox = mailbox
        self._refused = refused

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, rcpt_options: list[str]
    ) -> str:
        if address != CUSTOMER:
            self._refused.append(address)
            return f"550 5.1.1 <{address}>: mailbox unavailable"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content or b""
        raw = content.encode() if isinstance(content, str) else content
        mail = email.message_from_bytes(raw, policy=email.policy.default)
        self._mailbox.append(mail)
        return "250 2.0.0 accepted"


class _LoopbackController(Controller):
    """A controller that also starts on an ephemeral port, and says which one it got."""

    @override
    def _trigger_server(self) -> None:
        assert isinstance(self.server, asyncio.Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]  # aiosmtpd has no types here


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def _failed(error: str, **more: str) -> str:
    return json.dumps({"status": "failed", **more, "error": error})
