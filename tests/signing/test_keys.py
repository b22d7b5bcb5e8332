"""Keys, keyrings and key files."""

from __future__ import annotations

import contextlib
import json
import stat
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from receipts_middleware.core.errors import UsageError
from receipts_middleware.core.seal import pae
from receipts_middleware.signing import (
    Ed25519Key,
    Keyring,
    PublicKey,
    SigningKey,
    as_keyring,
    derive_key,
    key_from_env,
    load_keys,
    make_key,
    parse_keys,
    write_key,
)

OLD, NEW = SigningKey(b"o" * 32, "old"), SigningKey(b"n" * 32, "new")
PAIR = Ed25519Key(b"p" * 32)


@pytest.mark.parametrize("key", [OLD, PAIR], ids=["hs256", "ed25519"])
def test_a_key_takes_its_own_signature_and_no_other(key):
    mac = key.sign(b"message")
    assert key.verify(b"message", mac)
    other = SigningKey(b"x" * 32) if key is OLD else Ed25519Key(b"x" * 32)
    assert not other.verify(b"message", mac)
    for text in ("", mac[:-1], mac + "A", mac + "=", f" {mac}", mac[:-1] + "é", mac[::-1]):
        assert not key.verify(b"message", text), text


@pytest.mark.parametrize("secret", [b"", b"short", b"x" * 15])
def test_a_secret_that_can_be_found_by_trying_is_refused(secret):
    with pytest.raises(UsageError, match="at least 16 bytes"):
        SigningKey(secret)
    assert SigningKey(secret.ljust(16, b"x")).kid


@pytest.mark.parametrize("kid", ["a b", "x" * 65, "é", 'a"b', "a\n"])
def test_a_name_that_could_break_out_of_a_record_is_refused(kid):
    with pytest.raises(UsageError, match="name of a key"):
        SigningKey(b"o" * 32, kid)


def test_no_secret_shows_in_a_representation():
    secret = b"SECRETSECRETSECRETSECRETSECRETSE"
    shown = repr([SigningKey(secret), Ed25519Key(secret), Keyring(secret), as_keyring([secret, OLD])])
    assert "SECRET" not in shown
    assert Keyring(secret).kids[0] in shown


def test_the_first_key_signs_and_all_of_them_check():
    ring = as_keyring([NEW, OLD])
    assert ring.signer is NEW
    assert ring.check("HS256", "old", b"m", OLD.sign(b"m")) == "valid"
    assert ring.check("HS256", "new", b"m", OLD.sign(b"m")) == "bad"
    assert ring.check("HS256", "gone", b"m", OLD.sign(b"m")) == "unknown_key"


def test_two_keys_of_one_name_are_both_tried():
    ring = Keyring(SigningKey(b"1" * 32, "k"), SigningKey(b"2" * 32, "k"))
    for secret in (b"1" * 32, b"2" * 32):
        assert ring.check("HS256", "k", b"m", SigningKey(secret).sign(b"m")) == "valid"


def test_a_public_key_is_never_used_as_a_secret():
    """The old trick with tokens: name the other algorithm and sign with what everybody has."""
    public = PAIR.public
    forged = SigningKey(public.raw, public.kid).sign(b"m")
    ring = Keyring(public)
    assert ring.check("HS256", public.kid, b"m", forged) == "unknown_key"
    assert ring.check("Ed25519", public.kid, b"m", forged) == "bad"
    assert ring.check("Ed25519", public.kid, b"m", PAIR.sign(b"m")) == "valid"
    with pytest.raises(UsageError, match="cannot sign"):
        _ = ring.signer


@pytest.mark.parametrize("given", ["text", 5, None, [], [5], [b"short"], object()])
def test_what_is_no_key_is_refused_with_words(given):
    with pytest.raises(UsageError):
        as_keyring(given)


def test_derived_secrets_differ_by_purpose_key_and_kind():
    derived = [
        derive_key(OLD, "a"),
        derive_key(OLD, "b"),
        derive_key(NEW, "a"),
        derive_key(Ed25519Key(OLD.secret), "a"),
    ]
    assert len(set(derived)) == 4
    assert all(len(secret) == 32 for secret in derived)
    assert derive_key(OLD, "a") == derive_key(SigningKey(OLD.secret, "renamed"), "a")


@given(st.lists(st.binary(max_size=12), max_size=5), st.lists(st.binary(max_size=12), max_size=5))
def test_no_two_lists_of_parts_have_the_same_bytes(one, two):
    assert (pae(one) == pae(two)) == (one == two)


