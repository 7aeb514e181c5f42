"""Node `simulated_robot`: what the simulator knows of the robot, and hands to push, tilt and load it.

It talks to the simulator's control socket from a thread of its own, so that neither the physics nor the
nodes in this process wait for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3, Wrench
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from servo_sim.simulated_robot_params import PARAMS
from stride_base.diagnostics import Level, Report
from stride_base.errors import MISSING, ConfigError, RefusedError
from stride_base.stride_node import LOOP_QOS, StrideNode, run_node
from stride_base.transforms import TransformBroadcaster, tf_message_class
from sts3215_driver.emulator.control import ControlClient

RETRY = 0.5
WORLD, BASE, IMU = "world", "base_link", "imu_link"
#: Simulated over real time below which it is a warning.
SLOW = 0.95


class SimulatedRobotNode(StrideNode):
    """Publishes `ground_truth` and `imu`; see docs/servo_sim.md for topics and parameters."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__("simulated_robot", PARAMS, **node_arguments)
        self._socket = self.text("socket")
        if not self._socket:
            raise ConfigError(self.get_name(), "", "socket", MISSING, self.parameter("socket"))
        self._pose = self.create_publisher(Odometry, "ground_truth", LOOP_QOS)
        self._imu = self.create_publisher(Imu, "imu", LOOP_QOS)
        message_class = tf_message_class() if self.settings["publish_tf"] else None
        self._frames = TransformBroadcaster(self, message_class)
        self._state: dict[str, Any] = {}
        self._trouble = "no answer yet"
        self._ending = threading.Event()
        self.create_subscription(Wrench, "~/push", self._on_push, LOOP_QOS)
        self.create_subscription(Vector3, "~/tilt", self._on_tilt, LOOP_QOS)
        self.create_subscription(Float64, "~/load", self._on_load, LOOP_QOS)
        self.create_service(Trigger, "~/lift", self._on_lift)
        self._thread = threading.Thread(target=self._follow, name="simulator", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        self._thread.join(2.0)

    def reports(self) -> Sequence[Report]:
        state, trouble = self._state, self._trouble
        if trouble:
            return [Report("simulator", Level.WARN, trouble)]
        factor = float(state["real_time_factor"])
        level = Level.OK if factor >= SLOW else Level.WARN
        values: dict[str, object] = {"real-time factor": factor, "time (s)": state["time"]}
        return [Report("simulator", level, f"runs at {factor:.2f} of real time", values)]

    def _follow(self) -> None:
        """Ask and publish at the rate, whatever happens to the simulator."""
        while not self._ending.is_set():
            try:
                with ControlClient(self._socket) as client:
                    while not self._ending.wait(1.0 / self.number("rate")):
                        self._state = client.command("robot")
                        self._trouble = ""
                        self._publish(self._state)
            except RefusedError as error:
                self._trouble = str(error)
                self._ending.wait(RETRY)

    def _publish(self, state: dict[str, Any]) -> None:
        stamp = self.get_clock().now().to_msg()
        pose, imu = Odometry(), Imu()
        pose.header.stamp = imu.header.stamp = stamp
        prefix = self.text("frame_prefix")
        pose.header.frame_id, pose.child_frame_id = prefix + WORLD, prefix + BASE
        imu.header.frame_id = prefix + IMU
        _fill(pose.pose.pose.position, state["position"])
        w, x, y, z = state["orientation"]
        for orientation in (pose.pose.pose.orientation, imu.orientation):
            orientation.w, orientation.x, orientation.y, orientation.z = w, x, y, z
        _fill(pose.twist.twist.linear, state["velocity"])
        _fill(pose.twist.twist.angular, state["angular_velocity"])
        _fill(imu.angular_velocity, state["rotation"])
        _fill(imu.linear_acceleration, state["acceleration"])
        self._pose.publish(pose)
        self._imu.publish(imu)
        self._frames.send(pose)

    def _on_push(self, message: Wrench) -> None:
        seconds = self.number("push_time")
        force, torque = _vector(message.force), _vector(message.torque)
        self._say("push", "push", *force, *torque, seconds)

    def _on_tilt(self, message: Vector3) -> None:
        self._say("tilt", "tilt", *np.degrees([message.x, message.y]))

    def _on_load(self, message: Float64) -> None:
        self._say("load", "carry", message.data)

    def _on_lift(self, _request: Any, response: Any) -> Any:
        response.success, response.message = self._try(lambda client: client.command("lift"))
        return response

    def _say(self, topic: str, *words: object) -> None:
        done, message = self._try(lambda client: client.command(*words))
        if not done:
            self.refusals.add(topic, message)

    def _try(self, action: Callable[[ControlClient], object]) -> tuple[bool, str]:
        try:
            with ControlClient(self._socket, timeout=1.0) as client:
                action(client)
        except RefusedError as error:
            return False, str(error)
        return True, "done"


def _fill(vector: Any, values: Sequence[float]) -> None:
    vector.x, vector.y, vector.z = values


def _vector(message: Vector3) -> tuple[float, float, float]:
    return message.x, message.y, message.z


def main() -> None:
    """Entry point of the node's process."""
    run_node(SimulatedRobotNode)


if __name__ == "__main__":
    main()
