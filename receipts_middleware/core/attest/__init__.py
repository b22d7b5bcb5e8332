"""What the signatures, the chain and the private channel prove of a transcript, and what may be believed of it.

`examine` looks at every record and says what it is, each dimension by itself; `believe` leaves of the transcript what
the keys vouch for, so that whoever judges it next need not know of keys. Nothing here raises over what it reads.
"""

from receipts_middleware.core.attest.believe import believe, believe_receipt
from receipts_middleware.core.attest.examine import examine
from receipts_middleware.core.attest.value import Binding, Chain, Examination, Fault, Record, Tail

__all__ = ["Binding", "Chain", "Examination", "Fault", "Record", "Tail", "believe", "believe_receipt", "examine"]
