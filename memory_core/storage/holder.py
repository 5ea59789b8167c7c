"""Announces the address at which the program that writes a namespace takes others' writes.

Only its owner can read the file, and can read the memories anyway. It is valid
while another program holds the namespace's lock; a killed one leaves it behind.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..domain.errors import StorageError
from ..infra import durable_files, regular_files
from ..infra.json_codec import UNUSABLE_JSON

HOLDER = "holder.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderAddress:
    """A port on loopback, and the secret that both sides prove to know."""

    port: int
    token: str


class Announcer:
    """Writes this program's own address, once it has one, into the folders that it holds."""

    def __init__(self) -> None:
        self.address: HolderAddress | None = None

    def announce(self, folder: Path) -> None:
        """Writes the address into this folder. Without one, removes that of a killed program."""
        with suppress(StorageError):  # others then wait until this program ends
            if self.address is None:
                self.withdraw(folder)
                return
            durable_files.make_folder(folder)
            written = {"port": self.address.port, "token": self.address.token}
            durable_files.replace(folder / HOLDER, json.dumps(written).encode())

    def withdraw(self, folder: Path) -> None:
        with suppress(OSError):
            (folder / HOLDER).unlink(missing_ok=True)


def is_announced(folder: Path) -> bool:
    """Returns whether a program announced itself here; it may have been killed since."""
    try:
        return durable_files.stat_or_none(folder / HOLDER) is not None
    except StorageError:
        return False


def announced_address(folder: Path) -> HolderAddress | None:
    """Returns the address announced in this folder; None if there is no readable one."""
    try:
        data = regular_files.read_own_file(folder / HOLDER)
        found = json.loads(data) if data else {}
        return HolderAddress(port=int(found["port"]), token=str(found["token"]))
    except (StorageError, *UNUSABLE_JSON):
        return None
