"""The Python environment `.venv`: with ROS 2 wheels, or on top of a sourced ROS 2.

It is redone only when its inputs changed: the pinned versions, the interpreter, or the ROS 2 used.
"""

import hashlib
import json
import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from setup_progress import PipWatch, Steps, Watch
from system import SetupError, output, remove, run
from versions import VERSIONS_FILE, distributions, requirements

# The wheels' CMake files name folders of the machine that built them.
FOREIGN_INCLUDE = "/opt/python/"
# Variables that hold lists of folders, and that a ROS 2 or this workspace adds to.
SEARCH_PATHS = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH")
NEWEST_WHEEL_PYTHON = (3, 14)
#: Steps of the set-up.
CREATE, COLLECT, INSTALL = "creating .venv", "downloading packages", "installing packages"


@dataclass(frozen=True)
class Environment:
    """`.venv` below `root`. `sourced`: prefix list of a sourced ROS 2, or empty for wheels."""

    root: Path
    distribution: str
    sourced: str

    @staticmethod
    def choose(root: Path) -> "Environment":
        """The wheels that STRIDE_ROS names, else a sourced ROS 2, else jazzy wheels."""
        wanted = os.environ.get("STRIDE_ROS", "")
        sourced = sourced_prefixes(root)
        if sourced and not wanted:
            return Environment(root, os.environ["ROS_DISTRO"], sourced)
        if wanted and wanted not in distributions():
            known = " or ".join(distributions())
            raise SetupError(f"STRIDE_ROS is {wanted!r}; expected {known}")
        return Environment(root, wanted or "jazzy", "")

    @property
    def folder(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def stamp(self) -> Path:
        return self.folder / "stride-stamp"

    @property
    def log(self) -> Path:
        return self.root / "log" / "setup.log"

    def fingerprint(self) -> str:
        """Changes exactly when the environment must be made anew."""
        inputs = [
            VERSIONS_FILE.read_text(),
            Path(__file__).read_text(),
            sys.version,
            sys.base_prefix,
            self.distribution,
            self.sourced,
            str(self.folder),
        ]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()

    def is_ready(self) -> bool:
        complete = self.python.exists() and self.stamp.exists()
        return complete and self.stamp.read_text() == self.fingerprint()

    def steps(self) -> list[str]:
        """What `prepare` will do."""
        return [] if self.is_ready() else [CREATE, COLLECT, INSTALL]

    def prepare(self, steps: Steps) -> None:
        """Create `.venv` and install the pinned versions into it."""
        if self.is_ready():
            return
        if not self.sourced:
            check_wheels()
        source = "sourced ROS 2" if self.sourced else "ROS 2 wheels"
        steps.say(f"set-up with {source} ({self.distribution}), once; {self.log} has what it does")
        steps.begin(CREATE)
        remove(self.folder, self.stamp)
        self.log.unlink(missing_ok=True)
        base = ["--system-site-packages"] if self.sourced else []
        run(
            [sys.executable, "-m", "venv", *base, str(self.folder)],
            "creating .venv",
            self.log,
            watch=Watch(steps),
        )
        if self.sourced:
            output(
                [str(self.python), "-c", "import rclpy"],
                f"import of rclpy of the sourced ROS 2 {self.distribution} into python3 "
                f"{platform.python_version()} ({sys.executable})",
            )
        wanted = requirements("python") + requirements("build") + requirements("test")
        if self.sourced:
            # Messages of the sourced ROS 2 are compiled against its own numpy.
            wanted = [line for line in wanted if not line.startswith("numpy==")]
        else:
            wanted += requirements(f"ros.{self.distribution}")
        pip = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check"]
        pip += ["--progress-bar", "off"]
        steps.begin(COLLECT)
        watch = PipWatch(steps, INSTALL, self.folder)
        run([*pip, *wanted], "installing packages", self.log, watch=watch)
        if not self.sourced:
            self._repair_cmake_files()
        self.stamp.write_text(self.fingerprint())

    def variables(self) -> dict[str, str]:
        """Environment variables in which to build the workspace."""
        variables = dict(os.environ)
        for name in SEARCH_PATHS:
            if name in variables:
                # What an earlier `source install/setup.bash` added, the workspace adds again.
                variables[name] = without(variables[name], [str(self.root)])
        path = [str(self.folder / "bin"), variables.get("PATH", "")]
        variables["PATH"] = os.pathsep.join(entry for entry in path if entry)
        variables["VIRTUAL_ENV"] = str(self.folder)
        variables.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        variables["PYTHONUNBUFFERED"] = "1"
        if self.sourced:
            variables["AMENT_PREFIX_PATH"] = self.sourced
        else:
            # Another ROS 2 in the shell would shadow the wheels.
            other = [p for p in variables.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
            variables["LD_LIBRARY_PATH"] = without(variables.get("LD_LIBRARY_PATH", ""), other)
            variables.pop("PYTHONPATH", None)
            # A Python of `.venv` that called us has left its mark, on which the next one would not
            # look for the libraries of its wheels.
            variables.pop("_ROS_WHEELS_BOOTSTRAP_COMPLETE", None)
            variables["AMENT_PREFIX_PATH"] = str(self.folder)
            variables["CMAKE_PREFIX_PATH"] = str(self.folder)
            variables["ROS_DISTRO"] = self.distribution
            variables["ROS_VERSION"] = "2"
            variables["RMW_IMPLEMENTATION"] = "rmw_fastrtps_cpp"
        return variables

    def _repair_cmake_files(self) -> None:
        script = (
            "import sysconfig, numpy; print(sysconfig.get_paths()['include']);"
            "print(numpy.get_include())"
        )
        paths = output([str(self.python), "-c", script], "finding the include folders")
        python_include, numpy_include = paths.splitlines()
        for file in (self.folder / "share").rglob("*.cmake"):
            text = file.read_text(errors="surrogateescape")
            if FOREIGN_INCLUDE not in text:
                continue
            file.write_text(
                replace_foreign(text, python_include, numpy_include), errors="surrogateescape"
            )


def check_wheels() -> None:
    """Raise SetupError where no ROS 2 wheels exist, instead of pip's long words."""
    system = f"{platform.system()} {platform.machine()}"
    if system != "Linux x86_64":
        raise SetupError(
            f"there are no ROS 2 wheels for {system}; install ROS 2 itself (jazzy or newer), "
            "source its setup.bash, and run the same command again"
        )
    if sys.version_info[:2] > NEWEST_WHEEL_PYTHON:
        newest = ".".join(map(str, NEWEST_WHEEL_PYTHON))
        raise SetupError(
            f"there are no ROS 2 wheels for python3 {platform.python_version()}; "
            f"put one from 3.10 to {newest} first in PATH"
        )


def replace_foreign(text: str, python_include: str, numpy_include: str) -> str:
    """`text` with the wheel builder's include folders replaced by those of this environment."""
    # As functions, because a backslash in a replacement string would be an escape.
    text = re.sub(
        rf'{FOREIGN_INCLUDE}[^;"\s]*?/numpy/_?core/include', lambda _: numpy_include, text
    )
    return re.sub(
        rf'{FOREIGN_INCLUDE}[^;"\s]*?/include/python[0-9.]+', lambda _: python_include, text
    )


def without(entries: str, folders: list[str]) -> str:
    """A search path without what lies in `folders`."""
    return os.pathsep.join(
        entry
        for entry in entries.split(os.pathsep)
        if not any(Path(entry).is_relative_to(folder) for folder in folders)
    )


def sourced_prefixes(root: Path) -> str:
    """AMENT_PREFIX_PATH of a sourced ROS 2 that has rclpy, without this workspace; else ''."""
    if not os.environ.get("ROS_DISTRO"):
        return ""
    prefixes = without(os.environ.get("AMENT_PREFIX_PATH", ""), [str(root)])
    found = any(
        prefix and (Path(prefix) / "share" / "rclpy").is_dir()
        for prefix in prefixes.split(os.pathsep)
    )
    return prefixes if found else ""
