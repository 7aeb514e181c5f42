"""What a hand-written MJCF beside a URDF tells of torque limits and couplings."""

from __future__ import annotations

from pathlib import Path

import pytest

from joint_module import foreign_mjcf
from joint_module.errors import ModelError
from joint_module.urdf_model import Mimic
from stride_base.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "motor.xml"


def _limits(file: Path, actuator: str, defaults: str = "") -> tuple[float, float] | None:
    file.write_text(f"<mujoco>{defaults}<actuator>{actuator}</actuator></mujoco>")
    return foreign_mjcf.torque_limits(file, "j")


LIMITS = {
    "a motor's control range": ('<motor joint="j" ctrlrange="-4 3"/>', (-4.0, 3.0)),
    "times its gear": ('<motor joint="j" ctrlrange="-4 3" gear="10"/>', (-40.0, 30.0)),
    "a gear of six numbers": (
        '<motor joint="j" ctrlrange="-4 3" gear="2 0 0 0 0 0"/>',
        (-8.0, 6.0),
    ),
    "a gear turned around": ('<motor joint="j" ctrlrange="-4 3" gear="-1"/>', (-3.0, 4.0)),
    "a general actuator": ('<general joint="j" ctrlrange="-1 1" gainprm="5 0 0"/>', (-5.0, 5.0)),
    "a joint in its parent": ('<motor jointinparent="j" ctrlrange="-1 1"/>', (-1.0, 1.0)),
    "a servo's force range": (
        '<position joint="j" kp="9" ctrlrange="-3.14 3.14" forcerange="-2 2"/>',
        (-2.0, 2.0),
    ),
    "a general servo's force range": (
        '<general joint="j" biastype="affine" ctrlrange="-3 3" forcerange="-2 2"/>',
        (-2.0, 2.0),
    ),
    "a servo without force range": ('<position joint="j" ctrlrange="-3.14 3.14"/>', None),
    "a motor without control range": ('<motor joint="j"/>', None),
    "a control range switched off": (
        '<motor joint="j" ctrlrange="-1 1" ctrllimited="false"/>',
        None,
    ),
    "a control range without width": ('<motor joint="j" ctrlrange="0 0"/>', None),
    "another joint": ('<motor joint="k" ctrlrange="-4 3"/>', None),
    "a tendon": ('<motor tendon="j" ctrlrange="-4 3"/>', None),
}


@pytest.mark.parametrize("case", LIMITS)
def test_torque_limits(case: str, file: Path) -> None:
    actuator, expected = LIMITS[case]
    assert _limits(file, actuator) == expected


def test_torque_limits_may_come_from_the_default_class(file: Path) -> None:
    defaults = (
        '<default><motor ctrlrange="-1 1"/><default class="big"><motor gear="5"/>'
        '<default class="bigger"><general ctrlrange="-2 2"/></default></default></default>'
    )
    assert _limits(file, '<motor joint="j"/>', defaults) == (-1.0, 1.0)
    assert _limits(file, '<motor joint="j" class="big"/>', defaults) == (-5.0, 5.0)
    assert _limits(file, '<motor joint="j" class="bigger"/>', defaults) == (-10.0, 10.0)
    assert _limits(file, '<motor joint="j" class="bigger" gear="1"/>', defaults) == (-2.0, 2.0)


def test_two_actuators_on_the_joint_are_refused(file: Path) -> None:
    with pytest.raises(ModelError, match="2 actuators on joint 'j'"):
        _limits(file, '<motor joint="j"/><motor joint="j"/>')


@pytest.mark.parametrize("words", ["nan 1", "1", "a b", "-inf inf"])
def test_a_control_range_that_is_no_range_is_refused(words: str, file: Path) -> None:
    with pytest.raises(ConfigError, match=r"motor on joint 'j'.*ctrlrange"):
        _limits(file, f'<motor joint="j" ctrlrange="{words}"/>')


def test_another_kind_of_xml_is_refused(file: Path) -> None:
    file.write_text("<robot/>")
    with pytest.raises(ModelError, match="no MJCF"):
        foreign_mjcf.torque_limits(file, "j")


def _couplings(file: Path, equality: str) -> dict[str, Mimic]:
    file.write_text(f"<mujoco><equality>{equality}</equality></mujoco>")
    return foreign_mjcf.couplings(file)


def test_couplings_are_those_of_two_joints(file: Path) -> None:
    found = _couplings(
        file,
        '<joint joint1="a" joint2="b" polycoef="0.1 0.5 0 0 0"/><joint joint1="c" joint2="a"/>'
        '<joint joint1="d"/><weld body1="x"/><joint joint1="e" joint2="b" active="false"/>',
    )
    assert found == {"a": Mimic("b", 0.5, 0.1), "c": Mimic("a", 1.0, 0.0)}


@pytest.mark.parametrize("polycoef", ["0 1 0.1 0 0", "0 0 0 0 0", "0 nan 0 0 0", "x"])
def test_a_coupling_that_is_no_gear_is_refused(polycoef: str, file: Path) -> None:
    with pytest.raises(ConfigError, match=r"joint 'a'.*polycoef"):
        _couplings(file, f'<joint joint1="a" joint2="b" polycoef="{polycoef}"/>')
