"""How often Python looks for cycles while an import runs, and afterwards."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.admin.importers.engine import Progress, collecting_seldom, import_chats
from memory_core.memory.long_term_memory import LongTermMemory
from tests.admin.importers.chats import history, save, source


@pytest.fixture(autouse=True)
def usual() -> Iterator[tuple[int, int, int]]:
    usual = gc.get_threshold()
    yield usual
    gc.set_threshold(*usual)


def test_what_was_set_holds_again_once_the_last_is_done(usual: tuple[int, int, int]) -> None:
    first, second = collecting_seldom(), collecting_seldom()
    with first:
        second.__enter__()
        assert gc.get_threshold() > usual
    assert gc.get_threshold() > usual
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_it_holds_again_after_a_failure_too(usual: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no"), collecting_seldom():
        raise ValueError("no")
    assert gc.get_threshold() == usual


@pytest.mark.parametrize("set_by_the_host", [(0, 10, 10), (1_000_000, 5, 5)])
def test_a_host_that_wants_it_still_less_gets_its_way(set_by_the_host) -> None:
    gc.set_threshold(*set_by_the_host)
    with collecting_seldom():
        assert gc.get_threshold() == set_by_the_host


def test_an_import_runs_so(
    memory: LongTermMemory, tmp_path: Path, usual: tuple[int, int, int]
) -> None:
    save(tmp_path, "chat/Mira/20260601-12-30-00.json", history([["Hello", "Good morning"]]))
    seen: list[tuple[int, int, int]] = []

    def tell(_: Progress) -> None:
        seen.append(gc.get_threshold())

    import_chats(memory, source(tmp_path), tell=tell)
    assert seen[0] > usual == gc.get_threshold()
