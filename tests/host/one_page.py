"""A page with one chat, and an API client, for tests of stored memories."""

import json

from memory_core.domain.namespaces import Namespace
from memory_core.storage.contract import Page
from tests.host.plain_host import PlainHost, api_state, history_of, hooks_in, page_state

MIRA = Namespace("default", "Mira")
API_MIRA = Namespace("api:ana", "Mira")
CHAT = "20261121-10-00-00"
SECRET = "My xylophone has a hidden drawer"
WORD = "xylophone"


class OnePage:
    """A page with one chat, its file and its memories."""

    def __init__(self, folder, settings=None):
        self.host = PlainHost(folder)
        self.folder = folder
        self.settings = {"ltm_context": {"summary_sessions": 0}} | (settings or {})
        self.rows = []
        self.stamp = "Nov 20, 2026 10:00"
        self.open()

    def open(self):
        self.hooks = hooks_in(self.folder / "home", self.host, self.settings)
        self.runtime = self.hooks.runtime
        self.memory = self.runtime.memory

    def restart(self):
        self.runtime.close()
        self.open()

    def ask(self, text, chat=CHAT, **kwargs):
        """Returns the prompt for this message."""
        history = history_of(*self.rows, stamp=self.stamp)
        state = page_state(unique_id=chat, history=history)
        return self.hooks.custom_generate_chat_prompt(text, state, history=history, **kwargs)

    def say(self, text, answer="I see.", chat=CHAT):
        """Runs a whole turn, until the saved file is stored; returns the prompt."""
        prompt = self.ask(text, chat)
        self.rows.append((text, answer))
        self.save(chat)
        return prompt

    def save(self, chat=CHAT):
        path = self.folder / f"{chat}.json"
        path.write_text(json.dumps(history_of(*self.rows)), encoding="utf-8")
        self.runtime.run_pending()
        self.hooks.synchronizer.sync_and_close()
        self.runtime.traces.save()  # as the writer does with each of its ticks

    def kept(self, namespace=MIRA):
        memories = self.memory.latest(namespace, Page(limit=99))
        return sorted(
            memory.exchange.user if memory.exchange else f"note: {memory.text}"
            for memory in memories
        )

    def on_disk(self):
        root = self.memory.root
        return b"".join(file.read_bytes() for file in root.rglob("*") if file.is_file())


class Client:
    """An API client that sends the whole chat with each message."""

    def __init__(self, page, user="ana"):
        self.page = page
        self.user = user
        self.rows = []

    def say(self, text, answer="I see.", *, run=True):
        history = history_of(*self.rows)
        del history["metadata"]
        state = api_state(history=history, user=self.user)
        hooks = self.page.hooks
        prompt = hooks.custom_generate_chat_prompt(text, state, history=history)
        hooks.output_modifier(answer, state, is_chat=True)
        if run:
            self.page.runtime.run_pending()
        self.rows.append((text, answer))
        return prompt
