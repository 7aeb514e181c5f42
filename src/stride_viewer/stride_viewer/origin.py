"""Refuses what other web sites send: a page open in the same browser must not drive the robot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class SameOrigin:
    """Lets through what comes from the page itself, or from a program that is no browser.

    Args:
        application: What is protected.
        names: Names under which the page is served besides addresses; others are refused, since a
            stranger's name may have been pointed at this computer.
    """

    def __init__(self, application: Application, names: frozenset[str] = frozenset()) -> None:
        # Browsers write names in small letters.
        self._names = {name.lower() for name in names} | {"localhost"}
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and not self._is_own(scope):
            await _refuse(scope, receive, send)
            return
        await self._application(scope, receive, send)

    def _is_own(self, scope: Scope) -> bool:
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        try:
            name = urlsplit(f"//{host}").hostname or ""
            place = host if origin is None else urlsplit(origin).netloc
        except ValueError:
            # Half of an IPv6 address, which no browser sends.
            return False
        return self._is_known(name) and place == host

    def _is_known(self, name: str) -> bool:
        # Addresses: digits and dots, or colons. A name of the network has neither alone.
        return name in self._names or ":" in name or name.replace(".", "").isdigit()


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    body = b"this request comes from another site"
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