@pytest.mark.parametrize("key", [OLD, PAIR, PAIR.public], ids=["secret", "private", "public"])
def test_a_key_file_gives_back_its_key(tmp_path, key):
    path = tmp_path / "key"
    write_key(key, path)
    (read,) = load_keys(path)
    assert read == key
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == (0o044 if isinstance(key, PublicKey) else 0)


def test_a_key_is_never_written_over_another_unless_that_is_asked_for(tmp_path):
    path = tmp_path / "key"
    path.write_text("mine")
    path.chmod(0o644)
    with pytest.raises(UsageError, match="there already"):
        write_key(OLD, path)
    assert path.read_text() == "mine"
    write_key(OLD, path, force=True)
    assert next(iter(load_keys(path))) == OLD
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_several_lines_are_several_keys_in_order(tmp_path):
    paths = [tmp_path / name for name in ("new", "old")]
    for key, path in zip((NEW, OLD), paths, strict=True):
        write_key(key, path)
    both = tmp_path / "both"
    both.write_bytes(b"".join(path.read_bytes() for path in paths))
    assert load_keys(both).kids == ("new", "old")


def test_a_secret_of_other_making_is_taken_byte_for_byte(tmp_path, monkeypatch):
    path = tmp_path / "raw"
    path.write_bytes(b"\x00\xff 0123456789abcdef \r\n")
    assert [key.secret for key in load_keys(path)] == [b"\x00\xff 0123456789abcdef "]
    monkeypatch.setenv("RECEIPTS_KEY", "0123456789abcdef0123")
    assert [key.secret for key in load_keys("env:RECEIPTS_KEY")] == [b"0123456789abcdef0123"]
    assert key_from_env("RECEIPTS_KEY").kids == load_keys("env:RECEIPTS_KEY").kids


def test_pem_files_of_ed25519_are_read(tmp_path):
    private = Ed25519PrivateKey.from_private_bytes(PAIR.seed)
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    assert next(iter(parse_keys(pem))) == PAIR
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert next(iter(parse_keys(public))) == PAIR.public


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"short",
        b"{}",
        b'{"v": 1}',
        b'{"v": 2, "alg": "HS256", "secret": "AAAA"}',
        b'{"v": 1, "alg": "HS256", "secret": "AAAA"}',
        b'{"v": 1, "alg": "HS256", "public": "' + b"A" * 43 + b'"}',
        b'{"v": 1, "alg": "none", "secret": "' + b"A" * 43 + b'"}',
        b'{"v": 1, "alg": "Ed25519", "secret": "AAAA"}',
        b'{"v": 1, "alg": "HS256", "kid": 5, "secret": "' + b"A" * 43 + b'"}',
        b'{"v": 1, "alg": "HS256", "secret": "' + b"A" * 43 + b'="}',
        b"{" * 5_000,
        b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
        b"-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
    ],
    ids=range(14),
)
def test_a_file_without_a_key_is_told_of_without_its_content(data):
    with pytest.raises(UsageError) as told:
        parse_keys(data, where="the key file k")
    assert str(told.value).startswith("the key file k: ")
    assert "A" * 20 not in str(told.value)


@given(st.binary(max_size=200))
def test_no_file_raises_anything_else(data):
    for whole in (data, b"{" + data, b"-----BEGIN PUBLIC KEY-----\n" + data):
        with contextlib.suppress(UsageError):
            assert len(parse_keys(whole)) >= 1


@pytest.mark.parametrize("source", ["missing", "env:RECEIPTS_NOT_SET", ".", "a\0b"])
def test_a_key_that_cannot_be_read_is_said_plainly(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"key file|environment variable"):
        load_keys(source)


def test_new_keys_differ():
    assert len({make_key().secret for _ in range(8)} | {make_key("Ed25519").seed for _ in range(8)}) == 16


def test_without_the_extra_hmac_works_and_ed25519_says_what_to_install():
    code = """
import sys
sys.modules["cryptography"] = None
from receipts_middleware.core.errors import UsageError
from receipts_middleware.signing import Ed25519Key, PublicKey, make_key, parse_keys, SigningKey
assert SigningKey(b"x" * 16).verify(b"m", make_key().sign(b"m")) is False
for make in (lambda: Ed25519Key(b"x" * 32), lambda: PublicKey(b"x" * 32), lambda: make_key("Ed25519"),
             lambda: parse_keys(b"-----BEGIN PUBLIC KEY-----")):
    try:
        make()
    except UsageError as error:
        assert "receipts-middleware[ed25519]" in str(error), error
    else:
        raise SystemExit("no error")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_importing_signing_loads_no_library():
    code = "import sys, receipts_middleware.signing; print(json.dumps('cryptography' in sys.modules))"
    run = subprocess.run([sys.executable, "-c", f"import json; {code}"], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) is False
