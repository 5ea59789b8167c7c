"""Reads and writes the manifest of a namespace's folder, and lists a storage's namespaces."""

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..domain.errors import StorageCorrupt, StorageError
from ..domain.namespaces import Namespace, named_by
from ..infra import durable_files, regular_files
from ..infra.json_codec import UNUSABLE_JSON

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1

_NO_FIELDS: Mapping[str, Any] = MappingProxyType({})
_log = logging.getLogger(__name__)


def list_namespaces(root: Path) -> list[Namespace]:
    """Returns the namespaces whose folders exist, in the folders' order. Raises StorageFailed.

    Foreign folders are ignored; an unreadable manifest is logged.
    """
    world = Namespace.world()
    found = [world] if durable_files.is_folder(world.folder(root)) else []
    users = (_namespaces_of_user(root, folder) for folder in _folders(root))
    return found + [namespace for user in users for namespace in user]


def namespace_at(root: Path, folder: Path) -> Namespace | None:
    """Returns the namespace of this folder below `root`, even if the path leads there by links;
    None for any other folder. Raises StorageFailed.
    """
    own = root / folder.parent.name / folder.name
    world = Namespace.world()
    if world.folder(root).name == folder.name and folder.parent.name == root.name:
        return world
    namespace = named_by(own) or _named_by_manifest(own)
    return namespace if namespace and namespace.folder(root) == own else None


def write_manifest(
    namespace: Namespace, folder: Path, *, extra: Mapping[str, Any] = _NO_FIELDS
) -> None:
    """Replaces the folder's manifest; `extra` holds further fields. Raises StorageFailed."""
    durable_files.replace(folder / MANIFEST, encode_manifest(namespace, extra=extra))


def encode_manifest(namespace: Namespace, *, extra: Mapping[str, Any] = _NO_FIELDS) -> bytes:
    manifest = {**extra, "format": MANIFEST_FORMAT, **namespace.to_fields()}
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    return text.encode("utf-8", "surrogatepass")


def read_manifest(folder: Path) -> Mapping[str, Any]:
    """Reads the folder's manifest, empty if there is none. Raises StorageCorrupt, StorageFailed."""
    path = folder / MANIFEST
    data = regular_files.read_own_file(path)
    return _NO_FIELDS if data is None else decode_manifest(data, path)


def _folders(parent: Path) -> list[Path]:
    if not durable_files.is_folder(parent):
        return []
    with durable_files.naming_errors(parent):
        return sorted(child for child in parent.iterdir() if durable_files.is_folder(child))


def _namespaces_of_user(root: Path, user_folder: Path) -> Iterator[Namespace]:
    if user_folder == Namespace.world().folder(root):
        return
    for folder in _folders(user_folder):
        namespace = named_by(folder) or _named_by_manifest(folder)
        if namespace and namespace.folder(root) == folder:
            yield namespace


def _named_by_manifest(folder: Path) -> Namespace | None:
    try:
        manifest = read_manifest(folder)
    except StorageError as exc:
        _log.warning("a namespace is not listed: %s", exc)
        return None
    return Namespace.from_fields(manifest) if manifest else None


def decode_manifest(data: bytes, path: Path) -> Mapping[str, Any]:
    """Returns the fields of a manifest. Raises StorageCorrupt, which names the path."""
    try:
        manifest = json.loads(data.decode("utf-8", "surrogatepass"))
        Namespace.from_fields(manifest)
        version = int(manifest["format"])
    except UNUSABLE_JSON as exc:
        raise StorageCorrupt(f"{path} is not a manifest: {exc}") from exc
    if version > MANIFEST_FORMAT:
        raise StorageCorrupt(f"{path} has format {version}; this version knows {MANIFEST_FORMAT}")
    return dict(manifest)
