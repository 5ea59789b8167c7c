"""The processes of the administrative crash test: a host that chats, and a program beside it.

Both execute administrative operations on command. The host does so while its threads chat, like
the tab. The other program executes one and ends, like the command line. All messages and
acknowledgements go into a journal, which loses nothing when its writer is killed.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from benchmarks.crash_child import STORE, UNDO_S
from benchmarks.file_calls import CHANGING, CountCalls, KillBefore, met
from memory_core import bootstrap
from memory_core.admin import names as naming
from memory_core.admin.backup.writer import write_backup
from memory_core.admin.doctor.run import DoctorOptions, examine
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.csv_jsonl import TableReader
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.source import ImportSource
from memory_core.admin.move_namespaces import finish_renames
from memory_core.config.schema import Settings
from memory_core.domain.errors import LongTermMemoryError, StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.infra.durable_files import remove_abandoned_temporaries
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.contract import Page
from memory_core.storage.folder_swap import finish_interrupted_swaps
from memory_core.storage.log.event_log import EventLog
from memory_core.storage.pauses import ChatPauses

SAY, FORGET = "say", "forget"
USER, TALK = "ana", "talk"
DIMS = (16, 24)
BEGIN = 1_700_000_000.0
_ALL = 1_000_000
_PAUSE_S = 0.01  # between two messages of one chat
_BATCH = 8
_FORGETS_EACH = 7  # messages, of which one forgets an earlier one

Op = dict[str, Any]


def named(name: str) -> Namespace:
    return Namespace(USER, name)


def text_of(word: str) -> str:
    return f"{word} is what I said of it"


def open_storage(root: Path, dim: int) -> tuple[LongTermMemory, list[str]]:
    """Opens the storage as a program does; returns it with reports of interrupted work."""
    remove_abandoned_temporaries(root)
    reports = [*finish_interrupted_swaps(root), *finish_renames(root)]
    settings = Settings()
    memory = LongTermMemory(
        root,
        open_store=STORE,
        embedder=FakeEmbedder(dim=dim),
        pipeline=bootstrap.build_pipeline(settings, None),
        limits=bootstrap.build_limits(settings),
    )
    return memory, reports


class Journal:
    """Records attempted and acknowledged operations with their times; one for each host."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, act: str, name: str, word: str, *, is_done: bool) -> None:
        line = [act, name, word, is_done, time.monotonic()]
        os.write(self._fd, json.dumps(line).encode() + b"\n")


