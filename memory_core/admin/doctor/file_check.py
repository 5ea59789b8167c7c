"""Checks the files around the logs: modes, names, manifests and leftovers."""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...config.server_settings import KEYS_FILE
from ...domain.errors import LongTermMemoryError, StorageCorrupt, StorageError
from ...domain.namespaces import Namespace, decode
from ...infra import durable_files
from ...memory.language_trust import FILE as LANGUAGES
from ...memory.namespace_memory import INDEX
from ...memory.retention import CLOCK_FILE
from ...storage import held
from ...storage.aliases import ALIASES, ALIASES_LOCK, read_aliases
from ...storage.job_store import FILES as JOB_FILES
from ...storage.log.erasure import DAMAGED
from ...storage.log.event_log import CONVERSATIONS, LOCK, NOTES, is_log
from ...storage.manifest import MANIFEST, list_namespaces, read_manifest
from ...storage.pauses import FILE as SWITCHES
from ...storage.pauses import ChatPauses
from ...storage.swap_markers import ARCHIVED_SUFFIX, InterruptedSwap, unfinished_swaps
from .findings import Finding, FindingCode

_CHAT_REGISTRY_FILES = ("chats.sqlite", "chats.sqlite-wal", "chats.sqlite-shm")
_LOCKS = (ALIASES_LOCK, ".restoring.lock")
_OUR_ROOT_FILES = (ALIASES, CLOCK_FILE, KEYS_FILE, LANGUAGES, *_CHAT_REGISTRY_FILES, *_LOCKS)
_OUR_TRUE_FILES = (NOTES, NOTES + DAMAGED, MANIFEST, MANIFEST + DAMAGED, SWITCHES, held.FILE)
_NAMESPACE_LOCKS = (LOCK, held.LOCK)
_OUR_NAMESPACE_FILES = (*_OUR_TRUE_FILES, *_NAMESPACE_LOCKS, *JOB_FILES)
_IN_PROGRESS_PREFIXES = (".restoring-", ".selftest-")
_LEFTOVER_TEXT = "left by a killed program; it may hold words of memories"


def own_namespaces(root: Path) -> list[Namespace]:
    """Returns the namespaces below `root` that hold a file of ours.

    Other folders may also have a name that could be a namespace's. Raises StorageFailed if a folder
    cannot be read.
    """
    return [space for space in list_namespaces(root) if _is_own_folder(space.folder(root))]


def _is_own_folder(folder: Path) -> bool:
    return any(durable_files.exists(folder / name) for name in (*_OUR_TRUE_FILES, CONVERSATIONS))


def find_temporaries(folder: Path) -> list[Path]:
    """Returns the half-written files of killed programs below a folder."""
    return sorted(path for path in folder.rglob(durable_files.TEMPORARY) if path.is_file())


def is_accessible_to_others(path: Path) -> bool:
    """Returns True if users other than the owner may read or write the path."""
    return os.name != "nt" and bool(stat.S_IMODE(path.lstat().st_mode) & 0o077)


def check_storage(root: Path) -> Iterator[Finding]:
    """Checks all files and folders beside the namespaces."""
    yield from _check_aliases(root)
    for path in durable_files.abandoned_temporaries(root):
        yield _leftover_finding(path, "")
    unfinished = unfinished_swaps(root)
    yield from map(_swap_finding, unfinished)
    swap_leftovers = {left.path for left in unfinished}
    spaces = {space.folder(root) for space in own_namespaces(root)}
    users = {folder.parent for folder in spaces} - {root}
    for path in shared_paths(root):
        yield from _check_mode(path, "")
    for path in sorted(root.iterdir()):
        if path not in users | spaces | swap_leftovers:
            yield from _check_unlisted(path)
    for folder in sorted(users):
        for path in sorted(folder.iterdir()):
            if path not in spaces | swap_leftovers and not _is_unfilled(path):
                is_lost = _has_memories(path)
                yield _lost_folder_finding(path) if is_lost else _foreign_finding(path, "")


def _swap_finding(left: InterruptedSwap) -> Finding:
    is_aside = ARCHIVED_SUFFIX in left.path.name
    code = FindingCode.SET_ASIDE if is_aside else FindingCode.SWAP_UNFINISHED
    return _finding(code, left.path, left.what).unrepairable(left.advice)


def _finding(code: FindingCode, path: Path, problem: str, label: str = "") -> Finding:
    return Finding(code=code, namespace=label, path=str(path), problem=problem)


def shared_paths(root: Path) -> list[Path]:
    """Returns the paths of several namespaces that only the owner may open."""
    users = {space.folder(root).parent for space in own_namespaces(root)} - {root}
    return sorted(path for path in (*users, root / ALIASES) if path.exists())


def _check_unlisted(path: Path) -> Iterator[Finding]:
    if path.is_dir() and not path.is_symlink() and not path.name.startswith(_IN_PROGRESS_PREFIXES):
        lost = [child for child in sorted(path.iterdir()) if _has_memories(child)]
        yield from map(_lost_folder_finding, lost)
        if not lost and not _is_unfilled(path):
            yield _foreign_finding(path, "")
    elif path.is_file() and path.name not in _OUR_ROOT_FILES and not _is_leftover(path):
        yield _foreign_finding(path, "")


def _is_unfilled(path: Path) -> bool:
    """Returns whether a folder with a name of ours holds at most a lock and an empty index.

    Folders of users whose memories were deleted or renamed do, and those that a killed program was
    about to fill.
    """
    if decode(path.name) is None or not path.is_dir() or path.is_symlink():
        return False
    return all(map(_is_lock_or_empty_index, path.iterdir()))


