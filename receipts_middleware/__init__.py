"""Receipts for what an agent really did.

The public surface of the framework-free part. The middleware is at `receipts_middleware.langchain` and, lazily, as
`receipts_middleware.ReceiptsMiddleware`, so that importing this package never imports LangChain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from receipts_middleware.core.citation import parse_citations
from receipts_middleware.core.errors import FormatError, ReceiptsError, UsageError
from receipts_middleware.core.finding import CitationCheck, Claim, Finding, Verification
from receipts_middleware.core.policy import LanguageTables, Policy, ToolPolicy
from receipts_middleware.core.verify import verify
from receipts_middleware.readers import read_transcript
from receipts_middleware.verification import averify_messages, averify_turns, verify_messages, verify_turns

if TYPE_CHECKING:
    from receipts_middleware.audit import Audit, audit_results
    from receipts_middleware.langchain import ReceiptsMiddleware as ReceiptsMiddleware
    from receipts_middleware.llm import LLMExtractor
    from receipts_middleware.policy import load_policy

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "CitationCheck",
    "Claim",
    "Finding",
    "FormatError",
    "LLMExtractor",
    "LanguageTables",
    "Policy",
    "ReceiptsError",
    "ToolPolicy",
    "UsageError",
    "Verification",
    "__version__",
    "audit_results",
    "averify_messages",
    "averify_turns",
    "load_policy",
    "parse_citations",
    "read_transcript",
    "verify",
    "verify_messages",
    "verify_turns",
]


def __getattr__(name: str) -> object:
    if name == "ReceiptsMiddleware":
        from receipts_middleware.langchain import ReceiptsMiddleware

        return ReceiptsMiddleware
    if name in ("Audit", "audit_results"):  # most runs audit nothing
        from receipts_middleware import audit

        return getattr(audit, name)
    if name == "load_policy":  # most runs have no policy, and the TOML parser takes its time to load
        from receipts_middleware.policy import load_policy

        return load_policy
    if name == "LLMExtractor":  # most runs ask no model
        from receipts_middleware.llm import LLMExtractor

        return LLMExtractor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
