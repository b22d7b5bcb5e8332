"""Readers: one file per transcript format, from bytes or objects to a `Transcript`. Pure."""
