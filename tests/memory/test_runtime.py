"""The runtime without threads: jobs in order, problems shown, settings applied."""

import errno
import logging
import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memory_core.bootstrap import build_runtime
from memory_core.domain.errors import ConfigError, EmbedderUnavailable, StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.infra import work_queues
from memory_core.infra.circuit_breaker import CircuitBreaker
from memory_core.infra.scratch_folders import new_scratch_folder
from memory_core.memory.forgetting import Forgotten
from memory_core.memory.installation import Installation
from memory_core.memory.journal import EntryKind
from memory_core.memory.runtime import Runtime
from tests.builders import SPACE, asked, recalled, said

MakeRuntime = Callable[..., Runtime]


@pytest.fixture
def runtime(make_runtime: MakeRuntime) -> Runtime:
    return make_runtime()


class Flaky:
    """Makes jobs that record their names, and fail while `fault` is set."""

    def __init__(self) -> None:
        self.fault: Exception | None = None
        self.done: list[str] = []

    def job(self, name: str) -> Callable[[], None]:
        def run() -> None:
            if self.fault is not None:
                raise self.fault
            self.done.append(name)

        return run


def test_journal_counts_forgotten_memories(runtime: Runtime) -> None:
    runtime.notify_forgotten(Forgotten.of(SPACE, ["a", "b"], ()))
    entries = runtime.journal.latest()
    assert [(entry.kind, entry.count) for entry in entries] == [(EntryKind.FORGOT, 2)]


def test_jobs_run_in_their_order(runtime: Runtime) -> None:
    flaky = Flaky()
    for name in "abc":
        runtime.submit(flaky.job(name))
    assert flaky.done == []
    runtime.run_pending()
    assert flaky.done == ["a", "b", "c"]


def test_failed_job_is_reported_and_repeated_in_order(runtime: Runtime) -> None:
    flaky = Flaky()
    flaky.fault = StorageFailed("the disk is full")
    runtime.submit(flaky.job("a"))
    runtime.submit(flaky.job("b"))
    runtime.run_pending()
    assert flaky.done == []
    assert runtime.problems() == ["not remembered yet: the disk is full"]
    flaky.fault = None
    runtime.submit(flaky.job("c"))
    runtime.run_pending()
    assert flaky.done == ["a", "b", "c"]
    assert runtime.problems() == []


def test_later_jobs_do_not_overtake_a_failed_one(runtime: Runtime) -> None:
    stuck, free = Flaky(), Flaky()
    stuck.done = free.done
    stuck.fault = StorageFailed("the disk is full")
    runtime.submit(stuck.job("a"))
    runtime.submit(free.job("b"))
    runtime.run_pending()
    assert free.done == []
    stuck.fault = None
    runtime.run_pending()
    assert free.done == ["a", "b"]


def test_failed_job_is_tried_once_more_at_close(runtime: Runtime) -> None:
    flaky = Flaky()
    flaky.fault = StorageFailed("the disk is full")
    runtime.submit(flaky.job("a"))
    runtime.run_pending()
    flaky.fault = None
    runtime.close()
    assert flaky.done == ["a"]


def test_failure_in_one_namespace_is_reported_while_others_are_written(runtime: Runtime) -> None:
    stuck, free = Flaky(), Flaky()
    stuck.fault = StorageFailed("the folder is locked")
    runtime.submit(stuck.job("a"), SPACE)
    runtime.submit(free.job("b"), Namespace("bob", "mira"))
    runtime.run_pending()
    assert free.done == ["b"]
    assert runtime.problems() == ["not remembered yet: the folder is locked"]
    runtime.close()
    assert any("not kept" in problem for problem in runtime.problems())
    assert runtime.lost_count() == 1


def test_a_bug_in_one_job_is_reported_and_does_not_stop_the_others(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    buggy, flaky = Flaky(), Flaky()
    buggy.fault = ZeroDivisionError("oops")
    runtime.submit(buggy.job("a"))
    runtime.submit(flaky.job("b"))
    runtime.run_pending()
    assert flaky.done == ["b"]
    assert "ZeroDivisionError" in runtime.problems()[0]
    assert "ZeroDivisionError" in caplog.text


def test_a_bug_that_comes_again_is_logged_once(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    buggy = Flaky()
    buggy.fault = ZeroDivisionError("oops")
    for _ in range(3):
        runtime.submit(buggy.job("a"))
    runtime.run_pending()
    assert caplog.text.count("please report it") == 1


def test_full_queue_is_reported_and_does_not_block(runtime: Runtime) -> None:
    flaky = Flaky()
    for n in range(work_queues.MAX_WAITING + 44):
        runtime.submit(flaky.job(str(n)), SPACE)
    problem = "not kept so far: 44 in the requests of ana / mira"
    assert problem in runtime.problems()[0]
    runtime.run_pending()
    assert flaky.done == [str(n) for n in range(work_queues.MAX_WAITING)]
    assert problem in runtime.problems()[0]  # a loss stays reported


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.ESTALE, errno.ENOSPC])
def test_system_error_in_a_job_is_reported_with_its_file_and_the_job_tried_again(
    runtime: Runtime, number: int
) -> None:
    flaky = Flaky()
    flaky.fault = OSError(number, os.strerror(number), "/memories/ana/mira.jsonl")
    runtime.submit(flaky.job("a"), SPACE)
    runtime.run_pending()
    (problem,) = runtime.problems()
    reason = f"/memories/ana/mira.jsonl: {os.strerror(number)}"
    assert problem.startswith(f"not remembered yet: {reason}")  # advice may follow
    assert runtime.count_waiting() == (0, 1)
    flaky.fault = None
    runtime.run_pending()
    assert flaky.done == ["a"]
    assert (runtime.problems(), runtime.lost_count()) == ([], 0)


