"""The memory endpoints over real sockets: add, list, search, change, forget, move."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest

from memory_core.providers.embedders.fake import FakeEmbedder
from tests.loopback import Answer, says_json
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import chat

ANA = {"user_id": "ana"}


def add(client: httpx.Client, text: str, **fields: Any) -> dict[str, Any]:
    answer = client.post("/memories", json={**ANA, "text": text, **fields})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["results"][0]
    return found


def texts(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [memory["text"] for memory in answer.json()["results"]]


def test_added_text_is_returned_listed_and_shown_to_the_model(serve_with: ServeWith) -> None:
    served = serve_with()
    memory = add(served.client, "Ana is allergic to nuts.")
    found = served.client.get(f"/memories/{memory['id']}", params=ANA)
    assert found.json() == memory
    assert texts(served.client.get("/memories", params=ANA)) == ["Ana is allergic to nuts."]
    chat(served.client, "What may I not eat?")
    assert "allergic to nuts" in json.dumps(served.sent_messages)


def test_posted_message_without_a_date_gets_the_current_time(serve_with: ServeWith) -> None:
    served = serve_with()
    before = datetime.now(UTC)
    messages = [
        {"role": "user", "content": "I keep bees.", "created_at": "2025-02-20T10:00:00Z"},
        {"role": "assistant", "content": "Where?"},
        {"role": "user", "content": "Near Graz."},
    ]
    body = {**ANA, "messages": messages, "conversation_id": "bees"}
    old, new = served.client.post("/memories", json=body).json()["results"]
    assert old["created_at"] == "2025-02-20T10:00:00+00:00"
    assert before <= datetime.fromisoformat(new["created_at"]) <= datetime.now(UTC)
    body = {**ANA, "query": "bees near Graz", "since": before.isoformat()}
    found = served.client.post("/memories/search", json=body).json()["results"]
    assert [hit["memory"]["id"] for hit in found] == [new["id"]]


def test_messages_become_exchanges_of_a_conversation(serve_with: ServeWith) -> None:
    served = serve_with()
    messages = [
        {"role": "user", "content": "I have a cat.", "created_at": "2025-02-20T10:00:00Z"},
        {"role": "assistant", "content": "What is its name?", "metadata": {"mood": "curious"}},
        {"role": "user", "content": "Tom."},
    ]
    body = {**ANA, "messages": messages, "conversation_id": "pets", "channel": "discord"}
    first, second = served.client.post("/memories", json=body).json()["results"]
    assert (first["user"], first["assistant"]) == ("I have a cat.", "What is its name?")
    assert first["created_at"] == "2025-02-20T10:00:00+00:00"
    assert (first["conversation_id"], first["channel"]) == ("pets", "discord")
    assert first["metadata"] == {"mood": "curious"}
    assert (second["user"], second["assistant"]) == ("Tom.", "")


def test_list_filters_and_pages(serve_with: ServeWith) -> None:
    served = serve_with()
    for number in range(5):
        add(served.client, f"Fact number {number}")
    add(served.client, "Dear diary", kind="diary")
    diary = served.client.get("/memories", params={**ANA, "kind": "diary"})
    assert texts(diary) == ["Dear diary"]
    assert (
        texts(served.client.get("/memories", params={**ANA, "q": "number"}))[0] == "Fact number 4"
    )
    pages, offset = [], 0
    while offset is not None:
        params = {**ANA, "kind": "knowledge", "limit": 2, "offset": offset}
        page = served.client.get("/memories", params=params)
        pages.append(texts(page))
        offset = page.json()["next_offset"]
    assert [len(page) for page in pages] == [2, 2, 1]


def test_search_explains_scores_and_what_was_dropped(serve_with: ServeWith) -> None:
    served = serve_with()
    add(served.client, "Ana is allergic to nuts.")
    add(served.client, "Ana plays the violin.")
    body = {**ANA, "query": "allergic to nuts", "explain": True}
    found = served.client.post("/memories/search", json=body).json()
    best = found["results"][0]
    assert best["memory"]["text"] == "Ana is allergic to nuts."
    assert best["explanation"]["parts"]
    assert isinstance(found["dropped"], list)
    assert "embedding model" in " ".join(found["degraded"])
    plain = served.client.post("/memories/search", json={**ANA, "query": "violin"}).json()
    assert (plain["dropped"], plain["results"][0]["explanation"]) == (None, None)


def test_search_and_answer_cover_several_users_and_days_of_their_clock(
    serve_with: ServeWith,
) -> None:
    client = serve_with().client
    for user in ("ana", "bob", "eve"):
        text = f"The violin of {user} is from Cremona."
        assert client.post("/memories", json={"user_id": user, "text": text}).status_code == 200
    wanted = {"user_id": ["ana", "bob", "nobody"], "query": "violin"}
    hits = client.post("/memories/search", json=wanted).json()["results"]
    assert {hit["user_id"] for hit in hits} == {"ana", "bob"}
    asked = {"user_id": ["ana", "bob"], "question": "Whose violin is from Cremona?"}
    sources = client.post("/answer", json=asked).json()["sources"]
    assert len({source["text"] for source in sources}) == 2
    times = [datetime.fromisoformat(hit["memory"]["created_at"]) for hit in hits]
    begin = min(times) - timedelta(seconds=5)
    local = begin.astimezone(timezone(timedelta(hours=9))).replace(tzinfo=None)
    window = {"since": local.isoformat(), "until": (local + timedelta(hours=1)).isoformat()}
    for offset, count in ((9, 2), (0, 0)):
        body = {**wanted, **window, "utc_offset_hours": offset}
        found = client.post("/memories/search", json=body).json()["results"]
        assert len(found) == count


def test_search_honours_kind_time_and_limit(serve_with: ServeWith) -> None:
    served = serve_with()
    for number in range(12):
        add(served.client, f"Ana likes tea number {number}.")
    add(served.client, "Ana likes tea, dear diary.", kind="diary")

    def count(**fields: Any) -> int:
        body = {**ANA, "query": "Which tea does Ana like?", **fields}
        return len(served.client.post("/memories/search", json=body).json()["results"])

    assert (count(limit=12), count(limit=3)) == (12, 3)
    assert count(kinds=["diary"]) == 1
    assert count(until="2020-01-01T00:00:00") == 0


def test_update_changes_text_and_pin(serve_with: ServeWith) -> None:
    served = serve_with()
    memory = add(served.client, "Ana is allergic to nuts.")
    address = f"/memories/{memory['id']}"
    changed = served.client.patch(address, json={**ANA, "text": "Peanuts!", "pinned": True}).json()
    assert (changed["text"], changed["pinned"]) == ("Peanuts!", True)
    wrong = served.client.patch(address, json={**ANA, "assistant": "x"})
    assert (wrong.status_code, wrong.json()["error"]["param"]) == (400, "assistant")
    history = served.client.get(f"{address}/history", params=ANA).json()["results"]
    assert [(entry["event"], entry["text"]) for entry in history] == [
        ("note", "Ana is allergic to nuts."),
        ("revise", "Peanuts!"),
        ("pin", None),
    ]


def test_forgotten_memory_is_gone_until_restored(serve_with: ServeWith) -> None:
    served = serve_with()
    memory = add(served.client, "Ana is allergic to nuts.")
    address = f"/memories/{memory['id']}"
    assert served.client.delete(address, params=ANA).json() == {"forgotten": [memory["id"]]}
    assert texts(served.client.get("/memories", params=ANA)) == []
    assert served.client.patch(address, json={**ANA, "text": "x"}).status_code == 404
    history = served.client.get(f"{address}/history", params=ANA)
    assert "nuts" not in history.text
    served.client.post(f"{address}/restore", params=ANA)
    assert texts(served.client.get("/memories", params=ANA)) == ["Ana is allergic to nuts."]


def test_conversation_is_forgotten_but_never_everything(serve_with: ServeWith) -> None:
    served = serve_with()
    for name in ("one", "two"):
        chat(served.client, f"This is {name}.", metadata={"conv_id": name})
    assert served.client.delete("/memories", params=ANA).status_code == 422
    served.client.delete("/memories", params={**ANA, "conversation_id": "one"})
    left = served.client.get("/memories", params=ANA).json()["results"]
    assert [memory["user"] for memory in left] == ["This is two."]


def test_unknown_memory_and_user_are_refused(serve_with: ServeWith) -> None:
    served = serve_with()
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/restore"), ("GET", "/history")):
        answer = served.client.request(method, f"/memories/nothing{path}", params=ANA)
        assert answer.status_code == 404
    assert served.client.get("/memories").status_code == 422
    assert served.client.get("/memories", params=ANA).json()["results"] == []
    assert served.runtime.memory.namespaces() == []


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown", "zip"])
def test_export_returns_a_file(serve_with: ServeWith, form: str) -> None:
    served = serve_with()
    add(served.client, "Ana is allergic to nuts.")
    answer = served.client.get("/export", params={**ANA, "format": form})
    assert answer.status_code == 200
    assert "memories." in answer.headers["content-disposition"]
    assert (b"allergic" in answer.content) == (form != "zip")
    assert served.client.get("/export", params={"user_id": "bob"}).status_code == 404


def test_exported_memories_can_be_imported_by_another_user(serve_with: ServeWith) -> None:
    served = serve_with()
    add(served.client, "Ana is allergic to nuts.")
    chat(served.client, "I have a cat.")
    exported = served.client.get("/export", params=ANA).content
    for _ in range(2):
        params = {"user_id": "bob", "filename": "memories.jsonl"}
        done = served.client.post("/import", params=params, content=exported)
        assert (done.status_code, done.json()["failures"]) == (200, [])
    found = served.client.get("/memories", params={"user_id": "bob"}).json()["results"]
    assert len(found) == 2


def test_import_cannot_write_into_another_users_memories(serve_with: ServeWith) -> None:
    served = serve_with()
    row = {
        "namespace_user": "api:ana", "namespace_character": "", "namespace_scope": "instruct",
        "id": "x", "kind": "exchange", "ts": 1.7e9, "conversation": "c", "turn_id": 1,
        "user": "I am poison.", "assistant": "Ha.",
    }  # fmt: skip
    history = {"user_id": "ana", "session_id": "s", "role": "user", "content": "I am poison."}
    for name, content in (("a.jsonl", row), ("b.json", {"messages": [history]})):
        served.client.post(
            "/import", params={"user_id": "bob", "filename": name}, content=json.dumps(content)
        )
    assert served.client.get("/memories", params=ANA).json()["results"] == []
    assert served.client.get("/memories", params={"user_id": "bob"}).json()["results"]


@pytest.mark.parametrize("name", ["x.bin", "../../x.json", "x.zip", "", "\x00"])
def test_file_of_no_known_format_is_refused(plain_server: Served, name: str) -> None:
    params = {**ANA, "filename": name}
    answer = plain_server.client.post("/import", params=params, content=b"\x00\x01nothing")
    assert answer.status_code == 400
    assert "ltm-import" not in answer.text


def test_import_without_a_name_of_the_file_asks_for_it(serve_with: ServeWith) -> None:
    client = serve_with().client
    table = "user,assistant\nI sail.,Nice!\n"
    ana = {"user_id": "ana"}
    answer = client.post("/import", params=ana, content=table)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "filename")
    assert answer.json()["detail"].endswith("such as ?filename=memories.csv")
    done = client.post("/import", params=ana | {"filename": "a.csv"}, content=table)
    assert done.json()["added"] == 1


def test_import_of_a_form_says_how_to_send_the_file(plain_server: Served) -> None:
    table = {"file": ("a.csv", "user,assistant\nI sail.,Nice!\n")}
    answer = plain_server.client.post("/import", params={"user_id": "ana"}, files=table)
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("send the file itself as the body")


def test_import_reads_a_file_in_the_format_that_the_call_names(serve_with: ServeWith) -> None:
    served = serve_with()
    talk = [{"role": "user", "content": "I keep bees."}, {"role": "assistant", "content": "Where?"}]
    content = "\n".join(map(json.dumps, talk))
    params = {**ANA, "filename": "talk.jsonl"}
    wrong = served.client.post("/import", params=params | {"format": "mem1"}, content=content)
    assert (wrong.status_code, wrong.json()["error"]["param"]) == (400, "format")
    assert "mem0" in wrong.json()["detail"]
    done = served.client.post("/import", params=params | {"format": "plain"}, content=content)
    assert (done.json()["added"], done.json()["failures"]) == (1, [])
    other = served.client.post("/import", params=params | {"format": "chatgpt"}, content=content)
    assert (other.json()["added"], len(other.json()["failures"])) == (0, 1)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/memories", {"text": "Ana is allergic to nuts."}),
        ("/memories", {"messages": [{"role": "user", "content": "Hi"}]}),
        ("/knowledge", {"knowledge": "Ana is allergic to nuts."}),
    ],
)
def test_addition_is_refused_while_remember_is_off(
    serve_with: ServeWith, path: str, body: dict[str, Any]
) -> None:
    served = serve_with(ltm_writes={"enabled": False})
    answer = served.client.post(path, json={**ANA, **body})
    assert answer.status_code == 400
    assert "ltm_writes.enabled" in answer.json()["detail"]
    assert not served.runtime.memory.namespaces()


def test_health_names_missing_parts(serve_with: ServeWith) -> None:
    served = serve_with()
    assert served.client.get("/health").json() == {"ok": True}
    assert served.client.head("/health").status_code == 200, "monitors ask for no body"
    assert served.client.get("/health/embed").json()["ok"] is False
    chats = served.client.get("/health/llm").json()
    assert (chats["ok"], chats["sample"]) == (True, "All right.")
    assert "llm.base_url" in chats["detail"]
    assert serve_with(has_llm=True).client.get("/health/llm").json()["detail"] == ""


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1", "http://models.example.org/v1"])
def test_health_names_the_model_server_that_fails(serve_with: ServeWith, address: str) -> None:
    away = serve_with(server={"backend_url": address}, has_llm=True)
    found = away.client.get("/health/llm").json()
    assert found["ok"] is False
    assert address.split("/")[2] in found["detail"]


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (says_json({"error": "no such path"}, status=404), "server.backend_url (--backend)"),
        (says_json({"error": "wrong key"}, status=401), "server.backend_api_key"),
        (says_json(["no model server"]), "server.backend_url (--backend)"),
    ],
)
def test_health_names_the_settings_of_the_chats_server(
    serve_with: ServeWith, answer: Answer, named: str
) -> None:
    found = serve_with(answer).client.get("/health/llm").json()
    assert named in found["detail"]
    assert "llm." not in found["detail"]


def test_health_tells_where_to_set_a_model_server(serve_with: ServeWith) -> None:
    none = serve_with(server={"backend_url": ""}).client.get("/health/llm").json()
    assert (none["ok"], "server.backend_url" in none["detail"]) == (False, True)


def test_health_asks_the_embedder(serve_with: ServeWith) -> None:
    served = serve_with()
    served.runtime.memory.embedder = FakeEmbedder()
    assert served.client.get("/health/embed").json() == {"ok": True, "dim": 16, "detail": ""}
    body = {"input": ["a cat", "a dog"], "model": "fake"}
    rows = served.client.post("/v1/embeddings", json=body).json()["data"]
    assert [len(row["embedding"]) for row in rows] == [16, 16]
    bad = served.client.post("/v1/embeddings", json={"input": [1], "model": "fake"})
    assert bad.json()["error"]["param"] == "input"


def test_openapi_document_names_every_endpoint(serve_with: ServeWith) -> None:
    document = serve_with().client.get("/openapi.json").json()
    assert {"/v1/chat/completions", "/memories/search", "/export"} <= document["paths"].keys()


def test_openapi_document_gives_all_errors_one_shape(serve_with: ServeWith) -> None:
    document = serve_with().client.get("/openapi.json").json()
    shape = {"$ref": "#/components/schemas/ErrorAnswer"}
    errors = {
        (path, method, status): answer["content"]["application/json"]["schema"]
        for path, methods in document["paths"].items()
        for method, call in methods.items()
        for status, answer in call["responses"].items()
        if status != "200"
    }
    assert {place: found for place, found in errors.items() if found != shape} == {}
    assert "422" in {status for _, _, status in errors}


def test_lone_surrogates_are_answered_as_json(serve_with: ServeWith) -> None:
    client = serve_with().client
    body = b'{"user_id": "ana", "text": "broken \\ud800 letter"}'
    answer = client.post("/memories", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    assert "broken" in answer.json()["results"][0]["text"]


def test_body_that_is_no_text_is_refused_like_other_errors(serve_with: ServeWith) -> None:
    headers = {"content-type": "application/json"}
    answer = serve_with().client.post("/memories", content=b"o\xff\xfe", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, 400)
