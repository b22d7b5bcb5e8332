"""Grades: how strong the evidence of one call is, from S0 (no call) to S4 (confirmed afterwards), F for failed.

A receipt holds evidence and never a grade; the grade is worked out when somebody verifies, by the table of
docs/formats.md section 5. `rows` is that table for one receipt, `ledger` grades a conversation and sees read-backs,
`readback` reads states of named objects out of what a reading call returned.
"""

from receipts_middleware.core.grade.ledger import Grades, grade_ledger
from receipts_middleware.core.grade.rows import GRADES, Graded, grade
from receipts_middleware.core.transcript import Grade

__all__ = ["GRADES", "Grade", "Graded", "Grades", "grade", "grade_ledger"]
