"""Names, pauses, held messages and jobs of programs that share nothing but a database."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageCorrupt
from memory_core.domain.namespaces import Namespace
from memory_core.domain.private_parts import PrivatePart
from memory_core.storage.aliases import Aliases, AliasFile
from memory_core.storage.engine import Engine, postgres_engine
from memory_core.storage.held import HeldExchange, HeldFile
from memory_core.storage.job_queue import CallUsage
from memory_core.storage.log.events import EventType, NewEvent
from memory_core.storage.pauses import FILE, ChatPauses, PauseState
from tests.builders import NOW, append, said

OpenMachine = Callable[[], tuple[Engine, Path]]
_NUMBERS = count()


@pytest.fixture
def space() -> Namespace:
    return Namespace("ana", f"shared {next(_NUMBERS)}")


@pytest.fixture
def open_machine(own_dsn: str, tmp_path: Path) -> Iterator[OpenMachine]:
    """Opens the database from a further machine: each has a storage folder of its own."""
    opened: list[Engine] = []

    def open_one() -> tuple[Engine, Path]:
        root = tmp_path / f"machine-{len(opened)}"
        opened.append(postgres_engine(own_dsn, root, time_limit_s=10))
        return opened[-1], root

    yield open_one
    for engine in opened:
        engine.close()


def pauses_of(machine: tuple[Engine, Path]) -> ChatPauses:
    engine, root = machine
    return ChatPauses(root, engine.shared.files)


def test_a_pause_on_one_machine_holds_at_once_on_another(
    open_machine: OpenMachine, space: Namespace
) -> None:
    one, other = pauses_of(open_machine()), pauses_of(open_machine())
    assert not other.is_writing_paused(space, "talk")
    one.set_pause(space, "talk", PauseState(is_writing_paused=True))
    assert other.is_writing_paused(space, "talk")
    other.set_pause(space, "other talk", PauseState(is_recall_paused=True))
    assert set(one.paused_chats(space)) == {"talk", "other talk"}
    one.set_never_remembered(space, wanted=True)
    assert other.is_never_remembered(space)


def test_what_one_machine_excludes_is_excluded_on_another(
    open_machine: OpenMachine, space: Namespace
) -> None:
    one, other = pauses_of(open_machine()), pauses_of(open_machine())
    shown = [said("Do not keep this."), said("Keep this.")]
    other.exclude(space, "other", [said("Nor this.")], [said("Nor this.")])
    one.exclude(space, "talk", shown, shown[:1])
    assert other.without_excluded(space, "talk", [*shown, said("Nor this.")]) == shown[1:]


def test_a_damaged_document_is_named(open_machine: OpenMachine, space: Namespace) -> None:
    engine, root = open_machine()
    engine.shared.files.replace(space.folder(root) / FILE, b"{")
    with pytest.raises(StorageCorrupt, match=r"switches\.json"):
        pauses_of((engine, root)).paused_chats(space)


def test_a_failed_change_leaves_the_document_as_it_was(
    open_machine: OpenMachine, space: Namespace
) -> None:
    (engine, root), (other, other_root) = open_machine(), open_machine()
    files, path = engine.shared.files, space.folder(root) / "one.json"
    files.replace(path, b"before")

    def fail() -> None:
        with files.changing(path):
            files.replace(path, b"after")
            assert files.read(path) == b"after"
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert other.shared.files.read(space.folder(other_root) / "one.json") == b"before"


def test_an_alias_of_one_machine_is_kept_when_another_one_adds_its_own(
    open_machine: OpenMachine,
) -> None:
    (engine, root), (other, other_root) = open_machine(), open_machine()
    one, two = AliasFile(root, engine.shared.files), AliasFile(other_root, other.shared.files)
    one.save(Aliases().with_user("Annie", "ana"))
    two.save(two.current.with_user("Bobby", "bob"))
    assert AliasFile(root, engine.shared.files).current.users == {"Annie": "ana", "Bobby": "bob"}
    two.save(Aliases())


def test_what_waits_for_review_on_one_machine_is_decided_on_another(
    open_machine: OpenMachine, space: Namespace
) -> None:
    (engine, root), (other, other_root) = open_machine(), open_machine()
    here = HeldFile(space.folder(root), engine.shared.files)
    there = HeldFile(space.folder(other_root), other.shared.files)
    one = HeldExchange(
        id="1",
        log="talk",
        position=1.0,
        exchange=said("My number is 555-0199."),
        parts=frozenset([PrivatePart.PHONE]),
        held_at=NOW,
    )
    with here.locked():
        here.write([one])
    assert there.read() == (one,)
    with there.locked():
        there.write([])
    assert not here.exists()


def test_a_namespace_written_on_one_machine_is_listed_on_another(
    open_machine: OpenMachine,
) -> None:
    (engine, root), (other, _) = open_machine(), open_machine()
    long = Namespace("ana", "小" * 60)
    spaces = [Namespace.world(), Namespace.shared("ana % \udcff"), long]
    assert not other.shared.namespaces.has(long)
    for space in spaces:
        engine.shared.namespaces.note_names(space)
        log = engine.open_log(space.folder(root))
        append(log, NewEvent(op=EventType.NOTE, ts=NOW, fields={"text": "x"}))
    found = other.shared.namespaces
    assert set(spaces) <= set(found.all())
    assert found.has(long)
    assert found.recently_written(1) == [long]
    assert found.last_written_at(long) >= found.last_written_at(spaces[0]) > 0


def test_a_job_made_on_one_machine_is_done_by_one_other(
    open_machine: OpenMachine, space: Namespace
) -> None:
    machines = [open_machine() for _ in range(3)]
    queues = [engine.shared.open_jobs(space.folder(root)) for engine, root in machines]
    with queues[0] as made, queues[1] as second, queues[2] as third:
        made.enqueue({"facts": ["a"]}, {}, log="talk", position=10)
        made.finish_scan(["facts"], 3)
        taken = second.next_due(["facts"], NOW)
        assert taken is not None
        assert third.next_due(["facts"], NOW) is None
        assert second.next_due(["facts"], NOW) == taken  # after an interrupt, it goes on
        second.finish(taken, "stamp")
        second.add_usage("facts", CallUsage(calls=1, prompt_tokens=5))
        assert third.next_due(["facts"], NOW) is None
        assert third.is_done(taken, "stamp")
        assert made.scan(["facts"]).positions == {"talk": 10}
        assert made.usage() == {"facts": CallUsage(calls=1, prompt_tokens=5)}
