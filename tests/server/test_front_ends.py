"""Requests as SillyTavern and Open WebUI send them; tests/data/clients tells their sources."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from tests.builders import said as to_say
from tests.loopback import says_json
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import ANA, Scripted, completion, events, sides, stored, streamed

CLIENTS = Path(__file__).resolve().parents[1] / "data" / "clients"
OWNERS = {"sillytavern": Namespace("api:ana", "Mira"), "open_webui": ANA}


def request(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CLIENTS / f"{name}.json").read_text("utf-8"))
    return found


def send(served: Served, name: str) -> httpx.Response:
    asked = request(name)
    return served.client.post("/v1/chat/completions", json=asked["body"], headers=asked["headers"])


def add_dog(served: Served, owner: Namespace) -> None:
    kind = MemoryKind.KNOWLEDGE
    served.runtime.memory.add_note(owner, "Ana's dog is called Bruno.", kind=kind, pinned=False)


@pytest.mark.parametrize("name", OWNERS)
def test_front_end_gets_memories_and_has_its_exchange_stored(
    name: str, serve_with: ServeWith
) -> None:
    served = serve_with(Scripted(streamed("Bru", "no.")))
    owner = OWNERS[name]
    add_dog(served, owner)
    response = send(served, name)
    assert response.status_code == 200
    *_, last, done = events(response)
    assert done == "[DONE]"
    assert last["retrieved"]["stored"]
    assert "Ana's dog is called Bruno." in json.dumps(served.sent_messages)
    assert sides(stored(served.runtime, owner))[0] == ("What is my dog called?", "Bruno.")


@pytest.mark.parametrize("name", OWNERS)
def test_fields_of_the_front_end_reach_the_model_as_they_are(
    name: str, serve_with: ServeWith
) -> None:
    served = serve_with(Scripted(streamed("Bruno.")))
    send(served, name)
    given, got = request(name)["body"], served.asked[-1].body
    passed = given.keys() - {"messages", "metadata"}
    assert {key: got[key] for key in passed} == {key: given[key] for key in passed}
    assert got.keys() == passed | {"messages"}
    given_system = [m for m in given["messages"] if m["role"] == "system"]
    assert [m for m in got["messages"] if m["role"] == "system"][
        : len(given_system)
    ] == given_system


def test_title_that_open_webui_asks_for_is_nobody_s_memory(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(says_json(completion('{"title": "Dogs"}'))))
    add_dog(served, ANA)
    response = send(served, "open_webui_title")
    assert response.json()["choices"][0]["message"]["content"] == '{"title": "Dogs"}'
    assert response.json()["retrieved"]["stored"] is False
    assert served.sent_messages == request("open_webui_title")["body"]["messages"]
    assert stored(served.runtime) == []


@pytest.mark.parametrize("chat_id", ["temporary:one", "local:one", "local"])
def test_temporary_chat_of_open_webui_leaves_nothing(serve_with: ServeWith, chat_id: str) -> None:
    served = serve_with()
    add_dog(served, ANA)
    asked = request("open_webui")
    headers = {**asked["headers"], "x-openwebui-chat-id": chat_id}
    response = served.client.post("/v1/chat/completions", json=asked["body"], headers=headers)
    assert events(response)[-2]["retrieved"]["stored"] is False
    assert served.sent_messages == asked["body"]["messages"]
    assert stored(served.runtime) == []


def test_user_of_open_webui_is_called_by_name_and_not_by_id(serve_with: ServeWith) -> None:
    served = serve_with()
    served.runtime.memory.remember(ANA, "c", to_say("My dog Bruno is three years old."))
    asked = request("open_webui")
    headers = {**asked["headers"], "x-openwebui-user-name": "Ana Mari%C4%87"}
    served.client.post("/v1/chat/completions", json=asked["body"], headers=headers)
    assert "Ana Marić" in json.dumps(served.sent_messages, ensure_ascii=False)


def test_documents_that_open_webui_adds_are_not_the_users_words(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(streamed("Bruno.")))
    asked = request("open_webui")
    documents = "### Task:\nRespond to the user query using the provided context, and cite.\n\n"
    documents += "<context>\n<source id=1>A page about dogs.</source>\n</context>\n"
    asked["body"]["messages"][-1]["content"] = documents + "What is my dog called?"
    served.client.post("/v1/chat/completions", json=asked["body"], headers=asked["headers"])
    assert documents in served.sent_messages[-1]["content"]
    assert sides(stored(served.runtime)) == [("What is my dog called?", "Bruno.")]


def test_user_who_writes_like_a_task_elsewhere_is_remembered(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(says_json(completion("Fine."))))
    body = {**request("open_webui_title")["body"], "user": "ana"}
    assert served.client.post("/v1/chat/completions", json=body).json()["retrieved"]["stored"]


NOTE = {"role": "system", "content": "[Ana carries a lamp.]"}
LAMP = ("My sister Jelena gave me a lamp.", "How kind of Jelena!")
ROME = ("Where shall we go?", "To Rome.")


def talk(served: Served, *messages: dict[str, str]) -> dict[str, Any]:
    """Sends messages of SillyTavern, and returns what was recalled and stored."""
    greeting = [{"role": "assistant", "content": "Hello, traveller."}]
    body = {"messages": [*greeting, *messages], "user": "ana"}
    answer = served.client.post("/v1/chat/completions", json=body)
    retrieved: dict[str, Any] = answer.json()["retrieved"]
    return retrieved


def said(exchange: tuple[str, str]) -> list[dict[str, str]]:
    return [
        {"role": role, "content": text}
        for role, text in zip(("user", "assistant"), exchange, strict=True)
    ]


def test_note_behind_the_last_message_does_not_part_it_from_its_answer(
    serve_with: ServeWith,
) -> None:
    served = serve_with(Scripted(says_json(completion(LAMP[1]))))
    talk(served, said(LAMP)[0], NOTE)
    assert sides(stored(served.runtime)) == [LAMP]
    assert NOTE in served.sent_messages


@pytest.mark.parametrize("depth", range(1, 5))
def test_note_at_any_depth_parts_no_message_from_its_answer(
    serve_with: ServeWith, depth: int
) -> None:
    served = serve_with(Scripted(*(says_json(completion(text)) for _, text in (LAMP, ROME))))
    talk(served, said(LAMP)[0])
    messages = [*said(LAMP), said(ROME)[0]]
    messages.insert(len(messages) - depth if depth < 4 else 0, NOTE)
    talk(served, *messages)
    assert sorted(sides(stored(served.runtime))) == [LAMP, ROME]
    assert served.sent_messages.count(NOTE) == 1


def test_answer_to_a_task_about_the_chat_is_nobodys_memory(serve_with: ServeWith) -> None:
    answers = (LAMP[1], "Jelena gave a lamp.")
    served = serve_with(Scripted(*(says_json(completion(text)) for text in answers)))
    talk(served, said(LAMP)[0])
    task = {"role": "system", "content": "Pause the roleplay. Sum up the chat."}
    told = talk(served, *said(LAMP), task)
    assert (told["stored"], told["replay"], told["summary_only"]) == (False, [], [])
    assert served.sent_messages[-3:] == [*said(LAMP), task]
    assert sides(stored(served.runtime)) == [LAMP]


def test_turn_of_the_next_character_in_a_group_is_stored(serve_with: ServeWith) -> None:
    answers = (LAMP[1], "Bob: I have none.")
    served = serve_with(Scripted(*(says_json(completion(text)) for text in answers)))
    talk(served, said(LAMP)[0])
    turn = {"role": "system", "content": "[Write the next reply only as Bob.]"}
    assert talk(served, *said(LAMP), turn)["stored"]
    assert sorted(sides(stored(served.runtime))) == [("", answers[1]), LAMP]


@pytest.mark.parametrize("metadata", [{}, {"conversation_id": "one"}])
def test_continued_first_answer_becomes_longer_and_no_second_memory(
    serve_with: ServeWith, metadata: dict[str, str]
) -> None:
    answers = ("Once upon a time", " in Rome.")
    served = serve_with(Scripted(*(says_json(completion(text)) for text in answers)))
    user = {"role": "user", "content": "A story!"}
    begun = {"role": "assistant", "content": answers[0]}
    for messages in ([user], [user, begun]):
        body = {"messages": messages, "user": "ana", "metadata": metadata}
        served.client.post("/v1/chat/completions", json=body)
    assert sides(stored(served.runtime)) == [("A story!", "Once upon a time in Rome.")]
