"""Stands between the product and a server: passes bytes on, late or not at all."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.scale.servers import HOST

_CHUNK = 1 << 16


class Network:
    """Forwards connections to a port of this machine; each read is late by `delay_s` (seconds)."""

    def __init__(self, target: int) -> None:
        self.delay_s = 0.0
        self._target = target
        self._lock = threading.Lock()
        self._ends: list[socket.socket] = []
        self._door = socket.create_server((HOST, 0))
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Breaks all connections; new ones are accepted."""
        with self._lock:
            broken, self._ends = self._ends, []
        for end in broken:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):  # the door is closed
            while True:
                self._connect(self._door.accept()[0])

    def _connect(self, near: socket.socket) -> None:
        try:
            far = socket.create_connection((HOST, self._target))
        except OSError:
            near.close()
            return
        with self._lock:
            self._ends += (near, far)
        for ends in ((near, far), (far, near)):
            threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                time.sleep(self.delay_s)
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def network_to(port: int) -> Iterator[Network]:
    opened = Network(port)
    try:
        yield opened
    finally:
        opened.close()
