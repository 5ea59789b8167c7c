"""The queue and its runner: what survives, what is tried again, and what never happens twice."""

import json
import sqlite3
from pathlib import Path

import pytest

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.config.schema import Settings
from memory_core.consolidation.audit_log import NAME, AuditLog
from memory_core.consolidation.exchange_summary import ExchangeSummaries
from memory_core.consolidation.registry import build_workers
from memory_core.consolidation.runner import Step
from memory_core.domain.errors import (
    ConfigError,
    LLMInterrupted,
    LLMRefused,
    LLMUnavailable,
    StorageFailed,
    StorageLocked,
    WorkerFailed,
)
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.storage.contract import Page
from memory_core.storage.job_store import FILE, JobCounts, open_jobs
from memory_core.text.prompt_files import PromptBook
from tests.builders import NOW, SPACE, Clock, destroy, rename
from tests.cases import for_each
from tests.conftest import OpenMemory
from tests.consolidation import own_workers
from tests.consolidation.scenes import (
    NEVER,
    SETTINGS,
    WORKER,
    counts,
    folder,
    make_runner,
    remember,
    run_all,
    summary,
    texts,
)

OWN = "tests.consolidation.own_workers"


def numbered(memory: LongTermMemory, count: int) -> None:
    for number in range(count):
        remember(memory, f"This is my story number {number}.")


def story_of(turns: object) -> str:
    """Returns the summary that a good model gives of a numbered story."""
    number = turns[-1].text.partition("story number ")[2].partition(".")[0]
    return summary(f"Ana told story {number}.")


STORIES = {f"Ana told story {number}." for number in range(5)}


def test_jobs_run_once_each_and_the_oldest_exchange_first(memory: LongTermMemory) -> None:
    numbered(memory, 5)
    llm = ScriptedLLM(story_of)
    assert run_all(make_runner(memory, llm)) == [Step.DONE] * 5
    assert "number 0" in llm.asked[0][-1].text
    assert texts(memory) == STORIES
    assert run_all(make_runner(memory, llm)) == []


def test_the_queue_survives_a_restart(opened: OpenMemory) -> None:
    memory = opened()
    numbered(memory, 5)
    runner = make_runner(memory, ScriptedLLM(story_of))
    runner.scan(SPACE, NEVER)
    runner.step(SPACE, NEVER)
    memory.close()
    again = opened()
    assert counts(again, NOW).due == 4
    assert run_all(make_runner(again, ScriptedLLM(story_of))) == [Step.DONE] * 4
    assert texts(again) == STORIES


def test_a_new_model_goes_on_with_the_same_queue(memory: LongTermMemory) -> None:
    numbered(memory, 2)
    runner = make_runner(memory, ScriptedLLM([summary("One story.")], name="old"))
    runner.scan(SPACE, NEVER)
    runner.step(SPACE, NEVER)
    assert run_all(make_runner(memory, ScriptedLLM([summary("Two stories.")], name="new"))) == [
        Step.DONE
    ]
    assert texts(memory) == {"One story.", "Two stories."}


@pytest.mark.parametrize("damage", [None, b"no database at all" * 100, b""])
def test_runner_without_its_queue_scans_everything_and_makes_nothing_twice(
    memory: LongTermMemory, damage: bytes | None
) -> None:
    numbered(memory, 5)
    run_all(make_runner(memory, ScriptedLLM(story_of)))
    path = folder(memory) / FILE
    path.unlink() if damage is None else path.write_bytes(damage)
    remember(memory, "This is my story number 5.")
    steps = run_all(make_runner(memory, ScriptedLLM(story_of)))
    assert steps.count(Step.DONE) == 1
    assert texts(memory) == STORIES | {"Ana told story 5."}
    assert len(memory.latest(SPACE, Page(limit=100))) == 12


def test_crash_between_summary_and_queue_makes_no_second_summary(
    memory: LongTermMemory,
) -> None:
    numbered(memory, 1)
    with open_jobs(folder(memory)):
        pass
    before = (folder(memory) / FILE).read_bytes()
    run_all(make_runner(memory, ScriptedLLM(story_of)))
    (folder(memory) / FILE).write_bytes(before)
    llm = ScriptedLLM([])
    assert run_all(make_runner(memory, llm)) == [Step.SKIPPED]
    assert len(texts(memory)) == 1


