"""The self-test passes on a working memory, names a failing step, and leaves nothing."""

import os
import time
from pathlib import Path

import pytest

from memory_core.admin import self_test
from memory_core.admin.self_test import PREFIX, SelfTestStep
from memory_core.bootstrap import build_runtime
from memory_core.domain.errors import EmbedderUnavailable, StorageFailed
from memory_core.memory.installation import Installation
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from tests.builders import open_memory


class Mute(FakeEmbedder):
    def embed(self, texts):
        raise EmbedderUnavailable("the server is away")


class Full(LongTermMemory):
    """Its disk is full."""

    def remember(self, *args):
        raise StorageFailed("the disk is full")


class Unforgetting(LongTermMemory):
    def forget(self, namespace, ids):
        return list(ids)


class Keeping(LongTermMemory):
    """Hides what is forgotten, but erases nothing."""

    def erase_all_forgotten(self, namespace):
        return 0


def opening(kind, **options):
    def make(folder: Path) -> LongTermMemory:
        memory = open_memory(folder, **options)
        memory.__class__ = kind
        return memory

    return make


def faults(root: Path, make) -> dict[SelfTestStep, str]:
    return {result.step: result.fault for result in self_test.run(root, make) if result.fault}


def test_a_working_memory_passes_every_step_and_leaves_nothing(tmp_path):
    root = tmp_path / "memories"
    taken = self_test.run(root, opening(LongTermMemory, embedder=FakeEmbedder()))
    assert [result.step for result in taken] == list(SelfTestStep)
    assert [result.fault for result in taken] == [""] * len(taken)
    assert all(result.ms > 0 for result in taken)
    assert list(root.iterdir()) == []


def test_self_test_passes_without_an_embedder(tmp_path):
    assert faults(tmp_path, opening(LongTermMemory)) == {}


def test_failing_embedder_is_reported_and_the_other_steps_run(tmp_path):
    taken = self_test.run(tmp_path, opening(LongTermMemory, embedder=Mute()))
    assert [result.step for result in taken] == list(SelfTestStep)
    assert [result.fault for result in taken if result.fault] == ["the server is away"]


@pytest.mark.parametrize(
    ("kind", "step", "reason"),
    [
        (Full, SelfTestStep.WRITE, "the disk is full"),
        (Unforgetting, SelfTestStep.FORGET, "still found"),
        (Keeping, SelfTestStep.ERASE, "erased words are still in"),
    ],
)
def test_the_step_that_fails_is_named_and_its_folder_is_removed(tmp_path, kind, step, reason):
    found = faults(tmp_path, opening(kind))
    assert list(found) == [step]
    assert reason in found[step]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_plain_error(tmp_path):
    (tmp_path / "memories").write_text("no folder")
    found = faults(tmp_path / "memories", opening(LongTermMemory))
    assert list(found) == [SelfTestStep.OPEN]
    assert "memories" in found[SelfTestStep.OPEN]


def test_the_users_memories_are_neither_touched_nor_joined_by_others(tmp_path):
    runtime = build_runtime(Installation(folder=tmp_path, environ={"LTM_EMBEDDER__KIND": "none"}))
    seen = []

    def open_and_look(folder: Path) -> LongTermMemory:
        seen.append(runtime.memory.namespaces())
        return open_memory(folder)

    try:
        self_test.run(runtime.memory.root, open_and_look)
        taken = self_test.run(runtime.memory.root, runtime.open_memory_at)
        assert [result.fault for result in taken] == [""] * len(SelfTestStep)
        assert [*seen, runtime.memory.namespaces()] == [[], []]
    finally:
        runtime.close()


def test_self_test_removes_folders_of_killed_runs_but_none_in_use(tmp_path):
    old, new = tmp_path / f"{PREFIX}old", tmp_path / f"{PREFIX}new"
    for folder in (old, new):
        folder.mkdir()
    long_ago = time.time() - 3600.0
    os.utime(old, (long_ago, long_ago))
    self_test.run(tmp_path, opening(LongTermMemory))
    assert [path.name for path in tmp_path.iterdir()] == [new.name]


def test_self_test_passes_with_delayed_sessions_and_a_closed_gate(tmp_path):
    environ = {
        "LTM_EMBEDDER__KIND": "none",
        "LTM_RECALL__VISIBLE": "next_session",
        "LTM_RECALL__MIN_SCORE": "1000",
    }
    runtime = build_runtime(Installation(folder=tmp_path, environ=environ))
    try:
        assert runtime.settings.recall.min_score == 1000
        taken = self_test.run(runtime.memory.root, runtime.open_memory_at)
        assert [result.fault for result in taken if result.fault] == []
    finally:
        runtime.close()
