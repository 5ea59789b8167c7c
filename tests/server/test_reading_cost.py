"""Lists read what they return, and open only the users whom they are about."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from memory_core.storage.index import local_listing
from memory_core.storage.index.catalog import catalog
from memory_core.storage.index.catalog.rows import decode_record
from memory_core.storage.log.projection import MemoryRecord
from tests.cases import for_each
from tests.server.conftest import ServeWith
from tests.server.live_server import chat

ANA = {"user_id": "ana"}
NOTES = 1


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collects the records that are read."""
    found: list[str] = []

    def decode(data: str) -> MemoryRecord:
        found.append(data)
        return decode_record(data)

    for module in (local_listing, catalog):
        monkeypatch.setattr(module, "decode_record", decode)
    return found


@pytest.fixture
def client(serve_with: ServeWith) -> httpx.Client:
    """Serves a new message, twenty old ones and a note."""
    client = serve_with().client
    new = [{"role": "user", "content": "New."}]
    client.post("/history", json={**ANA, "session_id": "new", "messages": new, "channel": "web"})
    old = (datetime.now(UTC) - timedelta(days=9)).isoformat()
    said = [{"role": "user", "content": f"Old {n}.", "created_at": old} for n in range(20)]
    client.post("/memories", json={**ANA, "conversation_id": "old", "messages": said})
    client.post("/memories", json={**ANA, "text": "A quiet day", "kind": "diary"})
    client.get("/memories", params=ANA)  # applies what was written
    return client


@for_each(
    "path, params",
    [
        ("/memories", {"kind": "diary"}),
        ("/memories", {"limit": 1}),
        ("/memories", {"conversation_id": "new"}),
        ("/history", {"within_seconds": 3600}),
        ("/history", {"channel": "web"}),
        ("/history", {"session_id": "new"}),
    ],
)
def test_list_reads_only_what_it_returns(
    client: httpx.Client, read: list[str], path: str, params: Mapping[str, str | int]
) -> None:
    read.clear()
    found = client.get(path, params={**ANA, **params}).json()
    assert len(found.get("results", found.get("messages"))) == 1
    assert 1 <= len(read) <= 1 + NOTES


def test_calls_about_all_users_open_only_those_whom_they_need(serve_with: ServeWith) -> None:
    served = serve_with()
    for user in ("ana", "ben", "eve"):
        chat(served.client, f"I am {user}.", user=user, metadata={"conv_id": f"with {user}"})
        served.client.get("/memories", params={"user_id": user})
    served.runtime.memory.close()
    listed = served.client.get("/namespaces").json()["results"]
    assert [(one["user_id"], one["memories"], one["conversations"]) for one in listed] == [
        ("ana", 1, 1), ("ben", 1, 1), ("eve", 1, 1),
    ]  # fmt: skip
    assert served.runtime.memory.open_counts()[0] == 0
    found = served.client.get("/history", params={"session_id": "with ben"}).json()["messages"]
    served.client.get("/summary", params={"session_id": "with ben"})
    assert {said["user_id"] for said in found} == {"ben"}
    assert served.runtime.memory.open_counts()[0] == 1
