"""`stride bench`: the benchmarks of the repository."""

import subprocess
import sys
from pathlib import Path

import click

from stride_bringup.cli.source_tree import source_root


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def bench(name: str | None, arguments: tuple[str, ...]) -> None:
    """Run benchmark NAME with ARGUMENTS, or list all."""
    folder = Path(source_root()) / "benchmarks"
    known = {file.stem: file for file in sorted(folder.glob("*.py"))}
    if name is None:
        click.echo("\n".join(known))
        return
    if name not in known:
        raise click.BadParameter(f"{name!r}; there are {', '.join(known)}", param_hint="NAME")
    sys.exit(subprocess.run([sys.executable, str(known[name]), *arguments], check=False).returncode)
