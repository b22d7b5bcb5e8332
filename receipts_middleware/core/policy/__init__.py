"""Policy: what the owner of an agent says about its tools and about a run, as values.

`value` holds the objects, `check` what each setting may be, `read` turns a document into them, `weigh` applies the
severities of rules. No file is opened here: `receipts_middleware.policy` does that.
"""

from __future__ import annotations

from receipts_middleware.core.policy.check import PolicyError, Problem
from receipts_middleware.core.policy.language import LanguageTables
from receipts_middleware.core.policy.read import read_policy
from receipts_middleware.core.policy.value import NO_POLICY, Policy, ToolPolicy, as_policy
from receipts_middleware.core.policy.weigh import as_severe, weigh

__all__ = [
    "NO_POLICY",
    "LanguageTables",
    "Policy",
    "PolicyError",
    "Problem",
    "ToolPolicy",
    "as_policy",
    "as_severe",
    "read_policy",
    "weigh",
]
