"""Puts namespace folders in place of others, forward or back, from wherever that was interrupted.

In the staging folder, `new/` holds the replacements and `old/` the replaced folders. `since/` holds
folders that a program wrote while the place was empty; these are merged in. Nothing is deleted
here. Each step is one rename, so a crash leaves a state from which both directions go on.
"""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from .. import durable, switches
from ..errors import StorageCorrupt, StorageFailed
from ..in_exchange import FRESH, OLD, SINCE, name_aside
from ..manifest import MANIFEST
from ..transcript.lines import unpack
from ..transcript.log import whole_lines
from ..transcript.transcript import CONVERSATIONS, LOCK, Transcript
from .merging import join

Logs = Mapping[str, int]
_JOINED, _USED = "joined", "used"


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """One folder's exchange, or one file's. `seen` are the logs, with their sizes, that its place
    had before, `made` those of the new folder; `keep` are parts that move along from the old one.

    Everything raises StorageError.
    """

    root: Path
    staging: Path
    name: str
    seen: Logs
    made: Logs | None
    keep: Sequence[str]

    @property
    def fresh(self) -> Path:
        return self.staging / FRESH / self.name

    @property
    def place(self) -> Path:
        return self.root / self.name

    @property
    def old(self) -> Path:
        return self.staging / OLD / self.name

    @property
    def is_outdated(self) -> bool:
        """Returns whether the place is not exchanged yet and was written to since it was seen."""
        if not durable.exists(self.fresh) or durable.exists(self.old):
            return False
        return Transcript(self.place).logs() != self.seen

    def forward(self) -> None:
        """The new one is in its place then, with what was written there meanwhile."""
        if _is_file(self.fresh):
            self._replace_file()
        elif durable.exists(self.fresh):
            if durable.exists(self.place) and not durable.exists(self.old):
                move(self.place, self.old)
            self._install(self.fresh)
        elif durable.exists(self.old) and not durable.exists(self.place):
            self._install(self.old)  # on the way back it got no further than this
        if not _is_file(self.old):
            self._bring(self.old, self.place)

    def back(self) -> None:
        """The old one is in its place again, with what was written there meanwhile."""
        if _is_file(self.old):
            self._bring_file_back()
        elif durable.exists(self.old):
            if durable.exists(self.place) and not durable.exists(self.fresh):
                self._bring(self.place, self.old)
                if Transcript(self.place).logs() == self.made:
                    move(self.place, self.fresh)
            self._install(self.old)

    def check(self) -> None:
        """Raises StorageFailed where the staging folder may still hold the only copy."""
        if durable.exists(self.old) and not durable.exists(self.place):
            raise StorageFailed(f"{self.place} is missing, and lies in {self.old}")

    def set_aside(self) -> list[Path]:
        """Moves what came to lie in the place and could not be merged in as a whole to names beside
        it, which are returned.
        """
        told = []
        for since in self._since():
            if not _is_merged_whole(since):
                told.append(name_aside(self.place))
                move(since, told[-1])
        return told

    def _install(self, base: Path) -> None:
        if durable.exists(self.place):
            move(self.place, self._next(SINCE))
        final = self._with_since(base)
        move(final, self.place)
        if final != base:
            self._bring(self.old, self.place)
            move(base, self._next(_USED))

    def _with_since(self, base: Path) -> Path:
        """Can be repeated: what is known by its id is not merged in again."""
        final = base
        for n, since in enumerate(self._since()):
            if any(Transcript(since).logs().values()):
                target = self.staging / f"{_JOINED}-{n}" / self.name
                with durable.naming(since):
                    join(since, final, target, apart="")
                final = target
            self._carry_switches(base, since, final)
        return final

    def _carry_switches(self, base: Path, since: Path, final: Path) -> None:
        """What is paused on either side stays paused; what cannot be read stays as it is."""
        own = base if durable.exists(base / switches.FILE) else self.old
        here = final if durable.exists(final / switches.FILE) else own
        with suppress(StorageCorrupt):
            for source in (since, own):
                if (saved := switches.saved_in(source)) is not None:
                    switches.bring_back(saved, final, here)
                    here = final

    def _bring(self, source: Path, target: Path) -> None:
        for part in self.keep:
            if durable.exists(source / part) and not durable.exists(target / part):
                move(source / part, target / part)

    def _since(self) -> Iterator[Path]:
        """In the order in which they came."""
        for n in count():
            path = self.staging / f"{SINCE}-{n}" / self.name
            if not durable.exists(path.parents[self.name.count("/")]):
                return
            if durable.exists(path):
                yield path

    def _next(self, part: str) -> Path:
        paths = (self.staging / f"{part}-{n}" / self.name for n in count())
        return next(path for path in paths if not durable.exists(path))

    def _replace_file(self) -> None:
        """Who looks what a name means must find the file at any time."""
        if durable.exists(self.place):
            durable.make_folder(self.old.parent)
            durable.replace(self.old, _content(self.place))
        move(self.fresh, self.place)

    def _bring_file_back(self) -> None:
        if not durable.exists(self.fresh):
            durable.replace(self.fresh, _content(self.place))
        move(self.old, self.place)


def move(source: Path, target: Path) -> None:
    """Where both are files the target is replaced. Raises StorageFailed."""
    durable.make_folder(target.parent)
    with durable.naming(target):
        (os.replace if _is_file(source) else os.rename)(source, target)
    durable.sync_folder(target.parent)
    durable.sync_folder(source.parent)


def _is_file(path: Path) -> bool:
    found = durable.status(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def _content(path: Path) -> bytes:
    with durable.naming(path):
        return path.read_bytes()


def _is_merged_whole(folder: Path) -> bool:
    """Whether join() and the switches took all of it: nothing is damaged, foreign or newer."""
    with durable.naming(folder):
        paths = [*folder.glob("*"), *folder.glob(f"{CONVERSATIONS}/*")]
        files = [it for it in paths if it.is_file() or it.is_symlink()]
    return all(_is_understood(path, path.relative_to(folder).as_posix()) for path in files)


def _is_understood(path: Path, name: str) -> bool:
    if name in (LOCK, MANIFEST):
        return True
    try:
        if name == switches.FILE:
            switches.saved_in(path.parent)
        elif Transcript.log_at(name) is not None:
            for data in whole_lines(path):
                unpack(data[:-1], Transcript.log_at(name) or "")
    except StorageCorrupt:
        return False
    return name == switches.FILE or Transcript.log_at(name) is not None
