"""The motion of emulated servos against what a DC motor with a P law must do."""

import math

import numpy as np
import pytest

from sts3215_driver.emulator import dc_motor
from sts3215_driver.emulator.bench import Bench
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.plant import BenchPlant, Load
from sts3215_driver.emulator.profile import load_profile
from sts3215_driver.protocol import packets
from sts3215_driver.protocol.units import RAD_PER_STEP

PROFILE = load_profile()
MOTOR, DRIVE = PROFILE.motor, PROFILE.drive
VOLTAGE = PROFILE.electronics.supply_voltage
#: N m per duty at standstill.
STALL = VOLTAGE * MOTOR.torque_constant / MOTOR.resistance
#: N m/rad of the position loop at P = 32.
STIFFNESS = STALL * DRIVE.error_gain * 32
STICTION = MOTOR.coulomb + MOTOR.stribeck


def settled(bench: Bench, seconds: float = 2.0) -> float:
    bench.wait(seconds)
    return bench.angle(1)


def holding(torque: float, from_torque: float, settings: str = "") -> float:
    """Angle at which a servo rests that holds its middle against `torque`."""
    bench = Bench(setup=Setup(settings=(settings,) if settings else ()))
    bench.do(f"load 1 {from_torque}")
    bench.set(1, "goal_position", 2048)
    bench.wait(1.0)
    bench.do(f"load 1 {torque}")
    return settled(bench)


def sag(torque: float, settings: str = "") -> float:
    """Angle that a torque costs, friction cancelled: halfway between coming from either side.

    The load is brought on slowly enough to be quasi-static, so the shaft stops where drive, load
    and friction balance.
    """
    ends = []
    for start in (torque - 1.0, torque + 1.0):
        bench = Bench(setup=Setup(settings=(settings,) if settings else ()))
        bench.do(f"load 1 {start}")
        bench.set(1, "goal_position", 2048)
        bench.wait(1.0)
        for k in range(1, 401):
            bench.do(f"load 1 {start + (torque - start) * k / 400}")
            bench.wait(0.01)
        ends.append(settled(bench, 0.5))
    return sum(ends) / 2


def test_position_loop_is_as_stiff_as_the_motor_model_says() -> None:
    assert pytest.approx(18.5, abs=0.05) == STIFFNESS


@pytest.mark.parametrize("torque", [0.5, 1.0, -1.5])
def test_static_sag_is_torque_over_stiffness(torque: float) -> None:
    assert sag(torque) == pytest.approx(torque / STIFFNESS, rel=0.01)


def test_half_the_p_gain_sags_twice_as_much() -> None:
    assert sag(0.5, "all:p_gain=16") == pytest.approx(2 * 0.5 / STIFFNESS, rel=0.01)


def test_sag_from_one_side_differs_by_friction_at_most() -> None:
    for torque, start in ((1.0, 0.0), (1.0, 1.5)):
        error = holding(torque, start) - torque / STIFFNESS
        assert abs(error) <= STICTION / STIFFNESS


def test_load_feedback_is_the_duty_that_holds_the_torque() -> None:
    bench = Bench()
    bench.do("load 1 -1.0")
    bench.set(1, "goal_position", 2048)
    bench.wait(2.0)
    duty = bench.get(1, "present_load") / 1000
    assert duty == pytest.approx(1.0 / STALL, abs=STICTION / STALL)
    assert duty == pytest.approx(-bench.angle(1) * DRIVE.error_gain * 32, abs=0.001)
    current = bench.get(1, "present_current") * 0.0065
    assert current == pytest.approx(duty * VOLTAGE / MOTOR.resistance, rel=0.02)


def test_load_changes_sign_with_the_torque() -> None:
    bench = Bench()
    bench.set(1, "goal_position", 2048)
    bench.do("load 1 1.0")
    bench.wait(1.0)
    assert bench.get(1, "present_load") < -200
    bench.do("load 1 -1.0")
    bench.wait(1.0)
    assert bench.get(1, "present_load") > 200


def test_gravity_pulls_an_arm_that_is_level_in_the_middle() -> None:
    bench = Bench(setup=Setup(loads=("1:gravity=0.5,inertia=0.01",)))
    bench.set(1, "goal_position", 2048)
    angle = settled(bench)
    balance = 0.5 * math.cos(angle) / STIFFNESS
    assert -angle == pytest.approx(balance, abs=STICTION / STIFFNESS)


