"""Kills a PostgreSQL primary under load, promotes its replica, and checks acknowledged writes.

python -m benchmarks.failover [--kills N] [--writers N] [--seconds S] [--seed N] [--json]

Each round gives the primary a synchronous replica on loopback. Writers append events to logs in
tables through a DSN that names both servers. At a random moment the primary is killed without a
checkpoint, and the replica is promoted. The writers go on. The next round kills the new primary.

`lost`: acknowledged events that the new primary lacks. `twice`: events found more often than
written. `back_s`: from the kill to the first acknowledgement after it, of the slowest writer.
"""

import argparse
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.command import run
from memory_core.domain.errors import StorageFailed
from memory_core.storage.log.events import EventType, NewEvent
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.table_log import TableLog
from tests.scale.servers import HOST, OWNER, Cluster, Server, cluster

LONGEST_S = 2.0  # of writing before the kill
BACK_S = 30.0  # until the service has to be back
_PAUSE_S = 0.05  # of a writer whose server is gone


@dataclass(slots=True)
class Writer:
    """Appends numbered events to its own namespace until it is told to stop."""

    dsn: str
    namespace: str
    stop: threading.Event
    acknowledged: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    failures: int = 0

    def run(self) -> None:
        database = Database(self.dsn)
        log, number = TableLog(database, self.namespace, Path("none")), 0
        while not self.stop.is_set():
            number += 1
            try:
                list(log.append_all([event(number)]))
            except StorageFailed:
                self.failures += 1
                self.stop.wait(_PAUSE_S)
            else:
                self.acknowledged.append(number)
                self.times.append(time.monotonic())
        database.close()

    def first_after(self, dead_at: float) -> float:
        """Returns the time of the first acknowledgement after this one."""
        return min((moment for moment in self.times if moment > dead_at), default=float("inf"))


def event(number: int) -> NewEvent:
    return NewEvent(op=EventType.ADD, ts=None, log="talk", fields={"user": str(number)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1.0, help="of writing after the promotion")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options)
    print(json.dumps(result) if options.json else result)


def measure(options: argparse.Namespace) -> dict[str, object]:
    began, chance = time.monotonic(), random.Random(options.seed)
    counts, back = Counter[str](acknowledged=0, lost=0, twice=0, failures=0), []
    with cluster() as servers:
        for number in range(options.kills):
            writers = fail_over(servers, options, number, chance.uniform(0.1, LONGEST_S))
            back.append(max(seconds for _, seconds in writers))
            for writer, _ in writers:
                counts.update(check(servers.servers[-1], writer))
    return {
        "kills": options.kills,
        **counts,
        "back_s": {"median": round(sorted(back)[len(back) // 2], 2), "worst": round(max(back), 2)},
        "seconds": round(time.monotonic() - began, 1),
    }


def fail_over(
    servers: Cluster, options: argparse.Namespace, number: int, kill_after_s: float
) -> list[tuple[Writer, float]]:
    """Returns each writer with the seconds from the kill to its next write."""
    primary, stop = servers.servers[-1], threading.Event()
    replica = servers.start_replica(primary)
    servers.make_synchronous(primary, replica)
    names = [f"user/{number}-{writer}" for writer in range(options.writers)]
    writers = [Writer(both([primary, replica]), name, stop) for name in names]
    threads = [threading.Thread(target=writer.run) for writer in writers]
    for thread in threads:
        thread.start()
    wait_for_all(writers, since=0.0)
    time.sleep(kill_after_s)
    killed_at = time.monotonic()
    primary.kill()
    dead_at = time.monotonic()  # answers that were on their way have come by now
    replica.promote()
    wait_for_all(writers, since=time.monotonic())
    time.sleep(options.seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return [(writer, writer.first_after(dead_at) - killed_at) for writer in writers]


def wait_for_all(writers: Sequence[Writer], *, since: float) -> None:
    """Waits until every writer got an acknowledgement, at most BACK_S seconds."""
    until = time.monotonic() + BACK_S
    while not all(writer.times and writer.times[-1] > since for writer in writers):
        if time.monotonic() > until:
            raise TimeoutError(f"a writer got no acknowledgement for {BACK_S} s")
        time.sleep(_PAUSE_S)


def both(servers: Sequence[Server]) -> str:
    """Returns a DSN that leads to the one of these servers that takes writes."""
    hosts = ",".join(f"{HOST}:{server.port}" for server in servers)
    return f"postgresql://{OWNER}@{hosts}/ltm?target_session_attrs=read-write"


def check(server: Server, writer: Writer) -> Counter[str]:
    database = Database(server.dsn())
    found = TableLog(database, writer.namespace, Path("none")).read("talk")
    database.close()
    stored = Counter(int(str(event.fields["user"])) for event in found.events)
    seqs = [event.seq for event in found.events]
    if found.problems or seqs != list(range(1, len(seqs) + 1)):
        raise AssertionError(f"the log is damaged: {found.problems or 'its seqs have gaps'}")
    return Counter(
        acknowledged=len(writer.acknowledged),
        failures=writer.failures,
        lost=len(set(writer.acknowledged) - stored.keys()),
        twice=sum(times - 1 for times in stored.values()),
    )


if __name__ == "__main__":
    run(main)
