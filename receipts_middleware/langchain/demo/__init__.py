"""The demo: a support-desk agent that really acts, and a report that is not quite true.

Only the demo's own parts belong here; `play` runs it, `show` prints it.
"""
