"""A paced job is done at once, and then not again before its pause is over."""

from memory_core.memory.writer_thread import PacedJob


def test_paced_job_is_done_again_only_after_its_pause() -> None:
    now, done = [100.0], []
    job = PacedJob(lambda: done.append(now[0]), pause_s=5.0, clock=lambda: now[0])
    for now[0] in (100.0, 101.0, 104.9, 105.0, 105.1, 110.0):
        job()
    assert done == [100.0, 105.0, 110.0]
