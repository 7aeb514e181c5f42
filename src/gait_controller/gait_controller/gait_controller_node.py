"""Node `gait_controller`: a frame of the gait on `joints_fixed` for every `sync_step`."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from typing import Any

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, UInt64

from gait_controller import control_file
from gait_controller.controller import Controller, Settings
from gait_controller.frame import Frame
from gait_controller.node_parameters import PARAMS
from stride_base.callback_times import CallbackTimes
from stride_base.diagnostics import Level, Report
from stride_base.errors import ConfigError, RefusedError
from stride_base.parameters import Value
from stride_base.stride_node import LOOP_QOS, StrideNode, run_node


class GaitControllerNode(StrideNode):
    """Steps a `Controller`; see docs/gait_controller.md for topics and parameters."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__("gait_controller", PARAMS, **node_arguments)
        path = self.text("control_file")
        if not path:
            expected = "the path of a control file (format 2 or 3)"
            raise ConfigError(self.get_name(), "", "control_file", path, expected)
        control = control_file.load(path)
        for warning in control.warnings:
            self.get_logger().warning(f"{control.file}: {warning}")
        timer = self.text("clock_source") == "timer"
        rate = self.number("rate")
        start = self.text("start")
        self._controller = Controller(
            control,
            Settings(
                dt=1.0 / rate if rate > 0.0 else 0.0,
                start_measured=start == "measured" or (start == "auto" and not timer),
                approach_speed=self.number("approach_speed"),
                steering_rate_limit=self.number("steering_rate_limit"),
                steering_timeout=self.number("steering_timeout"),
                stall_torque=self.number("stall_torque"),
                load_timeout=self.number("load_timeout"),
            ),
        )
        self._times = CallbackTimes()
        self._told = self._controller.state
        self._reported_steps = 0
        self._timer_steps = 0
        self._message = JointState(name=list(control.names))
        self.joints_fixed = self.create_publisher(JointState, "joints_fixed", LOOP_QOS)
        # First, so that an executor with several messages at hand serves the clock first.
        if timer:
            self.create_timer(self._controller.dt, self._on_timer)
        else:
            self.create_subscription(UInt64, "sync_step", self._on_sync_step, LOOP_QOS)
        self.create_subscription(JointState, "joint_states", self._on_joint_states, LOOP_QOS)
        self.create_subscription(Float64, "steering", self._on_steering, LOOP_QOS)

    @property
    def controller(self) -> Controller:
        """The core that this node steps."""
        return self._controller

    def on_settings(self, changed: dict[str, Value]) -> None:
        """Live parameters; checked already."""
        if "approach_speed" in changed:
            self._controller.approach_speed = float(changed["approach_speed"])
        if "steering_rate_limit" in changed:
            self._controller.steering.rate_limit = float(changed["steering_rate_limit"])
        if "steering_timeout" in changed:
            self._controller.steering.timeout = float(changed["steering_timeout"])

    def reports(self) -> Sequence[Report]:
        steps, reported = self._controller.steps, self._reported_steps
        self._reported_steps = steps
        clock = Report("clock", Level.OK, "ticks arrive", self._times.values())
        if steps == reported:
            clock = Report("clock", Level.WARN, "no tick since the last report", clock.values)
        return [*self._controller.reports(), clock]

    def news(self) -> Sequence[Report]:
        return self._controller.news()

    def _on_sync_step(self, message: UInt64) -> None:
        self._step(message.data)

    def _on_timer(self) -> None:
        self._timer_steps += 1
        self._step(self._timer_steps)

    def _step(self, number: int) -> None:
        started = time.perf_counter()
        frame = self._controller.on_step(number)
        if frame is not None:
            self._publish(frame)
        self._times.add(time.perf_counter() - started)
        if self._controller.state is not self._told:
            self._told = self._controller.state
            self.tell_soon()

    def _publish(self, frame: Frame) -> None:
        message = self._message
        message.header.stamp = self.get_clock().now().to_msg()
        # An array('d') is taken over by the message as it is; a list is checked number by number.
        message.position = array("d", frame.position.tobytes())
        message.velocity = array("d", frame.velocity.tobytes())
        self.joints_fixed.publish(message)

    def _on_joint_states(self, message: JointState) -> None:
        try:
            self._controller.on_joint_states(
                message.name, message.position, message.velocity, message.effort
            )
        except RefusedError as error:
            self.refusals.add("joint_states", str(error))

    def _on_steering(self, message: Float64) -> None:
        command = message.data
        try:
            self._controller.on_steering(command)
        except RefusedError as error:
            self.refusals.add("steering", str(error))


def main() -> None:
    """Entry point of the node's process."""
    run_node(GaitControllerNode)


if __name__ == "__main__":
    main()
