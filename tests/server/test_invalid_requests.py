"""Requests with a mistake: the answer names the part at fault, and what to send instead."""

from typing import Any

import pytest

from tests.cases import for_each
from tests.server.chatmemory_client import history, say
from tests.server.conftest import Served, ServeWith

_JSON = {"content-type": "application/json"}
_PATHS = ("/history", "/knowledge", "/diary", "/search", "/memories", "/memories/search", "/answer")
_BODIES: dict[str, dict[str, Any]] = {
    "/history": {"user_id": "ana", "session_id": "s", "messages": []},
    "/knowledge": {"user_id": "ana", "knowledge": "Ana sails."},
    "/diary": {"user_id": "ana", "diary_date": "2025-02-20", "content": "Sailed."},
    "/search": {"user_id": "ana", "query": "boats"},
    "/memories": {"user_id": "ana", "text": "Ana sails."},
    "/memories/search": {"user_id": "ana", "query": "boats"},
    "/answer": {"user_id": "ana", "question": "Which boats?"},
}


def message_of(answer: Any) -> str:
    found = answer.json()["error"]["message"]
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize("path", _PATHS)
def test_body_that_is_no_json_is_told_with_its_place(plain_server: Served, path: str) -> None:
    answer = plain_server.client.post(path, content='{"user_id": ana}', headers=_JSON)
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, None)
    assert message_of(answer).startswith("the body is not valid JSON at character ")


@pytest.mark.parametrize("body", ['{"user_id": "Zoë"}'.encode("latin-1"), b"[" * 100_000])
def test_body_that_cannot_be_read_is_told_with_the_form_wanted(
    plain_server: Served, body: bytes
) -> None:
    answer = plain_server.client.post("/memories", content=body, headers=_JSON)
    assert answer.status_code == 400
    assert message_of(answer).startswith("the body cannot be read: send JSON in UTF-8")


@pytest.mark.parametrize("path", _PATHS)
def test_missing_body_is_told(plain_server: Served, path: str) -> None:
    answer = plain_server.client.post(path, content="", headers=_JSON)
    assert "the body is missing: send a JSON object" in message_of(answer)


@pytest.mark.parametrize("path", _PATHS)
def test_unknown_field_is_named_with_the_known_ones(plain_server: Served, path: str) -> None:
    answer = plain_server.client.post(path, json={**_BODIES[path], "user_ids": "ben"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "user_ids")
    assert message_of(answer) == "user_ids: there is no such field; the nearest is user_id"


def test_unknown_field_like_no_other_is_told_with_all_fields(plain_server: Served) -> None:
    answer = plain_server.client.post("/knowledge", json={**_BODIES["/knowledge"], "x": 1})
    assert message_of(answer) == "x: there is no such field; there are user_id, knowledge"


def test_unknown_field_of_a_message_is_named(plain_server: Served) -> None:
    messages = [{"role": "user", "content": "Hi", "metdata": {}}]
    answer = plain_server.client.post(
        "/history", json={**_BODIES["/history"], "messages": messages}
    )
    assert message_of(answer) == "messages.0.metdata: there is no such field"


def test_messages_of_a_history_can_be_sent_back_as_they_came(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "I sail on the lake.")
    copy = {"user_id": "ana", "session_id": "two", "messages": history(client, session_id="one")}
    assert client.post("/history", json=copy).status_code == 200
    assert len(history(client, user_id="ana", session_id="two")) == 2


@pytest.mark.parametrize("given", [3, None, [], ["ana", 3], ["ana"] * 101])
@pytest.mark.parametrize("path", ["/search", "/memories/search", "/answer"])
def test_bad_user_of_a_search_is_one_plain_fault(
    plain_server: Served, path: str, given: object
) -> None:
    answer = plain_server.client.post(path, json={**_BODIES[path], "user_id": given})
    assert answer.json()["error"]["param"] == "user_id"
    assert message_of(answer).startswith("user_id: write a name, or a list of 1 to 100 names")


@pytest.mark.parametrize("day", ["2025-13-40", "tomorrow", "2025-1-1", ""])
def test_bad_day_is_told_with_an_example(plain_server: Served, day: str) -> None:
    client, own = plain_server.client, {"user_id": "ana"}
    advice = "write a day, such as 2025-02-20"
    posted = client.post("/diary", json={**_BODIES["/diary"], "diary_date": day})
    assert message_of(posted) == f"diary_date: {advice}"
    searched = client.post("/search", json={**_BODIES["/search"], "since": day})
    assert message_of(searched) == f"since: {advice}"
    assert message_of(client.get("/diary", params={**own, "until": day})) == f"until: {advice}"
    found = client.get("/history", params={**own, "since": day})
    assert message_of(found) == (
        "since: write a day or a time, such as 2025-02-20 or 2025-02-20T09:00:00Z"
    )


@pytest.mark.parametrize("path", ["/search", "/memories/search", "/answer"])
def test_window_that_ends_before_it_begins_is_refused(plain_server: Served, path: str) -> None:
    window = {"since": "2025-03-01", "until": "2025-02-01"}
    answer = plain_server.client.post(path, json={**_BODIES[path], **window})
    assert (answer.status_code, message_of(answer)) == (
        400,
        "since is later than until: exchange them",
    )


@pytest.mark.parametrize("path", ["/history", "/diary"])
def test_list_that_ends_before_it_begins_is_refused(plain_server: Served, path: str) -> None:
    window = {"user_id": "ana", "since": "2025-03-01", "until": "2025-02-01"}
    answer = plain_server.client.get(path, params=window)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "since")


