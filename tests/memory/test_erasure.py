"""Erased means erased: no file of the storage folder reveals a forgotten text."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.index.fulltext import segment_file
from memory_core.storage.index.local import LocalStore
from memory_core.storage.index.vectors import ivf_build
from memory_core.storage.index.vectors.segment_list import ChunkSizes
from memory_core.storage.store import MemoryStore
from tests.builders import (
    KIND,
    NOW,
    SPACE,
    Clock,
    asked,
    derive_all,
    destroy,
    merge,
    open_memory,
    recalled,
    said,
)
from tests.forensics import DenseEmbedder, Needle, leaks, likenesses, memory_needles, words_needles

OTHER = Namespace("ana", "kai")
KEPT = "My dog is called Bruno"
FEW, MANY = 5, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """Words that occur nowhere else, with an exchange and a note that contain them."""

    words: tuple[str, ...]
    exchange: Exchange
    note: str


EN = Secret(
    words=("Zyxquorvath", "Umbrastelle", "Blornificat"),
    exchange=said("My therapist Zyxquorvath lives in Umbrastelle.", "So you take Blornificat?"),
    note="Ana's therapist Zyxquorvath lives in Umbrastelle and gives her Blornificat.",
)
ZH = Secret(
    words=("饕餮魑魅", "魍魉", "囹圄"),
    exchange=said("我的医生叫饕餮魑魅，他住在魍魉镇。", "那么你去过囹圄吗？"),
    note="安娜的医生叫饕餮魑魅，住在魍魉镇，去过囹圄。",
)


@dataclass(slots=True, kw_only=True)
class Place:
    """A folder with a memory that can be closed and opened again."""

    folder: Path
    clock: Clock
    memory: LongTermMemory
    open_again: Callable[[], LongTermMemory]
    is_sealed: bool

    def found(self, secret: Secret, *memories: Memory) -> list[str]:
        """Returns the remains found while the memory is open, and once it is closed."""
        needles = words_needles(secret.words)
        texts = [it for memory in memories for it in memory.sides if it]
        for memory in memories:
            needles += memory_needles(memory)
        while_open = self._look(needles, texts)
        self.memory.close()
        closed = self._look(needles, texts)
        self.memory = self.open_again()
        return sorted({*while_open, *closed})

    def _look(self, needles: list[Needle], texts: list[str]) -> list[str]:
        rows = DenseEmbedder().embed(texts)
        return leaks(self.folder, needles) + likenesses(self.folder, rows)


def unsealed(folder: Path) -> MemoryStore:
    return LocalStore(folder)


def sealed(folder: Path) -> MemoryStore:
    """Opens a store whose words and vectors go into files of their own early."""
    return LocalStore(folder, compact_from=16, sizes=ChunkSizes(chunk=16, segment=32, merge=2))


STORES = {"unsealed": (unsealed, FEW), "sealed": (sealed, MANY)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A closed memory to be copied, with few exchanges or with enough for sealed segments."""

    folder: Path
    open_store: Callable[[Path], MemoryStore]
    count: int

    def open(self, folder: Path, clock: Clock) -> LongTermMemory:
        embedder = DenseEmbedder()
        return open_memory(folder, embedder=embedder, open_store=self.open_store, clock=clock)


@pytest.fixture(scope="module", params=STORES)
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    open_store, count = STORES[request.param]
    made = Talk(folder=tmp_path_factory.mktemp("talk"), open_store=open_store, count=count)
    memory = made.open(made.folder, Clock())
    memory.remember(SPACE, "monday", said(KEPT))
    for number in range(count):
        memory.remember(SPACE, "monday", said(f"Ordinary sentence {number}", f"Answer {number}"))
    derive_all(memory)
    memory.close()
    return made


@pytest.fixture
def place(talk: Talk, tmp_path: Path) -> Place:
    """Returns a place that contains the talk, with its model in use."""
    clock = Clock()
    shutil.copytree(talk.folder, tmp_path, dirs_exist_ok=True)

    def opened() -> LongTermMemory:
        return talk.open(tmp_path, clock)

    memory, is_sealed = opened(), talk.count == MANY
    derive_all(memory)
    return Place(
        folder=tmp_path, clock=clock, memory=memory, open_again=opened, is_sealed=is_sealed
    )


def tell(place: Place, secret: Secret, kind: str, space: Namespace = SPACE) -> str:
    """Stores the secret with further exchanges after it, and derives everything."""
    memory = place.memory
    if kind == "exchange":
        secret_id = memory.remember(space, "monday", secret.exchange)
    else:
        secret_id = memory.add_note(space, secret.note, kind=MemoryKind.KNOWLEDGE, pinned=True)
    derive_all(memory, space)
    for number in range(MANY if place.is_sealed else FEW):  # so that it is sealed with them
        memory.remember(space, "monday", said(f"Something else, number {number}"))
    derive_all(memory, space)
    return secret_id


