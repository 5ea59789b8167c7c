"""A host without a chat template: its prompt is the plain text of the planned messages."""

from pathlib import Path
from typing import Any

from ...host.chat.host_protocol import State


class PlainHost:
    """A Host (see host_protocol.py) that keeps nothing.

    The model server applies the real template, so this prompt only shows the planned messages.
    """

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        system = state.get("context") or state.get("custom_system_message") or ""
        cells = [str(cell) for row in history["internal"] for cell in row[:3]]
        return "\n".join([system, *cells, "" if continuing else user_input])

    def count_tokens(self, text: str) -> int | None:
        return None

    def is_generating(self) -> bool:
        return False

    def is_multi_user(self) -> bool:
        return False

    def signed_in(self) -> str | None:
        return None

    def chat_file(self, state: State) -> Path | None:
        return None

    def user_data_folder(self) -> Path | None:
        return None

    def user_profile(self) -> str:
        return ""
