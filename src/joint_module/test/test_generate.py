"""From URDF to MJCF and JSON: the reference case, and others."""

from __future__ import annotations

import json
import math
import shutil
import xml.etree.ElementTree as ElementTree
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from joint_module.choices import Choices
from joint_module.contract import JointModule, Simulation
from joint_module.errors import ModelError
from joint_module.generate import Generated, generate
from joint_module.report import report
from stride_base.errors import ConfigError, StrideError


def make(urdf: Any, **choices: Any) -> Generated:
    """Generates a URDF into the folder `out` beside it."""
    return generate(urdf.write(), urdf.folder.parent / "out", Choices(**choices))


def refused(urdf: Any, words: str, **choices: Any) -> None:
    with pytest.raises((ConfigError, ModelError), match=words):
        make(urdf, **choices)
    assert not (urdf.folder.parent / "out").exists()


def couplings(generated: Generated) -> dict[str, tuple[str, list[float]]]:
    root = ElementTree.parse(generated.model).getroot()
    return {
        joint.attrib["joint1"]: (
            joint.attrib["joint2"],
            [float(word) for word in joint.attrib["polycoef"].split()],
        )
        for joint in root.findall("equality/joint")
    }


def test_the_planetary_module_gives_exactly_the_seeds_instance(
    planetary: Path, data: Path, tmp_path: Path
) -> None:
    instance = json.loads((data / "joint_module_instance.json").read_text())
    generated = generate(planetary, tmp_path, Choices(name=instance["name"]))
    assert json.loads(generated.file.read_text()) == instance
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "planetary_joint_split_motor_demo.json",
        "planetary_joint_split_motor_demo.xml",
        "ring_gear.obj",
    ]


def test_the_planetary_module_as_a_zip_gives_the_same(planetary: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "upload.zip", "w") as archive:
        for file in planetary.rglob("*"):
            archive.write(file, Path("planetary") / file.relative_to(planetary))
    from_zip = generate(tmp_path / "upload.zip", tmp_path / "one")
    from_folder = generate(planetary, tmp_path / "two")
    assert from_zip.file.read_text() == from_folder.file.read_text()
    assert from_zip.model.read_text() == from_folder.model.read_text()


def test_the_model_is_complete_wherever_its_folder_is_moved(
    planetary: Path, tmp_path: Path
) -> None:
    generated = generate(planetary, tmp_path / "here")
    shutil.move(tmp_path / "here", tmp_path / "there")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "there" / generated.model.name))
    assert (model.njnt, model.neq, model.nu, model.nmesh) == (5, 4, 1, 1)


def test_the_model_couples_exactly_by_the_urdfs_multipliers(
    planetary: Path, tmp_path: Path
) -> None:
    generated = generate(planetary, tmp_path)
    found = couplings(generated)
    assert found["carrier_output_joint"] == ("sun_input_joint", [0, 0.166666666666667, 0, 0, 0])
    assert found["planet_1_joint"] == ("sun_input_joint", [0, -0.416666666666667, 0, 0, 0])
    model = mujoco.MjModel.from_xml_path(str(generated.model))
    assert model.eq_solref.tolist() == [[0.002, 1.0]] * 4
    assert model.actuator_ctrlrange.tolist() == [[-10.0, 10.0]]
    assert model.jnt_range[model.joint("sun_input_joint").id].tolist() == [
        -37.6991118431,
        37.6991118431,
    ]


def test_a_loaded_gear_gives_way_by_a_thousandth_of_a_radian(
    planetary: Path, tmp_path: Path
) -> None:
    """MuJoCo's default solref lets it give way by 0.1 rad."""
    model = mujoco.MjModel.from_xml_path(str(generate(planetary, tmp_path).model))
    data = mujoco.MjData(model)
    motor, output = (model.joint(f"{name}_joint").id for name in ("sun_input", "carrier_output"))
    data.qfrc_applied[output] = -3.0
    for _ in range(2000):
        data.ctrl[0] = np.clip(-20.0 * data.qpos[motor] - 0.1 * data.qvel[motor], -10.0, 10.0)
        mujoco.mj_step(model, data)
    gear_error = data.qpos[motor] / 6.0 - data.qpos[output]
    assert abs(gear_error) < 0.0015
    assert data.ctrl[0] == pytest.approx(0.5, rel=0.01)


