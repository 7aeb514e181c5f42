"""Seven parameters from signals: linear least squares inside a search over the Stribeck curve.

    target - position = [v, a, s/k, s*beta/k, tau/k^2] . [a0 .. a4] / (kp*V),
    beta = exp(-|k*v/qs|^delta),   s = sign(v),   k = kgear

For given (qs, delta) that is linear; these two are searched within bounds (variable projection).
Only the ratios to kp can be seen, so kp is a setting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from servo_inv.identification.separability import Separability, separability
from servo_inv.identification.signals import Signals
from servo_inv.joint_message import BoolArray, FloatArray
from servo_inv.saturation import STS3215_LIMIT
from servo_inv.servo_model import ServoModel
from stride_base.errors import ConfigError, RefusedError

LINEAR = ("viscous", "inertia", "coulomb", "stribeck", "torque")
CURVE = ("stribeck_velocity", "stribeck_exponent")
#: Directions of the scaled columns weaker than this keep the prior: they would only fit noise.
WEAKEST = 1e-3
#: A searched parameter is at its bound within this share of the (logarithmic) range.
AT_BOUND = 0.01
FEWEST_MOVING = 30


@dataclass(frozen=True)
class FitSettings:
    """What is known or decided before the fit.

    Args:
        kp, kgear: Settings of the model; kp may be any unit.
        velocity_bounds, exponent_bounds: Of the Stribeck curve; rad/s on the servo side, and a number.
        slowest: Samples slower than this say nothing about dry friction and are left out, rad/s.
        saturation: Distance from target to position that saturates the drive, rad on the servo side.
        prior: Model whose parameters stay where the samples say nothing; None: zeros.

    Raises:
        ConfigError: a number that is not above 0, or bounds that are not in order.
    """

    kp: float = 0.166 * 32
    kgear: float = 1.0
    velocity_bounds: tuple[float, float] = (0.02, 2.0)
    exponent_bounds: tuple[float, float] = (0.3, 20.0)
    slowest: float = 0.03
    saturation: float = STS3215_LIMIT
    prior: ServoModel | None = None

    def __post_init__(self) -> None:
        for name in ("kp", "kgear", "slowest", "saturation"):
            value = getattr(self, name)
            if not 0.0 < value < np.inf:
                raise ConfigError("identification", "", name, value, "a number greater than 0")
        for name in ("velocity_bounds", "exponent_bounds"):
            low, high = getattr(self, name)
            if not 0.0 < low < high < np.inf:
                expected = "two numbers greater than 0, the smaller one first"
                raise ConfigError("identification", "", name, (low, high), expected)


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and how far it can be trusted.

    Args:
        model: The servo model.
        half_width: 95 % confidence of each parameter, +-; infinite where the samples say nothing.
        at_bound: Searched parameters that ended at a bound.
        separability: Of the linear parameters.
        curve_seen: Whether Stribeck friction could be told from the other terms; else it keeps the
            prior, and the Stribeck curve too.
        residual: (m,) rad, what the model leaves of the distance from position to target.
        used: (m,) samples of the fit.
        settings: Of the fit.
    """

    model: ServoModel
    half_width: dict[str, float]
    at_bound: tuple[str, ...]
    separability: Separability
    curve_seen: bool
    residual: FloatArray
    used: BoolArray
    settings: FitSettings


def usable(signals: Signals, settings: FitSettings) -> BoolArray:
    """(m,) samples that the model must explain: measured, moving, drive not saturated."""
    moving = np.abs(signals.velocity) > settings.slowest
    return signals.whole & moving & ~saturated(signals, settings)


def saturated(signals: Signals, settings: FitSettings) -> BoolArray:
    """(m,) samples in which the drive gives all it has, so that the model does not hold."""
    return np.abs(signals.distance) * settings.kgear > 0.95 * settings.saturation


def fit(signals: Signals, settings: FitSettings, chosen: BoolArray | None = None) -> Fit:
    """Fit the seven parameters; without the Stribeck curve where the samples do not show it.

    Args:
        signals: Of one joint.
        settings: See there.
        chosen: (m,) samples that may be used; None: all.

    Raises:
        RefusedError: too few samples are usable.
    """
    used = usable(signals, settings)
    if chosen is not None:
        used &= chosen
    if used.sum() < FEWEST_MOVING:
        raise RefusedError(
            f"only {used.sum()} samples move (faster than {settings.slowest:g} rad/s, drive not "
            f"saturated, none missing around); expected {FEWEST_MOVING} at least"
        )
    found = _Regression(signals, settings, used).solve()
    seen = abs(found.model.stribeck) > found.half_width["stribeck"]
    if seen and not any("stribeck" in group for group in found.separability.groups):
        return found
    return _Regression(signals, settings, used, with_curve=False).solve()