def test_profile_is_rectangular_at_the_goal_speed() -> None:
    bench = Bench()
    bench.ask(packets.write(1, 42, (3048).to_bytes(2, "little") + b"\0\0" + b"\xe8\x03"))
    goals = []
    start = bench.clock.now()
    for _ in range(80):
        bench.wait(0.01)
        goals.append((bench.clock.now() - start, bench.get(1, "present_goal")))
    for elapsed, goal in goals:
        assert goal == pytest.approx(2048 + 1000 * elapsed, abs=8), elapsed
    assert bench.get(1, "present_speed") == pytest.approx(1000, abs=30)


def test_goal_is_reached_in_the_time_that_its_speed_means() -> None:
    bench = Bench()
    bench.ask(packets.write(1, 42, (2548).to_bytes(2, "little") + b"\0\0" + b"\xf4\x01"))
    bench.wait(0.9)
    assert bench.get(1, "moving") == 1
    bench.wait(0.5)
    assert bench.get(1, "moving") == 0
    assert abs(bench.get(1, "present_position") - 2548) <= STICTION / STIFFNESS / RAD_PER_STEP + 1


def test_speed_0_is_the_fastest_and_faster_goals_are_not_faster() -> None:
    distances = []
    for speed in (b"\0\0", (3400).to_bytes(2, "little"), (7000).to_bytes(2, "little")):
        bench = Bench(setup=Setup(pose="100"))
        bench.ask(packets.write(1, 42, (4000).to_bytes(2, "little") + b"\0\0" + speed))
        bench.wait(0.5)
        distances.append(bench.get(1, "present_goal") - 100)
    slew = 0.5 * DRIVE.max_speed / RAD_PER_STEP
    assert distances[0] == distances[2] == pytest.approx(slew, rel=0.01)
    assert distances[1] == pytest.approx(1700, rel=0.01)


def test_acceleration_makes_the_profile_trapezoidal() -> None:
    bench = Bench()
    bench.ask(packets.write(1, 41, b"\x0a" + (3548).to_bytes(2, "little") + b"\0\0\xe8\x03"))
    trace = []
    for _ in range(260):
        bench.wait(0.01)
        trace.append(float(bench.bank.control.target[0]))
    speeds = np.diff([2048.0, *trace]) / 0.01
    assert speeds.max() == pytest.approx(1000, rel=0.02)
    assert np.abs(np.diff(speeds)).max() <= 1000 * 0.01 * 1.25
    assert trace[-1] == pytest.approx(3548, abs=0.5)
    assert max(trace) <= 3548.5


def test_wheel_keeps_its_speed_under_load() -> None:
    bench = Bench(setup=Setup(settings=("all:operating_mode=1",)))
    bench.set(1, "goal_speed", -1500)
    bench.wait(1.0)
    assert bench.get(1, "present_speed") == pytest.approx(-1500, abs=8)
    bench.do("load 1 0.8")
    bench.wait(1.5)
    assert bench.get(1, "present_speed") == pytest.approx(-1500, abs=8)
    assert bench.get(1, "moving") == 1


def test_wheel_with_goal_0_stops_and_stays() -> None:
    bench = Bench(setup=Setup(settings=("all:operating_mode=1",)))
    bench.set(1, "goal_speed", 1500)
    bench.wait(0.5)
    bench.set(1, "goal_speed", 0)
    bench.wait(1.0)
    assert bench.get(1, "present_speed") == 0
    assert bench.get(1, "moving") == 0
    assert bench.get(1, "torque_enable") == 1


def test_pwm_mode_reaches_the_no_load_speed_of_the_motor() -> None:
    bench = Bench(setup=Setup(settings=("all:operating_mode=2",)))
    bench.ask(packets.write(1, 44, (500 | 0x400).to_bytes(2, "little")))
    bench.wait(2.0)
    volts = bench.bank.plant.state.voltage[0]
    torque = MOTOR.torque_constant * volts * 0.5 / MOTOR.resistance - MOTOR.coulomb
    damping = MOTOR.torque_constant**2 / MOTOR.resistance + MOTOR.viscous
    assert bench.bank.plant.state.velocity[0] == pytest.approx(-torque / damping, rel=1e-3)
    assert bench.get(1, "present_load") == -500


def test_duty_is_clipped_at_970() -> None:
    bench = Bench(setup=Setup(settings=("all:operating_mode=2",)))
    bench.set(1, "goal_pwm", 1000)
    bench.wait(0.1)
    assert bench.get(1, "present_load") == 970


