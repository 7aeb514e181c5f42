"""The static model of one servo (NimbRo-OP): two settings and seven parameters, checked whole."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

from stride_base.errors import MISSING, ConfigError
from stride_base.parameters import Param

#: Settings and parameters of a model, in the order of servo_interfaces/ServoModel.
FIELDS = (
    Param("kp", 1.0, "gain of the position controller", above=0.0),
    Param("kgear", 1.0, "turns of the servo per turn of the joint", above=0.0),
    Param("viscous", 0.0, "viscous friction and back-EMF, per rad/s"),
    Param("inertia", 0.0, "rotor inertia, per rad/s^2"),
    Param("coulomb", 0.0, "Coulomb friction"),
    Param("stribeck", 0.0, "excess of the friction at rest over Coulomb friction"),
    Param("torque", 0.0, "torque, per N m"),
    Param("stribeck_velocity", 1.0, "velocity of the Stribeck curve, rad/s", above=0.0),
    Param("stribeck_exponent", 1.0, "exponent of the Stribeck curve", above=0.0),
)
FIELD_NAMES = tuple(field.name for field in FIELDS)
FRICTIONS = ("viscous", "coulomb", "stribeck")


class JointSide(NamedTuple):
    """Parameters of goal = q + (viscous*v + inertia*a + ... + torque*tau) / V, in joint units."""

    viscous: float
    inertia: float
    coulomb: float
    stribeck: float
    torque: float
    stribeck_velocity: float
    stribeck_exponent: float


@dataclass(frozen=True)
class ServoModel:
    """Inverse model of the servo of one joint; without numbers the identity (goal = position).

        goal = q + (viscous*v + inertia*a + coulomb*s + stribeck*s*exp(-|v/qs|^delta) + torque*tau)
                   / (kp * V),    s = sign(v)

    v, a and tau on the servo side of the gear. Only the ratios to kp matter.

    Raises:
        ConfigError: no name, a number that is not finite, or a kp, kgear, stribeck_velocity (qs) or
            stribeck_exponent (delta) that is not above 0; names joint and field.
    """

    name: str
    kp: float = 1.0
    kgear: float = 1.0
    viscous: float = 0.0
    inertia: float = 0.0
    coulomb: float = 0.0
    stribeck: float = 0.0
    torque: float = 0.0
    stribeck_velocity: float = 1.0
    stribeck_exponent: float = 1.0

    def __post_init__(self) -> None:
        if not self.name:
            raise ConfigError("servo model", "", "name", self.name, "the name of a joint")
        owner = f"servo model of joint '{self.name}'"
        for field in FIELDS:
            field.check(owner, getattr(self, field.name))
        for name, share in self.joint_side()._asdict().items():
            if not math.isfinite(share) or (name == "stribeck_velocity" and share == 0.0):
                expected = f"a number in proportion to kp {self.kp:g} and kgear {self.kgear:g}"
                raise ConfigError(owner, "", name, getattr(self, name), expected)

    def joint_side(self) -> JointSide:
        """The seven parameters for v, a and tau of the joint, divided by kp.

        The gear turns v and a into kgear*v and kgear*a, tau into tau/kgear, and the offset of the
        servo back into offset/kgear.
        """
        kp, gear = self.kp, self.kgear
        return JointSide(
            viscous=self.viscous / kp,
            inertia=self.inertia / kp,
            coulomb=self.coulomb / kp / gear,
            stribeck=self.stribeck / kp / gear,
            torque=self.torque / kp / gear / gear,
            stribeck_velocity=self.stribeck_velocity / gear,
            stribeck_exponent=self.stribeck_exponent,
        )

    def numbers(self) -> dict[str, float]:
        """Settings and parameters by name, in the order of FIELDS."""
        numbers = asdict(self)
        del numbers["name"]
        return numbers

    def oddities(self) -> list[str]:
        """Sentences about what is accepted but no servo has: negative friction, as fits give it."""
        return [
            f"servo model of joint '{self.name}': {name} is {value:g}; "
            f"a negative friction is accepted, but drives the joint on"
            for name, value in self.numbers().items()
            if name in FRICTIONS and value < 0.0
        ]


def read_model(name: str, numbers: Mapping[str, object], source: str = "") -> ServoModel:
    """A model from named numbers, all of FIELDS and nothing else.

    Args:
        name: Name of the joint.
        numbers: Settings and parameters; integers are taken for numbers.
        source: File or node that holds them, for messages.

    Raises:
        ConfigError: a number is missing, unknown or wrong; names source, joint and field.
    """
    joint = f"servo model of joint '{name}'"
    owner = f"{source}: {joint}" if source else joint
    for extra in numbers:
        if extra not in FIELD_NAMES:
            expected = f"only the fields {', '.join(FIELD_NAMES)}"
            raise ConfigError(owner, "", extra, numbers[extra], expected)
    checked = {}
    for field in FIELDS:
        if field.name not in numbers:
            raise ConfigError(owner, "", field.name, MISSING, field.expectation())
        checked[field.name] = float(field.check(owner, numbers[field.name]))
    try:
        return ServoModel(name, **checked)
    except ConfigError as error:
        raise ConfigError(owner, "", error.field, error.value, error.expected) from error