def test_system_error_that_names_no_file_names_whose_memories_wait(runtime: Runtime) -> None:
    flaky = Flaky()
    flaky.fault = TimeoutError()
    runtime.submit(flaky.job("a"), SPACE)
    runtime.run_pending()
    assert runtime.problems() == ["not remembered yet: writing ana / mira: TimeoutError"]


def test_problem_is_logged_once_and_shown_until_cleared(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        runtime.report("recall", "it hurts")
        runtime.report("recall", "it hurts")
    assert [record.message for record in caplog.records] == ["it hurts"]
    assert runtime.problems() == ["it hurts"]
    runtime.clear("recall")
    runtime.clear("recall")
    assert runtime.problems() == []


def test_failure_of_a_paused_service_is_logged_once_whatever_seconds_are_left(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    moments = iter((0.0, 0.0, 5.0, 9.0))
    breaker = CircuitBreaker(EmbedderUnavailable, harmless=(), clock=moments.__next__)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            with pytest.raises(EmbedderUnavailable) as caught, breaker.guard():
                raise EmbedderUnavailable("nobody at home")
            runtime.report("deriving", str(caught.value))
    assert [record.message for record in caplog.records] == ["nobody at home"]
    assert runtime.problems() == ["nobody at home (tried again in 21 s)"]


def test_a_bad_setting_is_reported_and_the_others_count(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime(recall={"retrieve_k": "many", "lines": 3})
    assert runtime.settings.recall.retrieve_k == 2
    assert runtime.settings.recall.lines == 3
    assert "recall.retrieve_k" in runtime.problems()[0]


def test_a_foreign_variable_is_logged_at_the_start_and_is_no_banner(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    environ = {"USERS_DIR": "/data/users", "LTM_EMBEDDER__KIND": "none"}
    with closing(build_runtime(Installation(folder=tmp_path, environ=environ))) as runtime:
        runtime.start()
        assert caplog.text.count("USERS_DIR") == 1
        assert "storage_dir" in caplog.text
        assert not any("USERS_DIR" in problem for problem in runtime.problems())


def test_start_deletes_temporary_files_of_killed_programs(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, done = new_scratch_folder(), threading.Event()
    os.utime(left, (0, 0))
    runtime.add_idle_duty(done.set)
    runtime.start()
    runtime.schedule(SPACE)  # wakes the thread, which else rests for half a minute
    assert done.wait(30.0)
    assert not left.exists()


def test_saved_settings_apply_at_once(runtime: Runtime) -> None:
    runtime.memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    question = asked("What is my dog called?")
    assert recalled(runtime.memory.recall(SPACE, question))
    runtime.save_settings({"recall.min_score": 99.0})
    assert recalled(runtime.memory.recall(SPACE, question)) == []


def test_a_bad_setting_is_refused_and_changes_nothing(runtime: Runtime) -> None:
    before = runtime.installation.config_path.read_bytes()
    with pytest.raises(ConfigError):
        runtime.save_settings({"recall.min_score": -1})
    assert runtime.installation.config_path.read_bytes() == before


def test_a_new_embedder_replaces_the_old_one(runtime: Runtime) -> None:
    assert runtime.memory.embedder is None
    runtime.save_settings({"embedder.kind": "tests.providers.embedders.own_embedders:Careless"})
    assert runtime.memory.embedder is not None
    embedder = runtime.memory.embedder
    runtime.save_settings({"recall.lines": 4})
    assert runtime.memory.embedder is embedder


def test_a_model_that_cannot_be_set_up_is_reported_until_it_can(runtime: Runtime) -> None:
    runtime.save_settings({"embedder.kind": "no_such_package:Embedder"})
    assert "words alone" in runtime.problems()[0]
    runtime.save_settings({"embedder.kind": "none"})
    assert runtime.problems() == []


def test_gate_without_a_language_model_is_reported_once_switched_on(
    runtime: Runtime,
) -> None:
    runtime.save_settings({"recall.use_gate": True})
    assert "recall.use_gate is on" in runtime.problems()[0]
    runtime.save_settings({"recall.use_gate": False})
    assert runtime.problems() == []


def test_another_folder_is_used_and_the_old_one_is_free_again(
    runtime: Runtime, tmp_path: Path
) -> None:
    old = runtime.memory
    old.remember(SPACE, "monday", said("My dog is called Bruno"))
    runtime.save_settings({"storage_dir": str(tmp_path / "elsewhere")})
    question = asked("What do you know of my dog?")
    assert recalled(runtime.memory.recall(SPACE, question)) == []
    runtime.memory.remember(SPACE, "monday", said("hello"))
    runtime.save_settings({"storage_dir": ""})
    assert runtime.memory is not old
    runtime.memory.remember(SPACE, "monday", said("My dog is seven"))
    assert len(recalled(runtime.memory.recall(SPACE, question))) == 2


def test_retention_works_without_threads_and_reports_failures(
    runtime: Runtime,
) -> None:
    for n in range(3):
        runtime.memory.remember(SPACE, "monday", said(f"word{n}"))
    runtime.save_settings({"retention.max_memories": 1})
    runtime.enforce_retention()
    assert runtime.memory.counts(SPACE)["live"] == 1
    assert runtime.problems() == []
    (runtime.memory.root / "ana" / "nobody").mkdir()
    (runtime.memory.root / "ana" / "nobody" / "index").write_text("no folder")
    runtime.save_settings({"retention.max_memories": 2})
    for _ in range(3):
        runtime.enforce_retention()
    assert ["a limit could not be kept" in problem for problem in runtime.problems()] == [True]


def test_the_deriver_keeps_the_limits(runtime: Runtime) -> None:
    for n in range(3):
        runtime.memory.remember(SPACE, "monday", said(f"word{n}"))
    runtime.save_settings({"retention.max_memories": 1})
    kept = threading.Event()
    touch = runtime.retention_worker._schedule_erasure

    def touched(space: Namespace) -> None:
        touch(space)
        kept.set()

    runtime.retention_worker._schedule_erasure = touched
    runtime.start()
    assert kept.wait(30.0)
    assert runtime.memory.counts(SPACE)["live"] == 1


def test_namespace_with_much_to_embed_delays_no_other(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.memory.runtime._PROCESSING_S", 0.0)
    other = Namespace("bob", "mira")
    for n in range(40):
        runtime.memory.remember(SPACE, "monday", said(f"word{n}"))
    runtime.save_settings({"embedder.kind": "tests.providers.embedders.own_embedders:Careless"})
    order: list[Namespace] = []
    derive = runtime.memory.derive_pending
    done = threading.Event()

    def derive_pending(space: Namespace) -> int:
        order.append(space)
        if len(order) == 1:
            runtime.memory.remember(other, "monday", said("hello"))
            runtime.schedule(other)
        count = derive(space, batch=2)
        if not count and order.count(SPACE) > 10:
            done.set()
        return count

    runtime.memory.derive_pending = derive_pending  # type: ignore[method-assign]
    runtime.start()
    assert done.wait(30.0)
    assert order.index(other) <= 3


def test_system_error_while_deriving_is_reported_and_tried_again(runtime: Runtime) -> None:
    runtime.memory.remember(SPACE, "monday", said("hello"))
    faults: list[Exception] = [OSError(errno.EIO, "Input/output error", "vectors")]
    derive = runtime.memory.derive_pending

    def flaky(space: Namespace) -> int:
        if faults:
            raise faults.pop()
        return derive(space)

    runtime.memory.derive_pending = flaky  # type: ignore[method-assign]
    runtime._process_namespace(SPACE)
    assert "Input/output error" in runtime.problems()[0]
    assert runtime._round_robin._later == {SPACE}
    runtime._process_namespace(SPACE)
    assert runtime.problems() == []


def test_unreadable_folder_at_the_start_does_not_end_the_indexing(runtime: Runtime) -> None:
    indexed = threading.Event()
    derive = runtime.memory.derive_pending

    def unreadable(limit: int) -> list[Namespace]:
        raise StorageFailed("the folder cannot be read")

    def derive_pending(space: Namespace) -> int:
        indexed.set()
        return derive(space)

    runtime.memory.shared.namespaces.recently_written = unreadable  # type: ignore[method-assign]
    runtime.memory.derive_pending = derive_pending  # type: ignore[method-assign]
    runtime.memory.remember(SPACE, "monday", said("hello"))
    runtime.start()
    runtime.schedule(SPACE)
    assert indexed.wait(30.0)
