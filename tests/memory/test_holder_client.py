"""Programs beside the one that holds a namespace: they read it, and write it through the holder."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageLocked
from memory_core.domain.records import MemoryKind
from memory_core.infra.loopback_calls import CallFailed, CallServer, call
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_memory import INDEX
from memory_core.memory.runtime import Runtime
from memory_core.storage.contract import Page
from memory_core.storage.holder import HOLDER, announced_address
from tests.builders import SPACE, asked, open_memory, recalled, said, user_sides
from tests.conftest import MakeRuntime
from tests.programs import Program

PROJECT = Path(__file__).resolve().parents[2]
# Tenths of the time in which a guest writes: at once, in its midst, at its end; and in between.
KILLS = [2, 5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 1, 3, 4))]


@pytest.fixture
def holder(make_runtime: MakeRuntime) -> Runtime:
    runtime = make_runtime()
    runtime.start()
    runtime.memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    return runtime


@pytest.fixture
def guest(holder: Runtime) -> LongTermMemory:
    """Another memory over the same folder, as another program opens it."""
    return open_memory(holder.memory.root.parent)


def sides(memory: LongTermMemory) -> list[str]:
    return sorted(user_sides(memory.latest(SPACE, Page(limit=1000))))


def address_file(memory: LongTermMemory) -> Path:
    return SPACE.folder(memory.root) / INDEX / HOLDER


def test_guest_remembers_through_the_holder(holder: Runtime, guest: LongTermMemory) -> None:
    guest.remember(SPACE, "talk", said("My cat is called Tom"))
    assert (
        sides(guest) == sides(holder.memory) == ["My cat is called Tom", "My dog is called Bruno"]
    )
    assert [m.exchange.user for m in guest.conversation(SPACE, "talk", 9) if m.exchange] == [
        "My dog is called Bruno", "My cat is called Tom",
    ]  # fmt: skip


def test_guest_sees_at_once_what_the_holder_writes(holder: Runtime, guest: LongTermMemory) -> None:
    assert len(sides(guest)) == 1
    memory_id = holder.memory.remember(SPACE, "talk", said("My cat is called Tom"))
    assert len(sides(guest)) == 2
    holder.memory.forget(SPACE, [memory_id])
    assert sides(guest) == ["My dog is called Bruno"]
    assert "My cat is called Tom" not in recalled(guest.recall(SPACE, asked("How is my cat Tom?")))


def test_guest_forgets_and_brings_back_through_the_holder(
    holder: Runtime, guest: LongTermMemory
) -> None:
    kept = guest.remember(SPACE, "talk", said("My cat is called Tom"))
    assert guest.forget(SPACE, [kept]) == [kept]
    assert sides(holder.memory) == sides(guest) == ["My dog is called Bruno"]
    guest.unforget(SPACE, kept)
    assert len(sides(holder.memory)) == len(sides(guest)) == 2


def test_guest_notes_pins_and_edits_through_the_holder(
    holder: Runtime, guest: LongTermMemory
) -> None:
    note = guest.add_note(SPACE, "Ana likes tea", kind=MemoryKind.KNOWLEDGE, pinned=False)
    guest.edit(SPACE, note, {"text": "Ana likes green tea"})
    guest.pin(SPACE, note)
    for memory in (holder.memory, guest):
        found = memory.get_record(SPACE, note).memory
        assert (found.text, found.pinned) == ("Ana likes green tea", True)
    assert [memory.id for memory in guest.always_in_prompt(SPACE)] == [note]


def test_guest_compares_a_chat_through_the_holder(holder: Runtime, guest: LongTermMemory) -> None:
    shown = [said("My dog is called Rex"), said("He is old")]
    guest.reconcile(SPACE, "talk", shown, whole=True)
    assert sides(holder.memory) == sides(guest) == ["He is old", "My dog is called Rex"]
    assert not guest.reconcile(SPACE, "talk", shown, whole=True)


def test_holder_drops_traces_of_what_a_guest_forgets(
    holder: Runtime, guest: LongTermMemory
) -> None:
    told: list[frozenset[str]] = []
    holder.on_forgotten(lambda forgotten: told.append(forgotten.ids))
    kept = guest.remember(SPACE, "talk", said("My cat is called Tom"))
    guest.forget(SPACE, [kept])
    assert told == [frozenset({kept})]


def test_guest_takes_over_when_the_holder_ends(holder: Runtime, guest: LongTermMemory) -> None:
    guest.remember(SPACE, "talk", said("My cat is called Tom"))
    holder.close()
    assert not address_file(guest).exists()
    guest.remember(SPACE, "talk", said("My bird is called Pip"))
    assert len(sides(guest)) == 3


def test_former_holder_writes_through_the_one_that_took_over(
    make_runtime: MakeRuntime, holder: Runtime
) -> None:
    second = make_runtime()
    second.start()
    holder.memory.close()  # as for a namespace that was not used for long
    second.memory.remember(SPACE, "talk", said("My cat is called Tom"))
    holder.memory.remember(SPACE, "talk", said("My bird is called Pip"))
    assert len(sides(second.memory)) == len(sides(holder.memory)) == 3


def test_holder_without_listener_is_named_in_the_error(make_runtime: MakeRuntime) -> None:
    alone = make_runtime()
    alone.memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    with pytest.raises(StorageLocked, match="another program writes"):
        open_memory(alone.memory.root.parent).remember(SPACE, "talk", said("My cat is called Tom"))


def test_address_is_for_its_owner_only(holder: Runtime) -> None:
    path = address_file(holder.memory)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_call_without_the_secret_gets_no_answer(holder: Runtime) -> None:
    address = announced_address(SPACE.folder(holder.memory.root) / INDEX)
    assert address is not None
    with pytest.raises(CallFailed):
        call(address.port, "guessed", b"{}", timeout_s=1.0)


def test_stranger_on_the_port_learns_nothing() -> None:
    """A port of a killed program may belong to somebody else, who does not know its secret."""
    heard: list[bytes] = []
    stranger = CallServer(lambda body: heard.append(body) or b"")
    thread = threading.Thread(target=stranger.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        with pytest.raises(CallFailed):
            call(stranger.port, "the killed program's", b"my words", timeout_s=1.0)
    finally:
        stranger.shutdown()
        stranger.server_close()
        thread.join()
    assert heard == []


@pytest.mark.parametrize("body", [b"", b"[]", b'{"do":"write","folder":"/","events":[]}', b'{"x"'])
def test_call_that_makes_no_sense_gets_an_error(holder: Runtime, body: bytes) -> None:
    address = announced_address(SPACE.folder(holder.memory.root) / INDEX)
    assert address is not None
    assert b"error" in call(address.port, address.token, body, timeout_s=5.0)


@contextmanager
def holding(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Runs a program that holds the memories below this folder."""
    command = [sys.executable, "-m", "tests.memory.holding_program", str(folder)]
    with Program(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == "ready\n"
            yield program
        finally:
            program.kill()


@pytest.mark.parametrize("seed", KILLS)
def test_guest_loses_and_doubles_no_write_when_the_holder_is_killed(
    tmp_path: Path, seed: int
) -> None:
    with holding(tmp_path) as program:
        guest = open_memory(tmp_path / "user_data")
        killer = threading.Timer(0.02 * seed, lambda: os.kill(program.pid, signal.SIGKILL))
        killer.start()
        began, written = time.monotonic(), list[str]()
        while killer.is_alive() or len(written) < 5:
            text = f"Number {len(written)} of this conversation"
            guest.remember(SPACE, "talk", said(text))
            written.append(text)
        assert time.monotonic() - began < 10
        assert sides(guest) == sorted(["The holder wrote this first", *written])
