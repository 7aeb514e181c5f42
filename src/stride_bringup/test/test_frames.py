"""The robot for RViz and Foxglove: what starts, which frames there are, what both are told of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from stride_base.errors import RefusedError
from stride_bringup.frames import (
    joining_transforms,
    publishes_description,
    require,
    rviz_text,
)
from stride_bringup.robots import find_robot
from stride_bringup.stack import build_stack
from stride_bringup.stack_options import StackOptions

CONFIG = Path(__file__).parents[3] / "config"
RVIZ = (CONFIG / "stride.rviz").read_text()
SIMULATED, REAL = {"port": ""}, {"port": "/dev/ttyACM0"}
Layout = dict[str, Any]


def everything(_package: str) -> bool:
    return True


def nothing(_package: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("robot", "installed", "starts"),
    [
        ("hexapod", everything, True),
        ("hexapod", nothing, False),
        ("seed_example", everything, False),
    ],
)
def test_the_state_publisher_starts_by_itself_where_it_can(
    robot: str, installed: Any, starts: bool
) -> None:
    assert publishes_description("auto", find_robot(robot), installed) is starts
    assert not publishes_description("off", find_robot(robot), installed)


def test_a_state_publisher_that_is_asked_for_and_cannot_start_is_an_error_that_helps() -> None:
    assert publishes_description("on", find_robot("hexapod"), everything)
    with pytest.raises(RefusedError, match=r"apt install ros-.ROS_DISTRO-robot-state-publisher"):
        publishes_description("on", find_robot("hexapod"), nothing)
    with pytest.raises(RefusedError, match=r"has no robot\.urdf to publish"):
        publishes_description("on", find_robot("seed_example"), everything)
    with pytest.raises(RefusedError, match=r"apt install ros-.ROS_DISTRO-rviz2"):
        require("rviz2", nothing)


@pytest.mark.parametrize(
    ("motion", "where", "joined"),
    [
        ("hexapod_motion", SIMULATED, (("odom", "world"),)),
        ("gait_controller", SIMULATED, (("odom", "world"),)),
        ("hexapod_motion", REAL, ()),
        ("gait_controller", REAL, (("odom", "base_link"),)),
    ],
)
def test_odom_always_leads_to_the_body_and_no_frame_has_two_parents(
    motion: str, where: dict[str, str], joined: tuple[tuple[str, str], ...]
) -> None:
    stack = build_stack(StackOptions(motion=motion, **where))
    assert joining_transforms(stack) == joined
    edges = list(joined)
    for spec in stack.nodes:
        if spec.name == "hexapod_motion":
            edges.append(("odom", "base_link"))
        if spec.parameters.get("publish_tf"):
            edges.append(("world", "base_link"))
    parents = {child: parent for parent, child in edges}
    assert len(parents) == len(edges), "two parents"
    frame = "base_link"
    while frame in parents:
        frame = parents[frame]
    assert frame == "odom"


def test_joined_frames_carry_the_namespace_as_all_others_do() -> None:
    stack = build_stack(StackOptions(namespace="left"))
    assert joining_transforms(stack) == (("left/odom", "left/world"),)


def displays(text: str) -> dict[str, Layout]:
    manager = yaml.safe_load(text)["Visualization Manager"]
    return {display["Class"].rpartition("/")[2]: display for display in manager["Displays"]}


def test_rviz_hears_the_description_that_was_published_before_it_started() -> None:
    topic = displays(RVIZ)["RobotModel"]["Description Topic"]
    assert topic["Value"] == "robot_description"
    assert topic["Durability Policy"] == "Transient Local"


def test_rviz_is_told_the_namespace() -> None:
    text = rviz_text(RVIZ, "/left")
    manager = yaml.safe_load(text)["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"] == "left/odom"
    assert displays(text)["RobotModel"]["TF Prefix"] == "left"
    assert rviz_text(RVIZ, "") == RVIZ


def test_topics_of_rviz_follow_its_namespace() -> None:
    manager = yaml.safe_load(RVIZ)["Visualization Manager"]
    topics = [
        display[key]["Value"]
        for display in manager["Displays"]
        for key in ("Topic", "Description Topic")
        if key in display
    ]
    assert topics == ["robot_description", "odom", "ground_truth"]


@pytest.fixture
def layout() -> Layout:
    document: Layout = json.loads((CONFIG / "foxglove_layout.json").read_text())
    return document


def leaves(node: str | Layout) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    else:
        assert node["direction"] in ("row", "column")
        for part in ("first", "second"):
            yield from leaves(node[part])


def test_the_foxglove_layout_has_the_parts_of_an_exported_one(layout: Layout) -> None:
    parts = {"configById", "globalVariables", "userNodes", "playbackConfig", "layout"}
    assert layout.keys() == parts
    shown = list(leaves(layout["layout"]))
    assert sorted(shown) == sorted(layout["configById"])
    assert all(name.count("!") == 1 for name in shown)


def test_foxglove_plots_the_joints_that_it_says(layout: Layout) -> None:
    control = json.loads(find_robot("hexapod").control_file.read_text())
    names = [servo["name"] for servo in control["servos"]]
    for panel in layout["configById"].values():
        for path in panel.get("paths", []):
            index = int(path["value"].partition("[")[2].rstrip("]"))
            assert path["label"].split()[0] == names[index]


def test_foxglove_stops_and_steers_where_the_nodes_listen(layout: Layout) -> None:
    panels = layout["configById"]
    assert panels["CallService!stop"]["serviceName"] == "/sts3215_driver/stop"
    assert panels["Publish!steering"]["topicName"] == "/steering"
    assert json.loads(panels["Publish!steering"]["value"]).keys() == {"data"}
    assert panels["Publish!steering"]["datatype"] == "std_msgs/msg/Float64"
