"""The page of a robot with sequences and gaits: what may be asked for, the pad, several pages."""

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
LONG = 60_000.0


@pytest.fixture(scope="module")
def robot(simulated: Simulated) -> Iterator[Robot]:
    with Robot(simulated, "hexapod", motion="hexapod_motion") as running:
        yield running


@pytest.fixture(scope="module")
def viewer(robot: Robot, environment: dict[str, str]) -> Iterator[Viewer]:
    with Viewer(ROBOT, environment) as running:
        yield running


def standing(page: OpenPage) -> None:
    """Bring the robot to its feet by the page's own button."""
    page.says("state", "RUNNING")

    def stands() -> bool:
        if "standing" in page.part("motion").inner_text():
            return True
        page.press("UP")
        return False

    page.wait_for(stands, "a standing robot")


def place(robot: Robot) -> tuple[float, float]:
    position = robot.newest("ground_truth").pose.pose.position
    return position.x, position.y


def test_sequences_that_may_not_follow_are_disabled_and_say_why(
    viewer: Viewer, open_page: Opener
) -> None:
    page = open_page(viewer.address)
    page.says("state", "RUNNING")
    up, ahead = page.part("UP"), page.part("DIRECT_MOVEMENT")
    expect(up).to_be_enabled(timeout=LONG)
    expect(ahead).to_be_disabled()
    why = page.page.locator(".choice", has=ahead).locator(".why")
    expect(why).to_contain_text("DIRECT_MOVEMENT may not follow")
    standing(page)
    expect(ahead).to_be_enabled(timeout=LONG)
    expect(up).to_be_disabled()


def test_a_held_pad_drives_and_the_other_page_sees_who(
    robot: Robot, viewer: Viewer, open_page: Opener
) -> None:
    page, other = open_page(viewer.address), open_page(viewer.address)
    standing(page)
    began = place(robot)
    field = page.page.locator(".velocity-field").bounding_box()
    assert field is not None
    x, y = field["x"] + field["width"] / 2, field["y"] + field["height"] * 0.1
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    expect(page.page.get_by_text("this page drives")).to_be_visible(timeout=LONG)
    expect(other.page.get_by_text("another page drives")).to_be_visible(timeout=LONG)
    robot.wait_for(lambda: math.dist(place(robot), began) > 0.03, "a way of 3 cm")
    page.page.mouse.up()
    expect(page.part("motion")).to_contain_text("standing", timeout=LONG)
    expect(other.page.get_by_text("another page drives")).to_be_hidden()


def test_a_page_that_is_closed_while_it_drives_stops_the_robot(
    robot: Robot, viewer: Viewer, open_page: Opener
) -> None:
    watching, driving = open_page(viewer.address), open_page(viewer.address)
    standing(driving)
    driving.page.bring_to_front()
    pad = driving.page.locator(".velocity-pad")
    pad.focus()
    driving.page.keyboard.down("ArrowUp")
    expect(watching.page.get_by_text("another page drives")).to_be_visible(timeout=LONG)
    driving.page.close()
    expect(watching.page.get_by_text("another page drives")).to_be_hidden(timeout=LONG)
    expect(watching.part("motion")).to_contain_text("standing", timeout=LONG)


def test_a_key_that_is_still_down_after_letting_go_must_be_pressed_again(
    viewer: Viewer, open_page: Opener
) -> None:
    """As when another tab was looked at, or STOP took the pad away: a keyboard repeats held keys."""
    page = open_page(viewer.address)
    standing(page)
    pad = page.page.locator(".velocity-pad")
    held = "() => getElement(parseInt(document.querySelector('.velocity-pad').id.slice(1))).held"
    pad.focus()
    page.page.keyboard.down("ArrowUp")
    assert page.page.evaluate(held) is True
    page.page.evaluate("() => window.dispatchEvent(new Event('blur'))")
    page.page.keyboard.down("ArrowUp")
    assert page.page.evaluate(held) is False
    page.page.keyboard.up("ArrowUp")
    page.page.keyboard.down("ArrowUp")
    assert page.page.evaluate(held) is True
    page.page.keyboard.up("ArrowUp")
    assert page.page.evaluate(held) is False


def test_a_gait_is_chosen_by_its_button(viewer: Viewer, open_page: Opener) -> None:
    page = open_page(viewer.address)
    standing(page)
    page.part("wave").click()
    expect(page.part("wave")).to_have_class(re.compile("active"), timeout=LONG)
    page.part("tripod").click()
    expect(page.part("tripod")).to_have_class(re.compile("active"), timeout=LONG)


def test_the_body_follows_its_sliders(viewer: Viewer, open_page: Opener) -> None:
    page, other = open_page(viewer.address), open_page(viewer.address)
    standing(page)
    before = page.wait_for(page.picture, "a picture")["base"][2]
    page.slider("body-z", 20.0)
    expect(other.part("body-z")).to_have_attribute("aria-valuenow", "20", timeout=LONG)

    def lifted() -> bool:
        picture = page.picture()
        return picture is not None and picture["base"][2] > before + 0.012

    page.wait_for(lifted, "a lifted body")
    page.button("back to normal").click()
    expect(other.part("body-z")).to_have_attribute("aria-valuenow", "0", timeout=LONG)


def test_stop_while_driving_takes_torque_off_and_the_pad_away(
    robot: Robot, simulated: Simulated, viewer: Viewer, open_page: Opener
) -> None:
    page = open_page(viewer.address)
    standing(page)
    page.page.locator(".velocity-pad").focus()
    page.page.keyboard.down("ArrowUp")
    expect(page.page.get_by_text("this page drives")).to_be_visible(timeout=LONG)
    page.part("stop").click()
    page.says("state", "TORQUE OFF")
    assert simulated.torque() == {0}
    expect(page.page.get_by_text("torque off").first).to_be_visible()
    expect(page.page.locator(".velocity-pad")).to_have_class(re.compile("disabled"))
