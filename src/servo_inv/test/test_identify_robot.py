"""`stride identify` on a running robot: real DDS, a simulated driver that is stepped by the goals."""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event, Thread

import pytest
from exact_servo import LOAD, PERIOD
from node_user import DEADLINE, local_context
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sts3215_joint import Joint

from servo_interfaces.msg import ServoGoal, ServoStates
from servo_inv.identification.excitation import JointLimits
from servo_inv.identification.identify import Preparation
from servo_inv.identification.procedure import Plan
from servo_inv.identify_robot import RobotIdentifier
from stride_base.errors import RefusedError
from stride_base.stride_node import LOOP_QOS

PLAN = Plan("knee", JointLimits(), duration=8.0, preparation=Preparation(load=LOAD))


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    with local_context() as context:
        yield context


class Driver:
    """Publishes readings; each goal, or a moment without one, makes the next cycle."""

    def __init__(self, context: Context, namespace: str) -> None:
        self.node = Node("driver", context=context, namespace=namespace)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.joint, self.cycle = Joint(7.4), 0
        self.goal: ServoGoal | None = None
        self.meddle_at = math.inf
        self.states = self.node.create_publisher(ServoStates, "servo_states", LOOP_QOS)
        self.meddler = self.node.create_publisher(ServoGoal, "goals", LOOP_QOS)
        self.node.create_subscription(ServoGoal, "goals", self._on_goals, LOOP_QOS)
        self._ended = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join(DEADLINE)
        self.executor.shutdown()
        self.node.destroy_node()

    def _on_goals(self, message: ServoGoal) -> None:
        self.goal = message

    def _run(self) -> None:
        while not self._ended.is_set():
            self._publish()
            self.executor.spin_once(timeout_sec=0.02)
            if self.goal is not None:
                self.joint.write(self.goal.position[0], self.goal.duration[0])
                self.goal = None
            self.joint.advance(PERIOD)
            self.cycle += 1
            if self.cycle == self.meddle_at:
                goal = ServoGoal(name=["knee"], position=[0.0], duration=[1.0], velocity=[math.nan])
                self.meddler.publish(goal)

    def _publish(self) -> None:
        message = ServoStates(name=["hip", "knee"])
        nanoseconds = round(self.cycle * PERIOD * 1e9)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(nanoseconds, 10**9)
        message.status = [ServoStates.STATUS_MISSING, ServoStates.STATUS_OK]
        message.goal_position = [0.0, self.joint.goal]
        message.position = [0.0, self.joint.position]
        message.voltage = [7.4, 7.4]
        self.states.publish(message)


@dataclass
class Pair:
    driver: Driver
    robot: RobotIdentifier


@pytest.fixture
def pair(context: Context, request: pytest.FixtureRequest) -> Iterator[Pair]:
    namespace = f"/robot_{os.getpid()}_{request.node.name}"
    driver = Driver(context, namespace)
    with RobotIdentifier(context, namespace, patience=DEADLINE) as robot:
        yield Pair(driver, robot)
    driver.close()


def test_a_joint_of_the_robot_is_moved_and_identified(pair: Pair) -> None:
    assert pair.robot.joints() == ["hip", "knee"]
    outcome = pair.robot.identify(PLAN)
    assert outcome.identified.model.torque == pytest.approx(2.12, rel=0.1)
    assert outcome.identified.tracking is not None and outcome.identified.helps


def test_goals_of_others_end_it(pair: Pair) -> None:
    pair.driver.meddle_at = pair.driver.cycle + 200
    with pytest.raises(RefusedError, match="another node sends goals for joint 'knee'"):
        pair.robot.identify(PLAN)


def test_a_joint_that_the_robot_has_not_or_does_not_read_is_refused(pair: Pair) -> None:
    with pytest.raises(RefusedError, match="'toe' is not among those of the robot: hip, knee"):
        pair.robot.identify(Plan("toe"))
    with pytest.raises(RefusedError, match="joint 'hip' was not read"):
        pair.robot.identify(Plan("hip"))


def test_without_a_driver_it_says_so(context: Context) -> None:
    with (
        RobotIdentifier(context, "/nowhere", patience=0.0) as robot,
        pytest.raises(RefusedError, match="no servo_states: is the driver up"),
    ):
        robot.joints()
