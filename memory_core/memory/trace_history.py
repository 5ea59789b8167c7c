"""The traces of the last turns: the newest of all in memory, the last of each namespace on disk.

The tab shows the saved ones after a restart. They are derived data below `index/`, which may be
deleted at any time and is in no backup. Each line is one trace. An unreadable line is dropped.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ..domain.errors import StorageError
from ..domain.namespaces import Namespace, Scope, encode
from ..infra import durable_files, regular_files
from ..infra.json_codec import UNUSABLE_JSON, dump_json, load_json
from .recall_counts import RecallCounter, drop_counts, reachable_files
from .traces import VERSION, Trace, decode_trace, encode_trace, redact

FILE = Path("index", "traces.jsonl")
KEPT = 20
NO_CHATS: Mapping[str, Collection[str]] = MappingProxyType({})
_MAX_WAITING = 256  # namespaces
_LARGEST = 16 * 2**20
# A file is read, changed and replaced by the writer, and by any thread that forgets or erases.
_lock = threading.Lock()


def has_traces(folder: Path) -> bool:
    """Returns whether traces of this namespace are on disk. Raises StorageFailed if unknown."""
    return durable_files.exists(folder / FILE)


def read_traces(folder: Path) -> list[Trace]:
    """Returns the saved traces of the namespace in this folder, oldest first."""
    with _lock:
        return _read(folder / FILE)


def append_traces(folder: Path, new: Iterable[Trace]) -> None:
    """Saves these traces and drops the oldest. Raises StorageFailed if there is no index folder."""
    with _lock:
        lines = dict(_dated_lines(folder / FILE))
        lines |= {trace.ts: _line(trace) for trace in new}
        kept = [lines[ts] for ts in sorted(lines)[-KEPT:]]
        durable_files.replace_without_sync(folder / FILE, _joined(kept))


def redact_traces(
    folder: Path,
    ids: Collection[str],
    messages: Collection[str] = (),
    chats: Mapping[str, Collection[str]] = NO_CHATS,
) -> None:
    """Removes the words of these memories, and the traces of these messages of the user.

    `chats` has the log of a chat → its texts: traces of other messages there are removed.
    Raises StorageFailed.
    """
    path = folder / FILE
    with _lock:
        try:
            lines = _read_lines(path)
        except OSError:  # an unreadable file may contain the words, too
            durable_files.unlink(path)
            return
        known = [trace for line in lines for trace in _decoded(line)]
        wanted = (
            trace
            for trace in known
            if trace.query.strip() not in messages and _is_said(trace, chats)
        )
        redacted = [redact(trace, ids) for trace in wanted]
        if redacted != known or len(lines) > len(known):  # the words must not come back
            durable_files.replace(path, _joined(map(_line, redacted)))


def _is_said(trace: Trace, chats: Mapping[str, Collection[str]]) -> bool:
    """Returns whether the trace's message is among those of its chat, if that is in `chats`."""
    said = chats.get(encode(trace.conversation)) if trace.conversation else None
    return said is None or trace.query.strip() in said


def redact_everywhere(folder: Path, ids: Collection[str]) -> None:
    """Removes the words of memories of this folder from the traces of all who can recall them.

    Raises StorageFailed.
    """
    for path in reachable_files(folder, FILE):
        redact_traces(path.parents[1], ids)


def drop_traces(folder: Path) -> None:
    """Removes the saved traces. Raises StorageFailed."""
    with _lock:
        durable_files.unlink(folder / FILE)


def _lines(path: Path) -> Sequence[bytes]:
    try:
        return _read_lines(path)
    except OSError:
        return ()


def _read_lines(path: Path) -> Sequence[bytes]:
    """Returns all lines; none without a file. Raises OSError."""
    try:
        return regular_files.read_regular_file(path, largest=_LARGEST).splitlines()
    except FileNotFoundError:
        return ()


def _read(path: Path) -> list[Trace]:
    return [trace for line in _lines(path) for trace in _decoded(line)]


def _decoded(line: bytes) -> list[Trace]:
    try:
        return [decode_trace(load_json(line))]
    except UNUSABLE_JSON:
        return []


def _dated_lines(path: Path) -> Iterator[tuple[float, bytes]]:
    """Yields the lines with their times; decoding whole traces takes much longer."""
    for line in _lines(path):
        with suppress(*UNUSABLE_JSON):
            fields = load_json(line)
            if fields["v"] == VERSION:
                yield float(fields["ts"]), line


def _line(trace: Trace) -> bytes:
    return dump_json(encode_trace(trace))


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


