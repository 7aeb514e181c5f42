"""The pseudo-terminal: any program opens it like a serial port, and comes and goes as it likes."""

import os
import socket
import stat
from pathlib import Path

import pytest
import serial

from stride_base.errors import RefusedError
from sts3215_driver.emulator.build import Setup, build_bus
from sts3215_driver.emulator.control import ControlClient
from sts3215_driver.emulator.pseudo_terminal import Link, PseudoTerminal
from sts3215_driver.emulator.pty_server import PtyServer, running
from sts3215_driver.emulator.servo_file import Joint
from sts3215_driver.protocol import packets

PATIENCE = 20.0
PONG = packets.status(1, 0)


def server_at(folder: Path, baud: int = 1_000_000, any_baud: bool = False) -> PtyServer:
    bus = build_bus(Setup(joints=(Joint(1), Joint(2)), baud=baud))
    return PtyServer(bus, folder / "servos", folder / "control", any_baud)


def open_port(server: PtyServer, baud: int = 1_000_000) -> serial.Serial:
    return serial.Serial(str(server.link), baud, timeout=PATIENCE)


def test_ping_over_a_real_port(tmp_path: Path) -> None:
    with running(server_at(tmp_path)) as server, open_port(server) as port:
        port.write(packets.ping(1))
        assert port.read(6) == PONG


def test_port_is_raw_and_echoes_nothing(tmp_path: Path) -> None:
    # Bytes that a terminal in line mode would change or act on.
    special = bytes((3, 4, 10, 13, 17, 19, 26, 28))
    with running(server_at(tmp_path)) as server:
        port = os.open(server.link, os.O_RDWR | os.O_NOCTTY)
        try:
            os.write(port, packets.write(1, 9, special[:4]) + b"")
            assert os.read(port, 100) == PONG
            os.write(port, packets.read(1, 9, 4))
            assert os.read(port, 100) == packets.status(1, 0, special[:4])
            os.write(port, packets.write(1, 50, special[4:]))
            assert os.read(port, 100) == PONG
        finally:
            os.close(port)


def test_hosts_come_and_go(tmp_path: Path) -> None:
    with running(server_at(tmp_path)) as server:
        for _ in range(3):
            with open_port(server) as port:
                port.write(packets.ping(2))
                assert port.read(6) == packets.status(2, 0)


def test_servos_understand_only_their_own_rate(tmp_path: Path) -> None:
    with running(server_at(tmp_path, baud=500_000)) as server:
        with open_port(server, 1_000_000) as port:
            port.timeout = 0.05
            port.write(packets.ping(1))
            assert port.read(6) == b""
        for rate in (500_000,):
            with open_port(server, rate) as port:
                port.write(packets.ping(1))
                assert port.read(6) == PONG


@pytest.mark.parametrize("baud", [250_000, 128_000, 76_800])
def test_unusual_rates_work_too(tmp_path: Path, baud: int) -> None:
    with running(server_at(tmp_path, baud=baud)) as server, open_port(server, baud) as port:
        port.write(packets.ping(1))
        assert port.read(6) == PONG


def test_rate_of_the_host_can_be_disregarded(tmp_path: Path) -> None:
    with running(server_at(tmp_path, any_baud=True)) as server, open_port(server, 9600) as port:
        port.write(packets.ping(1))
        assert port.read(6) == PONG


def test_link_and_socket_go_away_at_the_end(tmp_path: Path) -> None:
    with running(server_at(tmp_path)) as server:
        assert server.link.is_symlink()
        assert stat.S_ISCHR(server.link.stat().st_mode)
        assert stat.S_ISSOCK((tmp_path / "control").stat().st_mode)
    assert list(tmp_path.iterdir()) == []


def test_unplugged_port_gives_errors_and_a_replugged_one_works_under_the_same_name(
    tmp_path: Path,
) -> None:
    with running(server_at(tmp_path)) as server, ControlClient(tmp_path / "control") as control:
        port = os.open(server.link, os.O_RDWR | os.O_NOCTTY)
        control.command("unplug")
        with pytest.raises(OSError, match=r"Input/output error"):
            os.write(port, packets.ping(1))
        os.close(port)
        assert not server.link.exists()
        control.command("replug")
        with open_port(server) as again:
            again.write(packets.ping(1))
            assert again.read(6) == PONG


def test_control_channel_changes_running_servos(tmp_path: Path) -> None:
    with (
        running(server_at(tmp_path)) as server,
        ControlClient(tmp_path / "control") as control,
        open_port(server) as port,
    ):
        control.command("alarm", 1, "overload")
        port.write(packets.ping(1))
        assert port.read(6) == packets.status(1, 32)
        assert control.command("state", 1)["servo_status"] == 32
        with pytest.raises(RefusedError, match="there is no servo 7"):
            control.command("state", 7)


def test_two_clients_of_the_control_channel_do_not_disturb_each_other(tmp_path: Path) -> None:
    with (
        running(server_at(tmp_path)),
        ControlClient(tmp_path / "control") as one,
        ControlClient(tmp_path / "control") as two,
    ):
        assert one.command("faults") == two.command("faults") == []
        one.close()
        assert two.command("faults") == []


def test_control_channel_has_room_for_long_names(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with running(server_at(folder)), ControlClient(folder / "control") as control:
        assert control.command("faults") == []


def test_stop_command_ends_the_server(tmp_path: Path) -> None:
    server = server_at(tmp_path)
    with running(server), ControlClient(tmp_path / "control") as control:
        control.command("stop")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_link_does_not_replace_what_is_there(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "servos"
    if kind == "file":
        place.write_text("precious")
    elif kind == "folder":
        place.mkdir()
    else:
        (tmp_path / "other").write_text("precious")
        place.symlink_to(tmp_path / "other")
    with pytest.raises(RefusedError, match="choose another --link"):
        server_at(tmp_path)
    assert place.exists()
    assert not (tmp_path / "control").exists()


def test_second_emulator_on_one_link_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    with running(server_at(tmp_path)) as server:
        with pytest.raises(RefusedError):
            PtyServer(build_bus(Setup()), server.link)
        with pytest.raises(RefusedError, match="belongs to a running emulator"):
            server_at(tmp_path)
        with open_port(server) as port:
            port.write(packets.ping(1))
            assert port.read(6) == PONG


def test_dangling_link_of_a_dead_emulator_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "servos").symlink_to(tmp_path / "gone")
    with running(server_at(tmp_path)) as server:
        assert server.link.exists()


def test_link_of_a_dead_emulator_is_replaced_though_its_terminal_went_to_somebody_else(
    tmp_path: Path,
) -> None:
    link, control = tmp_path / "servos", tmp_path / "servos.control"
    somebody = PseudoTerminal(1_000_000)
    link.symlink_to(somebody.path)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(control))
    server = PtyServer(build_bus(Setup()), link, control)
    assert link.readlink() != somebody.path
    server.close()
    somebody.close()


def test_link_that_somebody_else_made_meanwhile_stays(tmp_path: Path) -> None:
    terminal = PseudoTerminal(1_000_000)
    link = Link(tmp_path / "servos")
    link.point_to(terminal.path)
    link.path.unlink()
    link.path.symlink_to(tmp_path)
    link.remove()
    assert link.path.is_symlink()
    terminal.close()


def test_host_that_does_not_read_loses_bytes_and_stops_nobody(tmp_path: Path) -> None:
    with running(server_at(tmp_path)) as server, open_port(server) as port:
        for _ in range(400):
            port.write(packets.read(1, 0, 87))
        port.reset_input_buffer()
        with ControlClient(tmp_path / "control") as control:
            assert control.command("state", 1)["answers"]
