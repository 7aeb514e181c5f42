"""The page of one robot, beside its stack or on another computer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from stride_base.ending import Ending
from stride_base.errors import RefusedError, StrideError
from stride_base.running import running
from stride_viewer.live import Live
from stride_viewer.server import serve
from stride_viewer.viewer_node import ViewerNode

URDF_FILE = "robot.urdf"


def main() -> None:
    """Serve the page until a signal; exit 1 with one message if that cannot be."""
    ending = Ending()
    try:
        with ending.on_signals():
            run(ending, sys.argv)
    except StrideError as error:
        print(error, file=sys.stderr)
        sys.exit(1)


def run(ending: Ending, ros_arguments: Sequence[str], namespace: str | None = None) -> None:
    """Serve the page of the robot that the node's parameters name.

    Args:
        ending: Ends it.
        ros_arguments: Command line for rclpy.
        namespace: Of the robot; None: as the command line says.

    Raises:
        StrideError: it cannot be served.
    """
    arguments = {} if namespace is None else {"namespace": namespace}
    with running([ViewerNode], ending, ros_arguments, **arguments) as nodes:
        if not nodes:
            return
        node = nodes[0]
        folder = Path(node.text("robot")) if node.text("robot") else None
        live = Live(
            node,
            node,
            node.number("frame_rate"),
            urdf_of(folder),
            folder.name if folder else node.get_namespace().strip("/") or "robot",
        )
        serve(live, node.text("host"), int(node.number("port")), folder, ending)


def urdf_of(folder: Path | None) -> str:
    """Text of the robot's URDF; empty if it has none.

    Raises:
        RefusedError: it has one that cannot be read.
    """
    if folder is None or not (folder / URDF_FILE).is_file():
        return ""
    try:
        return (folder / URDF_FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(f"{folder / URDF_FILE} cannot be read: {error}") from error
