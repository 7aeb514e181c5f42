"""What an inverse component reports of itself in `/diagnostics`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from servo_inv.model_list import ModelList
from stride_base.diagnostics import Level, Report


@dataclass(frozen=True)
class Counts:
    """What happened since the start.

    Args:
        joints: Number of joints of the last message.
        messages: Messages answered with goals.
        joint_changes: How often number, order or names of the joints changed.
        ticks: Cycles that `sync_step` marked.
        missed_ticks: Numbers that `sync_step` jumped over.
        silent_cycles: Cycles without a message, since the first one.
        restarts: How often `sync_step` went back.
    """

    joints: int = 0
    messages: int = 0
    joint_changes: int = 0
    ticks: int = 0
    missed_ticks: int = 0
    silent_cycles: int = 0
    restarts: int = 0


def report(now: Counts, before: Counts) -> Report:
    """The state at `now`; it warns of what went wrong since the report `before`."""
    answered = now.messages - before.messages
    problems = []
    if now.joint_changes > before.joint_changes:
        problems.append(f"joints changed {now.joint_changes - before.joint_changes} times")
    if now.missed_ticks > before.missed_ticks:
        problems.append(f"sync_step missed {now.missed_ticks - before.missed_ticks} cycles")
    if now.restarts > before.restarts:
        problems.append("sync_step started again")
    if now.ticks and now.ticks == before.ticks and answered > 1:
        problems.append(f"sync_step has stopped: {answered} messages count as one cycle")
    if problems:
        return Report("", Level.WARN, "; ".join(problems), asdict(now))
    return Report("", Level.OK, "running" if answered else "no joints_fixed", asdict(now))


def model_report(models: ModelList, joints: tuple[str, ...]) -> Report:
    """How models and joints match; a warning where joints have none."""
    missing, unused = models.missing(joints), models.unused(joints)
    values: dict[str, object] = {
        "models": len(models),
        "default": "yes" if models.default else "no",
        "missing": ", ".join(missing),
        "unused": ", ".join(unused),
    }
    if missing:
        return Report("models", Level.WARN, f"{len(missing)} joints have no servo model", values)
    return Report("models", Level.OK, "each joint has one" if joints else "no joints yet", values)
