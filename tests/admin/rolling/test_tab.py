"""The tab offers a backup that is worth restoring, and restores it only when asked."""

import shutil
import threading
from pathlib import Path

import pytest

from memory_core.admin import names
from memory_core.admin.administration import Administration
from memory_core.admin.automatic_backups import back_up_before_update
from memory_core.admin.backup.copy_folder import list_copies
from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.memory.installation import Installation
from memory_core.storage.contract import Page
from memory_core.text.locales import LANGUAGES, Words, tab_words
from memory_core.ui.cli.main import main
from memory_core.ui.tab.transfer import backup_offer
from memory_core.ui.tab.transfer.back_up import automatic_backups
from tests.builders import said, user_sides
from tests.forensics import leaks, words_needles
from tests.host.plain_host import PlainHost, hooks_in

EN = tab_words("en")
MIRA, LEO = Namespace("default", "Mira"), Namespace("default", "Leo")
DOG = said("My dog is called Bruno")


class RealHost(PlainHost):
    def backup_folder(self) -> Path:
        return self.folder / "long_term_memory_backups"


class Installed:
    """The extension in a host, which can be deleted and installed anew."""

    def __init__(self, tmp_path: Path) -> None:
        self.host = RealHost(tmp_path / "user_data")
        self.host.folder.mkdir()
        self.home = tmp_path / "user_data" / "extensions" / "long_term_memory"
        self.start()

    def start(self) -> None:
        self.hooks = hooks_in(self.home, self.host)
        self.live = Administration(self.hooks)
        self.memory = self.hooks.runtime.memory

    def reinstall(self) -> None:
        self.hooks.runtime.close()
        shutil.rmtree(self.home)
        self.start()

    def known(self, space: Namespace = MIRA) -> list[str]:
        return user_sides(self.memory.latest(space, Page(limit=9)))


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path)


def test_reinstalled_extension_offers_the_backup_and_restores_it_when_asked(
    installed: Installed,
) -> None:
    installed.memory.remember(MIRA, "monday", DOG)
    installed.live.copies.run_due()
    assert backup_offer.offer_texts(installed.live, EN) == []
    installed.reinstall()
    assert installed.known() == [], "never on its own"
    told, command = backup_offer.offer_texts(installed.live, EN)
    assert "1 message with its answer and" in told
    assert "Mira" in told
    assert str(list_copies(installed.host.backup_folder())[0].path) in command
    assert not backup_offer.can_dismiss(installed.live)
    assert "1 memory restored" in backup_offer.restore_offered(installed.live, EN)
    assert installed.known() == [DOG.user]
    assert backup_offer.offer_texts(installed.live, EN) == []
    assert backup_offer.restore_offered(installed.live, EN) != ""


def test_running_program_makes_a_copy_by_itself(installed: Installed) -> None:
    installed.memory.remember(MIRA, "monday", DOG)
    was_idle = threading.Event()
    installed.hooks.runtime.add_idle_duty(was_idle.set)  # behind the copies
    installed.hooks.runtime.start()
    assert was_idle.wait(120)
    assert len(list_copies(installed.host.backup_folder())) == 1


def test_restored_copy_is_added_to_memories_made_before_the_tab_was_opened(
    installed: Installed,
) -> None:
    installed.memory.remember(MIRA, "monday", DOG)
    installed.live.copies.run_due()
    installed.reinstall()
    installed.memory.remember(MIRA, "tuesday", said("My cat is called Minka"))
    installed.live.copies.run_due()
    assert "adds what is missing" in backup_offer.offer_texts(installed.live, EN)[0]
    backup_offer.restore_offered(installed.live, EN)
    assert sorted(installed.known()) == ["My cat is called Minka", DOG.user]


def test_dismissed_copy_is_not_offered_again(installed: Installed) -> None:
    installed.memory.remember(MIRA, "monday", DOG)
    installed.live.copies.run_due()
    installed.reinstall()
    installed.memory.remember(LEO, "tuesday", said("I sail"))
    assert backup_offer.can_dismiss(installed.live)
    assert backup_offer.dismiss_offer(installed.live, EN) != ""
    assert backup_offer.offer_texts(installed.live, EN) == []
    assert len(list_copies(installed.host.backup_folder())) == 1


def test_shared_page_neither_offers_nor_restores(installed: Installed) -> None:
    installed.memory.remember(MIRA, "monday", DOG)
    installed.live.copies.run_due()
    installed.reinstall()
    installed.host.multi_user = True
    assert backup_offer.offer_texts(installed.live, EN) == []
    assert "restore" in backup_offer.restore_offered(installed.live, EN)
    assert installed.known() == []


