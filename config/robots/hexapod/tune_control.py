"""Judges the hexapod's gait in simulation, and improves gait.yaml.

    python config/robots/hexapod/tune_control.py                  judges the gait as it is
    python config/robots/hexapod/tune_control.py --evaluations 60 looks for a better one, prints it
    ... --free stride lift outward --write                        and writes gait.yaml and control.json

Run it where Stride's packages can be imported (`source install/setup.bash`). Each gait is turned into a
control file by make_control.py and walks in lock-step, straight on and at steering 1; the score is

    speed (cm/s) - 50 drift - |turn straight on| (deg) / 2 - largest tilt (deg) - rise and fall (mm) / 2
                 - 10 for each rad/s by which a joint would be too fast
                 - 1/2 for each mm by which feet pass lower over the ground than CLEARANCE

The search is SciPy's differential evolution from SEED around the present gait; the physics repeats bit
for bit, and so does the search.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import differential_evolution

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import make_control  # noqa: E402

from stride_base.progress_display import Display  # noqa: E402
from stride_bringup.lockstep import LockStep  # noqa: E402
from stride_bringup.stack_options import StackOptions  # noqa: E402
from stride_bringup.walk_figures import walk  # noqa: E402

SEED = 1
SECONDS = 6.0
#: Range that the search keeps to.
BOUNDS = {
    "frequency": (0.6, 1.4),
    "stride": (50.0, 110.0),
    "lift": (20.0, 60.0),
    "outward": (0.0, 40.0),
    "turn": (0.3, 0.6),
    "stance_weight": (1.0, 8.0),
}
FASTEST = 4.0  # rad/s
CLEARANCE = 40.0  # mm


def judge(gait: make_control.Gait, display: Display | None = None) -> float:
    """The score of a gait, see above; NaN-free, and lower than -100 for one that cannot run.

    With a display, which is paused for it, the score is printed with what it is made of.
    """
    document = make_control.document(gait)
    with tempfile.TemporaryDirectory() as folder:
        robot = Path(folder) / "hexapod"
        shutil.copytree(HERE, robot, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        (robot / "control.json").write_text(json.dumps(document), encoding="utf-8")
        options = StackOptions(robot=str(robot))
        straight = walk(SECONDS, 0.0, LockStep(options))
        turning = walk(SECONDS, 1.0, LockStep(options))
    omega = math.tau * gait.frequency
    fastest = max(
        (each["amp1"] + 2 * each["amp2"]) * omega * (1.0 + abs(each["steer_gain"]))
        for each in document["servos"]
    )
    bob = 1e3 * (straight.highest - straight.lowest)
    tilt = math.degrees(max(straight.tilt, turning.tilt))
    turn = abs(math.degrees(straight.turn))
    score = 100 * straight.speed - 50 * straight.drift - turn / 2 - tilt - bob / 2
    score -= 10 * max(0.0, fastest - FASTEST) + max(0.0, CLEARANCE - gait.lift) / 2
    if display is not None:
        turning_rate = math.degrees(turning.turn) / SECONDS
        with display.paused():
            print(
                f"{straight.speed:.3f} m/s, drift {100 * straight.drift:.1f} %, turn {turn:.1f} deg; "
                f"at steering 1: {turning_rate:+.1f} deg/s; tilt {tilt:.1f} deg, "
                f"up and down {bob:.1f} mm: score {score:.2f}"
            )
    return score


def search(free: list[str], evaluations: int, display: Display) -> make_control.Gait:
    """The best gait found, with the other values as they are."""
    present = make_control.load_gait()

    def gait_of(values: np.ndarray) -> make_control.Gait:
        chosen = {name: round(float(v), 2) for name, v in zip(free, values, strict=True)}
        return present._replace(**chosen)

    people = 8
    generations = max(1, evaluations // people - 1)
    total, scores = people * (generations + 1), list[float]()

    def cost(values: np.ndarray) -> float:
        best = f"best score {max(scores):.2f}" if scores else ""
        display("trying gaits", len(scores), total, best)
        scores.append(judge(gait_of(values), display))
        return -scores[-1]

    bounds = [BOUNDS[name] for name in free]
    numbers = np.random.default_rng(SEED)
    here = np.array([getattr(present, name) for name in free])
    spread = 0.15 * np.array([high - low for low, high in bounds])
    first = here + spread * numbers.standard_normal((people, len(free)))
    first[0] = here
    found = differential_evolution(
        cost,
        bounds,
        init=np.clip(first, *np.array(bounds).T),
        maxiter=generations,
        rng=np.random.default_rng(SEED),
        polish=False,
        tol=0.0,
    )
    return gait_of(found.x)


def write(gait: make_control.Gait) -> None:
    """Put the values into gait.yaml, comments as they are, and make control.json."""
    lines = (HERE / "gait.yaml").read_text(encoding="utf-8").splitlines()
    for index, line in enumerate(lines):
        name = line.partition(":")[0]
        if name in gait._fields:
            comment = line.partition("#")[2]
            lines[index] = f"{f'{name}: {getattr(gait, name)}':22}#{comment}"
    (HERE / "gait.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (HERE / "control.json").write_text(make_control.text(), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=0, help="gaits to try; 0: only judge")
    parser.add_argument("--free", nargs="+", choices=BOUNDS, default=["lift", "outward"])
    parser.add_argument("--write", action="store_true", help="write what was found")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    options = parser.parse_args()
    gait = make_control.load_gait()
    display = Display(options.quiet)
    with display:
        if options.evaluations:
            gait = search(options.free, options.evaluations, display)
        with display.paused():
            print(gait)
        display("judging the gait")
        judge(gait, display)
    if options.write:
        write(gait)


if __name__ == "__main__":
    main()
