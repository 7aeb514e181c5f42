"""`stride test`: every test of the repository."""

import os
import subprocess
import sys

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def test(pytest_arguments: tuple[str, ...]) -> None:
    """Run all tests, or those that PYTEST_ARGUMENTS select."""
    root = os.environ["STRIDE_ROOT"]
    command = [sys.executable, "-m", "pytest", *pytest_arguments]
    sys.exit(subprocess.run(command, cwd=root, check=False).returncode)
