"""`receipts lint`: the command, what it does with each file, and the baseline of what is known already.

`command` holds the options, `work` reads files and lints them, `pool` does so in several processes, `stream` those
whose lines are calls or messages, `baseline` keeps what an old project lives with, `formats` is the table of report
formats.
"""

from receipts_middleware.cli.lint.command import lint

__all__ = ["lint"]
