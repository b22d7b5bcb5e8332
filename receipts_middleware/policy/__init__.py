"""Policies in files: `receipts.toml` read, its mistakes found by line, and a first one written from a run.

`load` opens and reads, `given` takes a path or a policy, `locate` finds lines, `suggest` writes, `compare` holds a
policy against a run's tools. The values are in `core.policy`.
"""

from __future__ import annotations

from receipts_middleware.core.policy import LanguageTables, Policy, PolicyError, ToolPolicy, read_policy
from receipts_middleware.policy.compare import idle_entries
from receipts_middleware.policy.given import policy_of
from receipts_middleware.policy.load import load_policy, parse_policy
from receipts_middleware.policy.suggest import suggest_policy, tools_of_run

__all__ = [
    "LanguageTables",
    "Policy",
    "PolicyError",
    "ToolPolicy",
    "idle_entries",
    "load_policy",
    "parse_policy",
    "policy_of",
    "read_policy",
    "suggest_policy",
    "tools_of_run",
]
