"""Adds to a namespace what another one or a backup has and it lacks; nothing there is overwritten.

What has an id here already is what it is here, forgotten, edited or pinned. Of a backup only what
is live is added, and nothing that was said at the same time here or forgotten; of a namespace that
ends here everything, tombstones and what gives them their meaning too.
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
from . import pauses
from .log.event_log import CONVERSATIONS, LOCK, EventLog
from .log.events import Event, EventType, pack
from .log.log_file import complete_lines, last_seq, readable_lines
from .log.projection import tombstone_hash
from .log.tombstones import read_tombstones
from .manifest import MANIFEST

_DigestKey = Callable[["_MemoryDigest"], Hashable]

_EXCHANGE_EVENTS = (EventType.ADD, EventType.EDIT)
_CHAT_EVENTS = (*_EXCHANGE_EVENTS, EventType.PLACE, EventType.REMOVE)
_TEXT_EVENTS = (EventType.NOTE, EventType.REVISE)
# A tombstone's hash is keyed with its own namespace's secret.
_SKIPPED_EVENTS = (EventType.INIT, EventType.FORGET, EventType.UNFORGET)
_SKIPPED_FILES = (LOCK, pauses.FILE)  # what is paused is joined elsewhere


@dataclass(slots=True)
class _MemoryDigest:
    """What is needed of one memory to tell it from others: hashes, no words.

    `places` are the conversations that show it; a note has none and needs none. `only_in` is the
    one in which a note holds.
    """

    key: str = ""
    key_seq: int = 0
    tombstone_hashes: set[str] = field(default_factory=set)
    log: str = ""
    ts: float | None = None
    shown_in: set[str] = field(default_factory=set)
    is_note: bool = False
    note_conversation: str = ""
    is_forgotten: bool = False

    @property
    def is_remembered(self) -> bool:
        return bool(self.key) and not self.is_forgotten and (self.is_note or bool(self.shown_in))


def copy_all(raw: Path, fresh: Path) -> int:
    """The whole backup as the namespace's new folder; returns how many live memories it has."""
    _make_empty_folder(fresh)
    for log in EventLog(raw).logs():
        _link(raw / EventLog.relative_path(log), fresh / EventLog.relative_path(log))
    _link(raw / MANIFEST, fresh / MANIFEST)
    _sync_names(fresh)
    return sum(it.is_remembered for it in _digest_memories(raw, ()).values())


def add_missing(raw: Path, existing: Path, fresh: Path) -> int:
    """Fills `fresh` with what is in `existing` and what is added to it; returns how many were."""
    secrets, seals = read_tombstones(existing)
    added = _ids_to_add(_digest_memories(raw, secrets), _digest_memories(existing, ()), seals)
    _write_merged(
        raw,
        existing,
        fresh,
        lambda it: it.id in added and it.op not in _SKIPPED_EVENTS,
        EMPTY_MAPPING,
    )
    return len(added)


def merge_folders(raw: Path, existing: Path, fresh: Path, *, suffix: str) -> dict[str, str]:
    """The same with all of `raw` that is not known. Where both have a conversation of one name, two
    chats have it: that of `raw` is kept as <its name>/<apart>. Where that is empty they are one
    chat: what both wrote of it is there once, and what is forgotten of it here is not there.

    Returns log → new name of the conversation.
    """
    known = {it.id for it in _lines(existing)} | (
        set() if suffix else _known_exchange_ids(raw, existing)
    )
    secrets = {it.fields["secret"] for it in _lines(existing) if it.op is EventType.INIT}

    def is_added(line: Event) -> bool:
        return (
            line.fields["secret"] not in secrets
            if line.op is EventType.INIT
            else line.id not in known
        )

    used = _conversations_of(_lines(existing)) | set(EventLog(existing).logs())
    more = _conversations_of(it for it in _lines(raw) if is_added(it))
    renamed: dict[str, str] = {}
    for log in sorted(more & used) if suffix else ():
        taken = used | more | {encode(it) for it in renamed.values()}
        renamed[log] = _free_name(f"{decode(log) or log}/{suffix}", taken)
    _write_merged(raw, existing, fresh, is_added, {log: encode(it) for log, it in renamed.items()})
    return renamed


