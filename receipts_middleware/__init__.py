"""Receipts for what an agent really did."""

from __future__ import annotations

__version__ = "0.1.0"
