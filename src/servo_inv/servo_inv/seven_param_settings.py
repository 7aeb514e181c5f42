"""Parameters of the node `servo_inv_7param`, and the model list that they describe."""

from __future__ import annotations

from collections.abc import Mapping

from servo_inv.model_file import read_model_file
from servo_inv.model_list import ModelList
from servo_inv.saturation import STS3215_LIMIT
from servo_inv.servo_model import read_model
from servo_inv.timing import TIMING_PARAMS
from stride_base.errors import ConfigError
from stride_base.parameters import Param

SEVEN_PARAMS = (
    Param("model_file", "", "YAML file with servo models; empty: none"),
    Param("save_file", "", "file that save_models writes; empty: it refuses", live=True),
    Param(
        "missing_model",
        "identity",
        "what happens to a joint without a model: its goal is its position, or no goals at all",
        choices=("identity", "skip"),
    ),
    Param("battery_voltage", 7.4, "voltage while none is measured, V", above=0.0, live=True),
    Param(
        "battery_timeout", 5.0, "age at which a measurement is given up, s", above=0.0, live=True
    ),
    Param(
        "velocity_dead_zone",
        0.001,
        "wanted speed up to which there is no dry friction, rad/s",
        minimum=0.0,
        live=True,
    ),
    Param(
        "saturation_offset",
        round(STS3215_LIMIT, 4),
        "offset at which the drive saturates, rad on the servo side",
        above=0.0,
        live=True,
    ),
)
PARAMS = (*TIMING_PARAMS, *SEVEN_PARAMS)
#: Models as parameters are named servo_models.<joint>.<field>: ROS has no lists of structures.
PREFIX = "servo_models."


def model_list(node: str, parameters: Mapping[str, object], model_file: str) -> ModelList:
    """The models from parameters and file.

    Args:
        node: Name of the node, for messages.
        parameters: All parameters that the node was given, by name; others are left alone.
        model_file: Path, or empty.

    Raises:
        StrideError: a model is incomplete or wrong, a joint has two, the file cannot be read.
    """
    numbers: dict[str, dict[str, object]] = {}
    for name, value in parameters.items():
        if name != PREFIX[:-1] and not name.startswith(PREFIX):
            continue
        joint, _dot, field = name[len(PREFIX) :].rpartition(".")
        if not joint:
            raise ConfigError(node, "", name, value, f"parameters {PREFIX}<joint>.<field>")
        numbers.setdefault(joint, {})[field] = value
    given = [read_model(joint, fields, node) for joint, fields in numbers.items()]
    if not model_file:
        return ModelList(given)
    from_file = read_model_file(model_file)
    for model in given:
        if model.name in from_file:
            raise ConfigError(
                node,
                "",
                f"{PREFIX}{model.name}",
                model.name,
                f"no second model beside {model_file}",
            )
    return ModelList([*from_file, *given], from_file.default)
