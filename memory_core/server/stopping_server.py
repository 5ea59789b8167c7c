"""A uvicorn server and its socket. It stops in time although a model server hangs."""

import asyncio
import math
import socket

import uvicorn

from ..domain.errors import ConfigError
from ..memory.runtime import Runtime
from ..providers.allowed_hosts import is_loopback
from .app import create_app
from .running_requests import RunningRequests

_KEEP_ALIVE_S = 30
_WAITING_CONNECTIONS = 2048  # as uvicorn does
_CLEAN_UP_S = 5.0  # for storing what has arrived, and for clients that do not read


class StoppingServer(uvicorn.Server):
    """Stops within server.stop_grace_s and a few seconds more. The caller closes the runtime."""

    def __init__(self, runtime: Runtime) -> None:
        settings = runtime.settings.server
        checks_host = is_loopback(settings.host) or bool(settings.allowed_hosts)
        self._grace_s = settings.stop_grace_s
        self._requests = RunningRequests()
        config = uvicorn.Config(
            create_app(runtime, checks_host=checks_host, requests=self._requests),
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=math.ceil(self._grace_s + _CLEAN_UP_S),
            access_log=False,
            log_config=None,  # its lines look like all others
            log_level="warning",
        )
        super().__init__(config)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accepts nothing more, lets the requests go on for a while, and cancels the others."""
        end = asyncio.get_running_loop().call_later(self._grace_s, self._requests.cancel)
        try:
            await super().shutdown(sockets)
        finally:
            end.cancel()
            self._requests.cancel()  # a second Ctrl-C does not wait


def open_listener(host: str, port: int) -> socket.socket:
    """Returns a listening socket. Raises ConfigError if the address is not available.

    asyncio sends at once only on sockets that name their protocol, which create_server() does not
    make. Otherwise each body, and each piece of a stream, waits up to 40 ms for the client's
    acknowledgement of the piece before. Accepted connections inherit the option.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_WAITING_CONNECTIONS)
    except OSError as exc:
        raise ConfigError(
            f"cannot listen on {host}, port {port} ({exc.strerror}): "
            "name another with --port or --host",
            key="--port",
        ) from exc
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
