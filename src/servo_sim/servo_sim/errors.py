"""What can go wrong in the simulation.

StrideError
 +-- ModelError        MuJoCo refuses a robot's model
 +-- SimulationError   the physics went wrong while it ran
"""

from __future__ import annotations

from stride_base.errors import StrideError


class ModelError(StrideError):
    """A model cannot be used; the message holds MuJoCo's reason."""


class SimulationError(StrideError):
    """The simulation diverged."""
