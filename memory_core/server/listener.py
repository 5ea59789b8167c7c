"""The socket that the server listens on, whose connections send each piece at once."""

import socket

from ..domain.errors import ConfigError

_WAITING_CONNECTIONS = 2048  # as uvicorn does


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
