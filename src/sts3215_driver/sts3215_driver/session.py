"""A connection to the servos from opening the port to giving it back. Not for two threads at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sts3215_driver import start_up
from sts3215_driver.bus import Bus, BusCounts
from sts3215_driver.clock import Clock
from sts3215_driver.cycle import DriverCycle
from sts3215_driver.cycle_plan import plan_cycle
from sts3215_driver.errors import BusError, PortError, StartError
from sts3215_driver.servo_table import ServoTable
from sts3215_driver.servo_watch import WatchPolicy
from sts3215_driver.timing import BusTiming
from sts3215_driver.tools.board import probe
from sts3215_driver.transport.base import Transport

TORQUE_OFF, TORQUE_ON, TORQUE_UNKNOWN = 0, 1, 255


@dataclass(frozen=True)
class SessionSettings:
    """How to talk to the servos.

    Args:
        rate: Cycles per second, Hz.
        baud: Bit rate, bit/s.
        latency: Longest extra delay of adapter and operating system, s; then learned from the line.
        echo: ``auto``, ``on`` or ``off``: whether the adapter sends back what we write.
        feedback: ``auto``, ``short`` or ``long``, see `plan_cycle`.
        sync_phase: ``auto``, ``after_read`` or ``after_write``, see `plan_cycle`.
        catch_up_speed: Fastest way back to the goals after torque came on, rad/s.
        command_timeout: Wheels stop without goals for this time, s; 0: never.
        policy: When a servo is no longer driven.
    """

    rate: float = 50.0
    baud: int = 1_000_000
    latency: float = 0.003
    echo: str = "auto"
    feedback: str = "auto"
    sync_phase: str = "auto"
    catch_up_speed: float = 1.0
    command_timeout: float = 0.5
    policy: WatchPolicy = field(default_factory=WatchPolicy)


class Session:
    """Servos behind a port.

    Args:
        servos: Servo table.
        open_port: Opens the transport anew at each `connect`; raises PortError.
        settings: How to talk.
        given_up: Whether nobody needs a connection any more; looked at while there is no torque.
    """

    def __init__(
        self,
        servos: ServoTable,
        open_port: Callable[[], Transport],
        settings: SessionSettings,
        given_up: Callable[[], bool] = lambda: False,
    ) -> None:
        self.servos, self.settings = servos, settings
        self._open_port, self._given_up = open_port, given_up
        self._bus: Bus | None = None
        self._cycle: DriverCycle | None = None
        self.warnings: tuple[str, ...] = ()
        #: (n,) what was commanded to all and confirmed by each.
        self.torque: NDArray[np.uint8] = np.full(len(servos), TORQUE_UNKNOWN, np.uint8)
        self.bus_counts = BusCounts()

    @property
    def bus(self) -> Bus:
        """The open bus; PortError without one."""
        if self._bus is None:
            raise PortError("the port is not open")
        return self._bus

    @property
    def connected(self) -> bool:
        """Whether the port is open."""
        return self._bus is not None

    @property
    def cycle(self) -> DriverCycle:
        """The bus cycle; PortError before `connect`."""
        if self._cycle is None:
            raise PortError("the port is not open")
        return self._cycle

    @property
    def newest_cycle(self) -> DriverCycle | None:
        """The bus cycle, None while there is none; for threads that do not own the session."""
        return self._cycle

    def torque_now(self) -> NDArray[np.uint8]:
        """(n,) torque of each servo as last read or written; unknown where it may have changed."""
        cycle = self._cycle
        if cycle is None:
            return self.torque
        watch = cycle.watch
        if watch.drivable.all() or not (self.torque == TORQUE_ON).all():
            return self.torque
        others = np.where(watch.free, TORQUE_OFF, TORQUE_UNKNOWN)
        return np.where(watch.drivable, TORQUE_ON, others).astype(np.uint8)

    @property
    def clock(self) -> Clock:
        """The clock of the open port."""
        return self.bus.transport.clock

    def connect(self) -> None:
        """Open the port and look at every servo. No torque.

        Raises:
            PortError, StartError
        """
        settings = self.settings
        self.torque = np.full(len(self.servos), TORQUE_UNKNOWN, np.uint8)
        heard = self.bus_counts.replies
        bus = self._open_bus()
        transport = bus.transport
        try:
            inspection = start_up.inspect(bus, self.servos, self._given_up)
        except StartError as error:
            nobody_answers = self.bus_counts.replies == heard and not self._given_up()
            board = probe(transport) if nobody_answers else None
            transport.close()
            if board is None:
                raise
            raise StartError(f"{error}; on this port is {board}") from error
        except BaseException:
            transport.close()
            raise
        self._bus = bus
        self.warnings = inspection.warnings
        plan = plan_cycle(
            bus.timing, len(self.servos), settings.rate, settings.feedback, settings.sync_phase
        )
        self._cycle = DriverCycle(
            bus,
            self.servos,
            plan,
            inspection,
            settings.catch_up_speed,
            settings.command_timeout,
            settings.policy,
        )

    def free_unseen(self) -> tuple[str, ...]:
        """Open the port anew only to switch torque off, without a look at the servos before.

        Returns:
            Who still holds, one sentence each.

        Raises:
            PortError
        """
        self.disconnect()
        self._bus = self._open_bus()
        return self._free()

    def _open_bus(self) -> Bus:
        settings = self.settings
        transport = self._open_port()
        timing = BusTiming(baud=settings.baud, latency=settings.latency, echo=settings.echo == "on")
        bus = Bus(transport, timing)
        # Totals go on over a reconnection.
        bus.counts = self.bus_counts
        try:
            if settings.echo == "auto":
                bus.learn_echo()
        except BaseException:
            transport.close()
            raise
        return bus

    def torque_on(self) -> None:
        """Goal := present position, then torque on. Raises StartError, PortError."""
        self.cycle.seed(start_up.torque_on(self.bus, self.servos))
        self.torque = np.full(len(self.servos), TORQUE_ON, np.uint8)

    def torque_off(self) -> tuple[str, ...]:
        """Torque off; who still holds, one sentence each. Raises PortError."""
        self.cycle.free()
        return self._free()

    def stop(self) -> tuple[bool, str]:
        """Torque off while no cycles run, over the open port or, without one, a port opened for it.

        Returns:
            Whether all are free, and a sentence.
        """
        ways = [self.torque_off, self._free_once] if self.connected else [self._free_once]
        trouble = ""
        for way in ways:
            try:
                return self.stopped(way())
            except BusError as error:
                # An open port may be lost, and back under its name.
                trouble = f"{error}; torque may still be on"
        return False, trouble

    def stopped(self, holding: Sequence[str]) -> tuple[bool, str]:
        """What to answer after torque off, with `holding` from `torque_off`."""
        if holding:
            return False, "torque off was sent to all, but " + "; ".join(holding)
        return True, f"torque is off on all {len(self.servos)} servos"

    def _free_once(self) -> tuple[str, ...]:
        try:
            return self.free_unseen()
        finally:
            self.disconnect()

    def _free(self) -> tuple[str, ...]:
        self.torque = np.full(len(self.servos), TORQUE_UNKNOWN, np.uint8)
        holding = start_up.torque_off(self.bus, self.servos)
        if not holding:
            self.torque = np.full(len(self.servos), TORQUE_OFF, np.uint8)
        return holding

    def disconnect(self) -> None:
        """Give the port back; the servos stay as they are, and whoever had torque may lose it unseen."""
        self.torque = np.where(self.torque == TORQUE_OFF, TORQUE_OFF, TORQUE_UNKNOWN).astype(
            np.uint8
        )
        if self._bus is not None:
            self._bus.transport.close()
        self._bus = None
        self._cycle = None
