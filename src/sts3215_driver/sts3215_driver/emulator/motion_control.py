"""The control loop of the firmware, for all servos at once: registers in, duty out.

Angles are in steps here, as in the firmware. Position mode moves an internal target towards the
goal with a rectangular speed profile (a trapezoidal one where an acceleration is set) and pulls the
shaft after it with a P law; wheel mode is a PI law on speed; PWM mode passes its goal through.

Derivative and integral gain, start force, dead zones and the speed loop's gains are registers
without effect: the motor model was identified with them at factory values.
"""

from __future__ import annotations

import numpy as np

from sts3215_driver.emulator.arrays import Array, Matrix, Switches, filled, switches
from sts3215_driver.emulator.profile import Drive
from sts3215_driver.emulator.register_view import RegisterView
from sts3215_driver.protocol.encoding import decode_extended_offset, decode_sign_magnitude
from sts3215_driver.protocol.units import RAD_PER_STEP, STEPS_PER_TURN

POSITION, WHEEL, PWM, STEP = range(4)
#: "Acceleration 0", step/s^2: high enough for any step of the internal target within one tick.
_UNLIMITED = 1e9
_SETTINGS = (
    "p_gain",
    "min_angle_limit",
    "max_angle_limit",
    "angular_resolution",
    "min_speed",
    "max_speed",
    "max_acceleration",
    "moving_threshold",
)
_SETPOINTS = (
    "torque_enable",
    "acceleration",
    "goal_position",
    "goal_pwm",
    "goal_speed",
    "torque_limit",
)
_GOAL = _SETPOINTS.index("goal_position")
_FARTHEST_GOAL = float(0x7FFFFF)
_DRIVE_REVERSED, _FINE_SPEED, _ZERO_IS_FULL, _MULTI_TURN, _SENSOR_REVERSED = 1, 4, 8, 16, 128


