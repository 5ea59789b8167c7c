"""The demo's stand-in for text-generation-webui: its dicts and files, without its page."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...domain.errors import HostError
from ...domain.namespaces import encode
from ...host.chat.host_protocol import Host, State
from ...infra.lru_cache import LRUCache
from ...text.cleaning import GREETING_MARK

Message = dict[str, str]
_MAX_PROMPTS = 32


class DemoHost(Host):
    """Keeps its chats below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._generating = 0
        self._prompts: LRUCache[str, list[Message]] = LRUCache(_MAX_PROMPTS)
        self._page: Mapping[str, Any] = {}
        self.open_chat_field = ""  # of the page, for the tab's buttons that open a chat

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        """Returns a ChatML prompt and keeps its messages for messages_of().

        No chat of the demo is ever `continuing` an answer.
        """
        found = messages(user_input, state, history)
        turns = (f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in found)
        prompt = "".join([*turns, "<|im_start|>assistant\n"])
        self._prompts.put(prompt, found)
        return prompt

    def messages_of(self, prompt: str) -> list[Message]:
        """Returns the messages of a recent prompt. Raises HostError if it is not known."""
        found = self._prompts.get(prompt)
        if found is None:
            raise HostError("the prompt is unknown: it was built elsewhere or too long ago")
        return found

    @contextmanager
    def generating(self) -> Iterator[None]:
        """Marks the host as generating while an answer is made."""
        with self._lock:
            self._generating += 1
        try:
            yield
        finally:
            with self._lock:
                self._generating -= 1

    def is_generating(self) -> bool:
        return self._generating > 0

    def chats(self, user: str, character: str) -> Path:
        """Returns the folder of a user's chats with a character."""
        return self._folder / "logs" / encode(user) / "chat" / encode(character)

    def chat_path(self, user: str, character: str, unique_id: str) -> Path:
        return self.chats(user, character) / f"{encode(unique_id)}.json"

    def chat_file(self, state: State) -> Path | None:
        """Returns None before the first message: a chat without a name has no file."""
        name = state["unique_id"]
        return self.chat_path(state["user_menu"], state["character_menu"], name) if name else None

    def user_data_folder(self) -> Path | None:
        """Returns the folder in which the import looks for chats of text-generation-webui."""
        return self._folder

    def show_page(self, components: Mapping[str, Any]) -> None:
        """Takes the page's components that identify the open chat, by the names of the state."""
        self._page = components

    def page_components(self) -> Mapping[str, Any]:
        return self._page


def messages(
    user_input: str, state: Mapping[str, Any], history: Mapping[str, Any]
) -> list[Message]:
    """Returns the character's context, the rows of `history`, and `user_input` as messages.

    The chats of the demo have neither tools nor attachments.
    """
    context = str(state.get("context", ""))
    for macro, name in (("{{user}}", "name1"), ("{{char}}", "name2")):
        context = context.replace(macro, state[name])
    said = [("system", context)]
    for user, assistant, *_ in history["internal"]:
        said += [("user", "" if user == GREETING_MARK else user.strip())]
        said += [("assistant", assistant.strip())]
    said.append(("user", user_input.strip()))
    return [{"role": role, "content": text} for role, text in said if text.strip()]
