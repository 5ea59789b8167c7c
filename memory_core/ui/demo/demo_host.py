"""The demo's stand-in for text-generation-webui: its dicts and files, without its page."""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...domain.errors import HostError
from ...domain.namespaces import encode
from ...host.chat.host_protocol import State
from .prompt import Message, messages

_MAX_PROMPTS = 32


class DemoHost:
    """A Host (see host_protocol.py) that keeps its chats below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._generating = 0
        self._prompts: OrderedDict[str, list[Message]] = OrderedDict()
        self._page: Mapping[str, Any] = {}
        self.open_chat_field = ""  # of the page, for the tab's buttons that open a chat

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        """Returns a ChatML prompt and keeps its messages for messages_of()."""
        found = messages(user_input, state, history, continuing)
        prompt = _render(found, continuing)
        with self._lock:
            self._prompts[prompt] = found
            self._prompts.move_to_end(prompt)
            while len(self._prompts) > _MAX_PROMPTS:
                self._prompts.popitem(last=False)
        return prompt

    def messages_of(self, prompt: str) -> list[Message]:
        """Returns the messages of a recent prompt. Raises HostError if it is not known."""
        with self._lock:
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

    def count_tokens(self, text: str) -> int | None:
        return None

    def is_generating(self) -> bool:
        return self._generating > 0

    def is_multi_user(self) -> bool:
        return False

    def signed_in(self) -> str | None:
        return None

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

    def user_profile(self) -> str:
        return ""


def _render(found: Sequence[Message], continuing: bool) -> str:
    turns = [
        f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n" for message in found
    ]
    if continuing and turns:
        return "".join(turns).removesuffix("<|im_end|>\n")
    return "".join([*turns, "<|im_start|>assistant\n"])
