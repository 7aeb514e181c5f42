"""The `stride` command."""
