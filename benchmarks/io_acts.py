"""The operations whose file calls fail in io_errors.py, and a small storage for them."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.admin_child import DIMS, Administration, named, open_storage, text_of
from benchmarks.crash_child import STORE
from memory_core.admin.backup.erased_scan import ErasedIds
from memory_core.admin.backup.purge import erase_ids_from_backups
from memory_core.admin.backup.rolling import RollingBackup
from memory_core.admin.backup.writer import write_backup
from memory_core.admin.doctor.run import DoctorOptions, repair
from memory_core.admin.exporters.export import ExportFormat, export_namespace
from memory_core.config.schema import RollingBackupSettings
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.infra import durable_files
from memory_core.storage.contract import Page
from memory_core.storage.manifest import MANIFEST

KAI, MIRA, NEW = "kai", "mira", "a new name"
TALK, CHAT = "talk", "chat"
SECRET, UNDONE, LATER = "kumquat", "undone", "later"
NAMES = (KAI, MIRA, NEW)
_NOW = 1_700_000_000.0
ALL_MEMORIES = 1_000_000


def said(word: str, ts: float = _NOW) -> Exchange:
    return Exchange(user=text_of(word), assistant="I see.", ts=ts)


SHOWN = [said(f"shown{n}x", _NOW + n) for n in range(4)]


class Scene:
    """An open copy of the storage, with the data that the operations need."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "memories"
        self.ids: dict[str, str] = json.loads((folder / "ids.json").read_bytes())
        self.memory, _ = open_storage(self.root, DIMS[0])

    def administer(self, **op: Any) -> None:  # noqa: ANN401  (an operation of admin_child)
        Administration(self.memory).act(op)


def prepare(folder: Path) -> None:
    """Makes two characters with chats, notes and vectors, a backup and an import."""
    folder.mkdir()
    memory, _ = open_storage(folder / "memories", DIMS[0])
    ids: dict[str, str] = {}
    for name in (KAI, MIRA):
        for word in (f"{name}0x", f"{name}1x", f"{name}2x", f"{SECRET}{name}", f"{UNDONE}{name}"):
            ids[word] = memory.remember(named(name), TALK, said(word))
        memory.reconcile(named(name), CHAT, SHOWN[:3] if name == KAI else [], whole=True)
        ids[f"note{name}"] = memory.add_note(
            named(name), text_of(f"note{name}"), kind=MemoryKind.KNOWLEDGE, pinned=False
        )
    write_backup(folder / "backup.zip", folder / "memories", [named(KAI)], now=time.time())
    for name in (KAI, MIRA):
        memory.forget(named(name), [ids[f"{UNDONE}{name}"]])
        memory.forget(named(name), [ids[f"{SECRET}{name}"]])
        memory.remember(named(name), TALK, said(f"{LATER}{name}"))
        while memory.derive_pending(named(name)):
            pass
    memory.close()
    rows = [{"user": text_of(f"import{n}x"), "assistant": "I see.", "ts": _NOW} for n in range(4)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "import.jsonl").write_text(text, encoding="utf-8")
    (folder / "ids.json").write_text(json.dumps(ids), encoding="utf-8")


def _append(scene: Scene) -> None:
    scene.memory.remember(named(KAI), TALK, said("fresh0x"))


def _begin(scene: Scene) -> None:
    """Writes the first exchange of a new character, which makes folders."""
    scene.memory.remember(named(NEW), TALK, said("fresh0x"))


def _reconcile(scene: Scene) -> None:
    scene.memory.reconcile(named(KAI), CHAT, [SHOWN[0], *SHOWN[2:]], whole=True)


def _note(scene: Scene) -> None:
    text = text_of("fresh0x")
    scene.memory.add_note(named(KAI), text, kind=MemoryKind.KNOWLEDGE, pinned=False)


def _edit(scene: Scene) -> None:
    scene.memory.edit(named(KAI), scene.ids["kai0x"], {"user": "kai0x is something else"})


def _pin(scene: Scene) -> None:
    scene.memory.pin(named(KAI), scene.ids["kai0x"])


def _forget(scene: Scene) -> None:
    scene.memory.forget(named(KAI), [scene.ids["kai0x"]])


def _unforget(scene: Scene) -> None:
    scene.memory.unforget(named(KAI), scene.ids[f"{UNDONE}{KAI}"])


def _erase(scene: Scene) -> None:
    scene.memory.erase_all_forgotten(named(KAI))


def derive(scene: Scene) -> None:
    scene.memory.remember(named(KAI), TALK, said("fresh0x"))
    while scene.memory.derive_pending(named(KAI)):
        pass


def _read(scene: Scene) -> None:
    scene.memory.latest(named(KAI), Page(limit=ALL_MEMORIES))


def _backup(scene: Scene) -> None:
    write_backup(scene.folder / "another.zip", scene.root, [named(KAI), named(MIRA)], now=_NOW)


def _roll(scene: Scene) -> None:
    """Makes a rolling backup, which returns messages of failures instead of raising errors."""
    folder = scene.folder / "rolling"
    durable_files.make_folder(folder)
    RollingBackup(scene.root, folder, RollingBackupSettings()).run_due(_NOW)


def _purge(scene: Scene) -> None:
    scene.memory.erase_all_forgotten(named(KAI))
    ids = ErasedIds(scene.root).read_current()
    erase_ids_from_backups([scene.folder / "backup.zip"], ids, now=_NOW)


def _export(scene: Scene) -> None:
    target = scene.folder / "exported.jsonl"
    export_namespace(scene.memory, named(KAI), ExportFormat.JSONL, target)


def _repair(scene: Scene) -> None:
    """Repairs a storage that lacks a manifest, while no program has it open."""
    scene.memory.close()
    durable_files.remove_durably(named(KAI).folder(scene.root) / MANIFEST)
    repair(scene.root, DoctorOptions(open_store=STORE, undo_s=0.0, clock=time.time))


def _restoring(mode: str) -> Callable[[Scene], None]:
    def restore(scene: Scene) -> None:
        scene.administer(act="restore", file=str(scene.folder / "backup.zip"), mode=mode)

    return restore


ACTS: Mapping[str, Callable[[Scene], None]] = {
    "read": _read,
    "append": _append,
    "begin": _begin,
    "reconcile": _reconcile,
    "note": _note,
    "edit": _edit,
    "pin": _pin,
    "forget": _forget,
    "unforget": _unforget,
    "erase": _erase,
    "derive": derive,
    "backup": _backup,
    "rolling backup": _roll,
    "purge": _purge,
    "export": _export,
    "repair": _repair,
    "merging restore": _restoring("merge"),
    "replacing restore": _restoring("replace"),
    "merge": lambda scene: scene.administer(act="merge", name=MIRA, other=KAI),
    "rename": lambda scene: scene.administer(act="rename", name=KAI, other=NEW),
    "destroy": lambda scene: scene.administer(act="destroy", name=KAI),
    "rebuild": lambda scene: scene.administer(act="rebuild", name=KAI),
    "import": lambda scene: scene.administer(
        act="import", name=KAI, file=str(scene.folder / "import.jsonl")
    ),
    "model": lambda scene: scene.administer(act="model", names=[KAI, MIRA], dim=DIMS[1]),
}
