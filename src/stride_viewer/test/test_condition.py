"""What the page says of the robot, and which controls it enables, with reasons."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from stride_viewer.condition import FREE, LOST, SILENCE, State, condition, controls
from stride_viewer.telemetry import Telemetry
from sts3215_driver import bus_thread

NAN = float("nan")


def diagnostics(*parts: tuple[str, int, str, dict[str, str]]) -> Any:
    """A DiagnosticArray: name, level, message, values."""
    return SimpleNamespace(
        status=[
            SimpleNamespace(
                name=name,
                level=bytes([level]),
                message=message,
                values=[SimpleNamespace(key=k, value=v) for k, v in values.items()],
            )
            for name, level, message, values in parts
        ]
    )


def servo_states(torque: int) -> Any:
    return SimpleNamespace(
        name=["hip"], id=[1], status=[0], age=[0.0], goal_position=[0.0], goal_velocity=[NAN],
        position=[0.0], velocity=[0.0], load=[0.1], voltage=[7.4], temperature=[30.0],
        current=[0.1], flags=[0], torque=[torque],
    )  # fmt: skip


BUS = ("/sts3215_driver: bus", 0, "running", {"state": "running", "missed cycles": "0"})
COMMANDS = (
    "/hexapod_motion: commands",
    0,
    "",
    {"cmd_vel": "the robot lies on the floor", "steering": "ready", "body_pose": "ready"},
)
SEQUENCES = (
    "/hexapod_motion: sequences",
    0,
    "",
    {"UP": "ready", "DANCE": "DANCE may not follow HOME"},
)
GAITS = ("/hexapod_motion: gaits", 0, "", {"tripod": "in use", "wave": "ready"})
MOTION = ("/hexapod_motion", 0, "ready, floor", {"sequence": "HOME"})


def running(*parts: Any, torque: int = 1) -> Telemetry:
    telemetry = Telemetry()
    telemetry.take("servo_states", servo_states(torque), 10.0)
    telemetry.take("/diagnostics", diagnostics(BUS, *parts), 10.0)
    return telemetry


def test_the_drivers_words_are_known() -> None:
    assert (bus_thread.State.FREE.value, bus_thread.State.LOST.value) == (FREE, LOST)


def test_nothing_heard_is_no_robot() -> None:
    assert condition(Telemetry(), 10.0).state is State.NOT_HEARD


def test_a_robot_that_is_heard_runs() -> None:
    found = condition(running(), 10.1)
    assert (found.state, found.reason, found.trouble) == (State.RUNNING, "", ())


def test_silence_means_that_the_stack_was_stopped() -> None:
    assert condition(running(), 10.0 + SILENCE).state is State.RUNNING
    found = condition(running(), 10.1 + SILENCE)
    assert found.state is State.STOPPED
    assert not found.heard


def test_torque_off_is_told_from_the_servos() -> None:
    assert condition(running(torque=0), 10.0).state is State.TORQUE_OFF


def test_unknown_torque_is_taken_for_neither() -> None:
    """Servos that a busy computer heard too late in one cycle."""
    assert condition(running(torque=255), 10.0).state is State.RUNNING


def test_a_driver_that_released_the_servos_says_so_whatever_was_read_last() -> None:
    telemetry = running()
    free = ("/sts3215_driver: bus", 1, "torque is off", {"state": FREE})
    telemetry.take("/diagnostics", diagnostics(free), 10.1)
    assert condition(telemetry, 10.1).state is State.TORQUE_OFF


def test_a_lost_port_is_told() -> None:
    telemetry = running()
    lost = ("/sts3215_driver: bus", 2, "/dev/ttyACM0 is gone", {"state": LOST})
    telemetry.take("/diagnostics", diagnostics(lost), 10.5)
    found = condition(telemetry, 10.6)
    assert (found.state, found.reason) == (State.PORT_LOST, "/dev/ttyACM0 is gone")
    assert found.trouble == ("sts3215_driver bus: /dev/ttyACM0 is gone",)


def test_a_driver_without_cycles_is_not_active() -> None:
    telemetry = Telemetry()
    idle = ("/sts3215_driver: bus", 1, "not active (inactive)", {})
    telemetry.take("/diagnostics", diagnostics(idle), 10.0)
    assert condition(telemetry, 10.0).state is State.NOT_ACTIVE


def test_controls_carry_the_motion_engines_own_reasons() -> None:
    telemetry = running(MOTION, COMMANDS, SEQUENCES, GAITS)
    found = controls(telemetry, condition(telemetry, 10.0), 10.0)
    assert found.velocity == "the robot lies on the floor"
    assert found.steering == ""
    assert found.sequences == {"UP": "", "DANCE": "DANCE may not follow HOME"}
    assert (found.sequence, found.gait, found.motion) == ("HOME", "tripod", "hexapod_motion")


def test_a_motion_engine_that_has_no_such_command_says_so() -> None:
    telemetry = running(("/gait_controller: commands", 0, "", {"steering": "ready"}))
    found = controls(telemetry, condition(telemetry, 10.0), 10.0)
    assert found.velocity == "gait_controller takes no cmd_vel"
    assert found.steering == ""


@pytest.mark.parametrize("torque", [0, 1])
def test_torque_may_be_switched_on_only_when_it_is_off(torque: int) -> None:
    telemetry = running(MOTION, COMMANDS, torque=torque)
    found = controls(telemetry, condition(telemetry, 10.0), 10.0)
    assert found.torque_on == ("torque is on" if torque else "")


def test_without_torque_nothing_may_be_moved() -> None:
    telemetry = running(MOTION, COMMANDS, SEQUENCES, GAITS, torque=0)
    found = controls(telemetry, condition(telemetry, 10.0), 10.0)
    assert found.steering == "torque off"
    assert all(reason.startswith("torque off") for reason in found.sequences.values())


def test_a_stopped_stack_disables_everything() -> None:
    telemetry = running(MOTION, COMMANDS, SEQUENCES)
    late = 20.0
    found = controls(telemetry, condition(telemetry, late), late)
    assert found.steering and found.velocity and found.torque_on and found.body_pose
    assert found.motion == ""
