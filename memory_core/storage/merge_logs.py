"""Merges the logs of another namespace or of a backup into a namespace; overwrites nothing there.

A memory whose id exists here keeps its state here: forgotten, edited or pinned. From a backup only
live memories are added, without those that were said here at the same time or are forgotten here.
From a namespace that is merged everything is added, tombstones and their secrets included.
"""

import os
import shutil
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path

from ..domain.namespaces import decode, encode
from ..domain.records import EMPTY_MAPPING, content_key
from ..infra import durable_files
from . import held, pauses
from .log.erasure import read_tombstones
from .log.event_log import CONVERSATIONS, LOCK, EventLog
from .log.events import Event, EventType, pack
from .log.log_file import complete_lines, last_seq, readable_lines
from .log.projection import tombstone_hashes
from .manifest import MANIFEST

_DigestKey = Callable[["_MemoryDigest"], Hashable]

_EXCHANGE_EVENTS = (EventType.ADD, EventType.EDIT)
_CHAT_EVENTS = (*_EXCHANGE_EVENTS, EventType.PLACE, EventType.REMOVE)
_TEXT_EVENTS = (EventType.NOTE, EventType.REVISE)
# A tombstone's hash is keyed with its own namespace's secret.
_SKIPPED_EVENTS = (EventType.INIT, EventType.FORGET, EventType.UNFORGET)
# pauses.restore() and held.restore() write their files.
_SKIPPED_FILES = (LOCK, pauses.FILE, held.FILE, held.LOCK)


@dataclass(slots=True)
class _MemoryDigest:
    """Hashes and fields that identify a memory without its text.

    `shown_in` are the conversations that show an exchange. `note_conversation` is the one
    conversation to which a note applies, empty if it applies to all. `sources` are the ids of the
    memories from which a derived one was made.
    """

    key: str = ""
    key_seq: int = 0
    tombstone_hashes: set[str] = field(default_factory=set)
    log: str = ""
    ts: float | None = None
    shown_in: set[str] = field(default_factory=set)
    is_note: bool = False
    note_conversation: str = ""
    sources: frozenset[str] = frozenset()
    is_forgotten: bool = False

    @property
    def is_remembered(self) -> bool:
        return bool(self.key) and not self.is_forgotten and (self.is_note or bool(self.shown_in))


def copy_all(raw: Path, fresh: Path) -> int:
    """Fills `fresh` with the whole backup; returns the number of its live memories."""
    _make_empty_folder(fresh)
    for log in EventLog(raw).logs():
        _link(raw / EventLog.relative_path(log), fresh / EventLog.relative_path(log))
    _link(raw / MANIFEST, fresh / MANIFEST)
    _sync_names(fresh)
    return sum(digest.is_remembered for digest in _digest_memories(raw, ()).values())


def add_missing(raw: Path, existing: Path, fresh: Path) -> int:
    """Fills `fresh` with `existing` and the memories that only `raw` has; returns their number."""
    secrets, hashes = read_tombstones(existing)
    offered, known = _digest_memories(raw, secrets), _digest_memories(existing, ())
    added = _ids_to_add(offered, known, hashes)
    added -= _orphans(added, offered, known)
    _write_merged(
        raw,
        existing,
        fresh,
        lambda line: line.id in added and line.op not in _SKIPPED_EVENTS,
        EMPTY_MAPPING,
    )
    return len(added)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderComparison:
    """Ids of the memories that only one of two folders has, and the number that both have.

    `missing_here` are the ids that add_missing() would add.
    """

    missing_here: frozenset[str]
    only_here: frozenset[str]
    in_both: int


def compare_folders(raw: Path, existing: Path) -> FolderComparison:
    """Compares the live memories of a backup with those of a namespace; writes nothing."""
    secrets, hashes = (
        read_tombstones(existing) if durable_files.is_folder(existing) else ((), frozenset[str]())
    )
    offered, known = _digest_memories(raw, secrets), _digest_memories(existing, ())
    only_here = _ids_to_add(known, offered, ())
    return FolderComparison(
        missing_here=frozenset(_ids_to_add(offered, known, hashes)),
        only_here=frozenset(only_here),
        in_both=len(_remembered(known)) - len(only_here),
    )


