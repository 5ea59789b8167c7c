"""Fixtures of the entry points' tests."""

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
    """Every memory opened by a test is closed behind it."""
    yield
    while plain_host.opened:
        plain_host.opened.pop().close()