def test_a_bad_answer_is_asked_again_once_with_its_fault(memory: LongTermMemory) -> None:
    remember(memory, "I live in Porto near the river.")
    llm = ScriptedLLM(["I am a teapot.", summary("Ana lives in Porto.")])
    assert run_all(make_runner(memory, llm)) == [Step.DONE]
    assert 'no JSON object with "summary"' in llm.asked[1][-1].text
    assert texts(memory) == {"Ana lives in Porto."}


@pytest.mark.parametrize(
    "answer", ["", "no", '{"resume": 1}', summary(7), summary(["a"]), summary({"a": 1}), "{" * 9999]
)
def test_two_bad_answers_put_the_job_off_with_the_reason(
    memory: LongTermMemory, answer: str
) -> None:
    remember(memory, "I live in Porto near the river.")
    clock = Clock()
    runner = make_runner(memory, ScriptedLLM(lambda turns: answer), clock=clock)
    steps = run_all_or_away(runner)
    assert steps == [Step.FAILED]
    assert (counts(memory, NOW).due, counts(memory, NOW).later) == (0, 1)
    assert counts(memory, NOW).reasons != ()
    assert texts(memory) == set()


def run_all_or_away(runner: object) -> list[Step]:
    """An empty answer counts as a failure of the model, which ends the round."""
    try:
        return run_all(runner)
    except LLMUnavailable:
        return [Step.FAILED]


def test_a_job_is_tried_again_later_and_rests_after_its_last_attempt(
    memory: LongTermMemory,
) -> None:
    remember(memory, "I live in Porto near the river.")
    clock = Clock()
    llm = ScriptedLLM(lambda turns: "nonsense")
    runner = make_runner(memory, llm, clock=clock)
    assert run_all(runner) == [Step.FAILED]
    assert run_all(runner) == []
    for later in (601, 1201):
        clock.now += later
        assert run_all(runner) == [Step.FAILED]
    clock.now += 1e9
    assert run_all(runner) == []
    assert counts(memory, clock.now).resting == 1
    with open_jobs(folder(memory)) as jobs:
        assert jobs.retry_all() == 1
    assert run_all(runner) == [Step.FAILED]


def test_a_refused_job_lets_the_next_one_have_its_turn(memory: LongTermMemory) -> None:
    numbered(memory, 2)
    llm = ScriptedLLM([LLMRefused("too long"), summary("Ana told a story.")])
    assert run_all(make_runner(memory, llm)) == [Step.FAILED, Step.DONE]


@pytest.mark.parametrize("fault", ["is_transient", "is_lasting"])
def test_an_absent_model_costs_no_attempt(memory: LongTermMemory, fault: str) -> None:
    numbered(memory, 1)
    away = LLMUnavailable("cannot be reached, or the key is wrong")
    setattr(away, fault, True)
    runner = make_runner(memory, ScriptedLLM([away]))
    with pytest.raises(LLMUnavailable):
        run_all(runner)
    assert counts(memory, NOW).due == 1


def test_a_job_on_which_the_model_hangs_gives_way_to_others(memory: LongTermMemory) -> None:
    numbered(memory, 2)
    runner = make_runner(memory, ScriptedLLM([LLMUnavailable("did not answer in time")]))
    with pytest.raises(LLMUnavailable):
        run_all(runner)
    assert (counts(memory, NOW).due, counts(memory, NOW).later) == (1, 1)


def test_an_interrupted_job_stays_due(memory: LongTermMemory) -> None:
    numbered(memory, 1)
    runner = make_runner(memory, ScriptedLLM([LLMInterrupted("stopped")]))
    with pytest.raises(LLMInterrupted):
        run_all(runner)
    assert counts(memory, NOW).due == 1


