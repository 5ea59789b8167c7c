"""Writes lines as one member of a backup's zip file."""

import hashlib
import zipfile
from collections.abc import Iterable

from .layout import LogMember

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of the zip format; the manifest has the real time
_MODE = 0o100600 << 16


def add_member(archive: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> LogMember:
    info = zipfile.ZipInfo(name, _FIRST_DAY)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _MODE
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(info, "w", force_zip64=True) as member:
        for line in lines:
            member.write(line)
            digest.update(line)
            size += len(line)
            count += 1
    return LogMember(sha256=digest.hexdigest(), size=size, lines=count)
