"""The JSON report is the verification, in ASCII."""

from __future__ import annotations

import json

from receipts_middleware.core.verify import verify
from receipts_middleware.reports.json import render_json, render_json_turns

ROWS = [{"id": "r1", "tool": "send_email", "outcome": "success"}]
PAGE = verify("Sent \x1b\u202e\ud800 \u8fd4 [r1 send_email].", ROWS)
PLAIN = json.loads(json.dumps(PAGE.to_dict()))  # tuples are lists in JSON


def test_it_says_what_the_verification_says():
    assert json.loads(render_json(PAGE)) == PLAIN
    assert json.loads(render_json_turns([PAGE, PAGE])) == {"schema": 1, "turns": [PLAIN, PLAIN]}
    assert json.loads(render_json_turns([])) == {"schema": 1, "turns": []}


def test_nothing_in_it_acts_on_a_terminal():
    text = render_json(PAGE)
    assert text.isascii()
    assert text.endswith("}\n")
    assert all(c.isprintable() or c == "\n" for c in text)