def _is_lock_or_empty_index(path: Path) -> bool:
    is_index = path.name == INDEX and path.is_dir() and not path.is_symlink()
    return path.name in _NAMESPACE_LOCKS or (is_index and not any(path.iterdir()))


def _has_memories(path: Path) -> bool:
    return (path / NOTES).is_file() or (path / CONVERSATIONS).is_dir()


def _lost_folder_finding(path: Path) -> Finding:
    problem = "these memories have no known owner: the manifest that names them is unreadable"
    found = _finding(FindingCode.OWNER_UNKNOWN, path, problem)
    return found.unrepairable(f"restore {MANIFEST} from a backup")


def _check_aliases(root: Path) -> Iterator[Finding]:
    path = root / ALIASES
    try:
        read_aliases(root)
    except StorageCorrupt as exc:
        advice = f"correct it, or let --repair rename it to {ALIASES}{DAMAGED}"
        yield replace(_unreadable_finding(FindingCode.ALIASES_DAMAGED, exc, path), advice=advice)
    except StorageError as exc:
        found = _unreadable_finding(FindingCode.ALIASES_UNREADABLE, exc, path)
        yield found.unrepairable("check the file by hand")


def _unreadable_finding(code: FindingCode, exc: Exception, path: Path, label: str = "") -> Finding:
    return replace(_finding(code, path, str(exc), label), detail=str(exc))


def _leftover_finding(path: Path, label: str) -> Finding:
    return _finding(FindingCode.LEFTOVER, path, _LEFTOVER_TEXT, label)


def check_namespace(space: Namespace, root: Path) -> Iterator[Finding]:
    """Checks one namespace's folder, except for the contents of its logs and its index."""
    folder = space.folder(root)
    for path in namespace_paths(folder):
        yield from _check_mode(path, space.label)
    for path in find_temporaries(folder):
        yield _leftover_finding(path, space.label)
    for path in _foreign_paths(folder):
        yield _foreign_finding(path, space.label)
    yield from _check_manifest(space, folder)
    yield from _check_pauses(space, root)
    yield from _check_held(space, folder)


def namespace_paths(folder: Path) -> Iterator[Path]:
    """Yields the paths that only the owner may open; the index's folder protects its files."""
    foreign = set(_foreign_paths(folder))
    yield folder
    for path in (*sorted(folder.iterdir()), *sorted((folder / CONVERSATIONS).glob("*"))):
        if path not in foreign and not path.is_symlink():
            yield path


def _foreign_paths(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name not in (*_OUR_NAMESPACE_FILES, INDEX, CONVERSATIONS) and not _is_leftover(
            path
        ):
            yield path
    for path in sorted((folder / CONVERSATIONS).glob("*")):
        is_ours = is_log(path.name.removesuffix(DAMAGED)) and path.is_file()
        if not is_ours and not _is_leftover(path):
            yield path


def _is_leftover(path: Path) -> bool:
    return path.match(durable_files.TEMPORARY) and path.is_file()


def _foreign_finding(path: Path, label: str) -> Finding:
    found = _finding(FindingCode.FOREIGN, path, "this is none of ours", label)
    return found.unrepairable("the doctor leaves it alone").as_note()


def _check_mode(path: Path, label: str) -> Iterator[Finding]:
    if is_accessible_to_others(path):
        mode = stat.S_IMODE(path.lstat().st_mode)
        wanted = durable_files.FOLDER_MODE if path.is_dir() else durable_files.FILE_MODE
        problem = f"other users may open it: its mode is {mode:o}, not {wanted:o}"
        yield _finding(FindingCode.OPEN_TO_OTHERS, path, problem, label)


def _check_manifest(space: Namespace, folder: Path) -> Iterator[Finding]:
    path = folder / MANIFEST
    can_repair = decode(folder.name) is not None or folder.name.startswith("_")
    try:
        found = read_manifest(folder)
    except LongTermMemoryError as exc:
        faulty = _unreadable_finding(FindingCode.MANIFEST_UNREADABLE, exc, path, space.label)
        yield replace(faulty, can_repair=can_repair)
        return
    if names_another(found, space):
        named = f"{found['user']} / {found['character'] or found['scope']}"
        problem = f"it names {named}"
        faulty = _finding(FindingCode.MANIFEST_OF_OTHERS, path, problem, space.label)
        yield replace(faulty, detail=named, can_repair=can_repair)


def names_another(manifest: Mapping[str, Any], space: Namespace) -> bool:
    """Returns whether there is a manifest that names another namespace."""
    names = (space.user, space.character, space.scope)
    return (
        bool(manifest) and tuple(manifest[key] for key in ("user", "character", "scope")) != names
    )


def _check_pauses(space: Namespace, root: Path) -> Iterator[Finding]:
    path = space.folder(root) / SWITCHES
    try:
        ChatPauses(root).paused_chats(space)
    except StorageError as exc:
        faulty = _unreadable_finding(FindingCode.PAUSES_UNREADABLE, exc, path, space.label)
        yield faulty.unrepairable("correct or delete it, then pause the chats again")


def _check_held(space: Namespace, folder: Path) -> Iterator[Finding]:
    try:
        held.HeldFile(folder).read()
    except StorageError as exc:
        path = folder / held.FILE
        faulty = _unreadable_finding(FindingCode.HELD_UNREADABLE, exc, path, space.label)
        yield faulty.unrepairable(
            "correct it, or move it away: then the chats' messages are asked about again"
        )
