"""The numbered points of the specification, as far as they concern every inverse model."""

import math
from dataclasses import dataclass

import pytest

from servo_inv.goal_model import Past, PositionModel
from servo_inv.inverse_servo import Goals, InverseServo
from servo_inv.joint_message import FloatArray, JointCommand, read_joints
from servo_inv.lead import change_since
from servo_inv.timing import Timing
from stride_base.diagnostics import Level
from stride_base.errors import RefusedError

NAN = math.nan
TIMING = Timing(period=0.02, lead=0.03)


def lead_component() -> InverseServo:
    return InverseServo(PositionModel(), TIMING)


def send(servo: InverseServo, *position: float, names: str = "abc", **fields: list[float]) -> Goals:
    velocity, effort = fields.get("velocity", []), fields.get("effort", [])
    return servo.on_joints(
        read_joints(list(names[: len(position)]), position, velocity, effort, servo.joints)
    )


def goal(servo: InverseServo, position: float) -> float:
    """Goal of a single joint."""
    return float(send(servo, position).position[0])


# Point 1: first message.


def test_the_first_message_gets_no_lead_but_the_full_duration() -> None:
    goals = send(lead_component(), 0.5, -0.7)
    assert goals.names == ("a", "b")
    assert goals.position.tolist() == [0.5, -0.7]
    assert goals.duration == pytest.approx([0.05, 0.05], abs=1e-12)


def test_the_whole_first_cycle_goes_without_lead() -> None:
    servo = lead_component()
    servo.on_step(1)
    assert goal(servo, 0.5) == 0.5
    assert goal(servo, 0.6) == 0.6


# Point 2: cycles.


def test_goals_lead_by_the_change_since_the_cycle_before() -> None:
    servo = lead_component()
    servo.on_step(1)
    goal(servo, 0.10)
    servo.on_step(2)
    assert goal(servo, 0.12) == pytest.approx(0.12 + 0.02 * 1.5, abs=1e-12)


def test_two_messages_in_one_cycle_share_one_previous_position() -> None:
    servo = lead_component()
    servo.on_step(1)
    goal(servo, 0.05)
    goal(servo, 0.10)
    servo.on_step(2)
    assert goal(servo, 0.12) == pytest.approx(0.12 + 0.02 * 1.5, abs=1e-12)
    assert goal(servo, 0.14) == pytest.approx(0.14 + 0.04 * 1.5, abs=1e-12)


def test_a_difference_over_n_cycles_is_divided_by_n() -> None:
    servo = lead_component()
    servo.on_step(1)
    goal(servo, 0.10)
    servo.on_step(2)
    servo.on_step(4)
    assert goal(servo, 0.16) == pytest.approx(0.16 + 0.06 / 3 * 1.5, abs=1e-12)


def test_without_any_tick_each_message_is_a_cycle() -> None:
    servo = lead_component()
    assert goal(servo, 0.10) == 0.10
    assert goal(servo, 0.12) == pytest.approx(0.12 + 0.02 * 1.5, abs=1e-12)
    assert goal(servo, 0.13) == pytest.approx(0.13 + 0.01 * 1.5, abs=1e-12)


def test_a_restarted_driver_makes_the_next_message_the_first() -> None:
    servo = lead_component()
    servo.on_step(900)
    goal(servo, 0.10)
    servo.on_step(0)
    assert goal(servo, 0.90) == 0.90
    servo.on_step(1)
    assert goal(servo, 0.91) == pytest.approx(0.91 + 0.01 * 1.5, abs=1e-12)


# Point 3: joints by name.


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ("ab", "the number of joints changed from 3 to 2: now without c"),
        ("abcd", "the number of joints changed from 3 to 4: now with the new d"),
        ("acb", "the order of the joints changed: now a, c, b"),
        ("abx", "the names of the joints changed: now without c and with the new x"),
    ],
)
def test_changed_joints_are_said_and_make_the_message_the_first(names: str, sentence: str) -> None:
    servo = lead_component()
    send(servo, 0.1, 0.1, 0.1)
    send(servo, 0.2, 0.2, 0.2)
    position = [0.5] * len(names)
    changed = send(servo, *position, names=names)
    assert changed.joints_changed == sentence
    assert changed.names == tuple(names)
    assert changed.position.tolist() == position
    after = send(servo, *[0.6] * len(names), names=names)
    assert after.joints_changed == ""
    assert after.position == pytest.approx([0.6 + 0.1 * 1.5] * len(names), abs=1e-12)


