"""What the inverse nodes have in common: `joints_fixed` in, `goals` out, `sync_step` in between."""

from __future__ import annotations

import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import UInt64

from servo_interfaces.msg import ServoGoal
from servo_inv.goal_model import GoalModel
from servo_inv.inverse_servo import Goals, InverseServo
from servo_inv.joint_message import read_joints
from servo_inv.timing import TIMING_PARAMS, Timing
from stride_base.diagnostics import Report
from stride_base.errors import RefusedError
from stride_base.parameters import Param, Value
from stride_base.stride_node import LOOP_QOS, StrideNode

WARNING_PERIOD = 1.0


class InverseServoNode(StrideNode):
    """Answers each valid `joints_fixed` with `goals` at once; `params` hold TIMING_PARAMS.

    Args:
        name: Name of the node.
        params: Its parameters.
        make_model: Gives the model, from the parameters of the node that it is called with.
    """

    def __init__(
        self,
        name: str,
        params: Sequence[Param],
        make_model: Callable[[StrideNode], GoalModel],
        **node_arguments: Any,
    ) -> None:
        super().__init__(name, params, **node_arguments)
        self.inverse = InverseServo(make_model(self), self._timing({}))
        self._output = _GoalMessage()
        self._goals = self.create_publisher(ServoGoal, "goals", LOOP_QOS)
        # First, because of two messages that wait the executor takes that of the older
        # subscription: a tick comes before the joints that answer it.
        self.create_subscription(UInt64, "sync_step", self._on_step, LOOP_QOS)
        self.create_subscription(JointState, "joints_fixed", self._on_joints, LOOP_QOS)

    def reports(self) -> Sequence[Report]:
        return self.inverse.reports()

    def on_settings(self, changed: dict[str, Value]) -> None:
        self.inverse.timing = self._timing(changed)

    def _timing(self, changed: dict[str, Value]) -> Timing:
        settings = {**self.settings, **changed}
        return Timing(*(float(settings[param.name]) for param in TIMING_PARAMS))

    def _on_step(self, message: UInt64) -> None:
        self.inverse.on_step(message.data)

    def _on_joints(self, message: JointState) -> None:
        try:
            command = read_joints(
                message.name,
                message.position,
                message.velocity,
                message.effort,
                known=self.inverse.joints,
            )
            goals = self.inverse.on_joints(command)
        except RefusedError as error:
            self.refusals.add("joints_fixed", str(error))
            return
        stamp = message.header.stamp
        if not (stamp.sec or stamp.nanosec):
            stamp = self.get_clock().now().to_msg()
        self._goals.publish(self._output.fill(goals, stamp))
        if goals.joints_changed:
            self.get_logger().warning(
                f"{goals.joints_changed}; the message counts as the first, without lead",
                throttle_duration_sec=WARNING_PERIOD,
            )
        for warning in goals.warnings:
            self.get_logger().warning(warning)


class _GoalMessage:
    """One ServoGoal for all goals: the arrays are written in place, which spares their checks."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._message = ServoGoal()

    def fill(self, goals: Goals, stamp: Time) -> ServoGoal:
        if goals.names is not self._names:
            self._resize(goals.names)
        self._position[:] = goals.position
        self._duration[:] = goals.duration
        self._velocity[:] = goals.velocity
        self._message.header.stamp = stamp
        return self._message

    def _resize(self, names: tuple[str, ...]) -> None:
        self._names = names
        message = self._message = ServoGoal()
        message.name = list(names)
        for field in ("position", "duration", "velocity"):
            setattr(message, field, array.array("d", bytes(8 * len(names))))
        self._position = np.frombuffer(message.position)
        self._duration = np.frombuffer(message.duration)
        self._velocity = np.frombuffer(message.velocity)
