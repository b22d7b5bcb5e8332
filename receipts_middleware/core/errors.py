"""Exceptions of this package, split by whose fault it is.

What an agent, a tool or a stored document says never raises: it becomes a finding. Only two things raise:
a caller's mistake (`UsageError`) and a document that cannot be read at all (`FormatError`).
"""

from __future__ import annotations


class ReceiptsError(Exception):
    """Base class of every exception that this package raises on purpose."""


class UsageError(ReceiptsError, ValueError):
    """The caller passed something that cannot be right; the message says what to pass instead."""


class FormatError(ReceiptsError):
    """A document could not be read as a transcript; the message says where and what was expected."""
