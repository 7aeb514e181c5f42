"""`stride check-code`: the linters and type checks that continuous integration runs."""

import subprocess
import sys

import click

from stride_base.progress_display import quiet_option
from stride_bringup.cli.source_tree import source_root

COMMANDS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
)


@click.command("check-code")
@quiet_option
def check_code(quiet: bool) -> None:
    """Run ruff and mypy over the repository."""
    root = source_root()
    failed = 0
    for command in COMMANDS:
        if not quiet:
            click.echo(f"$ {' '.join(command)}", err=True)
        failed |= subprocess.run([sys.executable, "-m", *command], cwd=root, check=False).returncode
    sys.exit(failed)
