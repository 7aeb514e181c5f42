"""The printed figures of the lesson on joints and actuators, and the same figures computed here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from servo_sim.actuator import (
    actuator_force,
    capsule_inertia,
    kv_from_dampratio,
    semi_implicit_euler,
    servo_sag,
    step_growth,
)
from servo_sim.link_experiment import (
    LENGTH,
    MASS,
    RADIUS,
    SECONDS,
    SO101,
    START,
    TAU_G,
    link_model,
    run,
)
from stride_base.progress import Progress, silent

ARMATURE, H = 0.028, 0.005
ROD_INERTIA = MASS * LENGTH**2 / 3.0
LINK_INERTIA = capsule_inertia(MASS, LENGTH, RADIUS)
KPS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


@dataclass(frozen=True)
class Figure:
    """One figure.

    Args:
        table, row, column: Where it is printed.
        printed: What is printed there.
        computed: What this machine has, in the same form.
        within: Whether it agrees: to the printed digit, or within the band that is given.
        band: What is demanded where the printed digit is not.
    """

    table: str
    row: str
    column: str
    printed: str
    computed: str
    within: bool
    band: str = ""


def seed_figures(progress: Progress = silent) -> list[Figure]:
    """All of them, in the order of the lesson; `progress` is told of each table."""
    tables = (_force_laws, _link, _sweep, _growth, _armature, _gains, _chatter, _arm)
    figures: list[Figure] = []
    for number, table in enumerate(tables):
        progress("computing tables", number, len(tables))
        figures += table()
    return figures


def _exact(table: str, row: str, column: str, printed: str, value: float) -> Figure:
    digits = len(printed.partition(".")[2])
    computed = f"{value:.{digits}f}"
    return Figure(table, row, column, printed, computed, computed == printed)


def _at_most(table: str, row: str, column: str, printed: str, value: float, most: float) -> Figure:
    return Figure(table, row, column, printed, f"{value:.1e}", value <= most, f"<= {most:g}")


def _verdict(table: str, row: str, column: str, printed: str, diverged: bool) -> Figure:
    computed = "diverged" if diverged else "stable"
    return Figure(table, row, column, printed, computed, computed == printed)


def _force_laws() -> Iterator[Figure]:
    """100 random states and controls against MuJoCo."""
    text = """<mujoco><worldbody>
      <body><joint name="a"/><geom size="0.1"/></body><body><joint name="b"/><geom size="0.1"/></body>
      <body><joint name="c"/><geom size="0.1"/></body></worldbody><actuator><motor joint="a" gear="3"/>
      <position joint="b" kp="40" kv="2" forcerange="-5 5"/><velocity joint="c" kv="0.7"/></actuator>
      </mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    numbers = np.random.default_rng(0)
    errors = np.zeros(3)
    for _ in range(100):
        data.qpos[:], data.qvel[:], data.ctrl[:] = numbers.normal(size=(3, 3))
        mujoco.mj_forward(model, data)
        for i in range(3):
            limits = (-5.0, 5.0) if model.actuator_forcelimited[i] else None
            force = actuator_force(
                data.ctrl[i],
                data.actuator_length[i],
                data.actuator_velocity[i],
                model.actuator_gainprm[i],
                model.actuator_biasprm[i],
                limits,
            )
            errors[i] = max(errors[i], abs(force - data.actuator_force[i]))
    table = "force law"
    for i, (row, gain, bias, error) in enumerate(
        (
            ("motor, gear 3", "1.0", "0 0 0", "0.0e+00"),
            ("position kp 40 kv 2", "40.0", "0 -40 -2", "3.6e-15"),
            ("velocity kv 0.7", "0.7", "0 0 -0.7", "0.0e+00"),
        )
    ):
        yield _exact(table, row, "gainprm[0]", gain, model.actuator_gainprm[i, 0])
        found = " ".join(f"{number + 0.0:g}" for number in model.actuator_biasprm[i, :3])
        yield Figure(table, row, "biasprm[:3]", bias, found, found == bias)
        yield _at_most(table, row, "largest error", error, errors[i], 1e-14)


