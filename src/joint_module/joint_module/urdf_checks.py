"""Checks of a URDF as a whole: one tree, and mimic relations that can be followed."""

from __future__ import annotations

from collections import Counter

import numpy as np

from joint_module.errors import ModelError
from joint_module.urdf_model import Joint, Link, Urdf
from stride_base.errors import ConfigError


def check(urdf: Urdf) -> None:
    """Raise ConfigError or ModelError, which names the joint or link, unless the URDF is sound."""
    _check_links(urdf)
    _check_tree(urdf)
    for joint in urdf.movable():
        if joint.mimic:
            _check_mimic(urdf, joint)


def check_bodies(urdf: Urdf) -> list[str]:
    """Check the masses of what moves; returns names of links whose inertia no body has.

    Raises:
        ConfigError: a moving body without mass or inertia, which names its joint, or a link whose
            inertia is not positive.
    """
    unbalanced = []
    for joint in urdf.movable():
        body = urdf.moving_together(joint.child)
        parts = [link.inertial for link in body if link.inertial]
        # What moves must have mass, or its acceleration is infinite.
        if not any(part.mass > 0.0 and any(part.inertia) for part in parts):
            expected = "an <inertial> with mass and inertia above 0, on it or on a link fixed to it"
            raise _wrong(urdf, joint, "child link", joint.child, expected)
        unbalanced += [link.name for link in body if link.inertial and not _balanced(urdf, link)]
    return unbalanced


def _balanced(urdf: Urdf, link: Link) -> bool:
    """Whether the principal moments A <= B <= C of a link satisfy A + B >= C, as all bodies' do."""
    assert link.inertial is not None
    xx, xy, xz, yy, yz, zz = link.inertial.inertia
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    slack = max(1e-6 * moments[2], 1e-12)
    if moments[0] < -slack:
        expected = "an inertia with positive principal moments"
        found = " ".join(f"{moment:.3g}" for moment in moments)
        raise ConfigError(urdf.file, f"link {link.name!r}", "inertia", found, expected)
    return bool(moments[0] + moments[1] >= moments[2] - slack)


def root_of(urdf: Urdf) -> str:
    """Name of the one link that no joint has as its child. Raises ModelError."""
    children = {joint.child for joint in urdf.joints.values()}
    roots = [name for name in urdf.links if name not in children]
    if not roots:
        raise ModelError(
            f"{urdf.file}: has no root link: its joints form a loop, or it has no links"
        )
    if len(roots) > 1:
        raise ModelError(
            f"{urdf.file}: has several root links ({', '.join(roots)}); connect them by joints, "
            "a URDF is one tree"
        )
    return roots[0]


def _check_links(urdf: Urdf) -> None:
    for joint in urdf.joints.values():
        for field, link in (("parent link", joint.parent), ("child link", joint.child)):
            if link not in urdf.links:
                raise _wrong(urdf, joint, field, link, "a link of this URDF")
    counts = Counter(joint.child for joint in urdf.joints.values())
    for joint in urdf.joints.values():
        if counts[joint.child] > 1:
            expected = "a link that no other joint has as its child"
            raise _wrong(urdf, joint, "child link", joint.child, expected)


def _check_tree(urdf: Urdf) -> None:
    root = root_of(urdf)
    children: dict[str, list[Joint]] = {name: [] for name in urdf.links}
    for joint in urdf.joints.values():
        children[joint.parent].append(joint)
    reached, todo = set[str](), [root]
    while todo:
        link = todo.pop()
        reached.add(link)
        todo += [joint.child for joint in children[link]]
    for joint in urdf.joints.values():
        if joint.parent not in reached:
            expected = f"a link that hangs on the root link {root!r}, not on a loop"
            raise _wrong(urdf, joint, "parent link", joint.parent, expected)


def _check_mimic(urdf: Urdf, joint: Joint) -> None:
    mimic = joint.mimic
    assert mimic is not None
    if mimic.master == joint.name:
        raise _wrong(urdf, joint, "mimic joint", mimic.master, "another joint than itself")
    master = urdf.joints.get(mimic.master)
    if master is None:
        raise _wrong(urdf, joint, "mimic joint", mimic.master, "a joint of this URDF")
    if not master.is_movable:
        raise _wrong(urdf, joint, "mimic joint", mimic.master, "a movable joint; this one is fixed")
    if mimic.multiplier == 0.0:
        raise _wrong(urdf, joint, "mimic multiplier", 0.0, "a number other than 0")
    path = [joint.name]
    while master is not None and master.mimic:
        if master.name in path:
            loop = " -> ".join([*path[path.index(master.name) :], master.name])
            raise _wrong(urdf, joint, "mimic joint", mimic.master, f"no cycle ({loop})")
        path.append(master.name)
        master = urdf.joints.get(master.mimic.master)


def _wrong(urdf: Urdf, joint: Joint, field: str, value: object, expected: str) -> ConfigError:
    return ConfigError(urdf.file, f"joint {joint.name!r}", field, value, expected)