def memory_texts(folder: Path, ids: Collection[str]) -> dict[str, tuple[float | None, str]]:
    """Returns id → (time, text) of these memories by their logs, edits included."""
    found: dict[str, tuple[float | None, str]] = {}
    for line in _lines(folder):
        if line.id in ids and line.op in (*_EXCHANGE_EVENTS, *_TEXT_EVENTS):
            ts = found[line.id][0] if line.id in found else line.ts
            sides = (line.fields.get(name, "") for name in ("user", "assistant", "text"))
            found[line.id] = ts, "\n".join(str(side) for side in sides if side)
    return found


def merge_folders(raw: Path, existing: Path, fresh: Path, *, suffix: str) -> dict[str, str]:
    """Fills `fresh` with `existing` and all events of `raw` that are not there yet.

    Conversations of one name are the same chat if they share an exchange of the same time, as after
    a character got another name in the host, or if there is no suffix. Then exchanges that both
    have are stored once, and those forgotten in `existing` are left out. Of different chats, that
    of `raw` is stored as <name>/<suffix>. Returns log → new name of the conversation.
    """
    repeated = _known_exchanges(raw, existing)
    same_chats = {digest.log for digest in repeated.values() if digest.ts is not None}
    if suffix:
        repeated = {id_: one for id_, one in repeated.items() if one.shown_in <= same_chats}
    known = {line.id for line in _lines(existing)} | repeated.keys()
    offered = _remembered(_digest_memories(raw, ()))
    known |= _orphans(offered.keys() - known, offered, _digest_memories(existing, ()))
    secrets = {line.fields["secret"] for line in _lines(existing) if line.op is EventType.INIT}

    def is_added(line: Event) -> bool:
        return (
            line.fields["secret"] not in secrets
            if line.op is EventType.INIT
            else line.id not in known
        )

    used = _conversations_of(_lines(existing)) | set(EventLog(existing).logs())
    more = _conversations_of(line for line in _lines(raw) if is_added(line))
    renamed: dict[str, str] = {}
    for log in sorted(more & used - same_chats) if suffix else ():
        taken = used | more | {encode(name) for name in renamed.values()}
        renamed[log] = _free_name(f"{decode(log) or log}/{suffix}", taken)
    new_logs = {log: encode(name) for log, name in renamed.items()}
    _write_merged(raw, existing, fresh, is_added, new_logs)
    return renamed


def _known_exchanges(raw: Path, existing: Path) -> dict[str, _MemoryDigest]:
    """Returns the exchanges in `raw`, by id, that `existing` shows in the same chats or has
    forgotten. Exchanges that the user edited, pinned or forgot in `raw` alone do not count.
    """
    touched = {line.id for line in _lines(raw) if line.op not in _CHAT_EVENTS}
    secrets, hashes = read_tombstones(existing)
    own = _digest_memories(existing, ())
    offered = {
        id_: digest
        for id_, digest in _digest_memories(raw, secrets).items()
        if not digest.is_note and id_ not in own and (digest.is_forgotten or id_ not in touched)
    }
    shown = _remembered(offered)
    missing = dict(shown)
    _remove_matching_pairs(missing, _remembered(own), _chat_key, _chat_key)
    repeated = shown.keys() - missing.keys()
    forgotten = {(digest.log, digest.ts) for digest in own.values() if digest.is_forgotten}
    return {
        id_: digest
        for id_, digest in offered.items()
        if id_ in repeated
        or ((digest.log, digest.ts) in forgotten and not digest.tombstone_hashes.isdisjoint(hashes))
    }


def _orphans(
    added: Collection[str], offered: Mapping[str, _MemoryDigest], known: Mapping[str, _MemoryDigest]
) -> set[str]:
    """Returns the added memories whose sources would be missing or forgotten."""
    present, orphans = _remembered(known).keys(), set[str]()
    left = set(added)
    while more := {id_ for id_ in left if not offered[id_].sources <= present | left}:
        orphans |= more
        left -= more
    return orphans


