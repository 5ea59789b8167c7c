"""Orders, limits and windows of ChatMemory's endpoints, as its own clients expect them."""

from datetime import date
from typing import Any

import pytest

from tests.server.conftest import Served, ServeWith
from tests.server.live_server import ANA
from tests.server.test_chatmemory import TODAY, get, history, message, post_history, put_diary, say


def test_knowledge_and_summaries_come_oldest_first(serve_with: ServeWith) -> None:
    client = serve_with().client
    for text in ("first", "second", "third"):
        client.post("/knowledge", json={"user_id": "ana", "knowledge": text})
        say(client, text, f"I talked about the {text} thing today.")
        client.post("/summary/create", params={"user_id": "ana", "session_id": text})
    known = get(client, "/knowledge", user_id="ana")["knowledge"]
    assert [one["knowledge"] for one in known] == ["first", "second", "third"]
    summaries = get(client, "/summary", user_id="ana")["summaries"]
    assert [one["session_id"] for one in summaries] == ["first", "second", "third"]


def test_days_alone_find_the_diaries_of_all_users(serve_with: ServeWith) -> None:
    client = serve_with().client
    put_diary(client, TODAY, "Ana's day")
    put_diary(client, TODAY, "Bob's day", user_id="bob")
    found = get(client, "/diary", diary_date=TODAY.isoformat())["diaries"]
    assert {(page["user_id"], page["content"]) for page in found} == {
        ("ana", "Ana's day"),
        ("bob", "Bob's day"),
    }


@pytest.mark.parametrize("seconds", [0, -1])
def test_window_of_no_seconds_is_any_time(serve_with: ServeWith, seconds: int) -> None:
    client = serve_with().client
    said = message("user", "long ago", None) | {"created_at": "2020-01-01T00:00:00"}
    post_history(client, "one", said)
    assert len(history(client, user_id="ana", within_seconds=seconds)) == 1


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (5000, 2)])
def test_limit_may_be_any_number(serve_with: ServeWith, limit: int, count: int) -> None:
    client = serve_with().client
    params: dict[str, Any] = {"user_id": "ana", "limit": limit}
    for session in ("one", "two"):
        say(client, session, "Hello.")
    put_diary(client, TODAY, "Today")
    put_diary(client, date(2020, 1, 31), "Long ago")
    assert len(get(client, "/history/sessions", **params)["sessions"]) == count
    assert len(get(client, "/diary", **params)["diaries"]) == count


def test_messages_of_a_long_past_are_added_in_one_call(serve_with: ServeWith) -> None:
    client = serve_with().client
    post_history(client, "one", *(message("user", f"message {n}") for n in range(1200)))
    assert len(history(client, user_id="ana")) == 1000


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_day_at_the_end_of_the_calendar_is_refused(plain_server: Served, day: str) -> None:
    body = {"user_id": "ana", "diary_date": day, "content": "Long ago"}
    refused = plain_server.client.post("/diary", json=body)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "diary_date")


@pytest.mark.parametrize("params", [{"session_id": "silent"}, {}])
@pytest.mark.parametrize(
    "silence",
    [[message("user", ""), message("assistant", " ")], [message("narrator", "")]],
    ids=["empty messages", "another role"],
)
def test_session_without_words_has_no_summary(
    serve_with: ServeWith, silence: list[dict[str, Any]], params: dict[str, str]
) -> None:
    client = serve_with().client
    post_history(client, "silent", *silence)
    say(client, "last", "Hello.")
    created = client.post("/summary/create", params={"user_id": "ana", **params})
    assert (created.status_code, created.json()) == (200, {"status": "summary created"})
    assert get(client, "/summary", user_id="ana")["summaries"] == []


def test_history_without_messages_makes_no_folder(serve_with: ServeWith) -> None:
    served = serve_with()
    body = {"user_id": "ana", "session_id": "s", "messages": []}
    assert served.client.post("/history", json=body).json() == {"status": "ok"}
    assert not served.runtime.memory.has_namespace(ANA)
