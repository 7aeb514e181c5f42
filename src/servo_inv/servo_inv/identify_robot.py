"""Identification on a running robot: readings from `servo_states`, goals straight to the driver."""

from __future__ import annotations

import math
import time

from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile

from servo_interfaces.msg import ServoGoal, ServoStates
from servo_inv.identification.procedure import Outcome, Plan, Sample, TimedGoal, identify_live
from stride_base.errors import RefusedError
from stride_base.progress import Progress, silent
from stride_base.stride_node import LOOP_QOS

#: Marks our own goals, so that those of others are noticed.
FRAME = "stride_identify"
#: While a model is fitted, readings pass; only the last of them matters then.
NEWEST = QoSProfile(depth=1)


class RobotIdentifier:
    """A node of its own in the namespace of the robot, moving one joint at a time.

    Args:
        context: ROS context, initialised.
        namespace: Of the robot.
        patience: How long readings may stay away, s.
    """

    def __init__(self, context: Context, namespace: str = "/", patience: float = 5.0) -> None:
        self._node = Node("stride_identify", context=context, namespace=namespace)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._patience = patience
        self._goals = self._node.create_publisher(ServoGoal, "goals", LOOP_QOS)
        self._node.create_subscription(ServoStates, "servo_states", self._on_states, NEWEST)
        self._node.create_subscription(ServoGoal, "goals", self._on_goals, LOOP_QOS)
        self._newest: ServoStates | None = None
        self._moved_by_others: set[str] = set()

    def __enter__(self) -> RobotIdentifier:
        return self

    def __exit__(self, *_error: object) -> None:
        self._executor.shutdown()
        self._node.destroy_node()

    def joints(self) -> list[str]:
        """All joints of the robot.

        Raises:
            RefusedError: there are no readings.
        """
        return list(self._next_states().name)

    def identify(self, plan: Plan, progress: Progress = silent) -> Outcome:
        """Move the joint of `plan` and fit its model; the motion nodes must be silent meanwhile.

        Args:
            plan: What to do.
            progress: See `identify_live`.

        Raises:
            RefusedError: no readings, goals from others, or see `identify_live`.
        """
        run = identify_live(plan, progress)
        next(run)
        self._moved_by_others.clear()
        progress("waiting for readings of the robot")
        while True:
            sample = _sample(self._next_states(), plan.joint)
            if plan.joint in self._moved_by_others:
                raise RefusedError(
                    f"another node sends goals for joint '{plan.joint}': stop it first"
                )
            try:
                goal = run.send(sample)
            except StopIteration as ended:
                outcome: Outcome = ended.value
                return outcome
            if goal is not None:
                self._send(plan.joint, goal)

    def _send(self, joint: str, goal: TimedGoal) -> None:
        message = ServoGoal(name=[joint], position=[goal.position], duration=[goal.duration])
        message.velocity = [math.nan]
        message.header.frame_id = FRAME
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._goals.publish(message)

    def _next_states(self) -> ServoStates:
        """The newest readings that were not returned before."""
        end = time.monotonic() + self._patience
        self._newest = None
        while self._newest is None:
            if time.monotonic() > end:
                raise RefusedError("no servo_states: is the driver up, in this namespace?")
            self._executor.spin_once(timeout_sec=0.1)
        return self._newest

    def _on_states(self, message: ServoStates) -> None:
        self._newest = message

    def _on_goals(self, message: ServoGoal) -> None:
        if message.header.frame_id != FRAME:
            self._moved_by_others.update(message.name)


def _sample(states: ServoStates, joint: str) -> Sample:
    if joint not in states.name:
        raise RefusedError(
            f"joint '{joint}' is not among those of the robot: {', '.join(states.name)}"
        )
    index = list(states.name).index(joint)
    stamp = states.header.stamp
    read = states.status[index] == ServoStates.STATUS_OK
    return Sample(
        time=stamp.sec + 1e-9 * stamp.nanosec,
        goal=states.goal_position[index],
        position=states.position[index] if read else math.nan,
        voltage=states.voltage[index],
    )
