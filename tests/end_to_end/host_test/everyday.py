"""Everyday use of the tab: the last answer's cards, search, backup, plain settings, language."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from playwright.sync_api import Browser, Locator

from . import memory_files
from .handles import Handles
from .page import ChatPage
from .panels import LAST_ANSWER, MEMORIES, SETTINGS, SOON_S, TRANSFER, Case, Person, run_cases
from .report import Report
from .running import Running, until
from .tab import Tab

TOLD = "The harbour master's parrot is called Bartholomew, and it whistles at ferries."
ASKED = "What is the parrot of the harbour master called?"
BIRD, RENAMED = "Bartholomew", "Balthazar"
# Gradio 4.37 shows no progress of any upload: it calls its own client's method without the client.
UPLOAD_FAULT = "abort_controller"
CHARACTERS = ("Example", "Assistant")


class Everyday:
    """Cases that follow each other: the fact told in the first is asked for in the others."""

    def __init__(self, host: Running, browser: Browser, notes: Iterator[int]) -> None:
        self._host = host
        self._browser = browser
        self._person = Person(host, notes)
        self._pictures = count(1)

    def run(self, report: Report) -> None:
        cases: dict[str, Case] = {
            "The head follows the open chat": self.head,
            "Last answer: edit, leave out and forget a memory, each with its undo": self.cards,
            "Memories: search, edit, forget, undo": self.memories,
            "One click makes a backup, which says what it would restore": self.backup,
            "Plain settings apply at once and can be undone": self.plain,
            "The language is remembered": self.language,
        }
        run_cases(cases, self._host, self._browser, report)

    def head(self, page: ChatPage, tab: Tab) -> None:
        """The tab shows the memories of the open chat's character, before anything is sent."""
        for name in CHARACTERS:
            Handles(page).choose_character(name)
            page.new_chat()
            self._person.await_remembered(self._person.say(page))
        for name in CHARACTERS:
            Handles(page).choose_character(name)
            tab.open(LAST_ANSWER)
            tab.says("ltm-who", name)
            assert not tab.names_beyond_the_menu(), tab.names_beyond_the_menu()
            tab.leave()

    def cards(self, page: ChatPage, tab: Tab) -> None:
        """The effect of a card's button is seen in the next prompts."""
        self._tell(page)
        page.new_chat()
        assert BIRD in self._ask(page), "it is not recalled"
        tab.open(LAST_ANSWER)
        tab.says("ltm-last-answer", BIRD)
        self._picture(tab, "now")
        tab.press_named(self._card(tab, BIRD), "Pin")
        tab.says("ltm-last-answer", "Pinned.")
        tab.press_named(self._card(tab, BIRD), "Unpin")
        tab.says("ltm-last-answer", "No longer pinned.")
        self._edits_a_card(page, tab)
        self._leaves_a_card_out(page, tab)
        self._forgets_a_card(page, tab)

    def _edits_a_card(self, page: ChatPage, tab: Tab) -> None:
        self._rewrite(tab, BIRD, RENAMED)
        tab.press_named(self._card(tab, RENAMED), "Undo")
        tab.says("ltm-last-answer", "The change is undone")
        self._rewrite(tab, BIRD, RENAMED)
        assert RENAMED in self._ask_elsewhere(page, tab), "the edit is not in the prompt"
        tab.open(LAST_ANSWER)
        self._rewrite(tab, RENAMED, BIRD)

    def _rewrite(self, tab: Tab, old: str, new: str) -> None:
        card = self._card(tab, old)
        card.locator("summary", has_text="Edit").click()
        card.locator("textarea[name=user]").fill(TOLD.replace(BIRD, new))
        tab.press_named(card, "Save changes")
        tab.says("ltm-last-answer", new)

    def _leaves_a_card_out(self, page: ChatPage, tab: Tab) -> None:
        tab.press_named(self._card(tab, BIRD), "Don't use in this chat")
        tab.says("ltm-last-answer", "Not used in this chat any more")
        tab.leave()
        assert BIRD not in self._ask(page), "it was to be left out of this chat"
        assert BIRD in self._ask_elsewhere(page, tab), "it was to be left out of one chat only"

    def _forgets_a_card(self, page: ChatPage, tab: Tab) -> None:
        tab.open(LAST_ANSWER)
        tab.press_named(self._card(tab, BIRD), "Forget")
        tab.says("ltm-last-answer", "Forgotten.")
        assert memory_files.is_forgotten(self._person.storage, TOLD), "no tombstone is written"
        self._picture(tab, "now-forgotten")
        tab.press_named(self._card(tab, "Forgotten."), "Undo")
        tab.says("ltm-last-answer", BIRD)
        assert BIRD in self._ask_elsewhere(page, tab), "the undo did not bring it back"

    def memories(self, page: ChatPage, tab: Tab) -> None:
        tab.open(MEMORIES)
        self._picture(tab, "memories")
        tab.fill("ltm-search", "harbour ferries whistles")
        tab.says("ltm-memories", BIRD)
        until(
            lambda: self._paragraph_display(tab) == "block",  # empty while the list is redrawn
            within_s=SOON_S,
            what="each paragraph has a line of its own, despite the host's style",
        )
        tab.press_named(self._listed(tab), "Pin")
        tab.says("ltm-browser", "1 memory pinned")
        tab.press_named(self._listed(tab), "Unpin")
        tab.press_named(self._listed(tab), "Edit")
        tab.at("ltm-memories").locator("textarea[name=user]").fill(TOLD.replace(BIRD, RENAMED))
        tab.press_named(tab.at("ltm-memories"), "Save changes")
        tab.says("ltm-browser", "Changed.")
        tab.press_named(self._listed(tab), "Forget")
        tab.says("ltm-browser", "1 memory forgotten")
        self._picture(tab, "memories-forgotten")
        tab.press_named(tab.at("ltm-browser"), "Undo")
        tab.says("ltm-browser", "Undone.")
        tab.says("ltm-memories", RENAMED)
        assert RENAMED in self._ask_elsewhere(page, tab)

    def backup(self, page: ChatPage, tab: Tab) -> None:
        tab.open(TRANSFER)
        self._picture(tab, "transfer")
        path = tab.download("ltm-backup-all", self._host.sandbox.folder / "everything.zip")
        tab.says("ltm-exported", "The file holds")
        tab.drop("ltm-drop", path)
        tab.says("ltm-intake", "Everything in it is here already")
        self._picture(tab, "transfer-backup")
        tab.press_named(tab.at("ltm-intake"), "Not now")
        page.faults[:] = [fault for fault in page.faults if UPLOAD_FAULT not in fault]

    def plain(self, page: ChatPage, tab: Tab) -> None:
        tab.open(SETTINGS)
        self._picture(tab, "settings")
        tab.tick("ltm-plain-amount", "Much")
        tab.says("ltm-plain-saved-recalled", "Saved.")
        assert self._saved()["recall"]["lines"] == 12
        tab.press_named(tab.at("ltm-plain-saved-recalled"), "Undo")
        tab.says("ltm-plain-saved-recalled", "as it was before")
        tab.tick("ltm-plain-recall", "Off")
        tab.says("ltm-plain-saved-recalled", "Saved.")
        assert RENAMED not in self._ask_elsewhere(page, tab), "recall is off"
        tab.open(SETTINGS)
        tab.tick("ltm-plain-recall", "On")
        tab.says("ltm-plain-saved-recalled", "Saved.")
        assert RENAMED in self._ask_elsewhere(page, tab), "recall is on again"

    def language(self, page: ChatPage, tab: Tab) -> None:
        tab.open(LAST_ANSWER)
        tab.choose("ltm-language", "中文")
        until(lambda: tab.has_room("记忆"), within_s=SOON_S, what="the tab is Chinese")
        tab.reload()
        until(lambda: tab.has_room("记忆"), within_s=SOON_S, what="the tab is still Chinese")
        self._picture(tab, "chinese")
        tab.open("设置与状态")
        tab.choose("ltm-language", "English")
        until(lambda: tab.is_open(SETTINGS), within_s=SOON_S, what="the same room is English")

    def _tell(self, page: ChatPage) -> None:
        page.new_chat()
        self._person.await_remembered(self._person.say(page, TOLD))

    def _ask(self, page: ChatPage) -> str:
        return self._person.prompt_for(page, ASKED)

    def _ask_elsewhere(self, page: ChatPage, tab: Tab) -> str:
        tab.leave()
        page.new_chat()
        return self._ask(page)

    def _card(self, tab: Tab, text: str) -> Locator:
        return tab.at("ltm-last-answer").locator(".ltm-cards > li").filter(has_text=text).first

    def _listed(self, tab: Tab) -> Locator:
        return tab.at("ltm-memories").locator("> ol > .ltm-memory").first

    def _paragraph_display(self, tab: Tab) -> str:
        source = self._listed(tab).locator("p").last
        return str(source.evaluate("one => getComputedStyle(one).display"))

    def _saved(self) -> dict[str, Any]:
        path = self._host.sandbox.extension / "ltm_config.json"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def _picture(self, tab: Tab, name: str) -> None:
        number = next(self._pictures)
        tab.picture(self._host.sandbox.folder / f"tab-{number:02}-{name}.png")
