"""What the hooks need of the program they are in; text-generation-webui and the demo offer it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

State = Mapping[str, Any]


class Host(Protocol):
    """All of it may be called from any thread."""

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        """The host's own prompt for this chat, after other extensions' builders; may raise."""
        ...

    def count_tokens(self, text: str) -> int | None:
        """By the loaded model's tokenizer; None where there is none."""
        ...

    def is_generating(self) -> bool: ...

    def is_multi_user(self) -> bool: ...

    def signed_in(self) -> str | None:
        """The Gradio user of the request being served, where people sign in."""
        ...

    def chat_file(self, state: State) -> Path | None:
        """Where the host saves this chat; None for chats that it does not save."""
        ...

    def user_data_folder(self) -> Path | None:
        """Where the host keeps all that its user made, chats too; None where it keeps none."""
        ...

    def user_profile(self) -> str:
        """The profile that the page's user has chosen; empty where there are none."""
        ...
