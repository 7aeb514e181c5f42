"""The colcon workspace: built when its inputs changed, and the variables to run it with."""

import hashlib
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from environment import Environment
from system import SetupError, run, say

# A symlink install follows edits of Python, launch and configuration files by itself. A new build
# is due when one of these files changes, or when a file that is installed appears or goes away.
CONTENT_INPUTS = ("package.xml", "setup.py", "setup.cfg", "CMakeLists.txt", "*.msg", "*.srv")
NAME_INPUTS = ("src", "launch", "config")
SEARCH_PATHS = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH")


@dataclass(frozen=True)
class Workspace:
    """`build/`, `install/` and `log/` below `root`, made with `environment`."""

    root: Path
    environment: Environment

    @property
    def stamp(self) -> Path:
        return self.root / "install" / "stride-stamp.json"

    def fingerprint(self) -> str:
        """Changes exactly when the workspace must be built again."""
        digest = hashlib.sha256(self.environment.fingerprint().encode())
        digest.update(Path(__file__).read_bytes())
        for folder in NAME_INPUTS:
            for path in sorted((self.root / folder).rglob("*")):
                if "__pycache__" in path.parts or path.suffix == ".pyc" or path.is_dir():
                    continue
                digest.update(str(path.relative_to(self.root)).encode())
                if any(path.match(pattern) for pattern in CONTENT_INPUTS):
                    digest.update(path.read_bytes())
        return digest.hexdigest()

    def is_ready(self) -> bool:
        try:
            return bool(json.loads(self.stamp.read_text())["fingerprint"] == self.fingerprint())
        except (OSError, ValueError, KeyError):
            return False

    def build(self) -> None:
        """`colcon build` everything, and keep what its set-up script would export."""
        if self.is_ready():
            return
        started = time.monotonic()
        say("building the workspace ...")
        fingerprint = self.fingerprint()
        # Packages that were renamed or removed would stay installed.
        for folder in ("build", "install"):
            shutil.rmtree(self.root / folder, ignore_errors=True)
        command = [str(self.environment.python), "-m", "colcon", "build", "--symlink-install"]
        command += ["--base-paths", "src", "--cmake-args", "--no-warn-unused-cli"]
        command += ["-DBUILD_TESTING=OFF", f"-DPython3_EXECUTABLE={self.environment.python}"]
        run(command, "colcon build", self.environment.log, self.root, self.environment.variables())
        record = {"fingerprint": fingerprint, "exports": self._exports()}
        self.stamp.write_text(json.dumps(record, indent=1))
        say(f"workspace ready after {time.monotonic() - started:.0f} s")

    def variables(self) -> dict[str, str]:
        """The complete environment for `stride` and its nodes."""
        variables = self.environment.variables()
        for name, entries in json.loads(self.stamp.read_text())["exports"].items():
            present = [entry for entry in variables.get(name, "").split(os.pathsep) if entry]
            added = [entry for entry in entries if entry not in present]
            variables[name] = os.pathsep.join(added + present)
        variables["STRIDE_ROOT"] = str(self.root)
        return variables

    def _exports(self) -> dict[str, list[str]]:
        """The entries that `install/setup.bash` adds to each search path, so that later starts need
        no shell."""
        before = self.environment.variables()
        script = 'source "$0" && exec env -0'
        result = subprocess.run(
            ["bash", "-c", script, str(self.root / "install" / "setup.bash")],
            env=before,
            capture_output=True,
            check=False,
        )
        if result.returncode:
            raise SetupError(f"install/setup.bash failed: {result.stderr.decode().strip()}")
        after = dict(
            line.split("=", 1) for line in result.stdout.decode().split("\0") if "=" in line
        )
        exports = {}
        for name in SEARCH_PATHS:
            known = before.get(name, "").split(os.pathsep)
            added = [e for e in after.get(name, "").split(os.pathsep) if e and e not in known]
            if added:
                exports[name] = added
        return exports
