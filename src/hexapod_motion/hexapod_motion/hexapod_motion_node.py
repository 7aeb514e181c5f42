"""Node `hexapod_motion`: one frame of sequences or walking on `joints_fixed` for every `sync_step`."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from typing import Any

from geometry_msgs.msg import Pose, Twist
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64, UInt64
from std_srvs.srv import Trigger

from hexapod_motion.ground_contact import ContactObserver
from hexapod_motion.messages import fill_odometry, pose_of, tilt_of
from hexapod_motion.motion import Motion
from hexapod_motion.motion_report import MotionReport
from hexapod_motion.motion_types import Frame, State
from hexapod_motion.node_parameters import (
    PARAMS,
    command_settings,
    motion_settings,
    walk_settings,
)
from hexapod_motion.odometry import Odometer
from hexapod_motion.robot_files import load_robot
from servo_interfaces.srv import SelectSequence
from stride_base.callback_times import CallbackTimes
from stride_base.diagnostics import Level, Report
from stride_base.errors import ConfigError, RefusedError
from stride_base.parameters import Value
from stride_base.stride_node import LOOP_QOS, StrideNode, run_node
from stride_base.transforms import TransformBroadcaster, tf_message_class


class HexapodMotionNode(StrideNode):
    """Steps a `Motion`; see docs/hexapod_motion.md for topics, services and parameters."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__("hexapod_motion", PARAMS, **node_arguments)
        robot = load_robot(self.text("robot"))
        for warning in robot.warnings:
            self.get_logger().warning(warning)
        settings = motion_settings(self.settings)
        if settings.walk.gait not in robot.gaits:
            expected = f"one of {', '.join(robot.gaits)}"
            raise ConfigError(self.get_name(), "", "gait", settings.walk.gait, expected)
        self._motion = Motion(robot.geometry, robot.book, robot.gaits, settings)
        measured = self.text("odom_source") == "measured"
        self._contacts = ContactObserver(self._motion, measured)
        self._odometer = Odometer()
        self._report, self._times = MotionReport(self._motion), CallbackTimes()
        self._told = self._report.moment()
        self._timer_steps, self._state = 0, self._motion.state
        self._message = JointState(name=list(robot.geometry.joint_names))
        self._odom_message = OdometryMessage()
        prefix = self.text("frame_prefix")
        self._odom_message.header.frame_id = prefix + self.text("odom_frame")
        self._odom_message.child_frame_id = prefix + self.text("base_frame")
        self._joints = self.create_publisher(JointState, "joints_fixed", LOOP_QOS)
        self._odom = None
        if self.settings["publish_odom"]:
            self._odom = self.create_publisher(OdometryMessage, "odom", LOOP_QOS)
        broadcast = self._odom is not None and bool(self.settings["publish_tf"])
        self._frames = TransformBroadcaster(self, tf_message_class() if broadcast else None)
        # First, so that an executor with several messages at hand serves the clock first.
        if self.text("clock_source") == "timer":
            self.create_timer(self._motion.dt, self._on_timer)
        else:
            self.create_subscription(UInt64, "sync_step", self._on_sync_step, LOOP_QOS)
        self.create_subscription(JointState, "joint_states", self._on_joint_states, LOOP_QOS)
        self.create_subscription(Twist, "cmd_vel", self._on_cmd_vel, LOOP_QOS)
        self.create_subscription(Float64, "steering", self._on_steering, LOOP_QOS)
        self.create_subscription(Pose, "body_pose", self._on_body_pose, LOOP_QOS)
        self.create_subscription(Imu, "imu", self._on_imu, LOOP_QOS)
        self.create_service(SelectSequence, "~/select_sequence", self._on_select_sequence)
        self.create_service(Trigger, "~/reset_fault", self._on_reset_fault)

    @property
    def motion(self) -> Motion:
        """The core that this node steps."""
        return self._motion

    def on_settings(self, changed: dict[str, Value]) -> None:
        """Live parameters; checked already, but for what the legs can do."""
        settings, motion = {**self.settings, **changed}, self._motion
        walk = walk_settings(settings)
        if walk != motion.walker.settings:
            motion.walker.change(walk)
        motion.commands.settings = command_settings(settings)
        motion.approach_speed = float(settings["approach_speed"])
        motion.player.speed = float(settings["sequence_speed"])
        motion.levelling.enabled = bool(settings["levelling"])
        self.tell_soon()

    def reports(self) -> Sequence[Report]:
        self._report.look_at_ticks()
        frames = Report("frames", Level.OK, "time per frame", self._times.values())
        return [*self.news(), frames]

    def news(self) -> Sequence[Report]:
        return self._report.reports(self._contacts.margin())

    def _on_sync_step(self, message: UInt64) -> None:
        self._step(message.data)

    def _on_timer(self) -> None:
        self._timer_steps += 1
        self._step(self._timer_steps)

    def _step(self, number: int) -> None:
        started = time.perf_counter()
        frame = self._motion.step(number)
        if frame is not None:
            self._publish(frame)
        self._times.add(time.perf_counter() - started)
        self._tell_changes()

    def _publish(self, frame: Frame) -> None:
        stamp = self.get_clock().now().to_msg()
        message = self._message
        message.header.stamp = stamp
        # An array('d') is taken over by the message as it is; a list is checked number by number.
        message.position = array("d", frame.position.tobytes())
        message.velocity = array("d", frame.velocity.tobytes())
        self._joints.publish(message)
        if self._odom is not None:
            contact = self._contacts.look()
            odometry = self._odometer.step(contact.feet, contact.standing, self._motion.dt)
            self._odom_message.header.stamp = stamp
            fill_odometry(self._odom_message, odometry, contact.roll, contact.pitch)
            self._odom.publish(self._odom_message)
            self._frames.send(self._odom_message)

    def _tell_changes(self) -> None:
        moment = self._report.moment()
        if moment != self._told:
            self._told = moment
            self.tell_soon()
        if self._motion.state is not self._state:
            self._say_state()

    def _say_state(self) -> None:
        self._state = self._motion.state
        if self._state is State.FAULT:
            self.get_logger().error(str(self._motion.fault))
        else:
            self.get_logger().info(self._state.value)

    def _on_joint_states(self, message: JointState) -> None:
        try:
            self._motion.on_joint_states(message.name, message.position)
        except RefusedError as error:
            self.refusals.add("joint_states", str(error))

    def _on_cmd_vel(self, message: Twist) -> None:
        linear, angular = message.linear, message.angular
        try:
            self._motion.on_velocity(linear.x, linear.y, angular.z)
        except RefusedError as error:
            self.refusals.add("cmd_vel", str(error))

    def _on_steering(self, message: Float64) -> None:
        try:
            self._motion.on_steering(message.data)
        except RefusedError as error:
            self.refusals.add("steering", str(error))

    def _on_body_pose(self, message: Pose) -> None:
        try:
            self._motion.on_body_pose(pose_of(message))
        except RefusedError as error:
            self.refusals.add("body_pose", str(error))

    def _on_imu(self, message: Imu) -> None:
        try:
            self._motion.levelling.measure(*tilt_of(message))
        except RefusedError as error:
            self.refusals.add("imu", str(error))

    def _on_select_sequence(
        self, request: SelectSequence.Request, response: SelectSequence.Response
    ) -> SelectSequence.Response:
        answer = self._motion.select(request.name)
        response.accepted, response.reason = answer.accepted, answer.reason
        self._tell_changes()
        return response

    def _on_reset_fault(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        answer = self._motion.reset_fault()
        response.success, response.message = answer.accepted, answer.reason
        self._tell_changes()
        return response


def main() -> None:
    """Entry point of the node's process."""
    run_node(HexapodMotionNode)


if __name__ == "__main__":
    main()
