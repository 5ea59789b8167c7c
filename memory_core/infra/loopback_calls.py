"""Calls between two programs of one user on one machine, as lines over loopback.

Both sides prove that they know the same secret before either sends a word of content: the port of
a program that was killed may belong to a stranger by now. The secret itself is never sent.

    client: <challenge>
    server: <challenge> <hmac of both>
    client: <hmac> <body>
    server: <hmac> <body>
"""

import hmac
import secrets
import socket
import socketserver
from collections.abc import Callable
from io import BufferedIOBase
from typing import cast

_LONGEST_LINE = 256 << 20
_LONGEST_GREETING = 200
_HANDSHAKE_S = 5.0


class CallFailed(Exception):
    """No answer came, or not from a program that knows the secret."""


def call(port: int, token: str, body: bytes, *, timeout_s: float) -> bytes:
    """Sends one line and returns the answer's. Raises CallFailed."""
    try:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=_HANDSHAKE_S) as connection,
            connection.makefile("rb") as stream,
        ):
            own = secrets.token_hex(16)
            _send(connection, own)
            theirs, _, proof = _line(stream, _LONGEST_GREETING).partition(b" ")
            both = f"{own} {theirs.decode()}"
            _require(proof, _mac(token, "server", both))
            connection.settimeout(timeout_s)
            _send(connection, _mac(token, "client", both, body), body)
            proof, _, answer = _line(stream, _LONGEST_LINE).partition(b" ")
            _require(proof, _mac(token, "answer", both, answer))
            return answer
    except (OSError, ValueError) as exc:
        raise CallFailed(str(exc)) from exc


class CallServer(socketserver.ThreadingTCPServer):
    """Answers calls on a free port of loopback, each in a thread of its own."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = False

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        """Begins to listen. Raises OSError if this machine has no loopback."""
        self.answer = answer
        self.token = secrets.token_hex(32)
        super().__init__(("127.0.0.1", 0), _Call)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """Stays silent: a client that has left or cannot prove the secret gets no answer."""


class _Call(socketserver.StreamRequestHandler):
    timeout = _HANDSHAKE_S

    def handle(self) -> None:
        server = cast(CallServer, self.server)
        theirs = _line(self.rfile, _LONGEST_GREETING).decode()
        both = f"{theirs} {secrets.token_hex(16)}"
        self._reply(both.split(" ")[-1], _mac(server.token, "server", both).encode())
        proof, _, body = _line(self.rfile, _LONGEST_LINE).partition(b" ")
        _require(proof, _mac(server.token, "client", both, body))
        answer = server.answer(body)
        self._reply(_mac(server.token, "answer", both, answer), answer)

    def _reply(self, first: str, rest: bytes) -> None:
        _send(self.request, first, rest)


def _send(connection: socket.socket, first: str, rest: bytes = b"") -> None:
    connection.sendall(first.encode() + (b" " + rest if rest else b"") + b"\n")


def _line(stream: BufferedIOBase, longest: int) -> bytes:
    """Returns the next line without its end. Raises ValueError if the other side stops before."""
    line = stream.readline(longest)
    if not line.endswith(b"\n"):
        raise ValueError("the connection ended too early")
    return line[:-1]


def _mac(token: str, role: str, challenges: str, body: bytes = b"") -> str:
    return hmac.new(
        token.encode(), f"{role} {challenges} ".encode() + body, digestmod="sha256"
    ).hexdigest()


def _require(given: bytes, wanted: str) -> None:
    if not hmac.compare_digest(given, wanted.encode()):
        raise ValueError("the other program does not know the secret")
