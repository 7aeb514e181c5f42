"""What a user chooses of a stack, and what of it makes no sense for any robot."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from stride_base.errors import ConfigError
from stride_bringup.node_kinds import ALIASES, CHOICES
from stride_bringup.robots import FASTEST

#: Names of topics and files hold it, and have limits of their own.
LONGEST_NAMESPACE = 100
OWNER = "stride"


def _option(default: Any, help: str, beside: bool = False) -> Any:
    return field(default=default, metadata={"help": help, "beside": beside})


@dataclass(frozen=True)
class StackOptions:
    """What a user chooses; `help_of` has the words for it."""

    robot: str = _option("hexapod", "folder in config/robots, or the path of such a folder")
    motion: str = _option("gait_controller", "motion engine")
    effort: str = _option(
        "none", "torque that motion asks for; statics: of gravity, for robots with a body.yaml"
    )
    inverse: str = _option("servo_inv_lead", "inverse servo model")
    port: str = _option("", "serial port of the servo bus; empty: a simulator is started")
    simulator: str = _option(
        "auto", "without a port: robot in MuJoCo, servos on a bench, or auto: robot.xml decides"
    )
    sim_socket: str = _option(
        "",
        "control socket of a simulated robot that runs already, to publish its pose; empty: none",
    )
    baud: int = _option(0, "bit rate of the port, bit/s; 0: the robot's own, else 1000000")
    rate: float = _option(0.0, "control cycles per second, Hz; 0: control_hz of the control file")
    port_timeout: float = _option(0.0, "how long to wait at the start for the port to appear, s")
    namespace: str = _option("", "ROS namespace, for several robots; empty: none")
    viewer: str = _option("on", "page in the browser that shows and steers the robot", beside=True)
    viewer_host: str = _option("127.0.0.1", "address that the page listens on", beside=True)
    viewer_port: int = _option(0, "port of the page; 0: 8080 or the next free one", beside=True)

    @staticmethod
    def from_texts(texts: Mapping[str, str]) -> StackOptions:
        """Options as a launch file has them; ConfigError if one is no number where it must be."""
        values: dict[str, Any] = {}
        for option in fields(StackOptions):
            if option.name in texts:
                kind: Callable[[str], Any] = type(option.default)
                text = texts[option.name]
                try:
                    values[option.name] = kind(text)
                except ValueError as error:
                    help_text = option.metadata["help"]
                    raise ConfigError(OWNER, "", option.name, text, help_text) from error
        return StackOptions(**values)

    def arguments(self) -> list[str]:
        """These options on the command line of `stride_runner`, which starts nothing beside it."""
        values = [(name.replace("_", "-"), getattr(self, name)) for name in RUNNER_OPTIONS]
        return [word for name, value in values if value for word in (f"--{name}", str(value))]

    def checked(self) -> StackOptions:
        """These options, with full names for short ones and the namespace in its one form.

        Raises:
            ConfigError: one of them is wrong; says what is expected.
        """
        long = {name: ALIASES.get(getattr(self, name), getattr(self, name)) for name in CHOICES}
        options = replace(self, **long, namespace=canonical_namespace(self.namespace))
        for name, known in CHOICES.items():
            options.expect(name, getattr(options, name) in known, f"one of {', '.join(known)}")
        rate = f"0 or a number up to {FASTEST:g}, control rate in Hz"
        options.expect("rate", math.isfinite(self.rate) and 0 <= self.rate <= FASTEST, rate)
        options.expect("port_timeout", 0 <= self.port_timeout < math.inf, "0 or a time in s")
        options.expect("viewer_host", bool(self.viewer_host), "an address of this computer")
        options.expect("viewer_port", 0 <= self.viewer_port <= 65535, "0 or a TCP port")
        options.expect("baud", self.baud >= 0, "0 or a bit rate in bit/s")
        return options

    def expect(self, name: str, fulfilled: bool, expected: str) -> None:
        """Refuse option `name`, unless what is expected of it is `fulfilled`."""
        if not fulfilled:
            raise ConfigError(OWNER, "", name, getattr(self, name), expected)


ALL_OPTIONS = tuple(option.name for option in fields(StackOptions))
#: Without those of what runs beside the nodes.
RUNNER_OPTIONS = tuple(f.name for f in fields(StackOptions) if not f.metadata["beside"])


def help_of(option: str) -> str:
    """Description of a field of StackOptions."""
    return next(str(f.metadata["help"]) for f in fields(StackOptions) if f.name == option)


def canonical_namespace(namespace: str) -> str:
    """`namespace` with one leading slash, or empty.

    Raises:
        ConfigError: it is no ROS namespace.
    """
    names = namespace.strip("/")
    if not names:
        return ""
    pattern = r"[A-Za-z_]\w*(/[A-Za-z_]\w*)*"
    if len(names) > LONGEST_NAMESPACE or not re.fullmatch(pattern, names, re.ASCII):
        expected = (
            "names of letters, digits and _ that start with a letter, joined by /, "
            f"at most {LONGEST_NAMESPACE} characters"
        )
        raise ConfigError(OWNER, "", "namespace", namespace, expected)
    return f"/{names}"
