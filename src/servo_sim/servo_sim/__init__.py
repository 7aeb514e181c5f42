"""The simulated robot: MuJoCo behind the emulated servo bus, and checks that its physics is right."""
