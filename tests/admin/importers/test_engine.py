"""Imports can be repeated, stopped and continued, despite broken files and forgotten memories."""

import os
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from memory_core.admin.importers import engine
from memory_core.admin.importers.base import ImportChat, MemoryOwner, Reader
from memory_core.admin.importers.engine import ImportProgress, import_chats
from memory_core.admin.importers.source import ImportSource
from memory_core.admin.importers.survey import estimate_embedding_s, survey
from memory_core.domain.errors import ImportFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind, Note
from memory_core.host.chat.exchanges import Speakers
from memory_core.host.chat.turn_request import ChatRef as LiveChat
from memory_core.host.chat_sync.synchronizer import ChatSynchronizer
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from tests.admin.importers.chats import MIRA, history, old_history, said, save, source
from tests.builders import asked, merge, opened_namespace, recalled
from tests.conftest import OpenMemory
from tests.host.plain_host import PlainHost, hooks_in

TALK = "20260601-12-30-00"
TOM = ["My cat is Tom", "Lovely"]
REX = ["My dog is Rex", "Nice"]


def many(count: int) -> list[list[str]]:
    return [[f"Question number {number}", f"Answer number {number}"] for number in range(count)]


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    folder = tmp_path / "user_data"
    save(folder, f"chat/Mira/{TALK}.json", history([TOM, REX]))
    save(folder, "chat/Kai/20260602-12-30-00.json", old_history([REX]))
    save(folder, "instruct/20260603-12-30-00.json", history([TOM]))
    return folder


def test_all_chats_are_remembered_and_found(memory: LongTermMemory, chats: Path) -> None:
    result = import_chats(memory, source(chats))
    assert (result.chats, result.exchanges, result.added) == (3, 4, 4)
    assert said(memory, MIRA, TALK) == [("My cat is Tom", "Lovely"), ("My dog is Rex", "Nice")]
    assert "My cat is Tom" in recalled(memory.recall(MIRA, asked("What is my cat's name?")))
    kai, instruct = Namespace("default", "Kai"), Namespace.instruct("default")
    assert result.namespaces == {kai: 1, MIRA: 2, instruct: 1}


def test_import_brings_the_index_up_to_date(memory: LongTermMemory, chats: Path) -> None:
    import_chats(memory, source(chats))
    assert opened_namespace(memory, MIRA).store.counts()["live"] == 2


def test_second_run_of_an_import_adds_nothing(memory: LongTermMemory, chats: Path) -> None:
    import_chats(memory, source(chats))
    again = import_chats(memory, source(chats))
    assert (again.exchanges, again.added, again.changed, again.removed) == (4, 0, 0, 0)


def test_second_run_follows_changes_in_the_chat(memory: LongTermMemory, chats: Path) -> None:
    import_chats(memory, source(chats))
    save(chats, f"chat/Mira/{TALK}.json", history([["My cat is Tom", "Sweet"]]))
    again = import_chats(memory, source(chats))
    assert (again.added, again.changed, again.removed) == (0, 1, 1)
    assert said(memory, MIRA, TALK) == [("My cat is Tom", "Sweet")]


def test_an_older_copy_of_the_chat_takes_nothing_away(memory: LongTermMemory, chats: Path) -> None:
    stamps = {0: "Jun 01, 2026 12:30", 1: "Jul 01, 2026 12:30"}
    save(chats, f"chat/Mira/{TALK}.json", history([TOM, REX], stamps))
    import_chats(memory, source(chats))
    path = save(chats, f"chat/Mira/{TALK}.json", history([TOM], stamps))
    os.utime(path, (1_780_400_000, 1_780_400_000))
    assert import_chats(memory, source(chats)).removed == 0
    assert len(said(memory, MIRA, TALK)) == 2


def test_another_chat_under_a_known_name_takes_nothing_away(
    memory: LongTermMemory, chats: Path
) -> None:
    import_chats(memory, source(chats))
    other = ["I keep bees", "Lovely?"]
    save(chats, f"chat/Mira/{TALK}.json", history([other], {0: "Jun 03, 2026 12:30"}))
    assert import_chats(memory, source(chats)).removed == 0
    assert sorted(said(memory, MIRA, TALK)) == sorted(map(tuple, [other, REX, TOM]))


def test_a_second_file_of_the_same_chat_only_adds(memory: LongTermMemory, tmp_path: Path) -> None:
    save(tmp_path, f"chat/Mira/{TALK}.json", history([TOM]))
    save(tmp_path / "user_data", f"chat/Mira/{TALK}.json", history([TOM, REX]))
    for _ in range(2):
        assert import_chats(memory, source(tmp_path)).removed == 0
    assert len(said(memory, MIRA, TALK)) == 2


