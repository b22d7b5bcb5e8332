"""Reports: one file per output format, from a `Verification` to text. Pure."""
