"""Our own elements: the robot in 3-D, the velocity pad, live plots. The .js files draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nicegui
from nicegui.element import Element

_ELEMENTS = Path(nicegui.__file__).parent / "elements"
#: How long a browser may take to draw before it is sent another picture all the same, in pictures.
PATIENCE = 25


class RobotView(
    Element, component="robot_view.js", esm={"nicegui-scene": str(_ELEMENTS / "scene" / "dist")}
):
    """The robot in 3-D. Sends the next picture when the browser has drawn the last.

    Args:
        description: `RobotModel.scene`, or None.
        note: Shown over the picture, e.g. why there is no robot.
    """

    def __init__(self, description: dict[str, Any] | None, note: str) -> None:
        super().__init__()
        self._props["description"] = description
        self._props["note"] = note
        self._waiting = 0
        self.on("drawn", self._on_drawn)

    def draw(self, picture: dict[str, Any]) -> None:
        """Show a picture, see `frame.frame`."""
        if self._waiting:
            self._waiting = (self._waiting + 1) % PATIENCE
            return
        self._waiting = 1
        self.run_method("frame", picture)

    def use_robot(self, description: dict[str, Any] | None, note: str) -> None:
        """Show another robot."""
        self._props["description"], self._props["note"] = description, note
        self.run_method("robot", description, note)

    def show(self, **options: bool) -> None:
        """Switch ghost, load, ground, follow on or off."""
        self.run_method("show", options)

    def _on_drawn(self) -> None:
        self._waiting = 0


class VelocityPad(Element, component="velocity_pad.js"):
    """A pad to drive with, as long as it is held.

    Args:
        on_hold: Called ten times a second with forward, left, turn, each -1 to 1.
        on_release: Called when it is let go.
    """

    def __init__(
        self, on_hold: Callable[[float, float, float], None], on_release: Callable[[], None]
    ) -> None:
        super().__init__()
        self._props["disabled"] = False

        def held(event: Any) -> None:
            knob = event.args
            on_hold(float(knob["x"]), float(knob["y"]), float(knob["turn"]))

        self.on("hold", held)
        self.on("release", lambda: on_release())

    def set_disabled(self, disabled: bool) -> None:
        """Whether it may be held."""
        if self._props["disabled"] != disabled:
            self._props["disabled"] = disabled
            self.update()


class LivePlot(
    Element, component="live_plot.js", esm={"nicegui-echart": str(_ELEMENTS / "echart" / "dist")}
):
    """Lines over time; rows are ``[time, value, ...]``, None is a gap.

    Args:
        title, unit: Heading.
        window: Length of the time axis, s.
        on_ready: Called when the browser can draw: now `reset` it.
    """

    def __init__(self, title: str, unit: str, window: float, on_ready: Callable[[], None]) -> None:
        super().__init__()
        self._props.update({"title": title, "unit": unit, "window": window})
        self.on("ready", lambda: on_ready())

    def reset(self, lines: Sequence[tuple[str, int, bool]], rows: Sequence[Sequence[Any]]) -> None:
        """Other lines (name, colour, dashed), with their history."""
        self.run_method("reset", [list(line) for line in lines], [list(row) for row in rows])

    def append(self, rows: Sequence[Sequence[Any]]) -> None:
        """New rows."""
        if rows:
            self.run_method("append", [list(row) for row in rows])
