"""What a URDF must be before MuJoCo, which accepts most nonsense in silence, sees it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joint_module import urdf_checks, urdf_reader
from joint_module.errors import ModelError, UntrustedInputError
from joint_module.urdf_model import Urdf as Parsed
from stride_base.errors import ConfigError
from stride_base.strict_json import FileError


def _read(urdf: Any) -> Parsed:
    parsed = urdf_reader.read(urdf.write())
    urdf_checks.check(parsed)
    urdf_checks.check_bodies(parsed)
    return parsed


def _refused(urdf: Any, *words: str) -> None:
    """It is refused, in a sentence that names the file and all of `words`."""
    with pytest.raises((ConfigError, ModelError)) as caught:
        _read(urdf)
    for word in ("gear.urdf", *words):
        assert word in str(caught.value), str(caught.value)


def test_a_sound_gear_is_read_with_its_numbers(gear: Any) -> None:
    parsed = _read(gear)
    motor, output = parsed.joints.values()
    assert (motor.lower, motor.upper, motor.effort, motor.velocity) == (-10.0, 10.0, 10.0, 5.0)
    assert output.mimic and output.mimic.multiplier == 0.166666666666667
    assert [joint.name for joint in parsed.movable()] == ["motor", "output"]


def test_two_joints_of_one_name_are_refused(gear: Any) -> None:
    _refused(gear.joint("motor", child="third"), "'motor'", "a name no other joint has")


def test_two_links_of_one_name_are_refused(gear: Any) -> None:
    text = gear.text('<link name="motor_link"/>')
    with pytest.raises(ConfigError, match=r"'motor_link'.*a name no other link has"):
        urdf_reader.from_element(_parsed(text), "gear.urdf")


def test_a_joint_without_name_is_refused(gear: Any) -> None:
    _refused(gear.joint(""), "joint name")


def test_several_root_links_are_refused_by_name(gear: Any) -> None:
    _refused(gear.link("stray"), "several root links", "base", "stray")


def test_links_in_a_loop_without_root_are_refused(urdf: Any) -> None:
    urdf.links = {}
    urdf.joint("a", parent="y", child="x").joint("b", parent="x", child="y")
    _refused(urdf, "no root link")


def test_a_loop_beside_the_tree_is_refused_by_its_joint(gear: Any) -> None:
    gear.joint("a", parent="y", child="x").joint("b", parent="x", child="y")
    _refused(gear, "joint 'a'", "loop")


def test_a_link_with_two_parents_is_refused_by_its_joint(gear: Any) -> None:
    _refused(gear.joint("second", child="motor_link"), "joint 'motor'", "no other joint")


def test_an_unknown_parent_is_refused_by_its_joint(gear: Any) -> None:
    _refused(gear.joint("third", parent="nowhere"), "joint 'third'", "'nowhere'")


def test_an_unknown_child_is_refused_by_its_joint(gear: Any) -> None:
    gear.joint("third", child="nowhere")
    del gear.links["nowhere"]
    _refused(gear, "joint 'third'", "child link", "'nowhere'")


@pytest.mark.parametrize("kind", ["floating", "planar", "spherical", ""])
def test_other_joint_types_are_refused_by_their_joint(kind: str, gear: Any) -> None:
    _refused(gear.joint("third", kind=kind), "joint 'third'", "'type'", "prismatic")


NUMBERS = ["nan", "NaN", "inf", "-Infinity", "1e999", "1e101", "1_000", "0x10", "six", "", "١"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("field", ["lower", "upper", "effort", "velocity"])
def test_limits_that_are_not_finite_are_refused_by_their_joint(
    field: str, number: str, urdf: Any
) -> None:
    words = {"lower": "-1", "upper": "1", "effort": "1", "velocity": "1", field: number}
    limit = " ".join(f'{key}="{value}"' for key, value in words.items())
    _refused(urdf.joint("motor", limit=limit), "joint 'motor'", f"limit {field}", "finite")


@pytest.mark.parametrize("number", NUMBERS)
def test_a_multiplier_or_offset_that_is_not_finite_is_refused(
    number: str, new_urdf: Callable[[], Any]
) -> None:
    _refused(
        new_urdf().joint("motor").joint("output", mimic="motor", multiplier=number),
        "joint 'output'",
        "mimic multiplier",
    )
    _refused(
        new_urdf().joint("motor").joint("output", mimic="motor", offset=number),
        "joint 'output'",
        "mimic offset",
    )


@pytest.mark.parametrize(
    "extra",
    [
        '<origin xyz="0 nan 0"/>',
        '<origin rpy="0 0 inf"/>',
        '<origin xyz="0 0"/>',
        '<origin xyz="0 0 0 0"/>',
        '<dynamics damping="nan"/>',
        '<dynamics friction="-1"/>',
        '<dynamics damping="-0.1"/>',
    ],
)
def test_other_bad_numbers_are_refused_by_their_joint(extra: str, gear: Any) -> None:
    _refused(gear.joint("third", extra=extra), "joint 'third'")


@pytest.mark.parametrize("axis", ["0 0 0", "nan 0 1", "0 1"])
def test_an_axis_that_points_nowhere_is_refused_by_its_joint(axis: str, gear: Any) -> None:
    gear.joints[0] = gear.joints[0].replace('xyz="0 0 1"', f'xyz="{axis}"')
    _refused(gear, "joint 'motor'", "axis xyz")


@pytest.mark.parametrize(
    "inertial",
    [
        '<inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>',
        '<inertial><mass value="nan"/><inertia ixx="1" iyy="1" izz="1"/></inertial>',
        '<inertial><mass value="1"/><inertia ixx="inf" iyy="1" izz="1"/></inertial>',
        '<inertial><mass value="1"/><inertia ixx="-1" iyy="1" izz="1"/></inertial>',
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1"/></inertial>',
        '<inertial><mass value="1"/></inertial>',
    ],
)
def test_a_wrong_inertial_is_refused_by_its_link(inertial: str, gear: Any) -> None:
    _refused(gear.link("motor_link", inertial), "link 'motor_link'")


@pytest.mark.parametrize(
    "content",
    [
        "",
        '<inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1"/></inertial>',
        '<inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0"/></inertial>',
    ],
)
def test_a_moving_link_without_mass_is_refused_by_its_joint(content: str, gear: Any) -> None:
    _refused(gear.link("output_link", content), "joint 'output'", "'output_link'", "mass")


def test_a_massless_link_is_fine_if_something_with_mass_is_fixed_to_it(gear: Any) -> None:
    gear.link("output_link", "").joint("mount", kind="fixed", parent="output_link", limit=None)
    _read(gear)


def test_an_inertia_that_is_not_positive_is_refused_by_its_link(gear: Any) -> None:
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="2"/>'
    gear.link("motor_link", f'<inertial><mass value="1"/>{inertia}</inertial>')
    _refused(gear, "link 'motor_link'", "-1 1 3", "positive principal moments")


def test_an_inertia_that_no_body_has_is_named(gear: Any) -> None:
    inertia = '<inertia ixx="5" iyy="1" izz="1"/>'
    gear.link("motor_link", f'<inertial><mass value="1"/>{inertia}</inertial>')
    assert urdf_checks.check_bodies(_read(gear)) == ["motor_link"]


def test_endless_limits_of_wheels_are_no_error(urdf: Any) -> None:
    urdf.joint("motor", limit='lower="-1e16" upper="1e16" effort="1e16" velocity="1e16"')
    assert _read(urdf).joints["motor"].upper == 1e16


def test_lower_above_upper_is_refused_by_its_joint(urdf: Any) -> None:
    _refused(urdf.joint("motor", limit='lower="1" upper="-1" effort="1"'), "joint 'motor'", "upper")


def test_negative_effort_is_refused_by_its_joint(urdf: Any) -> None:
    _refused(
        urdf.joint("motor", limit='lower="-1" upper="1" effort="-5"'), "joint 'motor'", "effort"
    )


def test_a_joint_that_mimics_itself_is_refused(gear: Any) -> None:
    _refused(gear.joint("third", mimic="third"), "joint 'third'", "another joint than itself")


def test_mimic_of_an_unknown_joint_is_refused(gear: Any) -> None:
    _refused(
        gear.joint("third", mimic="nobody"), "joint 'third'", "'nobody'", "a joint of this URDF"
    )


def test_mimic_of_a_fixed_joint_is_refused(gear: Any) -> None:
    gear.joint("mount", kind="fixed", limit=None).joint("third", mimic="mount")
    _refused(gear, "joint 'third'", "'mount'", "fixed")


def test_mimic_of_nothing_is_refused(gear: Any) -> None:
    _refused(gear.joint("third", mimic=""), "joint 'third'", "mimic joint")


@pytest.mark.parametrize("master", ["motor", "nobody", "third"])
def test_the_mimic_of_a_fixed_joint_is_never_looked_at(master: str, gear: Any) -> None:
    """Robots of which a part was fixed for a simulation keep the mimics of that part."""
    _read(gear.joint("third", kind="fixed", mimic=master, limit=None))


@pytest.mark.parametrize("multiplier", ["0", "-0.0", "0e5"])
def test_a_multiplier_of_zero_is_refused(multiplier: str, gear: Any) -> None:
    gear.joint("third", mimic="motor", multiplier=multiplier)
    _refused(gear, "joint 'third'", "multiplier", "other than 0")


def test_mimics_in_a_cycle_are_refused_with_the_cycle(gear: Any) -> None:
    gear.joint("a", mimic="b").joint("b", mimic="c").joint("c", mimic="a")
    _refused(gear, "joint 'a'", "a -> b -> c -> a")


def test_a_mimic_that_leads_into_a_cycle_is_refused(urdf: Any) -> None:
    urdf.joint("motor").joint("outside", mimic="a").joint("a", mimic="b").joint("b", mimic="a")
    _refused(urdf, "cycle", "a -> b -> a")


@pytest.mark.parametrize("tag", ["limit", "axis", "mimic", "parent", "origin"])
def test_an_element_that_stands_twice_in_a_joint_is_refused(tag: str, gear: Any) -> None:
    element = {"limit": '<limit effort="1"/>', "axis": '<axis xyz="1 0 0"/>'}.get(tag, f"<{tag}/>")
    gear.joints[1] = gear.joints[1].replace("</joint>", f"{element}{element}</joint>")
    _refused(gear, "joint 'output'", tag)


@pytest.mark.parametrize(
    "geometry",
    [
        '<box size="0 1 1"/>',
        '<sphere radius="-1"/>',
        '<cylinder radius="1"/>',
        '<mesh filename=""/>',
        '<mesh filename="a.stl" scale="0 1 1"/>',
        '<mesh filename="a.stl" scale="nan 1 1"/>',
        "",
    ],
)
def test_a_wrong_shape_is_refused_by_its_link(geometry: str, gear: Any) -> None:
    gear.link("base", f"<visual><geometry>{geometry}</geometry></visual>")
    _refused(gear, "link 'base'")


def test_an_unexpanded_xacro_is_refused_with_what_to_do(gear: Any) -> None:
    macro = '<xacro:gear xmlns:xacro="http://www.ros.org/wiki/xacro"/>'
    with pytest.raises(ModelError, match="expand it first"):
        urdf_reader.read(gear.write(extra=macro))


def test_another_kind_of_xml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gear.urdf").write_text("<mujoco/>")
    with pytest.raises(ModelError, match=r"no URDF.*<mujoco>"):
        urdf_reader.read(tmp_path / "gear.urdf")


@pytest.mark.parametrize(
    "text", ["", "robot", "<robot", "<robot></robot><robot/>", "<robot>\0</robot>"]
)
def test_text_that_is_no_xml_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "gear.urdf").write_text(text)
    with pytest.raises(ModelError, match="not well-formed"):
        urdf_reader.read(tmp_path / "gear.urdf")


def test_a_missing_file_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        urdf_reader.read(tmp_path / "gear.urdf")


DTDS = {
    "billion laughs": '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>',
    "an external entity": '<!DOCTYPE robot [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    "a parameter entity": '<!DOCTYPE robot [<!ENTITY % a SYSTEM "http://localhost/x"> %a;]>',
    "an external DTD": '<!DOCTYPE robot SYSTEM "robot.dtd">',
    "an empty DTD": "<!DOCTYPE robot>",
}


@pytest.mark.parametrize("case", DTDS)
def test_document_types_and_entities_are_refused(case: str, gear: Any) -> None:
    path = gear.write()
    path.write_text(DTDS[case] + gear.text())
    with pytest.raises(UntrustedInputError, match=r"gear.urdf.*DOCTYPE"):
        urdf_reader.read(path)


def test_a_urdf_of_a_hundred_megabytes_is_refused_unread(gear: Any) -> None:
    path = gear.write()
    with path.open("r+b") as file:
        file.truncate(100 * 1024 * 1024)
    with pytest.raises(UntrustedInputError, match="104857600 bytes"):
        urdf_reader.read(path)


def test_a_urdf_of_countless_elements_is_refused(gear: Any) -> None:
    with pytest.raises(UntrustedInputError, match="more than 200000"):
        urdf_reader.read(gear.write(extra="<a/>" * 200_001))


@pytest.mark.parametrize("tag", ["link", "joint"])
def test_a_urdf_of_countless_links_is_refused(tag: str, gear: Any) -> None:
    with pytest.raises(
        UntrustedInputError, match=f"50[0-9] {tag}s; a joint module has at most 500"
    ):
        urdf_reader.read(gear.write(extra=f'<{tag} name="x"/>' * 501))


def test_deeply_nested_xml_is_read_without_recursion(gear: Any) -> None:
    urdf_reader.read(gear.write(extra="<a>" * 50_000 + "</a>" * 50_000))


def test_extensions_of_simulators_are_left_behind(gear: Any) -> None:
    extra = '<gazebo/><transmission name="t"/><mujoco><compiler meshdir="/etc"/></mujoco>'
    urdf_checks.check(urdf_reader.read(gear.write(extra=extra)))


def _parsed(text: str) -> Any:
    from joint_module import untrusted_xml

    return untrusted_xml.parse(text.encode(), "gear.urdf")
