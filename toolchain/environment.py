"""The Python environment `.venv`: with ROS 2 wheels, or on top of a sourced ROS 2.

It is redone only when its inputs changed: the pinned versions, the interpreter, or the ROS 2 used.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from system import SetupError, run, say
from versions import VERSIONS_FILE, distributions, requirements

# The wheels' CMake files name folders of the machine that built them.
FOREIGN_INCLUDE = "/opt/python/"


@dataclass(frozen=True)
class Environment:
    """`.venv` below `root`. `sourced`: prefix list of a sourced ROS 2, or empty for wheels."""

    root: Path
    distribution: str
    sourced: str

    @staticmethod
    def choose(root: Path) -> "Environment":
        """A sourced ROS 2 if there is one, else the wheels named by STRIDE_ROS (default jazzy)."""
        sourced = _sourced_prefixes(root)
        if sourced:
            return Environment(root, os.environ["ROS_DISTRO"], sourced)
        distribution = os.environ.get("STRIDE_ROS", "jazzy")
        if distribution not in distributions():
            known = " or ".join(distributions())
            raise SetupError(f"STRIDE_ROS is {distribution!r}; expected {known}")
        return Environment(root, distribution, "")

    @property
    def folder(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def log(self) -> Path:
        return self.root / "log" / "setup.log"

    def fingerprint(self) -> str:
        """Changes exactly when the environment must be made anew."""
        inputs = [
            VERSIONS_FILE.read_text(),
            Path(__file__).read_text(),
            sys.version,
            self.distribution,
            self.sourced,
            str(self.folder),
        ]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()

    def is_ready(self) -> bool:
        stamp = self.folder / "stride-stamp"
        return stamp.exists() and stamp.read_text() == self.fingerprint()

    def prepare(self) -> None:
        """Create `.venv` and install the pinned versions into it."""
        if self.is_ready():
            return
        started = time.monotonic()
        source = f"sourced ROS 2 {self.distribution}" if self.sourced else "ROS 2 wheels"
        say(f"first set-up with {source} ({self.distribution}), about a minute ...")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.log.unlink(missing_ok=True)
        base = ["--system-site-packages"] if self.sourced else []
        run([sys.executable, "-m", "venv", *base, str(self.folder)], "creating .venv", self.log)
        wanted = requirements("python") + requirements("build") + requirements("test")
        if self.sourced:
            # Messages of the sourced ROS 2 are compiled against its own numpy.
            wanted = [line for line in wanted if not line.startswith("numpy==")]
        else:
            wanted += requirements(f"ros.{self.distribution}")
        pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, *wanted], "installing packages", self.log)
        if not self.sourced:
            self._repair_cmake_files()
        (self.folder / "stride-stamp").write_text(self.fingerprint())
        say(f"environment ready after {time.monotonic() - started:.0f} s")

    def variables(self) -> dict[str, str]:
        """Environment variables in which to build the workspace."""
        variables = dict(os.environ)
        variables["PATH"] = f"{self.folder / 'bin'}{os.pathsep}{variables.get('PATH', '')}"
        variables["VIRTUAL_ENV"] = str(self.folder)
        variables.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        variables["PYTHONUNBUFFERED"] = "1"
        if self.sourced:
            variables["AMENT_PREFIX_PATH"] = self.sourced
        else:
            variables["AMENT_PREFIX_PATH"] = str(self.folder)
            variables["CMAKE_PREFIX_PATH"] = str(self.folder)
            variables["ROS_DISTRO"] = self.distribution
            variables["ROS_VERSION"] = "2"
            variables["RMW_IMPLEMENTATION"] = "rmw_fastrtps_cpp"
            # PYTHONPATH of another ROS 2 would shadow the wheels.
            variables.pop("PYTHONPATH", None)
        return variables

    def _repair_cmake_files(self) -> None:
        script = (
            "import sysconfig, numpy; print(sysconfig.get_paths()['include']);"
            "print(numpy.get_include())"
        )
        out = subprocess.run(
            [str(self.python), "-c", script], capture_output=True, text=True, check=True
        )
        python_include, numpy_include = out.stdout.splitlines()
        for file in (self.folder / "share").rglob("*.cmake"):
            text = file.read_text(errors="surrogateescape")
            if FOREIGN_INCLUDE not in text:
                continue
            file.write_text(
                _replace_foreign(text, python_include, numpy_include), errors="surrogateescape"
            )


def _replace_foreign(text: str, python_include: str, numpy_include: str) -> str:
    """`text` with the wheel builder's include folders replaced by those of this environment."""
    text = re.sub(rf'{FOREIGN_INCLUDE}[^;"\s]*?/numpy/_?core/include', numpy_include, text)
    return re.sub(rf'{FOREIGN_INCLUDE}[^;"\s]*?/include/python[0-9.]+', python_include, text)


def _sourced_prefixes(root: Path) -> str:
    """AMENT_PREFIX_PATH of a sourced ROS 2 that has rclpy, without this workspace; else ''."""
    if not os.environ.get("ROS_DISTRO"):
        return ""
    here = str(root) + os.sep
    prefixes = [
        prefix
        for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        if prefix and not prefix.startswith(here)
    ]
    found = any((Path(prefix) / "share" / "rclpy").is_dir() for prefix in prefixes)
    return os.pathsep.join(prefixes) if found else ""
