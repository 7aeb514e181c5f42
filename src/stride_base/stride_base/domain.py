"""The ROS domain of the environment, checked before rclpy ends with an error of its own."""

from __future__ import annotations

import os

from stride_base.errors import ConfigError

VARIABLE = "ROS_DOMAIN_ID"
#: Above it there are no ports on the network any more.
LARGEST = 232


def check_domain() -> None:
    """Raise ConfigError if ROS_DOMAIN_ID is set to what is no domain."""
    text = os.environ.get(VARIABLE, "")
    if text and not (text.isascii() and text.isdecimal() and int(text) <= LARGEST):
        expected = f"an integer from 0 to {LARGEST}, or no such variable"
        raise ConfigError("environment", "", VARIABLE, text, expected)
