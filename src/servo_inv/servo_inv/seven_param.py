"""The 7-parameter model of all servos, bound to the joints of a message in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from servo_inv.goal_model import Past
from servo_inv.joint_message import FloatArray, JointCommand
from servo_inv.lead import change_since
from servo_inv.model_list import ModelList
from servo_inv.offset import offset_at, stack_models
from servo_inv.saturation import Saturation
from servo_inv.servo_model import ServoModel
from stride_base.errors import RefusedError


@dataclass
class Surroundings:
    """What the model must know besides the joints; its owner keeps it up to date.

    Args:
        voltage: Supply voltage, V, > 0.
        dead_zone: Wanted speed up to which there is no Coulomb and no Stribeck term, rad/s, >= 0.
    """

    voltage: float
    dead_zone: float = 0.001


class SevenParamModel:
    """Inverse model of all servos: a `GoalModel` whose servo models can be replaced at run time.

    Args:
        models: Servo models by joint.
        surroundings: Shared with the owner; each goal uses its values of that moment.
        skip_missing: Refuse messages with a joint that has no model, instead of taking the wanted
            position for its goal.
        saturation: Told of the offsets of all goals.
    """

    def __init__(
        self,
        models: ModelList,
        surroundings: Surroundings,
        skip_missing: bool = False,
        saturation: Saturation | None = None,
    ) -> None:
        self.models = models
        self.surroundings = surroundings
        self.saturation = saturation or Saturation()
        self._skip_missing = skip_missing

    def replace(self, model: ServoModel) -> None:
        """Put `model` in place of the one of its joint, or add it; used where bound from now on."""
        self.models = self.models.with_model(model)

    def bind(self, names: tuple[str, ...]) -> BoundSevenParam:
        """The models in the order of `names`.

        Raises:
            RefusedError: a joint has no model, and such joints are not to be taken as they are.
        """
        missing = self.models.missing(names)
        if missing and self._skip_missing:
            raise RefusedError(f"no servo model for joint {', '.join(missing)}")
        warnings = [
            f"joint '{name}' has no servo model: its goal is the wanted position"
            for name in missing
        ]
        warnings += [
            f"joint '{name}' has a servo model but is not in joints_fixed"
            for name in self.models.unused(names)
        ]
        models = [self.models.of(name) or ServoModel(name) for name in names]
        return BoundSevenParam(models, self.surroundings, self.saturation, tuple(warnings))


class BoundSevenParam:
    """Servo models as arrays, in the order of the joints.

    Args:
        models: (n,) one of each joint.
        surroundings: Voltage and dead zone at the time of a goal.
        saturation: Told of the offsets.
        warnings: What the user should know of this match of joints and models.
    """

    def __init__(
        self,
        models: Sequence[ServoModel],
        surroundings: Surroundings,
        saturation: Saturation,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.warnings = warnings
        self._surroundings = surroundings
        self._saturation = saturation
        self._parameters = stack_models(models)
        self._gears = np.array([model.kgear for model in models])

    def goal(self, command: JointCommand, past: Past | None, elapsed: float) -> FloatArray:
        """Position and offset, (n,) rad. Without a velocity before and now, acceleration is 0."""
        acceleration: FloatArray | float = 0.0
        if past is not None and command.has_velocity:
            acceleration = change_since(past.velocity, command.velocity) / elapsed
        now = self._surroundings
        goal = command.position + offset_at(
            self._parameters,
            command.velocity,
            acceleration,
            command.effort,
            now.voltage,
            now.dead_zone,
        )
        self._saturation.note(command.names, (goal - command.position) * self._gears)
        return goal
