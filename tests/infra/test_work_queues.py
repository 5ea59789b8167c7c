"""An owner's failures delay no other owner, its jobs stay in order, and namespaces take turns."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.infra import work_queues as jobs_module
from memory_core.infra.work_queues import Job, Outcome, Owner, RetryQueue, RoundRobin
from tests.builders import Clock
from tests.in_time import within

LONG_S = 60.0


class Writer:
    """Runs jobs that record their names, unless their owner's folder is broken."""

    def __init__(self) -> None:
        self.broken: set[Owner] = set()
        self.faulty: set[str] = set()
        self.done: list[str] = []
        self.tried: list[str] = []
        self.reports: list[str] = []
        self.jobs = RetryQueue(run=self._run, lost=self.reports.append)

    def give(self, owner: Owner, name: str) -> None:
        self.jobs.submit(self._named(name), owner)

    def give_many(self, owner: Owner, many: int) -> None:
        for n in range(many):
            self.give(owner, f"{n}")
        self.jobs.run_all()

    def _named(self, name: str) -> Callable[[], None]:
        return lambda: self.tried.append(name)

    def show(self, owner: Owner, chat: str, *messages: str) -> None:
        self.jobs.submit_state(Shown(chat, messages, self.tried.append), owner)

    def _run(self, owner: Owner, job: Job) -> Outcome:
        job()
        if owner in self.broken:
            return Outcome.REFUSED
        if self.tried[-1] in self.faulty:
            return Outcome.FAULTY
        self.done.append(self.tried[-1])
        return Outcome.DONE


@dataclass(frozen=True)
class Shown:
    """A chat's messages; a state that begins with another one's messages replaces it."""

    chat: str
    messages: tuple[str, ...]
    say: Callable[[str], None]
    count: int = 1

    @property
    def label(self) -> str:
        return f"the chat {self.chat}"

    def write(self) -> None:
        self.say(f"{self.chat}: {' '.join(self.messages)}")

    def merged_with(self, newer: "Shown") -> "Shown | None":
        if newer.messages[: len(self.messages)] != self.messages:
            return None
        return Shown(self.chat, newer.messages, self.say, self.count + newer.count)


def test_failing_owner_delays_no_other_owner() -> None:
    writer = Writer()
    writer.broken = {"mallory"}
    for owner, name in (("mallory", "m1"), ("anna", "a1"), ("mallory", "m2"), ("anna", "a2")):
        writer.give(owner, name)
    writer.jobs.run_all()
    assert writer.done == ["a1", "a2"]
    assert writer.tried == ["m1", "a1", "a2"]
    assert writer.jobs.count_waiting() == (0, 2)


def test_jobs_of_one_owner_run_in_their_order() -> None:
    writer = Writer()
    writer.broken = {"mallory"}
    for name in ("m1", "m2"):
        writer.give("mallory", name)
    writer.jobs.run_all()
    writer.broken.clear()
    writer.give("mallory", "m3")
    writer.jobs.run_all()
    assert writer.done == ["m1", "m2", "m3"]
    assert writer.jobs.count_waiting() == (0, 0)