def test_chats_of_one_name_that_were_merged_go_where_they_are_kept(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    folder, kai = tmp_path / "user_data", Namespace("default", "Kai")
    save(folder, "chat/Mira/Main.json", history([TOM]))
    save(folder, "chat/Kai/Main.json", history([REX]))
    import_chats(memory, source(folder))
    merge(memory, kai, MIRA)
    save(folder, "chat/Kai/Main.json", history([REX, TOM]))
    import_chats(memory, source(folder))
    assert said(memory, MIRA, "Main") == [tuple(TOM)]
    assert said(memory, MIRA, "Main/Kai") == [tuple(REX), tuple(TOM)]


def test_import_stopped_between_chats_continues(memory: LongTermMemory, chats: Path) -> None:
    told: list[ImportProgress] = []
    first = import_chats(
        memory, source(chats), on_progress=told.append, stop=lambda: len(told) >= 1
    )
    assert (first.cancelled, first.chats) == (True, 1)
    rest = import_chats(memory, source(chats))
    assert (rest.cancelled, rest.added, first.added + rest.added) == (False, 3, 4)


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> int:
    """Makes 60 exchanges a huge chat; returns how many a slice has."""
    monkeypatch.setattr(engine, "_SLICE_EXCHANGES", 50)
    return 50


def test_import_stopped_within_a_huge_chat_continues(
    memory: LongTermMemory, tmp_path: Path, small_slices: int
) -> None:
    save(tmp_path, f"chat/Mira/{TALK}.json", history(many(small_slices + 10)))
    told: list[ImportProgress] = []
    first = import_chats(
        memory, source(tmp_path), on_progress=told.append, stop=lambda: len(told) >= 1
    )
    assert (first.cancelled, first.added) == (True, small_slices)
    rest = import_chats(memory, source(tmp_path))
    assert (rest.added, rest.removed) == (10, 0)
    assert said(memory, MIRA, TALK)[-1][0] == f"Question number {small_slices + 9}"


def test_slices_of_a_huge_chat_grow_only_as_long_as_a_stopping_server_waits() -> None:
    ends = list(engine._slice_ends(1_000_000))
    sizes = [end - begin for begin, end in pairwise([0, *ends])]
    assert (sizes[0], max(sizes), ends[-1]) == (2000, 10_000, 1_000_000)


def test_broken_file_is_reported_and_the_others_are_imported(
    memory: LongTermMemory, chats: Path
) -> None:
    broken = chats / "logs/chat/Kai/20260602-12-30-00.json"
    broken.write_text('{"internal": [["a"', encoding="utf-8")
    result = import_chats(memory, source(chats))
    assert [failure.source for failure in result.failures] == [broken]
    assert (result.chats, result.added) == (2, 3)


def test_import_of_a_missing_folder_is_an_error(memory: LongTermMemory, tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="does not exist"):
        import_chats(memory, source(tmp_path / "nowhere"))


def test_chat_continues_during_an_import(
    memory: LongTermMemory, chats: Path, small_slices: int
) -> None:
    """Another thread writes and recalls between two chats, and within a huge one."""
    save(chats, "chat/Mira/huge.json", history(many(small_slices + 10)))
    heard: list[str] = []

    def chat() -> None:
        memory.remember(MIRA, "live", Exchange(user="It is my birthday", assistant="Hooray"))
        heard.extend(recalled(memory.recall(MIRA, asked("When is my birthday?"))))

    def meanwhile(_: ImportProgress) -> None:
        thread = threading.Thread(target=chat)
        thread.start()
        thread.join(30.0)
        assert not thread.is_alive()

    result = import_chats(memory, source(chats), on_progress=meanwhile)
    assert heard.count("It is my birthday") >= result.chats


def test_forgotten_memory_stays_forgotten_after_another_import(
    memory: LongTermMemory, chats: Path
) -> None:
    import_chats(memory, source(chats))
    (tom,) = [entry for entry in memory.conversation(MIRA, TALK, 9) if "Tom" in entry.text]
    memory.forget(MIRA, [tom.id])
    assert import_chats(memory, source(chats)).added == 0
    memory.erase_all_forgotten(MIRA)
    assert import_chats(memory, source(chats)).added == 0
    assert said(memory, MIRA, TALK) == [("My dog is Rex", "Nice")]


def test_an_edited_memory_keeps_its_edit(memory: LongTermMemory, chats: Path) -> None:
    import_chats(memory, source(chats))
    tom = memory.conversation(MIRA, TALK, 9)[0]
    memory.edit(MIRA, tom.id, {"user": "My cat is Thomas"})
    again = import_chats(memory, source(chats))
    assert (again.added, again.changed) == (0, 0)
    assert said(memory, MIRA, TALK)[0][0] == "My cat is Thomas"


def test_the_live_chat_finds_its_imported_memories_and_adds_nothing(
    tmp_path: Path, chats: Path
) -> None:
    host = PlainHost(tmp_path)
    runtime = hooks_in(tmp_path / "home", host).runtime
    import_chats(runtime.memory, source(chats))
    now = 0.0
    settler = ChatSynchronizer(runtime, host, clock=lambda: now)
    cast = Speakers(user_name="You", assistant_name="Mira", channel="chat-instruct")
    path = chats / f"logs/chat/Mira/{TALK}.json"
    settler.watch(path, LiveChat(namespace=MIRA, conversation=TALK, speakers=cast))
    before = runtime.memory.counts(MIRA)
    settler.poll()
    now = 60.0
    settler.poll()
    assert runtime.memory.counts(MIRA) == before
    save(chats, f"chat/Mira/{TALK}.json", history([TOM, REX, ["And a bird", "Oh"]]))
    settler.poll()
    now = 120.0
    settler.poll()
    assert len(said(runtime.memory, MIRA, TALK)) == 3


def test_namespace_of_another_program_is_reported_and_the_others_are_imported(
    memory: LongTermMemory, opened: OpenMemory, chats: Path
) -> None:
    other = opened()
    import_chats(other, source(chats / f"logs/chat/Mira/{TALK}.json"))
    save(chats, f"chat/Mira/{TALK}.json", history([TOM, REX, ["And a bird", "Oh"]]))
    result = import_chats(memory, source(chats))
    assert (len(result.failures), result.chats) == (1, 2)
    assert "another program" in result.failures[0].reason


def test_the_survey_counts_and_writes_nothing(memory: LongTermMemory, chats: Path) -> None:
    (chats / "logs/chat/Kai/broken.json").write_text("{", encoding="utf-8")
    found = survey([source(chats)])
    assert (found.chats, found.exchanges, found.undated, found.texts) == (3, 4, 4, 8)
    assert found.size_bytes == sum(path.stat().st_size for path in chats.rglob("*.json"))
    assert len(found.failures) == 1
    assert found.writing_s > 0
    assert memory.namespaces() == []


def test_the_time_for_embeddings_is_measured_on_some_of_the_texts(chats: Path) -> None:
    found = survey([source(chats)])
    assert estimate_embedding_s(None, found) == 0.0
    assert (estimate_embedding_s(FakeEmbedder(), found) or 0.0) > 0.0


def test_progress_of_an_import_has_the_remaining_time() -> None:
    half = ImportProgress(exchanges=100, total_exchanges=300, elapsed_s=10.0)
    assert half.remaining_s == pytest.approx(20.0)
    assert ImportProgress(exchanges=0, total_exchanges=300, elapsed_s=10.0).remaining_s is None
    assert ImportProgress(exchanges=100, elapsed_s=10.0).remaining_s is None


def test_slices_of_a_chat_grow_and_cover_it() -> None:
    assert list(engine._slice_ends(0)) == [0]
    assert list(engine._slice_ends(5)) == [5]
    ends = list(engine._slice_ends(100_000))
    assert ends[-1] == 100_000
    assert ends == sorted(set(ends))
    assert len(ends) < 25


class Facts(Reader):
    """A reader of notes without chats."""

    name = "facts"

    def recognises(self, path: Path) -> bool:
        return True

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        facts = [
            Note(text=text, kind=MemoryKind.KNOWLEDGE) for text in ("Ana is tall", "Ana sings")
        ]
        yield ImportChat(namespace=MIRA, conversation="", exchanges=(), source=path, notes=facts)


def test_notes_are_kept_once_and_stay_forgotten(memory: LongTermMemory, tmp_path: Path) -> None:
    facts = ImportSource(reader=Facts(), path=tmp_path, owner=MemoryOwner(user="", character=""))
    assert survey([facts]).notes == 2
    assert import_chats(memory, facts).notes == 2
    tall, _ = memory.always_in_prompt(MIRA)
    memory.forget(MIRA, [tall.id])
    assert import_chats(memory, facts).notes == 0
    assert [entry.text for entry in memory.always_in_prompt(MIRA)] == ["Ana sings"]
