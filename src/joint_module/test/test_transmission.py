"""Which joint is the input, which the output, and by what ratio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from joint_module import transmission, untrusted_xml, urdf_checks, urdf_reader
from joint_module.errors import ModelError
from joint_module.transmission import Transmission
from stride_base.errors import ConfigError


def _choose(urdf: Any, **choices: str) -> Transmission:
    root = untrusted_xml.parse(urdf.text().encode(), "gear.urdf")
    parsed = urdf_reader.from_element(root, "gear.urdf")
    urdf_checks.check(parsed)
    return transmission.choose(parsed, **choices)


def test_the_joint_without_mimic_is_the_input_and_its_follower_the_output(gear: Any) -> None:
    found = _choose(gear)
    assert (found.input.name, found.output.name, found.others) == ("motor", "output", ())


@pytest.mark.parametrize(
    ("multiplier", "ratio"),
    [
        ("0.166666666666667", 6.0),
        ("0.16667", 5.99988),
        ("0.00289855072463768", 345.0),
        ("0.01", 100.0),
        ("1", 1.0),
        ("2", 0.5),
        ("3", 0.333333333),
    ],
)
def test_the_ratio_is_the_inverse_multiplier_to_nine_digits(
    multiplier: str, ratio: float, urdf: Any
) -> None:
    found = _choose(urdf.joint("motor").joint("output", mimic="motor", multiplier=multiplier))
    assert found.gear_ratio == ratio


def test_a_mimic_without_multiplier_is_one_to_one(urdf: Any) -> None:
    assert _choose(urdf.joint("motor").joint("output", mimic="motor")).gear_ratio == 1.0


def test_multipliers_of_a_chain_multiply_and_offsets_compose(urdf: Any) -> None:
    urdf.joint("motor").joint("middle", mimic="motor", multiplier=-0.25, offset=0.1)
    urdf.joint("output", mimic="middle", multiplier=-0.2, offset=0.05)
    found = _choose(urdf)
    assert found.output.name == "output"
    assert found.gear_ratio == 20.0
    assert found.follows and found.follows.source == "motor"
    assert found.follows.multiplier == pytest.approx(0.05)
    assert found.follows.offset == pytest.approx(-0.2 * 0.1 + 0.05)


def test_planets_that_turn_backwards_are_no_outputs(gear: Any) -> None:
    for number in range(3):
        gear.joint(f"planet_{number}", mimic="motor", multiplier=-0.4)
    assert _choose(gear).output.name == "output"


def test_a_gear_that_only_reverses_is_refused_by_its_joints(urdf: Any) -> None:
    urdf.joint("motor").joint("output", mimic="motor", multiplier=-0.2)
    with pytest.raises(ModelError, match=r"reversing gear.*'motor'.*'output' with -0.2"):
        _choose(urdf)


def test_two_reversals_make_a_gear_that_does_not(urdf: Any) -> None:
    urdf.joint("motor").joint("middle", mimic="motor", multiplier=-0.5)
    assert _choose(urdf.joint("output", mimic="middle", multiplier=-0.5)).gear_ratio == 4.0


def test_an_output_chosen_by_the_user_must_not_reverse_either(gear: Any) -> None:
    gear.joint("planet", mimic="motor", multiplier=-0.4)
    with pytest.raises(ModelError, match=r"reversing gear.*'planet'"):
        _choose(gear, output_joint="planet")


def test_a_urdf_without_movable_joint_has_no_input(urdf: Any) -> None:
    with pytest.raises(ModelError, match="no input joint"):
        _choose(urdf.joint("mount", kind="fixed", limit=None))


def test_several_joints_without_mimic_are_listed(gear: Any) -> None:
    with pytest.raises(ModelError, match=r"'motor', 'second'.*--input"):
        _choose(gear.joint("second"))


def test_the_input_can_be_chosen_and_what_it_does_not_move_is_named(gear: Any) -> None:
    gear.joint("second").joint("third", mimic="second", multiplier=0.5)
    found = _choose(gear, input_joint="motor")
    assert (found.input.name, found.output.name) == ("motor", "output")
    assert [joint.name for joint in found.others] == ["second", "third"]
    assert _choose(gear, input_joint="second").gear_ratio == 2.0


@pytest.mark.parametrize("choice", ["output", "nobody", "mount"])
def test_an_input_that_is_no_candidate_is_refused(choice: str, gear: Any) -> None:
    gear.joint("mount", kind="fixed", limit=None)
    with pytest.raises(ConfigError, match=f"'{choice}'.*'motor'"):
        _choose(gear, input_joint=choice)


def test_several_outputs_are_listed(gear: Any) -> None:
    gear.joint("second_output", mimic="motor", multiplier=0.5)
    with pytest.raises(ModelError, match=r"'output', 'second_output'.*--output"):
        _choose(gear)
    assert _choose(gear, output_joint="second_output").gear_ratio == 2.0


@pytest.mark.parametrize("choice", ["motor", "nobody"])
def test_an_output_that_is_no_candidate_is_refused(choice: str, gear: Any) -> None:
    with pytest.raises(ConfigError, match=f"'{choice}'.*'output'"):
        _choose(gear, output_joint=choice)


def test_an_output_that_follows_another_motor_is_refused(gear: Any) -> None:
    gear.joint("second").joint("third", mimic="second", multiplier=0.5)
    with pytest.raises(ConfigError, match=r"'third'.*follows 'motor'"):
        _choose(gear, input_joint="motor", output_joint="third")


def test_without_mimic_the_only_other_joint_is_the_output_and_the_ratio_is_open(urdf: Any) -> None:
    found = _choose(urdf.joint("motor").joint("output"), input_joint="motor")
    assert found.output.name == "output"
    assert found.gear_ratio is None


def test_without_mimic_several_possible_outputs_are_listed(urdf: Any) -> None:
    urdf.joint("motor").joint("one").joint("two")
    with pytest.raises(ModelError, match=r"'one', 'two'.*--output"):
        _choose(urdf, input_joint="motor")
    assert _choose(urdf, input_joint="motor", output_joint="two").output.name == "two"


def test_a_motor_alone_has_no_output(urdf: Any) -> None:
    with pytest.raises(ModelError, match=r"no output joint.*'motor'"):
        _choose(urdf.joint("motor"))


def test_multipliers_that_multiply_to_no_gear_are_refused(urdf: Any) -> None:
    urdf.joint("motor").joint("middle", mimic="motor", multiplier=1e-4)
    with pytest.raises(ConfigError, match=r"joint 'output'.*total mimic multiplier"):
        _choose(urdf.joint("output", mimic="middle", multiplier=1e-4))


steps = st.tuples(
    st.floats(0.05, 5.0) | st.floats(-5.0, -0.05), st.floats(-3.0, 3.0, allow_subnormal=False)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chain=st.lists(steps, min_size=1, max_size=4), angle=st.floats(-10.0, 10.0), data=st.data())
def test_any_chain_is_one_linear_relation(
    chain: list[tuple[float, float]],
    angle: float,
    data: Any,
    new_urdf: Callable[[], Any],
) -> None:
    names = ["motor", *(f"joint_{index}" for index in range(len(chain)))]
    urdf = new_urdf().joint("motor")
    order = data.draw(st.permutations(range(len(chain))))
    for index in order:
        multiplier, offset = chain[index]
        urdf.joint(names[index + 1], mimic=names[index], multiplier=multiplier, offset=offset)
    root = untrusted_xml.parse(urdf.text().encode(), "gear.urdf")
    followers = transmission.resolve(urdf_reader.from_element(root, "gear.urdf"))
    assume(set(followers) == set(names[1:]))
    q = angle
    for name, (multiplier, offset) in zip(names[1:], chain, strict=True):
        q = multiplier * q + offset
        how = followers[name]
        assert how.source == "motor"
        assert how.multiplier * angle + how.offset == pytest.approx(q, rel=1e-9, abs=1e-9)
