"""Obstacles in place of a file, and users bound by file modes."""

import os
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
LEVELS = 900
_BRACKETS = 10_000_000


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _deep(levels: int) -> bytes:
    return b'{"format": 1, "internal": ' + b"[" * levels + b"]" * levels + b"}"


def _as(encoding: str) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(path.read_bytes().decode("latin-1").encode(encoding))


# Each is done to a file that is there. "pipe" needs a writer, see damaged().
DAMAGES: Mapping[str, Callable[[Path], object]] = {
    "folder": _folder,
    "pipe": Path.unlink,
    "loop": _loop,
    "unreadable": lambda path: path.chmod(0),
    "empty": lambda path: path.write_bytes(b""),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 99),
    "brackets": lambda path: path.write_bytes(b"[" * _BRACKETS),
    "nested": lambda path: path.write_bytes(_deep(LEVELS)),
    "numbers": lambda path: path.write_bytes(b'{"format": 1e400, "internal": [[NaN, -1e400]]}'),
    "digits": lambda path: path.write_bytes(b'{"format": ' + b"9" * 5000 + b"}"),
    "text": lambda path: path.write_bytes(b'"format"'),
    "utf-16": _as("utf-16"),
    "mark": _as("utf-8-sig"),
    "crlf": lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n")),
}
IRREGULAR = ("folder", "pipe", "loop")


@contextmanager
def damaged(path: Path, damage: str) -> Iterator[None]:
    """Has this in place of the file; whoever runs the test is bound by modes meanwhile."""
    DAMAGES[damage](path)
    if damage == "pipe":
        with _pipe(path):
            yield
    elif damage == "unreadable":
        with without_rights():
            yield
    else:
        yield


@contextmanager
def _pipe(path: Path) -> Iterator[None]:
    """Puts a pipe at the path that readers find empty, without waiting forever."""
    other_name = path.with_name(".pipe")  # who meets it may put a file in its place
    os.mkfifo(other_name)
    os.link(other_name, path)
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            os.close(os.open(other_name, os.O_WRONLY))  # as soon as anybody reads

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        is_over.set()
        while writer.is_alive():
            os.close(os.open(other_name, os.O_RDONLY | os.O_NONBLOCK))
            writer.join(0.01)


@contextmanager
def without_rights() -> Iterator[None]:
    """Runs as a user bound by file modes, even if root runs the tests."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def open_to_all() -> Iterator[Path]:
    """Returns a folder that without_rights() can reach; pytest's own are private."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
        yield folder
