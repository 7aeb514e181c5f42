"""What people and tests can do to running servos: one line in, one answer out.

state [ID]                      registers and motion of all servos or one
load ID [TORQUE] [NAME=VALUE]   torque, inertia, gravity, friction (SI)
turn ID STEPS                   turn the shaft by hand to an encoder position
power ID on|off                 power of one servo, or `all`
supply VOLT                     voltage of the unloaded supply
temperature ID DEGC             winding temperature
alarm ID NAME|NUMBER ...        force alarms into the error byte; `none` ends that
register ID NAME VALUE|free     raw value of a register; a measurement keeps it until `free`
fault KIND [NAME=VALUE ...]     switch a fault on; answers with its number
faults                          all faults and how often they happened
heal NUMBER|all                 switch a fault off
unplug, replug                  pull the port, and plug it in again
stop                            end the emulator
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from stride_base.errors import RefusedError, StrideError
from sts3215_driver.emulator.emulated_bus import EmulatedBus
from sts3215_driver.emulator.faults import make_fault
from sts3215_driver.emulator.options import number
from sts3215_driver.emulator.servo import Servo
from sts3215_driver.protocol.flags import Flags
from sts3215_driver.protocol.registers import BY_NAME, REGISTERS


class Commands:
    """Carries out command lines on a bus.

    Args:
        bus: The bus with its servos.
        actions: Further commands without arguments, by name.
        more: Further commands by name; called with the words after it.
    """

    def __init__(
        self,
        bus: EmulatedBus,
        actions: Mapping[str, Callable[[], object]] | None = None,
        more: Mapping[str, Callable[[list[str]], Any]] | None = None,
    ) -> None:
        self._bus, self._bank = bus, bus.bank
        self._actions = dict(actions or {})
        self._seed = 1000
        self._now = 0.0
        self._table: dict[str, Callable[[list[str]], Any]] = {
            "state": self._state,
            "load": self._load,
            "turn": self._turn,
            "power": self._power,
            "supply": self._supply,
            "temperature": self._temperature,
            "alarm": self._alarm,
            "register": self._register,
            "fault": self._fault,
            "faults": lambda _words: [fault.describe() for fault in bus.faults],
            "heal": self._heal,
            **(more or {}),
        }

    def execute(self, line: str, now: float) -> dict[str, Any]:
        """Carry out one line at time `now` (s).

        Returns:
            `{"ok": true, "result": ...}` or `{"ok": false, "error": "..."}`; never raises for
            anything that `line` holds.
        """
        try:
            name, *words = shlex.split(line) or [""]
            self._now = now
            self._bus.advance(now)
            if name in self._actions and not words:
                return {"ok": True, "result": self._actions[name]()}
            if name not in self._table:
                known = ", ".join((*self._table, *self._actions))
                raise RefusedError(f"there is no command {name!r}; there are {known}")
            return {"ok": True, "result": self._table[name](words)}
        except (StrideError, ValueError) as error:
            return {"ok": False, "error": str(error)}

    def _servos(self, words: list[str], arguments: int) -> list[Servo]:
        if len(words) < arguments:
            raise RefusedError("too few words for this command")
        if words[0] == "all":
            return self._bank.servos
        servos = list(self._bank.addressed(_whole(words[0], "an id or `all`")))
        if not servos:
            raise RefusedError(f"there is no servo {words[0]}")
        return servos

    def _state(self, words: list[str]) -> Any:
        servos = self._servos(words, 1) if words else self._bank.servos
        states = [self._describe(servo) for servo in servos]
        return states[0] if words and len(states) == 1 else states

    def _describe(self, servo: Servo) -> dict[str, Any]:
        bank, memory = self._bank, servo.memory
        bank.publish()
        plant = bank.plant
        state: dict[str, Any] = {register.name: memory.get(register.name) for register in REGISTERS}
        state["registers"] = bytes(memory.registers).hex(" ")
        state["answers"] = servo.hears(self._now)
        state["powered"] = servo.powered
        state["angle"] = float(plant.state.position[servo.index])
        state["velocity"] = float(plant.state.velocity[servo.index])
        state["load"] = asdict(plant.load(servo.index))
        return state

    def _load(self, words: list[str]) -> None:
        servos = self._servos(words, 2)
        values: dict[str, float] = {}
        for word in words[1:]:
            name, equals, text = word.partition("=")
            if not equals:
                name, text = "torque", word
            values[name] = number("load", name, text)
        plant = self._bank.plant
        for servo in servos:
            plant.set_load(servo.index, plant.load(servo.index).changed(values))

    def _turn(self, words: list[str]) -> None:
        for servo in self._servos(words, 2):
            self._bank.place(servo.index, number("turn", "steps", words[1]))

    def _power(self, words: list[str]) -> None:
        servos = self._servos(words, 2)
        if words[1] not in ("on", "off"):
            raise RefusedError("power is `on` or `off`")
        for servo in servos:
            servo.switch(words[1] == "on", self._now)

    def _supply(self, words: list[str]) -> None:
        volts = number("supply", "volt", " ".join(words))
        if not 0 <= volts <= 60:
            raise RefusedError(f"{volts:g} V is no supply; expected 0 to 60")
        self._bank.plant.supply = volts

    def _temperature(self, words: list[str]) -> None:
        for servo in self._servos(words, 2):
            self._bank.thermal.temperature[servo.index] = number("temperature", "degC", words[1])

    def _alarm(self, words: list[str]) -> None:
        bits = 0
        servos = self._servos(words, 2)
        for word in words[1:]:
            if word != "none":
                name = word.upper()
                bits |= Flags[name] if name in Flags.__members__ else _whole(word, "an alarm")
        for servo in servos:
            self._bank.force_alarms(servo.index, bits & 0xFF)

    def _register(self, words: list[str]) -> None:
        servos = self._servos(words, 3)
        if words[1] not in BY_NAME:
            raise RefusedError(f"there is no register {words[1]!r}")
        if words[2] == "free":
            for servo in servos:
                servo.overrides.pop(words[1], None)
            self._bank.touch()
            return
        raw = _whole(words[2], "a raw value, or `free`")
        for servo in servos:
            self._bank.force_register(servo, words[1], raw & (1 << 8 * BY_NAME[words[1]].size) - 1)

    def _fault(self, words: list[str]) -> int:
        if not words:
            raise RefusedError("which fault? e.g. `fault drop id=3 probability=0.1`")
        options: dict[str, str] = {}
        for word in words[1:]:
            name, _, value = word.partition("=")
            options[name] = value
        self._seed += 1
        self._bus.faults.append(make_fault(words[0], options, self._seed))
        return len(self._bus.faults) - 1

    def _heal(self, words: list[str]) -> None:
        if words == ["all"]:
            self._bus.faults.clear()
            return
        number = _whole(" ".join(words), "the number of a fault, or `all`")
        if not 0 <= number < len(self._bus.faults):
            raise RefusedError(f"there is no fault {number}")
        del self._bus.faults[number]


def _whole(text: str, expected: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise RefusedError(f"{text!r} is no whole number; expected {expected}") from None
