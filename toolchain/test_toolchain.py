"""Set-up behind `./stride`: redone only when inputs changed, and clear when it cannot go on."""

import fcntl
import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path

import environment
import pytest
import system
import versions
from environment import Environment
from system import SetupError

TOOLCHAIN = Path(__file__).parent


def make_ready(env: Environment) -> None:
    env.python.parent.mkdir(parents=True)
    env.python.touch()
    env.stamp.write_text(env.fingerprint())


def sourced_ros(monkeypatch: pytest.MonkeyPatch, prefix: Path, distribution: str = "jazzy") -> None:
    (prefix / "share" / "rclpy").mkdir(parents=True)
    monkeypatch.setenv("ROS_DISTRO", distribution)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix))
    monkeypatch.setenv("PYTHONPATH", f"{prefix}/lib/python")
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{prefix}/lib{os.pathsep}/usr/local/cuda")


class TestVersions:
    def test_a_ros_line_becomes_a_wheel_name(self) -> None:
        assert any(
            line.startswith("ros-jazzy-rclpy==") for line in versions.requirements("ros.jazzy")
        )

    def test_a_marker_stays_with_its_version(self) -> None:
        numpy = [r for r in versions.requirements("python") if r.startswith("numpy==")]
        assert len(numpy) == 2
        assert all("; python_version" in line for line in numpy)

    def test_every_line_is_pinned(self) -> None:
        sections = ["python", "build", "test", *(f"ros.{d}" for d in versions.distributions())]
        for section in sections:
            for line in versions.requirements(section):
                name, pinned = line.split("==")
                assert name and pinned[0].isdigit()

    def test_both_distributions_bring_the_same_packages(self) -> None:
        def names(distribution: str) -> set[str]:
            lines = versions.requirements(f"ros.{distribution}")
            return {line.split("==")[0].removeprefix(f"ros-{distribution}-") for line in lines}

        # Between the two, helpers of the build have moved to other packages.
        assert names("jazzy") ^ names("kilted") <= {"python-cmake-module", "ament-cmake-ros-core"}


