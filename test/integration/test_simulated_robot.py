"""The robot in MuJoCo in real time: the driver cannot tell, and the simulator says where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from geometry_msgs.msg import Vector3, Wrench
from harness import Robot, Simulated
from std_msgs.msg import Float64

ROBOTS = Path(__file__).parents[2] / "config" / "robots"


@pytest.fixture
def simulated(tmp_path: Path):
    with Simulated(tmp_path / "bus", ROBOTS / "hexapod" / "control.json") as running:
        yield running


def ahead(robot: Robot) -> float:
    message = robot.newest("ground_truth")
    return message.pose.pose.position.x if message else 0.0


def test_it_stands_up_and_walks_forward(simulated: Simulated) -> None:
    with Robot(simulated, "hexapod") as robot:
        robot.wait_until_walking()
        began = ahead(robot)
        robot.wait_for(lambda: ahead(robot) > began + 0.1, "a way of 0.1 m")
        message = robot.newest("imu")
        assert 5.0 < message.linear_acceleration.z < 15.0
        assert message.orientation.w > 0.9
        pose = robot.newest("ground_truth")
        frames = (pose.header.frame_id, pose.child_frame_id, message.header.frame_id)
        assert frames == ("world", "base_link", "imu_link")
        factor = robot.diagnostic("simulated_robot", "simulator")["real-time factor"]
        assert 0.0 < float(factor) <= 1.0


def test_pushes_tilt_and_load_reach_the_physics(simulated: Simulated) -> None:
    with Robot(simulated, "hexapod") as robot:
        robot.wait_until_walking()
        probe = robot.probe
        push = probe.create_publisher(Wrench, "simulated_robot/push", 10)
        robot.wait_for(lambda: push.get_subscription_count() > 0, "a subscriber")
        message = Wrench()
        message.force.y = 40.0
        push.publish(message)
        robot.wait_for(
            lambda: any(abs(m.twist.twist.linear.y) > 0.1 for m in probe.log["ground_truth"]),
            "a robot that was pushed aside",
        )
        load = probe.create_publisher(Float64, "simulated_robot/load", 10)
        tilt = probe.create_publisher(Vector3, "simulated_robot/tilt", 10)
        robot.wait_for(lambda: load.get_subscription_count() > 0, "a subscriber")
        robot.wait_for(lambda: tilt.get_subscription_count() > 0, "a subscriber")
        load.publish(Float64(data=1.0))
        tilt.publish(Vector3(x=0.0, y=0.2, z=0.0))
        robot.wait_for(
            lambda: robot.newest("imu").linear_acceleration.x < -1.0,
            "an IMU that feels the slope",
        )


def test_a_dead_servo_is_reported_and_its_joint_hangs_limp(simulated: Simulated) -> None:
    with Robot(simulated, "hexapod") as robot:
        robot.wait_until_walking()
        simulated.do("power", 2, "off")
        robot.wait_for(
            lambda: "fl_femur" not in robot.newest("joint_states").name, "a joint that is missing"
        )
        assert simulated.do("state", 2)["powered"] is False
