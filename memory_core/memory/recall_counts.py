"""Counts how often each memory was in a prompt, for the tab's order "most recalled".

Each namespace counts the memories in the prompts of its own chats, in a file below `index/`, which
is derived, in no backup, and deleted with the index. A line is an id, a tab and a number; the
numbers of an id add up. Lines are appended without a sync: a power failure loses the last counts.
"""

import os
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from ..domain.namespaces import Namespace, Scope, scope_of
from ..infra import durable_files, regular_files
from .traces import Trace

FILE = Path("index", "recalled.tsv")
_COMPACTED_EVERY = 2**20  # bytes
_LARGEST = 64 * 2**20
# Adding, compacting and removing exclude each other within this process.
_lock = threading.Lock()

_Message = tuple[str, str]


def reachable_files(folder: Path, file: Path) -> list[Path]:
    """Returns the paths of `file` for all namespaces whose chats can recall the memories of the
    one in `folder`.
    """
    scope = scope_of(folder)
    if scope is Scope.WORLD:
        return list(folder.parent.glob(f"*/*/{file.as_posix()}"))
    if scope is Scope.SHARED:
        return list(folder.parent.glob(f"*/{file.as_posix()}"))
    return [folder / file]


class RecallCounter:
    """Counts the memories in prompts, once for each message. For one thread.

    If a message is answered again, only memories that its earlier prompts lacked are counted.
    """

    def __init__(self) -> None:
        self._last: dict[Namespace, tuple[_Message, frozenset[str]]] = {}

    def count(self, namespace: Namespace, folder: Path, traces: Iterable[Trace]) -> None:
        """Adds the memories in the prompts of these traces. Raises StorageFailed."""
        counts = Counter(
            given for trace in traces for given in self._newly_recalled(namespace, trace)
        )
        if counts:
            add_counts(folder, counts)

    def _newly_recalled(self, namespace: Namespace, trace: Trace) -> frozenset[str]:
        message, given = (trace.conversation, trace.query), given_ids(trace)
        known, before = self._last.get(namespace, (message, frozenset[str]()))
        already = before if known == message else frozenset[str]()
        self._last[namespace] = (message, given | already)
        return given - already


def given_ids(trace: Trace) -> frozenset[str]:
    """Returns the ids of the memories that were found for this message and are in its prompt."""
    in_prompt = {name for part in trace.injected for name in part.memory_id.split()}
    return frozenset(result.memory.id for result in trace.recall.kept) & in_prompt


def add_counts(folder: Path, counts: Mapping[str, int]) -> None:
    """Adds these to the counts of a folder that has an index. Raises StorageFailed."""
    path, data = folder / FILE, _lines(counts)
    with _lock, durable_files.naming_errors(path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        fd = os.open(path, flags, durable_files.FILE_MODE)
        try:
            os.write(fd, data)
            size = os.fstat(fd).st_size
        finally:
            os.close(fd)
        if size // _COMPACTED_EVERY > (size - len(data)) // _COMPACTED_EVERY:
            durable_files.replace(path, _lines(_read(path)))


def read_counts(folder: Path) -> Mapping[str, int] | None:
    """Returns id → number of messages for which the memories of this folder were recalled.

    Memories of other namespaces may be among them. Returns None without an index folder, as for
    memories in a database, which are not counted.
    """
    if not (folder / FILE).parent.is_dir():
        return None
    paths = reachable_files(folder, FILE)
    if len(paths) == 1:
        return _read(paths[0])
    found: Counter[str] = Counter()
    for path in paths:
        found.update(_read(path))
    return found


def remove_counts(folder: Path, ids: Collection[str]) -> None:
    """Removes the counts of erased memories wherever they were recalled. Raises StorageFailed."""
    for path in reachable_files(folder, FILE):
        with _lock:
            known = _read(path)
            if not known.keys().isdisjoint(ids):
                left = {name: count for name, count in known.items() if name not in ids}
                durable_files.replace(path, _lines(left))


def drop_counts(folder: Path) -> None:
    """Removes all counts of a namespace. Raises StorageFailed."""
    with _lock:
        durable_files.remove(folder / FILE)


def _lines(counts: Mapping[str, int]) -> bytes:
    """Returns the lines after a line end, so that a line cut short by a crash spoils no other."""
    return "".join(["\n", *(f"{name}\t{count}\n" for name, count in counts.items())]).encode()


def _read(path: Path) -> Mapping[str, int]:
    try:
        found = path.stat()
    except OSError:
        return {}
    return _parsed(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=8)
def _parsed(path: Path, changed_at: int, size: int) -> Mapping[str, int]:
    """Returns the counts of a file that has this size and was changed at this time."""
    try:
        lines = regular_files.read_regular_file(path, largest=_LARGEST).splitlines()
    except OSError:
        return {}
    counts: Counter[str] = Counter()
    for name, count in _pairs(lines):
        counts[name] += count
    return counts


def _pairs(lines: Iterable[bytes]) -> Iterator[tuple[str, int]]:
    for line in lines:
        name, _, count = line.partition(b"\t")
        if name and count.isdigit():
            yield name.decode("utf-8", "replace"), int(count)
