"""The tools of the demo really act: rows in the database, mail through a real server, files in the folder."""

from __future__ import annotations

import json
import smtplib
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from receipts_middleware.langchain.demo.tools import CUSTOMER, WAREHOUSE, SupportDesk


@pytest.fixture
def desk():
    with SupportDesk() as desk:
        yield desk


def call(desk: SupportDesk, name: str, **args: object) -> dict:
    (tool,) = [tool for tool in desk.tools() if tool.name == name]
    return json.loads(tool.invoke(args))


def test_orders_are_looked_up(desk):
    found = call(desk, "lookup_order", order_id="4821")
    assert (found["customer"], found["total"], found["currency"]) == (CUSTOMER, "59.90", "EUR")
    assert call(desk, "lookup_order", order_id="1") == {"error": "no order 1"}


def test_a_refund_is_a_row(desk):
    done = call(desk, "issue_refund", order_id="4821", amount=59.9)
    assert done == {
        "status": "succeeded",
        "refund_id": "re_1001",
        "order_id": "4821",
        "amount": "59.90",
        "currency": "EUR",
    }
    with closing(sqlite3.connect(desk.folder / "desk.db")) as db:
        assert db.execute("select order_id, amount_cents, currency, status from refunds").fetchall() == [
            ("4821", 5990, "EUR", "succeeded")
        ]


@pytest.mark.parametrize(("order_id", "amount"), [("4821", 60), ("4821", 0), ("4821", -1), ("1", 5)])
def test_no_refund_beyond_the_order(desk, order_id, amount):
    assert call(desk, "issue_refund", order_id=order_id, amount=amount)["status"] == "failed"
    assert desk.record().refunds == ()


def test_parallel_refunds_do_not_exceed_the_order(desk):
    # Made once: making a tool ignores a warning of the host's own, which is not safe in threads.
    (tool,) = [tool for tool in desk.tools() if tool.name == "issue_refund"]
    with ThreadPoolExecutor(8) as pool:
        done = [
            json.loads(text) for text in pool.map(tool.invoke, [{"order_id": "4821", "amount": 20} for _ in range(8)])
        ]
    assert sum(d["status"] == "succeeded" for d in done) == 2
    assert len(desk.record().refunds) == 2


def test_the_server_takes_mail_for_the_customer_and_keeps_it(desk):
    done = call(desk, "send_email", to=CUSTOMER, subject="Your refund", body="Grüße, EUR 59.90.")
    assert done == {"status": "sent", "message_id": "msg_1001", "to": CUSTOMER}
    (mail,) = desk.mailbox
    assert (mail["To"], mail["Subject"], mail["Message-ID"]) == (CUSTOMER, "Your refund", "<msg_1001@example.com>")
    assert mail.get_content().strip() == "Grüße, EUR 59.90."


def test_the_server_really_refuses_mail_for_the_warehouse(desk):
    with smtplib.SMTP(*desk.smtp_address, local_hostname="localhost", timeout=5) as smtp:
        smtp.ehlo()
        smtp.mail("desk@example.com")
        assert smtp.rcpt(WAREHOUSE) == (550, f"5.1.1 <{WAREHOUSE}>: mailbox unavailable".encode())
    failed = call(desk, "send_email", to=WAREHOUSE, subject="A return", body="Please expect a lamp.")
    assert failed == {
        "status": "failed",
        "to": WAREHOUSE,
        "error": f"550 5.1.1 <{WAREHOUSE}>: mailbox unavailable",
    }
    assert desk.mailbox == []
    assert desk.record().refused == (WAREHOUSE, WAREHOUSE)


def test_an_impossible_address_is_a_failure_not_a_crash(desk):
    assert "ValueError" in call(desk, "send_email", to="a\nBcc: b@example.com", subject="s", body="b")["error"]


def test_a_note_is_a_file(desk):
    assert call(desk, "write_file", path="notes/case.md", text="Größe") == {
        "status": "written",
        "path": "notes/case.md",
        "bytes": 7,
    }
    assert (desk.folder / "notes" / "case.md").read_text(encoding="utf-8") == "Größe"
    assert desk.record().files == (("notes/case.md", 7),)


@pytest.mark.parametrize("path", ["../case.md", "/case.md", "desk.db", "case.sh", "a\0b.md", "x" * 300 + ".md", ""])
def test_no_file_outside_the_folder(desk, path):
    assert call(desk, "write_file", path=path, text="x")["status"] == "failed"
    assert desk.record().files == ()


def test_a_note_has_a_limit(desk):
    assert "at most" in call(desk, "write_file", path="case.md", text="x" * 100_001)["error"]


def test_nothing_is_left_behind():
    with SupportDesk() as desk:
        folder, address = desk.folder, desk.smtp_address
        assert folder.is_dir()
    assert not folder.exists()
    with pytest.raises(ConnectionRefusedError), smtplib.SMTP(*address, timeout=1):
        pass


def test_a_refused_mail_takes_no_number(desk):
    refused = json.loads(desk.send_email(WAREHOUSE, "A return", "Please expect a lamp."))
    sent = json.loads(desk.send_email(CUSTOMER, "Your refund", "It is on its way."))
    assert refused["status"] == "failed"
    assert sent["message_id"] == "msg_1001"
