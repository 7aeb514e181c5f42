"""Any requests at any time: only listed transitions, no request lost or early, cycles closed."""

from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hexapod_motion.engine import Engine
from hexapod_motion.geometry import load_geometry
from hexapod_motion.kinematics import Kinematics
from hexapod_motion.player import Player
from hexapod_motion.sequences import NONE, Block, Posture, load_book

ROBOT = Path(__file__).resolve().parents[3] / "config" / "robots" / "hexapod"
BOOK = load_book(ROBOT / "sequences")
GEOMETRY = load_geometry(ROBOT / "geometry.yaml")
KINEMATICS = Kinematics(GEOMETRY)
NAMES = st.sampled_from([*BOOK.sequences, NONE, "UNKNOWN"])
#: More frames than any sequence takes from its begin to its end.
LONGEST = 1500


class EngineMachine(RuleBasedStateMachine):
    """Remembers what was asked for, and compares it with what the engine logs."""

    def __init__(self) -> None:
        super().__init__()
        self.current = ""
        self.wanted = ""
        self.iterations: list[int] = []
        self.main_begin = None
        self.engine = Engine(BOOK, self.on_log)
        self.player = Player(self.engine, BOOK.home_points)

    @initialize()
    def settle(self) -> None:
        self.step(1)
        assert self.engine.idle and self.engine.posture is Posture.FLOOR

    @rule(name=NAMES)
    def request(self, name: str) -> None:
        engine, current = self.engine, self.engine.current
        idle, block = engine.idle, engine.block
        looping = current.looped and not idle and block is not Block.FINALIZE
        goes_on = name == current.name and looping
        answer = engine.request(name)
        assert answer.reason
        assert answer.accepted == (name in current.available)
        if not answer.accepted:
            assert engine.pending == self.wanted
        elif goes_on or (name == NONE and idle):
            self.wanted = ""
        else:
            self.wanted = name
        assert engine.pending == self.wanted

    @rule(frames=st.one_of(st.integers(1, 60), st.integers(1, 600)))
    def step(self, frames: int) -> None:
        for _ in range(frames):
            before = self.player.points
            points = self.player.step()
            assert np.abs(points - before).max() < 20.0

    @rule()
    def wait(self) -> None:
        """Given time, the last request that was taken is what happens."""
        wanted = self.wanted
        for _ in range(LONGEST):
            if self.engine.idle and not self.engine.pending:
                break
            if self.engine.pending == "" and self.engine.block is Block.MAIN:
                break
            self.player.step()
        assert self.wanted == ""
        if wanted == NONE:
            assert self.engine.idle
        elif wanted:
            assert self.engine.current.name == wanted

    @invariant()
    def posture_is_that_of_the_last_sequence(self) -> None:
        if self.engine.idle:
            assert self.engine.posture is self.engine.current.ends
        else:
            assert self.engine.posture is None
        assert not self.engine.lost

    @invariant()
    def limbs_are_in_reach(self) -> None:
        assert KINEMATICS.inverse(self.player.points).all_possible

    def on_log(self, entry: tuple[object, ...]) -> None:
        kind, name = entry[0], str(entry[1])
        if kind == "current":
            self.on_current(name)
        elif kind == "iter":
            self.on_iteration(name, entry[2])
        else:
            assert name == self.current and self.is_finished()
            assert self.wanted in ("", NONE)
            self.wanted = ""

    def on_current(self, name: str) -> None:
        if self.current:
            before = BOOK.sequences[self.current]
            assert name in before.available and before.ends in BOOK.sequences[name].starts
            assert name == self.wanted
            assert self.is_finished()
            self.wanted = ""
        self.current, self.iterations, self.main_begin = name, [], None

    def on_iteration(self, name: str, index: object) -> None:
        assert name == self.current and isinstance(index, int)
        sequence = BOOK.sequences[name]
        looping = sequence.looped and self.iterations[-1:] == [sequence.finalize_begin - 1]
        if looping and index == sequence.main_begin:
            assert not self.wanted
        else:
            assert index == (self.iterations[-1] + 1 if self.iterations else 0)
        if index == sequence.main_begin:
            if self.main_begin is None:
                self.main_begin = self.player.points
            assert np.abs(self.player.points - self.main_begin).max() < 1e-6
        self.iterations.append(index)

    def is_finished(self) -> bool:
        """Whether all blocks of the current sequence have run."""
        return self.iterations[-1:] == [len(BOOK.sequences[self.current].iterations) - 1]


EngineMachine.TestCase.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
TestEngineMachine = EngineMachine.TestCase
