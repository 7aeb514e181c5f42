"""The check before motors move: sequences and gaits followed on paper."""
