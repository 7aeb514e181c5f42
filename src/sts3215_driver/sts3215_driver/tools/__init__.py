"""What a person does with single servos: find, set up, save, calibrate. Functions over `Bus`; they
print nothing and wait only through the clock of the transport."""
