"""A memory with automatic copies, a clock to set, and reinstallations."""

import shutil
from pathlib import Path

from memory_core.admin.backup.copy_folder import list_copies
from memory_core.admin.backup.rolling import RollingBackup
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.config.schema import RollingBackupSettings
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from tests.builders import DAY, NOW, SPACE, open_memory, said, user_sides
from tests.forensics import words_needles

OTHER = Namespace("ana", "kai")
WEEK = 7 * DAY
SECRET = said("My therapist Zyxquorvath lives in Umbrastelle.")
NEEDLES = words_needles(("Zyxquorvath", "Umbrastelle"))


class Scene:
    """A memory and its copies; `folder` is where the host keeps what its user made."""

    def __init__(self, tmp_path: Path) -> None:
        self.installed = tmp_path / "extension"
        self.folder = tmp_path / "user_data" / "copies"
        self.now = NOW
        self.install()

    def install(self, **settings: object) -> None:
        self.memory = open_memory(self.installed)
        self.use(**settings)

    def use(self, **settings: object) -> None:
        wanted = RollingBackupSettings.model_validate(settings)
        self.rolling = RollingBackup(self.memory.root, self.folder, wanted)

    def reinstall(self) -> None:
        self.memory.close()
        shutil.rmtree(self.installed)
        self.install()

    def say(self, *words: str, space: Namespace = SPACE) -> str:
        ids = [self.memory.remember(space, "monday", said(word)) for word in words]
        return ids[-1]

    def pass_by(self, seconds: float = WEEK) -> list[str]:
        self.now += seconds
        return self.rolling.run_due(self.now)

    def names(self) -> list[str]:
        return [copy.path.name for copy in list_copies(self.folder)]

    def erase(self, *ids: str, space: Namespace = SPACE) -> None:
        self.memory.forget(space, ids)
        self.memory.erase_all_forgotten(space)

    def said_in(self, memory: LongTermMemory, space: Namespace = SPACE) -> list[str]:
        return user_sides(memory.latest(space, Page(limit=99)))


def restored(scene: Scene, tmp_path: Path, name: str) -> LongTermMemory:
    again = open_memory(tmp_path / "elsewhere")
    restore(again, scene.folder / name, mode=RestoreMode.MERGE)
    return again
