"""The check before motors move: sequences and gaits followed on paper, with everything that can be told."""
