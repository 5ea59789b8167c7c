"""One file call fails during an operation: nothing acknowledged is lost, and the program goes on.

`benchmarks/crash.py --io-errors` fails every call of every operation; this is a sample of it.
"""

import sys

import pytest

from benchmarks.io_acts import ACTS
from benchmarks.io_errors import Sweep

_STEP = 61  # every so many'th call; each costs a process

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the processes are forked"),
]


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return Sweep(tmp_path_factory.mktemp("sweep"))


@pytest.mark.parametrize("name", ACTS)
def test_failed_file_call_loses_nothing_and_raises_an_error_of_the_package(
    sweep: Sweep, name: str
) -> None:
    sweep.run(name, step=_STEP, first=len(name) % _STEP)
    assert sweep.calls[name] > 0
    assert [message for message in sweep.told if message.startswith(f"{name}, ")] == []
