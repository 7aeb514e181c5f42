"""The driver alone, with somebody else's goals and transitions."""

from __future__ import annotations

import math

from harness import Emulated, Robot
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from std_srvs.srv import SetBool, Trigger

from servo_interfaces.msg import ServoGoal


def goal(**position: float) -> ServoGoal:
    count = len(position)
    return ServoGoal(
        name=list(position),
        position=list(position.values()),
        duration=[0.05] * count,
        velocity=[math.nan] * count,
    )


def test_goals_from_before_a_lost_port_do_not_return_with_those_of_another_joint(
    hexapod: Emulated,
) -> None:
    with Robot(hexapod, "hexapod", only="sts3215_driver") as robot:
        goals = robot.probe.goals
        robot.wait_for(lambda: goals.get_subscription_count() > 0, "a subscriber of goals")
        goals.publish(goal(fl_coxa=0.3, fr_coxa=0.3))
        robot.wait_for(lambda: hexapod.registers(1)["goal_position"] != 2048, "the first goals")
        hexapod.do("unplug")
        robot.wait_for(
            lambda: robot.diagnostic("sts3215_driver", "bus").get("state") == "port lost",
            "the loss to be reported",
        )
        hexapod.do("power", 1, "off")
        hexapod.do("power", 1, "on")
        hexapod.do("turn", 1, 2048)
        hexapod.do("replug")
        robot.next("sync_step")
        assert abs(hexapod.registers(1)["goal_position"] - 2048) <= 1
        goals.publish(goal(mr_coxa=0.1))
        robot.wait_for(lambda: hexapod.registers(13)["goal_position"] != 2048, "the new goal")
        assert abs(hexapod.registers(1)["goal_position"] - 2048) <= 1


def test_a_transition_that_does_not_exist_is_refused_and_the_robot_stands(
    hexapod: Emulated,
) -> None:
    with Robot(hexapod, "hexapod", only="sts3215_driver") as robot:
        change = robot.probe.create_client(ChangeState, "sts3215_driver/change_state")
        state = robot.probe.create_client(GetState, "sts3215_driver/get_state")
        for number, label in (
            (Transition.TRANSITION_ACTIVATE, ""),
            (Transition.TRANSITION_CONFIGURE, ""),
            (Transition.TRANSITION_ON_DEACTIVATE_SUCCESS, ""),
            (99, ""),
            (0, "cleanup"),
            (0, "nonsense"),
        ):
            request = ChangeState.Request(transition=Transition(id=number, label=label))
            assert not robot.call(change, request).success
        assert robot.call(state, GetState.Request()).current_state.label == "active"
        assert hexapod.torque() == {1}


def test_deactivation_frees_the_robot_and_each_activation_begins_anew(
    hexapod: Emulated,
) -> None:
    with Robot(hexapod, "hexapod", only="sts3215_driver") as robot:
        change = robot.probe.create_client(ChangeState, "sts3215_driver/change_state")

        def transition(number: int) -> bool:
            request = ChangeState.Request(transition=Transition(id=number))
            return robot.call(change, request).success

        assert transition(Transition.TRANSITION_DEACTIVATE)
        assert hexapod.torque() == {0}
        hexapod.do("turn", 1, 2400)
        assert transition(Transition.TRANSITION_ACTIVATE)
        assert hexapod.torque() == {1}
        assert abs(hexapod.registers(1)["goal_position"] - 2400) <= 1
        assert transition(Transition.TRANSITION_DEACTIVATE)
        assert transition(Transition.TRANSITION_CLEANUP)
        hexapod.do("unplug")
        assert not transition(Transition.TRANSITION_CONFIGURE)
        hexapod.do("replug")
        assert transition(Transition.TRANSITION_CONFIGURE)
        hexapod.do("power", 2, "off")
        assert not transition(Transition.TRANSITION_ACTIVATE)
        assert {hexapod.registers(i)["torque_enable"] for i in range(1, 19)} == {0}
        hexapod.do("power", 2, "on")
        hexapod.do("unplug")
        assert not transition(Transition.TRANSITION_ACTIVATE)
        hexapod.do("replug")
        robot.wait_for(lambda: transition(Transition.TRANSITION_ACTIVATE), "an activation")
        assert hexapod.torque() == {1}


def test_a_stop_works_in_every_state_of_the_node(hexapod: Emulated) -> None:
    with Robot(hexapod, "hexapod", only="sts3215_driver") as robot:
        change = robot.probe.create_client(ChangeState, "sts3215_driver/change_state")

        def transition(number: int) -> None:
            request = ChangeState.Request(transition=Transition(id=number))
            assert robot.call(change, request).success

        def hold() -> None:
            for servo_id in (1, 13):
                hexapod.do("register", servo_id, "torque_enable", 1)
            assert 1 in hexapod.torque()

        transition(Transition.TRANSITION_DEACTIVATE)
        hold()
        answer = robot.call(robot.probe.stop, Trigger.Request())
        assert (answer.success, answer.message) == (True, "torque is off on all 18 servos")
        assert hexapod.torque() == {0}
        transition(Transition.TRANSITION_CLEANUP)
        answer = robot.call(robot.probe.stop, Trigger.Request())
        assert not answer.success and "not configured and has no port" in answer.message
        transition(Transition.TRANSITION_CONFIGURE)
        hold()
        off = robot.call(robot.probe.torque, SetBool.Request(data=False))
        assert off.success
        assert hexapod.torque() == {0}
        on = robot.call(robot.probe.torque, SetBool.Request(data=True))
        assert (on.success, on.message) == (False, "the driver is not active")
        transition(Transition.TRANSITION_ACTIVATE)
        assert hexapod.torque() == {1}
