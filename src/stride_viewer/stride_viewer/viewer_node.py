"""Node `stride_viewer`: what the page knows of a robot comes in here, and what it asks for goes out.

Topics are looked at when the page wants to draw, and only their newest messages: at 150 Hz a callback
for each would cost more than everything else. The executor serves this node's diagnostics and answers of
services.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Pose, Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.callback_groups import CallbackGroup
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Float64, String
from std_srvs.srv import SetBool, Trigger

from servo_interfaces.msg import ServoStates
from servo_interfaces.srv import SelectSequence
from stride_base.diagnostics import Level, Report
from stride_base.stride_node import LOOP_QOS, StrideNode
from stride_viewer.answer import Answer
from stride_viewer.condition import DRIVER
from stride_viewer.pilot import Velocity
from stride_viewer.telemetry import VIEWER, Telemetry
from stride_viewer.viewer_params import PARAMS

#: The newest is enough, and a slow reader must not make the robot's nodes send anything again.
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
ALL = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
HEXAPOD = "hexapod_motion"
#: How long a service may take, s. The driver reads back every servo after a stop.
ANSWER_TIME = 5.0
#: How long a service is looked for, s: one that was started just now is not known everywhere yet.
SEARCH_TIME, SEARCH_PERIOD = 1.0, 0.05


class Polled(CallbackGroup):
    """Subscriptions that no executor serves, because somebody takes their messages by hand."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        """Nothing was begun."""


@dataclass(frozen=True)
class _Topic:
    name: str
    kind: Any
    qos: QoSProfile


_TOPICS = (
    _Topic("joints_fixed", JointState, NEWEST),
    _Topic("joint_states", JointState, NEWEST),
    _Topic("servo_states", ServoStates, NEWEST),
    _Topic("battery_state", BatteryState, NEWEST),
    _Topic("ground_truth", Odometry, NEWEST),
    _Topic("odom", Odometry, NEWEST),
    _Topic("steering", Float64, NEWEST),
    _Topic("robot_description", String, LATCHED),
    _Topic("/diagnostics", DiagnosticArray, ALL),
)


class ViewerNode(StrideNode):
    """The robot's topics and services, for the page; see docs/stride_viewer.md."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__(VIEWER, PARAMS, **node_arguments)
        self.telemetry = Telemetry(self.get_namespace().rstrip("/"))
        self.pages = 0
        polled = Polled()
        self._subscriptions_of_page = [
            (
                topic.name,
                self.create_subscription(
                    topic.kind, topic.name, _nothing, topic.qos, callback_group=polled
                ),
            )
            for topic in _TOPICS
        ]
        self._steering = self.create_publisher(Float64, "steering", LOOP_QOS)
        self._velocity = self.create_publisher(Twist, "cmd_vel", LOOP_QOS)
        self._body_pose = self.create_publisher(Pose, "body_pose", LOOP_QOS)
        self._stop = self.create_client(Trigger, f"{DRIVER}/stop")
        self._torque = self.create_client(SetBool, f"{DRIVER}/set_torque")
        self._sequence = self.create_client(SelectSequence, f"{HEXAPOD}/select_sequence")
        self._fault = self.create_client(Trigger, f"{HEXAPOD}/reset_fault")
        self._parameters = self.create_client(SetParameters, f"{HEXAPOD}/set_parameters")

    def reports(self) -> Sequence[Report]:
        return [Report("", Level.OK, f"{self.pages} pages are open", {"pages": self.pages})]

    def time(self) -> float:
        """Steady time of this computer, s."""
        return time.monotonic()

    def poll(self, now: float) -> None:
        """Take what came since the last call."""
        for name, subscription in self._subscriptions_of_page:
            # Not more than were kept: a publisher that is faster than we are must not keep us from STOP.
            with subscription.handle:
                for _ in range(subscription.qos_profile.depth):
                    taken = subscription.handle.take_message(subscription.msg_type, False)
                    if taken is None:
                        break
                    self.telemetry.take(name, taken[0], now)

    def steer(self, value: float) -> None:
        """Publish steering, -1 to 1."""
        self._steering.publish(Float64(data=value))

    def drive(self, velocity: Velocity) -> None:
        """Publish a velocity."""
        message = Twist()
        message.linear.x, message.linear.y = velocity.forward, velocity.left
        message.angular.z = velocity.turn
        self._velocity.publish(message)

    def hold_body(self, position: Sequence[float], angles: Sequence[float]) -> None:
        """Publish a pose of the body against the standing body: m; roll, pitch, yaw in rad."""
        message = Pose()
        place, turned = message.position, message.orientation
        place.x, place.y, place.z = map(float, position)
        turned.x, turned.y, turned.z, turned.w = Rotation.from_euler("xyz", angles).as_quat()
        self._body_pose.publish(message)

    async def stop(self) -> Answer:
        """The emergency stop: no more goals, torque off everywhere."""
        self.drive(Velocity())
        return _trigger_answer(await self._call(self._stop, Trigger.Request()))

    async def set_torque(self, on: bool) -> Answer:
        """Torque on, with every goal on the present pose, or off."""
        return _trigger_answer(await self._call(self._torque, SetBool.Request(data=on)))

    async def select_sequence(self, name: str) -> Answer:
        """Ask for a sequence; NONE stops."""
        answer = await self._call(self._sequence, SelectSequence.Request(name=name))
        if isinstance(answer, Answer):
            return answer
        return Answer(answer.accepted, answer.reason)

    async def reset_fault(self) -> Answer:
        """Let the motion engine let go of a fault."""
        return _trigger_answer(await self._call(self._fault, Trigger.Request()))

    async def set_gait(self, name: str) -> Answer:
        """Walk with another gait."""
        gait = Parameter("gait", value=name).to_parameter_msg()
        answer = await self._call(self._parameters, SetParameters.Request(parameters=[gait]))
        if isinstance(answer, Answer):
            return answer
        result = answer.results[0]
        return Answer(result.successful, result.reason or f"gait {name}")

    async def _call(self, client: Any, request: Any) -> Any:
        """A service's response, or an Answer why there is none."""
        loop, name = asyncio.get_running_loop(), self.resolve_service_name(client.srv_name)
        end = loop.time() + SEARCH_TIME
        while not client.service_is_ready():
            if loop.time() >= end:
                return Answer(False, f"nobody offers {name}")
            await asyncio.sleep(SEARCH_PERIOD)
        done: asyncio.Future[Any] = loop.create_future()

        def finish(future: Any) -> None:
            loop.call_soon_threadsafe(_settle, done, future)

        future = client.call_async(request)
        future.add_done_callback(finish)
        try:
            return await asyncio.wait_for(done, ANSWER_TIME)
        except asyncio.TimeoutError:
            client.remove_pending_request(future)
            return Answer(False, f"{name} did not answer within {ANSWER_TIME:g} s")


def _settle(done: asyncio.Future[Any], future: Any) -> None:
    if done.done():
        return
    error = future.exception()
    if error is not None:
        done.set_result(Answer(False, str(error)))
    else:
        done.set_result(future.result())


def _trigger_answer(response: Any) -> Answer:
    if isinstance(response, Answer):
        return response
    return Answer(response.success, response.message)


def _nothing(_message: Any) -> None:
    """Never called: see Polled."""