def test_joints_that_change_within_a_cycle_leave_nothing_to_compare_in_it() -> None:
    servo = lead_component()
    servo.on_step(1)
    send(servo, 0.1, 0.2)
    servo.on_step(2)
    send(servo, 0.2, 0.1, names="ba")
    assert send(servo, 0.3, 0.3, names="ba").position.tolist() == [0.3, 0.3]
    servo.on_step(3)
    goals = send(servo, 0.4, 0.3, names="ba")
    assert goals.position == pytest.approx([0.4 + 0.1 * 1.5, 0.3], abs=1e-12)


def test_the_first_message_is_no_change() -> None:
    assert send(lead_component(), 0.1).joints_changed == ""


def test_a_sentence_about_many_joints_stays_short() -> None:
    servo = lead_component()
    servo.on_joints(read_joints([f"joint{index}" for index in range(18)], [0.0] * 18, [], []))
    sentence = send(servo, 0.1).joints_changed
    assert sentence == (
        "the number of joints changed from 18 to 1: now without joint0, joint1, joint2, joint3, "
        "joint4, joint5 and 12 more and with the new a"
    )


# Point 8: wheels.


def test_wheels_pass_through_to_velocity_and_legs_keep_theirs_unset() -> None:
    servo = lead_component()
    send(servo, 0.1, NAN, velocity=[1.0, 3.0])
    goals = send(servo, 0.2, NAN, velocity=[1.0, 4.0])
    assert goals.position == pytest.approx([0.2 + 0.1 * 1.5, NAN], nan_ok=True, abs=1e-12)
    assert goals.velocity == pytest.approx([NAN, 4.0], nan_ok=True)
    assert goals.duration == pytest.approx([0.05, 0.05], abs=1e-12)


def test_a_wheel_that_becomes_a_leg_starts_without_lead() -> None:
    servo = lead_component()
    send(servo, NAN, velocity=[3.0])
    became = send(servo, 0.5, velocity=[0.0])
    assert became.position.tolist() == [0.5] and math.isnan(became.velocity[0])
    assert goal(servo, 0.6) == pytest.approx(0.6 + 0.1 * 1.5, abs=1e-12)


def test_a_standing_wheel_is_still_a_wheel() -> None:
    assert send(lead_component(), NAN, velocity=[0.0]).velocity.tolist() == [0.0]


# Point 9: limits.


def test_positions_are_never_clipped() -> None:
    servo = lead_component()
    assert goal(servo, 1000.0) == 1000.0
    assert goal(servo, -1000.0) == pytest.approx(-1000.0 - 2000.0 * 1.5, abs=1e-9)


def test_goals_beyond_every_number_are_refused_and_nothing_changes() -> None:
    servo = lead_component()
    goal(servo, 1e308)
    with pytest.raises(RefusedError, match="goal of joint 'a' would not be a finite number"):
        goal(servo, -1e308)
    assert goal(servo, 1e308) == 1e308


# Settings.


def test_new_timing_holds_from_the_next_message_on_and_keeps_the_history() -> None:
    servo = lead_component()
    goal(servo, 0.10)
    servo.timing = Timing(period=0.04, lead=0.02)
    goals = send(servo, 0.12)
    assert goals.position == pytest.approx([0.12 + 0.02 * 0.5], abs=1e-12)
    assert goals.duration == pytest.approx([0.06], abs=1e-12)


def test_without_lead_goals_are_the_wanted_positions_exactly() -> None:
    servo = InverseServo(PositionModel(), Timing(0.02, 0.0))
    goal(servo, 0.1)
    assert goal(servo, 0.3) == 0.3


def test_latency_makes_goals_run_ahead_without_more_time_to_get_there() -> None:
    servo = InverseServo(PositionModel(), Timing(period=0.02, lead=0.01, latency=0.04))
    goal(servo, 0.10)
    goals = send(servo, 0.12)
    assert goals.position == pytest.approx([0.12 + 0.02 * 2.5], abs=1e-12)
    assert goals.duration == pytest.approx([0.03], abs=1e-12)


# The seam for models: lead is taken on the model's goal, with its own goal of the cycle before.


@dataclass(frozen=True)
class Offsets:
    """Adds an offset by joint and a share of the acceleration; refuses a joint without offset."""

    by_joint: dict[str, float]
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def bind(self, names: tuple[str, ...]) -> "Offsets":
        missing = [name for name in names if name not in self.by_joint]
        if missing:
            raise RefusedError(f"no model for {missing[0]}")
        said = tuple(f"{name} at {self.by_joint[name]:g}" for name in names)
        return Offsets(self.by_joint, names, said)

    def goal(self, command: JointCommand, past: Past | None, elapsed: float) -> FloatArray:
        offset = [self.by_joint[name] for name in self.names]
        if past is None:
            return command.position + offset
        acceleration = change_since(past.velocity, command.velocity) / elapsed
        return command.position + offset + 0.001 * acceleration


