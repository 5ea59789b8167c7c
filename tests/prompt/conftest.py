import time
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def utc() -> Iterator[None]:
    """Sets the time zone, in which prompts date memories, where the system allows that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        if hasattr(time, "tzset"):
            time.tzset()
        yield
    if hasattr(time, "tzset"):
        time.tzset()