class Chat(threading.Thread):
    """Talks with the given characters, and forgets some messages, until it is stopped."""

    def __init__(
        self, memory: LongTermMemory, journal: Journal, op: Op, stop: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self._memory = memory
        self._journal = journal
        self._names: list[str] = op["names"]
        self._prefix: str = op["prefix"]
        self._ids: dict[str, tuple[str, str]] = {}
        self._stop_it = stop
        self.refused: list[str] = []

    def run(self) -> None:
        for number in count():
            if self._stop_it.is_set():
                return
            self.say(self._names[number % len(self._names)], f"{self._prefix}n{number}x")
            if number % _FORGETS_EACH == _FORGETS_EACH - 1 and self._ids:
                self._forget(*self._ids.popitem())
            self._stop_it.wait(_PAUSE_S)

    def say(self, name: str, word: str) -> None:
        self._journal.note(SAY, name, word, is_done=False)
        said = Exchange(user=text_of(word), assistant="I see.", ts=BEGIN + time.monotonic())
        try:
            memory_id = self._memory.remember(named(name), TALK, said)
        except LongTermMemoryError as exc:
            self.refused.append(f"{type(exc).__name__}: {exc}")
            return
        self._journal.note(SAY, name, word, is_done=True)
        self._ids[word] = (name, memory_id)

    def _forget(self, word: str, where: tuple[str, str]) -> None:
        self._journal.note(FORGET, where[0], word, is_done=False)
        try:
            self._memory.forget(named(where[0]), [where[1]])
        except LongTermMemoryError as exc:
            self.refused.append(f"{type(exc).__name__}: {exc}")
            return
        self._journal.note(FORGET, where[0], word, is_done=True)


class Administration:
    """The seven operations, as the tab and the command line do them."""

    def __init__(self, memory: LongTermMemory) -> None:
        self._memory = memory

    def act(self, op: Op) -> None:
        getattr(self, f"_{op['act']}")(op)

    def _restore(self, op: Op) -> None:
        restore(self._memory, Path(op["file"]), mode=RestoreMode(op["mode"]))

    def _merge(self, op: Op) -> None:
        switches = ChatPauses(self._memory.root)
        naming.merge(self._memory, switches, named(op["name"]), named(op["other"]))

    def _rename(self, op: Op) -> None:
        switches = ChatPauses(self._memory.root)
        naming.rename(self._memory, switches, named(op["name"]), named(op["other"]))

    def _destroy(self, op: Op) -> None:
        naming.destroy(self._memory, ChatPauses(self._memory.root), named(op["name"]))

    def _rebuild(self, op: Op) -> None:
        self._memory.rebuild(named(op["name"]))

    def _import(self, op: Op) -> None:
        owner = MemoryOwner(user=USER, character=op["name"])
        source = ImportSource(reader=TableReader(), path=Path(op["file"]), owner=owner)
        result = import_chats(self._memory, source)
        if result.failures:
            raise StorageFailed("; ".join(failure.reason for failure in result.failures))

    def _model(self, op: Op) -> None:
        settings = Settings()
        self._memory.reconfigure(
            embedder=FakeEmbedder(dim=op["dim"]),
            pipeline=bootstrap.build_pipeline(settings, None),
            limits=bootstrap.build_limits(settings),
        )
        for name in op["names"]:  # without messages that arrive meanwhile, or it would never end
            batches = self._memory.counts(named(name))["live"] // _BATCH + 1
            for _ in range(batches):
                self._memory.derive_pending(named(name), batch=_BATCH)


class Host:
    """Executes commands: checks the storage, prepares characters, chats and administers."""

    def __init__(self, root: Path, answer: Callable[[Op], None]) -> None:
        self._root = root
        self._answer = answer
        self._dim = DIMS[0]
        self._memory, self._told = open_storage(root, self._dim)
        self._journal: Journal | None = None
        self._chats: list[Chat] = []
        self._stop = threading.Event()

    def do(self, op: Op) -> Op:
        act: Callable[[Op], Op | None] = getattr(self, f"_{op['op']}")
        return act(op) or {}

    def _look(self, op: Op) -> Op:
        """Returns each name's meaning and the words found; may run the doctor."""
        memory = self._memory
        meant = {name: memory.resolve(named(name)).character for name in op["names"]}
        live = {name: self._words(name) for name in sorted(set(meant.values()))}
        others = [namespace for namespace in memory.namespaces() if namespace.character not in live]
        strangers = [other.label for other in others if self._holds_lines(other)]
        problems = memory.problems()
        faults = self._examined(live) if op["examines"] else []
        told = {"told": self._told, "problems": problems, "doctor": faults}
        return {"meant": meant, "live": live, "strangers": strangers, **told}

    def _holds_lines(self, space: Namespace) -> bool:
        return any(EventLog(space.folder(self._root)).logs().values())

    def _examined(self, live: dict[str, list[str]]) -> list[str]:
        self._derive_all(live)
        self._memory.close()
        terms = DoctorOptions(open_store=STORE, undo_s=UNDO_S, clock=time.time)
        remove_abandoned_temporaries(self._root)  # as any start; one was perhaps too young then
        report = examine(self._root, terms) if self._root.is_dir() else None
        self._reopen()
        return (
            [
                f"{finding.path} {finding.byte_offset}: {finding.problem}"
                for finding in report.findings
            ]
            if report
            else []
        )

    def _words(self, name: str) -> list[str]:
        if not named(name).folder(self._root).is_dir():
            return []
        found = self._memory.latest(named(name), Page(limit=_ALL))
        return [entry.exchange.user.partition(" ")[0] for entry in found if entry.exchange]

    def _derive_all(self, names: dict[str, list[str]]) -> None:
        for name in names:
            if named(name).folder(self._root).is_dir():
                while self._memory.derive_pending(named(name)):
                    pass

    def _reopen(self) -> None:
        self._memory.close()
        self._memory, told = open_storage(self._root, self._dim)
        self._told += told

    def _prepare(self, op: Op) -> None:
        """Says the first words to new characters, and closes the memory again."""
        self._journal = Journal(Path(op["journal"]))
        for name, words in op["seeds"].items():
            chat = self._chat(op | {"names": [name]})
            for word in words:
                chat.say(name, word)
        self._reopen()

    def _backup(self, op: Op) -> None:
        write_backup(Path(op["file"]), self._root, [named(op["name"])], now=time.time())

    def _chat(self, op: Op) -> Chat:
        assert self._journal is not None
        return Chat(self._memory, self._journal, op, self._stop)

    def _talk(self, op: Op) -> None:
        """Starts chats; namespaces that are only read stay open without a write lock."""
        for name in op["reads"]:
            self._words(name)
        self._journal = Journal(Path(op["journal"]))
        self._stop.clear()
        parts = [op | {"prefix": f"{op['prefix']}t{n}"} for n in range(op["threads"])]
        self._chats = [self._chat(part) for part in parts]
        derives = [threading.Thread(target=self._derive_beside, args=(op["names"],), daemon=True)]
        for thread in [*self._chats, *(derives if op["derives"] else [])]:
            thread.start()

    def _derive_beside(self, names: list[str]) -> None:
        while not self._stop.is_set():
            for name in names:
                with contextlib.suppress(LongTermMemoryError):
                    self._memory.derive_pending(named(name))
            self._stop.wait(_PAUSE_S)

    def _say(self, op: Op) -> Op:
        """Sends one message to each character."""
        chat = self._chat(op)
        for number, name in enumerate(op["names"]):
            chat.say(name, f"{op['prefix']}n{number}x")
        return {"refused": chat.refused}

    def _act(self, op: Op) -> Op:
        return acted(Administration(self._memory), op, self._answer)

    def _close(self, op: Op) -> None:
        self._stop.set()
        for chat in self._chats:
            chat.join()
        self._memory.close()


def acted(administration: Administration, op: Op, answer: Callable[[Op], None]) -> Op:
    """Reports the start, runs the operation, and returns the number of its file calls.

    With `dies_at` it kills the process before that call.
    """
    counter = KillBefore(op["dies_at"]) if op.get("dies_at") is not None else CountCalls()
    with met(CHANGING, counter):
        answer({"begun": time.monotonic()})
        administration.act(op)
        return {"calls": len(counter.names), "ended": time.monotonic()}


def _serve(do: Callable[[Op], Op], told: BinaryIO, answer: Callable[[Op], None]) -> None:
    for line in told:
        try:
            found = do(json.loads(line))
        except LongTermMemoryError as exc:
            found = {"error": f"{type(exc).__name__}: {exc}"}
        answer(found)


def _answering(answers: BinaryIO) -> Callable[[Op], None]:
    def answer(found: Op) -> None:
        answers.write(json.dumps(found).encode() + b"\n")
        answers.flush()

    return answer


def serve_host(root: Path, told: BinaryIO, answers: BinaryIO) -> None:
    answer = _answering(answers)
    _serve(Host(root, answer).do, told, answer)


def serve_beside(root: Path, told: BinaryIO, answers: BinaryIO) -> None:
    """Opens the storage, runs one operation and closes it, as the command line does."""
    answer = _answering(answers)

    def do(op: Op) -> Op:
        memory, _ = open_storage(root, DIMS[0])
        try:
            return acted(Administration(memory), op, answer)
        finally:
            memory.close()

    _serve(do, told, answer)
