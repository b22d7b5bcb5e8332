"""`python -m receipts_middleware`: the command `receipts`, where scripts are not on the path."""

from __future__ import annotations

from receipts_middleware.cli import main

if __name__ == "__main__":
    main()
