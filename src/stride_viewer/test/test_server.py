"""Pages are fed from when a browser is there, and never shown by a server that feeds them no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stride_base.ending import Ending
from stride_viewer.server import serve_until, show


class FakeClient:
    """A client of NiceGUI: waits for its browser until that connects, or until it is given up."""

    def __init__(self, is_deleted: bool) -> None:
        self.id, self.is_deleted = "client", is_deleted
        self.delete: Callable[[], Any] = lambda: None
        self.disconnect: Callable[[], Any] = lambda: None

    async def connected(self) -> None:
        """At once."""

    def on_delete(self, handler: Callable[[], Any]) -> None:
        self.delete = handler

    def on_disconnect(self, handler: Callable[[], Any]) -> None:
        self.disconnect = handler


class FakeLive:
    def __init__(self, trouble: Exception | None = None) -> None:
        self.trouble = trouble
        self.said: list[str] = []

    def open(self, name: str, _page: object) -> None:
        self.said.append(f"open {name}")

    def close(self, name: str) -> None:
        self.said.append(f"close {name}")

    def lose(self, name: str) -> None:
        self.said.append(f"lose {name}")

    async def run(self) -> None:
        if self.trouble is not None:
            raise self.trouble
        await asyncio.Event().wait()


class FakeServer:
    should_exit = False

    async def serve(self, _sockets: object) -> None:
        while not self.should_exit:
            await asyncio.sleep(0)


def fed(client: FakeClient) -> FakeLive:
    live: Any = FakeLive()
    given: Any = client
    page: Any = object()
    asyncio.run(show(live, given, page))
    return live  # type: ignore[no-any-return]


def test_a_page_is_fed_while_its_browser_is_there() -> None:
    client = FakeClient(is_deleted=False)
    live = fed(client)
    client.disconnect()
    client.delete()
    assert live.said == ["open client", "lose client", "close client"]


def test_who_only_fetches_the_address_is_no_page() -> None:
    """NiceGUI gives up such a client after a minute; nobody would close it any more."""
    assert fed(FakeClient(is_deleted=True)).said == []


def run(live: FakeLive, ending: Ending) -> None:
    given: Any = live
    server: Any = FakeServer()
    listener: Any = None
    asyncio.run(serve_until(server, listener, ending, given))


def test_the_server_ends_when_it_is_told_to() -> None:
    ending = Ending()
    ending.request()
    run(FakeLive(), ending)


def test_a_server_that_cannot_feed_its_pages_ends_with_the_reason() -> None:
    """Frozen pages would go on to say that the robot runs."""
    with pytest.raises(ZeroDivisionError):
        run(FakeLive(ZeroDivisionError()), Ending())
