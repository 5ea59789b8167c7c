"""Connections that are lost or slow: acknowledged is kept, and the chat does not wait."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from benchmarks.failover import Writer, check
from tests.scale.servers import DATABASE, HOST, OWNER, Server, wait_until
from tests.scale.slow_network import Network, network_to
from tests.scale.test_outage import chatting
from tests.server.live_server import chat

CUTS, BETWEEN = 5, 10  # acknowledgements between two cuts
SLOW_S = 1.0  # each way: every answer comes, but a recall needs many

LONGEST_S = 25.0  # 2 s for the memories and 5 s for storing, on a busy machine; without limits 60


@pytest.fixture
def network(primary: Server) -> Iterator[Network]:
    with network_to(primary.port) as opened:
        yield opened


def test_appends_survive_lost_connections_once_each(primary: Server, network: Network) -> None:
    stop = threading.Event()
    writer = Writer(_dsn(network), "user/cut", stop)
    thread = threading.Thread(target=writer.run)
    thread.start()
    for _ in range(CUTS):
        wanted = len(writer.acknowledged) + BETWEEN
        wait_until(lambda least=wanted: len(writer.acknowledged) >= least, "nothing is written")
        network.cut()
    wait_until(lambda: writer.failures >= 1, "no connection was lost")
    stop.set()
    thread.join()
    found = check(primary, writer)
    assert (found["lost"], found["twice"]) == (0, 0)
    assert found["acknowledged"] >= CUTS * BETWEEN


def test_a_chat_goes_on_beside_a_slow_database(
    primary: Server, network: Network, tmp_path: Path
) -> None:
    primary.execute("CREATE DATABASE slow", database="postgres")
    with chatting(_dsn(network, "slow"), tmp_path) as client:
        assert chat(client, "I have a cat called Biscuit.").json()["retrieved"]["stored"] is True
        network.delay_s = SLOW_S
        began = time.monotonic()
        answer = chat(client, "I have a dog called Rex.")
        assert time.monotonic() - began < LONGEST_S
        assert answer.json()["choices"][0]["message"]["content"]
        assert answer.json()["retrieved"]["stored"] is False
        network.delay_s = 0.0
        told = ["I have a cat called Biscuit.", "I have a fish called Bubbles."]
        wait_until(
            lambda: chat(client, told[1]).json()["retrieved"]["stored"] is True,
            "the database is fast again, but is not used",
        )
        wait_until(lambda: _are_listed(client, told), "what was acknowledged is not listed")


def _are_listed(client: httpx.Client, told: list[str]) -> bool:
    answer = client.get("/memories", params={"user_id": "ana", "limit": 100})
    found = [memory["user"] for memory in answer.json().get("results", [])]
    return answer.status_code == 200 and set(told) <= set(found)


def _dsn(network: Network, database: str = DATABASE) -> str:
    return f"postgresql://{OWNER}@{HOST}:{network.port}/{database}"
