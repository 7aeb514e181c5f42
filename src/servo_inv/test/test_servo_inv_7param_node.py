"""The node `servo_inv_7param` on real DDS."""

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from node_user import DEADLINE, User, local_context
from rclpy.context import Context
from rclpy.parameter import Parameter
from sensor_msgs.msg import BatteryState
from std_srvs.srv import Trigger

from servo_interfaces.msg import ServoModel as ServoModelMessage
from servo_inv.model_client import ModelClient
from servo_inv.model_file import parse_models, read_model_file, write_model_file
from servo_inv.model_list import ModelList
from servo_inv.servo_inv_7param_node import MODEL_QOS, ServoInv7ParamNode
from servo_inv.servo_model import ServoModel
from stride_base.errors import RefusedError, StrideError
from stride_base.stride_node import LOOP_QOS

# Only the effort counts: offset = effort / V.
HOLD = ServoModel("a", torque=1.0)


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    with local_context() as context:
        yield context


class ModelUser(User):
    """Also pushes models and voltages, and calls the services."""

    def __init__(self, context: Context, namespace: str, settings: dict[str, object]) -> None:
        super().__init__(ServoInv7ParamNode, context, namespace, settings)
        self.models = self.own.create_publisher(ServoModelMessage, "servo_model", MODEL_QOS)
        self.battery = self.own.create_publisher(BatteryState, "battery_state", LOOP_QOS)
        self.wait_for_readers(self.models, self.battery)

    def push(self, model: ServoModel, **wrong: float) -> None:
        self.models.publish(ServoModelMessage(name=model.name, **{**model.numbers(), **wrong}))

    def wait_for_models(self, *models: ServoModel) -> None:
        self.spin_until(lambda: list(self.node._model.models) == list(models))

    def measure(self, voltage: float, used: float) -> None:
        self.battery.publish(BatteryState(voltage=voltage))
        self.spin_until(lambda: self.report("battery")["voltage"] == pytest.approx(used))

    def refused(self, kind: str) -> int:
        return self.node.refusals.counts.get(kind, 0)

    def report(self, part: str) -> dict[str, object]:
        return next(r.values for r in self.node.reports() if r.part == part)

    def call(self, service: str) -> Trigger.Response:
        client = self.own.create_client(Trigger, f"servo_inv_7param/{service}")
        self.spin_until(client.service_is_ready)
        answer = client.call_async(Trigger.Request())
        self.spin_until(answer.done)
        return answer.result()


@pytest.fixture
def start(context: Context, request: pytest.FixtureRequest) -> Iterator[Callable[..., ModelUser]]:
    users: list[ModelUser] = []

    def make(**settings: object) -> ModelUser:
        namespace = f"/robot_{os.getpid()}_{request.node.name.split('[')[0]}"
        users.append(ModelUser(context, namespace, settings))
        return users[-1]

    yield make
    for user in users:
        user.close()


def flat(*models: ServoModel) -> dict[str, object]:
    return {
        f"servo_models.{model.name}.{field}": value
        for model in models
        for field, value in model.numbers().items()
    }


def test_goals_come_from_model_voltage_and_effort(start: Callable[..., ModelUser]) -> None:
    user = start(battery_voltage=10.0, lead=0.02, **flat(HOLD))
    goals = user.answer([0.5, 0.5], velocity=[0.0, 0.0], effort=[2.0, 2.0])
    assert goals.position.tolist() == pytest.approx([0.7, 0.5], abs=1e-12)
    assert goals.duration.tolist() == pytest.approx([0.04, 0.04])
    goals = user.answer([0.5, 0.5], velocity=[0.0, 0.0], effort=[3.0, 3.0])
    assert goals.position.tolist() == pytest.approx([0.9, 0.5], abs=1e-12)


