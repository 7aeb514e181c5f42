"""The program `servo_sim_tables`: the lesson's tables beside what this machine computes; plots."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import numpy as np

from servo_sim.actuator import servo_sag
from servo_sim.link_experiment import TAU_G, link_model, run
from servo_sim.seed_figures import KPS, Figure, seed_figures
from stride_base.progress_display import Display, quiet_option


def summary(figures: list[Figure]) -> str:
    """How many figures agree, in one line."""
    to_the_digit = [figure for figure in figures if not figure.band]
    equal = sum(figure.within for figure in to_the_digit)
    bands = [figure for figure in figures if figure.band]
    inside = sum(figure.within for figure in bands)
    return (
        f"{len(figures)} figures: {equal} of {len(to_the_digit)} equal to the printed digit, "
        f"{inside} of {len(bands)} within their band"
    )


def text(figures: list[Figure]) -> str:
    """All figures, one a line, printed beside computed."""
    lines, table = [], ""
    for figure in figures:
        if figure.table != table:
            table = figure.table
            lines.append(f"\n{table}")
            lines.append(f"  {'':32}{'':24}{'printed':>12}{'computed':>12}")
        mark = "" if figure.within else "  DIFFERS"
        band = f"  ({figure.band})" if figure.band else ""
        lines.append(
            f"  {figure.row:32}{figure.column:24}{figure.printed:>12}{figure.computed:>12}{band}{mark}"
        )
    return "\n".join([*lines, "", summary(figures)])


def plot(path: Path) -> None:
    """The two log-log plots: sag and rise time over kp."""
    from matplotlib.figure import Figure as Drawing

    runs = [run(link_model(kp)) for kp in KPS]
    kps = np.array(KPS)
    fine = np.logspace(0, 3, 100)
    drawing = Drawing(figsize=(9, 3.6), layout="constrained")
    left, right = drawing.subplots(1, 2)
    left.loglog(kps, [np.degrees(each.sag) for each in runs], "o", label="MuJoCo")
    left.loglog(fine, np.degrees(servo_sag(fine, TAU_G)), label="kp e = tau_g cos e")
    left.loglog(fine, np.degrees(TAU_G / fine), "--", label="tau_g / kp")
    left.set(xlabel="kp (N m/rad)", ylabel="sag (deg)")
    rises = np.array([each.rise * 1e3 for each in runs])
    right.loglog(kps, rises, "o", label="MuJoCo")
    right.loglog(fine, rises[2] * np.sqrt(kps[2] / fine), "--", label="1 / sqrt(kp)")
    right.set(xlabel="kp (N m/rad)", ylabel="rise 10 to 90 % (ms)")
    for axes in (left, right):
        axes.grid(True, which="both", alpha=0.3)
        axes.legend()
    drawing.savefig(path, dpi=100)


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    short_help="Tables of position actuators, printed beside computed.",
)
@click.option("--plot", "picture", type=Path, help="Draw sag and rise time over kp, e.g. plot.png.")
@quiet_option
def main(picture: Path | None, quiet: bool) -> None:
    """Compute the tables of the lesson on joints and actuators, beside the printed ones."""
    display = Display(quiet)
    with display as progress:
        figures = seed_figures(progress)
    click.echo(text(figures))
    if picture is not None:
        with display as progress:
            progress("drawing")
            plot(picture)
        click.echo(f"wrote {picture}")
    if not all(figure.within for figure in figures):
        sys.exit(1)


if __name__ == "__main__":
    main()
