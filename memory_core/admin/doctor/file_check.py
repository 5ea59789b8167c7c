"""Checks the files around the logs: modes, names, manifests and leftovers."""

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...config.server_settings import KEYS_FILE
from ...domain.errors import LongTermMemoryError, StorageCorrupt, StorageError
from ...domain.namespaces import Namespace, decode
from ...infra import durable_files
from ...memory.language_trust import FILE as LANGUAGES
from ...memory.namespace_memory import INDEX
from ...storage import held
from ...storage.aliases import ALIASES, ALIASES_LOCK, read_aliases
from ...storage.job_store import FILES as JOB_FILES
from ...storage.log.erasure import DAMAGED
from ...storage.log.event_log import CONVERSATIONS, LOCK, NOTES, is_log
from ...storage.manifest import MANIFEST, list_namespaces, read_manifest
from ...storage.pauses import FILE as SWITCHES
from ...storage.pauses import ChatPauses
from ...storage.swap_markers import ARCHIVED_SUFFIX, unfinished_swaps
from .findings import REPAIR_ADVICE, Finding, FindingCode, FindingKind, FindingListener

_CHAT_REGISTRY_FILES = ("chats.sqlite", "chats.sqlite-wal", "chats.sqlite-shm")
_LOCKS = (ALIASES_LOCK, ".restoring.lock")
_OUR_ROOT_FILES = (ALIASES, KEYS_FILE, LANGUAGES, *_CHAT_REGISTRY_FILES, *_LOCKS)
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


def check_storage(root: Path, on_finding: FindingListener) -> None:
    """Checks all files and folders beside the namespaces."""
    _check_aliases(root, on_finding)
    for path in durable_files.abandoned_temporaries(root):
        on_finding(_leftover_finding(path, ""))
    swap_leftovers = set(_check_swap_leftovers(root, on_finding))
    spaces = {space.folder(root) for space in own_namespaces(root)}
    users = {folder.parent for folder in spaces} - {root}
    for path in shared_paths(root):
        _check_mode(path, "", on_finding)
    for path in sorted(root.iterdir()):
        if path not in users | spaces | swap_leftovers:
            _check_unlisted(path, on_finding)
    for folder in sorted(users):
        for path in sorted(folder.iterdir()):
            if path not in spaces | swap_leftovers and not _is_unfilled(path):
                on_finding(
                    _lost_folder_finding(path)
                    if _has_memories(path)
                    else _foreign_finding(path, "")
                )


def _check_swap_leftovers(root: Path, on_finding: FindingListener) -> Iterator[Path]:
    for left in unfinished_swaps(root):
        is_aside = ARCHIVED_SUFFIX in left.path.name
        on_finding(
            Finding(
                code=FindingCode.SET_ASIDE if is_aside else FindingCode.SWAP_UNFINISHED,
                namespace="",
                path=str(left.path),
                problem=left.what,
                advice=left.advice,
                can_repair=False,
            )
        )
        yield left.path


def shared_paths(root: Path) -> list[Path]:
    """Returns the paths of several namespaces that only the owner may open."""
    users = {space.folder(root).parent for space in own_namespaces(root)} - {root}
    return sorted(path for path in (*users, root / ALIASES) if path.exists())


def _check_unlisted(path: Path, on_finding: FindingListener) -> None:
    if path.is_dir() and not path.is_symlink() and not path.name.startswith(_IN_PROGRESS_PREFIXES):
        lost = [child for child in sorted(path.iterdir()) if _has_memories(child)]
        for child in lost:
            on_finding(_lost_folder_finding(child))
        if not lost and not _is_unfilled(path):
            on_finding(_foreign_finding(path, ""))
    elif path.is_file() and path.name not in _OUR_ROOT_FILES and not _is_leftover(path):
        on_finding(_foreign_finding(path, ""))


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
    advice = f"restore {MANIFEST} from a backup"
    return Finding(
        code=FindingCode.OWNER_UNKNOWN,
        namespace="",
        path=str(path),
        problem=problem,
        advice=advice,
        can_repair=False,
    )


