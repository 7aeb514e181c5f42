"""Base of every Stride node: parameters from a table, refusals, diagnostics, a clean end."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile

from stride_base.diagnostics import Level, Report, status_name, text_of
from stride_base.ending import CURRENT, Ending
from stride_base.errors import ConfigError, StrideError
from stride_base.parameters import Param, Value
from stride_base.refusals import Refusals
from stride_base.running import running

#: The control loop's topics: everything arrives, and an overloaded reader sees the newest.
LOOP_QOS = QoSProfile(depth=10)
DIAGNOSTICS_PERIOD = 1.0
#: Least time from one publication to the next with news, s: never more than ten in a second.
NEWS_PERIOD = 0.12


class StrideNode(Node):
    """A node that declares `params`, answers `/diagnostics`, and refuses bad input once a second.

    Subclasses read `self.settings[name]`, override `reports` and, where something must be undone at
    the end, `close`. Where a page should not wait for the next second they call `tell_soon`.
    """

    def __init__(self, name: str, params: Sequence[Param], **node_arguments: Any) -> None:
        super().__init__(name, **node_arguments)
        self._program_ending = CURRENT.get()
        self._params = {param.name: param for param in params}
        self.settings: dict[str, Value] = {}
        for param in params:
            self.settings[param.name] = self._declare(param)
        self.add_on_set_parameters_callback(self._on_set_parameters)
        self.refusals = Refusals(self.get_logger().warning, time.monotonic)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self.create_timer(DIAGNOSTICS_PERIOD, self.publish_diagnostics)
        self._published_at = -math.inf
        self._late_news = self.create_timer(NEWS_PERIOD, self._publish_late_news)
        self._late_news.cancel()

    def number(self, name: str) -> float:
        """A numeric setting."""
        return float(self.settings[name])

    def parameter(self, name: str) -> str:
        """What a parameter is for, in words."""
        return self._params[name].description

    def text(self, name: str) -> str:
        """A text setting."""
        return str(self.settings[name])

    def given_parameters(self) -> dict[str, Value]:
        """Parameters that the node was started with, declared or not."""
        return {name: given.value for name, given in self._parameter_overrides.items()}

    def is_ending(self) -> bool:
        """Whether the program was told to end, so that nothing need be waited for any more."""
        return self._program_ending is not None and self._program_ending.requested

    def reports(self) -> Sequence[Report]:
        """What `/diagnostics` shows of this node; called once a second."""
        return []

    def news(self) -> Sequence[Report]:
        """What `/diagnostics` shows besides after `tell_soon`; the same, if not overridden."""
        return self.reports()

    def tell_soon(self) -> None:
        """Publish `news` now, or as soon as the last publication is `NEWS_PERIOD` old."""
        if not self._late_news.is_canceled():
            return
        if time.monotonic() - self._published_at >= NEWS_PERIOD:
            self._publish_reports(self.news())
        else:
            self._late_news.reset()

    def on_settings(self, changed: dict[str, Value]) -> None:
        """Called with live parameters that are about to change; raise StrideError to refuse."""

    def close(self) -> None:
        """Undo what must not outlive the node; called once, also after a signal."""

    def publish_diagnostics(self) -> None:
        refused = self.refusals.counts
        reports = [*self.reports()]
        if refused:
            reports.append(Report("input", Level.WARN, "messages were refused", dict(refused)))
        self._publish_reports(reports)

    def _publish_late_news(self) -> None:
        self._late_news.cancel()
        self._publish_reports(self.news())

    def _publish_reports(self, reports: Sequence[Report]) -> None:
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        message.status = [self._status(report) for report in reports]
        self._published_at = time.monotonic()
        self._diagnostics.publish(message)

    def _status(self, report: Report) -> DiagnosticStatus:
        name = self.get_fully_qualified_name()
        status = DiagnosticStatus()
        status.level = bytes([report.level])
        status.name = status_name(name, report.part)
        status.hardware_id = name
        status.message = report.message
        status.values = [KeyValue(key=k, value=text_of(v)) for k, v in report.values.items()]
        return status

    def _declare(self, param: Param) -> Value:
        descriptor = ParameterDescriptor(
            description=param.description,
            read_only=not param.live,
            # A whole number is a fine value for a float parameter; `check` does the rest.
            dynamic_typing=isinstance(param.default, float),
            additional_constraints=", ".join(param.choices),
        )
        low, high = param.minimum, param.maximum
        if low is not None and high is not None:
            if isinstance(param.default, float):
                descriptor.floating_point_range = [
                    FloatingPointRange(from_value=low, to_value=high)
                ]
            else:
                descriptor.integer_range = [
                    IntegerRange(from_value=int(low), to_value=int(high), step=1)
                ]
        try:
            value = self.declare_parameter(param.name, param.default, descriptor).value
        except Exception as error:  # rclpy raises a family of unrelated types here
            found = self._parameter_overrides.get(param.name)
            shown = found.value if found is not None else str(error)
            raise ConfigError(
                self.get_name(), "", param.name, shown, param.expectation()
            ) from error
        return param.check(self.get_name(), value)

    def _on_set_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        changed: dict[str, Value] = {}
        try:
            for parameter in parameters:
                param = self._params.get(parameter.name)
                if param is not None:
                    changed[param.name] = param.check(self.get_name(), parameter.value)
            self.on_settings(changed)
        except StrideError as error:
            return SetParametersResult(successful=False, reason=str(error))
        self.settings.update(changed)
        return SetParametersResult(successful=True)


def run_node(make_node: Callable[..., StrideNode], arguments: Sequence[str] | None = None) -> None:
    """Run one node in its own process until a signal; exit 1 with one message on bad input.

    Signals only request the end: with rclpy's own handlers a second SIGINT, which `ros2 launch` sends
    on top of the terminal's, would interrupt `close` and leave the torque on.
    """
    ending = Ending()
    try:
        with (
            ending.on_signals(),
            running([make_node], ending, sys.argv if arguments is None else arguments),
        ):
            ending.wait()
    except StrideError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
