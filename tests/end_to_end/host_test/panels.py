"""One pass through the tab's folded panels and its imports, checked in the files."""

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
MODE = "chat"
LAST_ANSWER, MEMORIES = "Last answer", "Memories"
TRANSFER, SETTINGS = "Import and back up", "Settings and health"
Case = Callable[[ChatPage, Tab], None]


@dataclass(slots=True)
class Person:
    """Somebody at the host's page, whose memories lie in files."""

    host: Running
    notes: Iterator[int]

    @property
    def storage(self) -> Path:
        return self.host.sandbox.storage

    def say(self, page: ChatPage, text: str = "") -> str:
        """Sends a message and awaits its answer; returns the message as it was sent."""
        number = next(self.notes)
        message = talk.note(text or talk.other_talk(number), number)
        page.say(message, answer=talk.answer(number))
        return message

    def prompt_for(self, page: ChatPage, text: str) -> str:
        """Sends a message; returns the prompt that reached the model."""
        self.say(page, text)
        return self.host.sandbox.prompts()[-1]

    def await_remembered(self, message: str) -> None:
        until(lambda: self.times(message), within_s=SOON_S, what=f"{message!r} is remembered")

    def times(self, message: str) -> int:
        return memory_files.times_added(self.storage, message)


def run_cases(cases: dict[str, Case], host: Running, browser: Browser, report: Report) -> None:
    """Runs each case on a page of its own, which must have no faults."""
    for title, case in cases.items():
        with report.case(title, host.sandbox.route, "page, tab"):
            page = ChatPage(browser, host.page_url)
            page.choose_mode(MODE)
            try:
                case(page, Tab(page))
            except Exception:
                page.page.screenshot(path=host.sandbox.folder / f"{title[:20]}.png")
                raise
            assert not page.faults, page.faults
            page.close()


