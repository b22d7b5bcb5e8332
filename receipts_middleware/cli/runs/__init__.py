"""Many runs at once: what is done with a batch of input, in how many processes, and how what comes out is written.

`work` reads and verifies one batch in any process, `pool` hands batches out and takes results in the order of the
input, `output` writes them, `progress` shows how far it is.
"""

from receipts_middleware.cli.runs.output import Outcome, write_report
from receipts_middleware.cli.runs.pool import work_through
from receipts_middleware.cli.runs.work import Done, Job, do_batch, read_item, transcript_id

__all__ = ["Done", "Job", "Outcome", "do_batch", "read_item", "transcript_id", "work_through", "write_report"]
