"""What becomes of a request to the robot."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """Whether a request was taken, and what happens or why not, in one sentence."""

    accepted: bool
    message: str