class Traces:
    """Keeps the newest traces in memory, and some of them on disk. Safe for many threads.

    New ones are saved later, in the thread of the writer. `_lock` is held only briefly, because
    prompts wait for it; `_disk` is held while files change, and is taken first if both are needed.
    """

    def __init__(self, keep: int, root: Callable[[], Path]) -> None:
        """`root` returns the storage folder."""
        self._root = root
        self._lock = threading.Lock()
        self._disk = threading.Lock()
        self._traces: deque[tuple[Namespace, Trace]] = deque(maxlen=keep)
        self._unsaved: dict[Namespace, list[Trace]] = {}
        self._counter = RecallCounter()

    def add(self, namespace: Namespace, trace: Trace) -> None:
        """Adds a trace, and notes it for the next save(); does no I/O."""
        with self._lock:
            self._traces.append((namespace, trace))
            self._note_for_save(namespace, trace)

    def _note_for_save(self, namespace: Namespace, trace: Trace) -> None:
        if trace.may_be_saved:
            self._unsaved[namespace] = [*self._unsaved.pop(namespace, ()), trace][-KEPT:]
            while len(self._unsaved) > _MAX_WAITING:  # their folders may never come
                self._unsaved.pop(next(iter(self._unsaved)))

    def save(self) -> None:
        """Saves the new traces that may be saved, and counts their recalled memories.

        Traces of namespaces without a folder wait for these. The writer calls this, no prompt waits
        for it.
        """
        with self._lock:
            unsaved = list(self._unsaved)
        for namespace in unsaved:
            folder = self._folder(namespace)
            if (folder / "index").is_dir():
                self._save(namespace, folder)

    def _save(self, namespace: Namespace, folder: Path) -> None:
        with self._disk:  # a trace that is being redacted is saved redacted
            with self._lock:
                traces = self._unsaved.pop(namespace, [])
            with suppress(StorageError):
                append_traces(folder, traces)
                self._counter.count(namespace, folder, traces)

    def latest(self, namespace: Namespace | None = None) -> list[Trace]:
        """Returns the traces of one namespace, saved ones too, or of all; newest first."""
        with self._lock:
            traces = list(self._traces)
        recent = [trace for space, trace in reversed(traces) if namespace in (None, space)]
        return recent if namespace is None else [*recent, *self._saved(namespace, recent)]

    def _saved(self, namespace: Namespace, recent: Collection[Trace]) -> list[Trace]:
        """Returns the saved traces besides the recent ones; a folder may have been renamed."""
        known = {trace.ts for trace in recent}
        name = namespace.character or namespace.scope
        saved = read_traces(self._folder(namespace))
        older = (trace for trace in reversed(saved) if trace.ts not in known)
        return [replace(trace, user=namespace.user, character=name) for trace in older]

    def resize(self, keep: int) -> None:
        with self._lock:
            self._traces = deque(self._traces, maxlen=keep)

    def move(self, namespace: Namespace, new: Namespace) -> None:
        """Assigns the traces of one namespace to another."""
        name = new.character or new.scope
        with self._lock:
            for index, (space, trace) in enumerate(self._traces):
                if space == namespace:
                    moved = replace(trace, user=new.user, character=name)
                    self._traces[index] = (new, moved)
                    self._note_for_save(new, moved)

    def drop_all(self, namespace: Namespace) -> None:
        with self._lock:
            self._replace(pair for pair in self._traces if pair[0] != namespace)
        with self._disk, suppress(StorageError):
            with self._lock:
                self._unsaved.pop(namespace, None)
            drop_traces(self._folder(namespace))
            drop_counts(self._folder(namespace))

    def redact(
        self, namespace: Namespace, ids: Collection[str], messages: Collection[str] = ()
    ) -> None:
        """Removes the words of these memories, and the traces that answer one of the messages.

        Erasure removes them from the disk once more, if that fails.
        """
        with self._lock:
            self._replace(
                (space, redact(trace, ids))
                for space, trace in self._traces
                if space != namespace or trace.query.strip() not in messages
            )
        with self._disk, suppress(StorageError):
            with self._lock:
                for space, unsaved in self._unsaved.items():
                    self._unsaved[space] = [
                        redact(trace, ids)
                        for trace in unsaved
                        if space != namespace or trace.query.strip() not in messages
                    ]
            redact_traces(self._folder(namespace), ids, messages)
            is_of_all = namespace.scope is Scope.WORLD
            widest = namespace if is_of_all else Namespace.shared(namespace.user)
            redact_everywhere(self._folder(widest), ids)  # some of these may be shared ones

    def _replace(self, traces: Iterable[tuple[Namespace, Trace]]) -> None:
        self._traces = deque(traces, maxlen=self._traces.maxlen)

    def _folder(self, namespace: Namespace) -> Path:
        return namespace.folder(self._root())
