"""Robots by name: a folder with control.json (servos and gait) and robot.yaml (node parameters).

`config/robots/` of the source tree comes first, so that a folder just added there is found at once;
then the installed share of this package.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stride_base import strict_json
from stride_base.errors import MISSING, ConfigError, RefusedError, show

CONTROL_FILE = "control.json"
PARAMETER_FILE = "robot.yaml"
MODEL_FILE = "robot.xml"
BODY_FILE = "body.yaml"
DESCRIPTION_FILE = "robot.urdf"
SERVO_MODELS = "servo_models.yaml"
COMMON_MODELS = "sts3215_7v4.yaml"
#: Fastest control rate, Hz.
FASTEST = 1000.0


@dataclass(frozen=True)
class Robot:
    """One robot.

    Args:
        name: Name of its folder.
        folder: Absolute path.
    """

    name: str
    folder: Path

    @property
    def control_file(self) -> Path:
        return self.folder / CONTROL_FILE

    @property
    def parameter_file(self) -> Path:
        return self.folder / PARAMETER_FILE

    @property
    def model_file(self) -> Path:
        """What the robot is simulated by; need not exist."""
        return self.folder / MODEL_FILE

    @property
    def description_file(self) -> Path:
        """What it looks like; need not exist."""
        return self.folder / DESCRIPTION_FILE

    @property
    def body_file(self) -> Path:
        """What it weighs; need not exist."""
        return self.folder / BODY_FILE

    @property
    def servo_models(self) -> Path:
        """Its servo models: a file of its own, else those of an STS3215."""
        own = self.folder / SERVO_MODELS
        return own if own.is_file() else self.folder.parents[1] / "servo_models" / COMMON_MODELS

    def control_hz(self) -> float:
        """Control rate that the control file was made for, Hz.

        Raises:
            FileError, ConfigError: the file cannot be read, or has no such rate.
        """
        document = strict_json.load(self.control_file)
        rate = document.get("control_hz", MISSING) if isinstance(document, dict) else MISSING
        if isinstance(rate, (int, float)) and not isinstance(rate, bool) and 0 < rate <= FASTEST:
            return float(rate)
        expected = f"a number above 0 and up to {FASTEST:g}, control rate in Hz"
        raise ConfigError(self.control_file, "", "control_hz", rate, expected)


def find_robot(robot: str, folders: Sequence[Path] | None = None) -> Robot:
    """The robot called `robot`, or in the folder `robot` where it is a path.

    Args:
        robot: Name of a folder in config/robots, or a path (has a separator in it, or is ``.``).
        folders: Where names are looked for; default `robot_folders()`.

    Raises:
        RefusedError: there is none; lists those that exist, or what the folder lacks.
    """
    try:
        return _find(robot, robot_folders() if folders is None else folders)
    except (OSError, RuntimeError) as error:
        # No access, a name that is too long, links in a circle, an unknown user behind ~.
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise RefusedError(f"robot {show(robot)} cannot be looked for: {reason}") from error


def _find(robot: str, folders: Sequence[Path]) -> Robot:
    if os.sep in robot or robot in (".", ".."):
        return _checked(Path(robot).expanduser().resolve())
    known = [path for path in folders if path.is_dir()]
    for folder in known:
        if robot and (folder / robot).is_dir():
            return _checked((folder / robot).resolve())
    names = sorted({path.name for folder in known for path in folder.iterdir() if path.is_dir()})
    raise RefusedError(
        f"there is no robot {robot!r}; there are {', '.join(names) or 'none'}, "
        "or give the path of a robot's folder"
    )


def robot_folders() -> list[Path]:
    """config/robots of the source tree and of the installation, where they exist."""
    source = Path(__file__).resolve().parents[1] / "config" / "robots"
    return [source, *_installed()]


def _installed() -> list[Path]:
    if not os.environ.get("AMENT_PREFIX_PATH"):
        return []
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

    try:
        return [Path(get_package_share_directory("stride_bringup")) / "config" / "robots"]
    except PackageNotFoundError:
        return []


def _checked(folder: Path) -> Robot:
    lacking = [name for name in (CONTROL_FILE, PARAMETER_FILE) if not (folder / name).is_file()]
    if lacking:
        what = "does not exist" if not folder.exists() else f"has no {' and no '.join(lacking)}"
        raise RefusedError(f"the robot's folder {folder} {what}")
    return Robot(folder.name, folder)
