"""Snapshots of the bus thread as ROS messages."""

from __future__ import annotations

import array
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import BatteryState, JointState

from servo_interfaces.msg import ServoStates
from sts3215_driver.bus_thread import Snapshot
from sts3215_driver.servo_table import ServoTable


class DriverMessages:
    """Fills the driver's messages; each call reuses the message of the call before.

    Args:
        servos: Servo table.
        stall_torque: N m at full load register.
    """

    def __init__(self, servos: ServoTable, stall_torque: float) -> None:
        self._names = list(servos.names)
        self._stall_torque = stall_torque
        self._joints = JointState(name=self._names)
        self._states = ServoStates(name=self._names, id=list(servos.ids))
        unknown = math.nan
        self._battery = BatteryState(
            current=unknown,
            charge=unknown,
            capacity=unknown,
            design_capacity=unknown,
            percentage=unknown,
            temperature=unknown,
            present=True,
        )

    def joint_states(self, snapshot: Snapshot) -> JointState | None:
        """The joints that were read in this cycle, or None if there are none: a value is never carried
        on as if it were new."""
        feedback, message = snapshot.feedback, self._joints
        fresh = feedback.fresh
        if not fresh.any():
            return None
        _stamp(message, snapshot)
        effort = feedback.load * self._stall_torque
        if fresh.all():
            message.name = self._names
            message.position = _doubles(feedback.position)
            message.velocity = _doubles(feedback.velocity)
            message.effort = _doubles(effort)
        else:
            message.name = [name for name, ok in zip(self._names, fresh, strict=True) if ok]
            message.position = _doubles(feedback.position[fresh])
            message.velocity = _doubles(feedback.velocity[fresh])
            message.effort = _doubles(effort[fresh])
        return message

    def servo_states(self, snapshot: Snapshot) -> ServoStates:
        """Everything that is known of each servo."""
        feedback, message = snapshot.feedback, self._states
        _stamp(message, snapshot)
        message.cycle = snapshot.cycle
        message.status = feedback.status.tolist()
        message.flags = feedback.flags.tolist()
        message.torque = snapshot.torque.tolist()
        message.goal_position = _doubles(snapshot.written.position)
        message.goal_velocity = _doubles(snapshot.written.velocity)
        for field in ("age", "position", "velocity", "load", "voltage", "temperature", "current"):
            setattr(message, field, _doubles(getattr(feedback, field)))
        return message

    def battery(self, snapshot: Snapshot) -> BatteryState | None:
        """The servos' supply, or None while no servo tells its voltage."""
        voltage = snapshot.feedback.supply
        if math.isnan(voltage):
            return None
        self._battery.voltage = voltage
        _stamp(self._battery, snapshot)
        return self._battery


def _stamp(message: Any, snapshot: Snapshot) -> None:
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(snapshot.stamp_ns, 10**9)


def _doubles(values: NDArray[np.float64]) -> array.array[float]:
    """The array type that generated messages take without looking at each element."""
    return array.array("d", np.ascontiguousarray(values, np.float64).tobytes())