def _check_aliases(root: Path, on_finding: FindingListener) -> None:
    found = partial(_unreadable_finding, path=root / ALIASES, label="")
    try:
        read_aliases(root)
    except StorageCorrupt as exc:
        advice = f"correct it, or let --repair rename it to {ALIASES}{DAMAGED}"
        on_finding(found(FindingCode.ALIASES_DAMAGED, exc, advice=advice))
    except StorageError as exc:
        faulty = found(FindingCode.ALIASES_UNREADABLE, exc, advice="check the file by hand")
        on_finding(replace(faulty, can_repair=False))


def _unreadable_finding(
    code: FindingCode, exc: Exception, *, path: Path, label: str, advice: str = REPAIR_ADVICE
) -> Finding:
    reason = str(exc)
    return Finding(
        code=code,
        namespace=label,
        path=str(path),
        problem=reason,
        detail=reason,
        advice=advice,
    )


def _leftover_finding(path: Path, label: str) -> Finding:
    return Finding(
        code=FindingCode.LEFTOVER, namespace=label, path=str(path), problem=_LEFTOVER_TEXT
    )


def check_namespace(space: Namespace, root: Path, on_finding: FindingListener) -> None:
    """Checks one namespace's folder, except for the contents of its logs and its index."""
    folder = space.folder(root)
    for path in namespace_paths(folder):
        _check_mode(path, space.label, on_finding)
    for path in find_temporaries(folder):
        on_finding(_leftover_finding(path, space.label))
    for path in _foreign_paths(folder):
        on_finding(_foreign_finding(path, space.label))
    _check_manifest(space, folder, on_finding)
    _check_pauses(space, root, on_finding)
    _check_held(space, folder, on_finding)


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
    return Finding(
        code=FindingCode.FOREIGN,
        namespace=label,
        path=str(path),
        problem="this is none of ours",
        advice="the doctor leaves it alone",
        kind=FindingKind.NOTE,
        can_repair=False,
    )


def _check_mode(path: Path, label: str, on_finding: FindingListener) -> None:
    if is_accessible_to_others(path):
        mode = stat.S_IMODE(path.lstat().st_mode)
        wanted = durable_files.FOLDER_MODE if path.is_dir() else durable_files.FILE_MODE
        problem = f"other users may open it: its mode is {mode:o}, not {wanted:o}"
        on_finding(
            Finding(
                code=FindingCode.OPEN_TO_OTHERS, namespace=label, path=str(path), problem=problem
            )
        )


def _check_manifest(space: Namespace, folder: Path, on_finding: FindingListener) -> None:
    path = folder / MANIFEST
    can_repair = decode(folder.name) is not None or folder.name.startswith("_")
    try:
        found = read_manifest(folder)
    except LongTermMemoryError as exc:
        code = FindingCode.MANIFEST_UNREADABLE
        faulty = _unreadable_finding(code, exc, path=path, label=space.label)
        on_finding(replace(faulty, can_repair=can_repair))
        return
    names = (space.user, space.character, space.scope)
    if found and (found["user"], found["character"], found["scope"]) != names:
        named = f"{found['user']} / {found['character'] or found['scope']}"
        on_finding(
            Finding(
                code=FindingCode.MANIFEST_OF_OTHERS,
                namespace=space.label,
                path=str(path),
                problem=f"it names {named}",
                detail=named,
                can_repair=can_repair,
            )
        )


def _check_pauses(space: Namespace, root: Path, on_finding: FindingListener) -> None:
    try:
        ChatPauses(root).paused_chats(space)
    except StorageError as exc:
        faulty = _unreadable_finding(
            FindingCode.PAUSES_UNREADABLE,
            exc,
            path=space.folder(root) / SWITCHES,
            label=space.label,
            advice="correct or delete it, then pause the chats again",
        )
        on_finding(replace(faulty, can_repair=False))


def _check_held(space: Namespace, folder: Path, on_finding: FindingListener) -> None:
    try:
        held.HeldFile(folder).read()
    except StorageError as exc:
        faulty = _unreadable_finding(
            FindingCode.HELD_UNREADABLE,
            exc,
            path=folder / held.FILE,
            label=space.label,
            advice="correct it, or move it away: then the chats' messages are asked about again",
        )
        on_finding(replace(faulty, can_repair=False))