def test_two_stages_give_the_product_of_their_ratios(urdf: Any) -> None:
    urdf.joint("motor").joint("middle", mimic="motor", multiplier=-0.25)
    generated = make(urdf.joint("output", mimic="middle", multiplier=-0.1, parent="middle_link"))
    assert generated.module.gear_ratio == 40.0
    assert generated.module.output_joint == "output"
    assert couplings(generated)["output"] == ("middle", [0, -0.1, 0, 0, 0])


def test_a_reversing_gear_is_refused(urdf: Any) -> None:
    refused(urdf.joint("motor").joint("output", mimic="motor", multiplier=-0.2), "reversing gear")


def test_several_candidates_are_refused_until_one_is_chosen(gear: Any) -> None:
    gear.joint("second")
    refused(gear, "'motor', 'second'")
    generated = make(gear, input_joint="motor")
    assert any(
        "held at zero" in warning and "'second'" in warning for warning in generated.warnings
    )
    assert mujoco.MjModel.from_xml_path(str(generated.model)).njnt == 2


def test_several_outputs_are_refused_until_one_is_chosen(gear: Any) -> None:
    gear.joint("other", mimic="motor", multiplier=0.5)
    refused(gear, "'output', 'other'")
    assert make(gear, output_joint="other").module.gear_ratio == 2.0


def test_a_step_up_gear_is_allowed_with_a_warning(urdf: Any) -> None:
    generated = make(urdf.joint("motor").joint("output", mimic="motor", multiplier=4))
    assert generated.module.gear_ratio == 0.25
    assert any("below 1" in warning for warning in generated.warnings)


def test_a_continuous_motor_needs_position_limits(urdf: Any) -> None:
    urdf.joint("motor", kind="continuous").joint("output", mimic="motor", multiplier=0.1)
    refused(urdf, "joint 'motor'.*--position-limits")
    generated = make(urdf, position_limits=(-2.0, 3.0))
    assert generated.module.limits.position == (-2.0, 3.0)
    model = mujoco.MjModel.from_xml_path(str(generated.model))
    assert model.jnt_range[model.joint("motor").id].tolist() == [-2.0, 3.0]


@pytest.mark.parametrize("limits", [(1.0, 1.0), (2.0, -2.0), (math.nan, 1.0)])
def test_position_limits_upside_down_are_refused(limits: tuple[float, float], gear: Any) -> None:
    refused(gear, "joint 'motor'.*lower < upper", position_limits=limits)


def test_endless_position_limits_are_refused(gear: Any) -> None:
    refused(gear, "position.*finite", position_limits=(-math.inf, 1.0))


@pytest.mark.parametrize(
    "limit", [None, 'effort="1" velocity="1"', 'lower="0" upper="0" effort="1"']
)
def test_a_motor_without_travel_needs_position_limits(limit: str | None, urdf: Any) -> None:
    urdf.joint("motor", limit=limit).joint("output", mimic="motor")
    refused(urdf, "joint 'motor'.*--position-limits")


@pytest.mark.parametrize("effort", ["", 'effort="0"'])
def test_a_motor_without_torque_limit_is_refused(effort: str, urdf: Any) -> None:
    urdf.joint("motor", limit=f'lower="-1" upper="1" {effort}').joint("output", mimic="motor")
    refused(urdf, "joint 'motor'.*effort above 0.*ctrlrange")


@pytest.mark.parametrize("velocity", ["", 'velocity="0"'])
def test_velocity_limits_are_optional(velocity: str, urdf: Any) -> None:
    urdf.joint("motor", limit=f'lower="-1" upper="1" effort="5" {velocity}')
    generated = make(urdf.joint("output", mimic="motor"))
    assert generated.module.limits.velocity is None
    assert any("no velocity limit" in warning for warning in generated.warnings)


MJCF = '<mujoco><actuator><motor joint="motor" ctrlrange="-4 3"/></actuator>{}</mujoco>'


def test_torque_limits_come_from_the_mjcf_before_the_effort(gear: Any) -> None:
    gear.folder.mkdir()
    (gear.folder / "motor.xml").write_text(MJCF)
    generated = make(gear)
    assert generated.module.limits.torque == (-4.0, 3.0)
    model = mujoco.MjModel.from_xml_path(str(generated.model))
    assert model.actuator_ctrlrange.tolist() == [[-4.0, 3.0]]


