"""Servo models as YAML."""
