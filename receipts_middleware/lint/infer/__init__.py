"""Schemas inferred from the calls on tape, and how the calls differ from what is declared.

`shape` takes values in, `texts` and `formats` look at texts, `secrets` keeps back what must not be shown, `schema`
writes what all had in common, `tape` does that for the tools of many runs, `check` holds calls against what was
inferred, `drift` holds them against what was declared.
"""

from __future__ import annotations

from receipts_middleware.lint.infer.check import FitCheck, FitReport, HoldOut
from receipts_middleware.lint.infer.drift import Drift, find_drift
from receipts_middleware.lint.infer.tape import Tape, calls_of, infer_tools

__all__ = ["Drift", "FitCheck", "FitReport", "HoldOut", "Tape", "calls_of", "find_drift", "infer_tools"]
