"""The robot as what the servos move: the bench's law, registers, falls, pushes and loads."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from servo_sim.errors import SimulationError
from servo_sim.robot_commands import RobotCommands
from servo_sim.robot_plant import RobotPlant
from servo_sim.servo_joints import load_model
from servo_sim.simulated_bus import SimulatedBus, build_simulated_bus
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.commands import Commands
from sts3215_driver.emulator.plant import BenchPlant, Load
from sts3215_driver.emulator.profile import load_profile
from sts3215_driver.emulator.servo_file import Joint, load_joints

HEXAPOD = Path(__file__).parents[3] / "config" / "robots" / "hexapod"
DT = 0.002
MASS, LENGTH = 0.4, 0.1
#: A point mass on an arm that is level at 0 rad.
PENDULUM = f"""<mujoco><worldbody><body name="arm"><joint name="j" axis="0 -1 0"/>
  <inertial pos="{LENGTH} 0 0" mass="{MASS}" diaginertia="1e-9 1e-9 1e-9"/></body></worldbody>
  </mujoco>"""


def pendulum(tmp_path: Path, sign: int = 1) -> RobotPlant:
    path = tmp_path / "pendulum.xml"
    path.write_text(PENDULUM)
    profile = load_profile()
    return RobotPlant(load_model(path, ["j"], [sign], profile.motor), profile, [sign])


class Hexapod:
    """The simulated robot, its commands, and a time that only the test moves."""

    def __init__(self, **setup: Any) -> None:
        self.now = 0.0
        joints = load_joints(HEXAPOD / "control.json")
        self.simulated: SimulatedBus = build_simulated_bus(
            Setup(joints=joints, **setup), HEXAPOD / "robot.xml"
        )
        self.robot, self.bank = self.simulated.robot, self.simulated.bus.bank
        more = RobotCommands(self.simulated, lambda: self.now).table()
        self._commands = Commands(self.simulated.bus, more=more)
        self.bank.advance(0.0)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.bank.advance(self.now)

    def do(self, line: str) -> Any:
        answer = self._commands.execute(line, self.now)
        assert answer["ok"], answer
        return answer["result"]

    def refused(self, line: str) -> str:
        answer = self._commands.execute(line, self.now)
        assert not answer["ok"]
        return str(answer["error"])

    def hold(self) -> None:
        """Torque on, goals where the joints are."""
        for servo in self.bank.servos:
            servo.write(42, self.bank.encoder(servo.index).to_bytes(2, "little"))
            servo.write(40, b"\x01")


@pytest.fixture
def hexapod() -> Hexapod:
    return Hexapod()


def test_one_joint_moves_as_the_bench_moves_it(tmp_path: Path) -> None:
    robot = pendulum(tmp_path)
    bench = BenchPlant(load_profile(), 1)
    bench.set_load(0, Load(inertia=MASS * LENGTH**2, gravity=MASS * 9.81 * LENGTH))
    connected = np.array([True])
    for step in range(2000):
        duty = np.array([0.4 * math.sin(0.004 * step)])
        if step == 1500:
            connected = np.array([False])
        for plant in (robot, bench):
            plant.advance(DT, duty, connected)
        assert robot.state.position == pytest.approx(bench.state.position, abs=0.02)
        assert robot.state.current == pytest.approx(bench.state.current, abs=0.03)
        assert robot.state.voltage == pytest.approx(bench.state.voltage, abs=0.01)
    assert np.ptp([robot.state.position, bench.state.position]) < 0.02


def test_a_mirrored_servo_turns_the_joint_the_other_way(tmp_path: Path) -> None:
    robot = pendulum(tmp_path, sign=-1)
    for _ in range(100):
        robot.advance(DT, np.array([0.5]), np.array([True]))
    assert robot.state.position[0] > 0.1
    assert robot.data.qpos[0] == -robot.state.position[0]


def test_dry_friction_holds_a_joint_still(tmp_path: Path) -> None:
    robot = pendulum(tmp_path)
    robot.set_load(0, Load(friction=1.0))
    for _ in range(1000):
        robot.advance(DT, np.zeros(1), np.array([False]))
    assert abs(robot.state.position[0]) < math.radians(0.1)


def test_load_adds_torque_and_inertia_and_goes_away(tmp_path: Path) -> None:
    robot = pendulum(tmp_path)
    robot.set_load(0, Load(torque=1.5, inertia=0.5))
    robot.advance(DT, np.zeros(1), np.array([False]))
    slow = robot.state.velocity[0]
    assert slow > 0.0
    robot.set_load(0, Load(torque=1.5))
    robot.advance(DT, np.zeros(1), np.array([False]))
    assert robot.state.velocity[0] - slow > 3 * slow
    robot.set_load(0, Load())
    assert not robot.data.qfrc_applied.any()


def test_bad_numbers_end_the_simulation_with_a_sentence(tmp_path: Path) -> None:
    robot = pendulum(tmp_path)
    robot.data.qvel[0] = math.nan
    with pytest.raises(SimulationError, match="the simulation diverged after"):
        robot.advance(DT, np.zeros(1), np.array([True]))


def test_it_is_put_down_on_its_feet_in_any_pose() -> None:
    for pose in ("zero", "2148", "1948", "random"):
        hexapod = Hexapod(pose=pose, seed=3)
        lowest = hexapod.robot.data.geom_xpos[:, 2].min()
        assert -0.001 < lowest < 0.06
        assert hexapod.robot.data.ncon == 0 or hexapod.robot.data.contact.dist.min() > -1e-3


def test_without_torque_it_sinks_and_with_torque_it_stands(hexapod: Hexapod) -> None:
    hexapod.hold()
    hexapod.pass_time(2.0)
    assert hexapod.robot.truth().position[2] > 0.08
    for servo in hexapod.bank.servos:
        servo.write(40, b"\x00")
    hexapod.pass_time(3.0)
    assert hexapod.robot.truth().position[2] < 0.05


def sag(profile: str) -> float:
    """Largest distance of a femur from its goal when standing, rad."""
    hexapod = Hexapod(profile=profile)
    hexapod.hold()
    hexapod.pass_time(2.0)
    return float(np.abs(hexapod.robot.state.position).max())


def test_the_physical_servo_sags_and_that_of_the_arms_model_hardly_does() -> None:
    physical, stiff = sag("sts3215"), sag("so101")
    assert math.radians(0.3) < physical < math.radians(4.0)
    assert stiff < physical / 10


def test_registers_drive_it(hexapod: Hexapod) -> None:
    hexapod.hold()
    hexapod.pass_time(1.0)
    femur = hexapod.bank.servos[1]
    stiff = abs(hexapod.robot.state.position[1])
    femur.write(55, b"\x00")
    femur.write(21, b"\x04")
    hexapod.pass_time(1.0)
    assert abs(hexapod.robot.state.position[1]) > 1.4 * stiff
    femur.write(21, b"\x20")
    femur.write(48, (0).to_bytes(2, "little"))
    hexapod.pass_time(0.1)
    assert hexapod.robot.state.current[1] == pytest.approx(0.0, abs=0.2)


def test_measurements_come_from_the_physics(hexapod: Hexapod) -> None:
    hexapod.hold()
    hexapod.pass_time(1.0)
    state = hexapod.do("state 2")
    assert state["present_load"] != 0
    assert state["present_current"] != 0
    assert 60 <= state["present_voltage"] <= 74
    assert state["present_temperature"] >= 25
    assert state["angle"] == pytest.approx(hexapod.robot.state.position[1])


def test_a_push_moves_it_and_ends(hexapod: Hexapod) -> None:
    hexapod.hold()
    hexapod.pass_time(1.0)
    hexapod.do("push 0 30 0 0.2")
    hexapod.pass_time(0.1)
    assert hexapod.robot.data.xfrc_applied.any()
    assert hexapod.do("robot")["velocity"][1] > 0.02
    hexapod.pass_time(0.3)
    assert not hexapod.robot.data.xfrc_applied.any()


def test_sloping_ground_is_felt_by_the_imu(hexapod: Hexapod) -> None:
    hexapod.hold()
    for line, axis in (("tilt 0 10", 0), ("tilt 10 0", 1)):
        hexapod.do(line)
        hexapod.pass_time(1.0)
        felt = hexapod.do("robot")["acceleration"]
        assert abs(felt[axis]) == pytest.approx(9.81 * math.sin(math.radians(10)), abs=0.4)
        assert np.linalg.norm(felt) == pytest.approx(9.81, abs=0.2)


def test_nose_down_is_a_positive_pitch_and_right_side_down_a_positive_roll(
    hexapod: Hexapod,
) -> None:
    gravity = hexapod.robot.model.opt.gravity
    hexapod.do("tilt 0 20")
    assert gravity[0] > 3.0
    hexapod.do("tilt 20 0")
    assert gravity[1] < -3.0
    hexapod.do("tilt 0 0")
    np.testing.assert_allclose(gravity, [0.0, 0.0, -9.81], atol=1e-12)


def test_extra_mass_makes_it_sag_more(hexapod: Hexapod) -> None:
    hexapod.hold()
    hexapod.pass_time(1.0)
    before = np.abs(hexapod.robot.state.position).max()
    hexapod.do("carry 3")
    hexapod.pass_time(1.0)
    assert np.abs(hexapod.robot.state.position).max() > 1.3 * before
    hexapod.do("carry 0")
    assert hexapod.robot.model.body_mass.sum() == pytest.approx(2.684, abs=1e-3)


def test_lifting_puts_it_upright_again(hexapod: Hexapod) -> None:
    hexapod.hold()
    hexapod.robot.data.qpos[3:7] = [0.0, 1.0, 0.0, 0.0]
    hexapod.do("lift")
    assert hexapod.do("robot")["orientation"] == pytest.approx([1.0, 0.0, 0.0, 0.0])


def test_the_supply_and_load_commands_work_on_a_robot_too(hexapod: Hexapod) -> None:
    hexapod.do("supply 6.5")
    hexapod.do("load 2 torque=0.3")
    hexapod.pass_time(0.1)
    assert hexapod.do("state 2")["present_voltage"] <= 65
    assert hexapod.do("state 2")["load"]["torque"] == 0.3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("push 1 2", "push takes 3 or 4 or 6 or 7 numbers"),
        ("push 1 2 3 0", "push lasts from 0 to 60 s"),
        ("push 1 2 nan", "a finite number"),
        ("tilt 100 0", "up to 90 degrees"),
        ("carry -5", "the base would weigh"),
        ("robot now", "robot takes 0 numbers"),
    ],
)
def test_commands_that_make_no_sense_are_refused(hexapod: Hexapod, line: str, message: str) -> None:
    assert message in hexapod.refused(line)


def test_the_real_time_factor_counts_time_that_was_left_out(hexapod: Hexapod) -> None:
    hexapod.pass_time(0.5)
    assert hexapod.do("robot")["real_time_factor"] == pytest.approx(1.0, abs=0.01)
    hexapod.pass_time(1.0)
    hexapod.do("robot")
    hexapod.now += 1.0
    hexapod.bank.skip(hexapod.now, 0.25)
    assert hexapod.bank.skipped == pytest.approx(1.0, abs=0.01)
    assert hexapod.do("robot")["real_time_factor"] < 0.1


def test_joints_without_a_hinge_of_their_name_are_refused() -> None:
    setup = Setup(joints=[Joint(1, name="tail")])
    with pytest.raises(Exception, match="joint tail"):
        build_simulated_bus(setup, HEXAPOD / "robot.xml")
