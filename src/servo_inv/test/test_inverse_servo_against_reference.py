"""Any interleaving of ticks and messages, against a model that searches the whole log each time."""

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servo_inv.goal_model import PositionModel
from servo_inv.inverse_servo import InverseServo
from servo_inv.joint_message import read_joints
from servo_inv.timing import Timing
from stride_base.errors import RefusedError

Joints: TypeAlias = dict[str, float]


@dataclass
class Reference:
    """Keeps every message with its moment, and looks back for each new one.

    A moment is (life of the driver and of the joints, cycle within it).
    """

    period: float
    lead: float
    life: int = 0
    cycle: int = 0
    number: int | None = None
    log: list[tuple[int, int, Joints]] = field(default_factory=list)

    def tick(self, number: int) -> None:
        if self.number is None:
            self.cycle += 1
        elif number < self.number:
            self.life += 1
        else:
            self.cycle += number - self.number
        self.number = number

    def goals(self, joints: Joints) -> Joints:
        if self.log and list(self.log[-1][2]) != list(joints):
            self.life += 1
        if self.number is None:
            self.cycle += 1
        older = [
            (cycle, values)
            for life, cycle, values in self.log
            if life == self.life and cycle < self.cycle
        ]
        self.log.append((self.life, self.cycle, joints))
        if not older:
            return joints
        cycle, before = older[-1]
        out = {}
        for name, q in joints.items():
            if math.isnan(q) or math.isnan(before[name]):
                out[name] = q
            else:
                speed = (q - before[name]) / (self.period * (self.cycle - cycle))
                out[name] = q + speed * self.lead
        return out


POSITIONS = st.floats(-10.0, 10.0) | st.just(math.nan)
MESSAGES = st.permutations(["a", "b", "c"]).flatmap(
    lambda names: st.builds(
        lambda count, positions: dict(zip(names[:count], positions, strict=False)),
        st.sampled_from([3, 3, 3, 2]),
        st.lists(POSITIONS, min_size=3, max_size=3),
    )
)
SAME_JOINTS = st.lists(POSITIONS, min_size=3, max_size=3).map(
    lambda positions: dict(zip("abc", positions, strict=True))
)
TICKS = st.integers(0, 12)
EVENTS = st.lists(
    SAME_JOINTS | TICKS | st.just("next tick") | MESSAGES | st.just("bad"), max_size=40
)


@settings(max_examples=300, deadline=None)
@given(EVENTS, st.floats(0.001, 0.1), st.floats(0.0, 0.2))
def test_goals_are_those_of_the_reference_for_any_interleaving(
    events: list[Joints | int | str], period: float, lead: float
) -> None:
    servo, reference = InverseServo(PositionModel(), Timing(period, lead)), Reference(period, lead)
    for event in events:
        if event == "bad":
            names, position = servo.joints or ("a",), [math.inf]
            with pytest.raises(RefusedError):
                read_joints(names, position * len(names), [], [], servo.joints)
        elif isinstance(event, dict):
            command = read_joints(
                list(event), list(event.values()), [0.5] * len(event), [], servo.joints
            )
            goals = servo.on_joints(command)
            expected = reference.goals(event)
            assert goals.names == tuple(event)
            assert goals.position == pytest.approx(
                list(expected.values()), nan_ok=True, rel=1e-9, abs=1e-9
            )
            wheels = [0.5 if math.isnan(q) else math.nan for q in event.values()]
            assert goals.velocity == pytest.approx(wheels, nan_ok=True)
            assert goals.duration == pytest.approx([lead + period] * len(event))
        else:
            number = event if isinstance(event, int) else (reference.number or 0) + 1
            servo.on_step(number)
            reference.tick(number)
