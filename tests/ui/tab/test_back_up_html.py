"""The automatic copies in the tab: their state, and a look into one of them."""

from pathlib import Path

from memory_core.admin.administration import Administration
from memory_core.admin.backup.copy_folder import list_copies
from memory_core.admin.intake import IntakePhase
from memory_core.domain.namespaces import Namespace
from memory_core.text.locales import LANGUAGES, tab_words
from memory_core.ui.tab.transfer.back_up import copies_html
from memory_core.ui.tab.transfer.import_panel import host_html
from tests.builders import said
from tests.cases import for_each
from tests.host.plain_host import PlainHost, hooks_in

EN = tab_words("en")
MIRA = Namespace("default", "Mira")


class HostWithBackups(PlainHost):
    def backup_folder(self) -> Path:
        return self.folder / "long_term_memory_backups"


class SharedHost(HostWithBackups):
    def is_multi_user(self) -> bool:
        return True


def installed(tmp_path: Path, host: type[PlainHost]) -> Administration:
    (tmp_path / "user_data").mkdir()
    return Administration(hooks_in(tmp_path / "home", host(tmp_path / "user_data")))


def test_copies_are_listed_and_one_can_be_looked_into(tmp_path: Path) -> None:
    live = installed(tmp_path, HostWithBackups)
    runtime = live.hooks.runtime
    assert "will be made automatically" in copies_html(live, EN)
    runtime.memory.remember(MIRA, "monday", said("My dog is called Bruno"))
    live.copies.run_due()
    [copy] = list_copies(tmp_path / "user_data" / "long_term_memory_backups")
    text = copies_html(live, EN)
    assert "The latest is from" in text
    assert f'data-copy="{copy.path.name}"' in text
    assert live.intake.begin_reading_backup(copy.path, user="default")
    assert runtime._background
    runtime._background.join(30.0)
    assert live.intake.status.phase is IntakePhase.BACKUP_FOUND
    live.intake.dismiss()
    assert copy.path.exists()
    runtime.close()


def test_shared_page_shows_no_copies(tmp_path: Path) -> None:
    live = installed(tmp_path, SharedHost)
    assert copies_html(live, EN) == ""
    live.hooks.runtime.close()


@for_each("language", LANGUAGES.values())
def test_past_chats_are_one_button_away(language: str) -> None:
    assert host_html(tab_words(language)).count("data-ltm=") == 1