def erase_now(place: Place, space: Namespace = SPACE) -> None:
    assert place.memory.erase_all_forgotten(space)
    derive_all(place.memory, space)


def wait(place: Place) -> None:
    place.clock.now += KIND.undo_forget_s + 1
    derive_all(place.memory)


EACH_PAIR = [(EN, "exchange", erase_now), (EN, "note", wait)]
EACH_PAIR += [(ZH, "exchange", wait), (ZH, "note", erase_now)]


@pytest.mark.parametrize(("secret", "kind", "erase"), EACH_PAIR)
def test_erased_memory_leaves_nothing_on_disk(
    place: Place, secret: Secret, kind: str, erase: Callable[[Place], None]
) -> None:
    secret_id = tell(place, secret, kind)
    memory = place.memory.get_record(SPACE, secret_id).memory
    assert place.found(secret, memory)
    place.memory.forget(SPACE, [secret_id])
    erase(place)
    assert place.found(secret, memory) == []
    assert KEPT in recalled(place.memory.recall(SPACE, asked("my dog")))


def test_erased_memory_leaves_no_channel_and_metadata_on_disk(tmp_path: Path) -> None:
    memory, needles = open_memory(tmp_path), words_needles(EN.words[:2])
    exchange = replace(said("Hi"), channel="Zyxquorvath", metadata={"place": "Umbrastelle"})
    secret_id = memory.remember(SPACE, "monday", exchange)
    assert leaks(tmp_path, needles)
    memory.forget(SPACE, [secret_id])
    assert memory.erase_all_forgotten(SPACE)
    memory.close()
    assert leaks(tmp_path, needles) == []


def test_forensics_finds_text_and_vectors_before_they_are_erased(place: Place) -> None:
    secret_id = tell(place, EN, "exchange")
    found = " ".join(place.found(EN, place.memory.get_record(SPACE, secret_id).memory))
    assert "monday.jsonl: Zyxquorvath" in found
    assert "catalogue.sqlite: Zyxquorvath" in found
    assert "a vector" in found
    if place.is_sealed:
        assert f"{segment_file.SUFFIX}: Zyxquorvath" in found
        assert re.search("/segments/[^ ]*: a vector", found)


def test_erased_memory_leaves_nothing_after_a_rebuild(place: Place) -> None:
    secret_id = tell(place, EN, "exchange")
    memory = place.memory.get_record(SPACE, secret_id).memory
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    place.memory.rebuild(SPACE)
    derive_all(place.memory)
    assert place.found(EN, memory) == []


def test_earlier_versions_of_an_erased_memory_are_erased(place: Place) -> None:
    """Covers a memory edited by hand, and a regenerated reply."""
    secret_id = tell(place, EN, "exchange")
    before = place.memory.get_record(SPACE, secret_id).memory
    place.memory.edit(SPACE, secret_id, {"user": "My doctor lives elsewhere", "assistant": "Oh"})
    derive_all(place.memory)
    said_there = place.memory.conversation(SPACE, "monday", 100)
    chat = [entry.exchange for entry in said_there if entry.exchange]
    shown = [said("Not that.", "Never mind") if it.assistant == "Oh" else it for it in chat]
    place.memory.reconcile(SPACE, "monday", shown, whole=True)
    derive_all(place.memory)
    assert place.found(EN)
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN, before) == []


def test_copies_in_free_pages_of_the_database_are_erased(place: Place) -> None:
    """Rows move to other pages where those around them grow."""
    around = [place.memory.remember(SPACE, "friday", said(f"Before {index}")) for index in range(9)]
    secret_id = tell(place, EN, "exchange")
    around += [
        place.memory.remember(SPACE, "friday", said(f"Behind {index}")) for index in range(9)
    ]
    for index, memory_id in enumerate(around):
        place.memory.edit(SPACE, memory_id, {"user": f"Grown {index} " * 40})
        derive_all(place.memory)
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN) == []


def test_text_said_twice_is_erased_in_every_chat(place: Place) -> None:
    secret_id = tell(place, EN, "exchange")
    place.memory.remember(SPACE, "tuesday", EN.exchange)
    derive_all(place.memory)
    memory = place.memory.get_record(SPACE, secret_id).memory
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN, memory) == []


def test_erasure_includes_equal_text_removed_from_a_chat(place: Place) -> None:
    """Covers equal text that was deleted from its chat before."""
    place.memory.reconcile(SPACE, "tuesday", [said("Hello"), EN.exchange], whole=True)
    place.memory.reconcile(SPACE, "tuesday", [said("Hello")], whole=True)
    secret_id = place.memory.remember(SPACE, "friday", _later(EN.exchange))
    derive_all(place.memory)
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN) == []


def _later(exchange: Exchange) -> Exchange:
    return said(exchange.user, exchange.assistant, ts=NOW + 900)


def test_memory_without_a_vector_is_erased(place: Place) -> None:
    secret_id = place.memory.remember(SPACE, "monday", EN.exchange)
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN) == []


