"""Reads backups without trusting them: any deviation from the manifest raises ImportFailed."""

import hashlib
import shutil
import stat
import struct
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ...domain.errors import ImportFailed, StorageCorrupt
from ...infra import durable_files
from ...storage.aliases import ALIASES, Aliases, decode_aliases
from ...storage.log.event_log import CONVERSATIONS, EventLog
from ...storage.manifest import MANIFEST
from .layout import NamespaceContents, manifest_time, parse_manifest
from .line_check import INVALID_EVENT_ERRORS, NamespaceEventCheck

_MAX_LINE_BYTES = 32 << 20
_MAX_MANIFEST_BYTES = 64 << 20
# Compression shrinks chats to a third or a tenth, but a zip bomb to a thousandth.
_MAX_COMPRESSION_RATIO = 200
_SMALL_BYTES = 16 << 20
_MIN_FREE_BYTES = 64 << 20
_KNOWN_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED_FLAG = 0x1
_DAMAGED_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class BackupFile:
    """An open backup whose manifests match the zip's members.

    `contents` has one item per manifest. The constructor raises ImportFailed. Use it in a `with`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        _refuse_special_file(path)
        with _translate_errors(path):
            self._zip = zipfile.ZipFile(path)
        try:
            with _translate_errors(path):
                self._members = _members_by_name(self._zip)
                self._check_size(sum(info.file_size for info in self._members.values()))
                self.aliases = self._read_aliases()
                self.contents = self._read_contents()
                self._check_size(sum(contents.size for contents in self.contents))
        except BaseException:  # the caller never gets an object that it could close
            self._zip.close()
            raise

    def __enter__(self) -> "BackupFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def unpack(self, contents: NamespaceContents, folder: Path) -> None:
        """Writes and syncs one namespace's logs into a new folder and checks each line.

        Raises ImportFailed, and StorageFailed if the folder cannot be written.
        """
        durable_files.make_folder(folder / CONVERSATIONS)
        for name, lines in self._iter_checked_logs(contents):
            path = folder / name
            with durable_files.naming_errors(path), path.open("xb") as file:
                path.chmod(durable_files.FILE_MODE)
                file.writelines(lines)
                file.flush()
                durable_files.sync(file.fileno(), path=path)
        durable_files.sync_folder(folder / CONVERSATIONS)
        durable_files.sync_folder(folder)

    def check(self, contents: NamespaceContents) -> None:
        """Checks one namespace as unpack() does, without writing. Raises ImportFailed."""
        for _, lines in self._iter_checked_logs(contents):
            deque(lines, maxlen=0)

    def _iter_checked_logs(
        self, contents: NamespaceContents
    ) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yields each log's name and lines; the caller reads every log to its end, in order."""
        check = NamespaceEventCheck()
        logs = {name: EventLog.log_at(name) or "" for name in contents.members}
        for name, log in sorted(logs.items(), key=lambda pair: pair[::-1]):
            yield name, self._checked_lines(contents, name, log, check)

    def lines(self, contents: NamespaceContents, name: str) -> Iterator[bytes]:
        """Returns one log's lines, newlines included. Raises ImportFailed."""
        return self._iter_lines(contents.prefix + name, contents.members[name].size)

    def made_at(self, contents: NamespaceContents) -> float:
        """Returns the time of the backup, in seconds since the epoch. Raises ImportFailed."""
        return manifest_time(self._manifest(contents.prefix + MANIFEST))

    def _checked_lines(
        self, contents: NamespaceContents, name: str, log: str, check: NamespaceEventCheck
    ) -> Iterator[bytes]:
        digest, count, seq, promised = hashlib.sha256(), 0, 0, contents.members[name]
        for count, line in enumerate(self.lines(contents, name), start=1):
            try:
                seq = check.check_line(line[:-1], log, after=seq)
            except INVALID_EVENT_ERRORS as exc:
                raise ImportFailed(f"{contents.prefix}{name}, line {count}: {exc}") from exc
            digest.update(line)
            yield line
        if digest.hexdigest() != promised.sha256 or count != promised.lines:
            raise ImportFailed(
                f"{self.path}: {contents.prefix}{name} is not what its manifest promises"
            )

    def _iter_lines(self, name: str, size: int) -> Iterator[bytes]:
        """Yields lines of at most `size` bytes in all, even if the zip holds more."""
        with self._open(name) as member:
            left = size
            while left:
                yield (line := self._read_line(member, name, left))
                left -= len(line)
            with _translate_errors(self.path):
                if member.read(1):  # reading the end also checks the zip's own checksum
                    raise ImportFailed(f"{self.path}: {name} is longer than its manifest promises")

    def _read_line(self, member: IO[bytes], name: str, left: int) -> bytes:
        with _translate_errors(self.path):
            line = member.readline(min(left, _MAX_LINE_BYTES) + 1)
        if len(line) > _MAX_LINE_BYTES:
            raise ImportFailed(f"{self.path}: {name} has a line of over {_MAX_LINE_BYTES} bytes")
        if len(line) > left or not line.endswith(b"\n"):
            raise ImportFailed(f"{self.path}: {name} is not as long as its manifest promises")
        return line

    def _open(self, name: str) -> IO[bytes]:
        with _translate_errors(self.path):
            return self._zip.open(self._members[name])

    def _read_contents(self) -> Sequence[NamespaceContents]:
        manifests = [name for name in self._members if name.rpartition("/")[2] == MANIFEST]
        if not manifests:
            raise ImportFailed(f"{self.path} is no backup: it has no {MANIFEST}")
        found = [self._contents_of(name) for name in manifests]
        for contents in found:
            if contents.prefix not in ("", f"{contents.namespace.relative_folder}/"):
                raise ImportFailed(f"{self.path}: {contents.prefix} is not where it belongs")
        promised = {
            contents.prefix + name for contents in found for name in [MANIFEST, *contents.members]
        }
        if odd := sorted(promised ^ (self._members.keys() - {ALIASES})):
            raise ImportFailed(f"{self.path}: {odd[0]} is missing, or in no manifest")
        if len({contents.namespace for contents in found}) < len(found):
            raise ImportFailed(f"{self.path}: one namespace is in it twice")
        return found

    def _contents_of(self, manifest: str) -> NamespaceContents:
        data = self._manifest(manifest)
        try:
            return parse_manifest(data, manifest[: -len(MANIFEST)])
        except ImportFailed as exc:
            raise ImportFailed(f"{self.path}: {exc}") from exc

    def _read_aliases(self) -> Aliases:
        if ALIASES not in self._members:
            return Aliases()
        try:
            return decode_aliases(self._manifest(ALIASES), f"{self.path}: {ALIASES}")
        except StorageCorrupt as exc:
            raise ImportFailed(str(exc)) from exc

    def _manifest(self, name: str) -> bytes:
        with self._open(name) as member:
            data = member.read(_MAX_MANIFEST_BYTES + 1)
        if len(data) > _MAX_MANIFEST_BYTES:
            raise ImportFailed(f"{self.path}: {name} has over {_MAX_MANIFEST_BYTES} bytes")
        return data

    def _check_size(self, size: int) -> None:
        with durable_files.naming_errors(self.path):
            packed = self.path.stat().st_size
        if size > packed * _MAX_COMPRESSION_RATIO + _SMALL_BYTES:
            raise ImportFailed(f"{self.path} would unpack {packed} bytes to {size}: refused")


