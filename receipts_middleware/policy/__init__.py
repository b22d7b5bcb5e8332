"""Policies in files: `receipts.toml` read, its mistakes found by line, and a first one written from a run.

`load` opens and reads, `locate` finds lines, `suggest` writes. The values are in `core.policy`.
"""

from __future__ import annotations

from receipts_middleware.core.policy import Policy, PolicyError, ToolPolicy, read_policy
from receipts_middleware.policy.load import load_policy, parse_policy
from receipts_middleware.policy.suggest import suggest_policy

__all__ = ["Policy", "PolicyError", "ToolPolicy", "load_policy", "parse_policy", "read_policy", "suggest_policy"]