class TestChoice:
    def test_wheels_of_jazzy_without_a_sourced_ros(self, root: Path) -> None:
        assert Environment.choose(root) == Environment(root, "jazzy", "")

    def test_stride_ros_names_the_wheels(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("STRIDE_ROS", "kilted")
        assert Environment.choose(root).distribution == "kilted"

    def test_an_unknown_distribution_is_refused_with_what_exists(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("STRIDE_ROS", "noetic")
        with pytest.raises(SetupError, match="'noetic'; expected jazzy or kilted"):
            Environment.choose(root)

    def test_a_sourced_ros_is_used(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        prefix = tmp_path.parent / f"{tmp_path.name}-ros"
        sourced_ros(monkeypatch, prefix, "rolling")
        assert Environment.choose(root) == Environment(root, "rolling", str(prefix))

    def test_stride_ros_beats_a_sourced_ros_and_hides_it(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        prefix = tmp_path.parent / f"{tmp_path.name}-ros"
        sourced_ros(monkeypatch, prefix)
        monkeypatch.setenv("STRIDE_ROS", "kilted")
        env = Environment.choose(root)
        assert (env.distribution, env.sourced) == ("kilted", "")
        variables = env.variables()
        assert variables["AMENT_PREFIX_PATH"] == str(env.folder)
        assert variables["LD_LIBRARY_PATH"] == "/usr/local/cuda"
        assert "PYTHONPATH" not in variables

    def test_this_workspace_in_the_shell_is_no_sourced_ros(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sourced_ros(monkeypatch, root / "install" / "rclpy")
        env = Environment.choose(root)
        assert env.sourced == ""
        assert str(root / "install") not in env.variables()["LD_LIBRARY_PATH"]

    def test_started_from_its_own_python_the_wheels_set_up_their_libraries_anew(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1")
        env = Environment.choose(root)
        assert "_ROS_WHEELS_BOOTSTRAP_COMPLETE" not in env.variables()

    def test_a_ros_without_rclpy_is_no_sourced_ros(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ROS_DISTRO", "jazzy")
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "elsewhere"))
        assert Environment.choose(root).sourced == ""


class TestEnvironment:
    def test_ready_only_with_the_stamp_of_these_inputs(self, root: Path) -> None:
        env = Environment(root, "jazzy", "")
        assert not env.is_ready()
        make_ready(env)
        assert env.is_ready()
        assert not Environment(root, "kilted", "").is_ready()
        assert not Environment(root, "jazzy", "/opt/ros/jazzy").is_ready()

    def test_a_lost_interpreter_is_not_ready(self, root: Path) -> None:
        env = Environment(root, "jazzy", "")
        make_ready(env)
        env.python.unlink()
        assert not env.is_ready()

    def test_changed_versions_ask_for_a_new_environment(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        env = Environment(root, "jazzy", "")
        make_ready(env)
        changed = tmp_path / "versions.cfg"
        changed.write_text(versions.VERSIONS_FILE.read_text() + "\n")
        monkeypatch.setattr(environment, "VERSIONS_FILE", changed)
        assert not env.is_ready()

    def test_a_moved_repository_asks_for_a_new_environment(self, root: Path) -> None:
        moved = Environment(root.parent / "elsewhere", "jazzy", "")
        assert moved.fingerprint() != Environment(root, "jazzy", "").fingerprint()

    def test_discovery_stays_local_unless_the_user_says_otherwise(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        name = "ROS_AUTOMATIC_DISCOVERY_RANGE"
        monkeypatch.delenv(name, raising=False)
        assert Environment(root, "jazzy", "").variables()[name] == "LOCALHOST"
        monkeypatch.setenv(name, "SUBNET")
        assert Environment(root, "jazzy", "").variables()[name] == "SUBNET"

    def test_a_call_from_a_python_of_the_environment_looks_for_the_libraries_anew(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1")
        monkeypatch.setenv("LD_LIBRARY_PATH", str(root / ".venv" / "lib"))
        variables = Environment(root, "jazzy", "").variables()
        assert "_ROS_WHEELS_BOOTSTRAP_COMPLETE" not in variables
        assert variables["LD_LIBRARY_PATH"] == ""

    def test_include_folders_of_the_wheel_builder_are_replaced(self) -> None:
        builder = "/opt/python/cp312-cp312"
        text = (
            f'set(A "{builder}/include/python3.12;'
            f'{builder}/lib/python3.12/site-packages/numpy/_core/include;/usr/include")'
        )
        mine = environment.replace_foreign(text, "/py\\1/include", "/np/include")
        assert mine == 'set(A "/py\\1/include;/np/include;/usr/include")'

    @pytest.mark.parametrize("machine", ["aarch64", "armv7l"])
    def test_a_machine_without_wheels_is_told_to_source_ros(
        self, machine: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(platform, "machine", lambda: machine)
        with pytest.raises(SetupError, match=rf"no ROS 2 wheels for Linux {machine}; .*source its"):
            environment.check_wheels()

    def test_a_python_without_wheels_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(environment, "NEWEST_WHEEL_PYTHON", (3, 9))
        with pytest.raises(SetupError, match=r"no ROS 2 wheels for python3 .*3\.10 to 3\.9"):
            environment.check_wheels()


class TestSystem:
    def test_missing_tools_are_named_with_the_line_to_install_them(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            system.shutil,
            "which",
            lambda tool: None if tool in ("g++", "cmake") else f"/bin/{tool}",
        )
        with pytest.raises(SetupError) as caught:
            system.check_system()
        assert "lacks g++ cmake." in str(caught.value)
        assert "sudo apt-get install -y g++ cmake" in str(caught.value)

    def test_missing_headers_of_python_are_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(system.shutil, "which", lambda tool: f"/bin/{tool}")
        monkeypatch.setattr(sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
        with pytest.raises(SetupError, match="apt-get install -y python3-dev"):
            system.check_system()

    def test_an_old_python_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(system, "MINIMUM_PYTHON", (4, 0))
        with pytest.raises(SetupError, match=r"Stride needs 3\.10 or newer"):
            system.check_system()

    @pytest.mark.parametrize("folder", ["/home/me/my robot", "/srv/a:b", "/srv/a;b", "/srv/it's"])
    def test_a_path_on_which_colcon_breaks_is_refused(self, folder: str) -> None:
        with pytest.raises(SetupError, match="move the repository"):
            system.check_folder(Path(folder))
        system.check_folder(Path("/home/me/my-robot_2.0"))

    def test_a_failed_command_shows_the_end_of_its_output(self, tmp_path: Path) -> None:
        log = tmp_path / "log" / "setup.log"
        script = "import sys; print('no space left'); sys.exit(3)"
        with pytest.raises(SetupError) as caught:
            system.run([sys.executable, "-c", script], "installing packages", log)
        assert "installing packages failed (exit 3)" in str(caught.value)
        assert str(caught.value).endswith("no space left")

    def test_an_interrupted_removal_does_not_look_ready(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stamp = tmp_path / "install" / "stamp"
        stamp.parent.mkdir()
        stamp.touch()

        def interrupted(_folder: Path) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(system.shutil, "rmtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            system.remove(stamp.parent, stamp)
        assert not stamp.exists()

    def test_a_second_setup_waits_for_the_first(self, tmp_path: Path) -> None:
        lock = tmp_path / "log" / "setup.lock"
        script = (
            f"import sys; sys.path.insert(0, {str(TOOLCHAIN)!r})\n"
            "from pathlib import Path\n"
            "from system import only_one\n"
            f"with only_one(Path({str(lock)!r})): print('entered', flush=True)"
        )
        with system.only_one(lock):
            second = subprocess.Popen(
                [sys.executable, "-c", script],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert second.stderr is not None and second.stdout is not None
            assert "another ./stride is setting up" in second.stderr.readline()
            assert second.poll() is None
        assert second.stdout.readline() == "entered\n"
        assert second.wait() == 0

    def test_the_lock_of_a_dead_setup_is_free(self, tmp_path: Path) -> None:
        lock = tmp_path / "setup.lock"
        lock.touch()
        with system.only_one(lock), lock.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
