"""A whole robot for tests: emulated servos in a process of their own behind a pseudo-terminal, the nodes
of the stack over real DDS, and a probe that publishes commands and keeps what it hears."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Float64, UInt64
from std_srvs.srv import SetBool, Trigger

from servo_interfaces.msg import ServoGoal, ServoStates
from servo_interfaces.srv import CalibrateZero
from stride_base.ending import Ending
from stride_bringup.runner import Runner
from stride_bringup.stack import build_stack
from stride_bringup.stack_options import StackOptions
from sts3215_driver.emulator.control import ControlClient

#: Longest time that a test waits for something that must happen, s.
PATIENCE = 30.0
KEEP = 2000


class Probe(Node):
    """Hears everything of one robot and says what a user would."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__("probe", **node_arguments)
        self.heard = threading.Condition()
        self.log: dict[str, deque[Any]] = {}
        for topic, kind in (
            ("joints_fixed", JointState),
            ("goals", ServoGoal),
            ("joint_states", JointState),
            ("servo_states", ServoStates),
            ("battery_state", BatteryState),
            ("sync_step", UInt64),
            ("ground_truth", Odometry),
            ("imu", Imu),
            ("/diagnostics", DiagnosticArray),
        ):
            self.log[topic] = deque(maxlen=KEEP)
            self.create_subscription(kind, topic, self._keeper(topic), 50)
        self.steering = self.create_publisher(Float64, "steering", 10)
        self.goals = self.create_publisher(ServoGoal, "goals", 10)
        self.stop = self.create_client(Trigger, "sts3215_driver/stop")
        self.calibrate = self.create_client(CalibrateZero, "sts3215_driver/calibrate_zero")
        self.torque = self.create_client(SetBool, "sts3215_driver/set_torque")

    def close(self) -> None:
        """Nothing to undo."""

    def _keeper(self, topic: str) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            with self.heard:
                self.log[topic].append(message)
                self.heard.notify_all()

        return keep


class Emulated:
    """The emulator program with its control channel; a context manager."""

    module = "sts3215_driver.emulator.cli"

    def __init__(self, link: Path, servo_file: Path, *options: str) -> None:
        self.link, self.servo_file = link, servo_file
        command = [sys.executable, "-m", self.module, "--link", str(link)]
        command += ["--servo-file", str(servo_file), *options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline(), "the emulator did not start"
        self._control = ControlClient(f"{link}.control")

    def __enter__(self) -> Emulated:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._control.close()
        self._process.terminate()
        self._process.wait(PATIENCE)

    def do(self, *words: object) -> Any:
        """A command of the control channel."""
        return self._control.command(*words)

    def registers(self, servo_id: int) -> dict[str, int]:
        """All registers of a servo as they are now."""
        return self.do("state", servo_id)

    def torque(self) -> set[int]:
        """The different values of the torque registers."""
        servos = json.loads(self.servo_file.read_text())["servos"]
        return {self.registers(servo["id"])["torque_enable"] for servo in servos}


class Simulated(Emulated):
    """The simulator with the robot beside `servo_file`."""

    module = "servo_sim.cli"


class Robot:
    """A running stack in this process; a context manager.

    Args:
        emulated: The servos.
        robot: Name or folder of the robot.
        namespace, rate, motion: As for `stride up`.
        only: Name of the one node to start; all by default.
    """

    def __init__(
        self,
        emulated: Emulated,
        robot: str,
        namespace: str = "",
        rate: float = 0.0,
        only: str = "",
        motion: str = "gait_controller",
    ) -> None:
        self.emulated = emulated
        port = str(emulated.link)
        socket = f"{port}.control" if isinstance(emulated, Simulated) else ""
        options = StackOptions(
            robot=robot,
            motion=motion,
            port=port,
            sim_socket=socket,
            namespace=namespace,
            rate=rate,
        )
        self.stack = build_stack(options)
        nodes = [node for node in self.stack.nodes if only in ("", node.name)]
        self._runner = Runner(nodes, self.stack.options.namespace, Ending(), extra=[Probe])

    def __enter__(self) -> Robot:
        self._runner.__enter__()
        self.probe = next(node for node in self._runner.nodes if isinstance(node, Probe))
        return self

    def __exit__(self, *exception: Any) -> None:
        self._runner.__exit__(*exception)

    def steer(self, value: float) -> None:
        """Publish steering once the gait controller listens."""
        publisher = self.probe.steering
        self.wait_for(lambda: publisher.get_subscription_count() > 0, "a steering subscriber")
        publisher.publish(Float64(data=value))

    def newest(self, topic: str) -> Any:
        """The newest message of a topic, None without any."""
        log = self.probe.log[topic]
        return log[-1] if log else None

    def next(self, topic: str, count: int = 1) -> Sequence[Any]:
        """The next `count` messages of a topic."""
        with self.probe.heard:
            log = self.probe.log[topic]
            log.clear()
        self.wait_for(lambda: len(log) >= count, f"{count} messages on {topic}")
        with self.probe.heard:
            return list(log)[:count]

    def wait_for(self, condition: Callable[[], Any], what: str) -> Any:
        """Return the first true value of `condition`, looked at whenever a message arrives."""
        end = time.monotonic() + PATIENCE
        with self.probe.heard:
            while not (value := condition()):
                left = end - time.monotonic()
                assert left > 0, f"waited in vain for {what}"
                self.probe.heard.wait(min(left, 0.2))
        return value

    def wait_until_walking(self) -> None:
        """The approach is over: the gait controller says that it walks."""
        self.wait_for(
            lambda: self.diagnostic("gait_controller").get("state") == "walking", "a walk"
        )

    def diagnostic(self, node: str, part: str = "") -> dict[str, str]:
        """Newest values that a node reports of a part (all parts together by default)."""
        values: dict[str, str] = {}
        for message in list(self.probe.log["/diagnostics"])[-50:]:
            for status in message.status:
                if status.hardware_id.endswith(f"/{node}") and part in status.name:
                    values["message"] = status.message
                    values.update({entry.key: entry.value for entry in status.values})
        return values

    def call(self, client: Any, request: Any) -> Any:
        """Call a service and return its answer."""
        assert client.wait_for_service(PATIENCE), client.srv_name
        future = client.call_async(request)
        self.wait_for(future.done, client.srv_name)
        return future.result()


def own_domain() -> str:
    """A ROS domain that parallel runs on this machine hardly share."""
    return str(1 + os.getpid() % 100)
