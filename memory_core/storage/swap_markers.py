"""Marks of namespace folders that are being swapped: nobody may write there until the swap ends."""

import os
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ..domain.errors import StorageLocked
from ..infra import durable_files

PREFIX = ".restoring-"
COMMIT = "commit.json"
NEW_FOLDER, OLD_FOLDER, SINCE_FOLDER = "new", "old", "since"
ARCHIVED_SUFFIX = ".aside"  # encode() never returns a name with a dot

_INTERRUPTED_REASON = (
    "a swap of memory folders was interrupted, and this folder may hold the only copy of old "
    "memories"
)
_RETRY_ADVICE = (
    "delete nothing: the next use of these memories ends the swap, as soon as the disk and other "
    "programs allow it"
)
_ARCHIVED_REASON = "memories were set aside here, since they could neither be put back nor merged"


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptedSwap:
    """A folder that a swap left behind, the reason, and advice for the user."""

    path: Path
    what: str
    advice: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}: {self.advice}"


def staging_folders(root: Path) -> list[Path]:
    """Returns the staging folders below a storage folder. Raises StorageFailed."""
    if not durable_files.is_folder(root):
        return []
    with durable_files.naming_errors(root):
        return sorted(root / name for name in os.listdir(root) if name.startswith(PREFIX))


def staging_folder_of(folder: Path) -> Path | None:
    """Returns the staging folder of an unfinished swap that has moved this namespace's folder out.

    Only the staging folder may hold these memories then. Raises StorageFailed.
    """
    for root in folder.parents[:2]:
        for staging in staging_folders(root):
            old = staging / OLD_FOLDER / folder.relative_to(root)
            if durable_files.exists(staging / COMMIT) and durable_files.exists(old):
                return staging
    return None


def refuse_during_swap(folder: Path) -> None:
    """Raises StorageLocked while this namespace's folder is being swapped."""
    if staging := staging_folder_of(folder):
        raise StorageLocked(
            f"{folder} is being exchanged for another folder ({staging.name}), or that was "
            "interrupted: nothing is remembered here until the exchange ends; it is tried again"
        )


def unfinished_swaps(root: Path) -> list[InterruptedSwap]:
    """Returns the folders of unfinished swaps and those set aside. Raises StorageFailed."""
    unfinished = [path for path in staging_folders(root) if durable_files.exists(path / COMMIT)]
    return [
        *(
            InterruptedSwap(path=path, what=_INTERRUPTED_REASON, advice=_RETRY_ADVICE)
            for path in unfinished
        ),
        *(
            InterruptedSwap(path=path, what=_ARCHIVED_REASON, advice=_rename_advice(path))
            for path in archived_folders(root)
        ),
    ]


def archived_folders(root: Path) -> list[Path]:
    """Returns the folders of memories that could neither be put back nor merged.

    Raises StorageFailed.
    """
    if not durable_files.is_folder(root):
        return []
    with durable_files.naming_errors(root):
        found = [*root.glob(f"*{ARCHIVED_SUFFIX}*"), *root.glob(f"*/*{ARCHIVED_SUFFIX}*")]
        return sorted(path for path in found if path.is_dir() and not path.name.startswith(PREFIX))


def archived_name(path: Path) -> Path:
    """Returns a free name beside the path, ending in the suffix of archived folders."""
    names = (
        path.with_name(f"{path.name}{ARCHIVED_SUFFIX}{(n and f'-{n}') or ''}") for n in count()
    )
    return next(name for name in names if not durable_files.exists(name))


def _rename_advice(path: Path) -> str:
    name = f"{path.name.partition(ARCHIVED_SUFFIX)[0]}-aside"
    return (
        f"rename this folder to a new name without a dot, such as {name}: its memories are then "
        "those of a character of that name, and can be looked at, merged or deleted"
    )
