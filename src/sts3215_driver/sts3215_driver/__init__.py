"""Driver and emulator for Feetech STS3215 bus servos."""
