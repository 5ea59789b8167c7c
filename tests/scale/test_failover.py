"""A primary that is killed under load: its replica has all that was acknowledged."""

import argparse

from benchmarks import failover


def test_nothing_acknowledged_is_lost_when_a_replica_takes_over() -> None:
    options = argparse.Namespace(kills=1, writers=4, seconds=0.5, seed=1)
    found = failover.measure(options)
    assert (found["lost"], found["twice"]) == (0, 0)
    assert int(str(found["acknowledged"])) > 0
