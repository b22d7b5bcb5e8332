"""The command line `receipts`: options, files, screens and exit codes; everything else is elsewhere.

Importing it does not import LangChain: only `demo` does, when it runs.
"""

from receipts_middleware.cli.app import main

__all__ = ["main"]
