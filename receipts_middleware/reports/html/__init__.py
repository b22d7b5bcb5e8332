"""Runs as one page that needs nothing else: no network, no other file, and no JavaScript to be read. Pure.

`markup` escapes, `marks` cuts a reply at its judged spans, `reply` shows them, `receipts` shows what they rest on,
`run` puts a run together, `overview` the totals; `page` is what stands around them. `page.css` and `page.js` are data:
whoever writes a page reads the files and hands them in. `card` is the small form for notebooks.
"""

from receipts_middleware.reports.html.page import HtmlRuns

__all__ = ["HtmlRuns"]