def _link() -> Iterator[Figure]:
    model = link_model(10.0)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.3
    mujoco.mj_forward(model, data)
    inertia = np.zeros(1)
    mujoco.mj_mulM(model, data, inertia, np.ones(1))
    table = "link"
    yield _exact(table, "inertia", "ours", "0.00414684", LINK_INERTIA)
    yield _exact(table, "inertia", "MuJoCo", "0.00414684", inertia[0] - ARMATURE)
    yield _exact(table, "gravity torque", "ours", "-0.281156", -TAU_G * np.cos(0.3))
    yield _exact(table, "gravity torque", "MuJoCo", "-0.281156", -data.qfrc_bias[0])
    for kp, printed in ((1.0, "0.359"), (10.0, "1.134"), (100.0, "3.586"), (1000.0, "11.340")):
        row = f"kv at kp {kp:g}"
        yield _exact(
            table, row, "ours", printed, kv_from_dampratio(kp, 1.0, LINK_INERTIA + ARMATURE)
        )
        yield _exact(table, row, "MuJoCo", printed, -link_model(kp).actuator_biasprm[0, 2])


def _sweep() -> Iterator[Figure]:
    table = "kp sweep"
    printed = {
        1.0: ("0.359", "16.193", "16.862", "16.193", "533.0"),
        3.0: ("0.621", "5.594", "5.621", "5.594", "335.6"),
        10.0: ("1.134", "1.685", "1.686", "1.685", "185.6"),
        30.0: ("1.964", "0.562", "0.562", "0.562", "106.1"),
        100.0: ("3.586", "0.169", "0.169", "0.169", "56.7"),
        300.0: ("6.211", "0.056", "0.056", "0.056", "31.6"),
        1000.0: ("11.340", "0.017", "0.017", "0.017", "16.5"),
    }
    for kp in KPS:
        model = link_model(kp)
        found = run(model)
        row = f"kp {kp:g}"
        values = (
            -model.actuator_biasprm[0, 2],
            np.degrees(found.sag),
            np.degrees(TAU_G / kp),
            np.degrees(servo_sag(kp, TAU_G)),
            found.rise * 1e3,
        )
        columns = ("kv", "sag (deg)", "tau_g/kp (deg)", "exact (deg)", "rise (ms)")
        for column, text, value in zip(columns, printed[kp], values, strict=True):
            yield _exact(table, row, column, text, float(value))
        error = float(np.abs(_our_path(kp) - found.q).max())
        yield _at_most(table, row, "our loop to MuJoCo", "5.6e-17", error, 1e-14)


def _our_path(kp: float) -> NDArray[np.float64]:
    """The same run with the functions of `actuator` alone, (n,) rad."""
    inertia = LINK_INERTIA + ARMATURE
    kv = float(kv_from_dampratio(kp, 1.0, inertia))

    def accel(q: float, v: float) -> float:
        force = actuator_force(0.0, q, v, [kp], [0.0, -kp, -kv])
        return float((force - TAU_G * np.cos(q)) / inertia)

    q, v = START, 0.0
    path = [q]
    for _ in range(round(SECONDS / H)):
        q, v = semi_implicit_euler(q, v, accel, H, c_implicit=kv / inertia)
        path.append(q)
    return np.array(path)


def _growth() -> Iterator[Figure]:
    table = "growth per step"
    rows = (
        (998.22, 0.028, "0.88", "0.725", "stable", "0.812", "stable"),
        (998.22, 0.010, "1.33", "0.343", "stable", "0.678", "stable"),
        (998.22, 0.005, "1.65", "1.650", "diverged", "0.595", "stable"),
        (998.22, 0.002, "2.01", "2.838", "diverged", "0.519", "stable"),
        (998.22, 0.000, "2.45", "4.143", "diverged", "0.446", "stable"),
        (3000.0, 0.028, "1.53", "0.725", "stable", "0.812", "stable"),
        (10000.0, 0.028, "2.79", "5.491", "diverged", "3.262", "diverged"),
        (30000.0, 0.028, "4.83", "19.786", "diverged", "13.661", "diverged"),
    )
    kv, damping = SO101["kv"], SO101["damping"]
    for kp, armature, h_omega, euler, euler_fate, fast, fast_fate in rows:
        inertia = LINK_INERTIA + armature
        w2, c = kp / inertia, (kv + damping) / inertia
        row = f"kp {kp:.0f} armature {armature:.3f}"
        yield _exact(table, row, "h*w", h_omega, H * np.sqrt(w2))
        growth = step_growth(semi_implicit_euler, H, w2, c, c_implicit=damping / inertia)
        yield _exact(table, row, "Euler", euler, growth)
        yield _verdict(table, row, "MuJoCo Euler", euler_fate, _diverges(kp, armature, "Euler"))
        growth = step_growth(semi_implicit_euler, H, w2, c, c_implicit=c)
        yield _exact(table, row, "implicitfast", fast, growth)
        fate = _diverges(kp, armature, "implicitfast")
        yield _verdict(table, row, "MuJoCo implicitfast", fast_fate, fate)


