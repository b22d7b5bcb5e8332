"""Input of the commands: paths to files, files to records, records to parsed values. Files are opened here alone.

`paths` finds the files, `source` opens and decompresses one, `split` cuts it into records, `parse` makes values of
bytes, and `batches` decides for each file whether its records are runs or the file is one, and hands them out in
pieces of bounded size. What the values mean is the readers' business.
"""

from receipts_middleware.cli.inputs.batches import Batch, Document, Item, Pair, Record, read_batches, read_source
from receipts_middleware.cli.inputs.lines import find_reply_lines
from receipts_middleware.cli.inputs.parse import parse_document, parse_record
from receipts_middleware.cli.inputs.paths import Found, find_files, known_size, pointed_at_one_file
from receipts_middleware.cli.inputs.source import (
    STANDARD_INPUT,
    InputError,
    Source,
    open_source,
    read_document,
    shown_name,
)
from receipts_middleware.cli.inputs.split import Cut, cut_lines
from receipts_middleware.cli.inputs.threads import Thread, is_threads, read_thread

__all__ = [
    "STANDARD_INPUT",
    "Batch",
    "Cut",
    "Document",
    "Found",
    "InputError",
    "Item",
    "Pair",
    "Record",
    "Source",
    "Thread",
    "cut_lines",
    "find_files",
    "find_reply_lines",
    "is_threads",
    "known_size",
    "open_source",
    "parse_document",
    "parse_record",
    "pointed_at_one_file",
    "read_batches",
    "read_document",
    "read_source",
    "read_thread",
    "shown_name",
]
