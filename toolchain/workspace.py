"""The colcon workspace: built where its inputs changed, and the variables to run it with."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from environment import SEARCH_PATHS, Environment
from setup_progress import ColconWatch, Steps
from system import output, remove, run

# A symlink install follows edits of Python, launch and configuration files by itself. A package
# is built again when one of these files changes, or when a data file appears or goes away.
CONTENT_INPUTS = ("package.xml", "setup.py", "setup.cfg", "CMakeLists.txt", "*.msg", "*.srv")
# Installed by stride_bringup, which links to them.
TOP_FOLDERS = ("launch", "config")
TOP_PACKAGE = "stride_bringup"
#: Steps of the set-up; both are `colcon build`, but take very different times.
BUILD, REBUILD = "building the workspace", "building what changed"


@dataclass(frozen=True)
class Workspace:
    """`build/`, `install/` and `log/` below `root`, made with `environment`."""

    root: Path
    environment: Environment

    @property
    def stamp(self) -> Path:
        return self.root / "install" / "stride-stamp.json"

    def inputs(self) -> dict[str, str]:
        """A digest per package, and under '' what all of them depend on."""
        common = self.environment.fingerprint().encode() + Path(__file__).read_bytes()
        digests = {"": hashlib.sha256(common).hexdigest()}
        for manifest in sorted((self.root / "src").glob("*/package.xml")):
            folders = [manifest.parent]
            if manifest.parent.name == TOP_PACKAGE:
                folders += [self.root / name for name in TOP_FOLDERS]
            digests[manifest.parent.name] = self._digest(folders)
        return digests

    def is_ready(self) -> bool:
        return self._built() == self.inputs()

    def steps(self) -> list[str]:
        """What `build` will do."""
        built, inputs = self._built(), self.inputs()
        if built == inputs:
            return []
        return [REBUILD if built.get("") == inputs[""] else BUILD]

    def build(self, steps: Steps) -> None:
        """`colcon build` what changed, and keep what the set-up script would export."""
        built, inputs = self._built(), self.inputs()
        if built == inputs:
            return
        steps.begin(*self.steps())
        if built.get("") != inputs[""]:
            remove(self.root / "install", self.stamp)
            remove(self.root / "build", self.stamp)
        # What a package installed before, and no longer does, would stay installed.
        for package in built.keys() | inputs.keys():
            if package and built.get(package) != inputs.get(package):
                remove(self.root / "install" / package, self.stamp)
                remove(self.root / "build" / package, self.stamp)
        command = [str(self.environment.python), "-m", "colcon", "build", "--symlink-install"]
        command += ["--base-paths", "src", "--cmake-args", "--no-warn-unused-cli"]
        command += ["-DBUILD_TESTING=OFF", f"-DPython3_EXECUTABLE={self.environment.python}"]
        variables = self.environment.variables()
        # A user's own colcon defaults could ask for another layout of install/.
        variables["COLCON_DEFAULTS_FILE"] = os.devnull
        watch = ColconWatch(steps, len(inputs.keys() - {""}))
        run(command, "colcon build", self.environment.log, self.root, variables, watch)
        record = {"inputs": inputs, "exports": self._exports()}
        self.stamp.write_text(json.dumps(record, indent=1))

    def variables(self) -> dict[str, str]:
        """The complete environment for `stride` and its nodes."""
        variables = self.environment.variables()
        for name, entries in json.loads(self.stamp.read_text())["exports"].items():
            present = [entry for entry in variables.get(name, "").split(os.pathsep) if entry]
            variables[name] = os.pathsep.join(entries + present)
        variables["STRIDE_ROOT"] = str(self.root)
        return variables

    def _built(self) -> dict[str, str]:
        """`inputs()` at the time of the last complete build."""
        try:
            return dict(json.loads(self.stamp.read_text())["inputs"])
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def _digest(self, folders: list[Path]) -> str:
        digest = hashlib.sha256()
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                relative = path.relative_to(folder)
                if path.is_dir() or path.name.startswith("."):
                    continue
                if {"test", "__pycache__"} & set(relative.parts):
                    continue
                content = any(path.match(pattern) for pattern in CONTENT_INPUTS)
                if content or path.suffix != ".py" or folder.name in TOP_FOLDERS:
                    digest.update(f"{folder.name}/{relative}\0".encode())
                if content:
                    digest.update(path.read_bytes())
        return digest.hexdigest()

    def _exports(self) -> dict[str, list[str]]:
        """The entries that `install/setup.bash` adds to each search path, so that later starts need
        no shell."""
        before = self.environment.variables()
        text = output(
            ["bash", "-c", 'source "$0" && exec env -0', str(self.root / "install" / "setup.bash")],
            "install/setup.bash",
            before,
        )
        after = dict(line.split("=", 1) for line in text.split("\0") if "=" in line)
        exports = {}
        for name in SEARCH_PATHS:
            known = before.get(name, "").split(os.pathsep)
            added = [e for e in after.get(name, "").split(os.pathsep) if e and e not in known]
            if added:
                exports[name] = added
        return exports