@pytest.mark.parametrize("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_state_of_automatic_backups_names_their_folder_in_every_language(
    installed: Installed, words: Words
) -> None:
    yet, _ = automatic_backups(installed.live, words)
    installed.memory.remember(MIRA, "monday", DOG)
    installed.live.copies.run_due()
    there, _ = automatic_backups(installed.live, words)
    installed.hooks.runtime.save_settings({"rolling_backup.enabled": False})
    off, _ = automatic_backups(installed.live, words)
    assert len({yet, there, off}) == 3
    assert all(str(installed.host.backup_folder()) in text for text in (yet, there, off))


def test_outside_of_a_host_no_backup_is_made_and_the_tab_says_so(tmp_path: Path) -> None:
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    live = Administration(hooks)
    hooks.runtime.memory.remember(MIRA, "monday", DOG)
    live.copies.run_due()
    assert automatic_backups(live, EN) == (EN["copies_nowhere"], ())
    hooks.runtime.save_settings({"rolling_backup.folder": str(tmp_path / "elsewhere")})
    live.copies.run_due()
    assert len(list_copies(tmp_path / "elsewhere")) == 1


def test_destroyed_character_leaves_the_copies(installed: Installed) -> None:
    installed.memory.remember(MIRA, "monday", said("Zyxquorvath"))
    installed.memory.remember(LEO, "monday", said("I sail"))
    installed.live.copies.run_due()
    installed.live.destroy(MIRA)
    folder = installed.host.backup_folder()
    assert leaks(folder, words_needles(["Zyxquorvath"])) == []
    assert len(list_copies(folder)) == 1


def test_character_that_could_not_be_destroyed_stays_in_the_copies(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed.memory.remember(MIRA, "monday", said("Zyxquorvath"))
    installed.live.copies.run_due()

    def refuse(*_: object, **__: object) -> Path:
        raise StorageFailed("no room for its backup")

    monkeypatch.setattr(names, "make_safety_backup", refuse)
    with pytest.raises(StorageFailed):
        installed.live.destroy(MIRA)
    installed.live.copies.run_due()
    assert leaks(installed.host.backup_folder(), words_needles(["Zyxquorvath"])) != []


def test_failure_is_logged_once_and_shown_in_the_tab_until_it_is_over(
    installed: Installed, caplog: pytest.LogCaptureFixture
) -> None:
    folder = installed.host.backup_folder()
    folder.write_text("in the way")
    installed.memory.remember(MIRA, "monday", DOG)
    for _ in range(3):
        installed.live.copies.run_due()
    told = [message for message in caplog.messages if str(folder) in message]
    assert told == [
        problem for problem in installed.hooks.runtime.problems() if str(folder) in problem
    ]
    assert len(told) == 1
    folder.unlink()
    installed.hooks.runtime.save_settings({"rolling_backup.keep": 2})
    installed.live.copies.run_due()
    assert installed.hooks.runtime.problems() == []


def test_start_makes_no_copy_before_the_storage_is_opened_unless_its_format_changes(
    installed: Installed,
) -> None:
    installed.memory.remember(MIRA, "monday", DOG)
    home = Installation(folder=installed.home)
    assert back_up_before_update(home, installed.host) == []
    assert list_copies(installed.host.backup_folder()) == []


@pytest.mark.parametrize("above", ["user_data/extensions", "extensions"])
def test_folder_of_copies_depends_on_the_extensions_folder(tmp_path: Path, above: str) -> None:
    (tmp_path / "user_data").mkdir()
    home = Installation(folder=tmp_path / above / "long_term_memory")
    assert home.host_data == tmp_path / "user_data"
    assert Installation(folder=tmp_path / "clone").host_data is None


def test_command_line_purges_the_copies_and_the_doctor_names_one_worth_restoring(
    installed: Installed, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_core.ui.cli import common

    monkeypatch.setattr(common, "EXTENSION_FOLDER", installed.home)
    told = installed.memory.remember(MIRA, "monday", said("Zyxquorvath"))
    installed.live.copies.run_due()
    installed.memory.forget(MIRA, [told])
    installed.memory.erase_all_forgotten(MIRA)
    assert main(["purge-backups"]) == 0
    folder = installed.host.backup_folder()
    assert leaks(folder, words_needles(["Zyxquorvath"])) == []
    installed.memory.remember(MIRA, "monday", DOG)
    installed.reinstall()
    capsys.readouterr()
    assert main(["doctor"]) == 0
    path = list_copies(folder)[0].path
    assert f"python -m memory_core restore --merge {path}" in capsys.readouterr().out
    assert main(["restore", "--merge", str(path)]) == 0
    assert backup_offer.offer_texts(installed.live, EN) == []