def test_lead_is_taken_on_the_goals_of_the_model() -> None:
    servo = InverseServo(Offsets({"a": 1.0, "b": 2.0}), TIMING)
    first = send(servo, 0.1, 0.1, velocity=[0.0, 0.0])
    assert first.position == pytest.approx([1.1, 2.1], abs=1e-12)
    assert first.warnings == ("a at 1", "b at 2")
    second = send(servo, 0.1, 0.1, velocity=[0.0, 0.4])
    # b accelerates by 20 rad/s^2: its goal is 0.02 further, and lead adds 1.5 times that.
    assert second.position == pytest.approx([1.1, 2.1 + 0.02 + 0.03], abs=1e-12)
    assert second.warnings == ()


def test_acceleration_over_n_cycles_is_divided_by_n() -> None:
    servo = InverseServo(Offsets({"a": 0.0}), Timing(0.02, 0.0))
    servo.on_step(1)
    send(servo, 0.0, velocity=[0.0])
    servo.on_step(3)
    assert send(servo, 0.0, velocity=[0.4]).position == pytest.approx([0.01], abs=1e-12)


def test_joints_that_the_model_refuses_leave_match_and_history_alone() -> None:
    servo = InverseServo(Offsets({"a": 1.0}), TIMING)
    send(servo, 0.1)
    with pytest.raises(RefusedError, match="no model for b"):
        send(servo, 0.1, 0.1)
    assert servo.joints == ("a",)
    goals = send(servo, 0.2)
    assert goals.position == pytest.approx([1.2 + 0.1 * 1.5], abs=1e-12)
    assert goals.joints_changed == ""


def test_a_changed_model_is_used_after_rebinding() -> None:
    offsets = {"a": 1.0}
    servo = InverseServo(Offsets(offsets), Timing(0.02, 0.0))
    assert servo.rebind() == ()
    send(servo, 0.1)
    offsets["a"] = 2.0
    assert servo.rebind() == ("a at 2",)
    assert send(servo, 0.1).position == pytest.approx([2.1], abs=1e-12)


def test_each_warning_of_the_model_is_given_once() -> None:
    servo = InverseServo(Offsets({"a": 1.0, "b": 2.0}), TIMING)
    assert send(servo, 0.1).warnings == ("a at 1",)
    assert send(servo, 0.1, 0.1).warnings == ("b at 2",)
    assert send(servo, 0.1, 0.1, names="ba").warnings == ()
    assert servo.rebind() == ()


def test_warnings_of_a_refused_command_are_not_lost() -> None:
    servo = InverseServo(Offsets({"a": 1e308}), TIMING)
    with pytest.raises(RefusedError):
        send(servo, 1e308)
    assert send(servo, 0.0).warnings == ("a at 1e+308",)


def test_velocities_that_a_message_did_not_give_are_nothing_to_accelerate_from() -> None:
    servo = InverseServo(Offsets({"a": 0.0}), Timing(0.02, 0.0))
    send(servo, 0.0)
    assert send(servo, 0.0, velocity=[0.4]).position.tolist() == [0.0]
    assert send(servo, NAN, velocity=[3.0]).velocity.tolist() == [3.0]
    assert send(servo, 0.0, velocity=[0.4]).position.tolist() == [0.0]
    assert send(servo, 0.0, velocity=[0.8]).position == pytest.approx([0.02], abs=1e-12)


# Diagnostics.


def test_reports_count_and_warn_of_what_is_new() -> None:
    servo = lead_component()
    (idle,) = servo.reports()
    assert (idle.level, idle.message) == (Level.OK, "no joints_fixed")

    servo.on_step(1)
    send(servo, 0.1)
    servo.on_step(4)
    send(servo, 0.1, 0.2)
    (bad,) = servo.reports()
    assert bad.level == Level.WARN
    assert bad.message == "joints changed 1 times; sync_step missed 2 cycles"
    assert bad.values == {
        "joints": 2,
        "messages": 2,
        "joint_changes": 1,
        "ticks": 2,
        "missed_ticks": 2,
        "silent_cycles": 2,
        "restarts": 0,
    }

    servo.on_step(5)
    send(servo, 0.1, 0.2)
    (good,) = servo.reports()
    assert (good.level, good.message) == (Level.OK, "running")


def test_reports_say_that_the_driver_was_restarted_or_stopped_ticking() -> None:
    servo = lead_component()
    servo.on_step(50)
    send(servo, 0.1)
    servo.on_step(0)
    assert servo.reports()[0].message == "sync_step started again"
    for _ in range(3):
        send(servo, 0.1)
    (stopped,) = servo.reports()
    assert stopped.level == Level.WARN
    assert stopped.message == "sync_step has stopped: 3 messages count as one cycle"
