"""The page of a walking robot: it shows it, steers it and stops it, and says when it is gone."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import OpenPage, Viewer
from harness import Robot, Simulated
from playwright.sync_api import expect

ROBOT = Path(__file__).parents[2] / "config" / "robots" / "hexapod"
Opener = Callable[[str], OpenPage]
#: Robot, servos and a browser that draws without a graphics card share the machine with others: who is
#: starved for a moment may try again. What is wrong fails every time.
pytestmark = pytest.mark.flaky(reruns=2)


@pytest.fixture(scope="module")
def viewer(environment: dict[str, str]) -> Iterator[Viewer]:
    with Viewer(ROBOT, environment) as running:
        yield running


@pytest.fixture
def robot(simulated: Simulated) -> Iterator[Robot]:
    with Robot(simulated, "hexapod") as running:
        yield running


def yaw(robot: Robot) -> float:
    """Heading of the simulated robot, rad."""
    q = robot.newest("ground_truth").pose.pose.orientation
    return math.atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))


def test_the_page_shows_the_robot_and_its_joints_move(
    robot: Robot, viewer: Viewer, open_page: Opener
) -> None:
    page = open_page(viewer.address)
    page.says("state", "RUNNING")
    robot.wait_until_walking()
    first = page.wait_for(page.picture, "a picture")

    def moved() -> bool:
        newest = page.picture()
        assert newest is not None
        steps = zip(first["measured"], newest["measured"], strict=True)
        ahead = math.hypot(
            newest["base"][0] - first["base"][0], newest["base"][1] - first["base"][1]
        )
        return max(abs(a - b) for a, b in steps) > 0.1 and ahead > 0.02

    page.wait_for(moved, "moving joints and a moving body")
    newest = page.picture()
    assert newest is not None
    assert newest["wanted"] is not None, "the ghost"
    assert any(touching for *_place, touching in newest["feet"])
    assert len(newest["polygon"]) >= 3
    assert any(load not in (None, 0.0) for load in newest["load"])
    assert page.colors() > 50, "the canvas is not empty"


def test_plots_and_table_fill(robot: Robot, viewer: Viewer, open_page: Opener) -> None:
    page = open_page(viewer.address)
    page.says("state", "RUNNING")
    rows = """() => [...document.querySelectorAll('.live-plot')].map(
        (plot) => getElement(parseInt(plot.id.slice(1)))?.rows?.length ?? 0)"""
    page.wait_for(lambda: min(page.page.evaluate(rows)) > 1, "rows in all plots")
    page.page.get_by_role("tab", name="Servos").click()
    body = page.page.locator(".servos tbody tr")
    expect(body).to_have_count(18, timeout=30_000)
    row = page.page.locator(".servos tbody tr", has_text="fl_coxa")
    expect(row).to_contain_text("ok", timeout=30_000)


def test_the_sliders_value_reaches_the_bus_and_the_other_page(
    robot: Robot, viewer: Viewer, open_page: Opener
) -> None:
    one, other = open_page(viewer.address), open_page(viewer.address)
    robot.wait_until_walking()
    one.says("state", "RUNNING")
    one.wait_for(lambda: one.part("steering").is_enabled(), "a slider that may be moved")
    other.says("steering-value", re.compile(r"."))
    one.slider("steering", 1.0)
    other.says("steering-value", "+1.00")
    robot.wait_for(lambda: robot.newest("ground_truth"), "a true pose")
    began = yaw(robot)
    # The simulator hears nothing but bytes on the bus.
    robot.wait_for(lambda: yaw(robot) - began > 0.1, "a turn to the left")
    other.button("straight on").click()
    one.says("steering-value", "+0.00")


def test_stop_takes_torque_off_and_torque_comes_back_only_by_the_button(
    robot: Robot, simulated: Simulated, viewer: Viewer, open_page: Opener
) -> None:
    page = open_page(viewer.address)
    robot.wait_until_walking()
    page.says("state", "RUNNING")
    expect(page.part("torque-on")).to_be_disabled()
    page.part("stop").click()
    page.says("state", "TORQUE OFF")
    assert simulated.torque() == {0}
    expect(page.page.locator("#stop-answer")).to_have_class("taken")
    expect(page.part("torque-on")).to_be_enabled(timeout=30_000)
    page.part("torque-on").click()
    # A servo that a busy machine lets answer late is a reason to refuse; people press again.
    page.wait_for(lambda: simulated.torque() == {1} or page.press("torque-on"), "torque")
    page.says("state", "RUNNING")


def test_what_was_held_up_on_the_way_is_not_done(
    robot: Robot, simulated: Simulated, viewer: Viewer, open_page: Opener
) -> None:
    """A button that was pressed while viewer or network stood still must not act afterwards."""
    page = open_page(viewer.address)
    page.says("state", "RUNNING")
    page.part("stop").click()
    page.says("state", "TORQUE OFF")
    expect(page.part("torque-on")).to_be_enabled(timeout=30_000)
    page.page.evaluate("() => { const now = Date.now; Date.now = () => now() - 9000; }")
    page.part("torque-on").click()
    page.says("answer", re.compile(r"torque on: came \d+ s late and was not done"))
    assert simulated.torque() == {0}


def test_escape_stops_too(
    robot: Robot, simulated: Simulated, viewer: Viewer, open_page: Opener
) -> None:
    page = open_page(viewer.address)
    page.says("state", "RUNNING")
    page.page.keyboard.press("Escape")
    page.says("state", "TORQUE OFF")
    assert simulated.torque() == {0}


def test_a_stopped_stack_is_shown_as_stopped_and_comes_back_by_itself(
    simulated: Simulated, viewer: Viewer, open_page: Opener
) -> None:
    with Robot(simulated, "hexapod"):
        page = open_page(viewer.address)
        page.says("state", "RUNNING")
    page.says("state", "STACK STOPPED")
    expect(page.page.locator(".stale")).to_be_visible()
    expect(page.part("torque-on")).to_be_disabled()
    page.part("stop").click()
    expect(page.page.locator("#stop-answer")).to_contain_text("nobody offers")
    with Robot(simulated, "hexapod"):
        page.says("state", "RUNNING")
        expect(page.page.locator(".stale")).to_be_hidden()


def test_a_viewer_that_died_is_told_and_a_new_one_is_found_again(
    robot: Robot, environment: dict[str, str], open_page: Opener
) -> None:
    with Viewer(ROBOT, environment) as first:
        page = open_page(first.address)
        page.says("state", "RUNNING")
        first.kill()
        page.part("stop").click()
        expect(page.page.locator("#stop-answer")).to_contain_text("WAS NOT DELIVERED")
        with Viewer(ROBOT, environment, port=first.port):
            expect(page.page.locator("#stop-answer")).to_be_hidden(timeout=30_000)
            page.says("state", "RUNNING")


def test_the_viewer_ends_cleanly(environment: dict[str, str]) -> None:
    with Viewer(ROBOT, environment) as running:
        assert running.end() == 0
