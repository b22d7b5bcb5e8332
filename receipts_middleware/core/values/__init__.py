"""Values in text and in arguments: amounts, counts, dates, times, addresses, ids, paths, percentages.

What a statement names is compared with what a call was given and what it returned, so both are read into one normal
form, with offsets into the text. `tables` are the words, `numbers` the numerals, one module each for what is read,
`same` says when two values are one, `pool` holds what was seen and knows sums, differences and counts of it. Nothing
here decides whether a statement is true.
"""

from receipts_middleware.core.values.arguments import read_arguments
from receipts_middleware.core.values.pool import Derivation, Pool
from receipts_middleware.core.values.read import read_values
from receipts_middleware.core.values.same import same_value
from receipts_middleware.core.values.value import Value, ValueKind

__all__ = ["Derivation", "Pool", "Value", "ValueKind", "read_arguments", "read_values", "same_value"]
