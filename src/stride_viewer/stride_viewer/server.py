"""The web server of the page: addresses, who may ask, start and end."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException
from fastapi.responses import FileResponse
from nicegui import Client, ui

from stride_base.ending import Ending
from stride_base.errors import ConfigError, RefusedError
from stride_viewer.live import Live, Page
from stride_viewer.origin import SameOrigin
from stride_viewer.page.main_page import MainPage
from stride_viewer.page.meshes import ADDRESS, Meshes

FIRST_PORT, PORTS = 8080, 20
#: A browser that is busy for so long, s, is not taken for gone. Whoever drives is let go much sooner.
RECONNECT_TIME = 20.0
#: The end of the program is looked for this often, s.
END_PERIOD = 0.1
OPEN_WARNING = (
    "warning: the page is served on {host} (elsewhere: http://{name}:{port}): everybody who reaches "
    "this computer can drive the robot"
)
_PAGE = Path(__file__).parent / "page"


class PageServer(uvicorn.Server):
    """A server that leaves signals to the program, and says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on `host`.

    Args:
        port: 0 takes FIRST_PORT or the next that is free.

    Raises:
        ConfigError: there is no such address.
        RefusedError: the port is taken.
    """
    try:
        family, _, _, _, _ = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        expected = "an address of this computer, e.g. 127.0.0.1 or 0.0.0.0"
        raise ConfigError("stride_viewer", "", "host", host, expected) from error
    ports = [port] if port else range(FIRST_PORT, FIRST_PORT + PORTS)
    trouble = ""
    for number in ports:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(64)
        except OSError as error:
            listener.close()
            trouble = error.strerror or str(error)
            continue
        return listener
    where = f"port {port}" if port else f"ports {FIRST_PORT} to {FIRST_PORT + PORTS - 1}"
    raise RefusedError(f"the page cannot be served on {host}, {where}: {trouble}")


def address(listener: socket.socket) -> str:
    """What to type into a browser on this computer."""
    host, port = listener.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_local(host: str) -> bool:
    """Whether only this computer reaches `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def own_names(host: str, computer: str) -> frozenset[str]:
    """Names under which browsers in the network find a page that is served as `host`."""
    first = computer.partition(".")[0]
    return frozenset({host, computer, first, f"{first}.local"})


def serve(live: Live, host: str, port: int, folder: Path | None, ending: Ending) -> None:
    """Serve pages until the program is told to end. Prints the address when they answer.

    Args:
        live: What the pages show.
        host, port: See `listen`.
        folder: Of the robot, for its meshes; None: it is not known.
        ending: Ends it.

    Raises:
        ConfigError, RefusedError: it cannot be served there.
    """
    listener = listen(host, port)
    if not is_local(host):
        print(
            OPEN_WARNING.format(
                host=host, name=socket.gethostname(), port=listener.getsockname()[1]
            ),
            file=sys.stderr,
            flush=True,
        )

    def ready() -> None:
        print(f"viewer on {address(listener)}", flush=True)

    web = FastAPI(openapi_url=None)
    meshes = Meshes(folder)
    _add_addresses(web, live, meshes)
    _add_page(live, meshes)
    ui.run_with(
        web,
        title=f"Stride · {live.name}",
        favicon="🦿",
        dark=True,
        binding_refresh_interval=None,
        reconnect_timeout=RECONNECT_TIME,
        show_welcome_message=False,
    )
    config = uvicorn.Config(
        SameOrigin(web, own_names(host, socket.gethostname())),
        log_level="error",
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    server = PageServer(config, ready)
    asyncio.run(serve_until(server, listener, ending, live))


async def serve_until(
    server: uvicorn.Server, listener: socket.socket, ending: Ending, live: Live
) -> None:
    """Serve and feed the pages until the end is requested.

    Raises:
        Exception: what went wrong while feeding them. It ends the server: a page that is fed no more
            would go on to show a robot that runs, and nobody would let go of a grip.
    """
    feeding = asyncio.ensure_future(live.run())
    served = asyncio.ensure_future(server.serve([listener]))
    while not served.done():
        if ending.requested or feeding.done():
            server.should_exit = True
        await asyncio.wait([served], timeout=END_PERIOD)
    await served
    feeding.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await feeding


def _add_addresses(web: FastAPI, live: Live, meshes: Meshes) -> None:
    async def stop() -> dict[str, Any]:
        answer = await live.stop()
        return {"accepted": answer.accepted, "message": answer.message}

    async def mesh(number: int, name: str) -> FileResponse:
        path = meshes.file(number)
        if path is None or path.name != name:
            raise HTTPException(404)
        return FileResponse(path)

    web.post("/stop")(stop)
    web.get(f"{ADDRESS}/{{number}}/{{name}}")(mesh)


def _add_page(live: Live, meshes: Meshes) -> None:
    script, style = (_PAGE / "stop.js").read_text(), (_PAGE / "style.css").read_text()

    @ui.page("/")
    async def index(client: Client) -> None:
        ui.add_head_html(f"<script>{script}</script><style>{style}</style>")
        await show(live, client, MainPage(live, client.id, meshes))


async def show(live: Live, client: Client, page: Page) -> None:
    """Feed a page from when its browser is there until it is gone."""
    await client.connected()
    if client.is_deleted:
        # Who only fetched the address, as a program does, never connects.
        return
    live.open(client.id, page)
    client.on_delete(_closer(live, client.id))
    client.on_disconnect(lambda: live.lose(client.id))


def _closer(live: Live, name: str) -> Callable[[], Awaitable[None] | None]:
    return lambda: live.close(name)
