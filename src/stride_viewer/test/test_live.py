"""What pages share: one pilot, one answer, and pictures that go to all of them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from stride_viewer.answer import Answer
from stride_viewer.live import PANEL_PERIOD, BodyWish, Live, Panel
from stride_viewer.pilot import GRIP, STILL, Velocity
from stride_viewer.robot_model import RobotModel
from stride_viewer.telemetry import Telemetry

HEXAPOD = Path(__file__).parents[3] / "config" / "robots" / "hexapod" / "robot.urdf"
AHEAD = Velocity(forward=0.1)


class FakeRobot:
    """A robot that remembers what it was told."""

    def __init__(self) -> None:
        self.telemetry = Telemetry()
        self.now, self.pages = 100.0, 0
        self.said: list[Any] = []
        self.next_messages: list[tuple[str, Any]] = []
        self.stop_answer = Answer(True, "torque is off at all 18 servos")

    def time(self) -> float:
        return self.now

    def poll(self, now: float) -> None:
        for topic, message in self.next_messages:
            self.telemetry.take(topic, message, now)
        self.next_messages = []

    def steer(self, value: float) -> None:
        self.said.append(("steer", value))

    def drive(self, velocity: Velocity) -> None:
        self.said.append(velocity)

    def hold_body(self, position: Any, angles: Any) -> None:
        self.said.append(("body", position, angles))

    async def stop(self) -> Answer:
        self.said.append("stop")
        return self.stop_answer

    async def set_torque(self, on: bool) -> Answer:
        return Answer(on, "torque")

    async def select_sequence(self, name: str) -> Answer:
        return Answer(False, f"{name} may not follow HOME")

    async def reset_fault(self) -> Answer:
        return Answer(True, "")

    async def set_gait(self, name: str) -> Answer:
        return Answer(True, name)


class FakePage:
    def __init__(self) -> None:
        self.pictures: list[dict[str, Any]] = []
        self.panels: list[Panel] = []
        self.models: list[tuple[RobotModel | None, str]] = []

    def draw(self, picture: dict[str, Any]) -> None:
        self.pictures.append(picture)

    def renew(self, panel: Panel) -> None:
        self.panels.append(panel)

    def use_model(self, model: RobotModel | None, note: str) -> None:
        self.models.append((model, note))


def joints(**positions: float) -> Any:
    return SimpleNamespace(name=list(positions), position=list(positions.values()))


def live_with(pages: int, urdf: str = "") -> tuple[Live, FakeRobot, list[FakePage]]:
    robot = FakeRobot()
    live = Live(robot, robot, 25.0, urdf or HEXAPOD.read_text(), "hexapod")
    opened = [FakePage() for _ in range(pages)]
    for number, page in enumerate(opened):
        live.open(f"page {number}", page)
    return live, robot, opened


def test_every_page_gets_the_same_picture() -> None:
    live, robot, pages = live_with(2)
    robot.next_messages = [("joint_states", joints(fl_coxa=0.5))]
    live.step(0.0)
    assert pages[0].pictures == pages[1].pictures
    picture = pages[0].pictures[0]
    assert picture["measured"][picture["names"].index("fl_coxa")] == 0.5
    # What is not known is none, and not zero.
    assert picture["measured"][picture["names"].index("rr_tibia")] is None
    assert picture["wanted"] is None
    assert picture["load"] == [None] * 18


def test_the_ghost_is_drawn_while_somebody_wants_something() -> None:
    live, robot, (page,) = live_with(1)
    robot.next_messages = [
        ("joint_states", joints(fl_coxa=0.5)),
        ("joints_fixed", joints(fl_coxa=0.6)),
    ]
    live.step(0.0)
    assert page.pictures[-1]["wanted"] is not None
    robot.now += 5.0
    live.step(5.0)
    assert page.pictures[-1]["wanted"] is None


def test_only_what_is_measured_is_drawn_solid_and_stands_on_the_ground() -> None:
    live, robot, (page,) = live_with(1)
    assert live.model is not None
    everything = dict.fromkeys(live.model.joint_names, 0.0)
    robot.next_messages = [("joints_fixed", joints(**everything))]
    live.step(0.0)
    wanted_only = page.pictures[-1]
    assert wanted_only["measured"] is None and wanted_only["wanted"] is not None
    assert wanted_only["margin"] is None and wanted_only["polygon"] == []
    robot.next_messages = [("joint_states", joints(**everything))]
    live.step(1.0)
    assert page.pictures[-1]["margin"] is not None
    assert len(page.pictures[-1]["polygon"]) == 6


def test_a_leg_that_does_not_answer_leaves_open_what_the_robot_stands_on() -> None:
    live, robot, (page,) = live_with(1)
    assert live.model is not None
    everything = dict.fromkeys(live.model.joint_names, 0.0)
    robot.next_messages = [("joint_states", joints(**everything))]
    live.step(0.0)
    robot.now += 5.0
    del everything["fl_tibia"]
    robot.next_messages = [("joint_states", joints(**everything))]
    live.step(1.0)
    picture = page.pictures[-1]
    assert picture["measured"][picture["names"].index("fl_tibia")] == 0.0, "where it was last seen"
    assert picture["margin"] is None and picture["polygon"] == []
    assert not any(touching for *_place, touching in picture["feet"])


def test_texts_are_renewed_five_times_a_second() -> None:
    live, _robot, (page,) = live_with(1)
    at_the_start = len(page.panels)
    for turn in range(25):
        live.step(turn / 25.0)
    assert len(page.panels) - at_the_start == round(1.0 / PANEL_PERIOD)


def test_without_pages_nothing_is_drawn_but_history_is_kept() -> None:
    live, robot, _pages = live_with(0)
    for turn in range(5):
        robot.now = 100.0 + turn
        robot.next_messages = [("joint_states", joints(fl_coxa=0.1 * turn))]
        live.step(float(turn))
    assert [round(row.measured[0], 1) for row in live.samples_since(0.0)] == [0, 0.1, 0.2, 0.3, 0.4]
    assert [row.time for row in live.samples_since(102.0)] == [103.0, 104.0]


def test_a_held_pad_reaches_the_robot_until_the_page_is_gone() -> None:
    live, robot, _pages = live_with(2)
    live.hold("page 0", AHEAD)
    live.step(0.0)
    assert robot.said == [AHEAD, AHEAD]
    assert live.panel().driver == "page 0"
    robot.said.clear()
    live.close("page 0")
    live.step(0.1)
    assert set(robot.said) == {STILL}
    assert robot.pages == 1


def test_a_page_that_falls_silent_does_not_drive_on() -> None:
    live, robot, _pages = live_with(1)
    live.hold("page 0", AHEAD)
    robot.now += GRIP + 0.01
    robot.said.clear()
    live.step(1.0)
    assert robot.said == [STILL]


def test_stop_lets_go_whoever_drives_and_tells_every_page() -> None:
    live, robot, pages = live_with(2)
    live.hold("page 0", AHEAD)
    robot.said.clear()
    answer = asyncio.run(live.stop())
    live.step(9.0)
    assert robot.said[0] == "stop"
    assert AHEAD not in robot.said
    assert answer.message == "STOP: torque is off at all 18 servos"
    assert all(page.panels[-1].answer == answer for page in pages)
    live.hold("page 0", AHEAD)
    answered = live.panel().answer
    assert answered is not None and not answered.accepted and "let go" in answered.message


def test_a_refused_request_is_shown_with_its_reason() -> None:
    live, _robot, _pages = live_with(1)
    asyncio.run(live.select_sequence("DANCE"))
    assert live.panel().answer == Answer(False, "DANCE: DANCE may not follow HOME")


def test_steering_is_clipped_and_the_body_pose_is_shared() -> None:
    live, robot, _pages = live_with(2)
    live.steer(3.0)
    wish = BodyWish((0.0, 0.0, 0.01), (0.1, 0.0, 0.0))
    live.hold_body(wish)
    assert robot.said == [("steer", 1.0), ("body", wish.position, wish.angles)]
    assert live.panel().body == wish


def test_a_description_that_comes_by_topic_replaces_the_robot() -> None:
    live, robot, (page,) = live_with(1, urdf=" ")
    assert live.model is None
    assert "cannot be drawn" in live.note
    text = HEXAPOD.read_text()
    robot.next_messages = [("robot_description", SimpleNamespace(data=text))]
    live.step(0.0)
    assert page.models[-1][0] is live.model is not None
    robot.next_messages = [("robot_description", SimpleNamespace(data="<robot/>"))]
    live.step(1.0)
    model, note = page.models[-1]
    assert model is None and "cannot be drawn" in note


def test_a_recording_takes_no_commands() -> None:
    robot = FakeRobot()
    live = Live(robot, None, 25.0, "", "walk.mcap")
    answer = asyncio.run(live.stop())
    live.steer(1.0)
    live.hold("page", AHEAD)
    assert not answer.accepted
    assert robot.said == []