def test_vectors_are_erased_without_their_model(place: Place) -> None:
    secret_id = tell(place, EN, "exchange")
    memory = place.memory.get_record(SPACE, secret_id).memory
    place.memory.close()
    place.memory = place.open_again()
    place.memory.forget(SPACE, [secret_id])
    assert place.memory.erase_all_forgotten(SPACE) == 1
    assert place.found(EN, memory) == []


def test_vectors_of_an_earlier_model_are_erased(place: Place) -> None:
    secret_id = tell(place, EN, "exchange")
    memory = place.memory.get_record(SPACE, secret_id).memory
    place.memory.embedder = FakeEmbedder()
    derive_all(place.memory)
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN, memory) == []


def test_a_destroyed_namespace_leaves_only_its_backup(place: Place) -> None:
    secret_id = tell(place, EN, "exchange")
    tell(place, ZH, "exchange")
    place.memory.forget(SPACE, [secret_id])
    saved = destroy(place.memory, SPACE)
    found = place.found(EN) + place.found(ZH)
    backup = str(saved.relative_to(place.folder))
    assert [path for path in found if not path.startswith(backup)] == []
    assert place.found(EN) == [], "the backup holds what was forgotten"
    assert place.found(ZH), "the backup holds what was remembered"


def test_a_destroyed_namespace_leaves_nothing_where_a_link_led_to_it(
    place: Place, tmp_path: Path
) -> None:
    tell(place, EN, "exchange")
    place.memory.close()
    folder, far = SPACE.folder(place.folder / "memories"), tmp_path / "another disk"
    folder.rename(far)
    folder.symlink_to(far)
    place.memory = place.open_again()
    destroy(place.memory, SPACE).unlink()
    assert place.memory.counts(SPACE)["live"] == 0
    assert not folder.is_symlink()
    assert not far.exists()


@pytest.mark.parametrize("is_forgotten_before", [True, False])
def test_a_merged_namespace_leaves_nothing_of_what_is_erased(
    place: Place, is_forgotten_before: bool
) -> None:
    secret_id = tell(place, EN, "exchange", OTHER)
    memory = place.memory.get_record(OTHER, secret_id).memory
    if is_forgotten_before:
        place.memory.forget(OTHER, [secret_id])
    saved = merge(place.memory, OTHER, SPACE)
    derive_all(place.memory)
    if not is_forgotten_before:
        saved.unlink()  # made on purpose, before it was forgotten
        place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN, memory) == []


def test_leftover_of_a_crashed_log_rewrite_is_erased(place: Place) -> None:
    secret_id = tell(place, EN, "exchange")
    place.memory.close()
    log = next((SPACE.folder(place.folder / "memories") / "conversations").glob("*.jsonl"))
    (log.parent / ".k3f9x2.tmp").write_bytes(log.read_bytes())
    place.memory = place.open_again()
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN) == []


def test_leftover_of_a_crashed_index_is_erased(place: Place) -> None:
    """Files that were being written: of words, of vectors, and one that nobody took over."""
    secret_id = tell(place, EN, "exchange")
    memory = place.memory.get_record(SPACE, secret_id).memory
    place.memory.close()
    index = SPACE.folder(place.folder / "memories") / "index"
    for path in index.rglob("*.postings"):
        for name in (".tmpq7.postings", "0123456789abcdef.postings"):
            path.with_name(name).write_bytes(path.read_bytes())
    for path in index.rglob("*.ivf"):
        for name in (f"tmpq7{ivf_build.UNFINISHED}", f"9{path.name}"):
            path.with_name(name).write_bytes(path.read_bytes())
    place.memory = place.open_again()
    derive_all(place.memory)
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN, memory) == []


def test_damaged_copies_of_an_erased_line_are_erased(place: Place) -> None:
    """Covers a line with a damaged id, and one put aside by a repair of the log."""
    secret_id = tell(place, EN, "exchange")
    place.memory.close()
    log = next((SPACE.folder(place.folder / "memories") / "conversations").glob("*.jsonl"))
    (line,) = (line for line in log.read_bytes().splitlines(True) if EN.words[0].encode() in line)
    log.write_bytes(
        line.replace(secret_id.encode(), secret_id[:-1].encode() + b"!") + log.read_bytes()
    )
    log.with_name(f"{log.name}.damaged").write_bytes(line.replace(b'"crc":"', b'"crc":"!'))
    place.memory = place.open_again()
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN) == []


def test_torn_end_of_a_log_is_erased(place: Place) -> None:
    """A line torn by a crash was never acknowledged; the chat shows its text again."""
    place.memory.close()
    log = next((SPACE.folder(place.folder / "memories") / "conversations").glob("*.jsonl"))
    with log.open("ab") as file:
        file.write(f'{{"v":1,"seq":99,"op":"add","user":"{EN.exchange.user}'.encode())
    place.memory = place.open_again()
    secret_id = tell(place, EN, "exchange")
    place.memory.forget(SPACE, [secret_id])
    erase_now(place)
    assert place.found(EN) == []
