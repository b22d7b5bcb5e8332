"""Reports over linted calls, one file per format, in the looks that reports over verified runs have. Pure.

A report is written as findings come: `LintRenderer` says how. What several formats share is in `value`.
"""

from receipts_middleware.reports.lint.value import LintEnd, LintItem, LintRenderer

__all__ = ["LintEnd", "LintItem", "LintRenderer"]
