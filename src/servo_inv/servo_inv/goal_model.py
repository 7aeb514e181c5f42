"""The part in which the inverse models differ: which goal brings a servo to a wanted state.

A model is bound to the joints of a message once, so that nothing is looked up by name while the
joints stay the same.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from servo_inv.joint_message import FloatArray, JointCommand


class Past(NamedTuple):
    """What is remembered of the cycle before: its goals without lead and its velocities, (n,).

    Goals are NaN for wheels; velocities for wheels, and for all where the message gave none.
    """

    goal: FloatArray
    velocity: FloatArray


class BoundModel(Protocol):
    """A model, indexed for certain joints in a certain order."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know of this match of joints and models."""

    def goal(self, command: JointCommand, past: Past | None, elapsed: float) -> FloatArray:
        """Goals without lead, (n,) rad; NaN for wheels.

        Args:
            command: Wanted state of the joints that the model is bound to.
            past: The last values of an earlier cycle; None for a first message.
            elapsed: Time since `past`, s; a period where there is no past.
        """


class GoalModel(Protocol):
    """A model of all servos, by joint name."""

    def bind(self, names: tuple[str, ...]) -> BoundModel:
        """The model for these joints.

        Raises:
            RefusedError: there is none, and the model does not do without.
        """


class PositionModel:
    """The servo goes exactly where it is told: the goal is the wanted position."""

    warnings: tuple[str, ...] = ()

    def bind(self, names: tuple[str, ...]) -> PositionModel:
        return self

    def goal(self, command: JointCommand, past: Past | None, elapsed: float) -> FloatArray:
        return command.position
