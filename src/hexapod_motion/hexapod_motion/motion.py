"""The hexapod's motion without ROS: sequences and walking as two sources for one limbs driver.

    waiting --pose known--> approach --on the floor--> sequence <--feet in place, asked--> walk
                               ^                          |                                 |
                               +--DOWN asked-- lost <--reset-- fault <--unreachable---------+

Stepped by the numbers of `sync_step`; time is the number of frames, whatever a clock says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hexapod_motion.approach import Approach
from hexapod_motion.arrays import FloatArray
from hexapod_motion.body_pose import POSE_SIZE
from hexapod_motion.commands import Commands
from hexapod_motion.engine import Answer, Engine
from hexapod_motion.gaits import Gait
from hexapod_motion.geometry import Geometry
from hexapod_motion.joint_frame import JointFrame
from hexapod_motion.kinematics import Kinematics
from hexapod_motion.levelling import Levelling
from hexapod_motion.limbs import Fault, LimbsDriver
from hexapod_motion.measured_pose import MeasuredPose
from hexapod_motion.motion_types import Frame, MotionSettings, State
from hexapod_motion.permissions import GaitPermissions, Permissions
from hexapod_motion.planar import Twist
from hexapod_motion.player import Player
from hexapod_motion.sequences import HOME, NONE, Book, Posture
from hexapod_motion.step_counter import StepCounter
from hexapod_motion.walker import Walker
from stride_base.errors import RefusedError

#: How often a frame is made slower until the joints can follow it.
_ATTEMPTS = 4
#: Changes of the levelling smaller than this are not worth a new pose, rad.
_LEVEL_STEP = 0.002


class Motion:
    """One hexapod.

    Args:
        geometry, book, gaits: The robot, its checked sequences and its gaits.
        settings: How it is moved.

    Raises:
        RefusedError: the legs cannot walk as the settings say.

    Attributes:
        engine, walker, commands, levelling, measured, counter, limbs: The parts.
        gaits: Which gaits may be chosen.
    """

    def __init__(
        self, geometry: Geometry, book: Book, gaits: Mapping[str, Gait], settings: MotionSettings
    ) -> None:
        self.geometry, self.book = geometry, book
        self.dt = 1.0 / settings.rate
        self.approach_speed = settings.approach_speed
        kinematics = Kinematics(geometry)
        self._home = kinematics.inverse(book.home_points).values
        self._frame = JointFrame(geometry)
        self._start_measured = settings.start_measured
        self.measured = MeasuredPose(geometry.joint_names)
        self.counter = StepCounter()
        self.commands = Commands(settings.commands)
        self.levelling = Levelling(settings.levelling)
        self.walker = Walker(geometry, gaits, settings.walk)
        self.gaits = GaitPermissions(self.walker, tuple(gaits))
        self.limbs = LimbsDriver(kinematics, self._home)
        self.engine = Engine(book)
        self.player = Player(self.engine, book.home_points, settings.rate)
        self.player.speed = settings.sequence_speed
        self._wanted_pose: FloatArray = np.zeros(POSE_SIZE)
        self._fault: Fault | None = None
        self._approach: Approach | None = None
        self._state, self._first = State.WAITING, True

    @property
    def state(self) -> State:
        return self._state

    @property
    def fault(self) -> Fault | None:
        """Why the joints hold; None: they do not."""
        return self._fault

    @property
    def posture(self) -> Posture | None:
        """What carries the robot; None on the way between postures, and when it is not known."""
        return Posture.STANDING if self._state is State.WALK else self.engine.posture

    @property
    def permissions(self) -> Permissions:
        """What may be asked for at this moment."""
        return Permissions(self._state, self._fault, self.engine, self.commands, self.measured)

    def allowed(self) -> Mapping[str, str]:
        """Sequence, in the book's order, and NONE -> empty if `select` would accept it now, else the
        reason that it would refuse with. Changes nothing."""
        return self.permissions.sequences()

    def on_joint_states(self, names: Sequence[str], position: Sequence[float]) -> None:
        """Take measured joints; RefusedError if any of ours is wrong, and nothing is used."""
        self.measured.update(names, position)

    def select(self, name: str) -> Answer:
        """Ask for a sequence, or NONE to stop."""
        refusal = self.permissions.sequence(name)
        if refusal:
            return Answer(False, refusal)
        if self._state is State.WALK and name == NONE:
            self.engine.withdraw()
            self.commands.block()
            return Answer(True, "the robot stops, and the feet go back to their places")
        lost = self.engine.lost
        answer = self.engine.request(name)
        if self._state is State.WALK:
            self.commands.drop()
            return Answer(True, f"{name} starts when the feet are in their places")
        if lost and name == HOME:
            self._approach_home()
            return Answer(True, f"the limbs go to the floor pose slowly, then {name}")
        return answer

    def reset_fault(self) -> Answer:
        """Let go of a fault: the joints still hold, and HOME may be asked for."""
        if not self._fault:
            return Answer(False, "there is no fault")
        self._fault, self._state = None, State.SEQUENCE
        return Answer(True, f"the fault is cleared; {HOME} brings the robot to the floor")

    def on_velocity(self, forward: float, left: float, turn: float) -> None:
        """Walk with m/s and rad/s; RefusedError if that cannot be now. Zeros are always taken."""
        self._walk(self.commands.velocity(forward, left, turn))

    def on_steering(self, value: float) -> None:
        """Walk forward, turning; RefusedError if that cannot be now."""
        self._walk(self.commands.steering(value))

    def on_body_pose(self, pose: FloatArray) -> None:
        """Hold the body at (6,) pose (mm and rad, finite); RefusedError if that cannot be now."""
        if self._state is not State.WALK and pose.any():
            _raise_if(self.permissions.body_pose())
            self._start_walking()
        self._wanted_pose = pose

    def step(self, number: int) -> Frame | None:
        """The frame for `sync_step` `number`; None for one seen already, and while waiting."""
        tick = self.counter.take(number)
        if not tick.new:
            return None
        if tick.restarted:
            self._begin()
        self.commands.elapse(tick.elapsed * self.dt)
        if self._state is State.WAITING and not self._start():
            return None
        before = self.limbs.angles
        angles = self._next()
        if isinstance(angles, Fault):
            self._hold(angles)
        else:
            self.limbs.angles = angles
        if self._first:
            # Before the first frame the joints were somewhere, not moving.
            self._first, before = False, self.limbs.angles
        position = self._frame.to_ros(self.limbs.angles)
        return Frame(position, (position - self._frame.to_ros(before)) / self.dt)

    def _begin(self) -> None:
        """Assume nothing."""
        self.measured.forget()
        self.commands.drop()
        self.engine.start_home()
        self.player.drop(self.book.home_points)
        self._wanted_pose = np.zeros(POSE_SIZE)
        self._fault = self._approach = None
        self._state, self._first = State.WAITING, True

    def _start(self) -> bool:
        """Begin with the measured pose, if it is known."""
        if not self._start_measured:
            self.limbs.angles, self._state = self._home, State.SEQUENCE
            return True
        position = self.measured.position
        if position is None:
            return False
        self.limbs.angles = self._frame.from_ros(position)
        self._approach_home()
        return True

    def _approach_home(self) -> None:
        speed = float(np.degrees(self.approach_speed))
        self._approach = Approach(self.limbs.angles, self._home, self.dt, speed)
        self._state = State.APPROACH
        self.engine.start_home()

    def _next(self) -> FloatArray | Fault:
        """Joint angles of the next frame, or why there are none."""
        if self._state is State.FAULT:
            return self.limbs.angles
        if self._state is State.APPROACH:
            assert self._approach is not None
            self._approach.speed = float(np.degrees(self.approach_speed))
            if not self._approach.done:
                return self._approach.step()
            self._state, self._approach = State.SEQUENCE, None
            self.player.drop(self.book.home_points)
        if self._state is State.SEQUENCE:
            if self.commands.twist and self.permissions.can_walk():
                self._start_walking()
            elif self.engine.lost:
                return self.limbs.angles
            else:
                return self.limbs.angles_at(self.player.step(), self._place())
        return self._next_step()

    def _next_step(self) -> FloatArray | Fault:
        """The next frame of walking; slower where the joints could not follow."""
        if self.engine.pending:
            self.walker.park()
            if self.walker.parked:
                self._state = State.SEQUENCE
                self.player.drop(self.geometry.stand)
                return self.limbs.angles_at(self.player.step(), self._place())
        else:
            self.walker.resume()
        self.walker.command(self.commands.twist)
        self._hold_pose()
        time = self.dt
        angles = self.limbs.angles_at(self.walker.step(time), self._place())
        for _ in range(_ATTEMPTS):
            if isinstance(angles, Fault):
                break
            speed = float(np.abs(angles - self.limbs.angles).max()) / self.dt
            if speed <= self.geometry.joint_speed:
                break
            time *= 0.98 * self.geometry.joint_speed / speed
            self.walker.back()
            angles = self.limbs.angles_at(self.walker.step(time), self._place())
        return angles

    def _hold_pose(self) -> None:
        wanted, level = self._wanted_pose, self.levelling
        level.step(float(wanted[3]), float(wanted[4]), self.dt)
        if level.roll or level.pitch:
            steps = np.round(np.array([level.roll, level.pitch]) / _LEVEL_STEP) * _LEVEL_STEP
            wanted = wanted.copy()
            wanted[3:5] += steps
        self.walker.hold_pose(wanted)

    def _start_walking(self) -> None:
        self.walker.take_over(self.player.points)
        self._wanted_pose = np.zeros(POSE_SIZE)
        self._state = State.WALK

    def _walk(self, twist: Twist) -> None:
        if twist:
            _raise_if(self.permissions.walking())
        self.commands.take(twist)

    def _hold(self, fault: Fault) -> None:
        self._fault, self._state = fault, State.FAULT
        self.engine.lose_posture()
        self.commands.drop()
        self.player.drop(self.limbs.points)

    def _place(self) -> str:
        if self._state is State.WALK:
            return f"gait {self.walker.settings.gait}"
        return f"sequence {self.engine.current.name}, iteration {max(self.engine.iteration, 0)}"


def _raise_if(refusal: str) -> None:
    if refusal:
        raise RefusedError(refusal)