def test_torque_limits_come_from_the_effort_if_the_mjcf_has_none(gear: Any) -> None:
    gear.folder.mkdir()
    (gear.folder / "other.xml").write_text(MJCF.replace('"motor"', '"other"'))
    assert make(gear).module.limits.torque == (-10.0, 10.0)


def test_without_mimic_the_ratio_must_come_from_somewhere(urdf: Any) -> None:
    urdf.joint("motor").joint("output")
    refused(urdf, "'output' does not follow 'motor'.*--recording.*--ratio", input_joint="motor")


def test_without_mimic_a_ratio_by_hand_couples_the_model(urdf: Any) -> None:
    generated = make(urdf.joint("motor").joint("output"), input_joint="motor", ratio=25.0)
    assert (generated.module.gear_ratio, generated.module.gear_ratio_source) == (25.0, "manual")
    assert couplings(generated) == {"output": ("motor", [0, 0.04, 0, 0, 0])}


@pytest.mark.parametrize("ratio", [0.0, -2.0, math.nan, math.inf])
def test_a_ratio_by_hand_must_be_a_number_above_zero(ratio: float, urdf: Any) -> None:
    refused(urdf.joint("motor").joint("output"), "'ratio'", input_joint="motor", ratio=ratio)


def test_without_mimic_a_recording_calibrates_before_a_ratio_by_hand(
    urdf: Any, tmp_path: Path
) -> None:
    angles = np.linspace(-3.0, 3.0, 50)
    rows = "\n".join(f"{q},{q / 12.5 + 0.3}" for q in angles)
    (tmp_path / "log.csv").write_text(f"q_in,q_out\n{rows}\n")
    urdf.joint("motor").joint("output")
    choices = {"input_joint": "motor", "recording": tmp_path / "log.csv", "ratio": 7.0}
    module = make(urdf, **choices).module
    assert module.gear_ratio_source == "calibrated"
    assert module.gear_ratio == pytest.approx(12.5, rel=1e-6)


def test_without_mimic_couplings_of_the_mjcf_are_calibrated_by_simulation(urdf: Any) -> None:
    equality = (
        '<equality><joint joint1="output" joint2="motor" polycoef="0 0.125 0 0 0"/></equality>'
    )
    urdf.folder.mkdir()
    (urdf.folder / "motor.xml").write_text(MJCF.format(equality))
    generated = make(urdf.joint("motor").joint("output"))
    assert generated.module.gear_ratio_source == "calibrated"
    assert generated.module.gear_ratio == pytest.approx(8.0, rel=1e-3)
    assert (generated.module.input_joint, generated.module.output_joint) == ("motor", "output")


