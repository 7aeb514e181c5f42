"""STS3215 servos that exist only in this computer: protocol, registers, motion and their faults.

Servos hang on an `EmulatedBus`, which is told the time; a `PtyServer` gives it a real one and a
serial port that any driver can open.
"""
