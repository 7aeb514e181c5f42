"""The self-contained MJCF of a module: MuJoCo imports the URDF, and what a module needs is set.

The model holds the transmission and nothing else that acts: contacts and gravity are off, so that
what a report measures comes from motor, load and damping alone.
"""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import mujoco

from joint_module import urdf_writer
from joint_module.contract import Limits, Simulation
from joint_module.errors import ModelError
from joint_module.mesh_bundle import MeshBundle
from joint_module.source import GENERATED
from joint_module.transmission import Transmission
from joint_module.urdf_model import Joint, Urdf

# The transmission's constraint: time constant and damping ratio. MuJoCo's default of 0.02 s lets a
# loaded gear give way a hundred times as far.
GEAR_SOLREF = "0.002 1"
# Its impedance, the same at all deflections. What a gear gives way by is proportional to
# (1 - impedance) over the inertia of the gears, and light gears would do so by whole turns with
# MuJoCo's 0.9 to 0.95.
GEAR_SOLIMP = "0.9999 0.9999 0.001"

Element = ElementTree.Element


@dataclass(frozen=True)
class Mjcf:
    """MJCF text, and the moment of inertia that the motor feels at rest, kg m^2."""

    text: str
    input_inertia: float


def build(
    urdf: Urdf,
    transmission: Transmission,
    limits: Limits,
    gear_ratio: float,
    meshes: MeshBundle,
    simulation: Simulation,
) -> Mjcf:
    """The model of a module.

    Args:
        urdf: A checked URDF in which only joints of the transmission are movable.
        transmission: Its input and output.
        limits: Of the input joint; its torque limits become the motor's control range.
        gear_ratio: Couples output to input where the URDF does not.
        meshes: Meshes that lie beside the model.
        simulation: Time step and damping.

    Raises:
        ModelError: MuJoCo refuses the model.
    """
    root = _imported(urdf_writer.text(urdf, meshes.names), meshes.files, urdf.file)
    moving = {joint.name: joint for joint in urdf.movable()}
    _set_options(root, simulation)
    for geom in root.iter("geom"):
        geom.attrib.update(contype="0", conaffinity="0", group="1")
    for element in root.iter("joint"):
        joint = moving.get(element.get("name", ""))
        if joint and element.get("joint1") is None:
            _set_joint(element, joint, joint.name == transmission.input.name, limits, simulation)
    _set_transmission(root, moving, transmission, gear_ratio)
    actuator = _section(root, "actuator")
    ElementTree.SubElement(
        actuator,
        "motor",
        name="motor",
        joint=transmission.input.name,
        ctrlrange=_words(limits.torque),
        ctrllimited="true",
    )
    ElementTree.indent(root)
    text = f"<!-- {GENERATED} -->\n{ElementTree.tostring(root, encoding='unicode')}\n"
    model = compiled(text, meshes.files, urdf.file)
    joint_id = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, transmission.input.name)
    return Mjcf(text, float(model.dof_M0[model.jnt_dofadr[joint_id]]))


def compiled(text: str, assets: Mapping[str, bytes], file: str) -> mujoco.MjModel:
    """A compiled model. Raises ModelError with MuJoCo's reason if it refuses."""
    try:
        with quiet():
            return mujoco.MjModel.from_xml_string(text, dict(assets))
    except ValueError as error:
        raise ModelError(f"{file}: MuJoCo refuses the model: {first_lines(error)}") from error


@contextmanager
def quiet() -> Iterator[None]:
    """MuJoCo's remarks on texture coordinates and the like are no news for a user of modules."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def first_lines(error: Exception) -> str:
    """MuJoCo's message on one line."""
    return "; ".join(line.strip() for line in str(error).splitlines()[:3] if line.strip())


def _imported(urdf: str, files: Mapping[str, bytes], file: str) -> Element:
    """MuJoCo's translation of a URDF."""
    try:
        with quiet():
            spec = mujoco.MjSpec.from_string(urdf, assets=dict(files))
            for mesh in spec.meshes:
                # Thin or open meshes have no volume; masses come from the URDF anyway.
                mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
            # Damping, limits and coupling are written later, since MuJoCo rounds to six digits.
            spec.compile()
            return ElementTree.fromstring(spec.to_xml())
    except ValueError as error:
        raise ModelError(f"{file}: MuJoCo refuses the model: {first_lines(error)}") from error


def _set_options(root: Element, simulation: Simulation) -> None:
    option = _section(root, "option")
    option.attrib.update(
        timestep=repr(simulation.timestep), gravity="0 0 0", integrator="implicitfast"
    )
    ElementTree.SubElement(option, "flag", contact="disable")


def _set_joint(
    element: Element, joint: Joint, is_input: bool, limits: Limits, simulation: Simulation
) -> None:
    element.set("damping", repr(simulation.damping))
    if joint.friction:
        element.set("frictionloss", repr(joint.friction))
    if is_input:
        element.set("range", _words(limits.position))
    elif joint.travel:
        element.set("range", _words(joint.travel))


def _set_transmission(
    root: Element, moving: Mapping[str, Joint], transmission: Transmission, gear_ratio: float
) -> None:
    equality = _section(root, "equality")
    coupling = {joint.get("joint1"): joint for joint in equality.findall("joint")}
    for name, joint in moving.items():
        if joint.mimic:
            couple = coupling[name]
            numbers = (joint.mimic.offset, joint.mimic.multiplier, 0.0, 0.0, 0.0)
            couple.set("polycoef", _words(numbers))
    if transmission.follows is None:
        names = {"joint1": transmission.output.name, "joint2": transmission.input.name}
        numbers = (0.0, 1.0 / gear_ratio, 0.0, 0.0, 0.0)
        ElementTree.SubElement(equality, "joint", names, polycoef=_words(numbers))
    for couple in equality.findall("joint"):
        couple.attrib.update(solref=GEAR_SOLREF, solimp=GEAR_SOLIMP)


def _section(root: Element, tag: str) -> Element:
    found = root.find(tag)
    return ElementTree.SubElement(root, tag) if found is None else found


def _words(numbers: tuple[float, ...]) -> str:
    return " ".join(repr(number) for number in numbers)
