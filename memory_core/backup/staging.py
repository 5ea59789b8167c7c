"""Puts whole namespace folders in place of others: after a crash each is the old one or the new.

They are filled in `.restoring-…/new/` beside the users' folders. Once `commit.json` is there, all
of them take their places; whoever uses one of them next, or opens the storage, ends what was
interrupted.
"""

import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from .. import durable
from ..aliases import ALIASES, Aliases, write_aliases
from ..errors import LongTermMemoryError, StorageCorrupt, StorageError, StorageFailed, StorageLocked
from ..in_exchange import (
    COMMIT,
    FRESH,
    OLD,
    PREFIX,
    SINCE,
    exchange_of,
    exchanges,
    name_aside,
    refuse_in_exchange,
)
from ..namespaces import Namespace
from ..transcript.transcript import LOCK, Transcript
from .exchange import Logs, Swap, move

_LOCK = ".restoring.lock"
_RAW = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    """What commit.json tells: name → logs that the place had and those of the new folder. Once the
    exchange has failed and that was told, it only goes `back`.
    """

    seen: Mapping[str, Logs]
    made: Mapping[str, Logs]
    keep: Sequence[str]
    back: bool = False

    def write(self, folder: Path) -> None:
        told = {"namespaces": self.seen, "made": self.made, "keep": self.keep, "back": self.back}
        durable.replace(folder / COMMIT, json.dumps(told).encode())

    @classmethod
    def read(cls, folder: Path) -> "_Commit":
        path = folder / COMMIT
        try:
            with durable.naming(path):
                told = json.loads(path.read_bytes())
            return cls(
                seen=told["namespaces"],
                made=told.get("made", {}),
                keep=told["keep"],
                back=told.get("back", False),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
            raise StorageCorrupt(f"{path} cannot be read: {exc!r}") from exc

    def swaps(self, root: Path, folder: Path) -> list[Swap]:
        return [
            Swap(
                root=root,
                staging=folder,
                name=name,
                seen=logs,
                made=self.made.get(name),
                keep=self.keep,
            )
            for name, logs in self.seen.items()
        ]


class Staging:
    """Without put_in_place() the storage stays as it was."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder

    def of(self, namespace: Namespace) -> Path:
        """Where to put what shall become this namespace's folder."""
        return self._folder / FRESH / namespace.relative_folder

    def beside(self, namespace: Namespace) -> Path:
        """A place for what is needed on the way."""
        return self._folder / _RAW / namespace.relative_folder

    def let_mean(self, aliases: Aliases) -> None:
        """Names mean this once the folders are in place: all of it happens, or nothing."""
        write_aliases(self._folder / FRESH, aliases)

    def put_in_place(
        self, seen: Mapping[Namespace, Mapping[str, int]], keep: Sequence[str]
    ) -> None:
        """Exchanges these namespaces' folders. `seen`: the logs that each has now, with sizes.

        `keep` are files and folders that move along from the old folder to the new one. Raises
        StorageLocked while another program writes one of them, StorageFailed. After an error all
        is as before, or, where that cannot be reached now, it is ended before any of them is used.
        """
        names: dict[str, Logs] = {it.relative_folder: dict(logs) for it, logs in seen.items()}
        made = {name: Transcript(self._folder / FRESH / name).logs() for name in names}
        if durable.exists(self._folder / FRESH / ALIASES):
            names[ALIASES] = {}
        commit = _Commit(seen=names, made=made, keep=list(keep))
        with _places(self._root, made), held(self._root, names):
            swaps = commit.swaps(self._root, self._folder)
            for swap in swaps:
                if swap.is_outdated:
                    told = "was written to meanwhile: nothing was restored"
                    raise StorageFailed(f"{swap.name} {told}")
            try:
                commit.write(self._folder)
                _exchange(swaps)
            except LongTermMemoryError as exc:
                with suppress(StorageError):  # else whoever uses them next goes on forward
                    replace(commit, back=True).write(self._folder)
                _given_up(self._folder, swaps, exc)
                raise
            with suppress(StorageError):  # who comes next finds nothing left to exchange
                _end(self._folder, swaps)

    def take_away(self, namespace: Namespace) -> None:
        """Deletes its folder, which is gone from its place at once: what a killed program leaves of
        it is deleted by whoever opens the storage next. Raises StorageFailed.
        """
        name = namespace.relative_folder
        place, old = self._root / name, self._folder / OLD / name
        with durable.naming(place):
            is_link = place.is_symlink()
        if not is_link:
            with suppress(StorageFailed):  # it lies on another disk, and goes where it is
                move(place, old)
        durable.remove_for_good(old if durable.exists(old) else place)


def _given_up(folder: Path, swaps: Sequence[Swap], cause: LongTermMemoryError) -> None:
    """All is as before then. Raises StorageFailed where that could not be reached."""
    try:
        _back(swaps)
        _end(folder, swaps)
    except StorageError as exc:
        told = "it is ended before any of these memories is used again"
        raise StorageFailed(f"{cause}; and {exc}: {told}") from cause


@contextmanager
def staging(root: Path) -> Iterator[Staging]:
    """Raises StorageLocked while another program restores into the same storage."""
    durable.make_folder(root)
    with _alone(root):
        told = _finish_all(root)
        if told:
            raise StorageFailed("; ".join(told))
        folder = root / f"{PREFIX}{secrets.token_hex(4)}"
        durable.make_folder(folder)
        try:
            yield Staging(root, folder)
        finally:
            with suppress(OSError, StorageError):  # who comes next tries again
                if not durable.exists(folder / COMMIT):  # else old memories may lie in it alone
                    _discard(folder)


def finish_interrupted(root: Path) -> list[str]:
    """Ends what a killed restore left behind; returns what could not be ended, in plain words."""
    try:
        if not exchanges(root):
            return []
        with _alone(root):
            return _finish_all(root)
    except StorageLocked:
        return []  # it is no interrupted one
    except LongTermMemoryError as exc:
        return [str(exc)]


def end_exchange(root: Path, namespace: Namespace) -> None:
    """Ends an interrupted exchange of this namespace's folder. Raises StorageLocked where it cannot
    be ended now, StorageFailed.
    """
    folder = namespace.folder(root)
    if exchange_of(folder):
        finish_interrupted(root)
        refuse_in_exchange(folder)


def _finish_all(root: Path) -> list[str]:
    told: list[str] = []
    for folder in exchanges(root):
        try:
            told += _finish(root, folder)
        except (LongTermMemoryError, OSError) as exc:
            told.append(f"an interrupted restore in {folder} could not be ended: {exc}")
    return told


def _finish(root: Path, folder: Path) -> list[str]:
    told: list[str] = []
    if durable.exists(folder / COMMIT):
        try:
            commit = _Commit.read(folder)
        except StorageCorrupt as exc:
            told = [str(exc), *_recovered(root, folder)]
            commit = _Commit(seen={}, made={}, keep=())
        with held(root, commit.seen):
            swaps = commit.swaps(root, folder)
            told += _ended(swaps, back=commit.back)
            told += _end(folder, swaps)
    with durable.naming(folder):
        _discard(folder)
    return told


def _ended(swaps: Sequence[Swap], *, back: bool) -> list[str]:
    """Forward, but for what was written to since and not exchanged yet."""
    if back:
        _back(swaps)
        return []
    outdated = [it for it in swaps if it.is_outdated]
    if outdated and any(it.name == ALIASES for it in swaps):
        _back(swaps)  # else what moved from one to the other would be lost
    else:
        _exchange([it for it in swaps if it not in outdated])
    given_up = "was interrupted and given up: it was written to since"
    return [f"restoring {it.name} {given_up}" for it in outdated]


def _exchange(swaps: Sequence[Swap]) -> None:
    for swap in swaps:
        swap.forward()


def _back(swaps: Sequence[Swap]) -> None:
    for swap in reversed(swaps):
        swap.back()


def _end(folder: Path, swaps: Sequence[Swap]) -> list[str]:
    """From here on nothing but the places counts. Returns what was set aside."""
    for swap in swaps:
        swap.check()
    aside = [path for swap in swaps for path in swap.set_aside()]
    with durable.naming(folder / COMMIT):
        (folder / COMMIT).unlink(missing_ok=True)
    durable.sync_folder(folder)
    return [f"what was written meanwhile and cannot be read was set aside as {it}" for it in aside]


def _recovered(root: Path, folder: Path) -> list[str]:
    """Where nobody can tell any more which way it went: what lay in a place goes back there or, if
    the place is taken, beside it.
    """
    told: list[str] = []
    with durable.naming(folder):
        parts = [folder / OLD, *sorted(folder.glob(f"{SINCE}-*"))]
        found = [(part, path) for part in parts for path in (*part.glob("*"), *part.glob("*/*"))]
    for part, path in found:
        place = root / path.relative_to(part)
        if path.name == ALIASES and not durable.exists(place):
            move(path, place)
        elif any(Transcript(path).logs().values()):
            target = name_aside(place) if durable.exists(place) else place
            move(path, target)
            told.append(f"what lay in {place} lies in {target} now")
    return told


def _discard(folder: Path) -> None:
    """With what was replaced, also where only a link to it lay in its place."""
    for name in ("*/*", "*/*/*"):
        for old in folder.glob(name):
            if old.is_symlink():
                durable.remove_with_target(old)
    shutil.rmtree(folder)


@contextmanager
def _places(root: Path, names: Collection[str]) -> Iterator[None]:
    """These folders exist meanwhile, so that nobody can begin one that is not held."""
    missing = [root / name for name in names if not durable.exists(root / name)]
    for place in missing:
        durable.make_folder(place)
    try:
        yield
    finally:
        for place in missing:
            _remove_if_empty(place)


def _remove_if_empty(place: Path) -> None:
    with suppress(OSError):
        if os.listdir(place) in ([], [LOCK]):
            (place / LOCK).unlink(missing_ok=True)
            place.rmdir()


@contextmanager
def held(root: Path, names: Collection[str]) -> Iterator[None]:
    """No other program writes these meanwhile. Raises StorageLocked."""
    with ExitStack() as stack:
        for name in names:
            if durable.is_folder(root / name):
                transcript = Transcript(root / name)
                stack.callback(transcript.close)
                transcript.hold()
        if os.name == "nt":  # there no folder can be moved while a file in it is open
            stack.pop_all().close()
        yield


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    lock = FileLock(root / _LOCK, thread_local=False, mode=0o600, fallback_to_soft=False)
    try:
        lock.acquire(timeout=0)
    except Timeout as exc:
        raise StorageLocked(f"another program restores into {root}: wait until it ends") from exc
    except OSError as exc:
        raise StorageFailed(f"{root / _LOCK}: {exc.strerror or exc}") from exc
    try:
        yield
    finally:
        lock.release()