class MotionControl:
    """Internal targets and drive of n servos.

    Args:
        matrix: Registers, (n, WIDTH); read only.
        drive: Gains and limits of the servo model.
        extended_offset: Whether the firmware reads offsets of 0 to 8191.
    """

    def __init__(self, matrix: Matrix, drive: Drive, extended_offset: bool) -> None:
        count = len(matrix)
        self._matrix, self._drive, self._extended = matrix, drive, extended_offset
        self._bits = RegisterView(matrix, ("operating_mode", "phase"))
        self._settings = RegisterView(matrix, _SETTINGS)
        self._setpoints = RegisterView(matrix, _SETPOINTS)
        self._duty_per_step = drive.error_gain * RAD_PER_STEP
        self._damping = drive.velocity_gain * RAD_PER_STEP
        self.position = filled(count)  # in the frame of the firmware: offset and turns removed
        self.speed = filled(count)  # step/s
        self.target = filled(count)
        self.target_speed = filled(count)
        self.duty = filled(count)  # after all limits
        self.demand = filled(count)  # within the limit of torque, before the ceiling
        self.stopped = switches(count)  # by a protection
        self.powered = switches(count, True)
        self.ceiling = filled(count, 1.0)  # of duty, set by the overload protection
        self._origin = filled(count)
        self._raw = filled(count)
        self._step_goal = filled(count)
        self._speed_error = filled(count)
        self.read_settings()

    def read_settings(self) -> None:
        """Take over EEPROM registers after they changed."""
        self.mode, phase = self._bits.raw()
        gain, low, high, resolution, slowest, fastest, hardest, threshold = self._settings.values()
        self._positioning = (self.mode == POSITION) | (self.mode == STEP)
        self._wheel = self.mode == WHEEL
        self._pwm = self.mode == PWM
        self._all_position = bool(self._positioning.all())
        self.multi_turn = (phase & _MULTI_TURN) > 0
        self.speed_unit = np.where(phase & _FINE_SPEED, 1.0, 50.0)
        self._zero_is_full = (phase & _ZERO_IS_FULL) > 0
        self._drive_sign = np.where(phase & _DRIVE_REVERSED, -1.0, 1.0)
        self._sensor_sign = np.where(phase & _SENSOR_REVERSED, -1.0, 1.0)
        self._sensor_shift = np.where(phase & _SENSOR_REVERSED, STEPS_PER_TURN - 1.0, 0.0)
        self.resolution = np.maximum(resolution, 1.0)
        self._gain = self._duty_per_step * gain
        unlimited = low == high
        self._lowest = np.where(unlimited, -_FARTHEST_GOAL, low)
        self._highest = np.where(unlimited, _FARTHEST_GOAL, high)
        self._slowest = 50.0 * slowest
        self._fastest = np.minimum(50.0 * fastest, self._drive.max_speed / RAD_PER_STEP)
        self._hardest = np.where(hardest > 0, 100.0 * hardest, _UNLIMITED)
        self._threshold = np.maximum(50.0 * threshold, 1.0)
        self.read_setpoints()

    def read_setpoints(self) -> None:
        """Take over RAM registers after they changed."""
        torque, acceleration, goal, pwm, speed, limit = self._setpoints.values()
        self.active = (torque == 1) & self.powered & ~self.stopped & (self.mode <= STEP)
        self.connected = self.active | ((torque == 2) & self.powered)
        self._limit = np.minimum(limit / 1000.0, self._drive.duty_limit) * self.active
        goal = np.where(self.mode == STEP, self._step_goal, goal * self.resolution)
        self._goal = np.minimum(np.maximum(goal, self._lowest), self._highest)
        self._rectangular = not acceleration.any()
        self._acceleration = np.where(
            acceleration > 0, np.minimum(100.0 * acceleration, self._hardest), _UNLIMITED
        )
        speed = speed * self.speed_unit
        size = np.minimum(np.maximum(np.abs(speed), self._slowest), self._fastest)
        asked = speed != 0
        self._wheel_speed = np.where(asked, np.copysign(size, speed), 0.0)
        self._top_speed = np.where(asked, size, self._fastest * self._zero_is_full)
        self._pwm_goal = pwm / 1000.0

    def sense(self, raw: Array, speed: Array) -> None:
        """Take over what the encoder sees.

        Args:
            raw: Continuous angle, steps, (n,).
            speed: step/s, (n,).
        """
        self._raw = self._sensor_sign * raw + self._sensor_shift
        self.speed = self._sensor_sign * speed
        self.position = self._raw - self._origin

    def step(self, dt: float) -> Array:
        """One tick of `dt` s; returns the duty for the motors, (n,) -1 to 1."""
        active, position = self.active, self.position
        distance = self._goal - self.target
        fastest = self._top_speed
        if not self._rectangular:
            change = self._acceleration * dt
            half = 0.5 * change
            braking = np.sqrt(half * half + 2.0 * self._acceleration * np.abs(distance)) - half
            fastest = np.minimum(fastest, braking)
        speed = np.minimum(np.maximum(distance / dt, -fastest), fastest)
        if not self._all_position:
            speed = np.where(self._positioning, speed, self._wheel_speed)
        if not self._rectangular:
            before = self.target_speed
            speed = before + np.minimum(np.maximum(speed - before, -change), change)
        speed = speed * active
        self.target_speed = speed
        self.target = np.where(active & self._positioning, self.target + dt * speed, position)
        self._step_goal = np.where(active, self._step_goal, position)
        demand = self._gain * (self.target - position)
        if self._damping:
            demand = demand - self._damping * self.speed
        if not self._all_position:
            demand = np.where(self._wheel, self._speed_law(dt), demand)
            demand = np.where(self._pwm, self._pwm_goal, demand)
        self.demand = np.minimum(np.maximum(demand, -self._limit), self._limit)
        self.duty = np.minimum(np.maximum(self.demand, -self.ceiling), self.ceiling)
        result: Array = self.duty * self._drive_sign
        return result

    def goal_written(self, index: int) -> None:
        """A goal came for servo number `index`; in step mode it counts from the last one."""
        if self.mode[index] == STEP:
            steps = self._setpoints.values()[_GOAL, index]
            self._step_goal[index] += steps * self.resolution[index]

    def reframe(self, index: int) -> None:
        """Offset, mode or turn counter changed: position anew within one turn, target there."""
        offset = self.offset(index) if self.mode[index] in (POSITION, STEP) else 0
        raw = self._raw[index]
        turns = np.floor((np.rint(raw) - offset) / STEPS_PER_TURN)
        self._origin[index] = offset + STEPS_PER_TURN * turns
        position = raw - self._origin[index]
        self.position[index] = self.target[index] = self._step_goal[index] = position
        self.target_speed[index] = self._speed_error[index] = 0.0

    def offset(self, index: int) -> int:
        """The position offset that servo number `index` works with, steps."""
        row = self._matrix[index]
        raw = int(row[31]) | int(row[32]) << 8
        if not self._extended:
            return decode_sign_magnitude(raw, 11)
        return decode_extended_offset(raw) if raw <= 8191 else 0

    def encoder(self, index: int) -> int:
        """What the magnetic encoder of servo number `index` reads, 0 to 4095, without offset."""
        return int(np.rint(self._raw[index])) % STEPS_PER_TURN

    def shown_position(self) -> Array:
        """Present position as the registers show it, steps."""
        position = np.rint(self.position)
        shown = np.where(
            self.multi_turn, np.trunc(position / self.resolution), position % STEPS_PER_TURN
        )
        remaining = np.trunc((self._step_goal - position) / self.resolution)
        result: Array = np.where(self.mode == STEP, remaining, shown)
        return result

    def shown_goal(self) -> Array:
        """Where the internal target stands, as the registers show it, steps."""
        result: Array = np.where(
            self.multi_turn | (self.mode == STEP),
            np.trunc(self.target / self.resolution),
            np.rint(self.target) % STEPS_PER_TURN,
        )
        return result

    def moving(self) -> Switches:
        """Whether each servo is on its way."""
        left = np.abs(self._goal - self.target)
        under_way = self.active & self._positioning & (left > 0.5)
        result: Switches = under_way | (np.abs(self.speed) >= self._threshold)
        return result

    def _speed_law(self, dt: float) -> Array:
        error = (self.target_speed - self.speed) * RAD_PER_STEP
        largest = self._drive.duty_limit / max(self._drive.speed_integral_gain, 1e-9)
        total = np.minimum(np.maximum(self._speed_error + dt * error, -largest), largest)
        self._speed_error = np.where(self.active & self._wheel, total, 0.0)
        result: Array = (
            self._drive.speed_gain * error + self._drive.speed_integral_gain * self._speed_error
        )
        return result
