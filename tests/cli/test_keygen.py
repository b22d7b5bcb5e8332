"""`receipts keygen`."""

from __future__ import annotations

import json
import stat

import pytest

from receipts_middleware.signing import PublicKey, load_keys, parse_keys


def test_without_a_file_the_key_is_printed(call):
    code, out, err = call("keygen")
    assert (code, err) == (0, "")
    (key,) = parse_keys(out.encode())
    assert (key.alg, len(key.secret)) == ("HS256", 32)


def test_a_file_gets_the_key_and_the_screen_its_name(folder, call):
    code, out, err = call("keygen", "-o", "receipts.key")
    assert (code, err) == (0, "")
    assert out.strip() == load_keys("receipts.key").kids[0]
    assert stat.S_IMODE((folder / "receipts.key").stat().st_mode) == 0o600
    assert json.loads((folder / "receipts.key").read_text())["secret"] not in out


def test_a_pair_has_its_public_half_beside_it(folder, call):
    assert call("keygen", "--ed25519", "--kid", "ops-1", "-o", "k")[:2] == (0, "ops-1\n")
    (private,), (public,) = load_keys("k"), load_keys("k.pub")
    assert isinstance(public, PublicKey)
    assert public == private.public
    assert stat.S_IMODE((folder / "k").stat().st_mode) == 0o600


@pytest.mark.parametrize("options", [[], ["--ed25519"]])
def test_no_key_is_written_over_unasked(folder, call, options):
    (folder / "k").write_text("mine")
    code, out, err = call("keygen", *options, "-o", "k")
    assert (code, out) == (3, "")
    assert "k is there already" in err
    assert (folder / "k").read_text() == "mine"
    assert call("keygen", *options, "-o", "k", "--force")[0] == 0
    assert load_keys("k").kids


def test_a_name_that_is_none_is_wrong_usage(folder, call):
    code, _, err = call("keygen", "--kid", "a b", "-o", "k")
    assert code == 3
    assert "name of a key" in err
    assert not (folder / "k").exists()
