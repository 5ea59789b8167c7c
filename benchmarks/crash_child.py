"""The process to be killed: it runs one operation after another, and reports each."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import faiss  # noqa: F401  (here, so that no child has to)
import zarr  # noqa: F401

from memory_core import bootstrap
from memory_core.admin.backup.writer import write_backup
from memory_core.admin.doctor.run import DoctorOptions, examine
from memory_core.admin.exporters.export import ExportFormat, export_namespace
from memory_core.config.schema import Settings
from memory_core.domain.errors import LongTermMemoryError
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall.query import Query
from memory_core.storage.index.local import LocalStore
from memory_core.storage.index.vectors.segment_list import ChunkSizes

SPACES = {"kai": Namespace("ana", "kai"), "mira": Namespace("ana", "mira")}
TALK, CHAT = "talk", "chat"  # one is only appended to, the other follows an edited chat
# Small, so that there is always something to compact and to merge.
STORE = partial(LocalStore, compact_from=16, sizes=ChunkSizes(chunk=16, segment=32, merge=2))
UNDO_S = 3600.0
_ALL = 1_000_000
_DIMS = (16, 24)


class Worker:
    """Executes the operations it receives."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._memory = self._open()

    def _open(self) -> LongTermMemory:
        settings = Settings()
        return LongTermMemory(
            self._root,
            open_store=STORE,
            embedder=FakeEmbedder(dim=_DIMS[0]),
            pipeline=bootstrap.build_pipeline(settings, None),
            limits=bootstrap.build_limits(settings),
        )

    def do(self, op: dict[str, Any]) -> dict[str, Any]:
        act: Callable[[dict[str, Any]], dict[str, Any] | None] = getattr(self, f"_{op['op']}")
        return act(op) or {}

    def _look(self, op: dict[str, Any]) -> dict[str, Any]:
        """Returns all that is stored; then the doctor examines the closed folder."""
        seen = {name: self._dump(space) for name, space in SPACES.items()}
        problems = self._memory.problems()
        for space in SPACES.values():
            while self._memory.derive_pending(space):  # as at every start of the program
                pass
        self._memory.close()
        terms = DoctorOptions(open_store=STORE, undo_s=UNDO_S, clock=time.time)
        report = examine(self._root, terms) if self._root.is_dir() else None
        faults = (
            [
                f"{finding.path} {finding.byte_offset}: {finding.problem}"
                for finding in report.findings
            ]
            if report
            else []
        )
        self._memory = self._open()
        if op["derives"]:
            threading.Thread(target=self._derive_beside, daemon=True).start()
        return {"spaces": seen, "doctor": faults, "problems": problems}

    def _dump(self, space: Namespace) -> dict[str, Any]:
        memory = self._memory
        live = {log: memory.conversation(space, log, _ALL) for log in (TALK, CHAT)}
        recent = live[TALK][-1:] + live[TALK][:1]
        return {
            "live": {
                log: [(entry.id, entry.exchange.user) for entry in found if entry.exchange]
                for log, found in live.items()
            },
            "notes": [(it.id, it.text) for it in memory.always_in_prompt(space) if not it.exchange],
            "forgotten": [hidden.memory.id for hidden in memory.forgotten(space)],
            "recalled": [
                (memory.id, self._recalls(space, memory.exchange.user))
                for memory in recent
                if memory.exchange
            ],
        }

    def _recalls(self, space: Namespace, text: str) -> list[str]:
        query = Query(text=f"What about {text}?", is_explicit_request=True)
        found = self._memory.recall(space, query)
        return [recalled.memory.id for recalled in found.kept] + [
            drop.candidate.memory.id for drop in found.dropped
        ]

    def _append(self, op: dict[str, Any]) -> dict[str, Any]:
        exchange = Exchange(user=op["text"], assistant="I see.", ts=op["ts"])
        return {"id": self._memory.remember(SPACES[op["space"]], TALK, exchange)}

    def _reconcile(self, op: dict[str, Any]) -> dict[str, Any]:
        shown = [Exchange(user=it[0], assistant="I see.", ts=it[1]) for it in op["shown"]]
        self._memory.reconcile(SPACES[op["space"]], CHAT, shown, whole=True)
        return {}

    def _note(self, op: dict[str, Any]) -> dict[str, Any]:
        space, kind = SPACES[op["space"]], MemoryKind.KNOWLEDGE
        return {"id": self._memory.add_note(space, op["text"], kind=kind, pinned=False)}

    def _edit(self, op: dict[str, Any]) -> None:
        self._memory.edit(SPACES[op["space"]], op["id"], {"user": op["text"]})

    def _forget(self, op: dict[str, Any]) -> None:
        self._memory.forget(SPACES[op["space"]], [op["id"]])

    def _unforget(self, op: dict[str, Any]) -> None:
        self._memory.unforget(SPACES[op["space"]], op["id"])

    def _erase(self, op: dict[str, Any]) -> None:
        self._memory.erase_all_forgotten(SPACES[op["space"]])

    def _rebuild(self, op: dict[str, Any]) -> None:
        self._memory.rebuild(SPACES[op["space"]])

    def _embed(self, op: dict[str, Any]) -> None:
        self._memory.derive_pending(SPACES[op["space"]])

    def _seal(self, op: dict[str, Any]) -> None:
        with self._memory.open_namespace(SPACES[op["space"]]) as opened:
            while opened.maintain():
                pass

    def _model(self, op: dict[str, Any]) -> None:
        settings = Settings()
        self._memory.reconfigure(
            embedder=FakeEmbedder(dim=_DIMS[op["n"] % len(_DIMS)]),
            pipeline=bootstrap.build_pipeline(settings, None),
            limits=bootstrap.build_limits(settings),
        )
        self._memory.derive_pending(SPACES[op["space"]])

    def _backup(self, op: dict[str, Any]) -> None:
        path = self._root.parent / "backup.zip"
        write_backup(path, self._root, [SPACES[op["space"]]], now=time.time())

    def _export(self, op: dict[str, Any]) -> None:
        path = self._root.parent / "export.jsonl"
        export_namespace(self._memory, SPACES[op["space"]], ExportFormat.JSONL, path)

    def _derive_beside(self) -> None:
        """Embeds and erases in the background, as the program does during a chat."""
        while True:
            for space in SPACES.values():
                with contextlib.suppress(LongTermMemoryError):
                    self._memory.derive_pending(space)
            time.sleep(0.001)


