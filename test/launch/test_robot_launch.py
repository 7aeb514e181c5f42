"""`robot.launch.py` with the real `launch`: both ways to start a robot work, and end with torque off."""

from __future__ import annotations

import os
import threading
import unittest
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "launch_testing",
    reason="launch_testing is not installed (it comes with ROS 2 itself, not with the wheels)",
)

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.markers
import rclpy
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from sensor_msgs.msg import JointState
from std_msgs.msg import UInt64

from launch import LaunchDescription

DOMAIN = 1 + os.getpid() % 100
NAMESPACE = "/left"
LAUNCH_FILE = Path(get_package_share_directory("stride_bringup")) / "launch" / "robot.launch.py"
#: Longest time for what must happen, s.
PATIENCE = 60.0


@pytest.mark.launch_test
@launch_testing.parametrize("composed", ["true", "false"])
@launch_testing.markers.keep_alive
def generate_test_description(composed: str) -> LaunchDescription:
    """A robot on the emulator."""
    arguments = {
        "robot": "seed_example",
        "namespace": NAMESPACE,
        "rate": "40",
        "composed": composed,
        "viewer": "off",
    }
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", str(DOMAIN)),
            SetEnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH_FILE)),
                launch_arguments=arguments.items(),
            ),
            launch_testing.actions.ReadyToTest(),
        ]
    )


class TestRobot(unittest.TestCase):
    """While it runs."""

    def setUp(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        self.node = rclpy.create_node("listener", context=self.context, namespace=NAMESPACE)
        self.executor = rclpy.executors.SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def tearDown(self) -> None:
        self.node.destroy_node()
        self.context.try_shutdown()

    def first(self, kind: Any, topic: str, count: int = 1) -> list[Any]:
        """The first `count` messages of a topic."""
        heard: list[Any] = []
        done = rclpy.task.Future()

        def take(message: Any) -> None:
            heard.append(message)
            if len(heard) >= count:
                done.set_result(None)

        subscription = self.node.create_subscription(kind, topic, take, 50)
        self.executor.spin_until_future_complete(done, PATIENCE)
        self.node.destroy_subscription(subscription)
        self.assertGreaterEqual(len(heard), count, f"waited in vain for {topic}")
        return heard

    def test_the_clock_counts_and_the_joints_answer(self) -> None:
        first, second = self.first(UInt64, "sync_step", 2)[:2]
        self.assertGreater(second.data, first.data)
        joints = self.first(JointState, "joint_states")[0]
        self.assertEqual(list(joints.name), ["s8_pitch", "s4_roll", "s9_wheel"])

    def test_every_frame_reaches_the_driver(self) -> None:
        wanted = self.first(JointState, "joints_fixed", 10)
        self.assertEqual(list(wanted[0].name), ["s8_pitch", "s4_roll", "s9_wheel"])

    def test_all_nodes_run_in_the_namespace(self) -> None:
        wanted = {"gait_controller", "servo_inv_lead", "sts3215_driver"}
        waiting = threading.Event()
        running: set[str] = set()
        for _ in range(int(PATIENCE / 0.1)):
            names = self.node.get_node_names_and_namespaces()
            running = {name for name, namespace in names if namespace == NAMESPACE}
            if wanted <= running:
                break
            waiting.wait(0.1)
        self.assertLessEqual(wanted, running)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    """After SIGINT to all."""

    def test_every_process_ended_well(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)

    def test_the_servos_were_there_until_torque_was_off(self, proc_output: Any) -> None:
        said = "".join(
            line.text.decode()
            for process in proc_output.processes()
            for line in proc_output[process]
        )
        self.assertIn("3 servos on", said)
        for trouble in ("was lost", "cannot be opened"):
            self.assertNotIn(trouble, said)
