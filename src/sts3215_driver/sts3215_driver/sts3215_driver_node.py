"""Node `sts3215_driver`: goals in; joint states, servo states and the clock of the robot out."""

from __future__ import annotations

import array
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import UInt64
from std_srvs.srv import SetBool, Trigger

from servo_interfaces.msg import ServoGoal, ServoStates
from stride_base.diagnostics import Report
from stride_base.errors import MISSING, ConfigError, RefusedError
from stride_base.parameters import Param
from stride_base.stride_node import LOOP_QOS, StrideNode, run_node
from sts3215_driver import servo_table
from sts3215_driver.bus_thread import BusThread, Snapshot, State
from sts3215_driver.driver_reports import RateMeter, driver_reports
from sts3215_driver.goals import GoalMerger
from sts3215_driver.session import Session, SessionSettings
from sts3215_driver.transport.serial_port import SerialTransport, wait_for_port

PARAMS = (
    Param("port", "", "serial port of the servo bus, e.g. /dev/ttyACM0"),
    Param("baud_rate", 1_000_000, "bit rate of the port, bit/s", 9600, 4_000_000),
    Param("echo", "auto", "whether the adapter echoes", choices=("auto", "on", "off")),
    Param("servo_file", "", "JSON file with the servos: id, name, mode, sign, zero, min, max"),
    Param("rate", 50.0, "bus cycles per second, Hz", 1.0, 1000.0),
    Param("feedback", "auto", "registers read a cycle", choices=("auto", "short", "long")),
    Param(
        "sync_phase",
        "auto",
        "when a cycle is announced to the motion engine",
        choices=("auto", "after_read", "after_write"),
    ),
    Param("command_timeout", 0.5, "wheels stop without goals for so long, s; 0: never", 0.0, 60.0),
    Param("catch_up_speed", 1.0, "joint speed until goals are reached at first, rad/s", 0.05, 5.0),
    Param("stall_torque", 2.94, "torque at full load register, N m", 0.01, 100.0),
    Param("torque_on_start", True, "whether torque comes on at the start"),
    Param("port_timeout", 10.0, "how long to wait for the port at the start, s", 0.0, 3600.0),
    Param("states_rate", 25.0, "servo_states per second, Hz", 0.1, 1000.0),
)