def test_calls_tokens_and_failures_are_counted_per_worker(memory: LongTermMemory) -> None:
    numbered(memory, 2)
    llm = ScriptedLLM(["nonsense", summary("A story."), LLMRefused("too long")])
    run_all(make_runner(memory, llm))
    with open_jobs(folder(memory)) as jobs:
        usage = jobs.usage()[WORKER]
    assert (usage.calls, usage.failures) == (3, 2)
    assert usage.prompt_tokens > 2 * 100
    assert usage.completion_tokens > 0


def test_two_programs_never_do_the_same_jobs(opened: OpenMemory) -> None:
    numbered(opened(), 1)
    with pytest.raises(StorageLocked):
        run_all(make_runner(opened(), ScriptedLLM(story_of)))


def test_the_queue_is_for_its_owner_alone_and_holds_no_text(memory: LongTermMemory) -> None:
    remember(memory, "I live in Portobello near the river.")
    run_all(make_runner(memory, ScriptedLLM(lambda turns: "Portobello nonsense")))
    path = folder(memory) / FILE
    assert path.stat().st_mode & 0o777 == 0o600
    assert b"Portobello" not in path.read_bytes()


def test_a_queue_that_cannot_be_opened_is_named(memory: LongTermMemory) -> None:
    numbered(memory, 1)
    (folder(memory) / FILE).mkdir()
    with pytest.raises(StorageFailed, match=FILE):
        run_all(make_runner(memory, ScriptedLLM(story_of)))


def test_own_workers_run_in_the_settings_order(memory: LongTermMemory) -> None:
    own = ConsolidationSettings(workers=f"{OWN}:Moods, exchange_summary", summary_min_letters=10)
    workers = build_workers(Settings(consolidation=own), PromptBook())
    assert [worker.name for worker in workers] == ["moods", "exchange_summary"]
    numbered(memory, 1)
    llm = ScriptedLLM(['{"mood": "calm"}', summary("Ana told a story.")])
    assert run_all(make_runner(memory, llm, workers=workers)) == [Step.DONE, Step.DONE]
    kinds = {one.kind: one.text for one in memory.latest(SPACE, Page(limit=9))}
    assert kinds[MemoryKind.OBSERVATION] == "calm"


def test_a_worker_that_is_added_later_gets_the_whole_log(memory: LongTermMemory) -> None:
    numbered(memory, 2)
    run_all(make_runner(memory, ScriptedLLM(story_of)))
    workers = [ExchangeSummaries(settings=SETTINGS), own_workers.Moods(settings=None)]
    llm = ScriptedLLM(['{"mood": "calm"}', '{"mood": "merry"}'])
    steps = run_all(make_runner(memory, llm, workers=workers))
    assert steps.count(Step.DONE) == 2
    assert len(llm.asked) == 2


@for_each(
    ("workers", "fault"),
    [
        ("exchange_summery", "'exchange_summery' is no worker; there are observations"),
        ("nowhere:Class", "cannot import 'nowhere'"),
        (f"{OWN}:Task", "failed with TypeError"),
        (f"{OWN}:BrokenRun, {OWN}:BrokenPrepare", "two workers have the same name"),
    ],
)
def test_a_wrong_worker_is_refused_with_the_setting(workers: str, fault: str) -> None:
    settings = Settings(consolidation=ConsolidationSettings(workers=workers))
    with pytest.raises(ConfigError, match=fault) as caught:
        build_workers(settings, PromptBook())
    assert "consolidation.workers" in str(caught.value)


@pytest.mark.parametrize("worker", [own_workers.BrokenRun, own_workers.NamesOthers])
def test_a_broken_workers_jobs_are_put_off_without_its_words(
    memory: LongTermMemory, worker: type[own_workers.Moods]
) -> None:
    numbered(memory, 2)
    llm = ScriptedLLM(lambda turns: '{"mood": "calm"}')
    steps = run_all(make_runner(memory, llm, workers=[worker(settings=None)]))
    assert steps == [Step.FAILED, Step.FAILED]
    with open_jobs(folder(memory)) as jobs:
        (reason,) = jobs.counts(NOW, ["broken"]).reasons
    assert "secret" not in reason
    assert len(memory.latest(SPACE, Page(limit=9))) == 2


