"""A whole robot stepped on virtual time: the same cores, bus, emulated servos and physics as in real
time, without ROS, threads or sleeping. What it does repeats bit for bit.

    motion engine -> effort -> inverse model -> driver session -> bytes -> emulated servos -> MuJoCo
          ^                                          |
          +--------- joint states, sync_step --------+
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gait_controller.controller import DEFAULT_STALL_TORQUE
from hexapod_motion.joint_effort import load_joint_effort
from servo_inv.goal_model import GoalModel, PositionModel
from servo_inv.inverse_servo import InverseServo
from servo_inv.joint_message import read_joints
from servo_inv.seven_param import SevenParamModel, Surroundings
from servo_inv.seven_param_settings import model_list
from servo_inv.timing import Timing
from servo_sim.robot_plant import RobotPlant, Truth
from servo_sim.simulated_bus import build_simulated_bus
from stride_base.errors import ConfigError
from stride_base.progress import Progress, silent
from stride_bringup.motion_cores import MOTION_CORES, Parameters, number
from stride_bringup.node_kinds import DRIVER, EFFORT
from stride_bringup.stack import Stack, build_stack
from stride_bringup.stack_options import OWNER, StackOptions
from sts3215_driver import servo_table
from sts3215_driver.bus_thread import READ_SHARE
from sts3215_driver.cycle_plan import SyncPhase
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.commands import Commands
from sts3215_driver.emulator.servo_file import load_joints
from sts3215_driver.feedback import Feedback
from sts3215_driver.goals import GoalMerger, GoalSet
from sts3215_driver.session import Session, SessionSettings
from sts3215_driver.transport.memory import MemoryTransport

#: Between two messages of `battery_state`, as the driver sends them, s.
BATTERY_PERIOD = 0.5


def _seven_param(parameters: Parameters) -> SevenParamModel:
    return SevenParamModel(
        model_list("servo_inv_7param", parameters, str(parameters["model_file"])),
        Surroundings(
            number(parameters, "battery_voltage", 7.4),
            number(parameters, "velocity_dead_zone", 0.001),
        ),
        parameters.get("missing_model") == "skip",
    )


#: Inverse models that can be stepped, by the names of the stack.
MODEL_CORES: dict[str, Callable[[Parameters], GoalModel]] = {
    "servo_inv_lead": lambda _parameters: PositionModel(),
    "servo_inv_7param": _seven_param,
}


class LockStep:
    """A robot of config/robots in the simulator, stepped cycle by cycle.

    Args:
        options: As for `stride up`; port and namespace do not matter.
        model: MJCF; robot.xml of the robot's folder if left out.
        setup: Further choices for the servos, fields of `Setup`.

    Raises:
        StrideError: as `build_stack` and `build_simulated_bus`.
    """

    def __init__(
        self,
        options: StackOptions | None = None,
        model: Path | None = None,
        **setup: Any,
    ) -> None:
        self.stack: Stack = build_stack(options or StackOptions())
        robot, rate = self.stack.robot, self.stack.rate
        parameters = {node.name: node.parameters for node in self.stack.nodes}
        motion, inverse, driver = self.stack.options.motion, self.stack.options.inverse, DRIVER
        _known("motion", motion, MOTION_CORES)
        _known("inverse", inverse, MODEL_CORES)
        self.motion = MOTION_CORES[motion](robot, rate, parameters[motion])
        timing = Timing(
            1.0 / rate,
            number(parameters[inverse], "lead", 0.0),
            number(parameters[inverse], "latency", 0.0),
        )
        goals = MODEL_CORES[inverse](parameters[inverse])
        self.inverse = InverseServo(goals, timing)
        self._surroundings = goals.surroundings if isinstance(goals, SevenParamModel) else None
        self._battery_due = 0.0
        self._effort = load_joint_effort(robot.folder) if EFFORT in parameters else None
        self._stall_torque = number(parameters[driver], "stall_torque", DEFAULT_STALL_TORQUE)
        simulated = build_simulated_bus(
            Setup(joints=load_joints(robot.control_file), **setup),
            model or robot.model_file,
        )
        self.robot: RobotPlant = simulated.robot
        self.bus = simulated.bus
        self._commands = Commands(simulated.bus)
        self._servos = servo_table.load(robot.control_file)
        self._merger = GoalMerger(self._servos)
        self._transport = MemoryTransport(simulated.bus)
        self.session = Session(
            self._servos, lambda: self._transport, _session_settings(rate, parameters[driver])
        )
        self._goals: GoalSet | None = None
        self.cycle = 0
        self._deadline = 0.0

    @property
    def period(self) -> float:
        """Of a cycle, s."""
        return 1.0 / self.stack.rate

    @property
    def time(self) -> float:
        """Virtual time, s."""
        return self._transport.clock.now()

    @property
    def truth(self) -> Truth:
        """Where the robot really is."""
        return self.robot.truth()

    def start(self) -> None:
        """Look at the servos, torque on; raises StartError as the driver does."""
        self.session.connect()
        self.session.torque_on()
        self._deadline = self.time + self.period

    def steer(self, command: float) -> None:
        """What a message on `steering` does."""
        self.motion.engine.on_steering(command)

    def do(self, command: str) -> Any:
        """A command of the emulator's control socket; AssertionError with its words if refused."""
        answer = self._commands.execute(command, self.time)
        assert answer["ok"], answer["error"]
        return answer["result"]

    def run(self, seconds: float, progress: Progress = silent) -> None:
        """Whole cycles for about `seconds`; `progress` is told of them in s."""
        for done in range(round(seconds / self.period)):
            progress("simulating", done * self.period, seconds)
            self.step()

    def step(self) -> Feedback:
        """One cycle on the grid: the newest goals out, feedback in, the next frame computed."""
        cycle, clock, period = self.session.cycle, self._transport.clock, self.period
        clock.sleep_until(self._deadline)
        self.cycle += 1
        cycle.write(self._goals, clock.now())
        if cycle.plan.phase is SyncPhase.AFTER_WRITE:
            self._tick()
        feedback = cycle.read(self._deadline + READ_SHARE * period)
        if cycle.plan.phase is SyncPhase.AFTER_READ:
            self._tick()
        self._tell(feedback)
        self._deadline += period
        return feedback

    def _tick(self) -> None:
        """`sync_step` for everyone, and what follows from it up to the goals."""
        self.inverse.on_step(self.cycle)
        frame = self.motion.engine.on_step(self.cycle)
        if frame is None:
            return
        names = self.motion.names
        joints = read_joints(
            names,
            frame.position,  # type: ignore[arg-type]
            frame.velocity,  # type: ignore[arg-type]
            self._effort.of(names, frame.position) if self._effort else (),  # type: ignore[arg-type]
            known=self.inverse.joints,
        )
        goals = self.inverse.on_joints(joints)
        self._goals = self._merger.merge(
            goals.names,
            goals.position,  # type: ignore[arg-type]
            goals.duration,  # type: ignore[arg-type]
            goals.velocity,  # type: ignore[arg-type]
            self.time,
        )

    def _tell(self, feedback: Feedback) -> None:
        """`battery_state`, and `joint_states`: those joints that were read in this cycle."""
        if self._surroundings and self.time >= self._battery_due and feedback.supply > 0.0:
            self._surroundings.voltage = feedback.supply
            self._battery_due = self.time + BATTERY_PERIOD
        fresh = feedback.fresh
        names = self._servos.names
        if not fresh.all():
            names = tuple(name for name, ok in zip(names, fresh, strict=True) if ok)
        if names:
            self.motion.engine.on_joint_states(
                list(names),
                feedback.position[fresh],
                feedback.velocity[fresh],
                feedback.load[fresh] * self._stall_torque,
            )


def _known(option: str, value: str, known: Mapping[str, object]) -> None:
    if value not in known:
        expected = f"one of {', '.join(known)}, which run in lock-step"
        raise ConfigError(OWNER, "", option, value, expected)


def _session_settings(rate: float, parameters: Parameters) -> SessionSettings:
    """What the driver node makes of its parameters."""
    settings = SessionSettings(rate=rate)
    return SessionSettings(
        rate=rate,
        baud=int(parameters.get("baud_rate", settings.baud)),
        latency=number(parameters, "latency", settings.latency),
        echo=str(parameters.get("echo", settings.echo)),
        feedback=str(parameters.get("feedback", settings.feedback)),
        sync_phase=str(parameters.get("sync_phase", settings.sync_phase)),
        catch_up_speed=number(parameters, "catch_up_speed", settings.catch_up_speed),
        command_timeout=number(parameters, "command_timeout", settings.command_timeout),
    )