def _diverges(kp: float, armature: float, integrator: str) -> bool:
    model = link_model(**{**SO101, "kp": kp}, armature=armature, integrator=integrator)
    return run(model).diverged


def _armature() -> Iterator[Figure]:
    table = "A: without armature"
    rows = (
        (0.028, "0.0320", "0.88", "stable"),
        (0.010, "0.0140", "1.34", "stable"),
        (0.005, "0.0090", "1.67", "diverged"),
        (0.002, "0.0060", "2.04", "diverged"),
        (0.001, "0.0050", "2.23", "diverged"),
        (0.000, "0.0040", "2.50", "diverged"),
    )
    for armature, inertia, h_omega, euler in rows:
        row = f"armature {armature:.3f}"
        total = ROD_INERTIA + armature
        yield _exact(table, row, "I (kg m^2)", inertia, total)
        yield _exact(table, row, "h*w", h_omega, H * np.sqrt(SO101["kp"] / total))
        for integrator, printed in (
            ("Euler", euler),
            ("implicitfast", "stable"),
            ("discrete", "stable"),
        ):
            fate = _diverges(SO101["kp"], armature, integrator)
            yield _verdict(table, row, integrator, printed, fate)


def _gains() -> Iterator[Figure]:
    table = "B: larger kp"
    rows = (
        (998.22, "0.88", "stable"),
        (3000.0, "1.53", "stable"),
        (10000.0, "2.80", "diverged"),
        (30000.0, "4.84", "diverged"),
    )
    for kp, h_omega, fast in rows:
        row = f"kp {kp:.0f}"
        yield _exact(table, row, "h*w", h_omega, H * np.sqrt(kp / (ROD_INERTIA + ARMATURE)))
        for integrator, printed in (("implicitfast", fast), ("discrete", "stable")):
            yield _verdict(table, row, integrator, printed, _diverges(kp, ARMATURE, integrator))


def _chatter() -> Iterator[Figure]:
    """Chaotic: the last digits depend on the machine's rounding."""
    for armature, printed, most in ((0.001, "0.629", 0.7), (0.0, "0.798", 0.9)):
        model = link_model(**SO101, armature=armature, forcerange=2.94, integrator="Euler")
        found = run(model)
        degrees = float(np.degrees(found.chatter))
        yield Figure(
            "A with forcerange",
            f"armature {armature:.3f}",
            "chatter (deg)",
            printed,
            f"{degrees:.3f}",
            not found.diverged and 0.0 < degrees < most,
            f"0 to {most:g}",
        )


def _arm() -> Iterator[Figure]:
    """What follows from the printed mass matrix of the arm; its own last digit depends on the revision
    of the arm's model, so that is what these can be wrong by."""
    table = "SO-101 arm"
    rows = (
        ("shoulder_pan", 0.04446, "0.01646", "0.75", "1.23"),
        ("shoulder_lift", 0.04542, "0.01742", "0.74", "1.20"),
        ("elbow_flex", 0.03734, "0.00934", "0.82", "1.63"),
        ("wrist_flex", 0.02913, "0.00113", "0.93", "4.71"),
        ("wrist_roll", 0.02808, "0.00008", "0.94", "17.62"),
        ("gripper", 0.02802, "0.00002", "0.94", "39.33"),
    )
    half = 5e-6
    for row, total, share, h_omega, without in rows:
        link = total - ARMATURE
        yield _exact(table, row, "link (kg m^2)", share, link)
        yield _exact(table, row, "h*w", h_omega, H * np.sqrt(SO101["kp"] / total))
        low, high = (H * np.sqrt(SO101["kp"] / (link + d)) for d in (half, -half))
        yield Figure(
            table,
            row,
            "h*w without armature",
            without,
            f"{H * np.sqrt(SO101['kp'] / link):.2f}",
            low - 0.005 <= float(without) <= high + 0.005,
            f"{low:.2f} to {high:.2f}",
        )
