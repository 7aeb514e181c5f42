"""Recordings in MCAP: record, read, plot."""