def test_a_worker_that_cannot_prepare_a_job_puts_it_off(memory: LongTermMemory) -> None:
    numbered(memory, 1)
    runner = make_runner(
        memory, ScriptedLLM([]), workers=[own_workers.BrokenPrepare(settings=None)]
    )
    with pytest.raises(WorkerFailed, match="broken failed with ZeroDivisionError"):
        run_all(runner)
    assert run_all(runner) == []


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (path / NAME).read_text(encoding="utf-8").splitlines()]


def test_each_call_is_noted_without_texts(memory: LongTermMemory, tmp_path: Path) -> None:
    source = remember(memory, "I live in Portobello near the river.")
    audit = AuditLog(tmp_path / "logs", keeps_texts=False)
    llm = ScriptedLLM(["nonsense", summary("Ana lives there.")], name="small")
    run_all(make_runner(memory, llm, audit=audit))
    first, second = lines(tmp_path / "logs")
    assert (first["job"], first["key"], first["ids"], first["model"]) == (
        "exchange_summary",
        source,
        [source],
        "small",
    )
    assert second["outcome"] == "answered"
    assert second["prompt_tokens"] > 100
    path = tmp_path / "logs" / NAME
    assert "Portobello" not in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o600


def test_texts_are_noted_if_switched_on_without_personal_data(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    private = "sk-abcdefgh12345678", "ana@example.org", "+351 912 345 678", "4111 1111 1111 1111"
    remember(memory, f"In Portobello: {', '.join(private)}")
    audit = AuditLog(tmp_path, keeps_texts=True)
    run_all(make_runner(memory, ScriptedLLM([summary("Ana is there.")]), audit=audit))
    text = (tmp_path / NAME).read_text(encoding="utf-8")
    assert "Portobello" in text
    assert "Ana is there." in text
    assert [part for part in private if part in text] == []


def test_the_audit_log_rotates(memory: LongTermMemory, tmp_path: Path) -> None:
    numbered(memory, 5)
    audit = AuditLog(tmp_path, keeps_texts=False, longest_file=10)
    run_all(make_runner(memory, ScriptedLLM(story_of), audit=audit))
    assert sorted(path.name for path in tmp_path.glob("model_calls*")) == [
        NAME,
        f"{NAME}.1",
        f"{NAME}.2",
        f"{NAME}.3",
    ]


def test_runner_continues_if_a_call_cannot_be_noted(memory: LongTermMemory, tmp_path: Path) -> None:
    numbered(memory, 1)
    (tmp_path / "file").touch()
    audit = AuditLog(tmp_path / "file", keeps_texts=False)
    assert run_all(make_runner(memory, ScriptedLLM(story_of), audit=audit)) == [Step.DONE]
    assert "are not noted" in audit.fault


def test_a_job_store_of_another_version_is_made_anew(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / FILE)
    db.execute("CREATE TABLE jobs(other TEXT)")
    db.execute("PRAGMA user_version = 99")
    db.close()
    with open_jobs(tmp_path) as jobs:
        assert jobs.counts(NOW, [WORKER]).due == 0


@pytest.mark.parametrize("is_usable", [True, False])
def test_memories_that_are_deleted_meanwhile_stay_deleted(
    memory: LongTermMemory, is_usable: bool
) -> None:
    numbered(memory, 2)
    path = folder(memory)

    def answer(turns: object) -> str:
        if path.exists():
            destroy(memory, SPACE)
        return story_of(turns) if is_usable else "no summary"

    assert run_all(make_runner(memory, ScriptedLLM(answer))) == []
    assert not path.exists()
    assert make_runner(memory, ScriptedLLM([])).scan(SPACE, NEVER) == JobCounts()
    assert not path.exists()


def test_renamed_memories_get_their_summary_under_the_new_name(memory: LongTermMemory) -> None:
    numbered(memory, 1)
    new = Namespace("ana", "maya")

    def answer(turns: object) -> str:
        rename(memory, SPACE, new)
        return story_of(turns)

    run_all(make_runner(memory, ScriptedLLM(answer)))
    kinds = [one.kind for one in memory.latest(new, Page(limit=9))]
    assert sorted(kinds) == [MemoryKind.EXCHANGE, MemoryKind.SUMMARY]
