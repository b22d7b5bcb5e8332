"""Addresses, links, paths and branches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from receipts_middleware.core.patterns import pattern_of
from receipts_middleware.core.values.tables import (
    BRANCH_NAMES,
    BRANCH_PREFIXES,
    FILE_EXTENSIONS,
    NO_UNIT,
    NOT_FILES,
)
from receipts_middleware.core.values.value import MAX_NAME, Value

# Each begins only where no character of its own kind stands before it, so that a long word is read once.
_EMAIL: Final = pattern_of(
    r"(?<![\w.+%'-])[\w.+%'-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})){1,8}"
)
_URL: Final = pattern_of(r"\b(?:https?|ftp|s3|gs|postgres|file)://[^\s<>\"'`\[\]{}|\\^]+|\bwww\.[^\s<>\"'`\[\]{}|\\^]+")
_TOKEN: Final = pattern_of(r"(?<![\w./~\\@+:$-])(?:[A-Za-z]:(?=\\))?[\w.~@+\\/-]+")
_NAMED_FILE: Final = pattern_of(r"[`\"\u201c*']([^\W_][^`\"\u201c\u201d*'\n/]{0,80}\.([A-Za-z0-9]{1,7}))[`\"\u201d*']")
_QUOTE: Final = r"[`\"'*\u201c]{0,3}"
_BRANCH_AFTER: Final = pattern_of(
    rf"\b[Bb]ranch(?:es)?\s(?:named\s|called\s)?(?P<quote>{_QUOTE})(?P<name>[\w][\w./-]{{0,100}})"
)
_BRANCH_BEFORE: Final = pattern_of(r"[`\"'*]{1,2}(?P<name>[\w][\w./-]{0,100})[`\"'*]{1,2}\sbranch\b")
_BRANCH_KNOWN: Final = pattern_of(
    rf"(?:\b(?:into|onto|to|on|from|of)\s{_QUOTE}(?P<name>{'|'.join(BRANCH_NAMES[:5])})"
    r"(?=[`\"'*,;:!?)]|\.?(?:\s*\Z|\s(?:[A-Z]|and|as|for|with|by|in|on|at|was|is|to|from)))"
    rf"|\b(?P<name2>{'|'.join(BRANCH_NAMES)})\s[Bb]ranch\b|`(?P<name3>{'|'.join(BRANCH_NAMES)})`)"
)
#: Without one of these, or a mark of code, a text names no branch. `ranch`: the word is written large and small.
_BRANCH_SEEN: Final = pattern_of("ranch|main|master|dev|trunk")
#: Without a slash, only a dot with a letter or digit behind it makes a file name.
_DOTTED: Final = pattern_of(r"\.[A-Za-z0-9]")
#: What browsers and servers take; the rest of a longer one is cut.
MAX_URL: Final = 2_048
_LETTER: Final = pattern_of(r"[^\W\d_]")
_TRAILING: Final = ".,;:!?*_~'"


def read_emails(text: str) -> Iterator[Value]:
    """Email addresses.

    Args:
        text: Untrusted.
    """
    if "@" not in text:
        return
    for match in _EMAIL.finditer(text):
        start = match.start() + len(match.group()) - len(match.group().lstrip("'._%+-"))
        written = text[start : match.end()].rstrip("-")
        if not written.startswith("@"):
            yield Value("email", written, start, start + len(written), written.casefold())


def read_urls(text: str) -> Iterator[Value]:
    """Links, without the punctuation of the sentence around them.

    Args:
        text: Untrusted.
    """
    if "://" not in text and "www." not in text:
        return
    for match in _URL.finditer(text):
        written = match.group()[:MAX_URL].rstrip(_TRAILING)
        open_left = written.count("(") - written.count(")")
        while written.endswith(")") and open_left < 0:
            written, open_left = written[:-1], open_left + 1
        written = written.rstrip(_TRAILING)
        if len(written) > 8:
            yield Value("url", written, match.start(), match.start() + len(written), normal_url(written))


def normal_url(url: str) -> str:
    """A link with scheme and host in lower case, without a closing slash."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/") if mark else scheme.partition("/")
    bare = f"{scheme.lower()}://{host.lower()}" if mark else host.lower()
    return f"{bare}{slash}{path}".rstrip("/")


def read_branches(text: str) -> Iterator[Value]:
    """Branches that a word, a mark or their own prefix gives away.

    Args:
        text: Untrusted.
    """
    if "`" not in text and not _BRANCH_SEEN.search(text):
        return
    for match in _BRANCH_KNOWN.finditer(text):
        group = next(name for name in ("name", "name2", "name3") if match[name])
        yield _branch(match, group)
    for match in _BRANCH_AFTER.finditer(text):
        name = match["name"].rstrip(".-/")
        if match["quote"] or any(c in "-/_" or c.isdigit() for c in name):
            yield _branch(match, "name")
    for match in _BRANCH_BEFORE.finditer(text):
        yield _branch(match, "name")


def _branch(match: re.Match[str], group: str) -> Value:
    name = match[group].rstrip(".-/")
    return Value("branch", name, match.start(group), match.start(group) + len(name), name)


def read_paths(text: str) -> Iterator[Value]:
    """Paths and file names, and branches that have a prefix of their own (`fix/locale`).

    Args:
        text: Untrusted.
    """
    if "/" not in text and "\\" not in text and not _DOTTED.search(text):
        return
    for match in _NAMED_FILE.finditer(text):
        if match[2].lower() in FILE_EXTENSIONS and match[1].split()[0].lower() not in NO_UNIT:
            yield Value("path", match[1], match.start(1), match.end(1), normal_path(match[1]))
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(token) > 4 * MAX_NAME or not ("/" in token or "." in token or "\\" in token):
            continue
        written = token.rstrip(".-+@")
        quoted = text[match.start() - 1 : match.start()] == "`" == text[match.end() : match.end() + 1]
        if _is_branch(written):
            yield Value("branch", written, match.start(), match.start() + len(written), written)
        elif _is_path(written, quoted=quoted):
            yield Value("path", written, match.start(), match.start() + len(written), normal_path(written))


def normal_path(path: str) -> str:
    """A path with forward slashes, without `./` before and a slash behind it."""
    bare = path.replace("\\", "/")
    return bare.removeprefix("./").rstrip("/") or bare


def _is_branch(token: str) -> bool:
    head, slash, rest = token.partition("/")
    return bool(slash) and head in BRANCH_PREFIXES and bool(rest) and not _has_extension(rest)


def _is_path(token: str, *, quoted: bool) -> bool:
    if not _LETTER.search(token) or "@" in token[:1]:
        return False
    if token.startswith(("/", "~/", "./", "../")) or token[1:3] == ":\\":
        return len(token) > 2
    if "/" in token or "\\" in token:
        deep = token.count("/") >= 2 and any(c in "-_." or c.isdigit() for c in token)
        return _has_extension(token) or quoted or deep
    return _has_extension(token)


def _has_extension(token: str) -> bool:
    name = token.replace("\\", "/").rsplit("/", 1)[-1]
    stem, dot, extension = name.rpartition(".")
    return bool(dot and stem) and extension.lower() in FILE_EXTENSIONS and name.lower() not in NOT_FILES
