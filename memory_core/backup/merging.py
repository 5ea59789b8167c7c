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

from .. import durable, switches
from ..manifest import MANIFEST
from ..namespaces import decode, encode
from ..records import NOTHING, content_key
from ..transcript.entries import seal
from ..transcript.lines import Line, Op, pack
from ..transcript.log import last_seq, readable_lines, whole_lines
from ..transcript.seals import tombstones
from ..transcript.transcript import CONVERSATIONS, LOCK, Transcript

_Label = Callable[["_Gist"], Hashable]

_SAID = (Op.ADD, Op.EDIT)
_CHAT_SAYS = (*_SAID, Op.PLACE, Op.REMOVE)
_WRITTEN = (Op.NOTE, Op.REVISE)
# A tombstone's hash is keyed with its own namespace's secret.
_NOT_ADDED = (Op.INIT, Op.FORGET, Op.UNFORGET)
_NOT_CARRIED = (LOCK, switches.FILE)  # what is paused is joined elsewhere


@dataclass(slots=True)
class _Gist:
    """What is needed of one memory to tell it from others: hashes, no words.

    `places` are the conversations that show it; a note has none and needs none. `only_in` is the
    one in which a note holds.
    """

    key: str = ""
    key_seq: int = 0
    seals: set[str] = field(default_factory=set)
    log: str = ""
    ts: float | None = None
    places: set[str] = field(default_factory=set)
    is_note: bool = False
    only_in: str = ""
    is_forgotten: bool = False

    @property
    def is_live(self) -> bool:
        return bool(self.key) and not self.is_forgotten and (self.is_note or bool(self.places))


def copy(raw: Path, fresh: Path) -> int:
    """The whole backup as the namespace's new folder; returns how many live memories it has."""
    _empty(fresh)
    for log in Transcript(raw).logs():
        _link(raw / Transcript.relative_path(log), fresh / Transcript.relative_path(log))
    _link(raw / MANIFEST, fresh / MANIFEST)
    _sync_names(fresh)
    return sum(it.is_live for it in _gists(raw, ()).values())


def add(raw: Path, existing: Path, fresh: Path) -> int:
    """Fills `fresh` with what is in `existing` and what is added to it; returns how many were."""
    secrets, seals = tombstones(existing)
    added = _missing(_gists(raw, secrets), _gists(existing, ()), seals)
    _fill(raw, existing, fresh, lambda it: it.id in added and it.op not in _NOT_ADDED, NOTHING)
    return len(added)


def join(raw: Path, existing: Path, fresh: Path, *, apart: str) -> dict[str, str]:
    """The same with all of `raw` that is not known. Where both have a conversation of one name, two
    chats have it: that of `raw` is kept as <its name>/<apart>. Where that is empty they are one
    chat: what both wrote of it is there once, and what is forgotten of it here is not there.

    Returns log → new name of the conversation.
    """
    known = {it.id for it in _lines(existing)} | (set() if apart else _doubles(raw, existing))
    secrets = {it.fields["secret"] for it in _lines(existing) if it.op is Op.INIT}

    def is_added(line: Line) -> bool:
        return line.fields["secret"] not in secrets if line.op is Op.INIT else line.id not in known

    used = _used(_lines(existing)) | set(Transcript(existing).logs())
    more = _used(it for it in _lines(raw) if is_added(it))
    renamed: dict[str, str] = {}
    for log in sorted(more & used) if apart else ():
        taken = used | more | {encode(it) for it in renamed.values()}
        renamed[log] = _free(f"{decode(log) or log}/{apart}", taken)
    _fill(raw, existing, fresh, is_added, {log: encode(it) for log, it in renamed.items()})
    return renamed


def _doubles(raw: Path, existing: Path) -> set[str]:
    """What `raw` has of the exchanges that stand in the same chats there, or are forgotten there,
    and did nothing with.
    """
    touched = {it.id for it in _lines(raw) if it.op not in _CHAT_SAYS}
    secrets, seals = tombstones(existing)
    there = _gists(existing, ())
    offered = {
        name: it
        for name, it in _gists(raw, secrets).items()
        if it.is_live and not it.is_note and name not in there and name not in touched
    }
    wanted = dict(offered)
    _pair_off(wanted, {name: it for name, it in there.items() if it.is_live}, _shown, _shown)
    forgotten = {(it.log, it.ts) for it in there.values() if it.is_forgotten}
    return {
        name
        for name, it in offered.items()
        if name not in wanted or ((it.log, it.ts) in forgotten and not it.seals.isdisjoint(seals))
    }


def _used(lines: Iterable[Line]) -> set[str]:
    """The conversations in which these stand or hold."""
    found = {name for it in lines for name in (it.log, str(it.fields.get("conversation", "")))}
    return found - {""}


def _free(name: str, taken: Collection[str]) -> str:
    names = chain([name], (f"{name}/{n}" for n in count(2)))
    return next(it for it in names if encode(it) not in taken)


def _fill(
    raw: Path,
    existing: Path,
    fresh: Path,
    is_added: Callable[[Line], bool],
    renamed: Mapping[str, str],
) -> None:
    """`renamed`: log → log, of those of `raw` that get another name."""
    _empty(fresh)
    ranks = array("Q", sorted(it.seq for it in _lines(raw) if is_added(it)))
    base = _last_seq(existing)
    for log in Transcript(raw).logs():
        path = Transcript.relative_path(renamed.get(log, log))
        lines = readable_lines(raw / Transcript.relative_path(log), log)
        more = [_renamed(it, renamed) for it in lines if is_added(it)]
        if more:
            numbered = [replace(it, seq=base + 1 + bisect_left(ranks, it.seq)) for it in more]
            _write(existing / path, [pack(it) for it in numbered], fresh / path)
    manifest = existing if (existing / MANIFEST).exists() else raw
    _link(manifest / MANIFEST, fresh / MANIFEST)
    _carry_along(existing, fresh)
    _sync_names(fresh)


