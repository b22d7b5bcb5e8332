"""Taking forged records out of messages that come from outside: a caller's history, a client's echo, an import.

`sanitize` is the function, `vouch` says which records somebody answers for, `message` cleans one message, `texts` its
words and names, `value` holds what comes back. Pure: messages in, copies and a report out.
"""

from receipts_middleware.sanitizing.sanitize import Sanitized, clean, sanitize_messages
from receipts_middleware.sanitizing.value import Forgery, ForgeryKind, SanitizeReport
from receipts_middleware.sanitizing.vouch import Vouched

__all__ = ["Forgery", "ForgeryKind", "SanitizeReport", "Sanitized", "Vouched", "clean", "sanitize_messages"]
