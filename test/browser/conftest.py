"""A browser for the module's tests, and isolation: a ROS domain of its own on this machine only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "integration"))

from browsing import ARGUMENTS, OpenPage, chromium, patient
from harness import Simulated, own_domain

ROBOT = Path(__file__).parents[2] / "config" / "robots" / "hexapod"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Variables for this process and the viewer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", own_domain())
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        patch.setenv("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp")
        yield dict(os.environ)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    path = chromium()
    if path is None:
        pytest.skip("no Chromium to look at pages with: sudo apt-get install -y chromium")
    with sync_playwright() as tools:
        script = patient(path, tmp_path_factory.mktemp("browser"))
        running = tools.chromium.launch(executable_path=script, args=list(ARGUMENTS))
        yield running
        running.close()


@pytest.fixture(scope="module")
def simulated(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Simulated]:
    with Simulated(tmp_path_factory.mktemp("bus") / "bus", ROBOT / "control.json") as running:
        yield running


@pytest.fixture
def open_page(browser: object) -> Iterator[Callable[[str], OpenPage]]:
    """Opens pages; none of them may have an error in its scripts."""
    opened: list[OpenPage] = []

    def open_one(address: str) -> OpenPage:
        page = OpenPage(browser, address)  # type: ignore[arg-type]
        opened.append(page)
        return page

    yield open_one
    for page in opened:
        page.page.close()
    assert [page.errors for page in opened] == [[] for _ in opened]
