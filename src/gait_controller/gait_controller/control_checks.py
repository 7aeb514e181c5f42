"""What a schema cannot say about a control file: checks across fields, and warnings.

All functions take the parsed document; `check` and `warnings` need one that the schema accepts.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gait_controller import steps
from gait_controller.speed_limit import MAX_SPEED, amplitude_gain, cut_factor, peak_speed
from stride_base.errors import ConfigError, show

#: Far beyond any robot; keeps every product of fields finite.
LARGEST = 1e6
STEERING_FIELDS = ("steer_gain", "steer_shift")


def place(servos: Sequence[Any], index: int) -> str:
    """Words for a servo, e.g. ``servo 2 (s4_roll)``; its place where it has no good id."""
    servo = servos[index]
    fields = servo if isinstance(servo, dict) else {}
    number, name = fields.get("id"), fields.get("name")
    called = f"({name})" if isinstance(name, str) else "(no name)"
    if type(number) is not int or not 1 <= number <= 253:
        return f"servo at place {index + 1} {called}"
    return f"servo {number} {called}"


def servo_fields(schema: Mapping[str, Any], mode: str) -> set[str]:
    """Fields that a servo of `mode` may have, besides those of steering."""
    definitions = schema["$defs"]
    return {*definitions["servo"]["properties"], *definitions[mode]["properties"]}


def check(document: Mapping[str, Any], schema: Mapping[str, Any], file: str | Path) -> None:
    """Refuse what single fields do not show: doubles, limits, reach, numbers beyond reason.

    Raises:
        ConfigError: for the first violation.
    """
    _check_size(document, schema["properties"], file, "")
    steering = STEERING_FIELDS if document["format"] >= 3 else ()
    servos = document["servos"]
    for field in ("id", "name"):
        first: dict[object, int] = {}
        for index, servo in enumerate(servos):
            value = servo[field]
            if value in first:
                owner = f"servos {first[value] + 1} and {index + 1} of the list both have it"
                expected = f"{field}s that differ; {owner}"
                raise ConfigError(file, place(servos, index), field, value, expected)
            first[value] = index
    for index, servo in enumerate(servos):
        where = place(servos, index)
        _check_size(servo, {*servo_fields(schema, servo["mode"]), *steering}, file, where)
        if servo["mode"] == "position":
            _check_limits(servo, file, where)


def _check_size(
    fields: Mapping[str, Any], known: Container[str], file: str | Path, where: str
) -> None:
    for field, value in fields.items():
        number = field in known and isinstance(value, (int, float))
        if number and field != "fitness" and abs(value) > LARGEST:
            raise ConfigError(file, where, field, value, f"a magnitude of at most {LARGEST:g}")


def _check_limits(servo: Mapping[str, Any], file: str | Path, where: str) -> None:
    low, high = servo["min"], servo["max"]
    if low > high:
        raise ConfigError(file, where, "min", low, f"at most 'max', which is {show(high)} rad")
    for field in ("min", "max"):
        position = float(steps.steps(servo[field], servo["zero"], servo["sign"]))
        reached = int(steps.rounded(position))
        if not 0 <= reached <= steps.LAST_STEP:
            lowest, highest = sorted(
                (step - servo["zero"]) / servo["sign"] * 2 * math.pi / steps.STEPS_PER_TURN
                for step in (0, steps.LAST_STEP)
            )
            expected = (
                f"a limit that keeps the servo within steps 0 to {steps.LAST_STEP}, and this one "
                f"reaches step {reached} (with zero {servo['zero']} and sign {servo['sign']}, "
                f"{lowest:.4f} to {highest:.4f} rad can be reached)"
            )
            raise ConfigError(file, where, field, servo[field], expected)


def warnings(document: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[str, ...]:
    """One sentence for each thing that is odd but not wrong, in the order of the file."""
    found = [
        f"'{field}' is no field of the control file; it is ignored"
        for field in document
        if field not in schema["properties"]
    ]
    omega = 2.0 * math.pi * document["frequency"]
    for index, servo in enumerate(document["servos"]):
        where = place(document["servos"], index)
        known = {*servo_fields(schema, servo["mode"]), *STEERING_FIELDS}
        found += [
            f"{where}: '{field}' is no field of a servo; it is ignored"
            for field in servo
            if field not in known
        ]
        if servo["id"] != index + 1:
            found.append(
                f"{where}: 'id' is {servo['id']}, but its place in the list is {index + 1}"
            )
        if servo["mode"] == "position":
            found += [f"{where}: {text}" for text in _load_warnings(servo, document, omega)]
    return tuple(found)


def _load_warnings(
    servo: Mapping[str, Any], document: Mapping[str, Any], omega: float
) -> Iterator[str]:
    """What the load feedback can do to a joint beyond the natural frequency."""
    sigma = abs(servo["sigma"])
    if sigma == 0.0:
        return
    if sigma >= omega:
        yield (
            f"'sigma' is {servo['sigma']:g}, not smaller than omega = {omega:.4g} rad/s; "
            "a load of 1 can stop this leg"
        )
    steer_gain = servo["steer_gain"] if document["format"] >= 3 else 0.0
    gain = max(float(amplitude_gain(command, steer_gain)) for command in (-1.0, 0.0, 1.0))
    amp1, amp2 = servo["amp1"] * gain, servo["amp2"] * gain
    cut = float(cut_factor(peak_speed(amp1, amp2, omega)))
    fastest = cut * float(peak_speed(amp1, amp2, omega + sigma))
    if fastest > MAX_SPEED:
        yield (
            f"the speed cut counts omega only; with the phase at omega + |sigma| this joint can be "
            f"asked for {fastest:.3g} rad/s, more than {MAX_SPEED} rad/s"
        )
