"""What `stride identify` does: servo models from a recording, or from the running robot."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from servo_inv.identification.excitation import JointLimits
from servo_inv.identification.fit import FitSettings
from servo_inv.identification.identify import Identified, Preparation
from servo_inv.identification.identify import identify as identify_record
from servo_inv.identification.load import PointLoad
from servo_inv.identification.output import file_of, write_models, write_report
from servo_inv.identification.procedure import Plan
from servo_inv.identification.recording_file import read_motion, read_recording, write_recording
from servo_inv.identification.report import report_text
from servo_inv.model_file import read_model_file
from stride_base.errors import RefusedError
from stride_base.progress_display import Display

DEFAULT_KP = FitSettings().kp


@dataclass(frozen=True)
class Options:
    """The options of the command, as click gives them."""

    recording: Path | None
    voltage: float | None
    prior: Path | None
    kp: float | None
    kgear: float | None
    goal_age: float
    smoothing: float
    mass: float | None
    arm: float | None
    level: float
    all_joints: bool
    lower: float
    upper: float
    speed: float
    acceleration: float
    motion: Path | None
    duration: float
    repetitions: int
    seed: int
    record: Path | None
    output: Path | None
    report: Path | None
    picture: Path | None
    push: bool
    namespace: str
    node: str
    quiet: bool = False

    def settings(self, joint: str) -> FitSettings:
        prior = read_model_file(self.prior).of(joint) if self.prior else None
        kp = self.kp if self.kp is not None else prior.kp if prior else DEFAULT_KP
        kgear = self.kgear if self.kgear is not None else prior.kgear if prior else 1.0
        return FitSettings(kp=kp, kgear=kgear, prior=prior)

    def preparation(self) -> Preparation:
        if (self.mass is None) != (self.arm is None):
            raise RefusedError("a load needs both --mass and --arm")
        load = None
        if self.mass is not None and self.arm is not None:
            load = PointLoad(self.mass, self.arm, self.level)
        return Preparation(self.goal_age, self.smoothing, load)

    def plan(self, joint: str) -> Plan:
        return Plan(
            joint,
            JointLimits(self.lower, self.upper, self.speed, self.acceleration),
            read_motion(self.motion) if self.motion else None,
            self.duration,
            self.repetitions,
            self.settings(joint),
            self.preparation(),
            voltage=Plan.voltage if self.voltage is None else self.voltage,
            seed=self.seed,
        )


def run(joints: Sequence[str], options: Options) -> None:
    """Identify, print the reports, hand out the models.

    Raises:
        StrideError: something is wrong with the input, the robot, or a model that came out.
    """
    found = []
    source = _from_robot if options.recording is None else _from_recording
    for identified in source(joints, options):
        click.echo(report_text(identified), nl=False)
        found.append(identified)
    _hand_out(found, options)


def _from_recording(joints: Sequence[str], options: Options) -> Iterator[Identified]:
    assert options.recording is not None
    records = {one.name: one for one in read_recording(options.recording, options.voltage)}
    missing = [joint for joint in joints if joint not in records]
    if missing:
        raise RefusedError(f"{options.recording} has nothing of {', '.join(missing)}")
    display = Display(options.quiet)
    for number, joint in enumerate(chosen := list(joints or records), 1):
        with display as progress:
            progress(f"fitting joint {number} of {len(chosen)}", doing=joint)
            found = identify_record(records[joint], options.settings(joint), options.preparation())
        yield found


def _from_robot(joints: Sequence[str], options: Options) -> Iterator[Identified]:
    from servo_inv.identify_robot import RobotIdentifier
    from servo_inv.ros_context import ros_context

    if bool(joints) == options.all_joints:
        raise RefusedError("name the joints that may be moved, or give --all")
    plans = [options.plan(joint) for joint in joints]
    with ros_context() as context, RobotIdentifier(context, options.namespace) as robot:
        display = Display(options.quiet)
        if not plans:
            with display as progress:
                progress("waiting for readings of the robot")
                plans = [options.plan(joint) for joint in robot.joints()]
        for plan in plans:
            limits = plan.limits
            if not options.quiet:
                way = f"from {limits.lower:g} to {limits.upper:g} rad"
                click.echo(f"moving {plan.joint} {way} ...", err=True)
            with display as progress, _short_turns():
                outcome = robot.identify(plan, progress)
            if options.record:
                write_recording(file_of(options.record, plan.joint, len(plans)), [outcome.record])
            yield outcome.identified


@contextmanager
def _short_turns() -> Iterator[None]:
    """Goals must be out within the cycle of their readings, also while progress is drawn."""
    from stride_base.running import SWITCH_INTERVAL

    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _hand_out(found: Sequence[Identified], options: Options) -> None:
    """Files, and models into the robot; models that do not help go nowhere but into reports."""
    if options.report:
        write_report(options.report, found)
    if options.picture:
        # Matplotlib takes a while to load.
        from servo_inv.identification.picture import draw_report

        with Display(options.quiet) as progress:
            for number, one in enumerate(found):
                progress("drawing", number, len(found), one.name)
                draw_report(one, file_of(options.picture, one.name, len(found)))
    good = [one for one in found if one.helps]
    if options.output and good:
        write_models(options.output, good)
    if options.push and good:
        from servo_inv.ros_context import running_robot

        with running_robot(options.namespace, options.node) as client:
            client.push([one.model for one in good])
        click.echo(f"{options.node} uses new models of {', '.join(one.name for one in good)}")
    bad = [one.name for one in found if not one.helps]
    if bad:
        raise RefusedError(f"models that do not help were not pushed or written: {', '.join(bad)}")
