"""The last traces of a namespace on disk, so that the tab shows them after a restart.

They are derived data below `index/`, which may be deleted at any time and is in no backup. Each
line is one trace. A line that cannot be read is dropped.
"""

import json
import threading
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path

from ..domain.errors import StorageError
from ..domain.namespaces import Namespace, Scope
from ..infra import durable_files, regular_files
from .trace_codec import decode_trace, encode_trace
from .traces import Trace, redact

FILE = Path("index", "traces.jsonl")
KEPT = 20
_LARGEST = 16 * 2**20
_UNUSABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
# One file is read, changed and replaced by the writer, and by who forgets or erases.
_lock = threading.Lock()


def has_traces(folder: Path) -> bool:
    """Returns whether traces of this namespace are on disk. Raises StorageFailed if unknown."""
    return durable_files.exists(folder / FILE)


def read_traces(folder: Path) -> list[Trace]:
    """Returns the saved traces of the namespace in this folder, oldest first."""
    with _lock:
        return _read(folder / FILE)


def append_traces(folder: Path, new: Iterable[Trace]) -> None:
    """Saves these too, and drops the oldest. Raises StorageFailed, also without an index folder."""
    with _lock:
        known = {trace.ts: trace for trace in (*_read(folder / FILE), *new)}
        _write(folder / FILE, sorted(known.values(), key=lambda trace: trace.ts)[-KEPT:])


def redact_traces(folder: Path, ids: Collection[str], messages: Collection[str] = ()) -> None:
    """Removes the words of these memories, and the traces of these messages of the user.

    Raises StorageFailed.
    """
    with _lock:
        _redact(folder / FILE, ids, messages)


def redact_everywhere(namespace: Namespace, folder: Path, ids: Collection[str]) -> None:
    """Removes the words of memories of this namespace from the traces of all who can recall them.

    `folder` is that of the namespace. Raises StorageFailed.
    """
    for path in _files_that_may_show(namespace, folder):
        with _lock:
            _redact(path, ids, ())


def drop_traces(folder: Path) -> None:
    """Removes the saved traces. Raises StorageFailed."""
    with _lock:
        durable_files.remove(folder / FILE)


def _files_that_may_show(namespace: Namespace, folder: Path) -> list[Path]:
    if namespace.scope is Scope.WORLD:
        return list(folder.parent.parent.glob(f"*/*/{FILE.as_posix()}"))
    if namespace.scope is Scope.SHARED:
        return list(folder.parent.glob(f"*/{FILE.as_posix()}"))
    return [folder / FILE]


def _redact(path: Path, ids: Collection[str], messages: Collection[str]) -> None:
    known = _read(path)
    wanted = (trace for trace in known if trace.query.strip() not in messages)
    redacted = [redact(trace, ids) for trace in wanted]
    if redacted != known:
        _write(path, redacted)


def _read(path: Path) -> list[Trace]:
    try:
        data = regular_files.read_regular_file(path, largest=_LARGEST)
    except OSError:
        return []
    return [trace for line in data.splitlines() for trace in _decoded(line)]


def _decoded(line: bytes) -> list[Trace]:
    try:
        return [decode_trace(json.loads(line))]
    except _UNUSABLE:
        return []


def _write(path: Path, traces: Iterable[Trace]) -> None:
    lines = (json.dumps(encode_trace(trace), ensure_ascii=False) for trace in traces)
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    durable_files.replace(path, data)


class TraceSaver:
    """Saves new traces later, in the thread of the writer. Safe for many threads."""

    def __init__(self, root: Callable[[], Path]) -> None:
        self._root = root
        self._waiting: dict[Namespace, list[Trace]] = {}
        self._guard = threading.Lock()

    def add(self, namespace: Namespace, trace: Trace) -> None:
        """Notes the trace for the next save(); does no I/O."""
        if trace.may_be_saved:
            with self._guard:
                self._waiting[namespace] = [*self._waiting.get(namespace, ()), trace][-KEPT:]

    def save(self) -> None:
        """Saves what waits. A trace of a namespace without a folder waits for its first memory."""
        with self._guard:
            ready = [space for space in self._waiting if (self._folder(space) / "index").is_dir()]
        for namespace in ready:
            with self._guard:  # a trace that is being redacted is saved redacted
                traces = self._waiting.pop(namespace, [])
                with suppress(StorageError):
                    append_traces(self._folder(namespace), traces)

    def read(self, namespace: Namespace) -> list[Trace]:
        return read_traces(self._folder(namespace))

    def redact(self, namespace: Namespace, ids: Collection[str], messages: Collection[str]) -> None:
        """Removes these words from what waits and from the disk; erasure tries once more."""
        with self._guard:
            for space, waiting in self._waiting.items():
                self._waiting[space] = [
                    redact(trace, ids)
                    for trace in waiting
                    if space != namespace or trace.query.strip() not in messages
                ]
            with suppress(StorageError):
                redact_traces(self._folder(namespace), ids, messages)
                redact_everywhere(Namespace.shared(namespace.user), self._siblings(namespace), ids)

    def drop(self, namespace: Namespace) -> None:
        with self._guard, suppress(StorageError):
            self._waiting.pop(namespace, None)
            drop_traces(self._folder(namespace))

    def _folder(self, namespace: Namespace) -> Path:
        return namespace.folder(self._root())

    def _siblings(self, namespace: Namespace) -> Path:
        return self._folder(Namespace.shared(namespace.user))
