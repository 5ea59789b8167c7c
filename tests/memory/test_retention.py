"""Retention: the memories over a limit, their removal, and the reports about it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.config.schema import RetentionSettings
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.forgetting import Forgotten
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.retention import RetentionPreview, RetentionWorker, preview_retention
from memory_core.memory.retention_policy import (
    NamespaceSize,
    RetentionLimits,
    RetentionReason,
    excess_size,
    is_unreachable,
    limits_from_settings,
    select_for_retention,
)
from memory_core.memory.trace_history import Traces
from memory_core.memory.traces import Trace
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.contract import RetentionCandidate
from memory_core.storage.disk_usage import usage_of
from tests.builders import (
    DAY,
    KIND,
    NOW,
    SPACE,
    Clock,
    asked,
    derive_all,
    destroy,
    recalled,
    said,
    user_sides,
)
from tests.forensics import holding

OpenMemory = Callable[..., LongTermMemory]
BOB = Namespace("bob", "mira")


def aged(*ages: float | None) -> list[RetentionCandidate]:
    """Returns a candidate for each age in days, oldest first, with its index as id."""
    return [
        RetentionCandidate(id=str(n), ts=None if age is None else NOW - age * DAY)
        for n, age in enumerate(ages)
    ]


def going(
    oldest: Sequence[RetentionCandidate], quota: RetentionLimits, **held: int
) -> dict[str, RetentionReason]:
    return select_for_retention(NamespaceSize(live=len(oldest), **held), oldest, quota, now=NOW)


def test_default_limits_remove_nothing() -> None:
    quota = limits_from_settings(RetentionSettings())
    assert not quota.is_set
    assert going(aged(None, 9999, 1), quota, bytes_in_use=1 << 60, total=3) == {}


def test_max_age_selects_memories_older_than_allowed() -> None:
    quota = limits_from_settings(RetentionSettings(max_age_days=2))
    assert going(aged(None, 3, 2.1, 2, 1), quota) == {
        "1": RetentionReason.TOO_OLD,
        "2": RetentionReason.TOO_OLD,
    }


def test_max_memories_selects_the_oldest_and_first_those_without_a_time() -> None:
    quota = limits_from_settings(RetentionSettings(max_memories=2))
    assert going(aged(None, 3, 2, 1), quota) == {
        "0": RetentionReason.TOO_MANY,
        "1": RetentionReason.TOO_MANY,
    }
    assert going(aged(2, 1), quota) == {}


def test_memory_removed_from_its_chat_counts_for_age_not_for_number() -> None:
    gone = RetentionCandidate(id="gone", ts=NOW - 9 * DAY, is_live=False)
    held = NamespaceSize(live=2)
    oldest = [gone, *aged(3, 2)]
    assert select_for_retention(held, oldest, RetentionLimits(max_memories=1), now=NOW) == {
        "0": RetentionReason.TOO_MANY
    }
    assert select_for_retention(held, oldest, RetentionLimits(max_age_s=5 * DAY), now=NOW) == {
        "gone": RetentionReason.TOO_OLD
    }


def test_memory_over_several_limits_is_selected_once_for_the_first() -> None:
    quota = RetentionLimits(max_age_s=2 * DAY, max_memories=2)
    assert going(aged(4, 3, 1.5, 1), quota) == {
        "0": RetentionReason.TOO_OLD,
        "1": RetentionReason.TOO_OLD,
    }
    assert Counter(going(aged(4, 1.8, 1.5, 1), quota).values()) == {
        RetentionReason.TOO_OLD: 1, RetentionReason.TOO_MANY: 1,
    }  # fmt: skip


def test_max_mb_counts_memories_awaiting_erasure_as_removed() -> None:
    quota = RetentionLimits(max_bytes=60_000)
    big = NamespaceSize(live=10, total=10, bytes_in_use=100_000)
    assert big.bytes_per_memory == 8800
    assert excess_size(big, quota) == 5
    assert excess_size(replace(big, live=7, awaiting_erasure=3), quota) == 2
    assert excess_size(replace(big, live=4, awaiting_erasure=6), quota) == 0
    assert excess_size(replace(big, bytes_in_use=60_000), quota) == 0
    found = going(aged(4, 3, 2, 1), quota, bytes_in_use=80_000, total=4)
    assert found == {"0": RetentionReason.TOO_BIG, "1": RetentionReason.TOO_BIG}


def test_max_mb_counts_the_tombstones_that_stay() -> None:
    left = NamespaceSize(live=10, total=10, erased=90, bytes_in_use=10 * 10_000 + 90 * 1200)
    assert left.bytes_per_memory == 8800
    assert excess_size(left, RetentionLimits(max_bytes=left.bytes_in_use - 8800)) == 1


def test_unreachable_max_mb_selects_nothing() -> None:
    held = NamespaceSize(live=10, total=10, erased=90, bytes_in_use=10 * 10_000 + 90 * 1200)
    assert is_unreachable(held, RetentionLimits(max_bytes=100_000))
    assert excess_size(held, RetentionLimits(max_bytes=100_000)) == 0
    assert not is_unreachable(held, RetentionLimits(max_bytes=121_000))
    assert not is_unreachable(held, RetentionLimits())
    assert not is_unreachable(NamespaceSize(live=0), RetentionLimits(max_bytes=0))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(opened: OpenMemory, clock: Clock) -> LongTermMemory:
    return opened(clock=clock)


@pytest.fixture
def traces(tmp_path: Path) -> Traces:
    return Traces(9, lambda: tmp_path / "no-folder")


@pytest.fixture
def keeper(traces: Traces, clock: Clock) -> RetentionWorker:
    def forgot(gone: Forgotten) -> None:
        traces.redact(gone.namespace, gone.ids, gone.messages)

    return RetentionWorker(touch=lambda _: None, forgot=forgot, clock=clock)


def keep(keeper: RetentionWorker, memory: LongTermMemory, quota: RetentionLimits) -> None:
    keeper.enforce(memory, quota, [SPACE], until=lambda: False)


def talk(memory: LongTermMemory, days: int, space: Namespace = SPACE) -> list[str]:
    """Remembers an exchange on each of the last days; returns the ids, oldest first."""
    return [
        memory.remember(space, "talk", said(f"word{n} was said", ts=NOW - n * DAY))
        for n in range(days, 0, -1)
    ]


def left(memory: LongTermMemory, space: Namespace = SPACE) -> list[str]:
    return user_sides(memory.conversation(space, "talk", 99))


def test_memory_over_a_limit_is_hidden_can_be_restored_and_is_erased_later(
    keeper: RetentionWorker, memory: LongTermMemory, clock: Clock
) -> None:
    ids = talk(memory, 5)
    keep(keeper, memory, RetentionLimits(max_memories=3))
    assert left(memory) == ["word3 was said", "word2 was said", "word1 was said"]
    assert recalled(memory.recall(SPACE, asked("word5"))) == []
    assert [hidden.memory.id for hidden in memory.forgotten(SPACE)] == ids[:2]
    memory.unforget(SPACE, ids[1])
    clock.now += KIND.undo_forget_s + 1
    derive_all(memory)
    assert memory.get_record(SPACE, ids[1]).has_text
    assert not memory.get_record(SPACE, ids[0]).has_text
    assert holding(SPACE.folder(memory.root), b"word5") == []


def test_chat_that_shows_a_removed_memory_does_not_restore_it(
    keeper: RetentionWorker, memory: LongTermMemory, clock: Clock
) -> None:
    talk(memory, 4)
    chat = [said(f"word{n} was said", ts=NOW - n * DAY) for n in range(4, 0, -1)]
    for _ in range(2):
        keep(keeper, memory, RetentionLimits(max_memories=2))
        memory.reconcile(SPACE, "talk", chat, whole=True)
        assert left(memory) == ["word2 was said", "word1 was said"]
        memory.reconcile(SPACE, "branch", chat, whole=True)
        assert left(memory) == ["word2 was said", "word1 was said"]
        clock.now += KIND.undo_forget_s + 1
        derive_all(memory)


def test_newer_memory_with_equal_text_stays(
    keeper: RetentionWorker, memory: LongTermMemory
) -> None:
    memory.remember(SPACE, "talk", said("good morning", ts=NOW - 9 * DAY))
    memory.remember(SPACE, "talk", said("good morning", ts=NOW))
    keep(keeper, memory, RetentionLimits(max_age_s=DAY))
    assert left(memory) == ["good morning"]
    assert memory.counts(SPACE)["forgotten"] == 1


def test_pinned_memories_and_knowledge_stay_and_do_not_count(
    keeper: RetentionWorker, memory: LongTermMemory
) -> None:
    ids = talk(memory, 5)
    memory.pin(SPACE, ids[0])
    memory.add_note(SPACE, "Ana likes tea", kind=MemoryKind.KNOWLEDGE, pinned=False)
    keep(keeper, memory, RetentionLimits(max_memories=1, max_age_s=2.5 * DAY))
    assert left(memory) == ["word5 was said", "word1 was said"]
    assert len(memory.always_in_prompt(SPACE)) == 2


def test_memory_removed_from_its_chat_is_forgotten_when_too_old(
    keeper: RetentionWorker, memory: LongTermMemory
) -> None:
    ids = talk(memory, 3)
    memory.reconcile(SPACE, "talk", [], whole=True)
    keep(keeper, memory, RetentionLimits(max_age_s=1.5 * DAY))
    assert {hidden.memory.id for hidden in memory.forgotten(SPACE)} == set(ids[:2])


def test_retention_forgets_in_batches_with_other_work_between(
    keeper: RetentionWorker, memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.memory.retention.BATCH_SIZE", 2)
    talk(memory, 7)
    steps = iter([False, True])
    keeper.enforce(memory, RetentionLimits(max_memories=1), [], until=lambda: next(steps))
    assert memory.counts(SPACE)["forgotten"] == 4
    keep(keeper, memory, RetentionLimits(max_memories=1))
    assert left(memory) == ["word1 was said"]


def test_retention_limits_the_memories_awaiting_erasure(
    keeper: RetentionWorker, memory: LongTermMemory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.memory.retention.MAX_AWAITING_ERASURE", 3)
    talk(memory, 7)
    seen = []
    for _ in range(3):
        keep(keeper, memory, RetentionLimits(max_memories=1))
        seen.append(len(memory.forgotten(SPACE)))
        clock.now += 3700
        derive_all(memory)
    assert seen == [3, 3, 0]


def test_limit_is_enforced_in_all_namespaces_and_again_every_day(
    keeper: RetentionWorker, memory: LongTermMemory, clock: Clock
) -> None:
    for space in (SPACE, BOB):
        talk(memory, 3, space)
    quota = RetentionLimits(max_age_s=2.5 * DAY)
    keep(keeper, memory, quota)
    assert [len(left(memory, space)) for space in (SPACE, BOB)] == [2, 2]
    clock.now += DAY
    keep(keeper, memory, quota)
    assert [len(left(memory, space)) for space in (SPACE, BOB)] == [1, 1]


@pytest.mark.parametrize("later_s", [3601, -3650 * DAY], ids=["an hour", "clock set back"])
def test_used_namespace_is_checked_every_hour_not_at_every_message(
    keeper: RetentionWorker, memory: LongTermMemory, clock: Clock, later_s: float
) -> None:
    quota = RetentionLimits(max_memories=2)
    talk(memory, 2)
    keep(keeper, memory, quota)
    memory.remember(SPACE, "talk", said("one more"))
    keep(keeper, memory, quota)
    assert len(left(memory)) == 3
    clock.now += later_s
    keep(keeper, memory, quota)
    assert left(memory) == ["word1 was said", "one more"]


def test_retention_counts_removals_by_reason_and_drops_their_traces(
    keeper: RetentionWorker, memory: LongTermMemory, traces: Traces
) -> None:
    talk(memory, 4)
    traces.add(SPACE, Trace(ts=1.0, user="", character="", conversation="", query="word4 was said"))
    keep(keeper, memory, RetentionLimits(max_memories=2, max_age_s=3.5 * DAY))
    assert keeper.removed_counts(SPACE) == {RetentionReason.TOO_OLD: 1, RetentionReason.TOO_MANY: 1}
    assert keeper.removed_counts(BOB) == {}
    assert traces.latest() == []


def test_preview_counts_memories_to_remove_and_changes_nothing(
    keeper: RetentionWorker, memory: LongTermMemory
) -> None:
    talk(memory, 5)
    talk(memory, 2, BOB)
    quota = RetentionLimits(max_memories=4, max_age_s=2.5 * DAY)
    assert preview_retention(memory, quota, now=NOW) == RetentionPreview(memories=3, namespaces=1)
    assert preview_retention(memory, RetentionLimits(), now=NOW) == RetentionPreview()
    assert len(left(memory)) == 5
    keep(keeper, memory, quota)
    assert preview_retention(memory, quota, now=NOW) == RetentionPreview()
    assert memory.counts(SPACE)["forgotten"] == 3


def test_max_mb_is_reached_after_the_erasure(
    keeper: RetentionWorker, memory: LongTermMemory, clock: Clock
) -> None:
    for n in range(60):
        memory.remember(SPACE, "talk", said(f"word{n} " + "lorem ipsum dolor " * 800, ts=NOW + n))
    derive_all(memory)
    memory.close()  # what stands in SQLite's journal goes where it stays
    folder = SPACE.folder(memory.root)
    most = usage_of(folder).steady_total * 2 // 3
    quota = RetentionLimits(max_bytes=most)
    for _ in range(6):
        keep(keeper, memory, quota)
        clock.now += 3700
        derive_all(memory)
    assert usage_of(folder).steady_total <= most
    assert 20 <= len(left(memory)) <= 50
    assert set(keeper.removed_counts(SPACE)) == {RetentionReason.TOO_BIG}
    assert keeper.problems() == []


def ballast(memory: LongTermMemory, size: int) -> None:
    (SPACE.folder(memory.root) / "index" / "ballast").write_bytes(bytes(size))


def test_unreachable_max_mb_forgets_nothing_and_is_reported(
    keeper: RetentionWorker, memory: LongTermMemory
) -> None:
    talk(memory, 30)
    derive_all(memory)
    assert preview_retention(memory, RetentionLimits(max_bytes=5000), now=NOW) == RetentionPreview(
        unreachable=1
    )
    keep(keeper, memory, RetentionLimits(max_bytes=5000))
    assert len(left(memory)) == 30
    assert "retention.max_mb cannot be reached" in keeper.problems()[0]
    keep(keeper, memory, RetentionLimits())
    assert keeper.problems() == []


def test_retention_stops_and_reports_when_forgetting_frees_no_space(
    keeper: RetentionWorker, memory: LongTermMemory, clock: Clock
) -> None:
    talk(memory, 30)
    derive_all(memory)
    ballast(memory, 4_000_000)
    for _ in range(5):
        keep(keeper, memory, RetentionLimits(max_bytes=3_700_000))
        clock.now += 3700
        derive_all(memory)
    assert len(left(memory)) >= 20
    assert "retention.max_mb cannot be reached" in keeper.problems()[0]


def test_unused_vectors_do_not_count_for_max_mb(
    keeper: RetentionWorker, opened: OpenMemory, clock: Clock
) -> None:
    memory = opened(clock=clock, embedder=FakeEmbedder())
    talk(memory, 30)
    derive_all(memory)
    memory.close()
    derive_all(memory)
    quota = RetentionLimits(max_bytes=2 * usage_of(SPACE.folder(memory.root)).steady_total)
    earlier = SPACE.folder(memory.root) / "index" / "vectors-0"
    earlier.mkdir()
    (earlier / "tail.f16").write_bytes(bytes(4_000_000))
    keep(keeper, memory, quota)
    assert len(left(memory)) == 30
    assert keeper.problems() == []


def test_retention_skips_a_folder_deleted_meanwhile(
    keeper: RetentionWorker, memory: LongTermMemory
) -> None:
    talk(memory, 2)
    keeper.plan(memory, RetentionLimits(max_memories=1), [BOB])
    destroy(memory, SPACE)
    while keeper.step(memory):
        pass
    assert memory.namespaces() == []
    assert not BOB.folder(memory.root).exists()


def test_settings_refuse_negative_or_zero_limits(tmp_path: Path) -> None:
    for bad in ({"max_memories": 0}, {"max_age_days": 0}, {"max_mb": 0.5}):
        with pytest.raises(ValueError, match="greater than"):
            RetentionSettings.model_validate(bad)
