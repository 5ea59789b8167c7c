"""Jobs by owner: what fails for one keeps no other waiting, and is not overtaken by his own."""

from collections.abc import Callable

from memory_core.jobs import Job, Jobs, Owner


class Writer:
    """Jobs that write down their names, while their owner's folder is not broken."""

    def __init__(self) -> None:
        self.broken: set[Owner] = set()
        self.done: list[str] = []
        self.tried: list[str] = []
        self.told: list[str] = []
        self.jobs = Jobs(run=self._run, lost=self.told.append)

    def give(self, owner: Owner, name: str) -> None:
        self.jobs.submit(self._named(name), owner)

    def give_many(self, owner: Owner, many: int) -> None:
        for n in range(many):
            self.give(owner, f"{n}")
        self.jobs.do_all()

    def _named(self, name: str) -> Callable[[], None]:
        return lambda: self.tried.append(name)

    def _run(self, owner: Owner, job: Job) -> bool:
        job()
        if owner in self.broken:
            return False
        self.done.append(self.tried[-1])
        return True


def test_what_one_cannot_write_keeps_nobody_else_waiting() -> None:
    writer = Writer()
    writer.broken = {"mallory"}
    for owner, name in (("mallory", "m1"), ("anna", "a1"), ("mallory", "m2"), ("anna", "a2")):
        writer.give(owner, name)
    writer.jobs.do_all()
    assert writer.done == ["a1", "a2"]
    assert writer.tried == ["m1", "a1", "a2"]
    assert writer.jobs.waiting() == (0, 2)


def test_one_owners_jobs_stay_in_their_order() -> None:
    writer = Writer()
    writer.broken = {"mallory"}
    for name in ("m1", "m2"):
        writer.give("mallory", name)
    writer.jobs.do_all()
    writer.broken.clear()
    writer.give("mallory", "m3")
    writer.jobs.do_all()
    assert writer.done == ["m1", "m2", "m3"]
    assert writer.jobs.waiting() == (0, 0)


def test_those_that_failed_take_turns_while_others_write() -> None:
    writer = Writer()
    writer.broken = {"mallory", "trudy"}
    writer.give("mallory", "m1")
    writer.give("trudy", "t1")
    writer.jobs.do_all()
    writer.tried.clear()
    for name in ("a1", "a2", "a3"):
        writer.give("anna", name)
        writer.jobs.do_next(0.0)
    assert writer.tried == ["m1", "a1", "t1", "a2", "m1", "a3"]


def test_one_who_cannot_be_written_loses_only_his_own() -> None:
    writer = Writer()
    writer.broken = {"mallory"}
    for n in range(300):
        writer.give("mallory", f"m{n}")
        writer.give("anna", f"a{n}")
        writer.jobs.do_all()
    assert writer.done == [f"a{n}" for n in range(300)]
    assert writer.jobs.waiting() == (0, 256)
    assert writer.jobs.lost == len(writer.told) == 44
    assert "256 writes failed" in writer.told[0]


def test_all_who_cannot_be_written_together_do_not_fill_the_memory() -> None:
    writer = Writer()
    writer.broken = set(range(10))
    for owner in range(10):
        writer.give_many(owner, 250)
    assert writer.jobs.waiting() == (0, 2048)
    assert writer.jobs.lost == 2500 - 2048


def test_one_whose_job_had_no_room_among_those_that_failed_keeps_none_of_his_next_waiting() -> None:
    writer = Writer()
    writer.broken = set(range(9))
    for owner in range(8):
        writer.give_many(owner, 256)
    writer.give(8, "had no room")
    writer.jobs.do_next(0.0)
    assert writer.told == ["2048 writes failed and wait: the newest is not kept"]
    writer.broken.remove(8)
    writer.give(8, "comes next")
    writer.jobs.do_next(0.0)
    assert writer.done == ["comes next"]


def test_at_the_end_everything_is_tried_once_and_what_fails_is_told() -> None:
    writer = Writer()
    writer.broken = {"mallory"}
    writer.give("mallory", "m1")
    writer.jobs.do_all()
    for owner, name in (("mallory", "m2"), ("anna", "a1")):
        writer.give(owner, name)
    writer.tried.clear()
    writer.jobs.do_last()
    assert writer.tried == ["m1", "m2", "a1"]
    assert writer.done == ["a1"]
    assert writer.jobs.lost == len(writer.told) == 2
    assert writer.jobs.waiting() == (0, 0)