def test_mimic_goes_before_calibration_and_hand(gear: Any, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("q_in,q_out\n0,0\n1,1\n2,2\n")
    generated = make(gear, ratio=3.0, recording=tmp_path / "log.csv")
    assert (generated.module.gear_ratio, generated.module.gear_ratio_source) == (6.0, "mimic")
    assert any("not used" in warning for warning in generated.warnings)


def test_an_offset_is_kept_in_the_model_and_warned_of(urdf: Any) -> None:
    generated = make(
        urdf.joint("motor").joint("output", mimic="motor", multiplier=0.1, offset=0.25)
    )
    assert couplings(generated) == {"output": ("motor", [0.25, 0.1, 0, 0, 0])}
    assert any("0.25 when the input is at zero" in warning for warning in generated.warnings)


def test_an_output_coupled_by_hand_that_stops_is_warned_of_too(urdf: Any) -> None:
    urdf.joint("motor").joint("output", limit='lower="1" upper="2" effort="1"')
    generated = make(urdf, input_joint="motor", ratio=10.0)
    assert any("'output' stops at 1 and 2" in warning for warning in generated.warnings)


def test_meshes_that_are_not_shown_are_warned_of(gear: Any) -> None:
    gear.link("base", '<visual><geometry><mesh filename="a.dae"/></geometry></visual>')
    generated = make(gear)
    assert any("not shown" in warning and "'a.dae'" in warning for warning in generated.warnings)


def test_a_point_mass_fixed_to_what_moves_is_no_error(gear: Any) -> None:
    point = '<inertial><mass value="0.1"/><inertia ixx="0" iyy="0" izz="0"/></inertial>'
    gear.link("tip", point).joint("mount", kind="fixed", parent="output_link", child="tip")
    assert make(gear).module.gear_ratio == 6.0


def test_a_follower_that_stops_before_the_motor_is_warned_of(urdf: Any) -> None:
    limit = 'lower="-0.5" upper="0.5" effort="1"'
    urdf.joint("motor").joint("output", mimic="motor", multiplier=0.1, limit=limit)
    assert any("'output' stops at -0.5 and 0.5" in warning for warning in make(urdf).warnings)


def test_damping_of_the_urdf_is_replaced_with_a_warning(urdf: Any) -> None:
    urdf.joint("motor", extra='<dynamics damping="0.7" friction="0.2"/>')
    generated = make(urdf.joint("output", mimic="motor"))
    assert any("damping of 'motor' is replaced" in warning for warning in generated.warnings)
    model = mujoco.MjModel.from_xml_path(str(generated.model))
    assert model.dof_damping.tolist() == [0.01, 0.01]
    assert model.dof_frictionloss.tolist() == [0.2, 0.0]


def test_a_light_rotor_is_warned_of(gear: Any) -> None:
    assert any("light" in warning for warning in make(gear).warnings)
    heavy = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'
    assert not any("light" in warning for warning in make(gear.link("motor_link", heavy)).warnings)


def test_a_prismatic_output_is_allowed_with_a_warning(urdf: Any) -> None:
    urdf.joint("motor").joint("spindle", kind="prismatic", mimic="motor", multiplier=0.001)
    generated = make(urdf)
    assert generated.module.gear_ratio == 1000.0
    assert any("'spindle' is prismatic" in warning for warning in generated.warnings)


def test_an_inertia_that_no_body_has_is_balanced_with_a_warning(gear: Any) -> None:
    wrong = '<inertial><mass value="1"/><inertia ixx="5" iyy="1" izz="1"/></inertial>'
    generated = make(gear.link("motor_link", wrong))
    assert any("'motor_link' is that of no body" in warning for warning in generated.warnings)


def test_only_what_moves_must_have_mass(gear: Any) -> None:
    gear.link("base", '<inertial><mass value="0"/><inertia ixx="9" iyy="1" izz="1"/></inertial>')
    gear.link("second_link", "").joint("second").joint(
        "third", mimic="second", parent="second_link"
    )
    assert make(gear, input_joint="motor").module.gear_ratio == 6.0
    with pytest.raises(ConfigError, match=r"joint 'second'.*mass"):
        make(gear, input_joint="second")


def test_the_mimic_of_a_fixed_joint_is_ignored_with_a_warning(gear: Any) -> None:
    generated = make(gear.joint("third", kind="fixed", mimic="motor", limit=None))
    assert any("mimic of joint 'third' is ignored" in warning for warning in generated.warnings)
    assert list(couplings(generated)) == ["output"]


def test_a_motor_with_endless_limits_gives_a_valid_module(urdf: Any) -> None:
    urdf.joint("motor", limit='lower="-1e100" upper="1e100" effort="1e9" velocity="1e100"')
    generated = make(urdf.joint("output", mimic="motor"))
    found, _ = report(generated.module, generated.model)
    assert found.within_limits


def test_a_shape_that_mujoco_refuses_is_an_error_in_its_words(gear: Any) -> None:
    gear.folder.mkdir()
    (gear.folder / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    gear.link("base", '<visual><geometry><mesh filename="a.obj"/></geometry></visual>')
    refused(gear, "MuJoCo refuses.*at least 4 vertices.*'a'")


def test_a_long_chain_is_no_trouble(gear: Any) -> None:
    parent = "output_link"
    for number in range(400):
        gear.joint(f"j{number}", mimic="motor", multiplier=-0.1, parent=parent)
        parent = f"j{number}_link"
    assert make(gear).module.gear_ratio == 6.0


def test_a_mesh_without_volume_only_shows_and_is_accepted(gear: Any) -> None:
    sheet = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"
    gear.folder.mkdir()
    (gear.folder / "sheet.obj").write_text(sheet)
    gear.link("base", '<visual><geometry><mesh filename="sheet.obj"/></geometry></visual>')
    assert mujoco.MjModel.from_xml_path(str(make(gear).model)).nmesh == 1


def test_a_robots_name_that_is_no_file_name_is_cleaned(gear: Any, tmp_path: Path) -> None:
    path = gear.write()
    path.write_text(gear.text().replace('name="gear"', 'name="../../evil: 关节"'))
    generated = generate(path, tmp_path / "out")
    assert generated.module.model == "evil_关节.xml"
    assert generated.file == tmp_path / "out" / "evil_关节.json"


def test_a_refusal_leaves_an_older_module_whole(gear: Any) -> None:
    before = make(gear).file.read_text()
    gear.joint("second")
    with pytest.raises(ModelError):
        make(gear)
    assert (gear.folder.parent / "out" / "gear.json").read_text() == before


@pytest.mark.parametrize("name", ["gear.xml", "a.obj"])
def test_files_of_others_are_not_overwritten(name: str, gear: Any) -> None:
    gear.folder.mkdir()
    (gear.folder / "meshes").mkdir()
    (gear.folder / "meshes" / "a.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n"
    )
    gear.link("base", '<visual><geometry><mesh filename="meshes/a.obj"/></geometry></visual>')
    (gear.folder / name).write_text("<mujoco/>")
    with pytest.raises(ModelError, match=rf"{name}: is a file of the source"):
        generate(gear.write(), gear.folder)
    assert (gear.folder / name).read_text() == "<mujoco/>"


def test_a_module_can_be_generated_again_into_its_folder(gear: Any) -> None:
    generate(gear.write(), gear.folder)
    changed = generate(gear.write(), gear.folder, Choices(position_limits=(-1.0, 1.0)))
    assert 'range="-1.0 1.0"' in changed.model.read_text()


def test_nothing_but_the_module_stays_in_its_folder(gear: Any) -> None:
    generated = make(gear)
    assert sorted(e.name for e in generated.file.parent.iterdir()) == ["gear.json", "gear.xml"]


def test_a_folder_that_cannot_be_made_is_an_error(gear: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot be written"):
        generate(gear.write(), tmp_path / "file" / "out")


def test_wrong_simulation_parameters_are_refused_before_anything_is_written(gear: Any) -> None:
    refused(gear, "'timestep'", simulation=Simulation(timestep=0.0))


def test_the_servos_module_is_generated_from_its_urdf(sts3215: Path, tmp_path: Path) -> None:
    committed = JointModule.from_document(json.loads((sts3215 / "sts3215.json").read_text()))
    choices = Choices(name=committed.name, simulation=committed.simulation)
    generated = generate(sts3215, tmp_path, choices)
    assert generated.file.read_text() == (sts3215 / "sts3215.json").read_text()
    assert replace(generated.module, name=None).gear_ratio == 345.0
    assert generated.warnings == ()


numbers = st.sampled_from(["0", "1", "-1", "0.5", "-0.25", "1e-12", "1e8", "nan", "x"])


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None
)
@given(
    joints=st.lists(
        st.tuples(
            st.sampled_from(["revolute", "continuous", "prismatic", "fixed", "planar"]),
            st.sampled_from(["base", "a_link", "b_link", "c_link"]),
            st.sampled_from([None, "a", "b", "c"]),
            numbers,
            numbers,
        ),
        min_size=1,
        max_size=3,
    ),
    scale=numbers,
)
def test_any_urdf_becomes_a_valid_module_or_is_refused_with_a_sentence(
    joints: Any, scale: str, new_urdf: Any
) -> None:
    urdf = new_urdf()
    urdf.link("base", f'<visual><geometry><box size="{scale} 1 1"/></geometry></visual>')
    for name, (kind, parent, mimic, multiplier, upper) in zip("abc", joints, strict=False):
        limit = f'lower="-1" upper="{upper}" effort="1"'
        urdf.joint(name, mimic, multiplier, kind=kind, parent=parent, limit=limit)
    try:
        generated = make(urdf)
    except StrideError as error:
        assert "expected" in str(error) or ":" in str(error)
    else:
        assert generated.module.gear_ratio > 0.0
        mujoco.MjModel.from_xml_path(str(generated.model))