def _remembered(digests: Mapping[str, _MemoryDigest]) -> dict[str, _MemoryDigest]:
    return {id_: digest for id_, digest in digests.items() if digest.is_remembered}


def _conversations_of(lines: Iterable[Event]) -> set[str]:
    """Returns the logs that these events are in or apply to."""
    found = {
        name for line in lines for name in (line.log, str(line.fields.get("conversation", "")))
    }
    return found - {""}


def _free_name(name: str, taken: Collection[str]) -> str:
    names = chain([name], (f"{name}/{n}" for n in count(2)))
    return next(free for free in names if encode(free) not in taken)


def _write_merged(
    raw: Path,
    existing: Path,
    fresh: Path,
    is_added: Callable[[Event], bool],
    renamed: Mapping[str, str],
) -> None:
    """Fills `fresh`; the added events get new seqs. `renamed`: log of `raw` → log in `fresh`."""
    _make_empty_folder(fresh)
    ranks = array("Q", sorted(line.seq for line in _lines(raw) if is_added(line)))
    base = _last_seq(existing)
    for log in EventLog(raw).logs():
        path = EventLog.relative_path(renamed.get(log, log))
        lines = readable_lines(raw / EventLog.relative_path(log), log)
        more = [_with_new_conversation(line, renamed) for line in lines if is_added(line)]
        if more:
            numbered = (replace(line, seq=base + 1 + bisect_left(ranks, line.seq)) for line in more)
            _write(existing / path, list(map(pack, numbered)), fresh / path)
    manifest = existing if durable_files.exists(existing / MANIFEST) else raw
    _link(manifest / MANIFEST, fresh / MANIFEST)
    _copy_unmerged_files(existing, fresh)
    _sync_names(fresh)


def _with_new_conversation(line: Event, renamed: Mapping[str, str]) -> Event:
    """Renames the one conversation to which a note applies."""
    if new := renamed.get(str(line.fields.get("conversation", ""))):
        return replace(line, fields={**line.fields, "conversation": new})
    return line


def _copy_unmerged_files(existing: Path, fresh: Path) -> None:
    """Copies unchanged files: logs without additions, saved damaged lines, foreign files."""
    with durable_files.naming_errors(existing):
        found = (*existing.glob("*"), *existing.glob(f"{CONVERSATIONS}/*"))
        files = [path for path in found if path.is_file() and path.name not in _SKIPPED_FILES]
    for path in files:
        target = fresh / path.relative_to(existing)
        if not durable_files.exists(target):
            _link(path, target)


def _ids_to_add(
    offered: Mapping[str, _MemoryDigest],
    known: Mapping[str, _MemoryDigest],
    hashes: Collection[str],
) -> set[str]:
    """Returns the ids of the memories to add. An exchange that was said twice is added twice."""
    wanted = {
        id_: digest
        for id_, digest in _remembered(offered).items()
        if id_ not in known and digest.tombstone_hashes.isdisjoint(hashes)
    }
    unmatched = {id_: digest for id_, digest in _remembered(known).items() if id_ not in offered}
    _remove_matching_pairs(wanted, unmatched, _time_key, _time_key)
    _remove_matching_pairs(wanted, unmatched, _undated_location_key, _location_key)
    _remove_matching_pairs(wanted, unmatched, _location_key, _undated_location_key)
    return set(wanted)


def _remove_matching_pairs(
    wanted: dict[str, _MemoryDigest],
    unmatched: dict[str, _MemoryDigest],
    one: _DigestKey,
    other: _DigestKey,
) -> None:
    """Removes pairs of memories with equal keys from both, one for one."""
    by_key: dict[Hashable, list[str]] = defaultdict(list)
    for id_, digest in unmatched.items():
        if key := other(digest):
            by_key[key].append(id_)
    for id_, digest in list(wanted.items()):
        if (key := one(digest)) and by_key.get(key):
            del unmatched[by_key[key].pop()]
            del wanted[id_]


def _time_key(digest: _MemoryDigest) -> Hashable:
    """Returns a key of content and time; the time of a note does not matter."""
    if digest.is_note:
        return (digest.key, digest.note_conversation)
    return None if digest.ts is None else (digest.key, digest.ts)