def test_misspelt_filter_deletes_nothing(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "I sail on the lake.", channel="voice")
    answer = client.delete("/history", params={"user_id": "ana", "chanel": "chat"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "chanel")
    assert message_of(answer) == "chanel: there is no such parameter; the nearest is channel"
    assert len(history(client, user_id="ana")) == 2


def test_misspelt_parameter_of_a_list_is_named(plain_server: Served) -> None:
    answer = plain_server.client.get("/memories", params={"user_id": "ana", "ofset": 3})
    assert message_of(answer) == "ofset: there is no such parameter; the nearest is offset"


def test_parameter_that_comes_twice_is_refused(plain_server: Served) -> None:
    answer = plain_server.client.get("/memories?user_id=ana&user_id=ben")
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "user_id")
    assert "more than once" in message_of(answer)


@for_each(
    "method, path",
    [
        ("GET", "/memories"),
        ("GET", "/export"),
        ("POST", "/answer"),
        ("POST", "/memories/search"),
        ("GET", "/knowledge"),
        ("POST", "/knowledge"),
        ("GET", "/history/session_ids"),
    ],
)
def test_missing_user_is_a_missing_field_everywhere(
    plain_server: Served, method: str, path: str
) -> None:
    body = {k: v for k, v in _BODIES.get(path, {}).items() if k != "user_id"}
    answer = plain_server.client.request(method, path, json=body if method == "POST" else None)
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "user_id")


def test_parameter_of_an_endpoint_without_any_is_refused(plain_server: Served) -> None:
    answer = plain_server.client.post("/answer", params={"user": "ana"}, json=_BODIES["/answer"])
    assert answer.status_code == 422
    assert message_of(answer) == "user: there is no such parameter; send it in the body, as JSON"


def test_parameter_of_a_call_with_neither_parameters_nor_body_is_refused(
    plain_server: Served,
) -> None:
    answer = plain_server.client.get("/namespaces", params={"user_id": "ana"})
    assert answer.status_code == 422
    assert message_of(answer) == "user_id: there is no such parameter"


def test_parameters_of_openai_clients_are_left_alone(plain_server: Served) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    answer = plain_server.client.post("/v1/chat/completions?api-version=2024-06-01", json=body)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/chat/completions", "do you mean /v1/chat/completions?"),
        ("/v1/v1/models", "do you mean /v1/models?"),
        ("/nowhere", "/docs lists all addresses"),
    ],
)
def test_unknown_address_is_told_with_the_one_that_is_meant(
    plain_server: Served, path: str, meant: str
) -> None:
    answer = plain_server.client.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, 404)
    assert message_of(answer) == f"there is no {path} here: {meant}"


