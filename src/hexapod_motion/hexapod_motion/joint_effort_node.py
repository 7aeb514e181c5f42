"""Node `joint_effort`, between motion engine and inverse servo model: adds what gravity asks for."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from typing import Any

from sensor_msgs.msg import JointState

from hexapod_motion.joint_effort import load_joint_effort
from hexapod_motion.joint_effort_params import PARAMS
from hexapod_motion.robot_files import robot_folder
from stride_base.callback_times import CallbackTimes
from stride_base.diagnostics import Level, Report
from stride_base.errors import RefusedError
from stride_base.stride_node import LOOP_QOS, StrideNode, run_node


class JointEffortNode(StrideNode):
    """`joints_wanted` in, `joints_fixed` with efforts out; see docs/hexapod_motion.md."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__("joint_effort", PARAMS, **node_arguments)
        self._effort = load_joint_effort(robot_folder(self.text("robot")))
        self._times = CallbackTimes()
        self._joints = self.create_publisher(JointState, "joints_fixed", LOOP_QOS)
        self.create_subscription(JointState, "joints_wanted", self._on_joints, LOOP_QOS)

    def reports(self) -> Sequence[Report]:
        return [Report("frames", Level.OK, "time per frame", self._times.values())]

    def _on_joints(self, message: JointState) -> None:
        started = time.perf_counter()
        try:
            effort = self._effort.of(message.name, message.position)
        except RefusedError as error:
            # Moving on without effort is better than standing still in the middle of a step.
            self.refusals.add("joints_wanted", str(error))
        else:
            message.effort = array("d", effort.tobytes())
        self._joints.publish(message)
        self._times.add(time.perf_counter() - started)


def main() -> None:
    """Entry point of the node's process."""
    run_node(JointEffortNode)


if __name__ == "__main__":
    main()
