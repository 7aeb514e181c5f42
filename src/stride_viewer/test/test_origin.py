"""Only the page itself may ask; a stranger's page in the same browser may not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stride_viewer.origin import SameOrigin


def let_through(kind: str, **headers: str) -> bool:
    reached: list[str] = []
    answers: list[Any] = []

    async def application(scope: Any, _receive: Any, _send: Any) -> None:
        reached.append(scope["type"])

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        answers.append(message)

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "headers": pairs}
    asyncio.run(SameOrigin(application, frozenset({"Robot", "Robot.local"}))(scope, receive, send))
    refused = [m for m in answers if m.get("status") == 403 or m["type"] == "websocket.close"]
    assert bool(reached) != bool(refused)
    return bool(reached)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("127.0.0.1:8080", "http://127.0.0.1:8080", True),
        ("localhost:8080", "http://localhost:8080", True),
        ("[::1]:8080", "http://[::1]:8080", True),
        ("192.168.1.7:8080", "http://192.168.1.7:8080", True),
        ("robot:8080", "http://robot:8080", True),
        ("robot.local:8080", "http://robot.local:8080", True),
        ("127.0.0.1:8080", "https://evil.example", False),
        ("127.0.0.1:8080", "http://127.0.0.1:9999", False),
        ("127.0.0.1:8080", "null", False),
        # A name of somebody else that was pointed at this computer.
        ("evil.example:8080", "http://evil.example:8080", False),
        ("[::1", "http://[::1", False),
        ("127.0.0.1:8080", "http://[", False),
        ("", "http://", False),
    ],
)
def test_only_the_pages_own_address_is_let_through(
    kind: str, host: str, origin: str, allowed: bool
) -> None:
    assert let_through(kind, host=host, origin=origin) is allowed


def test_programs_that_are_no_browser_send_no_origin() -> None:
    assert let_through("http", host="127.0.0.1:8080")


def test_a_request_without_a_host_is_refused() -> None:
    assert not let_through("http")


def test_the_start_of_the_server_is_none_of_its_business() -> None:
    assert let_through("lifespan")
