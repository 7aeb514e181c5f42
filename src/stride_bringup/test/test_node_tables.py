"""Each node of the stack has its table of parameters where no ROS is needed to read it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from stride_bringup.node_kinds import KINDS
from stride_bringup.node_tables import TABLES, known_parameters, table_of
from stride_bringup.stack import build_stack
from stride_bringup.stack_options import StackOptions


def test_every_node_that_a_stack_can_have_has_a_table() -> None:
    assert set(TABLES) == set(KINDS)


@pytest.mark.parametrize("node", TABLES)
def test_a_table_names_each_parameter_once(node: str) -> None:
    names = [param.name for param in table_of(node)]
    assert names and len(set(names)) == len(names)


def test_models_of_the_seven_parameter_node_are_parameters_too() -> None:
    assert "servo_models." in known_parameters()["servo_inv_7param"]


def test_tables_need_no_ros() -> None:
    program = (
        "import sys; from stride_bringup.node_tables import known_parameters; known_parameters(); "
        "sys.exit('rclpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("robot", ["hexapod", "seed_example"])
def test_the_robots_of_the_repository_pass(robot: str) -> None:
    build_stack(StackOptions(robot=robot))
