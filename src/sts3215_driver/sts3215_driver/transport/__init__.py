"""Ways for bytes to reach the servos: a serial port, or a simulated bus in memory."""
