"""Fixtures for the tests of the host's hooks."""

import pytest

from tests.host.saved_chats import SavedChats


@pytest.fixture
def chats(tmp_path):
    return SavedChats(tmp_path)


@pytest.fixture
def forgetting(tmp_path):
    return SavedChats(tmp_path, on_chat_deleted="forget")