def _known_exchange_ids(raw: Path, existing: Path) -> set[str]:
    """What `raw` has of the exchanges that stand in the same chats there, or are forgotten there,
    and did nothing with.
    """
    touched = {it.id for it in _lines(raw) if it.op not in _CHAT_EVENTS}
    secrets, seals = read_tombstones(existing)
    there = _digest_memories(existing, ())
    offered = {
        name: it
        for name, it in _digest_memories(raw, secrets).items()
        if it.is_remembered and not it.is_note and name not in there and name not in touched
    }
    wanted = dict(offered)
    _remove_matching_pairs(
        wanted, {name: it for name, it in there.items() if it.is_remembered}, _chat_key, _chat_key
    )
    forgotten = {(it.log, it.ts) for it in there.values() if it.is_forgotten}
    return {
        name
        for name, it in offered.items()
        if name not in wanted
        or ((it.log, it.ts) in forgotten and not it.tombstone_hashes.isdisjoint(seals))
    }


def _conversations_of(lines: Iterable[Event]) -> set[str]:
    """The conversations in which these stand or hold."""
    found = {name for it in lines for name in (it.log, str(it.fields.get("conversation", "")))}
    return found - {""}


def _free_name(name: str, taken: Collection[str]) -> str:
    names = chain([name], (f"{name}/{n}" for n in count(2)))
    return next(it for it in names if encode(it) not in taken)


def _write_merged(
    raw: Path,
    existing: Path,
    fresh: Path,
    is_added: Callable[[Event], bool],
    renamed: Mapping[str, str],
) -> None:
    """`renamed`: log → log, of those of `raw` that get another name."""
    _make_empty_folder(fresh)
    ranks = array("Q", sorted(it.seq for it in _lines(raw) if is_added(it)))
    base = _last_seq(existing)
    for log in EventLog(raw).logs():
        path = EventLog.relative_path(renamed.get(log, log))
        lines = readable_lines(raw / EventLog.relative_path(log), log)
        more = [_with_new_conversation(it, renamed) for it in lines if is_added(it)]
        if more:
            numbered = [replace(it, seq=base + 1 + bisect_left(ranks, it.seq)) for it in more]
            _write(existing / path, [pack(it) for it in numbered], fresh / path)
    manifest = existing if (existing / MANIFEST).exists() else raw
    _link(manifest / MANIFEST, fresh / MANIFEST)
    _copy_unmerged_files(existing, fresh)
    _sync_names(fresh)


def _with_new_conversation(line: Event, renamed: Mapping[str, str]) -> Event:
    """With the name of the one conversation in which a note holds."""
    if new := renamed.get(str(line.fields.get("conversation", ""))):
        return replace(line, fields={**line.fields, "conversation": new})
    return line


def _copy_unmerged_files(existing: Path, fresh: Path) -> None:
    """What stays as it is: logs that get nothing, damaged lines put aside, what is none of ours."""
    with durable_files.naming_errors(existing):
        found = (*existing.glob("*"), *existing.glob(f"{CONVERSATIONS}/*"))
        files = [it for it in found if it.is_file() and it.name not in _SKIPPED_FILES]
    for path in files:
        target = fresh / path.relative_to(existing)
        if not durable_files.exists(target):
            _link(path, target)


def _ids_to_add(
    offered: Mapping[str, _MemoryDigest], known: Mapping[str, _MemoryDigest], seals: Collection[str]
) -> set[str]:
    """The ids of what is to be added. What was said twice is kept twice."""
    wanted = {
        memory_id: it
        for memory_id, it in offered.items()
        if it.is_remembered and memory_id not in known and it.tombstone_hashes.isdisjoint(seals)
    }
    there = {name: it for name, it in known.items() if it.is_remembered and name not in offered}
    _remove_matching_pairs(wanted, there, _time_key, _time_key)
    _remove_matching_pairs(wanted, there, _undated_location_key, _location_key)
    _remove_matching_pairs(wanted, there, _location_key, _undated_location_key)
    return set(wanted)


