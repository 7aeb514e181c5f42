"""A real browser on the real page of a simulated robot."""

from __future__ import annotations

import contextlib
import io
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import matplotlib.image
from harness import PATIENCE
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

#: Names of Chromium's executable, in Debian and elsewhere.
EXECUTABLES = ("chromium", "chromium-browser", "google-chrome")
#: Draws without a graphics card, and calls nobody.
ARGUMENTS = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENT = """#!/bin/sh
echo 19 2>/dev/null >/proc/$$/autogroup
drop="setpriv --bounding-set -sys_nice"
$drop true 2>/dev/null || drop=""
exec $drop nice -n 15 "{executable}" "$@"
"""
MILLISECONDS = 1000.0
#: Small, because the picture is drawn by the processor that also simulates the robot.
SIZE = {"width": 1000, "height": 680}


def chromium() -> str | None:
    """Path of Chromium, None where it is not installed."""
    return next((path for name in EXECUTABLES if (path := shutil.which(name))), None)


def patient(executable: str, folder: Path) -> Path:
    """`executable` as a script that lets everything else go first: a browser that draws without a
    graphics card must not keep the simulated servos from answering in time.

    It begins a session of its own, and Linux shares processors between sessions first. Run by root,
    Chromium would give its drawing process a high priority; it must not be able to.
    """
    script = folder / "patient-browser"
    script.write_text(PATIENT.format(executable=executable))
    script.chmod(0o755)
    return script


class Viewer:
    """The program `stride_viewer`; a context manager.

    Args:
        robot: Folder of the robot.
        environment: Its environment variables.
        arguments: Parameters, e.g. ``port=8123``.
    """

    def __init__(self, robot: Path, environment: Mapping[str, str], **parameters: object) -> None:
        given = {"robot": robot, "frame_rate": 10.0, **parameters}
        words = [word for name, value in given.items() for word in ("-p", f"{name}:={value}")]
        self._process = subprocess.Popen(
            ["nice", "-n", "5", sys.executable, "-m", "stride_viewer", "--ros-args", *words],
            stdout=subprocess.PIPE,
            text=True,
            env=dict(environment),
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"the viewer said {line!r}"
        self.address = found.group()

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> int:
        """End it as a terminal does, and return its exit code."""
        self._process.terminate()
        return self._process.wait(PATIENCE)

    def kill(self) -> None:
        """End it as a power cut does."""
        self._process.kill()
        self._process.wait(PATIENCE)


class OpenPage:
    """A page in a browser window of its own."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.page: Page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.set_default_timeout(PATIENCE * MILLISECONDS)
        self.page.goto(address)

    def part(self, name: str) -> Locator:
        """The element that is called `name`."""
        return self.page.get_by_test_id(name)

    def button(self, text: str) -> Locator:
        """The button with exactly this text."""
        return self.page.get_by_role("button", name=text, exact=True)

    def says(self, name: str, text: str | re.Pattern[str]) -> None:
        """Wait until a part of the page says `text`."""
        expect(self.part(name)).to_have_text(text, timeout=PATIENCE * MILLISECONDS)

    def press(self, name: str) -> None:
        """Press a button if it may be pressed now."""
        if self.part(name).is_enabled():
            with contextlib.suppress(TimeoutError):
                # It may become disabled at this very moment.
                self.part(name).click(timeout=MILLISECONDS)

    def picture(self) -> dict[str, Any] | None:
        """What the robot was drawn from last."""
        return self.page.evaluate(
            "() => { const view = document.querySelector('.robot-view');"
            " return view ? getElement(parseInt(view.id.slice(1)))?.newest ?? null : null; }"
        )

    def wait_for(self, condition: Callable[[], Any], what: str) -> Any:
        """Return the first true value of `condition`."""
        for _ in range(int(PATIENCE / 0.1)):
            if value := condition():
                return value
            self.page.wait_for_timeout(100)
        raise AssertionError(f"waited in vain for {what}")

    def slider(self, name: str, to: float) -> None:
        """Move a slider upwards with the keyboard until it is at `to`, in units of its own."""
        slider = self.part(name)
        self.page.bring_to_front()
        handle = slider.locator("[tabindex]").first
        handle.focus()
        for _ in range(100):
            if math.isclose(float(slider.get_attribute("aria-valuenow") or 0.0), to, abs_tol=1e-6):
                return
            handle.press("ArrowRight")
        raise AssertionError(f"slider {name} does not come to {to}")

    def colors(self) -> int:
        """How many different colours the picture of the robot has."""
        shot = self.page.locator(".robot-view canvas").screenshot()
        image = matplotlib.image.imread(io.BytesIO(shot), format="png")
        return len({tuple(pixel) for row in image[::4, ::4] for pixel in row.tolist()})
