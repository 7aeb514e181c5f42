"""The plots of a page: which lines there are, and what of the history goes into them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from nicegui import ui

from stride_viewer.frame import known
from stride_viewer.live import Live, Panel
from stride_viewer.page.elements import LivePlot
from stride_viewer.telemetry import BusSample, Sample, Telemetry

#: Length of the time axis, s.
WINDOW = 20.0
#: Joints drawn until others are chosen.
FIRST_JOINTS = 3

Row = list[float | None]


@dataclass(frozen=True)
class _Kind:
    title: str
    unit: str
    #: Fields of `Sample`, and whether their lines are dashed.
    fields: tuple[tuple[str, bool], ...]


_KINDS = (
    _Kind("wanted (dashed) and measured", "deg", (("measured", False), ("wanted", True))),
    _Kind("load", "share of stall", (("load", False),)),
    _Kind("voltage", "V", (("voltage", False),)),
    _Kind("temperature", "°C", (("temperature", False),)),
)
_BUS_LINES = ("late_p50", "late_p99", "late_max")


class Plots:
    """The plots of one page, with the joints that its user chose."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._joints: list[str] = []
        self._telemetry: Telemetry | None = None
        self._names: tuple[str, ...] = ()
        self._time = self._bus_time = -math.inf
        self._stale = False
        with ui.row().classes("w-full items-center plot-bar"):
            self._choice = (
                ui.select([], multiple=True, label="joints", on_change=self._chosen)
                .props("dense outlined use-chips options-dense")
                .classes("joint-choice")
            )
        with ui.element("div").classes("plots"):
            self._plots = [self._plot(kind.title, kind.unit) for kind in _KINDS]
            self._late = self._plot("bus: lateness of cycles", "us")
            self._missed = self._plot("bus: missed cycles", "")

    def renew(self, panel: Panel) -> None:
        """Append what is new; begin anew where joints or source changed."""
        telemetry = panel.telemetry
        if telemetry.names != self._names or telemetry is not self._telemetry:
            self._names, self._telemetry = telemetry.names, telemetry
            kept = [name for name in self._joints if name in self._names]
            self._joints = kept or list(self._names[:FIRST_JOINTS])
            self._choice.set_options(list(self._names), value=list(self._joints))
            self._stale = True
        if self._stale:
            self._begin()
            return
        samples = self._live.samples_since(self._time)
        if samples:
            self._time = samples[-1].time
            for kind, plot in zip(_KINDS, self._plots, strict=True):
                plot.append(self._rows(kind, samples))
        bus = self._live.bus_samples_since(self._bus_time)
        if bus:
            self._bus_time = bus[-1].time
            self._late.append(_late_rows(bus))
            self._missed.append(_missed_rows(bus))

    def _plot(self, title: str, unit: str) -> LivePlot:
        return LivePlot(title, unit, WINDOW, self._ready)

    def _ready(self) -> None:
        self._stale = True

    def _chosen(self) -> None:
        chosen = list(self._choice.value or [])
        if chosen != self._joints:
            self._joints = chosen
            self._stale = True

    def _begin(self) -> None:
        self._stale = False
        samples = self._live.samples_since(-math.inf)
        bus = self._live.bus_samples_since(-math.inf)
        self._time = samples[-1].time if samples else -math.inf
        self._bus_time = bus[-1].time if bus else -math.inf
        for kind, plot in zip(_KINDS, self._plots, strict=True):
            lines = [
                (f"{joint} {field}" if dashed else joint, color, dashed)
                for color, joint in enumerate(self._joints)
                for field, dashed in kind.fields
            ]
            plot.reset(lines, self._rows(kind, samples))
        late = [(name.removeprefix("late_"), color, False) for color, name in enumerate(_BUS_LINES)]
        self._late.reset(late, _late_rows(bus))
        self._missed.reset([("missed", 3, False)], _missed_rows(bus))

    def _rows(self, kind: _Kind, samples: Sequence[Sample]) -> list[Row]:
        places = [self._names.index(name) for name in self._joints if name in self._names]
        scale = math.degrees(1.0) if kind.unit == "deg" else 1.0
        rows: list[Row] = []
        for sample in samples:
            columns = [getattr(sample, field) for field, _ in kind.fields]
            values = [known(scale * column[place]) for place in places for column in columns]
            rows.append([round(sample.time, 3), *values])
        return rows


def _late_rows(samples: Sequence[BusSample]) -> list[Row]:
    return [
        [round(row.time, 3), *(known(getattr(row, name)) for name in _BUS_LINES)] for row in samples
    ]


def _missed_rows(samples: Sequence[BusSample]) -> list[Row]:
    return [[round(row.time, 3), known(row.missed)] for row in samples]
