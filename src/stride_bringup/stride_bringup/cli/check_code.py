"""`stride check-code`: the linters and type checks that continuous integration runs."""

import subprocess
import sys

import click

from stride_bringup.cli.source_tree import source_root

COMMANDS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
)


@click.command("check-code")
def check_code() -> None:
    """Run ruff and mypy over the repository."""
    root = source_root()
    failed = 0
    for command in COMMANDS:
        click.echo(f"$ {' '.join(command)}", err=True)
        failed |= subprocess.run([sys.executable, "-m", *command], cwd=root, check=False).returncode
    sys.exit(failed)
