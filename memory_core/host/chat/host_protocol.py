"""The hooks' interface to their host: text-generation-webui or the demo."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

State = Mapping[str, Any]


class Host(Protocol):
    """The program that runs the hooks. All methods are thread-safe.

    A host that overrides only build_prompt() has one user, and neither saves chats nor has a model.
    """

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        """Builds the prompt by other extensions' builders or the host's own; may raise."""
        ...

    def count_tokens(self, text: str) -> int | None:
        """Counts tokens by the loaded model's tokenizer; returns None without one."""
        return None

    def is_generating(self) -> bool:
        return False

    def is_multi_user(self) -> bool:
        return False

    def signed_in(self) -> str | None:
        """Returns the Gradio user of the current request, or None without sign-in."""
        return None

    def chat_file(self, state: State) -> Path | None:
        """Returns the file of this chat, or None if the host does not save it."""
        return None

    def user_data_folder(self) -> Path | None:
        """Returns the folder of the user's data and chats, or None without one."""
        return None

    def user_profile(self) -> str:
        """Returns the selected user profile, or "" without one."""
        return ""
