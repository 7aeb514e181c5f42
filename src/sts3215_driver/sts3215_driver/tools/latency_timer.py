"""The latency timer of FTDI adapters: how long received bytes wait before the computer gets them."""

from __future__ import annotations

from pathlib import Path

DEVICES = Path("/sys/bus/usb-serial/devices")
#: More than this costs each read more than the servos do, ms.
GOOD = 1


def latency_timer(port: str, devices: Path = DEVICES) -> int | None:
    """Timer of the adapter behind `port`, ms; None where there is none (ttyACM, CH340, pty, sockets).

    Args:
        port: Device path; links (``/dev/serial/by-id/...``) are followed.
        devices: Where the kernel lists USB serial devices.
    """
    name = Path(port).resolve().name if "://" not in port else ""
    if not name:
        return None
    try:
        return int((devices / name / "latency_timer").read_text())
    except (OSError, ValueError):
        return None


def remark(port: str, devices: Path = DEVICES) -> str:
    """What the timer costs and how to set it; empty if it is as it should be."""
    timer = latency_timer(port, devices)
    if timer is None or timer <= GOOD:
        return ""
    path = devices / Path(port).resolve().name / "latency_timer"
    return (
        f"the adapter's latency timer is {timer} ms, so every read takes {timer} ms: "
        f"echo {GOOD} | sudo tee {path}"
    )
