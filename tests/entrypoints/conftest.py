import pytest

from tests.entrypoints import plain_host


@pytest.fixture(autouse=True)
def _closed():
    """Every memory opened by a test is closed behind it."""
    yield
    while plain_host.opened:
        plain_host.opened.pop().close()
