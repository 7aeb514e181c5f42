"""The 87 registers of one servo: what is stored where, what a write does to other registers.

Nothing moves here. `write` says which kinds of registers it touched (`Effect`), and whoever owns
the memory acts on that. Values are stored as they come and only limited where they are used, as
the firmware does; so a reader sees what was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sts3215_driver.emulator.firmware import Firmware
from sts3215_driver.protocol.registers import BY_NAME, LAST_ADDRESS, REGISTER_COUNT, REGISTERS


class Effect:
    """Bits that say what a write touched (plain integers: this is the hot path)."""

    NONE = 0
    SETTING = 1  # EEPROM and factory page
    SETPOINT = 2  # goals, limits and torque
    GOAL = 4
    NEW_GOAL = 8  # a goal position other than the last one
    TORQUE = 16
    MODE = 32
    OFFSET = 64
    ID = 128
    BAUD = 256
    CENTRE = 512  # 128 to torque enable: the present position is to become 2048


EEPROM = (*range(5, 40), *range(78, REGISTER_COUNT))
_RAM = range(40, 56)
_WRITABLE = frozenset((*EEPROM, *_RAM))
_CENTRE = 128
ID, BAUD, RESPONSE_LEVEL, PHASE, MODE, TORQUE = 5, 6, 8, 18, 33, 40
ACCELERATION, GOAL, PWM, SPEED, LOCK, ASYNC, STATUS = 41, 42, 44, 46, 55, 64, 65

_EFFECT = [Effect.NONE] * REGISTER_COUNT
for _address in EEPROM:
    _EFFECT[_address] = Effect.SETTING
for _address in _RAM:
    _EFFECT[_address] = Effect.SETPOINT
_EFFECT[ID] |= Effect.ID
_EFFECT[BAUD] |= Effect.BAUD
_EFFECT[31] |= Effect.OFFSET
_EFFECT[32] |= Effect.OFFSET
_EFFECT[MODE] |= Effect.MODE
_EFFECT[TORQUE] |= Effect.TORQUE
_EFFECT[GOAL] |= Effect.GOAL
_EFFECT[GOAL + 1] |= Effect.GOAL

#: operating mode -> first byte of the two whose writing switches torque on
_AUTO_TORQUE = {0: GOAL, 1: SPEED, 2: PWM, 3: GOAL}


@lru_cache(maxsize=4096)
def touched(address: int, length: int) -> int:
    """Effect bits of the registers in a range."""
    effects = Effect.NONE
    for effect in _EFFECT[address : address + length]:
        effects |= effect
    return effects


def factory_image(firmware: Firmware) -> bytearray:
    """All registers of a new servo."""
    image = bytearray(REGISTER_COUNT)
    for register in REGISTERS:
        end = register.address + register.size
        image[register.address : end] = register.encode(register.default)
    image[0], image[1] = firmware.version
    return image


class ServoMemory:
    """Registers of one servo.

    Args:
        settings: Values of a delivered servo that differ from the table, by register name.
        firmware: Its firmware.
        registers: Where the running values live, 87 bytes; own storage if left out.

    Raises:
        ValueError: a setting is out of its range.
    """

    def __init__(
        self,
        settings: Mapping[str, int] | None = None,
        firmware: Firmware | None = None,
        registers: memoryview | None = None,
    ) -> None:
        self.firmware = firmware if firmware is not None else Firmware()
        self.registers = registers if registers is not None else memoryview(bytearray(87))
        self._stored = factory_image(self.firmware)
        self._backup = bytes(self._stored)
        for name, value in (settings or {}).items():
            register = BY_NAME[name]
            end = register.address + register.size
            self._stored[register.address : end] = register.encode(value)
        self._pending: tuple[int, bytes] | None = None
        self.power_on()

    def power_on(self) -> None:
        """Everything as after power came: EEPROM values, RAM reset, locked."""
        registers = self.registers
        registers[:] = self._stored
        registers[TORQUE:LAST_ADDRESS] = bytes(LAST_ADDRESS - TORQUE)
        for address in EEPROM:
            registers[address] = self._stored[address]
        registers[48:50] = registers[16:18]
        registers[LOCK] = 1
        self._pending = None

    def read(self, address: int, length: int) -> bytes | None:
        """Registers from `address`, clipped at the last one; None beyond: no answer at all."""
        if address > LAST_ADDRESS:
            return None
        return bytes(self.registers[address : address + length])

    def write(self, address: int, data: bytes) -> int:
        """Write what is writable and skip the rest silently; returns the Effect bits."""
        data = data[: max(0, REGISTER_COUNT - address)]
        end = address + len(data)
        registers = self.registers
        goal = registers[GOAL] | registers[GOAL + 1] << 8
        if address >= _RAM.start and end <= _RAM.stop:
            registers[address:end] = data
        else:
            self._write_bytes(address, data)
        effects = touched(address, len(data))
        if not effects:
            return effects
        if self._drops_settings():
            effects &= Effect.SETPOINT | Effect.GOAL | Effect.TORQUE
        if effects & Effect.SETTING and not registers[LOCK]:
            self.store(address, len(data))
        if effects & Effect.MODE:
            registers[SPEED] = registers[SPEED + 1] = registers[ACCELERATION] = 0
            registers[TORQUE] = 0
            effects |= Effect.SETPOINT | Effect.TORQUE
        if effects & Effect.TORQUE and registers[TORQUE] == _CENTRE:
            registers[TORQUE] = 0
            effects |= Effect.CENTRE
        energising = _AUTO_TORQUE.get(registers[MODE])
        if energising is not None and address <= energising + 1 and end > energising:
            registers[TORQUE] = 1
        if effects & Effect.GOAL and goal != registers[GOAL] | registers[GOAL + 1] << 8:
            effects |= Effect.NEW_GOAL
        return effects

    def hold(self, address: int, data: bytes) -> None:
        """REG_WRITE: keep a write until `release`; a later one takes its place."""
        self._pending = (address, data)
        self.registers[ASYNC] = 1

    def release(self) -> int:
        """ACTION: carry out the held write; returns the Effect bits."""
        if self._pending is None:
            return Effect.NONE
        address, data = self._pending
        self._pending = None
        self.registers[ASYNC] = 0
        return self.write(address, data)

    def store(self, address: int, length: int) -> None:
        """Copy running EEPROM values into the EEPROM itself, locked or not."""
        for position in range(address, min(address + length, REGISTER_COUNT)):
            if _EFFECT[position] & Effect.SETTING:
                self._stored[position] = self.registers[position]

    def backup(self) -> None:
        """BACKUP: make the running values those that `recover` brings back."""
        self._backup = bytes(self.registers)

    def recover(self) -> None:
        """RECOVERY: the backup becomes the EEPROM, except for the id; RAM as after power-on."""
        servo_id = self.registers[ID]
        for address in EEPROM:
            self._stored[address] = self._backup[address]
        self._stored[ID] = servo_id
        self.power_on()

    def get(self, name: str) -> int:
        """Signed value of a register by name."""
        register = BY_NAME[name]
        return register.decode(bytes(self.registers[register.address : register.address + 2]))

    def put(self, name: str, raw: int) -> None:
        """Set the raw bits of any register, also a read-only one; for tests and fault injection."""
        register = BY_NAME[name]
        end = register.address + register.size
        self.registers[register.address : end] = raw.to_bytes(register.size, "little")

    def stored(self, name: str) -> int:
        """Signed value that a register will have after the next power-on."""
        register = BY_NAME[name]
        return register.decode(bytes(self._stored[register.address : register.address + 2]))

    def _write_bytes(self, address: int, data: bytes) -> None:
        dropped = self._drops_settings()
        for position, value in enumerate(data, address):
            if position not in _WRITABLE or (dropped and _EFFECT[position] & Effect.SETTING):
                continue
            self.registers[position] = value

    def _drops_settings(self) -> bool:
        return self.firmware.locked_writes == "dropped" and bool(self.registers[LOCK])
