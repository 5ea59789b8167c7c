"""The feature on one page, as a chat uses it."""

import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from memory_core.domain.errors import EmbedderUnavailable, UnknownMemory
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.base import Vectors
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.contract import Page
from memory_core.storage.manifest import MANIFEST, read_manifest
from tests.builders import (
    KIND,
    NOW,
    SPACE,
    asked,
    derive_all,
    destroy,
    pipeline,
    recalled,
    said,
    user_sides,
)
from tests.conftest import OpenMemory
from tests.storage.index.in_memory.store import InMemoryStore


class FailingEmbedder(FakeEmbedder):
    """The fake embedder, which can fail or return vectors of a wrong width."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False
        self.excess = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.is_away:
            raise EmbedderUnavailable("the server is away")
        return np.pad(super().embed(texts), ((0, 0), (0, self.excess)))


# ---- remembering


def test_the_first_memory_of_all_is_recalled_by_its_words(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    found = memory.recall(SPACE, asked("What is the name of my dog?"))
    assert recalled(found) == ["My dog is called Bruno"]


def test_memory_is_recalled_by_the_next_process(memory: LongTermMemory, opened: OpenMemory) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.close()
    assert recalled(opened().recall(SPACE, asked("my dog"))) == ["My dog is called Bruno"]


def test_exchanges_of_a_conversation_are_numbered(memory: LongTermMemory) -> None:
    for text in ("one", "two", "three"):
        memory.remember(SPACE, "monday", said(text))
    assert [exchange.turn_id for exchange in memory.conversation(SPACE, "monday", 9)] == [1, 2, 3]


def test_namespaces_do_not_see_each_other(memory: LongTermMemory) -> None:
    spaces = [Namespace(user, "小明") for user in ("ana", "Ana", "李华", "..")]
    for n, space in enumerate(spaces):
        memory.remember(space, "monday", said(f"My secret is number {n}"))
    for n, space in enumerate(spaces):
        assert recalled(memory.recall(space, asked("my secret"))) == [f"My secret is number {n}"]
    assert set(memory.namespaces()) == set(spaces)


def test_lone_surrogate_makes_no_difference_in_the_next_comparison(memory: LongTermMemory) -> None:
    shown = [said("half a smile \ud83d")]
    assert memory.reconcile(SPACE, "monday", shown, whole=True)
    assert not memory.reconcile(SPACE, "monday", shown, whole=True)


def test_conversation_is_recognised_by_its_first_exchange(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("hello"))
    assert memory.conversation_of(SPACE, said("hello")) == "monday"
    assert memory.conversation_of(SPACE, said("good evening")) is None


# ---- what the chat shows


def test_an_edited_answer_is_recalled_as_it_now_stands(memory: LongTermMemory) -> None:
    memory.reconcile(SPACE, "monday", [said("My dog?", "Bruno")], whole=True)
    (before,) = memory.conversation(SPACE, "monday", 1)
    memory.reconcile(SPACE, "monday", [said("My dog?", "Fido")], whole=True)
    (after,) = memory.conversation(SPACE, "monday", 1)
    assert (after.id, after.text) == (before.id, "Ana: My dog?\nMira: Fido")
    assert recalled(memory.recall(SPACE, asked("Bruno"))) == []


def test_an_exchange_deleted_from_the_chat_is_not_recalled(memory: LongTermMemory) -> None:
    memory.reconcile(SPACE, "monday", [said("My dog barks"), said("hello")], whole=True)
    memory.reconcile(SPACE, "monday", [said("hello")], whole=True)
    assert recalled(memory.recall(SPACE, asked("dog"))) == []


def test_compare_writes_nothing(memory: LongTermMemory) -> None:
    diff = memory.compare(SPACE, "monday", [said("hello")], whole=True)
    assert [change.exchange for change in diff.added] == [said("hello")]
    assert memory.counts(SPACE)["live"] == 0


def test_forgotten_exchange_deleted_from_the_chat_leaves_it_once(
    memory: LongTermMemory,
) -> None:
    memory.reconcile(SPACE, "monday", [said("secret"), said("hello")], whole=True)
    secret = memory.conversation(SPACE, "monday", 9)[0].id
    memory.forget(SPACE, [secret])
    diff = memory.reconcile(SPACE, "monday", [said("hello")], whole=True)
    assert (diff.forgotten_left, diff.removed) == ((secret,), ())
    assert not memory.reconcile(SPACE, "monday", [said("hello")], whole=True)


# ---- recalling


def test_memory_is_recalled_by_a_chinese_message(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("我的狗叫小黑，它喜欢海滩", "真可爱！"))
    memory.remember(SPACE, "monday", said("我在格拉茨当养蜂人", "有意思。"))
    assert recalled(memory.recall(SPACE, asked("你还记得我的狗叫什么吗？")))[0].startswith("我的狗")


def test_names_of_the_speakers_recall_nothing(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("The weather is fine"))
    assert recalled(memory.recall(SPACE, asked("Mira, it is Ana"))) == []


def test_the_same_exchange_in_two_conversations_is_recalled_once(memory: LongTermMemory) -> None:
    for conversation in ("monday", "tuesday"):
        memory.remember(SPACE, conversation, said("My dog is called Bruno"))
    found = memory.recall(SPACE, asked("my dog"))
    assert recalled(found) == ["My dog is called Bruno"]
    assert [drop.reason for drop in found.dropped] == ["duplicate"]


def test_new_memories_wait_for_the_next_session_if_set(
    memory: LongTermMemory, opened: OpenMemory
) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.close()
    again = opened(limits=replace(KIND, next_session_only=True))
    again.recall(SPACE, asked("hello"))
    again.remember(SPACE, "tuesday", said("My dog is a dachshund"))
    assert recalled(again.recall(SPACE, asked("my dog"))) == ["My dog is called Bruno"]
    again.force_reload(SPACE)
    assert len(recalled(again.recall(SPACE, asked("my dog")))) == 2


# ---- what the user does with a memory


def test_notes_can_be_kept_pinned_edited_and_recalled(memory: LongTermMemory) -> None:
    note = memory.add_note(SPACE, "Ana must not eat nuts", kind=MemoryKind.DIARY, pinned=True)
    memory.edit(SPACE, note, {"text": "Ana must not eat peanuts"})
    assert user_sides(memory.always_in_prompt(SPACE)) == ["Ana must not eat peanuts"]
    assert recalled(memory.recall(SPACE, asked("peanuts"))) == ["Ana must not eat peanuts"]
    memory.unpin(SPACE, note)
    assert memory.always_in_prompt(SPACE) == []


@pytest.mark.parametrize("verb", ["pin", "unpin", "unforget"])
def test_an_unknown_memory_is_reported(memory: LongTermMemory, verb: str) -> None:
    with pytest.raises(UnknownMemory, match="absent"):
        getattr(memory, verb)(SPACE, "absent")


def test_destroying_leaves_a_backup_that_holds_the_truth(
    memory: LongTermMemory, opened: OpenMemory
) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.add_note(SPACE, "Ana must not eat nuts", kind=MemoryKind.DIARY, pinned=True)
    backup = destroy(memory, SPACE)
    assert memory.namespaces() == []
    assert recalled(memory.recall(SPACE, asked("my dog"))) == []
    destroy(memory, SPACE)
    with zipfile.ZipFile(backup) as archive:
        assert sorted(archive.namelist()) == [
            "conversations/monday.jsonl", "manifest.json", "notes.jsonl",
        ]  # fmt: skip
        archive.extractall(SPACE.folder(memory.root))
    assert recalled(opened().recall(SPACE, asked("my dog"))) == ["My dog is called Bruno"]


def test_backups_of_the_same_second_do_not_overwrite_each_other(memory: LongTermMemory) -> None:
    paths = []
    for _ in range(3):
        memory.remember(SPACE, "monday", said("hello"))
        paths.append(destroy(memory, SPACE))
    assert len(set(paths)) == 3
    assert all(path.exists() for path in paths)


def test_latest_returns_pages_of_memories(memory: LongTermMemory) -> None:
    for n in range(3):
        memory.remember(SPACE, "monday", said(f"number {n}", ts=NOW + n))
    assert user_sides(memory.latest(SPACE, Page(limit=2))) == ["number 2", "number 1"]


# ---- the manifest


def test_manifest_holds_the_names(memory: LongTermMemory) -> None:
    space = Namespace("ana", "小" * 60)
    memory.remember(space, "monday", said("hello"))
    assert read_manifest(space.folder(memory.root))["character"] == "小" * 60
    assert memory.namespaces() == [space]


def test_a_damaged_manifest_is_reported_and_the_memories_are_there(
    memory: LongTermMemory, opened: OpenMemory
) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.close()
    (SPACE.folder(memory.root) / MANIFEST).write_text("garbage", encoding="utf-8")
    again = opened()
    assert recalled(again.recall(SPACE, asked("my dog"))) == ["My dog is called Bruno"]
    assert MANIFEST in again.problems()[0]


# ---- embedders


@pytest.fixture
def embedder() -> FailingEmbedder:
    return FailingEmbedder()


@pytest.fixture
def dense(opened: OpenMemory, embedder: FailingEmbedder) -> LongTermMemory:
    """Opens a memory with one embedded exchange."""
    memory = opened(embedder=embedder)
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    derive_all(memory)
    return memory


def has_cosines(memory: LongTermMemory) -> bool:
    """Returns whether vectors have a part in recall."""
    kept = memory.recall(SPACE, asked("my dog Bruno")).kept
    assert kept
    return all(memory.candidate.cosine is not None for memory in kept)


def test_recall_with_vectors_is_not_degraded(dense: LongTermMemory) -> None:
    assert has_cosines(dense)
    assert dense.recall(SPACE, asked("my dog")).degraded_reasons == ()


def test_recall_without_an_embedder_is_degraded_and_reports_it(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    assert memory.recall(SPACE, asked("my dog")).degraded_reasons == (
        "no embedding model: words only",
    )
    assert memory.derive_pending(SPACE) == 0


def test_unavailable_embedder_costs_only_the_vectors(
    dense: LongTermMemory, embedder: FailingEmbedder
) -> None:
    embedder.is_away = True
    found = dense.recall(SPACE, asked("my dog"))
    assert recalled(found) == ["My dog is called Bruno"]
    assert found.degraded_reasons == ("words only: the server is away",)


def test_text_is_embedded_once_the_embedder_is_available(
    opened: OpenMemory, embedder: FailingEmbedder
) -> None:
    memory = opened(embedder=embedder)
    embedder.is_away = True
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    with pytest.raises(EmbedderUnavailable):
        derive_all(memory)
    assert memory.counts(SPACE)["embedded"] == 0
    embedder.is_away = False
    derive_all(memory)
    assert has_cosines(memory)


def test_vectors_of_a_wrong_width_are_refused(
    dense: LongTermMemory, embedder: FailingEmbedder
) -> None:
    dense.remember(SPACE, "monday", said("My dog is called Bruno, too"))
    embedder.excess = 3
    found = dense.recall(SPACE, asked("my dog"))
    assert len(found.kept) == 2
    assert "words only" in found.degraded_reasons[0]
    with pytest.raises(EmbedderUnavailable, match="shape"):
        dense.derive_pending(SPACE)
    embedder.excess = 0
    derive_all(dense)
    assert has_cosines(dense)


def test_vectors_of_another_embedder_are_replaced_and_never_mixed(dense: LongTermMemory) -> None:
    other = FakeEmbedder(dim=48)
    dense.reconfigure(embedder=other, pipeline=pipeline(), limits=KIND)
    assert not has_cosines(dense)
    assert dense.recall(SPACE, asked("my dog")).degraded_reasons == (
        "embeddings are not ready yet: words only",
    )
    derive_all(dense)
    assert has_cosines(dense)
    (kept,) = dense.recall(SPACE, asked("My dog is called Bruno")).kept
    assert kept.candidate.cosine == pytest.approx(1.0, abs=2e-3)


def test_vectors_are_not_made_twice(
    dense: LongTermMemory, opened: OpenMemory, embedder: FailingEmbedder
) -> None:
    dense.close()
    again = opened(embedder=embedder)
    assert again.derive_pending(SPACE) == 1  # the model is begun with
    assert again.derive_pending(SPACE) == 0
    assert has_cosines(again)


def test_a_text_without_a_vector_is_not_asked_for_forever(opened: OpenMemory) -> None:
    class Mute(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            return np.zeros((len(texts), self.dim), dtype=np.float32)

    memory = opened(embedder=Mute())
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    assert memory.derive_pending(SPACE) == 3  # a new model, what was said and what was answered
    assert memory.derive_pending(SPACE) == 0


# ---- many at once


@pytest.mark.slow
def test_eight_threads_write_and_recall_in_three_namespaces(opened: OpenMemory) -> None:
    memory = opened(embedder=FakeEmbedder())
    spaces = [Namespace("ana", name) for name in ("mira", "noa", "李华")]

    def chat(thread: int) -> None:
        for n in range(6):
            space = spaces[(thread + n) % 3]
            memory.remember(space, "shared talk", said(f"thread{thread} says number{n}"))
            memory.derive_pending(space)
            found = memory.recall(space, asked(f"thread{thread} number{n}"))
            assert f"thread{thread} says number{n}" in recalled(found)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(chat, range(8)))  # raises what a thread raised
    for space in spaces:
        turn_ids = [exchange.turn_id for exchange in memory.conversation(space, "shared talk", 99)]
        assert turn_ids == list(range(1, 17))


def test_long_term_memory_works_with_another_store(opened: OpenMemory) -> None:
    memory = opened(open_store=lambda _: InMemoryStore(), embedder=FakeEmbedder())
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    derive_all(memory)
    assert has_cosines(memory)
