"""The server's connections send each piece of an answer at once."""

import socket

from memory_core.server.stopping_server import open_listener


def test_accepted_connections_do_not_hold_small_pieces_back() -> None:
    with (
        open_listener("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
    ):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
