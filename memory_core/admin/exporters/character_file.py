"""Writes the memories of one character into a file that may be given to others with its card.

A backup also contains the texts of memories before their edits, and the key by which forgotten ones
are recognised. This file is made from the current memories alone, so it contains neither.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from ...domain.namespaces import Namespace, decode
from ...domain.records import Memory, Note
from ...infra.scratch_folders import temporary_folder
from ...memory.long_term_memory import LongTermMemory
from ...memory.namespace_memory import NamespaceMemory
from ...memory.runtime import Runtime
from ...storage.log.projection import MemoryStatus
from ..backup.writer import BackupSummary, write_backup
from .live_memories import live_memories


def write_character_file(runtime: Runtime, namespace: Namespace, path: Path) -> BackupSummary:
    """Writes a zip that can be restored like a backup. Raises StorageError.

    Memories that all characters of the user share are not in it, nor are paused chats.
    """
    with temporary_folder() as folder:
        fresh = runtime.open_memory_at(Path(folder) / "memories")
        try:
            _copy(runtime.memory, fresh, namespace)
            return write_backup(path, fresh.root, [namespace], now=fresh.now())
        finally:
            fresh.close()


def _copy(source: LongTermMemory, fresh: LongTermMemory, namespace: Namespace) -> None:
    seen: set[str] = set()
    memories = live_memories(source, namespace)
    for log, group in groupby(memories, key=lambda memory: memory.exchange and memory.conversation):
        some = list(group)
        if log is None:
            _copy_notes(some, source, fresh, namespace)
        else:
            _copy_chat(some, fresh, namespace, whole=log not in seen)
            seen.add(log)


def _copy_chat(
    memories: Sequence[Memory], fresh: LongTermMemory, namespace: Namespace, *, whole: bool
) -> None:
    said = [memory.exchange for memory in memories if memory.exchange]
    name = _conversation(memories[0].conversation)
    new_ids = fresh.reconcile(namespace, name, said, whole=whole).new_ids
    _copy_pins(memories, new_ids, fresh, namespace)


def _copy_pins(
    memories: Sequence[Memory], new_ids: Sequence[str], fresh: LongTermMemory, namespace: Namespace
) -> None:
    pinned = {memory.key for memory in memories if memory.pinned}
    for memory_id, record in fresh.get_records(namespace, new_ids).items() if pinned else ():
        if record.memory.key in pinned:
            fresh.pin(namespace, memory_id)


def _copy_notes(
    memories: Sequence[Memory], source: LongTermMemory, fresh: LongTermMemory, namespace: Namespace
) -> None:
    """Copies notes; those for one chat get the time of the copy."""
    for memory in memories:
        if memory.only_in_conversation:
            fresh.add_note(
                namespace,
                memory.text,
                kind=memory.kind,
                pinned=memory.pinned,
                conversation=_conversation(memory.only_in_conversation),
            )
    plain = [memory for memory in memories if not memory.only_in_conversation]
    with source.open_namespace(namespace) as opened:
        notes = [_note(memory, opened) for memory in plain]
    _copy_pins(plain, fresh.add_notes(namespace, notes), fresh, namespace)


def _note(memory: Memory, opened: NamespaceMemory) -> Note:
    """Returns a memory with its sources and its successor named by content.

    The sources of a merge are forgotten, so the copy does not name them.
    """
    derived = memory.derived
    newer = [derived.superseded_by] if derived and derived.superseded_by else []
    found = opened.records([*memory.sources, *newer])
    keys = {
        name: entry.memory.key for name, entry in found.items() if entry.status is MemoryStatus.LIVE
    }
    has_sources = keys.keys() >= set(memory.sources)
    if derived is not None:
        successor = keys.get(derived.superseded_by, "")
        derived = replace(derived, superseded_by=successor)
    return Note(
        text=memory.text,
        kind=memory.kind,
        ts=memory.ts,
        sources=tuple(keys[name] for name in memory.sources) if has_sources else (),
        derived=derived,
    )


def _conversation(log: str) -> str:
    return decode(log) or log if log else ""
