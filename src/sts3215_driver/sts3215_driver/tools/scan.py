"""Who is on the bus, at any rate, and why nobody is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stride_base.progress import Progress, silent
from sts3215_driver.errors import PortError
from sts3215_driver.protocol.registers import BAUD_RATES
from sts3215_driver.tools.board import BOARD_BAUD, Board, probe, recognise
from sts3215_driver.tools.errors import UnusablePortError
from sts3215_driver.tools.scan_rate import FoundServo, RateScan, scan_rate
from sts3215_driver.transport.base import Transport
from sts3215_driver.transport.boot_text import drain_boot_text

#: Opens the port at a rate in bit/s; raises PortError if the adapter refuses it.
OpenAt = Callable[[int], Transport]


@dataclass(frozen=True)
class ScanResult:
    """What was found.

    Args:
        rates: One per rate that was asked for.
        board: What else answers on the port, where no servo does.
    """

    rates: tuple[RateScan, ...]
    board: Board | None = None

    @property
    def servos(self) -> tuple[FoundServo, ...]:
        """All servos, by rate and id."""
        return tuple(found for rate in self.rates for found in rate.servos)


def scan(
    open_at: OpenAt,
    bauds: Sequence[int] = BAUD_RATES,
    ids: Sequence[int] | None = None,
    on_rate: Callable[[RateScan], None] = lambda _rate: None,
    progress: Progress = silent,
) -> ScanResult:
    """Look for servos at all rates; changes nothing and moves nothing.

    Args:
        open_at: Opens the port; it is closed again after each rate.
        bauds: Rates to try, bit/s.
        ids: Which ids to ask one by one, see `scan_rate`.
        on_rate: Told of each rate when it is done.
        progress: Told of each rate, and of each id that is asked.

    Raises:
        PortError: the port cannot be used at any rate, or was lost.
    """
    rates = []
    for number, baud in enumerate(bauds):
        rates.append(_try_rate(open_at, baud, ids, _at_rate(progress, number, bauds)))
        on_rate(rates[-1])
    if rates and all(rate.skipped for rate in rates):
        raise PortError(rates[0].skipped)
    heard = (recognise(rate.heard) for rate in rates)
    board = next((board for board in heard if board is not None), None)
    if board is not None:
        # What it says sounds like garbled servos.
        rates = [replace(rate, servos=tuple(s for s in rate.servos if s.facts)) for rate in rates]
    if any(rate.servos for rate in rates):
        return ScanResult(tuple(rates))
    if board is None or board.kind == "esp32":
        # Boot text names the chip, an answer the firmware.
        board = _ask_board(open_at, rates) or board
    return ScanResult(tuple(rates), board)


def _at_rate(progress: Progress, number: int, bauds: Sequence[int]) -> Progress:
    """A share of one rate as a share of all."""

    def told(what: str, done: float = 0.0, total: float | None = None, doing: str = "") -> None:
        part = done / total if total else 0.0
        progress("scanning", number + part, len(bauds), f"{bauds[number]} bit/s {doing}".strip())

    return told


def _try_rate(
    open_at: OpenAt, baud: int, ids: Sequence[int] | None, progress: Progress
) -> RateScan:
    progress("opening the port")
    try:
        transport = open_at(baud)
    except UnusablePortError:
        raise
    except PortError as error:
        return RateScan(baud, skipped=str(error))
    try:
        return scan_rate(transport, baud, ids, progress)
    finally:
        transport.close()


def _ask_board(open_at: OpenAt, rates: Sequence[RateScan]) -> Board | None:
    usable = [rate.baud for rate in rates if not rate.skipped]
    if BOARD_BAUD not in usable:
        return None
    transport = open_at(BOARD_BAUD)
    try:
        drain_boot_text(transport)
        return probe(transport)
    finally:
        transport.close()
