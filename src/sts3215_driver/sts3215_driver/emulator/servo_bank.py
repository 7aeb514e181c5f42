"""All servos of a robot and what they move, on one grid of time.

Motion advances in fixed steps counted from the first call, whoever asks and however often, so the
same requests at the same times give the same bytes, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sts3215_driver.emulator.firmware import Firmware
from sts3215_driver.emulator.motion_control import MotionControl
from sts3215_driver.emulator.plant import BenchPlant, Plant
from sts3215_driver.emulator.profile import Profile, load_profile
from sts3215_driver.emulator.protection import PERIOD, Protection
from sts3215_driver.emulator.register_view import WIDTH, RegisterView
from sts3215_driver.emulator.servo import Servo
from sts3215_driver.emulator.servo_memory import Effect, ServoMemory, touched
from sts3215_driver.emulator.thermal import ThermalModel
from sts3215_driver.protocol.registers import BY_NAME, REGISTER_COUNT
from sts3215_driver.protocol.units import AMPERE_PER_COUNT, RAD_PER_STEP, VOLT_PER_COUNT

STEP = 0.002
_STEPS_PER_PERIOD = round(PERIOD / STEP)
_MEASURED = (
    "present_position",
    "present_speed",
    "present_load",
    "present_voltage",
    "present_temperature",
    "moving",
    "present_goal",
    "present_current",
)


class ServoBank:
    """n servos with their registers, firmware and bodies.

    Args:
        ids: Their ids, in any order; equal ones collide on the bus.
        settings: Per servo, EEPROM registers that differ from a new one, by name.
        profile: Servo model.
        firmware: Behaviour of the firmware.
        plant: What they move; a bench with free shafts if left out.
        zero: Encoder steps at which the plant's position is 0, (n,).
    """

    def __init__(
        self,
        ids: Sequence[int],
        settings: Sequence[Mapping[str, int]] | None = None,
        profile: Profile | None = None,
        firmware: Firmware | None = None,
        plant: Plant | None = None,
        zero: Sequence[int] | None = None,
    ) -> None:
        self.profile = profile if profile is not None else load_profile()
        self.firmware = firmware if firmware is not None else Firmware()
        count = len(ids)
        self.plant: Plant = plant if plant is not None else BenchPlant(self.profile, count)
        self.matrix = np.zeros((count, WIDTH), dtype=np.uint8)
        self.servos: list[Servo] = []
        for index, servo_id in enumerate(ids):
            values = {"id": servo_id, **(settings[index] if settings is not None else {})}
            memory = ServoMemory(values, self.firmware, self.matrix[index, :REGISTER_COUNT].data)
            self.servos.append(Servo(index, memory, self, self.profile.electronics))
        extended = self.firmware.extended_offset
        self.control = MotionControl(self.matrix, self.profile.drive, extended)
        latched = self.firmware.overload == "latched"
        self.protection = Protection(self.matrix, latched)
        self._clears_overload = Effect.TORQUE if latched else Effect.TORQUE | Effect.NEW_GOAL
        self.thermal = ThermalModel(self.profile, count)
        self._zero = np.array(zero if zero is not None else [2048] * count, dtype=np.float64)
        self._measured = RegisterView(self.matrix, _MEASURED)
        self._shown = np.zeros((len(_MEASURED), count))
        #: Time that was left out, s, see `skip`.
        self.skipped = 0.0
        self._start: float | None = None
        self._steps = 0
        self._stale = True
        self._settings_changed = self._setpoints_changed = False
        self._by_id: dict[int, list[Servo]] | None = None
        self._sense()
        for index in range(count):
            self.control.reframe(index)

    @property
    def time(self) -> float:
        """Time up to which motion is computed, s."""
        return 0.0 if self._start is None else self._start + self._steps * STEP

    @property
    def elapsed(self) -> float:
        """Time that motion has covered so far, s."""
        return self._steps * STEP

    def addressed(self, servo_id: int) -> Sequence[Servo]:
        """Servos with that id; more than one only by mistake."""
        if self._by_id is None:
            self._by_id = {}
            for servo in self.servos:
                self._by_id.setdefault(servo.id, []).append(servo)
        return self._by_id.get(servo_id, ())

    def advance(self, until: float) -> None:
        """Move on to the last grid point that is not after `until` (s)."""
        if self._start is None:
            self._start = until
        steps = int((until - self._start) / STEP + 1e-6)
        while self._steps < steps:
            self._step()

    def skip(self, now: float, most: float) -> None:
        """Leave out the time until `now` (s) where it is more than `most` (s) ahead of motion."""
        lag = 0.0 if self._start is None else now - self.time
        if self._start is not None and lag > most:
            self._start += lag
            self.skipped += lag

    def changed(self, index: int, effects: int) -> None:
        """Servo number `index` had registers written; `effects` are bits of Effect."""
        if effects & (Effect.OFFSET | Effect.MODE):
            self.control.read_settings()
            self.control.reframe(index)
        if effects & Effect.SETTING:
            self._settings_changed = True
        if effects & Effect.SETPOINT:
            self._setpoints_changed = True
        if effects & Effect.GOAL:
            if self._settings_changed:
                self._apply_settings()
            self.control.goal_written(index)
        if effects & self._clears_overload and self.protection.overloaded(index):
            self.protection.clear_overload(index)
            self._limit_drive()
        if effects & Effect.ID:
            self._by_id = None
        self._stale = True

    def restarted(self, index: int, running: bool) -> None:
        """Servo number `index` lost power (or got it back): its RAM is new, its motor free."""
        self.control.powered[index] = running
        self.protection.clear(index)
        self.control.read_settings()
        self.protection.read_settings()
        self.control.reframe(index)
        self.control.read_setpoints()
        self._by_id = None
        self._stale = True

    def encoder(self, index: int) -> int:
        """Encoder reading of servo number `index` without offset, 0 to 4095."""
        return self.control.encoder(index)

    def reset_turns(self, index: int) -> None:
        """Count the turns of servo number `index` from here."""
        self.control.reframe(index)
        self._setpoints_changed = self._stale = True

    def publish(self) -> None:
        """Bring the registers that servos only read up to date."""
        if not self._stale:
            return
        self._stale = False
        self._apply_settings()
        control, state, shown = self.control, self.plant.state, self._shown
        shown[0] = control.shown_position()
        shown[1] = control.speed / control.speed_unit
        shown[2] = 1000.0 * control.duty
        shown[3] = state.voltage / VOLT_PER_COUNT
        shown[4] = self.thermal.temperature
        shown[5] = control.moving()
        shown[6] = control.shown_goal()
        shown[7] = state.current / AMPERE_PER_COUNT
        self._measured.write(shown)
        for servo in self.servos:
            for name, raw in servo.overrides.items():
                servo.memory.put(name, raw)

    def touch(self) -> None:
        """Have the measurements computed anew when they are next read."""
        self._stale = True

    def force_alarms(self, index: int, flags: int) -> None:
        """Show alarms (and act on them) whatever is measured; 0 ends that."""
        self.protection.forced[index] = flags
        self.protection.publish()
        self._limit_drive()

    def force_register(self, servo: Servo, name: str, raw: int) -> None:
        """Put a raw value into a register, past all rules; a measurement keeps it."""
        if name in _MEASURED:
            servo.overrides[name] = raw
        else:
            servo.memory.put(name, raw)
            register = BY_NAME[name]
            self.changed(servo.index, touched(register.address, register.size))
        self._stale = True

    def place(self, index: int, steps: float) -> None:
        """Turn the shaft of servo number `index` by hand to an encoder position, at rest."""
        self.plant.place(index, float((steps - self._zero[index]) * RAD_PER_STEP))
        self._sense()
        self.control.reframe(index)
        self._stale = True

    def _limit_drive(self) -> None:
        self.control.ceiling = self.protection.ceiling()
        stopped = self.protection.stopped()
        if (stopped != self.control.stopped).any():
            self.control.stopped = stopped
            self._setpoints_changed = True

    def _apply_settings(self) -> None:
        if self._settings_changed:
            self.control.read_settings()
            self.protection.read_settings()
        elif self._setpoints_changed:
            self.control.read_setpoints()
        self._settings_changed = self._setpoints_changed = False

    def _sense(self) -> None:
        state = self.plant.state
        raw = self._zero + state.position / RAD_PER_STEP
        self.control.sense(raw, state.velocity / RAD_PER_STEP)

    def _step(self) -> None:
        self._apply_settings()
        control = self.control
        duty = control.step(STEP)
        self.plant.advance(STEP, duty, control.connected)
        self._sense()
        self._steps += 1
        self._stale = True
        if self._steps % _STEPS_PER_PERIOD == 0:
            self._protect()

    def _protect(self) -> None:
        state, control, protection = self.plant.state, self.control, self.protection
        self.thermal.advance(PERIOD, state.current)
        released = protection.step(
            state.voltage,
            self.thermal.temperature,
            state.current,
            control.demand,
            control.position,
        )
        self._setpoints_changed |= bool(released.any())
        self._limit_drive()
        threshold = self.profile.electronics.brownout_voltage
        if state.voltage.min(initial=threshold) < threshold:
            for index in np.flatnonzero(state.voltage < threshold):
                self.servos[index].brown_out(self.time)
