"""Chat files as the host saves them, a synchronizer that watches them, and manual clocks."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory_core.domain.namespaces import Namespace
from memory_core.host.chat.exchanges import Speakers
from memory_core.host.chat.turn_request import ChatRef
from memory_core.host.chat_sync import scanner, synchronizer
from memory_core.host.chat_sync.synchronizer import ChatSynchronizer
from memory_core.memory.runtime import Runtime
from tests.host.plain_host import PlainHost, history_of, hooks_in

MIRA = Namespace("default", "Mira")
BEES, SHEEP, CAT = ("I keep bees", "Lovely"), ("I keep sheep", "Many?"), ("My cat is Tom", "Aw")
START = 1_790_000_000.0
CAST = Speakers(user_name="Ana", assistant_name="Mira", channel="chat")


class LoggingHost(PlainHost):
    """Saves chats in the folders of the real host."""

    def chat_file(self, state: Mapping[str, Any]) -> Path | None:
        unique_id = state.get("unique_id", "")
        if unique_id == "" or self.multi_user:
            return None
        if state.get("mode") == "instruct":
            return self.folder / "logs" / "instruct" / f"{unique_id}.json"
        return self.folder / "logs" / "chat" / state["character_menu"] / f"{unique_id}.json"


class SavedChats:
    def __init__(self, tmp_path: Path, **writes: Any) -> None:
        self.home = tmp_path / "home"
        self.data = tmp_path / "user_data"
        self.settings = {"ltm_writes": writes}
        self.now = START
        self.host = LoggingHost(self.data)
        self.begin()

    def begin(self) -> None:
        self.hooks = hooks_in(self.home, self.host, self.settings)
        self.runtime: Runtime = self.hooks.runtime
        self.settler = ChatSynchronizer(
            self.runtime, self.host, clock=lambda: self.now, time_of_day=lambda: self.now
        )

    def restart(self) -> None:
        self.settler.sync_and_close()
        self.runtime.close()
        self.begin()

    def crash(self) -> None:
        """Stops without finishing jobs: only acknowledged writes survive."""
        self.runtime.memory.close()
        self.begin()

    def path(self, name: str, character: str = "Mira") -> Path:
        """Returns the path of a chat; without a character, of instruct mode."""
        folder = Path("chat", character) if character else Path("instruct")
        return self.data / "logs" / folder / f"{name}.json"

    def save(
        self,
        name: str,
        *rows: tuple[str, str],
        character: str = "Mira",
        stamp: str = "Nov 20, 2026 10:00",
    ) -> Path:
        """Writes the chat file; every save has a new stamp."""
        path = self.path(name, character)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(history_of(*rows, stamp=stamp)), encoding="utf-8")
        self.now += 0.01
        os.utime(path, (self.now, self.now))
        return path

    def talk(self, name: str, *rows: tuple[str, str], namespace: Namespace = MIRA) -> None:
        """Saves a chat on the page, whose prompt hook has seen it, and stores its memories."""
        self.save(name, *rows, character=namespace.character)
        self.look_after(name, namespace)
        self.settle()

    def talk_for_a_moment(self, name: str, *rows: tuple[str, str]) -> None:
        """Saves a chat and stores its memories, without time for a second scan."""
        self.save(name, *rows)
        self.look_after(name)
        self.settler.poll()
        self.now += synchronizer.QUIET_S
        self.settler.poll()

    def look_after(self, name: str, namespace: Namespace = MIRA) -> None:
        chat = ChatRef(namespace=namespace, conversation=name, speakers=CAST)
        self.settler.watch(self.path(name, namespace.character), chat)

    def settle(self) -> None:
        """Lets time pass, with the scans and polls that happen in it."""
        for _ in range(4):
            self.settler.scan_now()
            self.settler.poll()
            self.now += max(
                synchronizer.QUIET_S, synchronizer.UNANSWERED_AFTER_S, scanner.DELETED_AFTER_S
            )
            self.settler.poll()

    def stored(self, name: str, namespace: Namespace = MIRA) -> list[tuple[str, str]]:
        memories = self.runtime.memory.conversation(namespace, name, 100)
        return [
            (memory.exchange.user, memory.exchange.assistant)
            for memory in memories
            if memory.exchange
        ]

    def live(self, namespace: Namespace = MIRA) -> int:
        return self.runtime.memory.counts(namespace)["live"]