def test_torque_limit_bounds_the_drive() -> None:
    bench = Bench(setup=Setup(loads=("1:friction=10",)))
    bench.set(1, "torque_limit", 300)
    bench.set(1, "goal_position", 3000)
    bench.wait(0.5)
    assert bench.get(1, "present_load") == 300


def test_torque_off_falls_and_torque_2_brakes_the_fall() -> None:
    speeds = []
    for torque in (0, 2):
        bench = Bench(setup=Setup(loads=("1:torque=0.3",)))
        bench.set(1, "torque_enable", torque)
        bench.wait(1.0)
        assert bench.get(1, "present_load") == 0
        speeds.append(bench.bank.plant.state.velocity[0])
    free, braked = speeds
    damping = MOTOR.viscous + MOTOR.torque_constant**2 / MOTOR.resistance
    assert free > 2.0
    assert braked == pytest.approx((0.3 - MOTOR.coulomb) / damping, rel=1e-2)


def test_free_shaft_is_held_by_friction_alone_without_drift_or_chatter() -> None:
    bench = Bench(setup=Setup(loads=(f"1:torque={0.99 * STICTION}",)))
    angle = bench.angle(1)
    for _ in range(50):
        bench.wait(0.1)
        assert bench.angle(1) == angle
    bench.do(f"load 1 {1.05 * STICTION}")
    bench.wait(0.5)
    assert bench.angle(1) > angle + 0.001


def test_loaded_servo_at_rest_does_not_chatter() -> None:
    bench = Bench(setup=Setup(loads=("1:torque=0.7,inertia=0.002",)))
    bench.set(1, "goal_position", 2048)
    bench.wait(1.0)
    angle = bench.angle(1)
    for _ in range(100):
        bench.wait(0.01)
        assert bench.angle(1) == angle
        assert bench.get(1, "present_speed") == 0


@pytest.mark.parametrize("inertia", [0.0, 0.01, 0.2])
def test_every_step_response_settles(inertia: float) -> None:
    bench = Bench(setup=Setup(pose="1000", loads=(f"1:inertia={inertia}",)))
    bench.set(1, "goal_position", 3000)
    bench.wait(8.0)
    assert bench.get(1, "present_speed") == 0
    assert abs(bench.get(1, "present_position") - 3000) <= 4


def test_supply_sags_when_all_servos_push() -> None:
    ids = tuple(range(1, 19))
    bench = Bench(ids, Setup(loads=("all:friction=50",), settings=("all:min_voltage=40",)))
    bench.wait(0.1)
    assert bench.get(1, "present_voltage") == 74
    for servo_id in ids:
        bench.set(servo_id, "goal_position", 3000)
    bench.wait(0.5)
    current = 0.97 * bench.bank.plant.state.current.sum()
    expected = VOLTAGE - PROFILE.electronics.supply_resistance * current
    assert bench.bank.plant.state.voltage[0] == pytest.approx(expected, abs=1e-9)
    assert bench.get(1, "present_voltage") == round(expected * 10) < 60


def test_same_run_gives_the_same_motion_bit_for_bit() -> None:
    def run() -> list[float]:
        bench = Bench((1, 2), Setup(loads=("all:gravity=0.4,inertia=0.003",), pose="random"))
        angles = []
        for k in range(40):
            bench.set(1, "goal_position", 2048 + 300 * (k % 3))
            bench.wait(0.02)
            angles.append(bench.angle(1))
        return angles

    assert run() == run()


def test_dry_friction_is_largest_at_rest_and_falls_to_coulomb() -> None:
    friction = dc_motor.dry_friction(MOTOR, np.array([0.0, 1.0, -1.0]))
    assert friction == pytest.approx([STICTION, MOTOR.coulomb, MOTOR.coulomb])


def test_plant_can_be_driven_without_any_firmware() -> None:
    plant = BenchPlant(PROFILE, 1)
    plant.set_load(0, Load(inertia=0.01))
    for _ in range(2000):
        plant.advance(0.001, np.array([0.97]), np.array([True]))
    damping = MOTOR.torque_constant**2 / MOTOR.resistance + MOTOR.viscous
    volts = plant.state.voltage[0]
    top = (0.97 * volts * MOTOR.torque_constant / MOTOR.resistance - MOTOR.coulomb) / damping
    assert plant.state.velocity[0] == pytest.approx(top, rel=1e-6)
