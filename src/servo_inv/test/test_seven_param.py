"""The 7-parameter model: the formula, and each numbered point of the specification."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servo_inv.inverse_servo import Goals, InverseServo
from servo_inv.joint_message import read_joints
from servo_inv.model_list import ModelList
from servo_inv.offset import offset_at, stack_models
from servo_inv.saturation import STS3215_LIMIT, Saturation
from servo_inv.servo_model import ServoModel
from servo_inv.seven_param import SevenParamModel, Surroundings
from servo_inv.timing import Timing
from stride_base.diagnostics import Level
from stride_base.errors import ConfigError, RefusedError

NAN = math.nan
DATA = Path(__file__).parents[3] / "test" / "data" / "servo_inverse.json"
VECTORS = json.loads(DATA.read_text())["vectors"]
OFFSETS = [vector for vector in VECTORS if vector["kind"] == "7param"]
UPDATES = [vector for vector in VECTORS if vector["kind"] == "runtime_update"]
# Round numbers: offset = (2 v + 0.5 a + 4 s + 6 s exp(-|v/0.5|) + 8 tau) / (10 * 5).
ROUND = ServoModel("a", 10.0, 1.0, 2.0, 0.5, 4.0, 6.0, 8.0, 0.5, 1.0)
VOLTAGE = 5.0


def from_vector(numbers: dict, name: str = "") -> ServoModel:
    alpha, qs, delta = numbers["alpha"], numbers["qs"], numbers["delta"]
    return ServoModel(name or numbers["name"], numbers["kp"], numbers["kgear"], *alpha, qs, delta)


def component(
    *models: ServoModel,
    default: ServoModel | None = None,
    skip_missing: bool = False,
    voltage: float = VOLTAGE,
    lead: float = 0.0,
    period: float = 0.02,
) -> tuple[InverseServo, SevenParamModel]:
    model = SevenParamModel(ModelList(models, default), Surroundings(voltage), skip_missing)
    return InverseServo(model, Timing(period, lead)), model


def send(servo: InverseServo, names: str, *state: tuple[float, float, float]) -> Goals:
    position, velocity, effort = zip(*state, strict=True)
    return servo.on_joints(read_joints(list(names), position, velocity, effort, servo.joints))


def offset(model: ServoModel, v: float, a: float, tau: float, voltage: float = VOLTAGE) -> float:
    state = np.array([v]), np.array([a]), np.array([tau])
    return float(offset_at(stack_models([model]), *state, voltage, 0.001)[0])


# The formula.


def test_there_are_vectors() -> None:
    assert OFFSETS and UPDATES


@pytest.mark.parametrize("vector", OFFSETS, ids=lambda vector: vector["id"])
def test_vector(vector: dict) -> None:
    inputs, expected = vector["inputs"], vector["expected"]
    goal = expected.get("target_no_lead", expected.get("target_no_lead_gear_inside"))
    model = from_vector(inputs["model"])
    state = inputs["v"], inputs["a"], inputs["tau"], inputs["V"]
    assert inputs["q"] + offset(model, *state) == pytest.approx(goal, abs=vector["abs_tol"])


@pytest.mark.parametrize(
    ("v", "a", "tau", "expected"),
    [
        (1.0, 0.0, 0.0, (2.0 + 4.0 + 6.0 * math.exp(-2.0)) / 50.0),
        (-1.0, 0.0, 0.0, -(2.0 + 4.0 + 6.0 * math.exp(-2.0)) / 50.0),
        (0.0, 3.0, 0.0, 1.5 / 50.0),
        (0.0, 0.0, -2.0, -16.0 / 50.0),
        (1e6, 0.0, 0.0, (2e6 + 4.0) / 50.0),
    ],
)
def test_each_term(v: float, a: float, tau: float, expected: float) -> None:
    assert offset(ROUND, v, a, tau) == pytest.approx(expected, abs=1e-12)


def test_the_gear_is_inside_the_model() -> None:
    k, v, a, tau = 2.5, 0.3, -4.0, 0.7
    geared = replace(ROUND, kgear=k)
    servo_side = offset(ROUND, k * v, k * a, tau / k)
    assert offset(geared, v, a, tau) == pytest.approx(servo_side / k, abs=1e-12)


@given(st.floats(0.01, 100.0), st.floats(-5, 5), st.floats(-50, 50), st.floats(-3, 3))
def test_only_ratios_to_kp_matter(factor: float, v: float, a: float, tau: float) -> None:
    numbers = ROUND.numbers()
    for name in ("kp", "viscous", "inertia", "coulomb", "stribeck", "torque"):
        numbers[name] *= factor
    scaled = ServoModel("a", **numbers)
    assert offset(scaled, v, a, tau) == pytest.approx(offset(ROUND, v, a, tau), rel=1e-9, abs=1e-9)


def test_joints_are_calculated_side_by_side_as_one_by_one() -> None:
    models = [from_vector(vector["inputs"]["model"], vector["id"]) for vector in OFFSETS]
    v, a, tau = np.linspace(-3.0, 0.5, 3 * len(models)).reshape(3, -1)
    together = offset_at(stack_models(models), v, a, tau, 11.1, 0.001)
    states = zip(models, v, a, tau, strict=True)
    alone = [offset(model, *state, 11.1) for model, *state in states]
    assert together == pytest.approx(alone, abs=1e-15)


# Point 1: first message.


def test_the_first_message_has_no_acceleration_and_no_lead() -> None:
    servo, _model = component(ROUND, lead=0.03)
    goals = send(servo, "a", (0.5, 1.0, 0.0))
    assert goals.position == pytest.approx([0.5 + offset(ROUND, 1.0, 0.0, 0.0)], abs=1e-12)
    assert goals.duration == pytest.approx([0.05], abs=1e-12)


# Point 2: cycles.


def test_acceleration_is_the_change_of_velocity_since_the_cycle_before() -> None:
    servo, _model = component(ROUND)
    servo.on_step(1)
    send(servo, "a", (0.0, 0.10, 0.0))
    servo.on_step(2)
    for _ in range(2):
        goals = send(servo, "a", (0.0, 0.14, 0.0))
        assert goals.position == pytest.approx([offset(ROUND, 0.14, 2.0, 0.0)], abs=1e-12)
    servo.on_step(5)
    goals = send(servo, "a", (0.0, 0.20, 0.0))
    assert goals.position == pytest.approx([offset(ROUND, 0.20, 1.0, 0.0)], abs=1e-12)


def test_lead_is_taken_on_the_goal_of_the_model() -> None:
    servo, _model = component(ROUND, lead=0.03)
    servo.on_step(1)
    send(servo, "a", (0.1, 0.0, 0.0))
    servo.on_step(2)
    goals = send(servo, "a", (0.1, 0.0, 0.5))
    assert goals.position == pytest.approx([0.1 + 0.08 * 2.5], abs=1e-12)


def test_velocities_that_were_not_given_accelerate_nothing() -> None:
    servo, _model = component(ROUND)
    send(servo, "a", (0.0, 1.0, 0.0))
    bare = servo.on_joints(read_joints(["a"], [0.2], [], []))
    assert bare.position == pytest.approx([0.2], abs=1e-12)
    goals = send(servo, "a", (0.2, 1.0, 0.0))
    assert goals.position == pytest.approx([0.2 + offset(ROUND, 1.0, 0.0, 0.0)], abs=1e-12)


def test_no_effort_in_the_message_is_no_effort() -> None:
    servo, _model = component(ROUND)
    goals = servo.on_joints(read_joints(["a"], [0.2], [1.0], []))
    assert goals.position == pytest.approx([0.2 + offset(ROUND, 1.0, 0.0, 0.0)], abs=1e-12)


# Point 3: joints by name.


def test_models_go_by_name_and_follow_a_changed_order() -> None:
    stiff = ServoModel("b", 1000.0, 1.0, 2.0, 0.5, 4.0, 6.0, 8.0, 0.5, 1.0)
    servo, _model = component(stiff, ROUND, lead=0.02)
    for names in ("ab", "ba", "ba"):
        goals = send(servo, names, (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
        by_name = dict(zip(goals.names, goals.position, strict=True))
        assert by_name == pytest.approx({"a": 8.0 / 50.0, "b": 8.0 / 5000.0}, abs=1e-12)
    assert goals.joints_changed == ""


def test_a_changed_order_makes_the_message_the_first() -> None:
    servo, _model = component(default=ROUND)
    send(servo, "ab", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    goals = send(servo, "ba", (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
    assert goals.position == pytest.approx([offset(ROUND, 1.0, 0.0, 0.0)] * 2, abs=1e-12)
    assert goals.joints_changed == "the order of the joints changed: now b, a"


# Point 4: joints without a model, models without a joint.


def test_a_joint_without_a_model_goes_where_it_is_told_and_is_named_once() -> None:
    servo, _model = component(ROUND)
    goals = send(servo, "ab", (0.0, 1.0, 1.0), (0.7, 1.0, 1.0))
    assert goals.position[1] == 0.7 and goals.position[0] != 0.0
    assert goals.warnings == ("joint 'b' has no servo model: its goal is the wanted position",)
    assert send(servo, "ba", (0.0, 1.0, 1.0), (0.7, 1.0, 1.0)).warnings == ()


def test_a_message_with_such_a_joint_is_refused_where_these_are_to_be_skipped() -> None:
    servo, model = component(ROUND, skip_missing=True)
    for _ in range(2):
        with pytest.raises(RefusedError, match="no servo model for joint b, c"):
            send(servo, "abc", (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
    assert send(servo, "a", (0.0, 0.0, 0.0)).position.tolist() == [0.0]
    for name in "bc":
        model.replace(ServoModel(name))
    assert len(send(servo, "abc", *[(0.0, 0.0, 0.0)] * 3).position) == 3


def test_a_model_without_a_joint_is_kept_and_named_once() -> None:
    servo, model = component(ROUND, ServoModel("z"))
    goals = send(servo, "a", (0.0, 0.0, 0.0))
    assert goals.warnings == ("joint 'z' has a servo model but is not in joints_fixed",)
    assert "z" in model.models
    assert servo.rebind() == ()


def test_a_default_model_is_that_of_all_other_joints() -> None:
    servo, _model = component(ServoModel("b"), default=ROUND)
    goals = send(servo, "abc", *[(0.0, 0.0, 1.0)] * 3)
    assert goals.position == pytest.approx([0.16, 0.0, 0.16], abs=1e-12)
    assert goals.warnings == ()


# Point 5: no dry friction at rest.


@pytest.mark.parametrize("v", [0.0, -0.0, 0.0009, -0.0009, 0.001])
def test_inside_the_dead_zone_there_is_no_dry_friction(v: float) -> None:
    assert offset(ROUND, v, 0.0, 0.0) == pytest.approx(2.0 * v / 50.0, abs=1e-15)


def test_outside_the_dead_zone_dry_friction_is_whole() -> None:
    dry = (4.0 + 6.0 * math.exp(-0.0011 / 0.5)) / 50.0
    assert offset(ROUND, 0.0011, 0.0, 0.0) == pytest.approx(dry + 0.0022 / 50.0, abs=1e-15)


def test_the_dead_zone_is_a_setting_and_may_be_empty() -> None:
    servo, model = component(ROUND)
    model.surroundings.dead_zone = 0.5
    assert send(servo, "a", (0.0, 0.4, 0.0)).position == pytest.approx([0.8 / 50.0], abs=1e-12)
    model.surroundings.dead_zone = 0.0
    send(servo, "a", (0.0, 1e-9, 0.0))
    assert send(servo, "a", (0.0, 1e-9, 0.0)).position == pytest.approx([0.2], abs=1e-9)
    send(servo, "a", (0.0, 0.0, 0.0))
    assert send(servo, "a", (0.0, 0.0, 0.0)).position.tolist() == [0.0]


# Point 6: a model at run time.


@pytest.mark.parametrize("vector", UPDATES, ids=lambda vector: vector["id"])
def test_a_new_model_is_in_force_from_the_next_message_on(vector: dict) -> None:
    inputs, expected = vector["inputs"], vector["expected"]
    name = inputs["old"]["name"]
    servo, model = component(from_vector(inputs["old"]), voltage=inputs["V"], lead=inputs["lead"])
    command = read_joints([name], [inputs["q"]], [inputs["v"]], [inputs["tau"]])
    assert servo.on_joints(command).position == pytest.approx(
        [expected["msg1"]], abs=vector["abs_tol"]
    )
    model.replace(from_vector(inputs["new"]))
    servo.rebind()
    assert servo.on_joints(command).position == pytest.approx(
        [expected["msg2"]], abs=vector["abs_tol"]
    )


def test_a_model_for_a_new_joint_is_added_and_the_others_stay() -> None:
    servo, model = component(ROUND)
    send(servo, "ab", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    model.replace(ServoModel("b", torque=5.0))
    assert servo.rebind() == ()
    goals = send(servo, "ab", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    assert goals.position == pytest.approx([0.16, 1.0], abs=1e-12)


def test_a_model_that_comes_before_the_joints_is_used_for_the_first_message() -> None:
    servo, model = component()
    model.replace(ROUND)
    assert servo.rebind() == ()
    assert send(servo, "a", (0.0, 0.0, 1.0)).position == pytest.approx([0.16], abs=1e-12)


def test_two_models_of_one_joint_are_refused() -> None:
    with pytest.raises(ConfigError, match="'name' is 'a'; expected one model of each joint"):
        ModelList([ROUND, ServoModel("b"), ROUND])


# Point 7: voltage.


def test_the_offset_goes_with_the_inverse_of_the_voltage() -> None:
    servo, model = component(ROUND)
    assert send(servo, "a", (0.0, 0.0, 1.0)).position == pytest.approx([0.16], abs=1e-12)
    model.surroundings.voltage = 2.5
    assert send(servo, "a", (0.0, 0.0, 1.0)).position == pytest.approx([0.32], abs=1e-12)


# Point 8: wheels.


def test_wheels_pass_through_whatever_their_model() -> None:
    servo, _model = component(default=ROUND)
    for speed in (30.0, 31.0):
        goals = send(servo, "ab", (NAN, speed, 1.0), (0.0, 0.0, 1.0))
        assert goals.position == pytest.approx([NAN, 0.16], nan_ok=True)
        assert goals.velocity == pytest.approx([speed, NAN], nan_ok=True)


def test_a_wheel_that_becomes_a_leg_starts_without_acceleration() -> None:
    servo, _model = component(ROUND)
    send(servo, "a", (NAN, 30.0, 0.0))
    goals = send(servo, "a", (0.0, 1.0, 0.0))
    assert goals.position == pytest.approx([offset(ROUND, 1.0, 0.0, 0.0)], abs=1e-12)


# Point 9: limits, and the limit of the drive.


def test_goals_are_never_clipped_but_saturation_is_reported_by_joint() -> None:
    servo, model = component(default=ROUND)
    for effort in (1.0, -20.0, 1.3):
        goals = send(servo, "ab", (0.0, 0.0, effort), (0.0, 0.0, 0.1))
        assert goals.position[0] == pytest.approx(0.16 * effort, abs=1e-12)
    report = model.saturation.report()
    assert report.level == Level.WARN
    assert report.message == "the drive saturates: a (3.200 rad)"
    assert report.values == {"limit": STS3215_LIMIT, "messages": 2, "a": pytest.approx(3.2)}
    assert model.saturation.report().level == Level.OK


def test_saturation_is_counted_on_the_side_of_the_servo() -> None:
    geared = ServoModel("a", kgear=2.0, torque=1.0)
    model = SevenParamModel(
        ModelList([geared]), Surroundings(1.0), saturation=Saturation(limit=0.3)
    )
    servo = InverseServo(model, Timing(0.02, 0.0))
    assert send(servo, "a", (0.0, 0.0, 0.7)).position == pytest.approx([0.175])
    assert model.saturation.report().message == "the drive saturates: a (0.350 rad)"
    send(servo, "a", (0.0, 0.0, 0.5))
    assert model.saturation.report().level == Level.OK


def test_the_limit_of_the_servo_is_that_of_the_specification() -> None:
    assert pytest.approx(0.183, abs=5e-4) == STS3215_LIMIT


def test_wheels_do_not_saturate() -> None:
    servo, model = component(ROUND)
    send(servo, "a", (NAN, 300.0, 0.0))
    assert model.saturation.report().level == Level.OK


def test_a_goal_beyond_every_number_is_refused_and_leaves_the_next_alone() -> None:
    servo, model = component(ROUND)
    send(servo, "a", (0.0, 0.0, 0.0))
    with pytest.raises(RefusedError, match="goal of joint 'a' would not be a finite number"):
        send(servo, "a", (0.0, 1e308, 1e308))
    assert send(servo, "a", (0.0, 0.0, 0.0)).position.tolist() == [0.0]
    assert model.saturation.report().level == Level.OK


# Against a model that is written out for one joint, for any numbers.

SMALL = st.floats(-20.0, 20.0)
POSITIVE = st.floats(0.05, 20.0)
MODELS = st.builds(
    ServoModel,
    st.just("a"),
    POSITIVE,
    POSITIVE,
    SMALL,
    SMALL,
    SMALL,
    SMALL,
    SMALL,
    POSITIVE,
    POSITIVE,
)


@given(MODELS, st.lists(st.tuples(SMALL, SMALL, SMALL), min_size=2, max_size=4), POSITIVE, POSITIVE)
def test_goals_are_those_of_the_formula_with_lead(
    m: ServoModel, states: list[tuple[float, float, float]], voltage: float, lead: float
) -> None:
    servo, _model = component(m, voltage=voltage, lead=lead, period=0.1)
    before: tuple[float, float] | None = None
    for q, v, tau in states:
        a = 0.0 if before is None else (v - before[1]) / 0.1
        k = m.kgear
        s = 0.0 if abs(v) <= 0.001 else math.copysign(1.0, v)
        beta = math.exp(-(abs(k * v / m.stribeck_velocity) ** m.stribeck_exponent))
        rhs = m.viscous * k * v + m.inertia * k * a + m.coulomb * s + m.stribeck * s * beta
        g = q + (rhs + m.torque * tau / k) / (m.kp * voltage * k)
        expected = g if before is None else g + (g - before[0]) * lead / 0.1
        assert send(servo, "a", (q, v, tau)).position[0] == pytest.approx(
            expected, rel=1e-9, abs=1e-9
        )
        before = g, v