def test_failed_owners_take_turns_while_others_write() -> None:
    writer = Writer()
    writer.broken = {"mallory", "trudy"}
    writer.give("mallory", "m1")
    writer.give("trudy", "t1")
    writer.jobs.run_all()
    writer.tried.clear()
    for name in ("a1", "a2", "a3"):
        writer.give("anna", name)
        writer.jobs.run_next()
    assert writer.tried == ["m1", "a1", "t1", "a2", "m1", "a3"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Writer:
    """A queue with space for a few jobs."""
    monkeypatch.setattr(jobs_module, "MAX_WAITING", 20)
    monkeypatch.setattr(jobs_module, "_MAX_FAILED", 12)
    monkeypatch.setattr(jobs_module, "_MAX_FAILED_OF_ONE", 5)
    return Writer()


def test_owner_that_cannot_be_written_loses_only_its_own_jobs(small: Writer) -> None:
    small.broken = {"mallory"}
    for n in range(8):
        small.give("mallory", f"m{n}")
        small.give("anna", f"a{n}")
        small.jobs.run_all()
    assert small.done == [f"a{n}" for n in range(8)]
    assert small.jobs.count_waiting() == (0, 5)
    assert small.jobs.lost_count == len(small.reports) == 3
    assert "5 writes failed" in small.reports[0]


def test_failed_jobs_of_all_owners_together_are_bounded(small: Writer) -> None:
    small.broken = set(range(10))
    for owner in range(10):
        small.give_many(owner, 4)
    assert small.jobs.count_waiting() == (0, 12)
    assert small.jobs.lost_count == 40 - 12


def test_owner_whose_failed_job_was_dropped_runs_its_next_jobs(
    small: Writer,
) -> None:
    small.broken = set(range(4))
    for owner in range(3):
        small.give_many(owner, 4)
    small.give(3, "had no room")
    small.jobs.run_next()
    assert small.reports == ["12 writes failed and wait; not kept so far: 1 in the requests"]
    small.broken.remove(3)
    small.give(3, "comes next")
    small.jobs.run_next()
    assert small.done == ["comes next"]


def test_full_queue_reports_the_losses_of_each_chat(small: Writer) -> None:
    for n in range(20):
        small.give("anna", f"{n}")
    small.show("bob", "monday", "hello")
    small.show("bob", "monday", "hello", "again")
    small.show("bob", "tuesday", "hi")
    small.give("anna", "one more")
    assert small.jobs.lost_count == 4
    assert small.reports[-1] == (
        "more than 20 writes wait; not kept so far: "
        "2 in the chat monday, 1 in the chat tuesday, 1 in the requests"
    )
    small.jobs.run_all()
    assert small.done == [str(n) for n in range(20)]


def test_newer_state_of_a_waiting_chat_takes_its_place_in_the_queue() -> None:
    writer = Writer()
    writer.show("anna", "monday", "a")
    writer.show("anna", "tuesday", "x")
    for _ in range(3):
        writer.show("anna", "monday", "a", "b")
    assert writer.jobs.count_waiting() == (2, 0)
    writer.jobs.run_all()
    assert writer.done == ["monday: a b", "tuesday: x"]


def test_newer_state_that_cannot_be_merged_waits_behind_the_older_one() -> None:
    writer = Writer()
    writer.show("anna", "monday", "a", "b")
    writer.show("anna", "monday", "a", "c")
    writer.show("anna", "monday", "a", "c", "d")
    writer.jobs.run_all()
    assert writer.done == ["monday: a b", "monday: a c d"]


def test_state_is_not_merged_across_a_persons_request() -> None:
    writer = Writer()
    writer.show("anna", "monday", "a")
    writer.give("anna", "forget last")
    writer.show("anna", "monday", "a", "b")
    writer.jobs.run_all()
    assert writer.done == ["monday: a", "forget last", "monday: a b"]


def test_chat_that_cannot_be_written_waits_as_one_state_however_long_it_goes_on() -> None:
    writer = Writer()
    writer.broken = {"anna"}
    writer.show("anna", "monday", "0")
    writer.jobs.run_all()
    messages = [str(n) for n in range(1500)]
    for n in range(2, 1500):
        writer.show("anna", "monday", *messages[:n])
    assert writer.jobs.count_waiting() == (0, 1)
    writer.broken.clear()
    writer.jobs.run_all()
    assert writer.done == [f"monday: {' '.join(messages[:1499])}"]
    assert writer.jobs.lost_count == 0


def test_owner_with_many_jobs_delays_no_other_owner() -> None:
    writer = Writer()
    for n in range(5):
        writer.give("anna", f"a{n}")
    writer.give("bob", "b")
    for _ in range(2):
        writer.jobs.run_next()
    assert writer.done == ["a0", "b"]


def test_prioritised_job_runs_next_after_its_owners_earlier_jobs() -> None:
    writer = Writer()
    for owner in ("anna", "bob", "carol"):
        writer.give(owner, f"{owner} 1")
        writer.give(owner, f"{owner} 2")
    writer.jobs.prioritise("carol")
    writer.give("carol", "carol 3")
    for _ in range(2):
        writer.jobs.run_next()
    assert writer.done == ["carol 1", "carol 2", "anna 1"], "nobody waits for what came later"


def test_faulty_state_is_tried_three_times_and_then_reported() -> None:
    writer = Writer()
    writer.faulty = {"monday: a"}
    writer.show("anna", "monday", "a")
    writer.give("anna", "next")
    for _ in range(2):
        writer.jobs.run_all()
    assert (writer.done, writer.jobs.lost_count) == ([], 0)
    writer.jobs.run_all()
    assert writer.tried == ["monday: a"] * 3 + ["next"]
    assert writer.reports == ["a fault of this program; not kept so far: 1 in the chat monday"]


def test_faulty_request_is_not_run_again() -> None:
    writer = Writer()
    writer.faulty = {"forget last"}
    writer.give("anna", "forget last")
    for _ in range(3):
        writer.jobs.run_all()
    assert writer.tried == ["forget last"]
    assert writer.jobs.lost_count == 1


def test_jobs_are_tried_once_at_the_end_and_failures_are_reported() -> None:
    writer = Writer()
    writer.broken = {"mallory"}
    writer.give("mallory", "m1")
    writer.jobs.run_all()
    for owner, name in (("mallory", "m2"), ("anna", "a1")):
        writer.give(owner, name)
    writer.tried.clear()
    writer.jobs.run_each_once()
    assert writer.tried == ["m1", "m2", "a1"]
    assert writer.done == ["a1"]
    assert writer.jobs.lost_count == len(writer.reports) == 2
    assert writer.jobs.count_waiting() == (0, 0)


def test_wake_ends_the_wait_for_a_job_once() -> None:
    writer = Writer()
    writer.jobs.wake()
    with within(LONG_S / 2):
        assert not writer.jobs.wait_for_job(LONG_S)
    assert not writer.jobs.wait_for_job(0.0)
    writer.give("ana", "a")
    assert writer.jobs.wait_for_job(LONG_S)


ANA, BOB, EVE = (Namespace(user, "mira") for user in ("ana", "bob", "eve"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(clock: Clock) -> RoundRobin:
    return RoundRobin(later_s=30.0, clock=clock)


def test_used_namespace_gets_one_turn(turns: RoundRobin) -> None:
    for namespace in (BOB, ANA, BOB):
        turns.schedule(namespace)
    assert turns.has_due()
    assert turns.next() == [BOB, ANA]
    assert turns.next() == []
    assert not turns.has_due()


def test_namespace_with_more_work_comes_behind_those_scheduled_meanwhile(turns: RoundRobin) -> None:
    turns.schedule(ANA)
    assert turns.next() == [ANA]
    turns.schedule(BOB)
    turns.schedule(ANA)
    assert turns.next() == [BOB, ANA]


def test_namespace_scheduled_for_later_gets_a_turn_only_after_the_interval(
    turns: RoundRobin, clock: Clock
) -> None:
    turns.schedule_later(ANA)
    clock.now += 29
    assert turns.next() == []
    clock.now += 1
    assert turns.next() == [ANA]
    clock.now += 30
    assert turns.next() == []


def test_schedule_all_gives_every_used_namespace_a_turn(turns: RoundRobin) -> None:
    turns.schedule(ANA)
    turns.schedule(BOB)
    turns.next()
    turns.schedule(EVE)
    turns.schedule_all()
    assert set(turns.next()) == {ANA, BOB, EVE}


def test_dropped_namespace_gets_no_turn(turns: RoundRobin, clock: Clock) -> None:
    for namespace in (ANA, BOB):
        turns.schedule(namespace)
    turns.schedule_later(ANA)
    turns.drop([ANA])
    turns.schedule_all()
    clock.now += 99
    assert turns.next() == [BOB]
    assert turns.used_namespaces() == [BOB]
