"""What starts together: order, parameters, rate, namespace, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stride_base.errors import ConfigError, RefusedError
from stride_bringup.options import parse_options
from stride_bringup.stack import NodeSpec, Stack, build_stack
from stride_bringup.stack_options import StackOptions, canonical_namespace


def stack_of(robot: Path, **options: object) -> Stack:
    return build_stack(StackOptions(robot=str(robot), **options))  # type: ignore[arg-type]


def node(stack: Stack, name: str) -> NodeSpec:
    return next(spec for spec in stack.nodes if spec.name == name)


def test_the_driver_starts_last_because_it_is_the_clock(robot: Path) -> None:
    names = [spec.name for spec in stack_of(robot).nodes]
    assert names == ["gait_controller", "servo_inv_lead", "sts3215_driver"]


def test_each_node_is_named_as_its_executable(robot: Path) -> None:
    for spec in stack_of(robot).nodes:
        assert spec.executable == spec.name
        assert spec.node_class.startswith(f"{spec.package}.{spec.name}_node:")


def test_rate_of_the_control_file_reaches_every_node(robot: Path) -> None:
    stack = stack_of(robot, port="/dev/ttyACM0")
    assert stack.rate == 50.0
    assert node(stack, "gait_controller").parameters["rate"] == 50.0
    assert node(stack, "sts3215_driver").parameters["rate"] == 50.0
    assert node(stack, "servo_inv_lead").parameters["period"] == pytest.approx(0.02)


def test_a_chosen_rate_wins(robot: Path) -> None:
    stack = stack_of(robot, rate=150.0)
    assert {node(stack, n).parameters["rate"] for n in ("gait_controller", "sts3215_driver")} == {
        150.0
    }
    assert node(stack, "servo_inv_lead").parameters["period"] == pytest.approx(1 / 150)


def test_driver_and_motion_read_the_same_file(robot: Path) -> None:
    stack = stack_of(robot)
    control = str(robot / "control.json")
    assert node(stack, "gait_controller").parameters["control_file"] == control
    assert node(stack, "sts3215_driver").parameters["servo_file"] == control


def test_shared_parameters_reach_every_node_and_own_ones_only_theirs(robot: Path) -> None:
    stack = stack_of(robot)
    assert all(spec.parameters["stall_torque"] == 2.94 for spec in stack.nodes)
    owners = [spec.name for spec in stack.nodes if "approach_speed" in spec.parameters]
    assert owners == ["gait_controller"]


def test_without_port_the_emulator_answers_on_a_link(robot: Path, runtime: Path) -> None:
    stack = stack_of(robot, namespace="left")
    assert stack.emulator is not None
    link = node(stack, "sts3215_driver").parameters["port"]
    assert stack.options.port == link
    assert Path(str(link)).parent == runtime
    arguments = list(stack.emulator.arguments)
    assert arguments[arguments.index("--link") + 1] == link
    assert arguments[arguments.index("--servo-file") + 1] == str(robot / "control.json")
    assert arguments[arguments.index("--baud") + 1] == "500000"
    assert "--wire-time" in arguments


def test_two_robots_and_two_domains_have_links_of_their_own(
    robot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = {stack_of(robot, namespace=n).options.port for n in ("", "left", "right")}
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    links.add(stack_of(robot).options.port)
    assert len(links) == 4


def test_with_a_port_there_is_no_emulator(robot: Path) -> None:
    stack = stack_of(robot, port="/dev/ttyACM0")
    assert stack.emulator is None
    assert node(stack, "sts3215_driver").parameters["port"] == "/dev/ttyACM0"


def test_baud_is_the_option_then_the_robots_own_then_a_million(robot: Path) -> None:
    def baud(stack: Stack) -> object:
        return node(stack, "sts3215_driver").parameters["baud_rate"]

    assert baud(stack_of(robot, baud=115200)) == 115200
    assert baud(stack_of(robot)) == 500000
    (robot / "robot.yaml").write_text("")
    assert baud(stack_of(robot)) == 1_000_000


@pytest.mark.parametrize("value", ["fast", "true", "-1", "0", "9600.5"])
def test_a_baud_that_is_none_is_refused(robot: Path, value: str) -> None:
    text = f"/**/sts3215_driver: {{ros__parameters: {{baud_rate: {value}}}}}"
    (robot / "robot.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"'baud_rate' is .*expected a bit rate"):
        stack_of(robot)


def test_arguments_of_the_runner_give_the_same_nodes(robot: Path) -> None:
    first = stack_of(robot, namespace="left", rate=120.0, port_timeout=2.5)
    second = build_stack(parse_options("stride_runner", first.options.arguments()))
    assert second.nodes == first.nodes
    assert second.options.namespace == "/left"
    assert second.emulator is None


@pytest.mark.parametrize(
    ("given", "used"), [("", ""), ("/", ""), ("left", "/left"), ("/a/b_2/", "/a/b_2")]
)
def test_namespaces_have_one_form(given: str, used: str) -> None:
    assert canonical_namespace(given) == used


@pytest.mark.parametrize("namespace", ["2nd", "a b", "a//b", "a-b", "~", "ä", "a\n", "a" * 101])
def test_what_ros_would_refuse_is_no_namespace(robot: Path, namespace: str) -> None:
    with pytest.raises(ConfigError, match=r"'namespace' is .*expected names of letters"):
        stack_of(robot, namespace=namespace)


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("motion", "trot", "one of gait_controller"),
        ("effort", "guess", "one of none, statics"),
        ("inverse", "", "one of servo_inv_lead"),
        ("rate", -1.0, "0 or a number up to 1000"),
        ("rate", 1001.0, "0 or a number up to 1000"),
        ("rate", float("nan"), "0 or a number up to 1000"),
        ("baud", -9600, "0 or a bit rate"),
        ("port_timeout", float("inf"), "0 or a time in s"),
        ("viewer", "yes", "one of on, off"),
        ("viewer_host", "", "an address of this computer"),
        ("viewer_port", 65536, "0 or a TCP port"),
        ("viewer_port", -1, "0 or a TCP port"),
    ],
)
def test_bad_options_say_what_exists(
    robot: Path, option: str, value: object, expected: str
) -> None:
    with pytest.raises(ConfigError, match=f"'{option}' is .*expected {expected}"):
        stack_of(robot, **{option: value})


def test_an_unknown_robot_lists_those_that_exist() -> None:
    with pytest.raises(
        RefusedError, match=r"no robot 'octopod'; there are .*hexapod.*seed_example"
    ):
        build_stack(StackOptions(robot="octopod"))


@pytest.mark.parametrize("rate", ["0", "-50", "1001", "true", '"50"', "null", "[50]"])
def test_a_control_rate_that_is_none_is_refused(robot: Path, rate: str) -> None:
    (robot / "control.json").write_text(f'{{"control_hz": {rate}}}')
    with pytest.raises(ConfigError, match=r"control\.json: 'control_hz' is .*control rate in Hz"):
        stack_of(robot)


@pytest.mark.parametrize("text", ["{}", "[]", "5"])
def test_a_missing_control_rate_is_named(robot: Path, text: str) -> None:
    (robot / "control.json").write_text(text)
    with pytest.raises(ConfigError, match="'control_hz' is missing"):
        stack_of(robot)


@pytest.mark.parametrize("inverse", ["servo_inv_lead", "servo_inv_7param"])
def test_either_inverse_model_gets_the_period(robot: Path, inverse: str) -> None:
    stack = stack_of(robot, inverse=inverse)
    assert stack.nodes[1].name == inverse
    assert node(stack, inverse).parameters["period"] == pytest.approx(0.02)


@pytest.mark.parametrize("motion", ["gait_controller", "hexapod_motion"])
def test_effort_is_added_between_any_motion_and_the_inverse_model(motion: str) -> None:
    stack = build_stack(StackOptions(motion=motion, effort="statics", simulator="bench"))
    names = [spec.name for spec in stack.nodes]
    assert names == [motion, "joint_effort", "servo_inv_lead", "sts3215_driver"]
    assert node(stack, motion).remapping_rules() == ["-r", "joints_fixed:=joints_wanted"]
    assert not any(spec.remappings for spec in stack.nodes if spec.name != motion)
    assert node(stack, "joint_effort").parameters["robot"] == str(stack.robot.folder)
    again = parse_options("stride_runner", stack.options.arguments())
    assert build_stack(again).nodes == stack.nodes


def test_effort_of_a_robot_of_unknown_weight_is_refused(robot: Path) -> None:
    assert not any(spec.remappings for spec in stack_of(robot).nodes)
    with pytest.raises(RefusedError, match=r"has no body\.yaml to calculate effort from"):
        stack_of(robot, effort="statics")


def test_texts_of_a_launch_file_become_options() -> None:
    texts = {"robot": "seed_example", "rate": "100", "composed": "true"}
    assert StackOptions.from_texts(texts) == StackOptions(robot="seed_example", rate=100.0)
    with pytest.raises(ConfigError, match="'rate' is 'fast'; expected control cycles per second"):
        StackOptions.from_texts({"rate": "fast"})


@pytest.mark.parametrize("name", ["hexapod", "seed_example"])
def test_robots_of_the_repository_are_complete(name: str) -> None:
    stack = build_stack(StackOptions(robot=name))
    control = json.loads(stack.robot.control_file.read_text())
    assert stack.rate == control["control_hz"]


def test_a_robot_with_a_model_is_simulated_and_what_the_simulator_knows_is_published(
    robot: Path,
) -> None:
    (robot / "robot.xml").write_text("<mujoco/>")
    stack = stack_of(robot)
    assert stack.emulator is not None
    assert stack.emulator.executable == "servo_sim"
    arguments = list(stack.emulator.arguments)
    assert arguments[arguments.index("--model") + 1] == str(robot / "robot.xml")
    assert stack.nodes[0].name == "simulated_robot"
    assert stack.nodes[-1].name == "sts3215_driver"
    assert node(stack, "simulated_robot").parameters["socket"] == f"{stack.options.port}.control"


def test_the_bench_can_be_had_for_a_robot_with_a_model(robot: Path) -> None:
    (robot / "robot.xml").write_text("<mujoco/>")
    stack = stack_of(robot, simulator="bench")
    assert stack.emulator is not None
    assert stack.emulator.executable == "sts3215_emulator"
    assert "simulated_robot" not in [spec.name for spec in stack.nodes]


def test_physics_without_a_model_is_refused(robot: Path) -> None:
    with pytest.raises(RefusedError, match=r"has no robot\.xml to simulate"):
        stack_of(robot, simulator="robot")
    with pytest.raises(ConfigError, match="expected one of auto, robot, bench"):
        stack_of(robot, simulator="gazebo")


def test_real_servos_have_no_simulated_robot_beside_them(robot: Path) -> None:
    (robot / "robot.xml").write_text("<mujoco/>")
    stack = stack_of(robot, port="/dev/ttyACM0")
    assert stack.emulator is None
    assert "simulated_robot" not in [spec.name for spec in stack.nodes]
    running = stack_of(robot, port="/tmp/sim", sim_socket="/tmp/sim.control")
    assert running.emulator is None
    assert node(running, "simulated_robot").parameters["socket"] == "/tmp/sim.control"


def test_the_runner_beside_a_simulator_gets_the_same_nodes(robot: Path) -> None:
    (robot / "robot.xml").write_text("<mujoco/>")
    first = stack_of(robot)
    second = build_stack(parse_options("stride_runner", first.options.arguments()))
    assert second.nodes == first.nodes
    assert second.emulator is None


def test_the_viewer_is_beside_the_nodes_and_never_among_them(robot: Path) -> None:
    stack = stack_of(robot, namespace="left", viewer_host="0.0.0.0", viewer_port=9000)
    viewer = stack.viewer
    assert viewer is not None
    assert (viewer.package, viewer.executable, viewer.node_class) == ("stride_viewer",) * 2 + ("",)
    given = {name: viewer.parameters[name] for name in ("robot", "host", "port")}
    assert given == {"robot": str(robot), "host": "0.0.0.0", "port": 9000}
    assert "stride_viewer" not in [spec.name for spec in stack.nodes]
    assert stack_of(robot, viewer="off").viewer is None


def test_the_runner_never_has_a_viewer(robot: Path) -> None:
    arguments = stack_of(robot, viewer_host="0.0.0.0", viewer_port=9000).options.arguments()
    assert not any("viewer" in word for word in arguments)
    assert build_stack(parse_options("stride_runner", arguments)).viewer is None
    with pytest.raises(SystemExit):
        parse_options("stride_runner", ["--viewer", "on"])


def test_robot_yaml_may_set_other_parameters_of_the_viewer_than_the_options(robot: Path) -> None:
    (robot / "robot.yaml").write_text("/**/stride_viewer: {ros__parameters: {frame_rate: 10.0}}")
    viewer = stack_of(robot).viewer
    assert viewer is not None and viewer.parameters["frame_rate"] == 10.0
    (robot / "robot.yaml").write_text("/**/stride_viewer: {ros__parameters: {port: 80}}")
    with pytest.raises(ConfigError, match="no port in this file: it is option viewer_port"):
        stack_of(robot)


@pytest.mark.parametrize("motion", ["gait_controller", "hexapod_motion"])
def test_frames_of_a_robot_in_a_namespace_begin_with_it(motion: str) -> None:
    nodes = build_stack(StackOptions(motion=motion, namespace="/floor/left")).nodes
    given = {spec.name: spec.parameters.get("frame_prefix") for spec in nodes}
    wanted = {"simulated_robot", "hexapod_motion"} & given.keys()
    assert {name for name, prefix in given.items() if prefix == "floor/left/"} == wanted
    assert build_stack(StackOptions()).nodes[0].parameters["frame_prefix"] == ""


@pytest.mark.parametrize(
    ("motion", "published"), [("gait_controller", True), ("hexapod_motion", False)]
)
def test_the_true_pose_is_a_frame_only_where_there_is_no_odometry(
    motion: str, published: bool
) -> None:
    stack = build_stack(StackOptions(motion=motion))
    assert node(stack, "simulated_robot").parameters["publish_tf"] is published


def test_robot_yaml_may_leave_the_frame_of_the_true_pose_to_something_else(robot: Path) -> None:
    (robot / "robot.xml").write_text("<mujoco/>")
    text = "/**/simulated_robot: {ros__parameters: {publish_tf: false}}"
    (robot / "robot.yaml").write_text(text)
    assert node(stack_of(robot), "simulated_robot").parameters["publish_tf"] is False
