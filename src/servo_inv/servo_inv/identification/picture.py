"""The report of an identification as a picture (PNG), for one joint."""

from __future__ import annotations

from pathlib import Path
from textwrap import TextWrapper
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from servo_inv.identification.identify import Identified, Tracking
from servo_inv.identification.report import report_text
from servo_inv.identification.signals import Signals
from servo_inv.joint_message import FloatArray
from stride_base.errors import StrideError

WRAPPER = TextWrapper(width=96, subsequent_indent="    ")
BEFORE, AFTER, HELD_OUT = "tab:red", "tab:blue", "0.9"


def draw_report(identified: Identified, path: Path) -> None:
    """Draw distance before and after, residuals, friction, and the text of the report.

    Raises:
        StrideError: the file cannot be written.
    """
    figure = Figure(figsize=(14, 9), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    grid = figure.add_gridspec(3, 2, width_ratios=(1.4, 1.0))
    _draw_distance(figure.add_subplot(grid[0, 0]), identified)
    if identified.tracking:
        _draw_tracking(figure.add_subplot(grid[1, 0]), identified.tracking)
    else:
        _draw_motion(figure.add_subplot(grid[1, 0]), identified)
    _draw_residual(figure.add_subplot(grid[2, 0]), identified)
    _draw_friction(figure.add_subplot(grid[0, 1]), identified)
    text = figure.add_subplot(grid[1:, 1])
    text.axis("off")
    lines = [part for line in report_text(identified).splitlines() for part in WRAPPER.wrap(line)]
    text.text(0.0, 1.0, "\n".join(lines), va="top", family="monospace", fontsize=7)
    try:
        canvas.print_png(str(path))
    except OSError as error:
        raise StrideError(f"{path}: cannot be written: {error.strerror}") from error


def _seconds(signals: Signals) -> FloatArray:
    """Times from the first sample on; recordings of a robot have the time of day."""
    return signals.time - signals.time[:1]


def _draw_distance(axes: Any, identified: Identified) -> None:
    signals, fit = identified.signals, identified.fit
    _shade(axes, identified)
    axes.plot(
        _seconds(signals), np.degrees(signals.distance), color=BEFORE, lw=0.8, label="without model"
    )
    axes.plot(_seconds(signals), np.degrees(fit.residual), color=AFTER, lw=0.8, label="with model")
    axes.set(title="distance from position to target (grey: held out)", ylabel="deg", xlabel="s")
    axes.legend(loc="upper right")


def _draw_motion(axes: Any, identified: Identified) -> None:
    signals = identified.signals
    axes.plot(_seconds(signals), np.degrees(signals.target), color="0.5", lw=0.8, label="target")
    axes.plot(
        _seconds(signals), np.degrees(signals.position), color="black", lw=0.8, label="position"
    )
    axes.set(title="motion", ylabel="deg", xlabel="s")
    axes.legend(loc="upper right")


def _draw_tracking(axes: Any, tracking: Tracking) -> None:
    for position, colour, label in (
        (tracking.before, BEFORE, "without model"),
        (tracking.after, AFTER, "with model"),
    ):
        axes.plot(tracking.time, np.degrees(position - tracking.wanted), color=colour, label=label)
    axes.set(title="tracking error in a trial that was not fitted", ylabel="deg", xlabel="s")
    axes.legend(loc="upper right")


def _draw_residual(axes: Any, identified: Identified) -> None:
    signals, fit = identified.signals, identified.fit
    for chosen, colour, label in (
        (fit.used, AFTER, "fitted"),
        (identified.held_out, "black", "held out"),
    ):
        degrees = np.degrees(fit.residual[chosen])
        axes.plot(signals.velocity[chosen], degrees, ".", ms=2, color=colour, label=label)
    axes.set(title="residual over velocity", ylabel="deg", xlabel="rad/s")
    axes.legend(loc="upper right")


def _draw_friction(axes: Any, identified: Identified) -> None:
    """Dry friction: what is left of the samples without the smooth terms, and the fitted curve."""
    signals, fit, model = identified.signals, identified.fit, identified.model
    side, chosen = model.joint_side(), identified.fit.used
    velocity = signals.velocity[chosen]
    direction = np.sign(velocity)

    def curve(speed: FloatArray) -> FloatArray:
        share = np.exp(-((speed / side.stribeck_velocity) ** side.stribeck_exponent))
        return np.degrees((side.coulomb + side.stribeck * share) / signals.voltage.mean())

    speed = np.linspace(0.0, np.abs(velocity).max(), 300)
    seen = curve(np.abs(velocity)) + np.degrees(fit.residual[chosen]) * direction
    axes.plot(np.abs(velocity), seen, ".", ms=2, color="0.6")
    axes.plot(speed, curve(speed), color=AFTER)
    axes.set(title="dry friction on the goal", ylabel="deg", xlabel="speed, rad/s")


def _shade(axes: Any, identified: Identified) -> None:
    axes.fill_between(
        _seconds(identified.signals),
        0.0,
        1.0,
        where=identified.held_out,
        color=HELD_OUT,
        transform=axes.get_xaxis_transform(),
    )