class Panels:
    def __init__(self, host: Running, browser: Browser, notes: Iterator[int]) -> None:
        self._host = host
        self._browser = browser
        self._notes = notes
        self._person = Person(host, notes)

    def run(self, report: Report) -> None:
        cases: dict[str, Case] = {
            "Open in chat: the host shows the chat of a memory": self.opens_a_chat,
            "Past chats: imported with one button, and once": self.past_chats,
            "Names: rename a character, put two together, drop the other name": self.names,
            "Notes: kept, and in the prompt": self.note,
            "Pause: writing of one chat, then recall": self.pauses,
            "Deleted chats: forget all that they left": self.deleted,
            "Health: the state and a self-test": self.health,
        }
        run_cases(cases, self._host, self._browser, report)

    def past_chats(self, page: ChatPage, tab: Tab) -> None:
        """Imports a chat with a character from before the extension was installed."""
        path, told = self._past_chat()
        tab.open(TRANSFER)
        tab.press_named(tab.at("ltm-host-chats"), "Import all past chats")
        tab.says("ltm-intake", "Undo this import")
        assert self._person.times(told) == 1
        assert len(remembered(self._host.sandbox, path.stem)) == 2
        tab.press_named(tab.at("ltm-intake"), "Done")
        tab.press_named(tab.at("ltm-host-chats"), "Import all past chats")
        tab.says("ltm-intake", "Nothing new")
        tab.press_named(tab.at("ltm-intake"), "Done")
        assert self._person.times(told) == 1

    def opens_a_chat(self, page: ChatPage, tab: Tab) -> None:
        """Finds a memory of an earlier chat, and presses the chat in the host's own list."""
        page.new_chat()
        earlier = self._person.say(page)
        self._person.await_remembered(earlier)
        page.new_chat()
        self._person.say(page)
        assert earlier not in page.talk()
        tab.open(MEMORIES)
        tab.fill("ltm-search", earlier)
        card = tab.at("ltm-memories").locator(".ltm-memory").filter(has_text=earlier[:40])
        tab.press_named(card.first, "Open in chat")
        assert tab.at("chat-input").is_visible()
        until(lambda: earlier in page.talk(), within_s=SOON_S, what="the earlier chat is shown")
        tab.open(MEMORIES)
        tab.fill("ltm-search", "")

    def names(self, page: ChatPage, tab: Tab) -> None:
        """Renames the imported character, merges it with another and drops the alias."""
        self._person.say(page)
        tab.open(SETTINGS, "Rename or merge characters")
        tab.show_memories_of(OLD)
        tab.write("ltm-rename-name", NEW)
        tab.press("ltm-rename")
        tab.says("ltm-names-told", f"{OLD} is now called {NEW}")
        tab.show_memories_of(NEW)
        tab.choose_character("ltm-merge-other", OTHER)
        tab.press("ltm-merge")
        tab.says("ltm-merge-question", "2 memories of")
        tab.press("ltm-merge-sure")
        tab.says("ltm-names-told", "2 memories moved")
        tab.says("ltm-names-told", ".zip")
        tab.says("ltm-aliases", f"{NEW} → ")
        assert tab.owner().split(" / ")[-1] == OTHER, "the page does not follow the merge"
        aliases = tab.text("ltm-aliases").split(": ")[-1].strip().split("; ")
        tab.choose("ltm-alias", next(alias for alias in aliases if f"{NEW} → " in alias))
        tab.press("ltm-alias-drop")
        tab.says("ltm-names-told", "is a name of its own again")

    def note(self, page: ChatPage, tab: Tab) -> None:
        known = f"The lighthouse keeper has {next(self._notes)} steps to climb."
        tab.open(MEMORIES, "Write a note")
        tab.write("ltm-note-text", known)
        tab.tick("ltm-note-reach", "all my characters")
        tab.press("ltm-note")
        tab.says("ltm-note-told", "all characters.")
        tab.leave()
        page.new_chat()
        self._person.say(page)
        assert known in self._host.sandbox.prompts()[-1], "the note is not in the prompt"

    def pauses(self, page: ChatPage, tab: Tab) -> None:
        """Pauses by the button at the head, then part by part."""
        person = self._person
        page.new_chat()
        person.await_remembered(person.say(page))
        tab.open(LAST_ANSWER)
        tab.press("ltm-pause")
        tab.says("ltm-banner", "paused in this chat")
        tab.leave()
        withheld = person.say(page)
        tab.open(LAST_ANSWER)
        tab.press("ltm-pause")
        until(lambda: "paused" not in tab.text("ltm-banner"), within_s=SOON_S, what="resumed")
        tab.open(SETTINGS, "Pause")
        tab.tick("ltm-pause-writing")
        tab.says("ltm-switched", "Done")
        tab.says("ltm-banner", "you paused that")
        tab.press("ltm-resume-all")
        until(lambda: "paused" not in tab.text("ltm-banner"), within_s=SOON_S, what="resumed")
        tab.leave()
        person.await_remembered(person.say(page))
        assert not person.times(withheld), "what was said in the pause is written"

    def deleted(self, page: ChatPage, tab: Tab) -> None:
        person, fold = self._person, "Deleted chats"
        page.new_chat()
        said = person.say(page)
        person.await_remembered(said)
        tab.open(MEMORIES, fold)
        before = tab.text("ltm-deleted-chats")
        tab.leave()
        Handles(page).delete_chat()
        page.new_chat()
        person.await_remembered(person.say(page))
        tab.open(MEMORIES, fold)

        def is_offered() -> bool:
            tab.refresh()
            told = tab.text("ltm-deleted-chats")
            return tab.shows("ltm-forget-deleted") and told != before

        until(is_offered, within_s=DELETED_S, what="the tab tells of deleted chats")
        tab.press("ltm-forget-deleted")
        tab.press("ltm-forget-deleted-sure")
        tab.says("ltm-deleted-forgotten", "forgotten")
        tab.says("ltm-deleted-chats", "No memories are left of deleted chats")
        assert memory_files.is_forgotten(person.storage, said), "it is not forgotten"

    def health(self, page: ChatPage, tab: Tab) -> None:
        """Checks the health panel. The embedder may lack its model."""
        tab.open(SETTINGS, "Health in detail")
        tab.scroll_to("ltm-health")
        tab.says("ltm-health", "Automatic backups")  # the last row
        told = tab.text("ltm-health")
        assert "Not found in text-generation-webui" not in told, told
        assert "this host" not in tab.text("ltm-banner"), tab.text("ltm-banner")
        tab.press("ltm-selftest")
        tab.says("ltm-selftested", "clean up")  # the last step
        steps = tab.text("ltm-selftested").splitlines()[1:]
        of_model = "prepare the search by meaning"  # the model may be missing
        faults = [step for step in steps if " · " in step and not step.startswith(of_model)]
        assert not faults, faults

    def _past_chat(self) -> tuple[Path, str]:
        """Saves a chat of a year ago in the host's format."""
        numbers = [next(self._notes), next(self._notes)]
        pairs = [
            [talk.note(talk.other_talk(number), number), talk.answer(number)] for number in numbers
        ]
        stamp = {"timestamp": "Nov 03, 2025 21:15"}
        metadata = {f"{side}_{row}": stamp for side in ("user", "assistant") for row in (0, 1)}
        history = {"internal": pairs, "visible": pairs, "metadata": metadata}
        path = self._host.sandbox.user_data / "logs" / "chat" / OLD / "20251103-21-15-00.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(history, indent=4), encoding="utf-8")
        return path, str(pairs[0][0])