def _renamed(line: Line, renamed: Mapping[str, str]) -> Line:
    """With the name of the one conversation in which a note holds."""
    if new := renamed.get(str(line.fields.get("conversation", ""))):
        return replace(line, fields={**line.fields, "conversation": new})
    return line


def _carry_along(existing: Path, fresh: Path) -> None:
    """What stays as it is: logs that get nothing, damaged lines put aside, what is none of ours."""
    with durable.naming(existing):
        found = (*existing.glob("*"), *existing.glob(f"{CONVERSATIONS}/*"))
        files = [it for it in found if it.is_file() and it.name not in _NOT_CARRIED]
    for path in files:
        target = fresh / path.relative_to(existing)
        if not durable.exists(target):
            _link(path, target)


def _missing(
    offered: Mapping[str, _Gist], known: Mapping[str, _Gist], seals: Collection[str]
) -> set[str]:
    """The ids of what is to be added. What was said twice is kept twice."""
    wanted = {
        memory_id: it
        for memory_id, it in offered.items()
        if it.is_live and memory_id not in known and it.seals.isdisjoint(seals)
    }
    there = {name: it for name, it in known.items() if it.is_live and name not in offered}
    _pair_off(wanted, there, _when, _when)
    _pair_off(wanted, there, _where_undated, _where)
    _pair_off(wanted, there, _where, _where_undated)
    return set(wanted)


def _pair_off(
    wanted: dict[str, _Gist], there: dict[str, _Gist], one: _Label, other: _Label
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


def _when(it: _Gist) -> Hashable:
    """Notes are the same whenever they were written."""
    if it.is_note:
        return (it.key, it.only_in)
    return None if it.ts is None else (it.key, it.ts)


def _shown(it: _Gist) -> Hashable:
    return None if it.is_note else (it.key, it.ts, frozenset(it.places))


def _where(it: _Gist) -> Hashable:
    return (it.key, it.log, it.only_in)


def _where_undated(it: _Gist) -> Hashable:
    return _where(it) if it.ts is None else None


def _gists(folder: Path, secrets: Sequence[str]) -> dict[str, _Gist]:
    """All memories of a namespace; with secrets also the seals of their words."""
    found: dict[str, _Gist] = defaultdict(_Gist)
    for line in _lines(folder):
        gist = found[line.id]
        if line.op in _SAID:
            _hear(gist, line, secrets)
        elif line.op in _WRITTEN:
            _read(gist, line, secrets)
        elif line.op is Op.PLACE:
            gist.places.add(line.log)
        elif line.op is Op.REMOVE:
            gist.places -= {line.log} if line.log else set(gist.places)
        elif line.op in (Op.FORGET, Op.UNFORGET):
            gist.is_forgotten = line.op is Op.FORGET
    return found


def _hear(gist: _Gist, line: Line, secrets: Sequence[str]) -> None:
    if line.op is Op.ADD:
        gist.log, gist.ts = line.log, line.ts
    user, assistant = str(line.fields.get("user", "")), str(line.fields.get("assistant", ""))
    if line.seq > gist.key_seq:
        gist.key, gist.key_seq = content_key(user, assistant), line.seq
    gist.seals.update(seal(it, user, assistant) for it in secrets)
    gist.places.add(line.log)


def _read(gist: _Gist, line: Line, secrets: Sequence[str]) -> None:
    """A revised exchange is still the one that the chat has."""
    if line.op is Op.NOTE:
        gist.is_note, gist.ts = True, line.ts
    if gist.is_note and "text" in line.fields:
        text = str(line.fields["text"])
        gist.key = content_key(text, "")
        gist.only_in = str(line.fields.get("conversation", gist.only_in))
        gist.seals.update(seal(it, text, "") for it in secrets)


def _lines(folder: Path) -> Iterator[Line]:
    """The notes last: they speak of what the conversations hold."""
    logs = sorted(Transcript(folder).logs(), key=lambda log: (not log, log))
    for log in logs:
        yield from readable_lines(folder / Transcript.relative_path(log), log)


def _last_seq(folder: Path) -> int:
    logs = Transcript(folder).logs()
    return max((last_seq(folder / Transcript.relative_path(log)) for log in logs), default=0)


def _empty(folder: Path) -> None:
    with durable.naming(folder):
        shutil.rmtree(folder, ignore_errors=True)
    durable.make_folder(folder / CONVERSATIONS)


def _write(source: Path, more: Sequence[bytes], target: Path) -> None:
    """The log as it is, damaged lines too, with these lines behind it."""
    with durable.naming(target), target.open("xb") as file:
        target.chmod(durable.FILE_MODE)
        file.writelines(whole_lines(source) if source.exists() else ())
        file.writelines(more)
        file.flush()
        durable.sync(file.fileno(), path=target)


def _link(source: Path, target: Path) -> None:
    """The same file under both names: one of the two folders is going to be deleted."""
    with durable.naming(target):
        try:
            os.link(source, target)
        except OSError:
            durable.replace(target, source.read_bytes())


def _sync_names(folder: Path) -> None:
    durable.sync_folder(folder / CONVERSATIONS)
    durable.sync_folder(folder)
