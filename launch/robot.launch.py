"""A whole robot: `ros2 launch stride_bringup robot.launch.py robot:=hexapod port:=/dev/ttyACM0`.

What starts is described in `stride_bringup.stack`; this file only says how with `launch`.
"""

from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessIO
from launch.launch_context import LaunchContext
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.substitutions import ExecutableInPackage

from launch import LaunchDescription, SomeEntitiesType
from stride_bringup.node_kinds import CHOICES
from stride_bringup.stack import NodeSpec, Stack, build_stack
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
)
LINGER = "3"
COMPOSED = "true: all nodes in one process (stride_runner); false: one process per node"


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
    composed = DeclareLaunchArgument(
        "composed", default_value="true", description=COMPOSED, choices=["true", "false"]
    )
    return LaunchDescription([*arguments, composed, OpaqueFunction(function=start)])


def start(context: LaunchContext) -> list[SomeEntitiesType]:
    """The emulator where no port is given, and the nodes as soon as there is a port."""

    texts = {name: LaunchConfiguration(name).perform(context) for name in (*OPTIONS, "composed")}
    stack = build_stack(StackOptions.from_texts(texts))
    if texts["composed"] == "true":
        nodes = [runner(stack)]
    else:
        nodes = [single(node, stack) for node in stack.nodes]
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
        parameters=[dict(node.parameters)],
        remappings=list(node.remappings.items()),
        output="screen",
        on_exit=Shutdown(reason=f"{node.name} has ended"),
    )
