"""A robot description as MJCF: bodies, joints and solids on a floor, nothing that acts.

The actuators in it are plain position servos for those who open the file in a viewer; the simulated
robot replaces them by servos of its profile (`servo_joints`).
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from servo_sim.robot_description import Joint, Link, Part, RobotDescription, Shape

Element = ElementTree.Element
#: N m/rad, of the viewer's servos only: an STS3215 with P = 32 at 7.4 V.
VIEWER_KP, VIEWER_TORQUE = 18.5, 3.4
#: Ground and robot touch each other; the robot does not touch itself.
GROUND, ROBOT = {"contype": "1", "conaffinity": "0"}, {"contype": "0", "conaffinity": "1"}
NOTHING = {"contype": "0", "conaffinity": "0"}


def mjcf_text(robot: RobotDescription, source: str) -> str:
    """The MJCF file; `source` says in it what it was made from."""
    root = Element("mujoco", model=robot.name)
    _add(root, "compiler", angle="radian", autolimits="true")
    _add(
        root, "option", timestep="0.002", integrator="implicitfast", cone="elliptic", impratio="10"
    )
    visual = _add(root, "visual")
    _add(visual, "global", offwidth="1280", offheight="960")
    _add(visual, "headlight", ambient="0.3 0.3 0.3", diffuse="0.25 0.25 0.25", specular="0 0 0")
    _add(visual, "quality", shadowsize="4096")
    _assets(root, robot)
    world = _add(root, "worldbody")
    floor = {"type": "plane", "size": "0 0 0.05", "material": "floor"}
    _add(world, "geom", name="floor", friction=_words(robot.floor_friction), **floor, **GROUND)
    bodies: dict[str, Element] = {}
    for link in robot.links:
        bodies[link.name] = _body(world, bodies, link, robot)
    actuators = _add(root, "actuator")
    for joint in robot.joints:
        _add(
            actuators,
            "position",
            name=joint.name,
            joint=joint.name,
            kp=_words(VIEWER_KP),
            dampratio="1",
            forcerange=_words(-VIEWER_TORQUE, VIEWER_TORQUE),
        )
    ElementTree.indent(root)
    return f"<!-- {source} -->\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _assets(root: Element, robot: RobotDescription) -> None:
    asset = _add(root, "asset")
    sky = {"rgb1": "0.75 0.82 0.9", "rgb2": "0.95 0.97 1", "width": "64", "height": "256"}
    _add(asset, "texture", type="skybox", builtin="gradient", **sky)
    tiles = {"rgb1": "0.62 0.65 0.68", "rgb2": "0.54 0.57 0.6", "width": "256", "height": "256"}
    edge = {"mark": "edge", "markrgb": "0.48 0.51 0.54"}
    _add(asset, "texture", name="floor", type="2d", builtin="checker", **tiles, **edge)
    # One texture of two by two tiles per 0.2 m: a tile is 0.1 m wide.
    shiny = {"texrepeat": "5 5", "texuniform": "true", "reflectance": "0"}
    _add(asset, "material", name="floor", texture="floor", **shiny)
    for name, color in robot.colors.items():
        _add(asset, "material", name=name, rgba=_words(*color, *[1.0] * (4 - len(color))))


def _body(
    world: Element, bodies: dict[str, Element], link: Link, robot: RobotDescription
) -> Element:
    joint = link.joint
    if joint is None:
        body = _add(world, "body", name=link.name, pos=_words(0, 0, robot.standing_height))
        _add(body, "freejoint", name="floating")
        _add(body, "site", name="imu", size="0.005", rgba="0 0 0 0")
        view = {"pos": "0.5 -0.62 0.4", "xyaxes": "0.78 0.63 0 -0.27 0.34 0.9"}
        _add(body, "camera", name="chase", mode="trackcom", fovy="40", **view)
        lamp = {"pos": "0.3 -0.4 1.5", "dir": "-0.2 0.27 -1", "diffuse": "0.9 0.9 0.9"}
        _add(body, "light", name="lamp", mode="trackcom", cutoff="60", **lamp)
    else:
        body = _add(bodies[joint.parent], "body", name=link.name, **_frame(joint))
        _add(
            body,
            "joint",
            name=joint.name,
            axis=_words(*joint.axis),
            range=_words(joint.low, joint.high),
        )
    for part in link.parts:
        _add(body, "geom", **_geom(part))
    return body


def _frame(joint: Joint) -> dict[str, str]:
    frame = {"pos": _words(*joint.at)}
    if joint.yaw:
        frame["axisangle"] = _words(0, 0, 1, joint.yaw)
    elif joint.pitch_up:
        frame["axisangle"] = _words(0, -1, 0, joint.pitch_up)
    return frame


def _geom(part: Part) -> dict[str, str]:
    a, b, c = part.size
    geom = {"name": part.name, "type": part.shape.value, "pos": _words(*part.at)}
    if part.shape is Shape.BOX:
        geom["size"] = _words(a / 2, b / 2, c / 2)
    elif part.shape is Shape.SPHERE:
        geom["size"] = _words(a)
    else:
        x, y, z = part.at
        del geom["pos"]
        geom["fromto"] = _words(x - a / 2, y, z, x + a / 2, y, z)
        geom["size"] = _words(b)
    geom |= {"mass": _words(part.mass), "material": part.color}
    if part.friction is None:
        return geom | NOTHING
    return geom | {"friction": _words(part.friction)} | ROBOT


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _words(*numbers: float) -> str:
    return " ".join(f"{number + 0.0:.7g}" for number in numbers)
