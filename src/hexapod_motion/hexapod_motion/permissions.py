"""What may be asked for now, and in one sentence why not: the same words for a question and a refusal.

Nothing here changes anything: `Motion` asks before it takes a request, and diagnostics ask for pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hexapod_motion.commands import Commands
from hexapod_motion.engine import Engine
from hexapod_motion.limbs import Fault
from hexapod_motion.measured_pose import MeasuredPose
from hexapod_motion.motion_types import State
from hexapod_motion.sequences import HOME, NONE, Posture
from hexapod_motion.walk_rules import WalkSettings
from hexapod_motion.walker import Walker
from stride_base.errors import RefusedError

#: What `GaitPermissions` says of the gait to walk with.
IN_USE = "in use"


@dataclass(frozen=True)
class Permissions:
    """One moment of a robot. An empty text is a yes, any other the reason of the refusal.

    Args:
        state: What the robot does.
        fault: Why the joints hold, if they do.
        engine, commands, measured: The parts that are asked; none of them is changed.
    """

    state: State
    fault: Fault | None
    engine: Engine
    commands: Commands
    measured: MeasuredPose

    def sequence(self, name: str) -> str:
        """Whether the sequence `name`, or NONE, may be asked for."""
        refusal = self._unready()
        if refusal or (self.state is State.WALK and name == NONE):
            return refusal
        return self.engine.refusal(name)

    def sequences(self) -> dict[str, str]:
        """The answer for every sequence in the book's order, and for NONE."""
        return {name: self.sequence(name) for name in self.engine.names}

    def velocity(self) -> str:
        """Whether a velocity, or steering, other than zero would be taken."""
        return self.walking() or self.commands.refusal()

    def walking(self) -> str:
        """Whether the robot may walk, were it not for the commands of before."""
        if self.state is State.WALK and self.engine.pending:
            return f"{self.engine.pending} is about to start"
        return self._standing()

    def body_pose(self) -> str:
        """Whether a pose other than the standing one would be taken."""
        return "" if self.state is State.WALK else self._standing()

    def can_walk(self) -> bool:
        """Whether walking may begin where a sequence has ended."""
        engine = self.engine
        return engine.idle and not engine.pending and engine.posture is Posture.STANDING

    def _standing(self) -> str:
        unready, engine = self._unready(), self.engine
        if unready or self.state is State.WALK or self.can_walk():
            return unready
        if self.state is State.APPROACH:
            return "the robot is on its way to the floor pose"
        if not engine.idle or engine.pending:
            return f"{engine.current.name} runs; ask for {NONE} first"
        if engine.lost:
            return f"the robot was stopped on the way; ask for the sequence {HOME} first"
        return "the robot lies on the floor; ask for the sequence UP first"

    def _unready(self) -> str:
        if self.fault:
            return str(self.fault)
        if self.state is State.WAITING:
            return f"the pose of {self.measured.unknown} is not known yet"
        return ""


class GaitPermissions:
    """Which gaits the legs could walk with; looked up once for each of the settings.

    Args:
        walker: Whose settings they are.
        names: The gaits.
    """

    def __init__(self, walker: Walker, names: tuple[str, ...]) -> None:
        self._walker, self._names = walker, names
        self._settings: WalkSettings | None = None
        self._answers: dict[str, str] = {}

    def answers(self) -> Mapping[str, str]:
        """Gait -> IN_USE, empty if it may be chosen now, or why the legs cannot walk so."""
        settings = self._walker.settings
        if settings != self._settings:
            self._answers = {name: self._answer(name, settings) for name in self._names}
            self._settings = settings
        return self._answers

    def _answer(self, name: str, settings: WalkSettings) -> str:
        if name == settings.gait:
            return IN_USE
        try:
            self._walker.checked(replace(settings, gait=name))
        except RefusedError as error:
            return str(error)
        return ""
