"""The endpoint /answer and the tool of the same name."""

import json
from typing import Any

import mcp

from tests.loopback import hangs, says_json, serve
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import Scripted, completion
from tests.server.test_mcp import call_over_http, data_of

REPLY = json.dumps({"answer": "To nuts.", "used": [1], "enough": True})


def served_with_knowledge(serve_with: ServeWith, *replies: str) -> Served:
    served = serve_with(
        Scripted(*(says_json(completion(reply)) for reply in replies)), has_llm=bool(replies)
    )
    body = {"user_id": "ana", "text": "Ana is allergic to nuts."}
    assert served.client.post("/memories", json=body).status_code == 200
    return served


def ask(served: Served, **fields: Any) -> Any:
    body = {"user_id": "ana", "question": "What is Ana allergic to?", **fields}
    answer = served.client.post("/answer", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_answer_comes_with_the_memories_that_it_rests_on(serve_with: ServeWith) -> None:
    found = ask(served_with_knowledge(serve_with, REPLY))
    assert (found["answer"], found["fault"], found["stage"]) == ("To nuts.", "", "condensed")
    assert [memory["text"] for memory in found["used"]] == ["Ana is allergic to nuts."]


def test_without_a_model_the_memories_come_alone_and_the_answer_says_so(
    serve_with: ServeWith,
) -> None:
    found = ask(served_with_knowledge(serve_with))
    assert (found["answer"], "no language model" in found["fault"]) == ("", True)
    assert [memory["text"] for memory in found["sources"]] == ["Ana is allergic to nuts."]


def test_hanging_model_is_named_once_the_time_for_an_answer_is_over(
    serve_with: ServeWith,
) -> None:
    with serve(hangs()) as model:
        served = serve_with(llm={"base_url": model.url, "model": "m", "timeout_s": 0.2})
        body = {"user_id": "ana", "text": "Ana is allergic to nuts."}
        assert served.client.post("/memories", json=body).status_code == 200
        found = ask(served)
        assert found["answer"] == ""
        assert f"{model.url} did not answer in time" in found["fault"]
        assert [memory["text"] for memory in found["sources"]] == ["Ana is allergic to nuts."]


def test_answer_of_an_unknown_user_says_that_there_is_nothing(serve_with: ServeWith) -> None:
    found = ask(served_with_knowledge(serve_with), user_id="bob")
    assert (found["sources"], "no memories" in found["fault"]) == ([], True)


def test_question_must_not_be_empty(serve_with: ServeWith) -> None:
    body = {"user_id": "ana", "question": ""}
    answer = serve_with().client.post("/answer", json=body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "question")


def test_tool_answers_a_question(serve_with: ServeWith) -> None:
    served = served_with_knowledge(serve_with, REPLY)

    async def use(session: mcp.ClientSession) -> Any:
        return await session.call_tool("answer", {"question": "What is Ana allergic to?"})

    (found,) = data_of(call_over_http(served, use, **{"x-memory-user": "ana"}))
    assert found["answer"] == "To nuts."
    assert [memory["text"] for memory in found["memories"]] == ["Ana is allergic to nuts."]


def test_day_that_ends_a_search_belongs_to_it(serve_with: ServeWith) -> None:
    client = serve_with().client
    said = {"role": "user", "content": "I paint boats.", "created_at": "2025-02-20T18:00:00Z"}
    client.post("/memories", json={"user_id": "ana", "messages": [said]})
    for until, count in (("2025-02-20", 1), ("20250220", 1), ("2025-02-20T12:00:00", 0)):
        body = {"user_id": "ana", "query": "boats", "since": "2025-02-20", "until": until}
        assert len(client.post("/memories/search", json=body).json()["results"]) == count
