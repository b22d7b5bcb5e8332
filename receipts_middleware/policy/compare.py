"""A policy against the tools of a run: entries that fit none of them are often misspelled names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from receipts_middleware.core.policy import Policy
from receipts_middleware.core.policy.check import shown, shown_path
from receipts_middleware.core.policy.value import fits

#: Enough of a run's tools to find the one that was meant.
MAX_NAMES: Final = 1_000


def idle_entries(policy: Policy, names: Sequence[str]) -> Iterator[str]:
    """Say which entries of a policy fit no tool.

    Args:
        policy: The policy.
        names: Names of the tools of a run. Untrusted.

    Yields:
        One sentence for each entry, those of `tools` first. An entry may be right all the same: a run need not have
        every tool.
    """
    known = list(names[:MAX_NAMES])
    for tool in policy.tools:
        if not any(fits(tool.name, name) for name in known):
            yield f"[{shown_path(('tools', tool.name))}] fits no tool{_meant(tool.name, known)}"
    for pattern in policy.ignore_tools:
        if not any(fits(pattern, name) for name in known):
            yield f"{shown(pattern)} in ignore_tools fits no tool{_meant(pattern, known)}"


def _meant(name: str, known: Sequence[str]) -> str:
    found = get_close_matches(name, [k for k in known if len(k) <= len(name) * 2], n=1, cutoff=0.75)
    return f"; did you mean {shown(found[0])}?" if found else ""