def _refuse_special_file(path: Path) -> None:
    """Raises ImportFailed for a pipe or a device: opening or reading it may never end."""
    with _translate_errors(path):
        mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise ImportFailed(f"{path} is not a regular file: name a .zip file")


def refuse_without_room(contents: Sequence[NamespaceContents], folder: Path) -> None:
    """Raises ImportFailed if the disk has no room for all contents."""
    size = sum(entry.size for entry in contents)
    with durable_files.naming_errors(folder):
        free = shutil.disk_usage(folder).free
    if size + _MIN_FREE_BYTES > free:
        raise ImportFailed(f"{size} bytes would be unpacked to {folder}, which has {free} free")


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise ImportFailed(f"{path} cannot be read: {exc.strerror or exc}") from exc
    except _DAMAGED_ZIP_ERRORS as exc:
        raise ImportFailed(f"{path} is no zip file, or a broken one: {exc}") from exc


def _members_by_name(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        if info.filename in found:
            raise ImportFailed(f"{archive.filename}: {info.filename} is in it twice")
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise ImportFailed(f"{archive.filename}: {info.filename} is encrypted")
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise ImportFailed(f"{archive.filename}: {info.filename!r} is not a regular file")
        if info.compress_type not in _KNOWN_COMPRESSIONS:
            raise ImportFailed(f"{archive.filename}: {info.filename} has an unknown compression")
        found[info.filename] = info
    return found