class Sts3215DriverNode(StrideNode):
    """Drives the servos of one bus. Construction starts the robot or raises StrideError."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__("sts3215_driver", PARAMS, **node_arguments)
        for name in ("servo_file", "port"):
            if not self.text(name):
                raise ConfigError(self.get_name(), "", name, MISSING, f"the {name} of the robot")
        self._servos = servo_table.load(self.text("servo_file"))
        self._merger = GoalMerger(self._servos)
        self._joint_states = self.create_publisher(JointState, "joint_states", LOOP_QOS)
        self._servo_states = self.create_publisher(ServoStates, "servo_states", LOOP_QOS)
        self._battery = self.create_publisher(BatteryState, "battery_state", LOOP_QOS)
        self._sync_step = self.create_publisher(UInt64, "sync_step", LOOP_QOS)
        self._meter = RateMeter()
        self._states_due = self._battery_due = -math.inf
        self._prepare_messages()
        self._session = self._start_session()
        self._wake = self.create_guard_condition(self._publish)
        self._bus = BusThread(self._session, self._wake.trigger)
        self.create_subscription(ServoGoal, "goals", self._on_goals, LOOP_QOS)
        self.create_service(SetBool, "~/set_torque", self._on_set_torque)
        self.create_service(Trigger, "~/stop", self._on_stop)
        self._bus.start()

    @property
    def bus_thread(self) -> BusThread:
        """The running bus thread, for benchmarks and tests."""
        return self._bus

    def reports(self) -> Sequence[Report]:
        return driver_reports(self._bus, self._session, self._meter)

    def close(self) -> None:
        if not self._bus.close():
            self.get_logger().error("the bus thread did not end: torque may still be on")
        elif self._bus.trouble:
            self.get_logger().error(f"torque could not be switched off: {self._bus.trouble}")

    def _start_session(self) -> Session:
        port, baud = self.text("port"), int(self.settings["baud_rate"])
        settings = SessionSettings(
            rate=self.number("rate"),
            baud=baud,
            echo=self.text("echo"),
            feedback=self.text("feedback"),
            sync_phase=self.text("sync_phase"),
            catch_up_speed=self.number("catch_up_speed"),
            command_timeout=self.number("command_timeout"),
        )
        wait_for_port(port, self.number("port_timeout"))
        session = Session(self._servos, lambda: SerialTransport(port, baud), settings)
        session.connect()
        for warning in session.warnings:
            self.get_logger().warning(warning)
        plan = session.cycle.plan
        self.get_logger().info(
            f"{len(self._servos)} servos on {port}: {plan.bus_time * 1e3:.2f} ms of bus in a period "
            f"of {plan.period * 1e3:.2f} ms, {plan.block.length} bytes of feedback, "
            f"sync_step {plan.phase.value}"
        )
        if self.settings["torque_on_start"]:
            session.torque_on()
        return session

    def _prepare_messages(self) -> None:
        names = list(self._servos.names)
        self._joints_message = JointState(name=names)
        self._states_message = ServoStates(name=names, id=list(self._servos.ids))

    def _on_goals(self, message: ServoGoal) -> None:
        if self._bus.state is not State.RUNNING:
            return
        try:
            self._bus.goals = self._merger.merge(
                message.name,
                message.position,
                message.duration,
                message.velocity,
                self._bus.now(),
            )
        except RefusedError as error:
            self.refusals.add("goals", str(error))

    def _on_set_torque(self, request: Any, response: Any) -> Any:
        self._merger.forget()
        response.success, response.message = self._bus.set_torque(request.data)
        return response

    def _on_stop(self, _request: Any, response: Any) -> Any:
        self._merger.forget()
        response.success, response.message = self._bus.stop()
        level = self.get_logger().warning if response.success else self.get_logger().error
        level(f"stop: {response.message}")
        return response

    def _publish(self) -> None:
        """Runs on the executor when the bus thread has news."""
        ticks, snapshots = self._bus.ticks, self._bus.snapshots
        while ticks:
            self._sync_step.publish(UInt64(data=ticks.popleft()))
        while snapshots:
            snapshot = snapshots.popleft()
            self._meter.add(snapshot)
            self._publish_joint_states(snapshot)
            seconds = snapshot.stamp_ns * 1e-9
            if seconds >= self._states_due:
                self._states_due = seconds + 1.0 / self.number("states_rate")
                self._publish_servo_states(snapshot)
            if seconds >= self._battery_due:
                self._battery_due = seconds + 0.5
                self._publish_battery(snapshot)

    def _publish_joint_states(self, snapshot: Snapshot) -> None:
        """Only joints that were read in this cycle: a value is never carried on as if it were new."""
        feedback, message = snapshot.feedback, self._joints_message
        stall = self.number("stall_torque")
        _stamp(message, snapshot)
        fresh = feedback.fresh
        if fresh.all():
            message.name = self._states_message.name
            message.position = _doubles(feedback.position)
            message.velocity = _doubles(feedback.velocity)
            message.effort = _doubles(feedback.load * stall)
        elif fresh.any():
            message.name = [name for name, ok in zip(self._servos.names, fresh, strict=True) if ok]
            message.position = _doubles(feedback.position[fresh])
            message.velocity = _doubles(feedback.velocity[fresh])
            message.effort = _doubles(feedback.load[fresh] * stall)
        else:
            return
        self._joint_states.publish(message)

    def _publish_servo_states(self, snapshot: Snapshot) -> None:
        feedback, message = snapshot.feedback, self._states_message
        _stamp(message, snapshot)
        message.cycle = snapshot.cycle
        message.status = feedback.status.tolist()
        message.flags = feedback.flags.tolist()
        message.torque = snapshot.torque.tolist()
        message.goal_position = _doubles(snapshot.written.position)
        message.goal_velocity = _doubles(snapshot.written.velocity)
        for field in ("age", "position", "velocity", "load", "voltage", "temperature", "current"):
            setattr(message, field, _doubles(getattr(feedback, field)))
        self._servo_states.publish(message)

    def _publish_battery(self, snapshot: Snapshot) -> None:
        """The servos' supply; nothing is said before a servo has told its voltage."""
        voltage = snapshot.feedback.voltage[np.isfinite(snapshot.feedback.voltage)]
        if not len(voltage):
            return
        nan = math.nan
        message = BatteryState(
            voltage=float(np.median(voltage)),
            current=nan,
            charge=nan,
            capacity=nan,
            design_capacity=nan,
            percentage=nan,
            temperature=nan,
            present=True,
        )
        _stamp(message, snapshot)
        self._battery.publish(message)


def _stamp(message: Any, snapshot: Snapshot) -> None:
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(snapshot.stamp_ns, 10**9)


def _doubles(values: NDArray[np.float64]) -> array.array[float]:
    """The array type that generated messages take without looking at each element."""
    return array.array("d", np.ascontiguousarray(values, np.float64).tobytes())


def main() -> None:
    """Run the node until a signal ends it."""
    run_node(Sts3215DriverNode)
