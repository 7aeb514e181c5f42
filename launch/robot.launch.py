"""A whole robot: `ros2 launch stride_bringup robot.launch.py robot:=hexapod port:=/dev/ttyACM0`.

What starts is described in `stride_bringup.stack`, what RViz needs in `stride_bringup.frames`; this file
only says how with `launch`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessIO
from launch.launch_context import LaunchContext
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage

from launch import LaunchDescription, SomeEntitiesType
from stride_base.errors import RefusedError
from stride_base.parameters import Value
from stride_bringup import frames
from stride_bringup.children import NICE, executable
from stride_bringup.node_kinds import CHOICES
from stride_bringup.runtime_files import place, runtime_folder
from stride_bringup.stack import NodeSpec, Stack, build_stack, frame_prefix
from stride_bringup.stack_options import StackOptions, help_of

OPTIONS = (
    "robot",
    "motion",
    "effort",
    "inverse",
    "port",
    "simulator",
    "sim_socket",
    "rate",
    "port_timeout",
    "namespace",
    "viewer",
    "viewer_host",
    "viewer_port",
)
#: Name -> (default, choices, description) of what is only of this file.
MORE = {
    "composed": (
        "true",
        ["true", "false"],
        "true: all nodes in one process (stride_runner); false: one process per node",
    ),
    "state_publisher": (
        "auto",
        ["auto", "on", "off"],
        "robot_state_publisher; auto: where it is installed and the robot has a robot.urdf",
    ),
    "joining_transforms": (
        "true",
        ["true", "false"],
        "with it, hold together by fixed transforms the frames that nobody measures; "
        "false: something else does",
    ),
    "rviz": ("false", ["true", "false"], "start RViz"),
}
LINGER = "3"
#: Messages per second of the frames of moving joints; 20 of its own would look jerky.
STATE_RATE = 50.0
LOW_PRIORITY = f"nice -n {NICE}"


def generate_launch_description() -> LaunchDescription:
    """Arguments of the stack, and what they ask for."""
    defaults = StackOptions()
    arguments = [
        DeclareLaunchArgument(
            name,
            default_value=str(getattr(defaults, name)),
            description=help_of(name),
            choices=list(CHOICES[name]) if name in CHOICES else None,
        )
        for name in OPTIONS
    ]
    more = [
        DeclareLaunchArgument(name, default_value=default, choices=choices, description=text)
        for name, (default, choices, text) in MORE.items()
    ]
    return LaunchDescription([*arguments, *more, OpaqueFunction(function=start)])


def start(context: LaunchContext) -> list[SomeEntitiesType]:
    """The emulator where no port is given, and the nodes as soon as there is a port."""

    texts = {name: LaunchConfiguration(name).perform(context) for name in (*OPTIONS, *MORE)}
    stack = build_stack(StackOptions.from_texts(texts))
    if texts["composed"] == "true":
        nodes: list[SomeEntitiesType] = [runner(stack)]
    else:
        nodes = [single(node, stack) for node in stack.nodes]
    # After the driver, so that they do not slow its start.
    nodes += beside(stack, texts)
    if stack.emulator is None:
        return nodes
    program = stack.emulator
    emulator = ExecuteProcess(
        cmd=[
            ExecutableInPackage(program.executable, program.package),
            *program.arguments,
            # All processes get the same signal, and the driver has to switch torque off yet.
            "--linger",
            LINGER,
        ],
        name=program.executable,
        output="screen",
        on_exit=Shutdown(reason=f"{program.executable} has ended"),
    )
    # Its first line says that the port is there.
    ready = OnProcessIO(target_action=emulator, on_stdout=lambda _event: nodes, handle_once=True)
    return [RegisterEventHandler(ready), emulator]


def runner(stack: Stack) -> Node:
    """All nodes in one process."""
    return Node(
        package="stride_bringup",
        executable="stride_runner",
        arguments=stack.options.arguments(),
        output="screen",
        on_exit=Shutdown(reason="stride_runner has ended"),
    )


def single(node: NodeSpec, stack: Stack) -> Node:
    """One node in its own process."""
    return Node(
        package=node.package,
        executable=node.executable,
        name=node.name,
        namespace=stack.options.namespace,
        parameters=[exact(node.parameters)],
        remappings=list(node.remappings.items()),
        output="screen",
        on_exit=Shutdown(reason=f"{node.name} has ended"),
    )


def exact(parameters: Mapping[str, Value]) -> dict[str, Any]:
    """Parameters as they are; `launch` would take a text such as 1.0 for a number."""
    return {
        name: ParameterValue(value, value_type=str) if isinstance(value, str) else value
        for name, value in parameters.items()
    }


def beside(stack: Stack, texts: dict[str, str]) -> list[SomeEntitiesType]:
    """What shows the robot. Nobody needs it, and the robot goes on when it ends."""
    actions: list[SomeEntitiesType] = []
    space = stack.options.namespace
    if stack.viewer is not None:
        actions.append(viewer(stack.viewer, space))
    if frames.publishes_description(texts["state_publisher"], stack.robot, is_installed):
        actions.append(state_publisher(stack))
        if texts["joining_transforms"] == "true" and is_installed(frames.STATIC_PUBLISHER[0]):
            actions += [
                joining_transform(parent, child, space)
                for parent, child in frames.joining_transforms(stack)
            ]
    if texts["rviz"] == "true":
        frames.require(frames.RVIZ, is_installed)
        actions.append(rviz(space))
    return actions


def viewer(spec: NodeSpec, namespace: str) -> SomeEntitiesType:
    """The page in the browser, or why there is none."""
    try:
        executable(spec.package, spec.executable)
    except RefusedError as error:
        return LogInfo(msg=f"stride: no viewer: {error}")
    return Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=namespace,
        parameters=[exact(spec.parameters)],
        output="screen",
        prefix=LOW_PRIORITY,
        exec_name=spec.executable,
    )


def state_publisher(stack: Stack) -> Node:
    """Robot description and the frames of its links."""
    space = stack.options.namespace
    parameters: dict[str, Value] = {
        "robot_description": stack.robot.description_file.read_text(encoding="utf-8"),
        "frame_prefix": frame_prefix(space),
        "publish_frequency": STATE_RATE,
    }
    return Node(
        package=frames.STATE_PUBLISHER,
        executable=frames.STATE_PUBLISHER,
        namespace=space,
        parameters=[exact(parameters)],
        output="screen",
    )


def joining_transform(parent: str, child: str, namespace: str) -> Node:
    """Two frames that are the same."""
    package, executable = frames.STATIC_PUBLISHER
    return Node(
        package=package,
        executable=executable,
        name=f"{child.rpartition('/')[2]}_frame",
        namespace=namespace,
        arguments=["--frame-id", parent, "--child-frame-id", child],
    )


def rviz(namespace: str) -> Node:
    """RViz with its configuration for this robot."""
    config = Path(get_package_share_directory("stride_bringup")) / "config" / "stride.rviz"
    if namespace:
        text = frames.rviz_text(config.read_text(encoding="utf-8"), namespace)
        config = runtime_folder() / f"{place(namespace)}.rviz"
        config.write_text(text, encoding="utf-8")
    return Node(
        package=frames.RVIZ,
        executable=frames.RVIZ,
        namespace=namespace,
        arguments=["-d", str(config)],
        prefix=LOW_PRIORITY,
        exec_name=frames.RVIZ,
    )


def is_installed(package: str) -> bool:
    """Whether there is a ROS package of that name."""
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True
