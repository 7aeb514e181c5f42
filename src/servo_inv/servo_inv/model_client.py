"""Talks to a running `servo_inv_7param`: which models it uses, and new ones for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Trigger

from servo_interfaces.msg import ServoModel as ServoModelMessage
from servo_inv.model_file import parse_models
from servo_inv.model_list import ModelList
from servo_inv.servo_inv_7param_node import MODEL_QOS
from servo_inv.servo_model import ServoModel
from stride_base.errors import RefusedError


class ModelClient:
    """A node of its own, in the namespace of the robot.

    Args:
        context: ROS context, initialised.
        namespace: Of the robot, e.g. ``/robot1``.
        target: Name of the inverse model node.
        patience: How long to wait for it, s.
    """

    def __init__(
        self,
        context: Context,
        namespace: str = "/",
        target: str = "servo_inv_7param",
        patience: float = 5.0,
    ) -> None:
        self._target, self._patience = target, patience
        self._node = Node("stride_model", context=context, namespace=namespace)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._publisher = self._node.create_publisher(ServoModelMessage, "servo_model", MODEL_QOS)
        self._show = self._node.create_client(Trigger, f"{target}/show_models")

    def __enter__(self) -> ModelClient:
        return self

    def __exit__(self, *_error: object) -> None:
        self._executor.shutdown()
        self._node.destroy_node()

    def models(self) -> ModelList:
        """The models that the node uses now.

        Raises:
            RefusedError: it does not answer.
        """
        self._wait(
            self._show.service_is_ready,
            "is not there: is the robot up with --inverse 7param, in this namespace?",
        )
        answer: Any = self._show.call_async(Trigger.Request())
        self._wait(answer.done, "does not answer")
        return parse_models(answer.result().message, self._target)

    def push(self, models: Sequence[ServoModel]) -> None:
        """Make the node use `models`, and see that it does.

        Raises:
            RefusedError: it does not listen, or does not use some of them.
        """
        self.models()
        self._wait(lambda: self._publisher.get_subscription_count() > 0, "does not listen")
        for model in models:
            self._publisher.publish(ServoModelMessage(name=model.name, **model.numbers()))
        end = time.monotonic() + self._patience
        while True:
            used = self.models()
            left = [model.name for model in models if used.of(model.name) != model]
            if not left:
                return
            if time.monotonic() > end:
                raise RefusedError(
                    f"{self._target} did not take the model of {', '.join(left)}; its log says why"
                )

    def _wait(self, happened: Callable[[], bool], otherwise: str) -> None:
        end = time.monotonic() + self._patience
        while not happened():
            if time.monotonic() > end:
                place = self._node.get_namespace().rstrip("/")
                raise RefusedError(f"{place}/{self._target} {otherwise}")
            self._executor.spin_once(timeout_sec=0.1)
