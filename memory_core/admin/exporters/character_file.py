"""Writes the memories of one character into a file that may be given to others with its card.

A backup also holds what memories said before they were edited, and the key by which forgotten ones
are recognised. This file is made anew from what is remembered now, so it holds neither.
"""

import tempfile
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from ...domain.namespaces import Namespace, decode
from ...domain.records import Memory, Note
from ...infra.scratch_folders import SCRATCH_PREFIX
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ..backup.writer import BackupSummary, write_backup
from .live_memories import live_memories


def write_character_file(runtime: Runtime, namespace: Namespace, path: Path) -> BackupSummary:
    """Writes a zip that can be restored like a backup. Raises StorageError.

    What all characters of the user share is not in it, nor are paused chats.
    """
    with tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX) as folder:
        fresh = runtime.memory_over(Path(folder) / "memories")
        try:
            _copy(live_memories(runtime.memory, namespace), fresh, namespace)
            return write_backup(path, fresh.root, [namespace], now=fresh.now())
        finally:
            fresh.close()


def _copy(memories: Iterable[Memory], fresh: LongTermMemory, namespace: Namespace) -> None:
    seen: set[str] = set()
    for log, group in groupby(memories, key=lambda memory: memory.exchange and memory.conversation):
        some = list(group)
        if log is None:
            _copy_notes(some, fresh, namespace)
        else:
            _copy_chat(some, fresh, namespace, whole=log not in seen)
            seen.add(log)


def _copy_chat(
    memories: Sequence[Memory], fresh: LongTermMemory, namespace: Namespace, *, whole: bool
) -> None:
    said = [memory.exchange for memory in memories if memory.exchange]
    name = _conversation(memories[0].conversation)
    new_ids = fresh.reconcile(namespace, name, said, whole=whole).new_ids
    pinned = {memory.key for memory in memories if memory.pinned}
    for memory_id, record in fresh.get_records(namespace, new_ids).items() if pinned else ():
        if record.memory.key in pinned:
            fresh.pin(namespace, memory_id)


def _copy_notes(memories: Sequence[Memory], fresh: LongTermMemory, namespace: Namespace) -> None:
    """Copies notes; those for one chat or pinned ones get the time of the copy."""
    plain: list[Note] = []
    for memory in memories:
        if memory.pinned or memory.only_in_conversation:
            fresh.add_note(
                namespace,
                memory.text,
                kind=memory.kind,
                pinned=memory.pinned,
                conversation=_conversation(memory.only_in_conversation),
            )
        else:
            plain.append(Note(text=memory.text, kind=memory.kind, ts=memory.ts))
    fresh.add_notes(namespace, plain)


def _conversation(log: str) -> str:
    return decode(log) or log if log else ""
