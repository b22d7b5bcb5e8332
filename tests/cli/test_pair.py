"""`receipts verify --reply FILE --log FILE`: what was said against a log of what was done."""

from __future__ import annotations

import json

import pytest

LOG = [
    {"tool": "issue_refund", "status": "succeeded", "id": "re_1001", "target": "4821", "amount": "EUR 59.90"},
    {"tool": "send_email", "status": "failed", "target": "dana@example.com"},
]


@pytest.fixture
def pair(folder):
    (folder / "log.json").write_text(json.dumps(LOG))

    def pair(reply: str) -> list[str]:
        (folder / "reply.txt").write_text(reply)
        return ["verify", "--reply", "reply.txt", "--log", "log.json"]

    return pair


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("I refunded EUR 59.90 for order 4821.", 0),
        ("I emailed dana@example.com.", 1),
        ("I refunded EUR 95.90 for order 4821.", 2),
        ("The email to dana@example.com failed.", 0),
    ],
)
def test_reply_against_the_log(pair, call, reply, code) -> None:
    assert call(*pair(reply), "--quiet")[0] == code


def test_report_is_that_of_one_run(pair, call) -> None:
    code, out, err = call(*pair("I emailed dana@example.com."), "--format", "json")
    assert (code, err) == (1, "")
    document = json.loads(out)
    assert [row["tool"] for row in document["ledger"]] == ["issue_refund", "send_email"]
    assert [claim["status"] for claim in document["claims"]] == ["failed"]


def test_fields_of_another_log_can_be_mapped(folder, pair, call) -> None:
    (folder / "log.json").write_text(
        json.dumps([{"what": "send_email", "how": "failed", "target": "dana@example.com"}])
    )
    arguments = pair("I emailed dana@example.com.")
    assert call(*arguments)[0] == 3
    assert call(*arguments, "--map", "name=$.what,status=$.how", "--quiet")[0] == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("map.toml", 'name = "$.what"\nstatus = ["$.none", "$.how"]\n\n[words]\nfailed = ["kaputt"]\n'),
        ("map.json", '\ufeff{"name": "$.what", "status": "$.how", "words": {"failed": ["kaputt"]}}'),
    ],
)
def test_a_file_can_hold_the_mapping(folder, pair, call, name, text) -> None:
    (folder / "log.json").write_text(
        json.dumps(
            [
                {"what": "send_email", "how": how, "target": to}
                for how, to in (("kaputt", "d@x.example"), ("ok", "e@x.example"))
            ]
        )
    )
    (folder / name).write_text(text, encoding="utf-8")
    assert call(*pair("I emailed d@x.example."), "--map", name, "--quiet")[0] == 1
    assert call(*pair("I emailed e@x.example."), "--map", name, "--quiet")[0] == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "is neither TOML nor JSON"),
        ("{", "is neither TOML nor JSON"),
        ('colour = "$.x"', "is no field of a log record"),
        ("\xff", "is neither TOML nor JSON"),
        ("# " + "x" * 20_000, "is longer than 16 KiB"),
        ("", "is empty"),
    ],
    ids="toml json field bytes long empty".split(),
)
def test_a_mapping_file_that_cannot_be_right_says_why(folder, pair, call, text, says) -> None:
    (folder / "map.toml").write_text(text, encoding="latin-1")
    code, out, err = call(*pair("I emailed it."), "--map", "map.toml")
    assert (code, out) == (3, "")
    assert says in err
    assert "bug" not in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["verify", "--reply", "reply.txt"], "belong together"),
        (["verify", "--log", "log.json"], "belong together"),
        (["verify", "--reply", "-", "--log", "-"], "cannot both be standard input"),
        (["verify", "x.json", "--reply", "reply.txt", "--log", "log.json"], "leave one out"),
        (["verify", "x.json", "--map", "name=$.x"], "--map is about --log"),
        (["verify", "--reply", "reply.txt", "--log", "log.json", "--map", "nonsense=$.x"], "is no field"),
        (["verify", "--reply", "reply.txt", "--log", "log.json", "--map", "no-such.toml"], "cannot read no-such.toml"),
        (["verify", "--reply", "no-such.txt", "--log", "log.json"], "cannot read no-such.txt"),
        (["verify", "--reply", "reply.txt", "--log", "no-such.json"], "cannot read no-such.json"),
        (["verify", "--reply", "empty.txt", "--log", "log.json"], "empty.txt is empty"),
        (["verify", "--reply", "reply.txt", "--log", "reply.txt"], "reply.txt and reply.txt: "),
    ],
)
def test_what_cannot_be_a_pair(folder, pair, call, arguments, says) -> None:
    pair("I refunded it.")
    (folder / "empty.txt").write_text("")
    code, out, err = call(*arguments)
    assert (code, out) == (3, "")
    assert says in err
    assert "bug" not in err
