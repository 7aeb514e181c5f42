"""`stride check-code`: the linters and type checks that continuous integration runs."""

import os
import subprocess
import sys

import click

COMMANDS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
)


@click.command("check-code")
def check_code() -> None:
    """Run ruff and mypy over the repository."""
    root = os.environ["STRIDE_ROOT"]
    failed = 0
    for command in COMMANDS:
        click.echo(f"$ {' '.join(command)}", err=True)
        failed |= subprocess.run([sys.executable, "-m", *command], cwd=root, check=False).returncode
    sys.exit(failed)
