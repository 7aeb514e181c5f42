"""Our own elements: the robot in 3-D, the velocity pad, live plots. The .js files draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nicegui
from nicegui import ui
from nicegui.element import Element

_ELEMENTS = Path(nicegui.__file__).parent / "elements"
#: A browser that does not answer is sent something again after so many times that it was spared.
PATIENCE = 250


class Spare:
    """Keeps a browser from being sent more than it can take: the next when the last was answered.

    What it is spared is lost, which is right for what is newest anyway. A hidden page answers nothing.
    """

    def __init__(self) -> None:
        self._spared: int | None = None

    def may_send(self) -> bool:
        """Whether to send now; if so, an answer is waited for."""
        if self._spared is not None and self._spared < PATIENCE:
            self._spared += 1
            return False
        self._spared = 0
        return True

    def answered(self) -> None:
        """The browser is done with the last."""
        self._spared = None


class Slider(ui.slider):
    """Follows the hand at once, instead of when the server has agreed."""

    LOOPBACK = False


class RobotView(
    Element, component="robot_view.js", esm={"nicegui-scene": str(_ELEMENTS / "scene" / "dist")}
):
    """The robot in 3-D. Sends the next picture when the browser has drawn the last.

    Args:
        description: `RobotModel.scene`, or None.
        note: Shown over the picture, e.g. why there is no robot.
        on_word: Called with the browser's time, ms, several times a second.
    """

    def __init__(
        self, description: dict[str, Any] | None, note: str, on_word: Callable[[float], None]
    ) -> None:
        super().__init__()
        self._props["description"] = description
        self._props["note"] = note
        self._pictures, self._panels = Spare(), Spare()
        self.on("drawn", self._pictures.answered)

        def settled(event: Any) -> None:
            on_word(float(event.args))
            self._panels.answered()

        self.on("settled", settled)

    def draw(self, picture: dict[str, Any]) -> None:
        """Show a picture, see `frame.frame`."""
        if self._pictures.may_send():
            self.run_method("frame", picture)

    def may_renew(self) -> bool:
        """Whether the browser is done with what it was sent before `settle`."""
        return self._panels.may_send()

    def settle(self) -> None:
        """Ask to be told when everything that was sent until now is shown."""
        self.run_method("settle")

    def use_robot(self, description: dict[str, Any] | None, note: str) -> None:
        """Show another robot."""
        self._props["description"], self._props["note"] = description, note
        self.run_method("robot", description, note)

    def show(self, **options: bool) -> None:
        """Switch ghost, load, ground, follow on or off."""
        self.run_method("show", options)


class VelocityPad(Element, component="velocity_pad.js"):
    """A pad to drive with, as long as it is held.

    Args:
        on_hold: Called ten times a second with forward, left, turn, each -1 to 1, and the browser's
            time, ms.
        on_release: Called when it is let go.
    """

    def __init__(
        self, on_hold: Callable[[float, float, float, float], None], on_release: Callable[[], None]
    ) -> None:
        super().__init__()
        self._props["disabled"] = False

        def held(event: Any) -> None:
            knob = event.args
            on_hold(float(knob["x"]), float(knob["y"]), float(knob["turn"]), float(knob["sent"]))

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
