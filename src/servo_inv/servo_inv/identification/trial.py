"""Goals that an inverse model gives for a whole motion, to try it out."""

from __future__ import annotations

import numpy as np

from servo_inv.goal_model import GoalModel, PositionModel
from servo_inv.identification.excitation import Motion
from servo_inv.inverse_servo import InverseServo
from servo_inv.joint_message import FloatArray, read_joints
from servo_inv.model_list import ModelList
from servo_inv.servo_model import ServoModel
from servo_inv.seven_param import SevenParamModel, Surroundings
from servo_inv.timing import Timing


def goals_for(
    motion: Motion,
    effort: FloatArray,
    voltage: float,
    model: ServoModel | None,
    timing: Timing,
) -> FloatArray:
    """(m,) rad: what the inverse servo nodes would answer.

    Args:
        motion: Wanted.
        effort: (m,) N m, that of its load.
        voltage: V.
        model: Of the servo; None: the goals are the wanted positions.
        timing: Period of the motion, lead and latency.
    """
    inverse: GoalModel = PositionModel()
    if model is not None:
        inverse = SevenParamModel(ModelList([], default=model), Surroundings(voltage))
    servo = InverseServo(inverse, timing)
    goals = [
        servo.on_joints(read_joints(["joint"], [q], [v], [tau])).position[0]
        for q, v, tau in zip(motion.position, motion.velocity, effort, strict=True)
    ]
    return np.array(goals)
