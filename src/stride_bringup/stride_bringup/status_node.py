"""Node `stride_status`: listens to what a robot says of itself, for `stride up` and `stride status`."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

from servo_interfaces.msg import ServoStates
from stride_base.stride_node import LOOP_QOS
from stride_bringup.robot_status import JointStatus, RobotStatus


class StatusNode(Node):
    """Keeps the newest of `/diagnostics`, and of `servo_states` where `joints` is set."""

    def __init__(self, joints: bool = False, **node_arguments: Any) -> None:
        super().__init__("stride_status", **node_arguments)
        self.robot = RobotStatus(self.get_namespace().rstrip("/"))
        self.states: Any = None
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        if joints:
            self.create_subscription(ServoStates, "servo_states", self._on_states, LOOP_QOS)

    def running(self) -> list[str]:
        """Names of the nodes in the robot's namespace."""
        mine = self.get_namespace()
        return [name for name, space in self.get_node_names_and_namespaces() if space == mine]

    def joints(self) -> list[JointStatus]:
        """The newest servo states; empty before the first."""
        m = self.states
        if m is None:
            return []
        return [
            JointStatus(*row)
            for row in zip(
                m.name,
                m.id,
                m.goal_position,
                m.goal_velocity,
                m.position,
                m.load,
                m.voltage,
                m.temperature,
                m.torque,
                m.flags,
                m.status,
                m.age,
                strict=True,
            )
        ]

    def close(self) -> None:
        """Nothing outlives this node."""

    def _on_states(self, message: Any) -> None:
        self.states = message

    def _on_diagnostics(self, message: Any) -> None:
        for status in message.status:
            values = {entry.key: entry.value for entry in status.values}
            self.robot.take(status.name, status.level[0], status.message, values)