class _Regression:
    """The least squares problem of one joint; parameters that are not free keep the prior."""

    def __init__(
        self, signals: Signals, settings: FitSettings, used: BoolArray, with_curve: bool = True
    ) -> None:
        self._signals, self._settings, self._used = signals, settings, used
        self._known = signals.distance[used]
        self._with_curve = with_curve
        self._free = np.array([with_curve or name != "stribeck" for name in LINEAR])
        gear, prior = settings.kgear, settings.prior or ServoModel("joint")
        velocity, voltage = signals.velocity, signals.voltage
        self._speed = np.abs(velocity) * gear
        self._sign = np.sign(velocity) / (gear * voltage)
        effort = np.zeros_like(velocity) if signals.effort is None else signals.effort
        self._viscous = velocity / voltage
        self._inertia = signals.acceleration / voltage
        self._coulomb = signals.smooth(self._sign)
        self._torque = effort / (gear**2 * voltage)
        self._prior = np.array([getattr(prior, name) / prior.kp for name in LINEAR])
        self._prior_curve = np.log([getattr(prior, name) for name in CURVE])
        self._low, self._high = np.log([settings.velocity_bounds, settings.exponent_bounds]).T

    def solve(self) -> Fit:
        curve = self._search() if self._with_curve else self._prior_curve
        columns, theta = self._columns(curve), self._theta(curve)
        free = tuple(name for name, is_free in zip(LINEAR, self._free, strict=True) if is_free)
        return Fit(
            model=self._model(curve, theta),
            half_width=self._half_width(curve, free),
            at_bound=self._at_bound(curve) if self._with_curve else (),
            separability=separability(columns[self._used][:, self._free], free),
            curve_seen=self._with_curve,
            residual=self._signals.distance - columns @ theta,
            used=self._used,
            settings=self._settings,
        )

    def _search(self) -> FloatArray:
        """Logarithms of (qs, delta) with the least residual: the best of a grid, then SciPy."""
        # SciPy takes a while to load; commands that fit nothing shall not wait for it.
        from scipy.optimize import least_squares

        grid = [
            np.array([qs, delta])
            for qs in np.linspace(self._low[0], self._high[0], 12)
            for delta in np.linspace(self._low[1], self._high[1], 6)
        ]
        starts = sorted(grid, key=lambda curve: float(np.sum(self._residual(curve) ** 2)))[:3]
        inside = 1e-6 * (self._high - self._low)
        found = [
            least_squares(
                self._residual,
                np.clip(start, self._low + inside, self._high - inside),
                bounds=(self._low, self._high),
                x_scale=self._high - self._low,
                diff_step=1e-4,
            )
            for start in starts
        ]
        best: FloatArray = min(found, key=lambda result: float(result.cost)).x
        return best

    def _columns(self, curve: FloatArray) -> FloatArray:
        """(m, 5) in the order of LINEAR; zero where there is no such effect in the data."""
        qs, delta = np.exp(curve)
        stribeck = self._signals.smooth(self._sign * np.exp(-((self._speed / qs) ** delta)))
        return np.column_stack(
            [self._viscous, self._inertia, self._coulomb, stribeck, self._torque]
        )

    def _theta(self, curve: FloatArray) -> FloatArray:
        """(5,) a/kp: the prior, corrected in the directions that the samples show."""
        columns = self._columns(curve)[self._used]
        left = self._known - columns @ self._prior
        scaled, length = _scaled(columns[:, self._free])
        correction, *_ = np.linalg.lstsq(scaled, left, rcond=WEAKEST)
        theta = self._prior.copy()
        theta[self._free] += correction / length
        return theta

    def _residual(self, curve: FloatArray) -> FloatArray:
        return self._known - self._columns(curve)[self._used] @ self._theta(curve)

    def _model(self, curve: FloatArray, theta: FloatArray) -> ServoModel:
        settings = self._settings
        numbers = dict(zip(LINEAR, (float(ratio * settings.kp) for ratio in theta), strict=True))
        numbers |= dict(zip(CURVE, (float(value) for value in np.exp(curve)), strict=True))
        return ServoModel("joint", settings.kp, settings.kgear, **numbers)

    def _at_bound(self, curve: FloatArray) -> tuple[str, ...]:
        margin = AT_BOUND * (self._high - self._low)
        near = (curve < self._low + margin) | (curve > self._high - margin)
        return tuple(name for name, is_near in zip(CURVE, near, strict=True) if is_near)

    def _half_width(self, curve: FloatArray, free: tuple[str, ...]) -> dict[str, float]:
        """95 % confidence from the linearised problem of all that was free."""
        columns = self._columns(curve)[:, self._free]
        units = [self._settings.kp] * len(free)
        names = free
        if self._with_curve:
            theta, step = self._theta(curve), 1e-3
            bend = [
                (self._columns(curve + move) - self._columns(curve - move)) @ theta / (2.0 * step)
                for move in step * np.eye(2)
            ]
            columns = np.column_stack([columns, *bend])
            units += np.exp(curve).tolist()
            names = (*free, *CURVE)
        errors = 1.96 * standard_errors(columns[self._used], self._residual(curve))
        widths = dict.fromkeys((*LINEAR, *CURVE), float("inf"))
        return widths | dict(zip(names, (errors * units).tolist(), strict=True))


def _scaled(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Columns of unit length, and their lengths; columns of zeros stay."""
    length = np.linalg.norm(columns, axis=0)
    length = np.where(length > 0.0, length, 1.0)
    return columns / length, length


def standard_errors(columns: FloatArray, residual: FloatArray) -> FloatArray:
    """(k,) of a regression whose residuals remember their predecessors (Newey and West, 1987).

    Infinite for parameters that take part in a direction weaker than WEAKEST.
    """
    scaled, length = _scaled(columns)
    _u, singular, directions = np.linalg.svd(scaled, full_matrices=False)
    seen = singular > WEAKEST * singular[0]
    inverse = (directions[seen].T / singular[seen] ** 2) @ directions[seen]
    scores = scaled * residual[:, None]
    meat = scores.T @ scores
    lags = int(np.ceil(len(residual) ** (1.0 / 3.0))) * 2
    for lag in range(1, lags):
        product = scores[lag:].T @ scores[:-lag]
        meat += (1.0 - lag / lags) * (product + product.T)
    variance = np.diag(inverse @ meat @ inverse)
    lost = (np.abs(directions[~seen]) > 0.1).any(axis=0) | ~scaled.any(axis=0)
    return np.where(lost, np.inf, np.sqrt(np.maximum(variance, 0.0)) / length)
