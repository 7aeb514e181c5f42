"""Six legs: kinematics, trajectories, sequences, their engine, gaits, and a check before motors move."""
