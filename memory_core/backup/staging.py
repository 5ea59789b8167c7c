"""Puts whole namespace folders in place of others: after a crash each is the old one or the new.

They are filled in `.restoring-…/new/` beside the users' folders. Once `commit.json` is there, all
of them take their places; whoever opens the storage next finishes what was interrupted.
"""

import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from .. import durable
from ..aliases import ALIASES, Aliases, write_aliases
from ..errors import LongTermMemoryError, StorageFailed, StorageLocked
from ..namespaces import Namespace
from ..transcript.transcript import Transcript
from .layout import folder_name

_PREFIX = ".restoring-"
_LOCK = ".restoring.lock"
_COMMIT = "commit.json"


class Staging:
    """Without put_in_place() the storage stays as it was."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder

    def of(self, namespace: Namespace) -> Path:
        """Where to put what shall become this namespace's folder."""
        return self._folder / "new" / folder_name(namespace)

    def beside(self, namespace: Namespace) -> Path:
        """A place for what is needed on the way."""
        return self._folder / "raw" / folder_name(namespace)

    def let_mean(self, aliases: Aliases) -> None:
        """Names mean this once the folders are in place: all of it happens, or nothing."""
        write_aliases(self._folder / "new", aliases)

    def put_in_place(
        self, seen: Mapping[Namespace, Mapping[str, int]], keep: Sequence[str]
    ) -> None:
        """Exchanges these namespaces' folders. `seen`: the logs that each has now, with sizes.

        `keep` are files and folders that move along from the old folder to the new one. Raises
        StorageLocked while another program writes one of them.
        """
        names = {folder_name(it): dict(logs) for it, logs in seen.items()}
        if (self._folder / "new" / ALIASES).exists():
            names[ALIASES] = {}
        with held(self._root, names):
            for name, logs in names.items():
                if _has_changed(self._root, self._folder, name, logs):
                    raise StorageFailed(f"{name} was written to meanwhile: nothing was restored")
            text = json.dumps({"namespaces": names, "keep": list(keep)})
            durable.replace(self._folder / _COMMIT, text.encode())
            try:
                _exchange(self._root, self._folder, names, keep)
            except LongTermMemoryError:
                _undo(self._root, self._folder, names, keep)
                raise
            finally:
                if not _is_half_done(self._folder, names):
                    with suppress(OSError):  # who comes next finds nothing left to exchange
                        (self._folder / _COMMIT).unlink()

    def take_away(self, namespace: Namespace) -> None:
        """Deletes its folder, which is gone from its place at once: what a killed program leaves of
        it is deleted by whoever opens the storage next. Raises StorageFailed.
        """
        _, place, old = _places(self._root, self._folder, folder_name(namespace))
        if not place.is_symlink():
            with suppress(StorageFailed):  # it lies on another disk, and goes where it is
                _move(place, old)
        durable.remove_for_good(old if old.exists() else place)


@contextmanager
def staging(root: Path) -> Iterator[Staging]:
    """Raises StorageLocked while another program restores into the same storage."""
    durable.make_folder(root)
    with _alone(root):
        told = _finish_all(root)
        if told:
            raise StorageFailed("; ".join(told))
        folder = root / f"{_PREFIX}{secrets.token_hex(4)}"
        durable.make_folder(folder)
        try:
            yield Staging(root, folder)
        finally:
            if not (folder / _COMMIT).exists():  # else the old memories may lie in it alone
                with suppress(OSError):  # who comes next tries again
                    _discard(folder)


def finish_interrupted(root: Path) -> list[str]:
    """Ends what a killed restore left behind; returns what could not be ended, in plain words."""
    if not any(root.glob(f"{_PREFIX}*/")):
        return []
    try:
        with _alone(root):
            return _finish_all(root)
    except StorageLocked:
        return []  # it is no interrupted one
    except LongTermMemoryError as exc:
        return [str(exc)]


def _finish_all(root: Path) -> list[str]:
    told: list[str] = []
    for folder in sorted(root.glob(f"{_PREFIX}*/")):
        try:
            told += _finish(root, folder)
        except (LongTermMemoryError, OSError, ValueError, KeyError) as exc:
            told.append(f"an interrupted restore in {folder} could not be ended: {exc}")
    return told


def _finish(root: Path, folder: Path) -> list[str]:
    told: list[str] = []
    if (folder / _COMMIT).exists():
        commit = json.loads((folder / _COMMIT).read_bytes())
        names: dict[str, Mapping[str, int]] = commit["namespaces"]
        with held(root, names):
            changed = [it for it, logs in names.items() if _has_changed(root, folder, it, logs)]
            rest = {name: logs for name, logs in names.items() if name not in changed}
            if changed and ALIASES in names:  # else what moved from one to the other would be lost
                _undo(root, folder, names, commit["keep"])
            else:
                _exchange(root, folder, rest, commit["keep"])
        told += [
            f"restoring {it} was interrupted and given up: it was written to since"
            for it in changed
        ]
    with durable.naming(folder):
        _discard(folder)
    return told


def _discard(folder: Path) -> None:
    """With what was replaced, also where only a link to it lay in its place."""
    for name in ("*", "*/*"):
        for old in (folder / "old").glob(name):
            if old.is_symlink():
                durable.remove_with_target(old)
    shutil.rmtree(folder)


def _exchange(root: Path, folder: Path, names: Collection[str], keep: Sequence[str]) -> None:
    for name in names:
        fresh, place, old = _places(root, folder, name)
        if fresh.exists():
            if place.is_file():  # who looks what a name means must find it at any time
                durable.make_folder(old.parent)
                durable.replace(old, place.read_bytes())
            elif place.exists():
                _move(place, old)
            _move(fresh, place)
        for part in keep:
            if (old / part).exists() and not (place / part).exists():
                _move(old / part, place / part)


def _undo(root: Path, folder: Path, names: Collection[str], keep: Sequence[str]) -> None:
    for name in names:
        fresh, place, old = _places(root, folder, name)
        for part in keep if old.exists() else ():
            if (place / part).exists() and not (old / part).exists():
                _move(place / part, old / part)
        if not fresh.exists() and place.exists():
            _move(place, fresh)
        if old.exists():
            _move(old, place)


def _is_half_done(folder: Path, names: Collection[str]) -> bool:
    """Whether some are exchanged and some are not: the next one to open the storage goes on."""
    fresh = [(folder / "new" / name).exists() for name in names]
    taken = [(folder / "old" / name).exists() for name in names]
    return any(fresh) and (any(taken) or not all(fresh))


def _has_changed(root: Path, folder: Path, name: str, logs: Mapping[str, int]) -> bool:
    """Whether the place holds anything else than what was seen in it, or moved from it."""
    fresh, place, old = _places(root, folder, name)
    if not fresh.exists():
        return False
    return Transcript(place).logs() != ({} if old.exists() else logs)


def _places(root: Path, folder: Path, name: str) -> tuple[Path, Path, Path]:
    return folder / "new" / name, root / name, folder / "old" / name


def _move(source: Path, target: Path) -> None:
    durable.make_folder(target.parent)
    with durable.naming(target):
        os.rename(source, target)
    durable.sync_folder(target.parent)
    durable.sync_folder(source.parent)


@contextmanager
def held(root: Path, names: Collection[str]) -> Iterator[None]:
    """No other program writes these meanwhile. Raises StorageLocked."""
    with ExitStack() as stack:
        for name in names:
            if (root / name).is_dir():
                transcript = Transcript(root / name)
                stack.callback(transcript.close)
                transcript.exclusively()
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
