"""`stride walk` tells a robot that walks from one that cannot."""

from __future__ import annotations

from types import SimpleNamespace

from hexapod_motion.cli.walk import why_not_walking


def said(state: str, message: str, name: str = "/hexapod_motion") -> SimpleNamespace:
    """A diagnostic_msgs/DiagnosticArray with one status."""
    values = [SimpleNamespace(key="state", value=state)]
    return SimpleNamespace(status=[SimpleNamespace(name=name, message=message, values=values)])


def test_a_robot_on_the_floor_says_so() -> None:
    why = why_not_walking([said("sequence", "ready, floor")], "/hexapod_motion")
    assert why == "ready, floor"


def test_a_walking_robot_and_other_nodes_are_no_reason() -> None:
    heard = [said("walk", "walking"), said("sequence", "ready, floor", "/left/hexapod_motion")]
    assert why_not_walking(heard, "/hexapod_motion") == ""


def test_the_inputs_of_the_node_are_no_reason() -> None:
    heard = [said("", "messages were refused", "/hexapod_motion: input")]
    assert why_not_walking(heard, "/hexapod_motion") == ""