def test_models_come_from_a_file(start: Callable[..., ModelUser], tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    write_model_file(file, ModelList([HOLD], default=ServoModel("any", torque=2.0)))
    user = start(battery_voltage=10.0, model_file=str(file))
    assert user.answer([0.0, 0.0], effort=[1.0, 1.0]).position.tolist() == [0.1, 0.2]


def test_a_pushed_model_replaces_or_is_added_after_the_goals_in_work(
    start: Callable[..., ModelUser],
) -> None:
    user = start(battery_voltage=10.0, **flat(HOLD))
    effort = [1.0, 1.0]
    assert user.answer([0.0, 0.0], effort=effort).position.tolist() == [0.1, 0.0]
    strong = replace(HOLD, torque=3.0)
    user.push(strong)
    user.wait_for_models(strong)
    assert user.answer([0.0, 0.0], effort=effort).position.tolist() == pytest.approx([0.3, 0.0])
    added = ServoModel("b", torque=2.0)
    user.push(added)
    user.wait_for_models(strong, added)
    assert user.answer([0.0, 0.0], effort=effort).position.tolist() == pytest.approx([0.3, 0.2])
    assert user.report("models")["missing"] == ""


def test_a_wrong_model_is_refused_whole_and_counted(start: Callable[..., ModelUser]) -> None:
    user = start(battery_voltage=10.0, **flat(HOLD))
    wrong: list[dict[str, float]] = [
        {"torque": math.nan},
        {"viscous": math.inf},
        {"kp": 0.0},
        {"kgear": -1.0},
        {"stribeck_velocity": 0.0},
        {"stribeck_exponent": 0.0},
    ]
    for count, change in enumerate(wrong, 1):
        user.push(replace(HOLD, torque=7.0), **change)
        user.spin_until(lambda count=count: user.refused("servo_model") == count)
    user.models.publish(ServoModelMessage(kp=1.0))
    user.spin_until(lambda: user.refused("servo_model") == len(wrong) + 1)
    assert list(user.node._model.models) == [HOLD]
    assert user.answer([0.0], effort=[1.0]).position.tolist() == [0.1]


def test_the_voltage_is_the_last_good_one_else_the_default(start: Callable[..., ModelUser]) -> None:
    user = start(battery_voltage=10.0, battery_timeout=1000.0, **flat(HOLD))
    user.measure(math.nan, used=10.0)
    user.measure(5.0, used=5.0)
    assert user.answer([0.0], effort=[1.0]).position.tolist() == [0.2]
    for count, bad in enumerate((math.nan, 0.0, -5.0, math.inf), 2):
        user.measure(bad, used=5.0)
        user.spin_until(lambda count=count: user.refused("battery_state") == count)
    assert user.answer([0.0], effort=[1.0]).position.tolist() == [0.2]
    # A measurement is never fresh within no time at all.
    assert user.node.set_parameters([Parameter("battery_timeout", value=1e-9)])[0].successful
    assert user.answer([0.0], effort=[1.0]).position.tolist() == [0.1]


def test_joints_without_a_model_may_be_skipped(start: Callable[..., ModelUser]) -> None:
    user = start(battery_voltage=10.0, missing_model="skip", **flat(HOLD))
    user.publish([0.0, 0.0], effort=[1.0, 1.0])
    user.spin_until(lambda: user.refused("joints_fixed") == 1)
    assert user.answer([0.0], effort=[1.0]).position.tolist() == [0.1]
    assert len(user.goals) == 1


def test_settings_change_while_running(start: Callable[..., ModelUser]) -> None:
    user = start(battery_voltage=10.0, **flat(replace(HOLD, coulomb=1.0)))
    assert user.answer([0.0], velocity=[0.01], effort=[0.0]).position.tolist() == [0.1]
    for name, value in (("velocity_dead_zone", 0.1), ("battery_voltage", 5.0), ("lead", 0.01)):
        assert user.node.set_parameters([Parameter(name, value=value)])[0].successful
    goals = user.answer([0.0], velocity=[0.01], effort=[0.0])
    assert goals.position[0] == pytest.approx(-0.05, abs=1e-12)
    assert goals.duration[0] == pytest.approx(0.03)
    goals = user.answer([0.0], velocity=[0.2], effort=[1.0])
    assert goals.position[0] == pytest.approx(0.6, abs=1e-12)
    for name, value in (
        ("velocity_dead_zone", -0.1),
        ("battery_voltage", 0.0),
        ("missing_model", "skip"),
        ("servo_models.a.torque", 2.0),
    ):
        assert not user.node.set_parameters([Parameter(name, value=value)])[0].successful


def test_saturation_and_missing_models_show_in_diagnostics(start: Callable[..., ModelUser]) -> None:
    user = start(battery_voltage=10.0, saturation_offset=0.5, **flat(HOLD))
    user.answer([0.0, 0.0], effort=[8.0, 8.0])
    user.wait_for_status("saturation", "a", "0.8")
    user.wait_for_status("models", "missing", "b")
    user.wait_for_status("battery", "voltage", "10")


def test_the_current_list_is_shown_and_saved(
    start: Callable[..., ModelUser], tmp_path: Path
) -> None:
    user = start(**flat(HOLD))
    refused = user.call("save_models")
    assert not refused.success and "'save_file' is empty" in refused.message
    pushed = ServoModel("b", torque=2.0)
    user.push(pushed)
    user.wait_for_models(HOLD, pushed)
    shown = user.call("show_models")
    assert shown.success and list(parse_models(shown.message, "shown")) == [HOLD, pushed]
    file = tmp_path / "saved.yaml"
    user.node.set_parameters([Parameter("save_file", value=str(file))])
    saved = user.call("save_models")
    assert saved.success and str(file) in saved.message
    assert list(read_model_file(file)) == [HOLD, pushed]
    user.node.set_parameters([Parameter("save_file", value=str(tmp_path / "no" / "file"))])
    assert not user.call("save_models").success


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"battery_voltage": 0.0}, "'battery_voltage' is 0.0"),
        ({"battery_timeout": 0.0}, "'battery_timeout' is 0.0"),
        ({"velocity_dead_zone": -0.001}, "'velocity_dead_zone' is -0.001"),
        ({"missing_model": "guess"}, "'missing_model' is 'guess'; expected one of identity, skip"),
        ({"model_file": "/none.yaml"}, "/none.yaml: cannot be read"),
        ({**flat(HOLD), "servo_models.a.kp": 0.0}, "'a': 'kp' is 0.0"),
        ({"servo_models.a.kp": 1.0}, "'a': 'kgear' is missing"),
    ],
)
def test_wrong_parameters_keep_the_node_from_starting(
    context: Context, settings: dict[str, object], message: str
) -> None:
    overrides = [Parameter(name, value=value) for name, value in settings.items()]
    with pytest.raises(StrideError, match=message):
        ServoInv7ParamNode(context=context, parameter_overrides=overrides)


@pytest.fixture
def client(context: Context, start: Callable[..., ModelUser]) -> Iterator[ModelClient]:
    """A client whose node is spun in the background."""
    user = start(**flat(HOLD))
    spinning = Thread(target=user.executor.spin, daemon=True)
    spinning.start()
    with ModelClient(context, user.own.get_namespace(), patience=DEADLINE) as client:
        yield client
    user.executor.shutdown()
    spinning.join()


def test_an_empty_list_is_shown_as_one(start: Callable[..., ModelUser]) -> None:
    assert list(parse_models(start().call("show_models").message, "shown")) == []


def test_a_client_shows_and_pushes_the_models_in_use(client: ModelClient) -> None:
    assert list(client.models()) == [HOLD]
    pushed = [replace(HOLD, name=f"joint{index}", torque=index + 1.0) for index in range(18)]
    client.push(pushed)
    assert list(client.models()) == [HOLD, *pushed]


def test_a_client_says_that_no_node_is_there(context: Context) -> None:
    with (
        ModelClient(context, "/nowhere", patience=0.0) as client,
        pytest.raises(RefusedError, match="/nowhere/servo_inv_7param is not there"),
    ):
        client.models()
