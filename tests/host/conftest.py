"""Fixtures for the tests of the host's hooks."""

import pytest

from tests.host import plain_host
from tests.host.saved_chats import SavedChats


@pytest.fixture
def chats(tmp_path):
    return SavedChats(tmp_path)


@pytest.fixture
def forgetting(tmp_path):
    return SavedChats(tmp_path, on_chat_deleted="forget")


@pytest.fixture(autouse=True)
def _closed():
    """Closes every memory that a test opened."""
    yield
    while plain_host.opened:
        plain_host.opened.pop().close()
