"""A Ctrl-C while a program imports is the end of it, and no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


def run(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    (folder / "slow.py").write_text(body)
    return subprocess.run(
        [sys.executable, "-c", "from stride_base.program import program; program('slow:main')()"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"},
    )


def test_a_signal_during_the_imports_ends_the_process_without_a_word(tmp_path: Path) -> None:
    ended = run(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nmain = print\n")
    assert ended.returncode == -signal.SIGINT
    assert (ended.stdout, ended.stderr) == ("", "")


def test_afterwards_the_program_has_its_own_say(tmp_path: Path) -> None:
    body = (
        "import os, signal\n"
        "def main():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    except KeyboardInterrupt:\n"
        "        print('undone')\n"
    )
    ended = run(tmp_path, body)
    assert (ended.returncode, ended.stdout) == (0, "undone\n")


NODES = sorted(Path(__file__).resolve().parents[2].glob("*/*/*_node.py"))


@pytest.mark.parametrize("file", NODES, ids=[file.stem for file in NODES])
def test_a_node_file_with_a_main_runs_it_as_a_program(file: Path) -> None:
    text = file.read_text()
    if "\ndef main(" in text:
        assert text.endswith('\n\nif __name__ == "__main__":\n    main()\n')


SETUPS = sorted(Path(__file__).resolve().parents[2].glob("*/setup.py"))


@pytest.mark.parametrize("file", SETUPS, ids=[file.parent.name for file in SETUPS])
def test_no_entry_point_imports_a_node_before_it_can_be_ended(file: Path) -> None:
    assert "_node:main" not in file.read_text()
