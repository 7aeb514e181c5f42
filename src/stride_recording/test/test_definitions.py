"""The text of each message type lets a reader without ROS decode what ROS encoded."""

import array
import math
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Pose, Quaternion, TransformStamped, Twist, Vector3, Wrench
from mcap.records import Schema
from mcap_ros2.decoder import DecoderFactory
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Float64, String, UInt64

from servo_interfaces.msg import ServoGoal, ServoModel, ServoStates
from stride_base.errors import RefusedError
from stride_recording.definitions import SEPARATOR, full_definition

NAMES = ["a", "bb"]
MESSAGES = [
    UInt64(data=2**60 + 1),
    Float64(data=-0.5),
    String(data="<robot/> ä"),
    Twist(linear=Vector3(x=0.1, y=-0.2)),
    Pose(orientation=Quaternion(x=0.1, w=0.9)),
    Wrench(force=Vector3(z=9.0)),
    TransformStamped(child_frame_id="base"),
    JointState(name=NAMES, position=[0.5, math.nan], velocity=[], effort=[1.0, -1.0]),
    BatteryState(voltage=7.5, cell_voltage=[1.0, math.nan], location="top"),
    Imu(linear_acceleration=Vector3(z=9.81)),
    Odometry(child_frame_id="base"),
    DiagnosticArray(
        status=[DiagnosticStatus(level=b"\x01", name="n", values=[KeyValue(key="k", value="v")])]
    ),
    ServoGoal(
        name=NAMES, position=[0.1, math.nan], duration=[0.02, 0.02], velocity=[math.nan, 1.0]
    ),
    ServoModel(name="a", kp=32.0, kgear=1.0, stribeck_exponent=10.0),
    ServoStates(
        cycle=7,
        name=NAMES,
        id=[1, 200],
        status=[0, 4],
        age=[0.0, math.inf],
        position=[0.1, math.nan],
        flags=[32, 0],
        torque=[1, 255],
    ),
]


def type_of(message: Any) -> str:
    package = type(message).__module__.split(".")[0]
    return f"{package}/msg/{type(message).__name__}"


def assert_same(decoded: Any, message: Any) -> None:
    """Field by field, as far down as it goes."""
    if hasattr(message, "get_fields_and_field_types"):
        for field in message.get_fields_and_field_types():
            assert_same(getattr(decoded, field), getattr(message, field))
    elif isinstance(message, (list, array.array, np.ndarray)):
        decoded = list(decoded)
        assert len(decoded) == len(message)
        for one, other in zip(decoded, message, strict=True):
            assert_same(one, other)
    elif isinstance(message, bytes):
        assert decoded == message[0]
    elif isinstance(message, float) and math.isnan(message):
        assert math.isnan(decoded)
    else:
        assert decoded == message


@pytest.mark.parametrize("message", MESSAGES, ids=[type(m).__name__ for m in MESSAGES])
def test_what_ros_encodes_is_decoded_by_the_definition(message: Any) -> None:
    kind = type_of(message)
    schema = Schema(id=1, name=kind, encoding="ros2msg", data=full_definition(kind).encode())
    decode = DecoderFactory().decoder_for("cdr", schema)
    assert decode is not None
    assert_same(decode(serialize_message(message)), message)


@pytest.mark.parametrize("name", ["ServoGoal", "ServoModel", "ServoStates"])
def test_every_message_of_servo_interfaces_is_tried(name: str) -> None:
    assert name in {type(message).__name__ for message in MESSAGES}


def test_dependencies_follow_once_each_under_their_names() -> None:
    text = full_definition("nav_msgs/msg/Odometry")
    heads = [line for line in text.splitlines() if line.startswith("MSG: ")]
    assert heads[0] == "MSG: std_msgs/Header"
    assert len(heads) == len(set(heads)) == text.count(SEPARATOR)
    assert {"MSG: builtin_interfaces/Time", "MSG: geometry_msgs/Point"} <= {*heads}


def test_bounds_constants_and_defaults_are_told_from_types() -> None:
    texts = {
        ("p", "Top"): "uint8 X=1\nstring<=10 s\nPart[<=3] parts\nq/Other[2] o\nint32[] n [1, 2]\n"
        "# Comment word\nfloat64 f 1.5",
        ("p", "Part"): "bool b",
        ("q", "Other"): "wstring w",
    }
    text = full_definition("p/msg/Top", lambda package, name: texts[package, name])
    assert text.count("MSG: ") == 2
    assert "MSG: p/Part\nbool b" in text
    assert "MSG: q/Other\nwstring w" in text


@pytest.mark.parametrize(
    "name",
    ["no_such_package/msg/X", "std_msgs/msg/NoSuch", "std_msgs/X", "../msg/X", "std_msgs/msg/../a"],
)
def test_a_type_that_is_not_there_is_refused_by_name(name: str) -> None:
    with pytest.raises(RefusedError, match=r"is not installed here|is no message type"):
        full_definition(name)
