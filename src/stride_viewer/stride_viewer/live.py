"""What all open pages share: one robot, one pilot, one last answer; and the loop that feeds them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from stride_base.errors import StrideError
from stride_viewer.answer import Answer
from stride_viewer.condition import Condition, Controls, condition, controls
from stride_viewer.frame import frame
from stride_viewer.pilot import Pilot, Velocity
from stride_viewer.playback import Playback
from stride_viewer.robot_model import RobotModel
from stride_viewer.source import Robot, Source
from stride_viewer.telemetry import BusSample, Sample, Telemetry

#: Texts and tables of a page are renewed with this period, s.
PANEL_PERIOD = 0.2
#: While no page is open the history is filled with this period, s.
IDLE_PERIOD = 0.1


@dataclass(frozen=True)
class BodyWish:
    """Pose of the body that was asked for: m, and roll, pitch, yaw in rad."""

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Panel:
    """Everything that a page shows besides the robot itself.

    Args:
        answer: To the last request of any page; None before the first.
        driver: Page that drives; empty: none.
        velocity, body: What was asked for.
        margin: m; None: not known.
        playback: The recording, if it is one.
    """

    telemetry: Telemetry
    condition: Condition
    controls: Controls
    answer: Answer | None
    driver: str
    velocity: Velocity
    body: BodyWish
    margin: float | None
    playback: Playback | None


class Page(Protocol):
    """An open page."""

    def draw(self, picture: dict[str, Any]) -> None:
        """Show the robot; left out while the browser is busy with the last one."""

    def renew(self, panel: Panel) -> None:
        """Show the texts, tables and plots."""

    def use_model(self, model: RobotModel | None, note: str) -> None:
        """Show another robot; `note` says why there is none."""


class Live:
    """The robot behind the pages.

    Args:
        source: Where it comes from.
        robot: The same, if it takes commands.
        frame_rate: Pictures per second, Hz.
        urdf: The robot's description; empty: it comes by topic, or not at all.
        name: Of the robot, for the head of the page.
    """

    def __init__(
        self, source: Source, robot: Robot | None, frame_rate: float, urdf: str, name: str
    ) -> None:
        self.source, self.robot, self.name = source, robot, name
        self.pilot = Pilot()
        self.body = BodyWish()
        self.answer: Answer | None = None
        self.model: RobotModel | None = None
        self.note = "no robot.urdf and no robot_description: the robot cannot be drawn"
        self._pages: dict[str, Page] = {}
        self._period = 1.0 / frame_rate
        self._panel_due = 0.0
        self._looked_at = False
        self._urdf = ""
        self._margin: float | None = None
        self._use_urdf(urdf)

    @property
    def telemetry(self) -> Telemetry:
        return self.source.telemetry

    def open(self, name: str, page: Page) -> None:
        """A page was opened; a recording begins to play when somebody looks."""
        self._pages[name] = page
        if isinstance(self.source, Playback) and not self._looked_at:
            self.source.play()
        self._looked_at = True
        page.renew(self.panel())
        self._count()

    def close(self, name: str) -> None:
        """A page is gone; what it held is let go."""
        self._pages.pop(name, None)
        self.pilot.release(name)
        self._count()

    def panel(self) -> Panel:
        """What pages show now."""
        now, telemetry = self.source.time(), self.telemetry
        state = condition(telemetry, now)
        return Panel(
            telemetry,
            state,
            controls(telemetry, state, now),
            self.answer,
            self.pilot.driver,
            self.pilot.velocity,
            self.body,
            self._margin,
            self.source if isinstance(self.source, Playback) else None,
        )

    def steer(self, value: float) -> None:
        """Steering of whichever page speaks last."""
        if self.robot is not None:
            self.robot.steer(max(-1.0, min(1.0, value)))

    def hold(self, page: str, velocity: Velocity) -> None:
        """`page` drives; see `Pilot.hold`."""
        try:
            self.pilot.hold(page, velocity, self.source.time())
        except StrideError as error:
            self.answer = Answer(False, str(error))
        self._drive()

    def release(self, page: str) -> None:
        """`page` lets go."""
        self.pilot.release(page)
        self._drive()

    def lose(self, page: str) -> None:
        """The connection of `page` is broken; it may come back."""
        self.pilot.lose(page)
        self._drive()

    def hold_body(self, wish: BodyWish) -> None:
        """Body pose of whichever page speaks last."""
        self.body = wish
        if self.robot is not None:
            self.robot.hold_body(wish.position, wish.angles)

    def refuse(self, reason: str) -> None:
        """Something was asked for that is not even sent to the robot."""
        self.answer = Answer(False, reason)

    async def stop(self) -> Answer:
        """The emergency stop, for every page and whoever drives."""
        self.pilot.stop()
        self.body = BodyWish()
        return await self._ask(lambda robot: robot.stop(), "STOP")

    async def set_torque(self, on: bool) -> None:
        await self._ask(lambda robot: robot.set_torque(on), "torque")

    async def select_sequence(self, name: str) -> None:
        await self._ask(lambda robot: robot.select_sequence(name), name)

    async def set_gait(self, name: str) -> None:
        await self._ask(lambda robot: robot.set_gait(name), f"gait {name}")

    async def reset_fault(self) -> None:
        await self._ask(lambda robot: robot.reset_fault(), "fault")

    async def run(self) -> None:
        """Feed the pages until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + (self._period if self._pages else IDLE_PERIOD), loop.time())
            await asyncio.sleep(due - loop.time())
            self.step(loop.time())

    def step(self, clock: float) -> None:
        """One turn of the loop; `clock` is a steady time, s."""
        now = self.source.time()
        self.source.poll(now)
        self.telemetry.sample(now)
        self._drive()
        if self.telemetry.urdf != self._urdf and self.telemetry.urdf:
            self._use_urdf(self.telemetry.urdf)
        if not self._pages:
            return
        if self.model is not None and (self.telemetry.measured or self.telemetry.wanted):
            picture = frame(self.model, self.telemetry, now)
            self._margin = picture["margin"]
            for page in self._pages.values():
                page.draw(picture)
        if clock >= self._panel_due:
            self._panel_due = clock + PANEL_PERIOD
            panel = self.panel()
            for page in self._pages.values():
                page.renew(panel)

    def samples_since(self, time: float) -> list[Sample]:
        """Rows of the history after `time`, oldest first."""
        return _since(self.telemetry.history, time)

    def bus_samples_since(self, time: float) -> list[BusSample]:
        """Rows of the bus's history after `time`, oldest first."""
        return _since(self.telemetry.bus_history, time)

    def _use_urdf(self, text: str) -> None:
        self._urdf = text
        if not text:
            return
        try:
            self.model, self.note = RobotModel.from_text(text), ""
        except StrideError as error:
            self.model, self.note = None, f"the robot cannot be drawn: {error}"
        for page in self._pages.values():
            page.use_model(self.model, self.note)

    def _drive(self) -> None:
        velocity = self.pilot.step(self.source.time())
        if velocity is not None and self.robot is not None:
            self.robot.drive(velocity)

    async def _ask(self, request: Callable[[Robot], Any], what: str) -> Answer:
        if self.robot is None:
            answer = Answer(False, "this is a recording; it takes no commands")
        else:
            answer = await request(self.robot)
        self.answer = Answer(answer.accepted, f"{what}: {answer.message}")
        self._panel_due = 0.0
        return self.answer

    def _count(self) -> None:
        if self.robot is not None:
            self.robot.pages = len(self._pages)


def _since(rows: Any, time: float) -> list[Any]:
    found = []
    for row in reversed(rows):
        if row.time <= time:
            break
        found.append(row)
    return found[::-1]
