"""How well one joint tracks a sine: raw, with lead, with the exact and with an identified model.

    ./stride bench tracking

A simulated STS3215 (physical profile, goal speed as the driver sets it, encoder steps) moves 0.3 kg at
0.2 m by 0.5 rad at 0.5 Hz, control at 50 Hz. Goals are computed from the state of a cycle and are in the
servo one cycle later, as in the pipeline. The error is that of the measured position against the
wanted one of the same cycle; beside it against that of two cycles before, i.e. without the delay.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from servo_inv.identification.excitation import JointLimits, Motion, design_excitation
from servo_inv.identification.identify import Identified, Preparation, identify
from servo_inv.identification.report import report_text
from servo_inv.identification.trial import goals_for
from servo_inv.servo_model import FIELD_NAMES, ServoModel
from servo_inv.timing import Timing

sys.path.append(str(Path(__file__).parents[1] / "src" / "servo_inv" / "test"))
from exact_servo import LOAD, PERIOD, exact_model, record_of
from sts3215_joint import Joint, Servo, follow

VOLTAGES = (8.4, 7.4, 6.4)
IDENTIFIED_AT = 7.4
PLAIN = Timing(PERIOD, 0.0)
LEAD = Timing(PERIOD, 2 * PERIOD)
LATENCY = Timing(PERIOD, 0.0, 2 * PERIOD)


@dataclass(frozen=True)
class Case:
    """A row of the table."""

    name: str
    timing: Timing
    model: ServoModel | None = None


def sine(seconds: float) -> Motion:
    """0.5 rad at 0.5 Hz, growing over the first second."""
    time = np.arange(0.0, seconds, PERIOD)
    growth = np.minimum(time, 1.0) ** 2 * (3.0 - 2.0 * np.minimum(time, 1.0))
    return Motion.through(0.5 * growth * np.sin(np.pi * time), PERIOD)


def errors(case: Case, voltage: float, motion: Motion) -> tuple[float, float]:
    """RMS tracking error after two seconds, rad: as it is, and without the delay of two cycles."""
    effort = LOAD.effort(motion.position, motion.acceleration)
    goals = goals_for(motion, effort, voltage, case.model, case.timing)
    course = follow(Joint(voltage), goals.tolist(), PERIOD, case.timing.duration)
    measured, begin = np.array(course.position), round(2.0 / PERIOD)
    late = measured[begin:] - motion.position[begin:]
    in_time = measured[begin:] - motion.position[begin - 2 : -2]
    return float(np.sqrt(np.mean(late**2))), float(np.sqrt(np.mean(in_time**2)))


def identified(voltage: float, seed: int) -> Identified:
    """A model from one excitation of 40 s."""
    motion = design_excitation(JointLimits(), PERIOD, load=LOAD, seed=seed)
    record = record_of(Joint(voltage), motion.position.tolist())
    return identify(record, preparation=Preparation(load=LOAD))


def print_tracking(found: Identified) -> None:
    exact = exact_model(Servo())
    cases = (
        Case("raw", PLAIN),
        Case("lead 0.04", LEAD),
        Case("latency 0.04", LATENCY),
        Case("exact model", PLAIN, exact),
        Case("exact, lead 0.04", LEAD, exact),
        Case("exact, latency 0.04", LATENCY, exact),
        Case("identified", PLAIN, found.model),
        Case("identified, latency 0.04", LATENCY, found.model),
    )
    motion = sine(12.0)
    print("RMS tracking error in deg, share of raw; `in time` without the delay of two cycles")
    print(f"{'':26}" + "".join(f"{voltage:>14.1f} V{'in time':>16}" for voltage in VOLTAGES))
    raw = {voltage: errors(cases[0], voltage, motion) for voltage in VOLTAGES}
    for case in cases:
        cells = ""
        for voltage in VOLTAGES:
            late, in_time = errors(case, voltage, motion)
            for error, reference in zip((late, in_time), raw[voltage], strict=True):
                cells += f"{np.degrees(error):9.3f} ({error / reference:.2f})"
        print(f"{case.name:26}{cells}")


def print_parameters(found: Identified) -> None:
    exact = exact_model(Servo()).numbers()
    numbers, share = found.model.numbers(), 1.0 / (exact["kp"] * IDENTIFIED_AT)
    print(f"\nparameters, identified at {IDENTIFIED_AT} V; the first five as a/(kp V)")
    print(f"{'':20}{'true':>12}{'identified':>12}{'+- (95 %)':>12}{'off by':>10}")
    for name in FIELD_NAMES[2:]:
        unit = 1.0 if name.startswith("stribeck_") else share
        true, value, width = (
            unit * number for number in (exact[name], numbers[name], found.fit.half_width[name])
        )
        print(f"{name:20}{true:12.6f}{value:12.6f}{width:12.6f}{value / true - 1.0:10.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the excitation")
    found = identified(IDENTIFIED_AT, parser.parse_args().seed)
    print_tracking(found)
    print_parameters(found)
    print()
    print(report_text(found), end="")


if __name__ == "__main__":
    main()
