"""Commands of hexapods, for the `stride` command."""
