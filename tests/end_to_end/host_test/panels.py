"""One pass through each panel of the tab, whose effects are checked in the files."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from . import memory_files, talk
from .handles import Handles
from .page import ChatPage
from .report import Report
from .running import Running, until
from .settling import remembered
from .tab import Tab

SOON_S = 8.0
DELETED_S = 40.0  # a file has to be missing twice, and chats are looked for every few seconds
OLD, NEW, OTHER = "Wanda", "Wanda the Great", "Assistant"
USER = "Default"  # the profile that the host has chosen
MODE = "chat"


@dataclass(slots=True)
class Panels:
    host: Running
    browser: Browser
    notes: Iterator[int]

    def run(self, report: Report) -> None:
        cases: dict[str, Callable[[ChatPage, Tab], None]] = {
            "Past chats: look, then import": self.past_chats,
            "Names: rename a character, put two together, drop the other name": self.names,
            "Notes: kept, and in the prompt": self.note,
            "Pause: writing of one chat, then recall": self.pauses,
            "Deleted chats: forget all that they left": self.deleted,
            "Health: the state and a self-test": self.health,
        }
        for title, case in cases.items():
            with report.case(title, self.host.sandbox.route, "page, tab"):
                page = ChatPage(self.browser, self.host.page_url)
                page.choose_mode(MODE)
                case(page, Tab(page))
                assert not page.faults, page.faults
                page.close()

    def past_chats(self, page: ChatPage, tab: Tab) -> None:
        """Writes chats with a character from before the extension was installed."""
        path, told = self._past_chat()
        tab.open("Past chats")
        tab.press("ltm-import-look")
        tab.says("ltm-import-told", "Writing takes about")
        assert not memory_files.times_added(self._storage, told), "looking has written"
        tab.press("ltm-import")
        tab.says("ltm-import-told", "Done in")
        assert memory_files.times_added(self._storage, told) == 1
        assert len(remembered(self.host.sandbox, path.stem)) == 2
        tab.press("ltm-import")
        tab.says("ltm-import-told", "0 exchanges added")

    def names(self, page: ChatPage, tab: Tab) -> None:
        """Renames the imported character, merges it with another and drops the alias."""
        self._say(page)
        tab.open("Names and notes")
        tab.whose(f"{USER} / {OLD}")
        tab.fill("ltm-rename-name", NEW)
        tab.press("ltm-rename")
        tab.says("ltm-names-told", f"{OLD} is called {NEW} now")
        tab.whose(f"{USER} / {NEW}")
        tab.choose("ltm-merge-other", f"{USER} / {OTHER}")
        tab.press("ltm-merge")
        tab.says("ltm-merge-question", "All 2 memories")
        tab.press("ltm-merge-sure")
        tab.says("ltm-names-told", "2 memories moved")
        tab.says("ltm-names-told", ".zip")
        alias = f"{USER} / {NEW} → {USER} / {OTHER}"
        tab.says("ltm-aliases", alias)
        tab.choose("ltm-alias", alias)
        tab.press("ltm-alias-drop")
        tab.says("ltm-names-told", "is a name of its own again")

    def note(self, page: ChatPage, tab: Tab) -> None:
        known = f"The lighthouse keeper has {next(self.notes)} steps to climb."
        tab.open("Names and notes")
        tab.fill("ltm-note-text", known)
        tab.tick("ltm-note-reach", "all my characters")
        tab.press("ltm-note")
        tab.says("ltm-names-told", f"Saved for {USER} / all characters")
        tab.leave()
        page.new_chat()
        self._say(page)
        assert known in self.host.sandbox.prompts()[-1], "the note is not in the prompt"

    def pauses(self, page: ChatPage, tab: Tab) -> None:
        page.new_chat()
        self._remembered(self._say(page))
        tab.open("Pause")
        tab.tick("ltm-pause-writing")
        tab.says("ltm-switched", "Done")
        tab.says("ltm-facts", "writing in this chat")
        tab.leave()
        withheld = self._say(page)
        tab.open("Pause")
        tab.tick("ltm-pause-recall")
        tab.says("ltm-facts", "recall in this chat")
        tab.press("ltm-resume-all")
        until(lambda: "in this chat" not in tab.text("ltm-facts"), within_s=SOON_S, what="resumed")
        tab.leave()
        self._remembered(self._say(page))
        assert not self._times(withheld), "what was said in the pause is written"

    def deleted(self, page: ChatPage, tab: Tab) -> None:
        page.new_chat()
        said = self._say(page)
        self._remembered(said)
        tab.open("Deleted chats")
        before = tab.text("ltm-deleted-chats")
        tab.leave()
        Handles(page).delete_chat()
        page.new_chat()
        self._remembered(self._say(page))
        tab.open("Deleted chats")

        def is_offered() -> bool:
            tab.refresh()
            told = tab.text("ltm-deleted-chats")
            return tab.shows("ltm-forget-deleted") and told != before

        until(is_offered, within_s=DELETED_S, what="the tab tells of deleted chats")
        tab.press("ltm-forget-deleted")
        tab.press("ltm-forget-deleted-sure")
        tab.says("ltm-deleted-forgotten", "memories forgotten")
        tab.says("ltm-deleted-chats", "Nothing is remembered")
        assert self._is_forgotten(said), "it is not forgotten"

    def health(self, page: ChatPage, tab: Tab) -> None:
        """Checks the health panel. The embedder may lack its model."""
        tab.open("Health")
        tab.says("ltm-health", "chat.generate_chat_prompt")
        tab.says("ltm-health", "Not found in the host")  # rows are drawn one after the other
        lacks = tab.text("ltm-health").split("Not found in the host")[1].split("\n")
        assert "none" in [lack.strip() for lack in lacks][:3], f"this host lacks {lacks}"
        assert "this host" not in tab.text("ltm-banner"), tab.text("ltm-banner")
        tab.press("ltm-selftest")
        tab.says("ltm-selftested", "clean up")  # the last step
        steps = tab.text("ltm-selftested").splitlines()[1:]
        faults = [step for step in steps if " · " in step and not step.startswith("embed")]
        assert not faults, faults

    # how it is done and looked at

    @property
    def _storage(self) -> Path:
        return self.host.sandbox.storage

    def _say(self, page: ChatPage) -> str:
        number = next(self.notes)
        message = talk.note(talk.other_talk(number), number)
        page.say(message, answer=talk.answer(number))
        return message

    def _remembered(self, message: str) -> None:
        until(lambda: self._times(message), within_s=SOON_S, what=f"{message!r} is remembered")

    def _times(self, message: str) -> int:
        return memory_files.times_added(self._storage, message)

    def _is_forgotten(self, message: str) -> bool:
        return memory_files.is_forgotten(self._storage, message)

    def _past_chat(self) -> tuple[Path, str]:
        """Saves a chat of a year ago in the host's format."""
        numbers = [next(self.notes), next(self.notes)]
        pairs = [
            [talk.note(talk.other_talk(number), number), talk.answer(number)] for number in numbers
        ]
        stamp = {"timestamp": "Nov 03, 2025 21:15"}
        metadata = {f"{side}_{at}": stamp for side in ("user", "assistant") for at in (0, 1)}
        history = {"internal": pairs, "visible": pairs, "metadata": metadata}
        path = self.host.sandbox.user_data / "logs" / "chat" / OLD / "20251103-21-15-00.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(history, indent=4), encoding="utf-8")
        return path, str(pairs[0][0])