def _remove_matching_pairs(
    wanted: dict[str, _MemoryDigest],
    there: dict[str, _MemoryDigest],
    one: _DigestKey,
    other: _DigestKey,
) -> None:
    """Takes out of both, one for one, what bears the same label."""
    by_label: dict[Hashable, list[str]] = defaultdict(list)
    for name, it in there.items():
        if label := other(it):
            by_label[label].append(name)
    for name, it in list(wanted.items()):
        if (label := one(it)) and by_label.get(label):
            del there[by_label[label].pop()]
            del wanted[name]


def _time_key(it: _MemoryDigest) -> Hashable:
    """Notes are the same whenever they were written."""
    if it.is_note:
        return (it.key, it.note_conversation)
    return None if it.ts is None else (it.key, it.ts)


def _chat_key(it: _MemoryDigest) -> Hashable:
    return None if it.is_note else (it.key, it.ts, frozenset(it.shown_in))


def _location_key(it: _MemoryDigest) -> Hashable:
    return (it.key, it.log, it.note_conversation)


def _undated_location_key(it: _MemoryDigest) -> Hashable:
    return _location_key(it) if it.ts is None else None


def _digest_memories(folder: Path, secrets: Sequence[str]) -> dict[str, _MemoryDigest]:
    """All memories of a namespace; with secrets also the seals of their words."""
    found: dict[str, _MemoryDigest] = defaultdict(_MemoryDigest)
    for line in _lines(folder):
        gist = found[line.id]
        if line.op in _EXCHANGE_EVENTS:
            _digest_exchange(gist, line, secrets)
        elif line.op in _TEXT_EVENTS:
            _digest_note(gist, line, secrets)
        elif line.op is EventType.PLACE:
            gist.shown_in.add(line.log)
        elif line.op is EventType.REMOVE:
            gist.shown_in -= {line.log} if line.log else set(gist.shown_in)
        elif line.op in (EventType.FORGET, EventType.UNFORGET):
            gist.is_forgotten = line.op is EventType.FORGET
    return found


def _digest_exchange(gist: _MemoryDigest, line: Event, secrets: Sequence[str]) -> None:
    if line.op is EventType.ADD:
        gist.log, gist.ts = line.log, line.ts
    user, assistant = str(line.fields.get("user", "")), str(line.fields.get("assistant", ""))
    if line.seq > gist.key_seq:
        gist.key, gist.key_seq = content_key(user, assistant), line.seq
    gist.tombstone_hashes.update(tombstone_hash(it, user, assistant) for it in secrets)
    gist.shown_in.add(line.log)


def _digest_note(gist: _MemoryDigest, line: Event, secrets: Sequence[str]) -> None:
    """A revised exchange is still the one that the chat has."""
    if line.op is EventType.NOTE:
        gist.is_note, gist.ts = True, line.ts
    if gist.is_note and "text" in line.fields:
        text = str(line.fields["text"])
        gist.key = content_key(text, "")
        gist.note_conversation = str(line.fields.get("conversation", gist.note_conversation))
        gist.tombstone_hashes.update(tombstone_hash(it, text, "") for it in secrets)


def _lines(folder: Path) -> Iterator[Event]:
    """The notes last: they speak of what the conversations hold."""
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
    """The log as it is, damaged lines too, with these lines behind it."""
    with durable_files.naming_errors(target), target.open("xb") as file:
        target.chmod(durable_files.FILE_MODE)
        file.writelines(complete_lines(source) if source.exists() else ())
        file.writelines(more)
        file.flush()
        durable_files.sync(file.fileno(), path=target)


def _link(source: Path, target: Path) -> None:
    """The same file under both names: one of the two folders is going to be deleted."""
    with durable_files.naming_errors(target):
        try:
            os.link(source, target)
        except OSError:
            durable_files.replace(target, source.read_bytes())


def _sync_names(folder: Path) -> None:
    durable_files.sync_folder(folder / CONVERSATIONS)
    durable_files.sync_folder(folder)
