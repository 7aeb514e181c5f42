"""The node on real topics, in one process with a stand-in for the driver."""

import json
import math
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, UInt64

from gait_controller.gait_controller_node import GaitControllerNode
from stride_base.diagnostics import Level
from stride_base.errors import ConfigError, StrideError
from stride_base.stride_node import LOOP_QOS

EXAMPLE = Path(__file__).resolve().parents[3] / "config/robots/seed_example/control.json"
NAMES = ["s8_pitch", "s4_roll", "s9_wheel"]
POSE = [0.02, -0.01, math.nan]
DEADLINE = 20.0


class Bench:
    """A gait controller and the topics of a driver and a user, in a namespace of their own."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._namespace = f"/bench_{uuid.uuid4().hex}"
        self._executor = SingleThreadedExecutor(context=context)
        self.driver = Node(
            "driver", context=context, namespace=self._namespace, use_global_arguments=False
        )
        self._executor.add_node(self.driver)
        self.sync_step = self.driver.create_publisher(UInt64, "sync_step", LOOP_QOS)
        self.joint_states = self.driver.create_publisher(JointState, "joint_states", LOOP_QOS)
        self.steering = self.driver.create_publisher(Float64, "steering", LOOP_QOS)
        self.frames: list[JointState] = []
        self.driver.create_subscription(JointState, "joints_fixed", self.frames.append, LOOP_QOS)
        self.node: GaitControllerNode | None = None

    def start(self, **parameters: Any) -> GaitControllerNode:
        """Start the node and wait until everyone has found everyone."""
        parameters.setdefault("control_file", str(EXAMPLE))
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = self.node = GaitControllerNode(
            context=self._context,
            namespace=self._namespace,
            parameter_overrides=overrides,
            use_global_arguments=False,
        )
        self._executor.add_node(node)
        publishers = [self.joint_states, self.steering]
        if node.text("clock_source") == "sync_step":
            publishers.append(self.sync_step)
        self.until(
            lambda: (
                all(publisher.get_subscription_count() for publisher in publishers)
                and node.joints_fixed.get_subscription_count() > 0
            )
        )
        return node

    def until(self, condition: Callable[[], bool]) -> None:
        """Spin until `condition`; fail if it never comes true."""
        deadline = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            self._executor.spin_once(timeout_sec=0.1)

    def measure(self, position: list[float] = POSE, effort: list[float] | None = None) -> None:
        """Publish the pose and wait until the node has it."""
        assert self.node is not None
        before = self.node.controller.measurements
        self.joint_states.publish(
            JointState(name=NAMES, position=position, effort=effort or [0.0] * 3)
        )
        self.until(lambda: self.node is not None and self.node.controller.measurements > before)

    def step(self, number: int) -> None:
        """Publish a number of the clock and wait until the node has taken it."""
        assert self.node is not None
        before = self.node.controller.steps
        self.sync_step.publish(UInt64(data=number))
        self.until(lambda: self.node is not None and self.node.controller.steps > before)

    def close(self) -> None:
        for node in (self.node, self.driver):
            if node is not None:
                self._executor.remove_node(node)
                node.destroy_node()
        self._executor.shutdown()


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = Context()
    rclpy.init(args=[], context=context, domain_id=1 + os.getpid() % 100)
    yield context
    rclpy.shutdown(context=context)


@pytest.fixture
def bench(context: Context) -> Iterator[Bench]:
    bench = Bench(context)
    yield bench
    bench.close()


def test_every_sync_step_gives_exactly_one_frame(bench: Bench) -> None:
    bench.start(start="zero")
    for number in range(20):
        bench.step(number)
        bench.until(lambda count=number + 1: len(bench.frames) >= count)
        assert len(bench.frames) == number + 1
    frame = bench.frames[-1]
    assert list(frame.name) == NAMES
    assert len(frame.position) == len(frame.velocity) == 3
    assert math.isfinite(frame.position[0]) and math.isnan(frame.position[2])
    assert frame.velocity[2] > 0.0
    assert list(frame.effort) == []
    assert frame.header.stamp.sec > 0


def test_without_a_pose_there_is_no_frame_and_with_it_the_approach_starts_there(
    bench: Bench,
) -> None:
    node = bench.start()
    for number in range(5):
        bench.step(number)
    assert node.reports()[0].level is Level.WARN
    bench.measure()
    bench.step(5)
    bench.until(lambda: len(bench.frames) > 0)
    assert len(bench.frames) == 1
    assert list(bench.frames[0].position)[:2] == pytest.approx(POSE[:2], abs=0.01)
    assert bench.frames[0].velocity[2] == 0.0


def test_the_timer_needs_no_driver(bench: Bench) -> None:
    bench.start(clock_source="timer", rate=200.0)
    bench.until(lambda: len(bench.frames) >= 5)
    assert list(bench.frames[0].position)[:2] == [0.0, 0.0]


def test_steering_acts_and_a_nan_is_refused_and_counted(bench: Bench) -> None:
    node = bench.start(start="zero", steering_rate_limit=0.0)
    bench.steering.publish(Float64(data=0.5))
    bench.steering.publish(Float64(data=math.nan))
    bench.until(lambda: node.refusals.counts.get("steering") == 1)
    bench.step(0)
    assert node.controller.steering.value == 0.5


def test_a_measurement_with_a_fault_is_refused_and_counted(bench: Bench) -> None:
    node = bench.start()
    bench.joint_states.publish(JointState(name=["stranger"], position=[0.0]))
    bench.until(lambda: node.refusals.counts.get("joint_states") == 1)


def test_live_parameters_act_at_once_and_others_stay(bench: Bench) -> None:
    node = bench.start()
    live = {"steering_rate_limit": 2.0, "steering_timeout": 0.5, "approach_speed": 0.2}
    for name, value in live.items():
        (result,) = node.set_parameters([Parameter(name, value=value)])
        assert result.successful
    assert node.controller.steering.rate_limit == 2.0
    assert node.controller.steering.timeout == 0.5
    assert node.controller.approach_speed == 0.2
    (result,) = node.set_parameters([Parameter("approach_speed", value=0.0)])
    assert not result.successful and node.controller.approach_speed == 0.2
    (result,) = node.set_parameters([Parameter("rate", value=100.0)])
    assert not result.successful


def test_diagnostics_tell_state_clock_and_the_time_of_the_callback(bench: Bench) -> None:
    node = bench.start(start="zero")
    assert node.reports()[-1].level is Level.WARN
    for number in range(3):
        bench.step(number)
    clock = node.reports()[-1]
    assert (clock.part, clock.level) == ("clock", Level.OK)
    assert "callback p99 (us)" in clock.values
    assert node.reports()[-1].message == "no tick since the last report"
    assert node.reports()[0].values["steps"] == 3


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"control_file": ""}, "'control_file' is ''; expected the path of a control file"),
        ({"control_file": "/nowhere/control.json"}, "/nowhere/control.json: cannot be read"),
        ({"clock_source": "sundial"}, "'clock_source' is 'sundial'; expected one of sync_step"),
        ({"rate": -1.0}, "'rate' is -1.0; expected a number from 0 to 1000"),
        ({"approach_speed": 0.0}, "'approach_speed' is 0.0; expected a number from 0.01"),
        ({"stall_torque": "strong"}, "'stall_torque' is 'strong'; expected a number"),
    ],
)
def test_a_wrong_parameter_is_refused_at_start(
    bench: Bench, parameters: dict[str, Any], words: str
) -> None:
    with pytest.raises(StrideError) as caught:
        bench.start(**parameters)
    assert words in str(caught.value)


def test_a_wrong_control_file_is_refused_at_start(bench: Bench, tmp_path: Path) -> None:
    document = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    document["servos"][1]["sign"] = 2
    file = tmp_path / "robot.json"
    file.write_text(json.dumps(document))
    with pytest.raises(ConfigError, match=r"robot\.json: servo 2 \(s4_roll\): 'sign' is 2"):
        bench.start(control_file=str(file))
