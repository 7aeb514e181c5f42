"""A small repository and a shell without ROS 2, for the tests of the set-up."""

from pathlib import Path

import pytest
from environment import SEARCH_PATHS


@pytest.fixture(autouse=True)
def no_ros_in_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROS_DISTRO", "STRIDE_ROS", "VIRTUAL_ENV", *SEARCH_PATHS[1:]):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one package, as far as the set-up looks at it."""
    package = tmp_path / "src" / "stride_bringup"
    for folder in (package / "stride_bringup", package / "test", tmp_path / "config" / "robots"):
        folder.mkdir(parents=True)
    (package / "package.xml").write_text("<package/>")
    (package / "setup.py").write_text("setup()")
    (package / "stride_bringup" / "stack.py").write_text("a = 1")
    return tmp_path
