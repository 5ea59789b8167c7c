"""Summaries of ChatMemory's sessions: at once from their sentences, then by the model."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from tests.loopback import Answer, Asked, hangs
from tests.server.chatmemory_client import (
    get,
    message,
    post_history,
    retrieved,
    say,
    summary_reply,
    summary_with,
    wait_for,
)
from tests.server.conftest import ServeWith
from tests.server.live_server import Scripted, chat, streamed


def test_new_session_has_the_last_one_summarised(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "I like Japanese soba noodles, every day.")
    say(client, "two", "I go shopping in Shibuya.")
    summary = summary_with(client, "soba")
    assert summary.keys() == {"created_at", "session_id", "summary", "made_by"}
    assert (summary["session_id"], summary["made_by"]) == ("one", "extractive")


def test_session_copied_from_earlier_times_is_summarised_like_any_other(
    serve_with: ServeWith,
) -> None:
    client = serve_with().client
    for name, day in (("later", 20), ("earlier", 10)):
        post_history(client, name, message("user", f"I am {name}.", datetime(2025, 2, day)))
    say(client, "now", "What a nice evening this is.")
    wait_for(lambda: len(get(client, "/summary", user_id="ana")["summaries"]) == 2)
    found = get(client, "/summary", user_id="ana")["summaries"]
    assert {summary["session_id"] for summary in found} == {"later", "earlier"}


def test_resumed_session_is_summarised_again(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "I like Japanese soba noodles, every day.")
    say(client, "two", "I go shopping in Shibuya.")
    summary_with(client, "soba")
    say(client, "one", "I am also allergic to peanuts, badly.")
    say(client, "three", "What a nice evening this is.")
    summary_with(client, "peanuts", session_id="one")


def test_model_writes_the_summary_of_a_session(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(summary_reply("They eat soba noodles.")), has_llm=True)
    say(served.client, "one", "I like Japanese soba noodles, every day.")
    say(served.client, "one", "With a raw egg on top.")
    served.client.post("/summary/create", params={"user_id": "ana", "session_id": "one"})
    (summary,) = get(served.client, "/summary", user_id="ana")["summaries"]
    assert (summary["summary"], summary["made_by"]) == ("They eat soba noodles.", "m")
    assert "raw egg" in served.sent_messages[-1]["content"]
    assert retrieved(served.client, query="soba").endswith("): They eat soba noodles.\n\n")
    served.asked.pop()
    again = {"user_id": "ana", "session_id": "one"}
    served.client.post("/summary/create", params=again)
    assert len(served.asked) == 1


def test_model_summarises_the_session_that_a_new_one_ended(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(summary_reply("They eat soba noodles.")), has_llm=True)
    say(served.client, "one", "I like Japanese soba noodles, every day.")
    say(served.client, "two", "I go shopping in Shibuya.")
    assert summary_with(served.client, "They eat soba")["made_by"] == "m"


def test_summary_quotes_the_session_while_the_model_hangs(serve_with: ServeWith) -> None:
    served = serve_with(hangs(), has_llm=True)
    say(served.client, "one", "I like Japanese soba noodles, every day.")
    say(served.client, "two", "I go shopping in Shibuya.")
    assert summary_with(served.client, "soba")["made_by"] == "extractive"


@pytest.mark.parametrize(
    ("session", "quoted"),
    [({"session_id": "two"}, "Shibuya"), ({"session_id": "one"}, "soba"), ({}, "soba")],
    ids=["asked", "already being summarised", "all"],
)
def test_summary_asked_for_quotes_the_session_in_time_if_the_model_hangs(
    serve_with: ServeWith, session: dict[str, str], quoted: str
) -> None:
    served = serve_with(hangs(), has_llm=True, llm={"timeout_s": 0.2})
    say(served.client, "one", "I like Japanese soba noodles, every day.")
    say(served.client, "two", "I go shopping in Shibuya.")
    asked = served.client.post("/summary/create", params={"user_id": "ana", **session})
    assert asked.status_code == 504
    assert "did not write the summary within 0.2 s (llm.timeout_s)" in asked.text
    session_id = session.get("session_id", "one")
    made_by = summary_with(served.client, quoted, session_id=session_id)["made_by"]
    assert made_by == "extractive"


def test_summary_asked_for_while_one_is_written_is_made_once(serve_with: ServeWith) -> None:
    is_asked, may_answer = threading.Event(), threading.Event()

    def answer(asked: Asked) -> Answer:
        is_asked.set()
        may_answer.wait(60)
        return summary_reply("They eat soba noodles.")

    served = serve_with(answer, has_llm=True)
    say(served.client, "one", "I like Japanese soba noodles, every day.")
    say(served.client, "two", "I go shopping in Shibuya.")
    assert is_asked.wait(60)
    with ThreadPoolExecutor() as callers:
        wanted = {"user_id": "ana", "session_id": "one"}
        calls = [callers.submit(served.client.post, "/summary/create", params=wanted)]
        calls.append(callers.submit(say, served.client, "three", "What a nice evening."))
        may_answer.set()
    assert calls[0].result().status_code == 200
    (summary,) = get(served.client, "/summary", user_id="ana", session_id="one")["summaries"]
    assert (summary["summary"], summary["made_by"]) == ("They eat soba noodles.", "m")


def test_model_replaces_a_quoting_summary_when_asked_for_all(serve_with: ServeWith) -> None:
    answers = [streamed("Hm."), streamed("Hm."), summary_reply("They eat soba noodles.")]
    served = serve_with(Scripted(*answers), has_llm=True)
    say(served.client, "one", "I like Japanese soba noodles, every day.")
    say(served.client, "two", "I go shopping in Shibuya.")
    wait_for(lambda: len(served.asked) == 2)
    served.client.post("/summary/create", params={"user_id": "ana"})
    (summary,) = get(served.client, "/summary", user_id="ana")["summaries"]
    assert summary["made_by"] == "m"


def test_summary_is_extractive_when_the_answer_cannot_be_used(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(streamed("Hm."), streamed("Hm.")), has_llm=True)
    say(served.client, "one", "I like Japanese soba noodles, every day.")
    served.client.post("/summary/create", params={"user_id": "ana", "session_id": "one"})
    (summary,) = get(served.client, "/summary", user_id="ana")["summaries"]
    assert (summary["made_by"], len(served.asked)) == ("extractive", 2)
    assert "soba" in summary["summary"]


def test_model_replaces_extractive_summary_when_overwritten(serve_with: ServeWith) -> None:
    answers = [streamed("Hm."), streamed("Hm."), summary_reply("They eat soba noodles.")]
    served = serve_with(Scripted(*answers), has_llm=True)
    say(served.client, "one", "I like Japanese soba noodles, every day.")
    wanted = {"user_id": "ana", "session_id": "one"}
    served.client.post("/summary/create", params=wanted)
    served.client.post("/summary/create", params={**wanted, "overwrite": True})
    (summary,) = get(served.client, "/summary", user_id="ana")["summaries"]
    assert summary["made_by"] == "m"


def test_parts_of_a_long_session_are_one_summary(serve_with: ServeWith) -> None:
    client = serve_with().client
    late = datetime.now(UTC) - timedelta(minutes=1)
    for at, text in ((late - timedelta(days=3), "I paint boats."), (late, "I sold a blue boat.")):
        post_history(client, "one", message("user", text, at))
    client.post("/summary/create", params={"user_id": "ana", "session_id": "one"})
    (summary,) = get(client, "/summary", user_id="ana")["summaries"]
    first, second = summary["summary"].split("\n")
    assert ("paint" in first, "sold" in second) == (True, True)


def test_batch_summarises_all_sessions_but_the_latest(serve_with: ServeWith) -> None:
    served = serve_with()
    for name in ("one", "two", "three"):
        chat(served.client, f"This is session {name}, hello.", metadata={"conv_id": name})
    created = served.client.post("/summary/create", params={"user_id": "ana"})
    assert created.json() == {"status": "summary created"}
    found = get(served.client, "/summary", user_id="ana")["summaries"]
    assert {summary["session_id"] for summary in found} == {"one", "two"}
    deleted = served.client.delete("/summary", params={"user_id": "ana", "session_id": "one"})
    assert deleted.json() == {"status": "summaries deleted"}
    assert len(get(served.client, "/summary", user_id="ana")["summaries"]) == 1


def test_deleted_messages_leave_no_summary_behind(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "My secret is a tattoo of a whale.")
    client.post("/summary/create", params={"user_id": "ana", "session_id": "one"})
    client.delete("/history", params={"user_id": "ana", "session_id": "one"})
    assert get(client, "/summary", user_id="ana")["summaries"] == []
    assert "whale" not in retrieved(client, query="tattoo", search_content=True)


def test_summary_of_a_session_that_does_not_exist_is_refused(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "I like Japanese soba noodles, every day.")
    for user in ("ana", "nobody"):
        wanted = {"user_id": user, "session_id": "two"}
        answer = client.post("/summary/create", params=wanted)
        assert (answer.status_code, answer.json()["detail"]) == (
            404,
            f"{user} has no session 'two'",
        )


def test_session_that_begins_with_a_blank_message_is_summarised(serve_with: ServeWith) -> None:
    client = serve_with().client
    post_history(client, "one", message("user", ""))
    post_history(client, "one", message("user", "Soba?"))
    asked = {"user_id": "ana", "session_id": "one"}
    assert client.post("/summary/create", params=asked).status_code == 200
    (summary,) = get(client, "/summary", user_id="ana")["summaries"]
    assert summary["summary"].endswith("Soba?")


def test_imported_summary_belongs_to_its_imported_session(serve_with: ServeWith) -> None:
    client = serve_with().client
    say(client, "one", "I like Japanese soba noodles, every day.")
    written = {"session_id": "one", "summary": "They eat noodles."}
    pages = [get(client, "/history", user_id="ana"), {"summaries": [written]}]
    into = {"user_id": "ben", "filename": "all.json"}
    assert client.post("/import", params=into, json=pages).json()["notes"] == 1
    (summary,) = get(client, "/summary", user_id="ben")["summaries"]
    assert (summary["summary"], summary["made_by"]) == ("They eat noodles.", "chatmemory")
    names = get(client, "/history/session_ids", user_id="ben")["session_ids"]
    assert [summary["session_id"]] == names
