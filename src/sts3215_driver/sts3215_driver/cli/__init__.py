"""Commands for single servos, thin over `tools`. The `stride` group adds them."""
