"""Node `servo_inv_7param`: goals that make up for friction, inertia, load and supply voltage."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.qos import QoSProfile
from sensor_msgs.msg import BatteryState, JointState
from std_srvs.srv import Trigger

from servo_interfaces.msg import ServoModel as ServoModelMessage
from servo_inv.battery import Battery
from servo_inv.health import model_report
from servo_inv.inverse_servo_node import InverseServoNode
from servo_inv.model_file import model_text, write_model_file
from servo_inv.saturation import Saturation
from servo_inv.servo_model import FIELD_NAMES, read_model
from servo_inv.seven_param import SevenParamModel, Surroundings
from servo_inv.seven_param_settings import PARAMS, PREFIX, model_list
from stride_base.diagnostics import Report
from stride_base.errors import ConfigError, RefusedError, StrideError
from stride_base.parameters import Value
from stride_base.stride_node import LOOP_QOS, StrideNode, run_node

#: A model for each joint of a big robot may come at once.
MODEL_QOS = QoSProfile(depth=100)


class ServoInv7ParamNode(InverseServoNode):
    """The 7-parameter inverse model of all servos; see docs/servo_inv.md."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__("servo_inv_7param", PARAMS, self._make_model, **node_arguments)
        self.create_subscription(BatteryState, "battery_state", self._on_battery, LOOP_QOS)
        self.create_subscription(ServoModelMessage, "servo_model", self._on_model, MODEL_QOS)
        self.create_service(Trigger, "~/show_models", self._show_models)
        self.create_service(Trigger, "~/save_models", self._save_models)
        self._warn([oddity for model in self._model.models for oddity in model.oddities()])
        descriptor = ParameterDescriptor(description="servo model at start", read_only=True)
        for name, value in self.given_parameters().items():
            if name.startswith(PREFIX):
                self.declare_parameter(name, value, descriptor)

    def reports(self) -> Sequence[Report]:
        return [
            *super().reports(),
            model_report(self._model.models, self.inverse.joints),
            self._battery.report(time.monotonic()),
            self._model.saturation.report(),
        ]

    def on_settings(self, changed: dict[str, Value]) -> None:
        super().on_settings(changed)
        settings = {**self.settings, **changed}
        self._battery.default = float(settings["battery_voltage"])
        self._battery.timeout = float(settings["battery_timeout"])
        self._model.surroundings.dead_zone = float(settings["velocity_dead_zone"])
        self._model.saturation.limit = float(settings["saturation_offset"])

    def _make_model(self, _node: StrideNode) -> SevenParamModel:
        models = model_list(self.get_name(), self.given_parameters(), self.text("model_file"))
        self._battery = Battery(self.number("battery_voltage"), self.number("battery_timeout"))
        surroundings = Surroundings(self._battery.default, self.number("velocity_dead_zone"))
        saturation = Saturation(self.number("saturation_offset"))
        skip_missing = self.text("missing_model") == "skip"
        self._model = SevenParamModel(models, surroundings, skip_missing, saturation)
        return self._model

    def _on_joints(self, message: JointState) -> None:
        self._model.surroundings.voltage = self._battery.voltage(time.monotonic())
        super()._on_joints(message)

    def _on_battery(self, message: BatteryState) -> None:
        try:
            self._battery.measure(message.voltage, time.monotonic())
        except RefusedError as error:
            self.refusals.add("battery_state", str(error))

    def _on_model(self, message: ServoModelMessage) -> None:
        try:
            model = read_model(message.name, {name: getattr(message, name) for name in FIELD_NAMES})
        except ConfigError as error:
            self.refusals.add("servo_model", str(error))
            return
        self._model.replace(model)
        self._warn([*model.oddities(), *self.inverse.rebind()])

    def _show_models(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        response.success = True
        response.message = model_text(self._model.models)
        return response

    def _save_models(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        file = self.text("save_file")
        try:
            if not file:
                raise RefusedError("parameter 'save_file' is empty: set it to the file to write")
            write_model_file(file, self._model.models)
        except StrideError as error:
            response.message = str(error)
            return response
        response.success = True
        response.message = f"wrote {file}"
        return response

    def _warn(self, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            self.get_logger().warning(sentence)


def main() -> None:
    """Run the node until a signal ends it."""
    run_node(ServoInv7ParamNode)


if __name__ == "__main__":
    main()
