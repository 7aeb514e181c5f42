"""Node `sts3215_driver`: goals in; joint states, servo states and the clock of the robot out.

A managed node. Configure opens the port and looks at every servo; activate reads the pose, makes it the
goal, switches torque on and starts the cycles; deactivate switches torque off. With `autostart` (the
default) it does the first two by itself, and refuses to start with one message if it cannot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import UInt64
from std_srvs.srv import SetBool, Trigger

from joint_module.limits import limits_of
from servo_interfaces.msg import ServoGoal, ServoStates
from servo_interfaces.srv import CalibrateZero
from stride_base.diagnostics import Report
from stride_base.errors import MISSING, ConfigError, RefusedError, StrideError
from stride_base.stride_node import LOOP_QOS, StrideNode, run_node
from sts3215_driver import servo_table
from sts3215_driver.bus_thread import BusThread, State
from sts3215_driver.cycle import CycleCounts
from sts3215_driver.driver_messages import DriverMessages
from sts3215_driver.driver_params import PARAMS
from sts3215_driver.driver_reports import RateMeter, driver_reports, idle_report
from sts3215_driver.errors import BusError
from sts3215_driver.goals import GoalMerger
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.servo_watch import WatchPolicy
from sts3215_driver.session import Session, SessionSettings
from sts3215_driver.tools import calibration
from sts3215_driver.tools.find_port import candidates, find_port
from sts3215_driver.tools.open_port import open_transport
from sts3215_driver.tools.servo_file_edit import write_zeros
from sts3215_driver.transport.base import Transport
from sts3215_driver.transport.boot_text import drain_boot_text
from sts3215_driver.transport.serial_port import wait_for_port

BATTERY_PERIOD = 0.5
#: Value of `port` that stands for the port on which the servos are.
ANY_PORT = "auto"


class Sts3215DriverNode(LifecycleNodeMixin, StrideNode):
    """Drives the servos of one bus. With `autostart`, construction starts the robot or raises
    StrideError."""

    def __init__(self, **node_arguments: Any) -> None:
        StrideNode.__init__(self, "sts3215_driver", PARAMS, **node_arguments)
        LifecycleNodeMixin.__init__(self)
        self._change_state = self._service_change_state.callback
        self._service_change_state.callback = self._on_change_state
        for name in ("servo_file", "port"):
            if not self.text(name):
                raise ConfigError(self.get_name(), "", name, MISSING, self.parameter(name))
        self._use_servos(self._load_servos())
        self._meter = RateMeter()
        rate = self.number("states_rate")
        self._states_period = 1.0 / rate if rate > 0.0 else 0.0
        self._states_due = self._battery_due = -math.inf
        self._failure: StrideError | None = None
        self._session: Session | None = None
        self._bus: BusThread | None = None
        self._told: State | None = None
        self._joint_states = self.create_publisher(JointState, "joint_states", LOOP_QOS)
        self._servo_states = self.create_publisher(ServoStates, "servo_states", LOOP_QOS)
        self._battery = self.create_publisher(BatteryState, "battery_state", LOOP_QOS)
        self._sync_step = self.create_publisher(UInt64, "sync_step", LOOP_QOS)
        self._wake = self.create_guard_condition(self._publish_news)
        self.create_subscription(ServoGoal, "goals", self._on_goals, LOOP_QOS)
        self.create_service(SetBool, "~/set_torque", self._on_set_torque)
        self.create_service(Trigger, "~/stop", self._on_stop)
        self.create_service(CalibrateZero, "~/calibrate_zero", self._on_calibrate_zero)
        #: The constructor says itself why it failed.
        self._starting = bool(self.settings["autostart"])
        if self._starting:
            self._autostart()

    @property
    def bus_thread(self) -> BusThread | None:
        """The running bus thread, None while not active."""
        return self._bus

    @property
    def cycle_counts(self) -> CycleCounts | None:
        """Totals of the bus cycle, None while there is no port."""
        cycle = self._session.newest_cycle if self._session else None
        return cycle.counts if cycle else None

    def reports(self) -> Sequence[Report]:
        if self._bus is None or self._session is None:
            return self.news()
        self._meter.renew()
        return driver_reports(self._bus, self._session, self._meter)

    def news(self) -> Sequence[Report]:
        if self._bus is None or self._session is None:
            return [idle_report(self._state_machine.current_state[1], self._session)]
        return driver_reports(self._bus, self._session, self._meter)

    def close(self) -> None:
        self._end_cycles()
        if self._session is not None:
            self._session.disconnect()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the port, look at every servo, put it into its mode. No torque."""
        return self._transition(self._connect)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Goal := present position, torque, cycles."""
        torque = bool(self.settings["torque_on_start"])
        return self._transition(lambda: self._begin_cycles(torque))

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """No more goals, torque off; the port is opened again by the next activation."""
        return self._transition(self._end_cycles)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Give the port back."""
        return self._transition(self._forget_port)

    def _forget_port(self) -> None:
        self.close()
        self._session = None

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Torque off, and give the port back."""
        return self._transition(self.close)

    def _on_change_state(self, request: Any, response: Any) -> Any:
        """rclpy would end the node, and with it the robot, at a transition that is not possible now."""
        wanted = request.transition
        possible = [transition[:2] for transition in self._state_machine.available_transitions]
        if wanted.label in [label for _, label in possible] or (
            not wanted.label and wanted.id in [number for number, _ in possible]
        ):
            return self._change_state(request, response)
        name = repr(wanted.label) if wanted.label else wanted.id
        labels = ", ".join(label for _, label in possible) or "none"
        self.refusals.add("change_state", f"transition {name} is not possible; possible: {labels}")
        response.success = False
        return response

    def _load_servos(self) -> ServoTable:
        """The servo file, with the limits of the joint module where there is one."""
        servos = servo_table.load(self.text("servo_file"))
        module = self.text("joint_module")
        if not module:
            return servos
        low, high = limits_of(module).position
        return servo_table.tightened(servos, low, high, module)

    def _use_servos(self, servos: ServoTable) -> None:
        self._servos = servos
        self._merger = GoalMerger(servos)
        self._messages = DriverMessages(servos, self.number("stall_torque"))

    def _autostart(self) -> None:
        for trigger in (self.trigger_configure, self.trigger_activate):
            if trigger() != TransitionCallbackReturn.SUCCESS:
                self.close()
                raise self._failure or BusError("the driver could not be started")
        self._starting = False

    def _transition(self, action: Callable[[], None]) -> TransitionCallbackReturn:
        self._failure = None
        try:
            action()
        except StrideError as error:
            self._failure = error
            if not self._starting:
                self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        return TransitionCallbackReturn.SUCCESS

    def _connect(self) -> None:
        port, baud = self.text("port"), int(self.number("baud_rate"))
        settings = SessionSettings(
            rate=self.number("rate"),
            baud=baud,
            latency=self.number("latency"),
            echo=self.text("echo"),
            feedback=self.text("feedback"),
            sync_phase=self.text("sync_phase"),
            catch_up_speed=self.number("catch_up_speed"),
            command_timeout=self.number("command_timeout"),
            policy=WatchPolicy(
                release=self.text("alarm_action") == "release",
                recover_after=self.number("recover_after"),
            ),
        )
        if port != ANY_PORT:
            wait_for_port(port, self.number("port_timeout"), self.is_ending)
        session = Session(self._servos, lambda: self._open(port, baud), settings, self.is_ending)
        session.connect()
        self._session = session
        for warning in session.warnings:
            self.get_logger().warning(warning)
        plan = session.cycle.plan
        self.get_logger().info(
            f"{len(self._servos)} servos on {port}: {plan.bus_time * 1e3:.2f} ms of bus in a period "
            f"of {plan.period * 1e3:.2f} ms, {plan.block.length} bytes of feedback, "
            f"sync_step {plan.phase.value}"
        )

    def _open(self, port: str, baud: int) -> Transport:
        """The named port, or the one on which the robot's servos answer."""
        if port == ANY_PORT:
            port = find_port(self._servos.ids, candidates(), baud)
        transport = open_transport(port, baud)
        drain_boot_text(transport, given_up=self.is_ending)
        return transport

    def _begin_cycles(self, torque: bool) -> None:
        session = self._session
        assert session is not None, "activate follows configure"
        if not session.connected:
            session.connect()
        self._merger.forget()
        if torque:
            try:
                session.torque_on()
            except StrideError:
                # The next attempt opens the port anew.
                session.disconnect()
                raise
        self._meter = RateMeter()
        self._bus = BusThread(session, self._wake.trigger)
        self._bus.start()

    def _end_cycles(self) -> None:
        bus, self._bus = self._bus, None
        if bus is None:
            return
        if not bus.close():
            self.get_logger().error("the bus thread did not end: torque may still be on")
        elif bus.trouble:
            self.get_logger().error(f"torque may still be on: {bus.trouble}")

    def _on_goals(self, message: ServoGoal) -> None:
        bus = self._bus
        if bus is None or bus.state is not State.RUNNING:
            return
        if bus.goals is None:
            # Torque came on anew, and nothing older may move a joint.
            self._merger.forget()
        try:
            bus.goals = self._merger.merge(
                message.name, message.position, message.duration, message.velocity, bus.now()
            )
        except RefusedError as error:
            self.refusals.add("goals", str(error))

    def _on_set_torque(self, request: Any, response: Any) -> Any:
        if not request.data:
            response.success, response.message = self._stop()
        elif self._bus is None:
            response.success, response.message = False, "the driver is not active"
        else:
            self._merger.forget()
            response.success, response.message = self._bus.set_torque(True)
        self.tell_soon()
        return response

    def _on_stop(self, _request: Any, response: Any) -> Any:
        response.success, response.message = self._stop()
        # Each level at a place of its own: rclpy raises where one place changes its level.
        if response.success:
            self.get_logger().warning(f"stop: {response.message}")
        else:
            self.get_logger().error(f"stop: {response.message}")
        self.tell_soon()
        return response

    def _stop(self) -> tuple[bool, str]:
        """Torque off, with cycles or without."""
        self._merger.forget()
        if self._bus is not None and self._bus.alive:
            return self._bus.stop()
        if self._session is None:
            return False, (
                "the driver is not configured and has no port, so nothing was sent: torque may be "
                "on; configure it and stop again, or take the power away"
            )
        return self._session.stop()

    def _on_calibrate_zero(self, request: Any, response: Any) -> Any:
        """Measure, write the zeros into the servo file, and go on with them; torque stays off."""
        try:
            if self._bus is None:
                raise RefusedError("the driver is not active")
            indices = calibration.select(self._servos, request.name)
            servos = self._servos
            zeros = self._bus.measure(lambda bus: calibration.measure_zero(bus, servos, indices))
            names = [servos.names[index] for index in indices]
            write_zeros(self.text("servo_file"), dict(zip(names, zeros.tolist(), strict=True)))
            self._end_cycles()
            self._use_servos(self._load_servos())
            self._connect()
            self._begin_cycles(torque=False)
        except StrideError as error:
            response.success, response.message = False, str(error)
            return response
        response.success, response.zero = True, zeros.tolist()
        response.message = f"zero of {', '.join(names)} is in {self.text('servo_file')}"
        return response

    def _publish_news(self) -> None:
        """Runs on the executor when the bus thread has news."""
        bus = self._bus
        if bus is None:
            return
        if bus.state is not self._told:
            self._told = bus.state
            self.tell_soon()
        while bus.ticks:
            self._sync_step.publish(UInt64(data=bus.ticks.popleft()))
        while bus.snapshots:
            snapshot = bus.snapshots.popleft()
            self._meter.add(snapshot)
            joints = self._messages.joint_states(snapshot)
            if joints is not None:
                self._joint_states.publish(joints)
            seconds = snapshot.read_at
            if seconds >= self._states_due:
                self._states_due = seconds + self._states_period
                self._servo_states.publish(self._messages.servo_states(snapshot))
            if seconds >= self._battery_due:
                self._battery_due = seconds + BATTERY_PERIOD
                battery = self._messages.battery(snapshot)
                if battery is not None:
                    self._battery.publish(battery)


def main() -> None:
    """Run the node until a signal ends it."""
    run_node(Sts3215DriverNode)


if __name__ == "__main__":
    main()