def test_wrong_method_is_told_with_the_possible_ones(plain_server: Served) -> None:
    answer = plain_server.client.put("/history", json={})
    assert answer.status_code == 405
    assert message_of(answer) == "PUT is not possible at /history: use DELETE, GET, POST"


def test_too_large_body_without_a_length_is_told_as_such(serve_with: ServeWith) -> None:
    client = serve_with(server={"max_request_mb": 0.001}).client
    pieces = (b" " * 1000 for _ in range(10))
    answer = client.post("/history", content=pieces, headers=_JSON)
    assert answer.status_code == 413
    assert "server.max_request_mb" in message_of(answer)


@pytest.mark.parametrize(
    ("path", "field"), [("/knowledge", "knowledge"), ("/diary", "content"), ("/answer", "question")]
)
def test_blank_text_is_refused(plain_server: Served, path: str, field: str) -> None:
    for blank in ("", " \n"):
        answer = plain_server.client.post(path, json={**_BODIES[path], field: blank})
        assert message_of(answer) == f"{field}: write a text that is not blank"


def test_memory_cannot_be_changed_to_a_blank_text(serve_with: ServeWith) -> None:
    client = serve_with().client
    (note,) = client.post("/memories", json=_BODIES["/memories"]).json()["results"]
    changed = client.patch(f"/memories/{note['id']}", json={"user_id": "ana", "text": "  "})
    assert message_of(changed) == "text: write a text that is not blank"
    found = client.get(f"/memories/{note['id']}", params={"user_id": "ana"}).json()
    assert found["text"] == "Ana sails."


def test_exchange_keeps_the_words_of_one_side(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "I sail.")
    (said,) = client.get("/memories", params={"user_id": "ana"}).json()["results"]
    path, ana = f"/memories/{said['id']}", {"user_id": "ana"}
    assert client.patch(path, json={**ana, "assistant": ""}).json()["text"] == "User: I sail."
    refused = client.patch(path, json={**ana, "user": " "})
    assert message_of(refused) == "no words would be left: forget the memory instead"
    assert client.get(path, params=ana).json()["user"] == "I sail."


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"text": ""}, "either text or messages must be given"),
        (
            {"messages": [{"role": "user", "content": "Hi"}]},
            "text and messages cannot go together: send one of them",
        ),
        (
            {"text": "", "messages": [{"role": "user", "content": " "}]},
            "messages has only blank messages",
        ),
        ({"text": "", "messages": ["Hi"]}, "messages.0: write a JSON object"),
        (
            {"text": "", "messages": [{"role": "user", "content": "Hi"}], "pinned": True},
            "pinned cannot go together with messages",
        ),
        ({"channel": "voice"}, "channel cannot go together with text"),
    ],
)
def test_addition_of_nothing_or_of_two_things_is_told_apart(
    plain_server: Served, fields: dict[str, Any], message: str
) -> None:
    answer = plain_server.client.post("/memories", json={**_BODIES["/memories"], **fields})
    assert message_of(answer) == message


def test_missing_user_is_told_with_its_place(plain_server: Served) -> None:
    client = plain_server.client
    in_body = client.request("DELETE", "/memories/x", json={"user_id": "ana"})
    assert message_of(in_body).endswith("Add it to the address, as ?user_id=…")
    without = {**_BODIES["/memories"], "user_id": ""}
    assert message_of(client.post("/memories", json=without)).endswith("Add it to the body")


def test_parameter_of_a_call_that_takes_only_a_body_is_told(plain_server: Served) -> None:
    answer = plain_server.client.patch("/memories/x", params={"user_id": "ana"}, json={"text": "A"})
    assert message_of(answer) == "user_id: there is no such parameter; send it in the body, as JSON"


def test_time_zone_counts_although_its_plus_was_not_escaped(serve_with: ServeWith) -> None:
    client = serve_with().client
    said = {"role": "user", "content": "I sail.", "created_at": "2025-02-20T09:00:00+02:00"}
    client.post("/history", json={**_BODIES["/history"], "messages": [said]})
    for since, count in (("2025-02-20T09:00:00+02:00", 1), ("2025-02-20T09:00:01+02:00", 0)):
        answer = client.get(f"/history?user_id=ana&since={since}")
        assert len(answer.json()["messages"]) == count
