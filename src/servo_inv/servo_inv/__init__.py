"""Inverse servo models: wanted joint states into servo goals."""
