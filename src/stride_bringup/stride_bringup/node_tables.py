"""Which parameters the nodes of the stack know: from their tables, which hold no ROS."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from stride_base.parameters import Param

#: Node -> where its table is, ``module:NAME``.
TABLES: Mapping[str, str] = {
    "gait_controller": "gait_controller.node_parameters:PARAMS",
    "hexapod_motion": "hexapod_motion.node_parameters:PARAMS",
    "joint_effort": "hexapod_motion.joint_effort_params:PARAMS",
    "servo_inv_lead": "servo_inv.timing:TIMING_PARAMS",
    "servo_inv_7param": "servo_inv.seven_param_settings:PARAMS",
    "sts3215_driver": "sts3215_driver.driver_params:PARAMS",
    "simulated_robot": "servo_sim.simulated_robot_params:PARAMS",
    "stride_viewer": "stride_viewer.viewer_params:PARAMS",
}
#: Node -> begin of further names, of which it takes any.
FAMILIES: Mapping[str, tuple[str, ...]] = {"servo_inv_7param": ("servo_models.",)}


def table_of(node: str) -> tuple[Param, ...]:
    """The parameters of a node of TABLES."""
    module, _colon, name = TABLES[node].partition(":")
    table: tuple[Param, ...] = getattr(import_module(module), name)
    return table


def known_parameters() -> dict[str, tuple[str, ...]]:
    """Node -> names of its parameters; a name that ends in a dot stands for all that begin so."""
    return {
        node: (*(param.name for param in table_of(node)), *FAMILIES.get(node, ()))
        for node in TABLES
    }
