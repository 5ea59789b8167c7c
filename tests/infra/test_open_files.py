"""A server with many connections needs more open files than most systems allow at first."""

import sys
from collections.abc import Iterator

import pytest

from memory_core.infra.open_files import allow_open_files

if sys.platform == "win32":
    pytest.skip("sockets are no files there", allow_module_level=True)
import resource

_FEW = 300


@pytest.fixture
def hard() -> Iterator[int]:
    """Lowers the limit to a few files, which the process may raise again to this many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_FEW, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def limit() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


@pytest.mark.usefixtures("hard")
def test_limit_of_open_files_is_raised_as_wanted_and_never_lowered() -> None:
    assert allow_open_files(_FEW + 100) == limit() == _FEW + 100
    assert allow_open_files(_FEW) == _FEW
    assert limit() == _FEW + 100


def test_limit_of_open_files_is_raised_only_as_the_system_permits(hard: int) -> None:
    if hard == resource.RLIM_INFINITY:
        pytest.skip("this system permits any number")
    assert allow_open_files(hard + 1) == limit() == hard
