"""`stride test`: every test of the repository."""

import subprocess
import sys

import click

from stride_base.progress_display import quiet_option
from stride_bringup.cli.source_tree import source_root


@click.command(context_settings={"ignore_unknown_options": True})
@quiet_option
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def test(quiet: bool, pytest_arguments: tuple[str, ...]) -> None:
    """Run all tests, or those that PYTEST_ARGUMENTS select.

    How far they are is pytest's own to show.
    """
    command = [sys.executable, "-m", "pytest", *(["--quiet"] if quiet else []), *pytest_arguments]
    sys.exit(subprocess.run(command, cwd=source_root(), check=False).returncode)