def _chat_key(digest: _MemoryDigest) -> Hashable:
    return None if digest.is_note else (digest.key, digest.ts, frozenset(digest.shown_in))


def _location_key(digest: _MemoryDigest) -> Hashable:
    return (digest.key, digest.log, digest.note_conversation)


def _undated_location_key(digest: _MemoryDigest) -> Hashable:
    return _location_key(digest) if digest.ts is None else None


def _digest_memories(folder: Path, secrets: Sequence[str]) -> dict[str, _MemoryDigest]:
    """Returns id → digest of all memories in a folder, with tombstone hashes under the secrets."""
    found: dict[str, _MemoryDigest] = defaultdict(_MemoryDigest)
    for line in _lines(folder):
        digest = found[line.id]
        if line.op in _EXCHANGE_EVENTS:
            _digest_exchange(digest, line, secrets)
        elif line.op in _TEXT_EVENTS:
            _digest_note(digest, line, secrets)
        elif line.op is EventType.PLACE:
            digest.shown_in.add(line.log)
        elif line.op is EventType.REMOVE:
            digest.shown_in -= {line.log} if line.log else set(digest.shown_in)
        elif line.op in (EventType.FORGET, EventType.UNFORGET):
            digest.is_forgotten = line.op is EventType.FORGET
    return found


def _digest_exchange(digest: _MemoryDigest, line: Event, secrets: Sequence[str]) -> None:
    if line.op is EventType.ADD:
        digest.log, digest.ts = line.log, line.ts
    user, assistant = str(line.fields.get("user", "")), str(line.fields.get("assistant", ""))
    if line.seq > digest.key_seq:
        digest.key, digest.key_seq = content_key(user, assistant), line.seq
    for secret in secrets:
        digest.tombstone_hashes |= tombstone_hashes(secret, user, assistant)
    digest.shown_in.add(line.log)


def _digest_note(digest: _MemoryDigest, line: Event, secrets: Sequence[str]) -> None:
    """Digests a note and its revisions; a revised exchange still has its chat's content key."""
    if line.op is EventType.NOTE:
        digest.is_note, digest.ts = True, line.ts
        digest.sources = frozenset(line.fields.get("sources", ()))
    if digest.is_note and "text" in line.fields:
        text = str(line.fields["text"])
        digest.key = content_key(text, "")
        digest.note_conversation = str(line.fields.get("conversation", digest.note_conversation))
        for secret in secrets:
            digest.tombstone_hashes |= tombstone_hashes(secret, text, "")


def _lines(folder: Path) -> Iterator[Event]:
    """Yields the events of all logs, the notes last, since these refer to the conversations."""
    logs = sorted(EventLog(folder).logs(), key=lambda log: (not log, log))
    for log in logs:
        yield from readable_lines(folder / EventLog.relative_path(log), log)


def _last_seq(folder: Path) -> int:
    logs = EventLog(folder).logs()
    return max((last_seq(folder / EventLog.relative_path(log)) for log in logs), default=0)


def _make_empty_folder(folder: Path) -> None:
    with durable_files.naming_errors(folder):
        shutil.rmtree(folder, ignore_errors=True)
    durable_files.make_folder(folder / CONVERSATIONS)


def _write(source: Path, more: Sequence[bytes], target: Path) -> None:
    """Copies the log as it is, damaged lines included, and appends these lines."""
    with durable_files.naming_errors(target), target.open("xb") as file:
        target.chmod(durable_files.FILE_MODE)
        file.writelines(complete_lines(source) if source.exists() else ())
        file.writelines(more)
        file.flush()
        durable_files.sync(file.fileno(), path=target)


def _link(source: Path, target: Path) -> None:
    """Links or copies a file. Both folders may share it, since one of them will be deleted."""
    with durable_files.naming_errors(target):
        try:
            os.link(source, target)
        except OSError:
            durable_files.replace(target, source.read_bytes())


def _sync_names(folder: Path) -> None:
    durable_files.sync_folder(folder / CONVERSATIONS)
    durable_files.sync_folder(folder)
