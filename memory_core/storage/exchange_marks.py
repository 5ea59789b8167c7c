"""Marks namespace folders that are being exchanged; until then nobody may begin a new one there."""

import os
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ..domain.errors import StorageLocked
from ..infra import durable_files

PREFIX = ".restoring-"
COMMIT = "commit.json"
NEW_FOLDER, OLD_FOLDER, SINCE_FOLDER = "new", "old", "since"
ARCHIVED_SUFFIX = ".aside"  # no name of a user or a character is encoded so


_UNFINISHED = "an exchange of memory folders was interrupted, and old memories may lie here alone"
_TRIED_AGAIN = (
    "delete nothing: it is ended when the memories are used next, as soon as the disk and other "
    "programs allow it"
)
_SET_ASIDE = "memories were set aside here, since they could neither be put back nor merged in"


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptedSwap:
    """A folder that an exchange left, why it is there, and what to do about it."""

    path: Path
    what: str
    advice: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}: {self.advice}"


def staging_folders(root: Path) -> list[Path]:
    """The staging folders below a storage folder. Raises StorageFailed."""
    if not durable_files.is_folder(root):
        return []
    with durable_files.naming_errors(root):
        return sorted(root / name for name in os.listdir(root) if name.startswith(PREFIX))


def staging_folder_of(folder: Path) -> Path | None:
    """Where what belongs into this namespace's folder may lie alone, since it was taken out of its
    place and that was not ended yet. Raises StorageFailed.
    """
    for root in folder.parents[:2]:
        for staging in staging_folders(root):
            taken = staging / OLD_FOLDER / folder.relative_to(root)
            if durable_files.exists(staging / COMMIT) and durable_files.exists(taken):
                return staging
    return None


def refuse_during_swap(folder: Path) -> None:
    """Raises StorageLocked while this namespace's folder is being exchanged."""
    if staging := staging_folder_of(folder):
        raise StorageLocked(
            f"{folder} is being exchanged for another folder ({staging.name}), or that was "
            "interrupted: nothing is remembered here until it is ended, which is tried again"
        )


def unfinished_swaps(root: Path) -> list[InterruptedSwap]:
    """What exchanges could not end, and what they set aside. Raises StorageFailed."""
    unfinished = [it for it in staging_folders(root) if durable_files.exists(it / COMMIT)]
    return [
        *(InterruptedSwap(path=it, what=_UNFINISHED, advice=_TRIED_AGAIN) for it in unfinished),
        *(
            InterruptedSwap(path=it, what=_SET_ASIDE, advice=_rename_advice(it))
            for it in archived_folders(root)
        ),
    ]


def archived_folders(root: Path) -> list[Path]:
    """The folders of memories that could neither be put back nor merged in."""
    if not durable_files.is_folder(root):
        return []
    with durable_files.naming_errors(root):
        found = [*root.glob(f"*{ARCHIVED_SUFFIX}*"), *root.glob(f"*/*{ARCHIVED_SUFFIX}*")]
        return sorted(it for it in found if it.is_dir() and not it.name.startswith(PREFIX))


def archived_name(place: Path) -> Path:
    """A free name beside the place."""
    names = (
        place.with_name(f"{place.name}{ARCHIVED_SUFFIX}{(n and f'-{n}') or ''}") for n in count()
    )
    return next(path for path in names if not durable_files.exists(path))


def _rename_advice(path: Path) -> str:
    name = f"{path.name.partition(ARCHIVED_SUFFIX)[0]}-aside"
    return (
        f"rename this folder to a new name without a dot, such as {name}: its memories are then "
        "those of a character of that name, and can be looked at, merged or deleted"
    )
