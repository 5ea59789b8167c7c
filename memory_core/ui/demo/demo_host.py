"""The demo's stand-in for text-generation-webui: the same dicts and files, without its page."""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...domain.errors import HostError
from ...domain.namespaces import encode
from ...host.chat.host_protocol import State
from .prompt import Message, messages

_MAX_PROMPTS = 32


class DemoHost:
    """A Host (see host.py) that keeps its chats below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._generating = 0
        self._prompts: OrderedDict[str, list[Message]] = OrderedDict()

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        """ChatML. The messages behind it are kept for messages_of()."""
        found = messages(user_input, state, history, continuing)
        prompt = _render(found, continuing)
        with self._lock:
            self._prompts[prompt] = found
            self._prompts.move_to_end(prompt)
            while len(self._prompts) > _MAX_PROMPTS:
                self._prompts.popitem(last=False)
        return prompt

    def messages_of(self, prompt: str) -> list[Message]:
        """What a prompt built not long ago says, as chat messages."""
        with self._lock:
            found = self._prompts.get(prompt)
        if found is None:
            raise HostError("this prompt was not built here, or too long ago")
        return found

    @contextmanager
    def generating(self) -> Iterator[None]:
        """Around whatever makes an answer."""
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
        """The folder of a user's chats with a character."""
        return self._folder / "logs" / encode(user) / "chat" / encode(character)

    def chat_path(self, user: str, character: str, unique_id: str) -> Path:
        return self.chats(user, character) / f"{encode(unique_id)}.json"

    def chat_file(self, state: State) -> Path | None:
        return self.chat_path(state["user_menu"], state["character_menu"], state["unique_id"])

    def user_data_folder(self) -> Path | None:
        """Past chats of text-generation-webui may be laid here; the demo's own are remembered."""
        return self._folder

    def user_profile(self) -> str:
        return ""


def _render(found: Sequence[Message], continuing: bool) -> str:
    turns = [f"<|im_start|>{it['role']}\n{it['content']}<|im_end|>\n" for it in found]
    if continuing and turns:
        return "".join(turns).removesuffix("<|im_end|>\n")
    return "".join([*turns, "<|im_start|>assistant\n"])
