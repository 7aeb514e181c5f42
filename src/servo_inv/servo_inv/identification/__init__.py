"""Identification of servo models: from goals and positions to seven parameters per joint."""
