"""What a hand-written MJCF beside the URDF tells: the motor's torque limits, and couplings of joints.

Only its XML is read; a stranger's model is not loaded.
"""

from __future__ import annotations

from pathlib import Path

from joint_module import untrusted_xml as xml
from joint_module.contract import Range
from joint_module.errors import ModelError
from joint_module.untrusted_xml import Element
from joint_module.urdf_model import Mimic
from stride_base.errors import ConfigError

_KINDS = ("motor", "general", "position", "velocity", "intvelocity", "damper")


def torque_limits(path: Path, joint: str) -> Range | None:
    """Torque limits of the actuator on a joint, N m; None if it has no actuator or no limits.

    A motor's are its control range times its gear; a servo's, whose control is an angle or a speed,
    are its force range times its gear.

    Raises:
        FileError, ModelError, UntrustedInputError: the file cannot be used; several actuators.
        ConfigError: a value is wrong.
    """
    root = _read(path)
    found = [
        actuator
        for section in root.findall("actuator")
        for actuator in section
        if actuator.tag in _KINDS
        and joint in (actuator.get("joint"), actuator.get("jointinparent"))
    ]
    if len(found) > 1:
        raise ModelError(
            f"{path.name}: has {len(found)} actuators on joint {joint!r}, expected one"
        )
    return _limits(found[0], _defaults(root), path.name) if found else None


def couplings(path: Path) -> dict[str, Mimic]:
    """For each joint that an equality makes follow another one, how it does.

    Raises:
        FileError, ModelError, UntrustedInputError: the file cannot be used.
        ConfigError: a coupling is not linear, and so is no gear.
    """
    found = {}
    for couple in (joint for part in _read(path).findall("equality") for joint in part):
        follower, leader = couple.get("joint1"), couple.get("joint2")
        if couple.tag != "joint" or not follower or not leader or couple.get("active") == "false":
            continue
        where = f"equality of joint {follower!r}"
        count = len(couple.get("polycoef", "").split()) or 5
        default = (0.0, 1.0, 0.0, 0.0, 0.0)
        given = xml.numbers(couple, "polycoef", count, path.name, where, default)
        offset, gain, *curved = (*given, *default[count:])
        if any(curved) or not gain:
            expected = "a linear coupling 'offset gain 0 0 0' with a gain other than 0"
            raise ConfigError(path.name, where, "polycoef", couple.get("polycoef"), expected)
        found[follower] = Mimic(leader, gain, offset)
    return found


def _read(path: Path) -> Element:
    root = xml.read(path)
    if root.tag != "mujoco":
        raise ModelError(f"{path.name}: is no MJCF: its root is <{root.tag}>, expected <mujoco>")
    return root


def _limits(actuator: Element, defaults: dict[str, list[Element]], file: str) -> Range | None:
    chain = [actuator, *defaults.get(actuator.get("class", ""), defaults.get("", []))]

    def value(attribute: str) -> Element | None:
        return next((element for element in chain if element.get(attribute) is not None), None)

    where = f"{actuator.tag} on joint {actuator.get('joint')!r}"
    bias, gain, gear = value("biastype"), value("gainprm"), value("gear")
    is_motor = actuator.tag == "motor" or (
        actuator.tag == "general" and (bias is None or bias.get("biastype") == "none")
    )
    field, limited = ("ctrlrange", "ctrllimited") if is_motor else ("forcerange", "forcelimited")
    holder, switch = value(field), value(limited)
    if holder is None or (switch is not None and switch.get(limited) == "false"):
        return None
    lower, upper = xml.numbers(holder, field, 2, file, where)
    scale = 1.0 if gear is None else _first(gear, "gear", file, where)
    if is_motor and actuator.tag == "general" and gain is not None:
        scale *= _first(gain, "gainprm", file, where)
    lower, upper = sorted((lower * scale, upper * scale))
    return (lower, upper) if lower < upper else None


def _first(element: Element, attribute: str, file: str, where: str) -> float:
    count = max(len(element.get(attribute, "").split()), 1)
    return xml.numbers(element, attribute, count, file, where)[0]


def _defaults(root: Element) -> dict[str, list[Element]]:
    """For each default class its actuator settings, its own first; "" is the topmost class."""
    chains: dict[str, list[Element]] = {}
    todo: list[tuple[Element, list[Element]]] = [(top, []) for top in root.findall("default")]
    for top, _ in todo:
        own = [element for element in top if element.tag in _KINDS]
        chains[""] = chains.get("", []) + own
    while todo:
        default, inherited = todo.pop()
        own = [element for element in reversed(default) if element.tag in _KINDS]
        chains[default.get("class", "main")] = own + inherited
        todo += [(child, own + inherited) for child in default.findall("default")]
    return chains
