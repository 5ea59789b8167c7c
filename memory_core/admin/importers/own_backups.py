"""Recognises backups of this extension, which are restored instead of imported."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from ...storage.manifest import MANIFEST
from .zip_input import DAMAGED_ZIP_ERRORS

_BACKUP_DEPTH = 3
_MAX_MANIFEST_BYTES = 64 << 20


def is_backup(path: Path) -> bool:
    """Returns True for a zip with the manifest of a backup of ours, even of a damaged one."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any("backup" in json.loads(data) for data in _manifests(archive))
    except (*DAMAGED_ZIP_ERRORS, TypeError):
        return False


def _manifests(archive: zipfile.ZipFile) -> Iterator[bytes]:
    """Yields the manifests, of _MAX_MANIFEST_BYTES at most altogether."""
    left = _MAX_MANIFEST_BYTES
    for info in archive.infolist():
        if left > 0 and _may_be_manifest(info.filename):
            with archive.open(info) as file:
                data = file.read(left)
            left -= len(data)
            yield data


def _may_be_manifest(name: str) -> bool:
    parts = name.split("/")
    return parts[-1] == MANIFEST and len(parts) in (1, _BACKUP_DEPTH)
