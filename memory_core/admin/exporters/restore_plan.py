"""Shows the changes that restoring a backup would make, before anything is changed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...domain.namespaces import Namespace, Scope
from ...infra.scratch_folders import temporary_folder
from ...memory.long_term_memory import LongTermMemory
from ...storage.aliases import Aliases
from ...storage.merge_logs import compare_folders, memory_texts
from ...text.excerpts import excerpt
from ..backup.layout import NamespaceContents
from ..backup.reader import BackupFile, refuse_without_room
from ..backup.writer import log_files
from ..names import addable_aliases

_MAX_LISTED = 200
_MAX_CHARS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMemory:
    """A memory as a list of differences shows it. `ts` is in seconds since the epoch or None."""

    ts: float | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespacePlan:
    """The changes that a restore would make to one namespace.

    Merging adds `new` memories and leaves the rest. Replacing also removes `only_here`. The lists
    hold the newest of them.
    """

    source: Namespace
    target: Namespace
    new: int
    known: int
    only_here: int
    new_memories: Sequence[ListedMemory] = ()
    lost_memories: Sequence[ListedMemory] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePlan:
    """A checked backup and the changes of restoring it. `made_at` is in seconds since the epoch.

    `to` is the namespace for the only one in the file, if it is to get another name. `names` are
    the aliases that the restore would add.
    """

    path: Path
    made_at: float
    parts: Sequence[NamespacePlan]
    to: Namespace | None = None
    names: Aliases = field(default_factory=Aliases)

    @property
    def new(self) -> int:
        return sum(part.new for part in self.parts)

    @property
    def known(self) -> int:
        return sum(part.known for part in self.parts)

    @property
    def only_here(self) -> int:
        return sum(part.only_here for part in self.parts)


def plan_restore(memory: LongTermMemory, path: Path, *, user: str) -> RestorePlan:
    """Checks every line of a backup and compares it with the memories here.

    The memories of one character of an unknown user, such as another person's, go to `user`. Raises
    ImportFailed for a broken file.
    """
    with (
        BackupFile(path) as file,
        temporary_folder() as scratch,
    ):
        refuse_without_room(file.contents, Path(scratch))
        to = _new_owner(memory, file.contents, user)
        parts = []
        for number, contents in enumerate(file.contents):
            folder = Path(scratch) / str(number)
            file.unpack(contents, folder)
            parts.append(_plan_part(memory, contents, folder, to or contents.namespace))
        made_at = min(file.made_at(contents) for contents in file.contents)
        names = Aliases() if to else _new_names(memory, file.aliases, parts)
        return RestorePlan(path=path, made_at=made_at, parts=parts, to=to, names=names)


def _new_names(memory: LongTermMemory, found: Aliases, parts: Sequence[NamespacePlan]) -> Aliases:
    """Returns the aliases of the file that its restore would add."""
    here = memory.namespaces()
    return addable_aliases(
        memory.aliases,
        found,
        spaces=[*here, *(part.target for part in parts)],
        owners_before={space.user for space in here},
    )


def _new_owner(
    memory: LongTermMemory, contents: Sequence[NamespaceContents], user: str
) -> Namespace | None:
    """Returns the name here of another person's character, or None to keep the file's names."""
    only = contents[0].namespace
    users = {space.user for space in memory.namespaces()}
    if len(contents) > 1 or only.scope is not Scope.CHARACTER or only.user in users:
        return None
    return Namespace(user, only.character)


def _plan_part(
    memory: LongTermMemory, contents: NamespaceContents, folder: Path, name: Namespace
) -> NamespacePlan:
    target = memory.resolve(name)
    with log_files(memory, [target] if memory.shared.namespaces.has(target) else []) as root:
        return _compare(contents, folder, target, target.folder(root))


def _compare(
    contents: NamespaceContents, folder: Path, target: Namespace, existing: Path
) -> NamespacePlan:
    found = compare_folders(folder, existing)
    return NamespacePlan(
        source=contents.namespace,
        target=target,
        new=len(found.missing_here),
        known=found.in_both,
        only_here=len(found.only_here),
        new_memories=_listed(folder, found.missing_here),
        lost_memories=_listed(existing, found.only_here),
    )


def _listed(folder: Path, ids: Collection[str]) -> list[ListedMemory]:
    """Returns the newest of these memories, newest first."""
    texts = memory_texts(folder, ids).values() if ids else ()
    newest = sorted(texts, key=lambda found: -(found[0] or 0.0))[:_MAX_LISTED]
    return [ListedMemory(ts=ts, text=excerpt(text, _MAX_CHARS)) for ts, text in newest]