def serve(root: Path, told: BinaryIO, answers: BinaryIO) -> None:
    """Answers each line of JSON with one, until the input ends."""
    worker: Worker | None = None
    for line in told:
        try:
            worker = worker or Worker(root)
            answer = worker.do(json.loads(line))
        except LongTermMemoryError as exc:
            answer = {"error": f"{type(exc).__name__}: {exc}"}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


Serve = Callable[[Path, BinaryIO, BinaryIO], None]


class Child:
    """The parent's view of such a process: forked if that is safe, otherwise started."""

    def __init__(self, root: Path, serve: Serve = serve) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = 0
        self._rest = b""
        self.was_killed = False
        if sys.platform == "linux":
            self._fork(root, serve)
        else:
            self._start(root)

    def _fork(self, root: Path, serve: Serve) -> None:
        told, tell = os.pipe()
        answers, answer = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(tell)
            os.close(answers)
            try:
                serve(root, os.fdopen(told, "rb"), os.fdopen(answer, "wb"))
            finally:
                if sys.exc_info()[0]:
                    traceback.print_exc()
                os._exit(1)
        os.close(told)
        os.close(answer)
        self._tell, self._answers = tell, answers

    def _start(self, root: Path) -> None:
        command = [sys.executable, "-m", "benchmarks.crash_child", str(root)]
        here = Path(__file__).resolve().parent.parent
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=here, bufsize=0
        )
        assert self._process.stdin
        assert self._process.stdout
        self._tell, self._answers = self._process.stdin.fileno(), self._process.stdout.fileno()

    def tell(self, op: dict[str, Any]) -> None:
        data = json.dumps(op).encode() + b"\n"
        with contextlib.suppress(BrokenPipeError):  # noticed by the missing answer
            while data:
                data = data[os.write(self._tell, data) :]

    def ask(self, op: dict[str, Any], patience_s: float) -> dict[str, Any] | None:
        """Sends an operation and returns the answer; None if the child died or took too long."""
        self.tell(op)
        return self.hear(patience_s)

    def hear(self, patience_s: float) -> dict[str, Any] | None:
        """Returns the child's next line; None if it died or took too long."""
        ends = time.monotonic() + patience_s
        while b"\n" not in self._rest:
            left = max(0.0, ends - time.monotonic())
            if not select.select([self._answers], [], [], left)[0]:
                return None
            data = os.read(self._answers, 1 << 16)
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> dict[str, Any] | None:
        """Kills the child; returns an answer that it had given before, if any."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        elif self._pid:
            os.kill(self._pid, signal.SIGKILL)
            status = os.waitpid(self._pid, 0)[1]
            self.was_killed = os.WIFSIGNALED(status)
        self._pid = 0
        while data := os.read(self._answers, 1 << 16):
            self._rest += data
        answer: dict[str, Any] | None = json.loads(self._rest) if self._rest[-1:] == b"\n" else None
        return answer

    def end(self) -> None:
        if self._pid or (self._process and self._process.poll() is None):
            self.kill()
        if self._process is None:
            os.close(self._tell)
            os.close(self._answers)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.stdin.buffer, sys.stdout.buffer)


class KillCounts:
    """Counts the kills by the operation that ran, and what became of the memories."""

    def __init__(self, *phases: str) -> None:
        self.phases: Counter[str] = Counter(dict.fromkeys(phases, 0))
        self.acknowledged = self.lost = self.corrupt = self.failed_opens = 0
        self.told: list[str] = []

    def found(self) -> dict[str, Any]:
        return {
            "kills": self.phases.total(),
            "acknowledged": self.acknowledged,
            "lost": self.lost,
            "corrupt": self.corrupt,
            "failed_opens": self.failed_opens,
            "phases": dict(self.phases.most_common()),
        }
