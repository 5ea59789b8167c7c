"""ChatMemory's endpoints over real sockets: its shapes and status codes, without its defects."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx
import pytest

from memory_core.domain.namespaces import API_PREFIX
from tests.loopback import says, says_json
from tests.server.chatmemory_client import (
    get,
    history,
    message,
    post_history,
    retrieved,
    say,
    summary_reply,
)
from tests.server.conftest import ServeWith
from tests.server.live_server import Scripted, chat, completion

TODAY = datetime.now(UTC).date()


def test_messages_come_back_as_they_were_sent(serve_with: ServeWith) -> None:
    client = serve_with().client
    at = datetime(2025, 2, 25, 18, 11, 22, 895354)
    sent = [
        message("system", "Be kind.", at),
        message("user", "Hello", at, metadata={"mood": "good", "role": "x"}),
        message("assistant", "Hi there", at + timedelta(seconds=1)),
        message("narrator", "It rains.", at + timedelta(seconds=2)),
    ]
    post_history(client, "one", *sent, channel="chatapp")
    found = history(client, user_id="ana", session_id="one")
    assert [(m["role"], m["content"], m["created_at"]) for m in found] == [
        (m["role"], m["content"], m["created_at"]) for m in sent
    ]
    assert found[1]["metadata"] == {"mood": "good", "role": "x"}
    assert {m["channel"] for m in found} == {"chatapp"}
    assert found[0].keys() == {
        "created_at", "role", "content", "metadata", "user_id", "session_id", "channel",
    }  # fmt: skip


def test_messages_said_while_remember_is_off_are_not_stored(serve_with: ServeWith) -> None:
    served = serve_with(ltm_writes={"enabled": False})
    say(served.client, "one", "My PIN is 4711")
    assert history(served.client, user_id="ana") == []


def test_answer_sent_alone_completes_its_question(serve_with: ServeWith) -> None:
    served = serve_with()
    post_history(served.client, "one", message("user", "I have a cat."))
    post_history(served.client, "one", message("assistant", "What is its name?"))
    found = history(served.client, user_id="ana")
    assert [m["content"] for m in found] == ["I have a cat.", "What is its name?"]
    (memory,) = get(served.client, "/memories", user_id="ana")["results"]
    assert (memory["user"], memory["assistant"]) == ("I have a cat.", "What is its name?")


def test_answer_of_another_day_is_an_exchange_of_its_own(serve_with: ServeWith) -> None:
    client = serve_with().client
    now = datetime.now(UTC)
    asked, greeting = message("user", "Bye.", now - timedelta(days=3)), "Are you there?"
    post_history(client, "one", asked)
    post_history(client, "one", message("assistant", greeting, now))
    post_history(client, "two", asked, message("assistant", greeting, now))
    assert len(get(client, "/memories", user_id="ana", kind="exchange")["results"]) == 4
    found = history(client, user_id="ana", within_seconds=3600)
    assert [m["content"] for m in found] == [greeting, greeting]


def test_history_window_includes_its_start_and_excludes_its_end(serve_with: ServeWith) -> None:
    client = serve_with().client
    now = datetime.now(UTC).replace(tzinfo=None)
    early, boundary = now - timedelta(minutes=10), now - timedelta(minutes=5)
    sent = [message("user", "early", early), message("assistant", "boundary", boundary)]
    post_history(client, "one", *sent, message("user", "late", now))

    def contents(**params: Any) -> list[str]:
        return [m["content"] for m in history(client, user_id="ana", **params)]

    assert contents(since=boundary.isoformat()) == ["boundary", "late"]
    assert contents(until=boundary.isoformat()) == ["early"]
    assert contents(within_seconds=400) == ["boundary", "late"]
    assert contents(within_seconds=1, since=early.isoformat()) == ["early", "boundary", "late"]


def test_history_of_long_ago_comes_without_a_window(serve_with: ServeWith) -> None:
    client = serve_with().client
    post_history(client, "one", message("user", "old", datetime(2020, 1, 1, tzinfo=UTC)))
    assert len(history(client, user_id="ana")) == 1


def test_history_without_a_beginning_has_the_latest_messages(serve_with: ServeWith) -> None:
    client = serve_with().client
    texts = [f"Message {number}." for number in range(1001)]
    post_history(client, "one", *(message("user", text) for text in texts))
    found = [said["content"] for said in history(client, user_id="ana")]
    assert (found[0], found[-1], len(found)) == (texts[1], texts[-1], 1000)
    first = history(client, user_id="ana", since="2025-01-01")[0]
    assert first["content"] == texts[0]


def test_day_without_dashes_is_no_number_of_seconds(serve_with: ServeWith) -> None:
    client = serve_with().client
    for day in (19, 20):
        post_history(client, "one", message("user", f"Day {day}.", datetime(2025, 2, day, 9)))
    assert [said["content"] for said in history(client, user_id="ana", since="20250220")] == [
        "Day 20."
    ]


def test_message_of_a_day_without_dashes_was_said_on_that_day(serve_with: ServeWith) -> None:
    client = serve_with().client
    said = {"role": "user", "content": "Hello.", "created_at": "20250220"}
    post_history(client, "one", said)
    assert history(client, user_id="ana")[0]["created_at"] == "2025-02-20T00:00:00"
    added = client.post("/memories", json={"user_id": "ben", "messages": [said]}).json()
    assert added["results"][0]["created_at"] == "2025-02-20T00:00:00+00:00"


def test_channels_are_filtered_and_deleted_apart(serve_with: ServeWith) -> None:
    client = serve_with().client
    for channel in ("chatapp", "discord"):
        say(client, "one", f"Hello from {channel}", channel=channel)
    assert len(history(client, user_id="ana")) == 4
    assert len(history(client, user_id="ana", channel="chatapp")) == 2
    deleted = client.delete("/history", params={"user_id": "ana", "channel": "chatapp"})
    assert deleted.json() == {"status": "history deleted"}
    assert {m["channel"] for m in history(client, user_id="ana")} == {"discord"}


def test_sessions_are_listed_latest_first_within_the_time(serve_with: ServeWith) -> None:
    client = serve_with().client
    two_hours_ago = datetime.now(UTC) - timedelta(hours=2)
    post_history(client, "old", message("user", "Hello there", two_hours_ago))
    for number in range(6):
        say(client, f"s{number}", "Hello again", channel="web")
    assert set(get(client, "/history/session_ids", user_id="ana")["session_ids"]) == {
        "old", *(f"s{number}" for number in range(6)),
    }  # fmt: skip
    recent = get(client, "/history/sessions", user_id="ana", limit=10)["sessions"]
    assert {s["session_id"] for s in recent} == {f"s{number}" for number in range(6)}
    assert recent[0].keys() == {"created_at", "user_id", "session_id", "channel"}
    assert len(get(client, "/history/sessions", user_id="ana")["sessions"]) == 5
    everything = get(client, "/history/sessions", user_id="ana", within_seconds=0, limit=10)
    assert len(everything["sessions"]) == 7


@pytest.mark.parametrize("session", ["x" * 400, "会话 " * 60, "../..", "ÄÖ / ?"])
def test_any_name_of_a_session_is_kept(serve_with: ServeWith, session: str) -> None:
    client = serve_with().client
    say(client, session, "I have a cat called Tom.")
    assert get(client, "/history/session_ids", user_id="ana")["session_ids"] == [session]
    assert len(history(client, user_id="ana", session_id=session)) == 2
    client.post("/summary/create", params={"user_id": "ana", "session_id": session})
    (summary,) = get(client, "/summary", user_id="ana", session_id=session)["summaries"]
    assert summary["session_id"] == session


def test_knowledge_is_added_listed_and_deleted_by_number(serve_with: ServeWith) -> None:
    client = serve_with().client
    for text in ("Ana is a nurse.", "Ana has a cat."):
        added = client.post("/knowledge", json={"user_id": "ana", "knowledge": text})
        assert added.json() == {"status": "knowledge added"}
    found = get(client, "/knowledge", user_id="ana")["knowledge"]
    assert {k["knowledge"] for k in found} == {"Ana is a nurse.", "Ana has a cat."}
    assert found[0].keys() == {"created_at", "knowledge", "id", "user_id"}
    params = {"user_id": "ana", "knowledge_id": found[0]["id"]}
    assert client.delete("/knowledge", params=params).json() == {"status": "knowledge deleted"}
    (left,) = get(client, "/knowledge", user_id="ana")["knowledge"]
    assert left["id"] == found[1]["id"]
    client.delete("/knowledge", params={"user_id": "ana"})
    assert get(client, "/knowledge", user_id="ana")["knowledge"] == []


def put_diary(client: httpx.Client, day: date, content: str, **fields: Any) -> None:
    body = {"user_id": "ana", "diary_date": day.isoformat(), "content": content, **fields}
    assert client.post("/diary", json=body).json() == {"status": "diary upserted"}


def test_diary_has_one_text_a_day(serve_with: ServeWith) -> None:
    client = serve_with().client
    yesterday = TODAY - timedelta(days=1)
    put_diary(client, TODAY, "Today diary", metadata={"mood": "good"})
    put_diary(client, yesterday, "Yesterday diary")
    put_diary(client, TODAY, "Today diary updated", metadata={"mood": "great"})

    def contents(**params: Any) -> list[str]:
        return [d["content"] for d in get(client, "/diary", user_id="ana", **params)["diaries"]]

    assert contents() == ["Today diary updated", "Yesterday diary"]
    assert contents(since=TODAY.isoformat()) == ["Today diary updated"]
    assert contents(until=yesterday.isoformat()) == ["Yesterday diary"]
    assert contents(limit=1) == ["Today diary updated"]
    (page,) = get(client, "/diary", user_id="ana", diary_date=TODAY.isoformat())["diaries"]
    assert (page["metadata"], page["diary_date"]) == ({"mood": "great"}, TODAY.isoformat())
    params = {"user_id": "ana", "diary_date": TODAY.isoformat()}
    assert client.delete("/diary", params=params).json() == {"status": "diary deleted"}
    assert contents() == ["Yesterday diary"]
    client.delete("/diary", params={"user_id": "ana"})
    assert contents() == []
    put_diary(client, TODAY, "Today diary")
    assert contents() == ["Today diary"]


def test_diary_accepts_times_as_in_chatmemorys_example(serve_with: ServeWith) -> None:
    client = serve_with().client
    for day in (19, 20, 25, 26):
        put_diary(client, date(2025, 2, day), f"Page {day}")
    window = {"since": "2025-02-20T00:00:00Z", "until": "2025-02-25T23:59:59Z", "limit": 50}
    pages = get(client, "/diary", user_id="ana", **window)["diaries"]
    assert [page["content"] for page in pages] == ["Page 25", "Page 20"]


def test_diary_of_a_day_is_deleted_without_naming_a_user(serve_with: ServeWith) -> None:
    client = serve_with().client
    for day in (19, 20):
        put_diary(client, date(2025, 2, day), f"Page {day}")
    deleted = client.delete("/diary", params={"diary_date": "2025-02-20"})
    assert deleted.json() == {"status": "diary deleted"}
    assert [page["content"] for page in get(client, "/diary", user_id="ana")["diaries"]] == [
        "Page 19"
    ]
    refused = client.delete("/diary")
    assert refused.json()["detail"] == "either user_id or a day must be given"


def fill(client: httpx.Client) -> None:
    say(client, "one", "I like Japanese soba noodles, every day.")
    client.post("/summary/create", params={"user_id": "ana", "session_id": "one"})
    client.post("/knowledge", json={"user_id": "ana", "knowledge": "Ana is a nurse."})
    put_diary(client, date(2025, 2, 7), "A note about a joke")


def test_search_without_a_model_returns_the_found_memories_and_says_so(
    serve_with: ServeWith,
) -> None:
    client = serve_with().client
    fill(client)
    result = client.post("/search", json={"user_id": "ana", "query": "noodles"}).json()["result"]
    assert "llm.base_url" in result["answer"]
    found = result["retrieved_data"]
    assert "Conversation summary (" in found
    assert "Knowledge about user (" in found
    assert "Diary (2025-02-07): A note about a joke" in found
    assert found.startswith("====\n\n")


def test_search_asks_the_model_and_then_the_messages(serve_with: ServeWith) -> None:
    replies = [
        {"answer": "I do not know.", "used": [], "enough": False},
        {"answer": "Soba noodles.", "used": [4], "enough": True},
    ]
    answers = [says_json(completion(json.dumps(reply))) for reply in replies]
    summary = summary_reply("Ana likes soba noodles.")
    served = serve_with(Scripted(summary, *answers), has_llm=True)
    fill(served.client)
    body = {"user_id": "ana", "query": "Which noodles does she like?", "search_content": True}
    result = served.client.post("/search", json=body).json()["result"]
    assert result == {"answer": "Soba noodles.", "retrieved_data": None}
    first, second = (asked.body["messages"][-1]["content"] for asked in served.asked[1:])
    assert "exchange" not in first
    assert "Ana likes soba noodles." in first
    assert "I like Japanese soba noodles" in second.split("] ")[-1]


def test_failure_of_the_model_is_reported_by_search(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(summary_reply("Noodles."), says("oops", status=500)), has_llm=True)
    fill(served.client)
    answer = served.client.post("/search", json={"user_id": "ana", "query": "noodles"})
    assert answer.status_code == 502


def test_search_keeps_to_the_days_of_the_caller(serve_with: ServeWith) -> None:
    client = serve_with().client
    moments = {"in": datetime(2025, 2, 6, 23, 0), "out": datetime(2025, 2, 5, 12, 0)}
    for name, at in moments.items():
        post_history(client, name, message("user", f"This is the one {name}side the window.", at))
        client.post("/summary/create", params={"user_id": "ana", "session_id": name})
    put_diary(client, date(2025, 2, 7), "Diary of the day")
    put_diary(client, date(2025, 2, 5), "Diary of before")
    days = {"since": "2025-02-07", "until": "2025-02-07", "utc_offset_hours": 9}
    found = retrieved(client, query="window", **days)
    assert "inside the window" in found
    assert "Diary of the day" in found
    assert "outside" not in found
    assert "before" not in found


def test_search_covers_several_users(serve_with: ServeWith) -> None:
    client = serve_with().client
    for user, food in (("ana", "pizza"), ("bob", "pasta")):
        client.post("/knowledge", json={"user_id": user, "knowledge": f"{user} loves {food}."})
    found = retrieved(client, user_id=["ana", "bob"], query="pasta")
    assert "pizza" in found
    assert found.index("pasta") < found.index("pizza")


def test_search_finds_a_user_with_two_names_once(serve_with: ServeWith) -> None:
    served = serve_with()
    served.client.post("/knowledge", json={"user_id": "ana", "knowledge": "Ana is tall"})
    memory = served.runtime.memory
    memory.set_aliases(memory.aliases.with_user(f"{API_PREFIX}ann", f"{API_PREFIX}ana"))
    found = retrieved(served.client, user_id=["ana", "ann"], query="How tall is Ana?")
    assert found.count("Ana is tall") == 1


def test_search_falls_back_on_the_best_sessions_of_all_users(serve_with: ServeWith) -> None:
    client = serve_with().client
    for number in range(3):
        say(client, f"a{number}", f"The weather was fine in town {number}, says Tom.", user="ana")
    say(client, "b", "My boat is called Grey Heron, and the weather was fine.", user="ben")
    query = "Which boat in fine weather?"
    body = {"user_id": ["ana", "ben"], "query": query, "search_content": True, "top_k": 2}
    assert "Grey Heron" in retrieved(client, **body)


def test_search_falls_back_on_the_latest_sessions_if_none_fits(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "I like Japanese soba.")
    assert "Japanese soba" in retrieved(client, query="What is the favorite food?")
    bounds = {"since": "2025-01-01", "until": "2025-01-02"}
    assert "Japanese soba" not in retrieved(client, query="What is the favorite food?", **bounds)


def test_search_shows_the_part_of_a_long_session_that_fits(serve_with: ServeWith) -> None:
    client = serve_with().client
    texts = [f"Message {number} about the weather." for number in range(200)]
    texts[150] = "My boat is called Grey Heron."
    post_history(client, "one", *(message("user", text) for text in texts))
    found = retrieved(client, query="Which boat?", search_content=True)
    assert "Grey Heron" in found
    assert found.count("- user: ") == 50


@pytest.mark.parametrize("path", ["/history", "/summary", "/diary"])
def test_call_without_a_filter_is_refused(serve_with: ServeWith, path: str) -> None:
    client = serve_with().client
    say(client, "one", "I have a cat.")
    assert client.get(path).status_code == 400
    assert client.delete(path).status_code == 400
    assert client.delete(path, params={"channel": "x"}).status_code in (400, 422)
    assert len(history(client, user_id="ana")) == 2


def test_history_reaches_the_chats_of_the_same_user(serve_with: ServeWith) -> None:
    served = serve_with()
    say(served.client, "one", "My sister Jelena lives on the island of Hvar.")
    chat(served.client, "Where does my sister Jelena live?", metadata={"conv_id": "two"})
    assert "Hvar" in str(served.sent_messages)
