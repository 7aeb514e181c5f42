"""Lock-step itself: what it is given, what it refuses, and that it is the stack of `stride up`."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from stride_base.errors import ConfigError
from stride_bringup import lockstep
from stride_bringup.lockstep import LockStep
from stride_bringup.stack_options import StackOptions
from stride_bringup.walk_figures import measure
from sts3215_driver.cycle_plan import SyncPhase

#: Two joints of the hexapod's file are not enough; a model of one's own has them all.
LEGLESS = """<mujoco><worldbody><body pos="0 0 0.1"><freejoint/><geom size="0.05"/>{joints}</body>
  </worldbody></mujoco>"""


def test_events_come_in_the_drivers_order_at_any_rate() -> None:
    assert LockStep().stack.rate == 50.0
    fast = LockStep(StackOptions(rate=150.0))
    fast.start()
    assert fast.session.cycle.plan.phase is SyncPhase.AFTER_WRITE
    begin = fast.time
    fast.run(1.0)
    assert fast.cycle == 150
    assert fast.time - begin == pytest.approx(1.0, abs=0.01)
    assert fast.session.cycle.counts.cycles == 150


def test_goals_of_one_cycle_are_on_the_bus_in_the_next() -> None:
    robot = LockStep()
    robot.start()
    robot.run(1.0)
    frames = robot.inverse
    written = robot.session.cycle.written.number
    robot.step()
    assert robot.session.cycle.written.number == written + 1
    assert frames.joints == robot.motion.names


def test_what_cannot_be_stepped_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockstep, "MODEL_CORES", {})
    with pytest.raises(ConfigError, match=r"'inverse' is 'servo_inv_lead'.*run in lock-step"):
        LockStep()


def test_a_model_of_ones_own_is_driven_by_the_same_servos(tmp_path: Path) -> None:
    names = LockStep().motion.names
    joints = "".join(
        f'<body pos="0 {0.02 * i} 0"><joint name="{name}" axis="0 1 0"/><geom size="0.005" '
        f'contype="0" conaffinity="0"/></body>'
        for i, name in enumerate(names)
    )
    path = tmp_path / "mine.xml"
    path.write_text(LEGLESS.format(joints=joints))
    robot = LockStep(model=path)
    robot.start()
    robot.run(5.0)
    moved = np.ptp([robot.step().position for _ in range(50)], axis=0)
    assert (moved > math.radians(1.0)).any()


def test_a_push_throws_it_off_its_way_but_not_over() -> None:
    robot = LockStep()
    robot.start()
    robot.run(5.0)
    robot.robot.push((0.0, 25.0, 0.0), (0.0, 0.0, 0.0), 0.2)
    figures = measure(robot, 3.0)
    assert figures.left > 0.01
    assert figures.tilt < math.radians(20.0)
    assert figures.speed > 0.1


def test_it_walks_up_a_slope_and_with_a_load() -> None:
    robot = LockStep()
    robot.start()
    robot.run(5.0)
    robot.robot.tilt(0.0, math.radians(-5.0))
    robot.robot.carry(0.5)
    figures = measure(robot, 5.0)
    assert figures.speed > 0.08
    assert figures.lowest > 0.06


def test_progress_is_told_in_virtual_time() -> None:
    told: list[tuple[object, ...]] = []
    robot = LockStep()
    robot.start()
    robot.run(0.1, lambda *words: told.append(words))
    assert told == [("simulating", pytest.approx(0.02 * cycle), 0.1) for cycle in range(5)]
    told.clear()
    measure(robot, 0.04, lambda *words: told.append(words))
    assert told == [("simulating", 0.0, 0.04), ("simulating", pytest.approx(0.02), 0.04)]
