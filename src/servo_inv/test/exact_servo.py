"""The 7-parameter model of the simulated servo, solved from its equations, and what it records."""

from collections.abc import Sequence

import numpy as np
from sts3215_joint import Joint, Servo, follow

from servo_inv.identification.load import PointLoad
from servo_inv.identification.recording import JointRecord
from servo_inv.servo_model import ServoModel

PERIOD = 0.02
LOAD = PointLoad(0.3, 0.2)


def exact_model(servo: Servo, name: str = "joint") -> ServoModel:
    volts = servo.resistance / servo.kt
    return ServoModel(
        name,
        kp=servo.error_gain * servo.p_gain,
        viscous=volts * servo.viscous + servo.kt,
        inertia=volts * servo.armature,
        coulomb=volts * servo.coulomb,
        stribeck=volts * servo.stribeck,
        torque=volts,
        stribeck_velocity=servo.stribeck_velocity,
        stribeck_exponent=servo.stribeck_exponent,
    )


def record_of(joint: Joint, goals: Sequence[float], name: str = "joint") -> JointRecord:
    """The recording of a joint that runs goals; each is reached within a period."""
    course = follow(joint, goals, PERIOD, PERIOD)
    count = len(course.time)
    return JointRecord(
        name,
        np.array(course.time),
        np.array(course.goal),
        np.full(count, PERIOD),
        np.array(course.position),
        np.full(count, joint.voltage),
    )
