"""`stride restore`: settings from a file back into servos."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stride_base.progress_display import Display, quiet_option
from sts3215_driver.cli.options import Attempts, bus_options, choose_port

if TYPE_CHECKING:
    from sts3215_driver.tools.dump_file import SavedServo
    from sts3215_driver.tools.restore import RestorePlan


@click.command(short_help="Bring saved settings back into servos.")
@click.argument("file", type=click.Path())
@click.argument("ids", required=False)
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.option("--onto", type=int, help="Put the one chosen servo's settings into servo ONTO.")
@click.option("--identity", is_flag=True, help="Id and baud rate as well.")
@click.option("--force", is_flag=True, help="Onto another model all the same.")
@bus_options
@quiet_option
def restore(
    file: str,
    ids: str | None,
    dry_run: bool,
    onto: int | None,
    identity: bool,
    force: bool,
    port: str,
    baud: int,
    echo: str,
    quiet: bool,
) -> None:
    """Bring settings that `stride dump` saved in FILE back into servos IDS (all in the file).

    Only known registers, only what differs, each one read back; id and rate only with --identity.
    """
    from sts3215_driver.tools import restore as tool
    from sts3215_driver.tools.dump_file import load
    from sts3215_driver.tools.open_port import open_bus
    from sts3215_driver.tools.servo_facts import read_facts

    pairs = _pairs(load(file), ids, onto)
    chosen = choose_port(port, [target for _, target in pairs], baud, quiet)
    attempts, display = Attempts(), Display(quiet)
    for number, (saved, target) in enumerate(pairs):
        with attempts.at(target), display:
            display("restoring servos", number, len(pairs), str(target))
            bus = open_bus(chosen, baud, echo)
            try:
                plan = tool.plan(saved, read_facts(bus, target), force)
                with display.paused():
                    _show(plan)
                if not dry_run:
                    tool.apply(bus, plan)
            finally:
                bus.transport.close()
            with display.paused():
                for change in plan.identity:
                    click.echo(f"  {change}" + ("" if identity else "  (only with --identity)"))
            if plan.identity and identity and not dry_run:
                tool.apply_identity(lambda at: open_bus(chosen, at, echo), plan, baud)
    click.echo("nothing was written (--dry-run)" if dry_run else "done")
    attempts.conclude()


def _show(plan: RestorePlan) -> None:
    lines = [str(change) for change in plan.changes]
    lines += [f"left alone: {reason}" for reason in plan.skipped]
    click.echo(f"servo {plan.facts.id}: " + ("" if lines else "nothing differs"))
    click.echo("".join(f"  {line}\n" for line in lines), nl=False)


def _pairs(
    servos: list[SavedServo], ids: str | None, onto: int | None
) -> list[tuple[SavedServo, int]]:
    """Saved servos and the ids that they go to."""
    from stride_base.errors import RefusedError
    from sts3215_driver.tools.id_lists import parse_ids

    known = {saved.id: saved for saved in servos}
    wanted = parse_ids(ids) if ids else list(known)
    absent = [str(servo_id) for servo_id in wanted if servo_id not in known]
    if absent:
        raise RefusedError(f"the file has no servo {', '.join(absent)}")
    if onto is not None and len(wanted) != 1:
        raise RefusedError("--onto needs exactly one id, whose settings it takes")
    return [(known[each], each if onto is None else onto) for each in wanted]
