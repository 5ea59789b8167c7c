"""One file call fails during a chat: no acknowledged exchange is lost, and the chat goes on.

`benchmarks/crash.py --io-errors` fails every call of every operation; this is a sample of it.
"""

import sys
from pathlib import Path

import pytest

from benchmarks.io_errors import Sweep

_STEP = 9  # every so many'th call; each costs a process

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the processes are forked"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sweep")


@pytest.fixture(scope="module")
def sweep(folder: Path) -> Sweep:
    return Sweep(folder)


@pytest.mark.parametrize("name", ["append", "note", "edit", "pin", "forget", "erase"])
def test_failed_file_call_loses_no_acknowledged_exchange(sweep: Sweep, name: str) -> None:
    sweep.run(name, step=_STEP)
    assert sweep.calls[name] > 1
    assert [message for message in sweep.told if message.startswith(f"{name}, ")] == []


def test_failed_file_call_of_a_first_message_raises_a_storage_error(sweep: Sweep) -> None:
    sweep.run("begin", step=_STEP)
    assert sweep.calls["begin"] > 1
    assert [message for message in sweep.told if message.startswith("begin, ")] == []
