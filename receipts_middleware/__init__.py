"""Receipts for what an agent really did.

The public surface of the framework-free part. Every name is imported when it is first asked for, so that importing this
package costs next to nothing. The middleware is at `receipts_middleware.langchain` and as
`receipts_middleware.ReceiptsMiddleware`; nothing else imports LangChain.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as `typing` has it, which takes longer to load than this package; type checkers know the name
if TYPE_CHECKING:
    from receipts_middleware.audit import Audit, audit_results
    from receipts_middleware.confirming import Confirmed, aconfirm, confirm
    from receipts_middleware.core.citation import parse_citations
    from receipts_middleware.core.confirmation import Confirmation
    from receipts_middleware.core.errors import FormatError, ReceiptsError, UsageError
    from receipts_middleware.core.finding import CitationCheck, Claim, Finding, Verification
    from receipts_middleware.core.policy import LanguageTables, Policy, ToolPolicy
    from receipts_middleware.langchain import ReceiptsMiddleware as ReceiptsMiddleware
    from receipts_middleware.llm import LLMExtractor
    from receipts_middleware.policy import load_policy
    from receipts_middleware.readers import read_transcript
    from receipts_middleware.readers.registry import read_transcripts
    from receipts_middleware.readers.say_do import read_pair
    from receipts_middleware.recorder import Recorder
    from receipts_middleware.sanitizing import Sanitized, SanitizeReport, sanitize_messages
    from receipts_middleware.verification import averify_messages, averify_turns, verify, verify_messages, verify_turns

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "CitationCheck",
    "Claim",
    "Confirmation",
    "Confirmed",
    "Finding",
    "FormatError",
    "LLMExtractor",
    "LanguageTables",
    "Policy",
    "ReceiptsError",
    "Recorder",
    "SanitizeReport",
    "Sanitized",
    "ToolPolicy",
    "UsageError",
    "Verification",
    "__version__",
    "aconfirm",
    "audit_results",
    "averify_messages",
    "averify_turns",
    "confirm",
    "load_policy",
    "parse_citations",
    "read_pair",
    "read_transcript",
    "read_transcripts",
    "sanitize_messages",
    "verify",
    "verify_messages",
    "verify_turns",
]


#: Public names by the module that they are in. Each is imported when it is first asked for: a process that only
#: catches an error or reads citations need not load the judge.
_MODULES = {
    "audit": "Audit audit_results",
    "confirming": "Confirmed aconfirm confirm",
    "core.confirmation": "Confirmation",
    "core.citation": "parse_citations",
    "core.errors": "FormatError ReceiptsError UsageError",
    "core.finding": "CitationCheck Claim Finding Verification",
    "core.policy": "LanguageTables Policy ToolPolicy",
    "langchain": "ReceiptsMiddleware",
    "llm": "LLMExtractor",
    "policy": "load_policy",
    "readers": "read_transcript",
    "readers.registry": "read_transcripts",
    "readers.say_do": "read_pair",
    "recorder": "Recorder",
    "sanitizing": "SanitizeReport Sanitized sanitize_messages",
    "verification": "averify_messages averify_turns verify verify_messages verify_turns",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}


if not TYPE_CHECKING:  # type checkers see the block above, and refuse what is in neither

    def __getattr__(name: str) -> object:
        module = _PLACES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(f"{__name__}.{module}"), name)
        globals()[name] = found  # so that it is looked up here no more
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
