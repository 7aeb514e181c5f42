"""`stride test`: every test of the repository."""

import subprocess
import sys

import click

from stride_bringup.cli.source_tree import source_root


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def test(pytest_arguments: tuple[str, ...]) -> None:
    """Run all tests, or those that PYTEST_ARGUMENTS select."""
    command = [sys.executable, "-m", "pytest", *pytest_arguments]
    sys.exit(subprocess.run(command, cwd=source_root(), check=False).returncode)
