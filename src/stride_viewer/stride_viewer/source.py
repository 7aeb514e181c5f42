"""Where a page's robot comes from: ROS, or a recording."""

from __future__ import annotations

from typing import Protocol

from stride_viewer.answer import Answer
from stride_viewer.pilot import Velocity
from stride_viewer.telemetry import Telemetry


class Source(Protocol):
    """Something that fills telemetry."""

    telemetry: Telemetry

    def poll(self, now: float) -> None:
        """Take what is new; `now` is that of `time`."""

    def time(self) -> float:
        """Present time of this source, s; on its scale are all times in its telemetry."""


class Robot(Source, Protocol):
    """A source that takes commands."""

    pages: int

    def steer(self, value: float) -> None: ...

    def drive(self, velocity: Velocity) -> None: ...

    def hold_body(self, position: tuple[float, ...], angles: tuple[float, ...]) -> None: ...

    async def stop(self) -> Answer: ...

    async def set_torque(self, on: bool) -> Answer: ...

    async def select_sequence(self, name: str) -> Answer: ...

    async def reset_fault(self) -> Answer: ...

    async def set_gait(self, name: str) -> Answer: ...
