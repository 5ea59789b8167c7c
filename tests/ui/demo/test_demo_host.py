"""The demo in the place of the host."""

from pathlib import Path

from memory_core.host.chat.turn_request import identify_chat
from memory_core.ui.demo.demo_host import DemoHost


def test_chat_before_its_first_message_has_neither_name_nor_file(tmp_path: Path) -> None:
    state = {"user_menu": "Alex", "character_menu": "Mira", "unique_id": None, "mode": "chat"}
    chat = identify_chat(state, DemoHost(tmp_path), api_default_user="")
    assert chat.conversation == ""
    assert chat.chat_file is None
