"""Folders of the host's chats, from their user data and back."""

from pathlib import Path

from memory_core.host.chat.chat_file import folder_of, user_data_of
from tests.cases import for_each


@for_each("character", ["Mira", "logs", None])
def test_user_data_is_found_again_from_a_chat_folder(character: str | None) -> None:
    user_data = Path("/textgen/user_data")
    found = folder_of(user_data, character)
    assert found is not None
    assert user_data_of(found.path) == user_data


@for_each("folder", ["/", "/chats", "/logs/instruct", "chats", "."])
def test_user_data_of_a_folder_near_the_root_raises_nothing(folder: str) -> None:
    assert user_data_of(Path(folder)) in (Path("/"), Path("."))
