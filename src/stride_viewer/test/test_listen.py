"""Where the page is served: a free port, a clear message otherwise."""

from __future__ import annotations

import socket

import pytest

from stride_base.errors import ConfigError, RefusedError
from stride_viewer.server import address, is_local, listen, own_names


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_wanted_port_is_taken_or_refused() -> None:
    port = free_port()
    with listen("127.0.0.1", port) as first:
        assert address(first) == f"http://127.0.0.1:{port}"
        with pytest.raises(RefusedError, match=f"port {port}"):
            listen("127.0.0.1", port)


def test_without_a_port_the_next_free_one_is_found() -> None:
    with listen("127.0.0.1", 0) as first, listen("127.0.0.1", 0) as second:
        assert address(first) != address(second)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "300.1.1.1", "\ud800"])
def test_an_address_that_is_none_is_named(host: str) -> None:
    with pytest.raises(ConfigError, match="host"):
        listen(host, 0)


def test_an_address_of_another_computer_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"192\.0\.2\.1"):
        listen("192.0.2.1", 0)


def test_all_addresses_are_shown_as_this_computers() -> None:
    with listen("0.0.0.0", free_port()) as listener:
        assert address(listener).startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("robot", False)],
)
def test_what_only_this_computer_reaches(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_a_computer_is_known_by_its_name_alone_and_by_that_of_the_local_network() -> None:
    names = own_names("0.0.0.0", "hexapod.lab.example")
    assert {"hexapod", "hexapod.local", "hexapod.lab.example", "0.0.0.0"} == names
