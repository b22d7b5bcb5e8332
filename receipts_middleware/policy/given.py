"""A policy as callers hand it in where a path will do as well."""

from __future__ import annotations

from os import PathLike

from receipts_middleware.core.policy import Policy, as_policy
from receipts_middleware.policy.load import load_policy


def policy_of(given: Policy | str | PathLike[str] | None) -> Policy:
    """The policy that was given, read where it is a path.

    Args:
        given: A policy; the path of a TOML file, or TOML text with a line break in it; or None.

    Returns:
        The policy; one that says nothing for None.

    Raises:
        UsageError: The file cannot be read or holds a mistake, as `load_policy` says it; or this is no policy at all.
    """
    return load_policy(given) if isinstance(given, str | PathLike) else as_policy(given)
