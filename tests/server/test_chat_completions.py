"""Chat completions over real sockets: memories go in, and the exchange is stored."""

import json
import time
from typing import Any

import openai
import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.storage.contract import Page
from tests.loopback import says_json, streams
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import (
    ANA,
    Scripted,
    chat,
    chunk,
    completion,
    events,
    sides,
    stored,
    streamed,
)

SUMMER = "We spent last summer on the island of Hvar with my sister Jelena."


@pytest.mark.parametrize("stream", [False, True])
def test_memory_of_an_earlier_chat_reaches_the_model(serve_with: ServeWith, stream: bool) -> None:
    served = serve_with()
    chat(served.client, SUMMER, metadata={"conversation_id": "one"}, stream=stream)
    question = "Where did we spend last summer with my sister?"
    answer = chat(served.client, question, metadata={"conversation_id": "two"}, stream=stream)
    sent = json.dumps(served.sent_messages)
    assert "Hvar" in sent
    last = events(answer)[-2] if stream else answer.json()
    found = [*last["retrieved"]["replay"], *last["retrieved"]["summary_only"]]
    assert [memory["conv_id"] for memory in found] == ["one"]
    assert found[0].keys() >= {"memory_id", "ts", "score", "conv_id", "turn_id"}


@pytest.mark.parametrize("stream", [False, True])
def test_exchange_is_on_disk_when_the_answer_has_arrived(
    serve_with: ServeWith, stream: bool
) -> None:
    served = serve_with()
    answer = chat(served.client, SUMMER, stream=stream)
    last = events(answer)[-2] if stream else answer.json()
    assert last["retrieved"]["stored"] is True
    assert sides(stored(served.runtime)) == [(SUMMER, "All right.")]


def test_retrieved_has_each_line_as_it_stands_in_the_prompt(serve_with: ServeWith) -> None:
    """The memory is recalled, and the system block quotes its session, too."""
    served = serve_with(Scripted(says_json(completion("Your sister Jelena sounds kind!"))))
    chat(served.client, SUMMER, metadata={"conversation_id": "one"})
    question = "What did you say about my sister Jelena and Hvar?"
    answer = chat(served.client, question, metadata={"conversation_id": "two"})
    retrieved = answer.json()["retrieved"]
    first, last = served.sent_messages[0], served.sent_messages[-1]
    (line,) = retrieved["summary_only"]
    assert line["summary"] in last["content"].splitlines()
    assert "sounds kind" in line["summary"]
    assert set(retrieved["always_in_prompt"]) < set(first["content"].splitlines())
    assert any("Hvar" in standing for standing in retrieved["always_in_prompt"])


@pytest.mark.parametrize("stream", [False, True])
def test_explained_answer_says_what_was_left_out_and_why(
    serve_with: ServeWith, stream: bool
) -> None:
    no_chance = {"min_need": 0.999, "full_need": 0.999}
    served = serve_with(ltm_context={"summary_sessions": 0}, recall=no_chance)
    chat(served.client, SUMMER, metadata={"conversation_id": "one"})
    memory = served.runtime.memory.latest(ANA, Page(limit=1))[0].id
    metadata = {"conversation_id": "two", "explain": True}
    answer = chat(served.client, "It is summer, finally", metadata=metadata, stream=stream)
    retrieved = (events(answer)[-2] if stream else answer.json())["retrieved"]
    assert (retrieved["replay"], retrieved["summary_only"]) == ([], [])
    assert 0 <= retrieved["need"] < served.runtime.settings.recall.min_need
    (drop,) = retrieved["dropped"]
    assert (drop["memory_id"], drop["reason"]) == (memory, "gate")
    assert "need" in drop["detail"]
    assert "metadata" not in served.asked[-1].body
    plain = chat(served.client, "It is summer, finally", metadata={"conversation_id": "three"})
    assert plain.json()["retrieved"].keys().isdisjoint({"dropped", "need"})


def test_history_of_the_client_is_neither_recalled_nor_stored_twice(serve_with: ServeWith) -> None:
    served = serve_with()
    chat(served.client, SUMMER)
    chat(served.client, SUMMER, "All right.", "Where did we spend last summer?")
    sent = json.dumps(served.sent_messages)
    assert sent.count("Hvar") == 1
    assert len(stored(served.runtime)) == 2


def test_regenerated_answer_replaces_the_first_one(serve_with: ServeWith) -> None:
    answers = [says_json(completion(text)) for text in ("Hello.", "First.", "Second.")]
    served = serve_with(Scripted(*answers))
    chat(served.client, "Hi there")
    chat(served.client, "Hi there", "Hello.", "Tell me a joke")
    chat(served.client, "Hi there", "Hello.", "Tell me a joke")
    found = sides(stored(served.runtime))
    assert sorted(found) == [("Hi there", "Hello."), ("Tell me a joke", "Second.")]


def test_unknown_fields_tools_and_images_reach_the_backend_untouched(serve_with: ServeWith) -> None:
    served = serve_with()
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    message = {"role": "user", "name": "a", "content": [{"type": "text", "text": "Look"}, picture]}
    extra: dict[str, Any] = {
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        "n": 2, "stop": ["x"], "logprobs": True, "repetition_penalty": 1.1, "min_p": 0.05,
    }  # fmt: skip
    body = {"model": "m", "messages": [message], "user": "ana", **extra}
    served.client.post("/v1/chat/completions", json=body)
    sent = served.asked[-1].body
    assert {key: sent[key] for key in extra} == extra
    assert sent["messages"][-1] == message


def test_system_message_of_the_client_stays_first_and_whole(serve_with: ServeWith) -> None:
    served = serve_with()
    chat(served.client, SUMMER)
    system = {"role": "system", "content": "You are a pirate.", "name": "card"}
    asked = {"role": "user", "content": "Where did we spend last summer?"}
    body = {"messages": [system, asked], "user": "ana"}
    served.client.post("/v1/chat/completions", json=body)
    first = served.sent_messages[0]
    assert first["content"].startswith("You are a pirate.")
    assert (first["role"], first["name"]) == ("system", "card")
    assert [message["role"] for message in served.sent_messages].count("system") == 1
    assert served.sent_messages[-1]["content"].endswith("Where did we spend last summer?")


def test_own_fields_of_metadata_do_not_reach_the_backend(serve_with: ServeWith) -> None:
    served = serve_with()
    chat(served.client, "Hi", metadata={"conv_id": "x", "retrieve_k": 1, "mine": "1"})
    assert served.asked[-1].body["metadata"] == {"mine": "1"}
    chat(served.client, "Hi", metadata={"conv_id": "x"})
    assert "metadata" not in served.asked[-1].body


def test_characters_of_one_user_keep_their_memories_apart(serve_with: ServeWith) -> None:
    served = serve_with()
    chat(served.client, SUMMER, metadata={"character": "Mira"})
    chat(served.client, "Where did we spend last summer?", metadata={"character": "Bob"})
    assert "Hvar" not in json.dumps(served.sent_messages)
    assert len(stored(served.runtime, Namespace("api:ana", "Mira"))) == 1


def test_knob_of_the_request_limits_what_is_recalled(serve_with: ServeWith) -> None:
    served = serve_with(recall={"lines": 0}, ltm_context={"summary_sessions": 0})
    chat(served.client, SUMMER)
    question = "Where did we spend last summer with my sister?"
    replays = [
        chat(served.client, question, metadata={"retrieve_k": most, "conv_id": name}).json()[
            "retrieved"
        ]["replay"]
        for most, name in (("0", "b"), (1, "c"))
    ]
    assert [[row["raw_user"] for row in replay] for replay in replays] == [[], [SUMMER]]


def test_bad_knob_is_refused_by_name(serve_with: ServeWith) -> None:
    served = serve_with()
    answer = chat(served.client, "Hi", metadata={"use_gate": "perhaps"})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "metadata.use_gate"


def test_recent_turns_come_from_the_store_if_the_client_sends_none(serve_with: ServeWith) -> None:
    served = serve_with()
    for text in ("I am Ana.", "I have a cat.", "I like tea."):
        chat(served.client, text, metadata={"conv_id": "x"})
    chat(served.client, "Go on", metadata={"conv_id": "x", "recent_turns": 2})
    texts = [message["content"] for message in served.sent_messages if message["role"] != "system"]
    assert texts[:4] == ["I have a cat.", "All right.", "I like tea.", "All right."]
    assert len(stored(served.runtime)) == 4


def test_same_words_later_in_a_conversation_without_history_are_stored_again(
    serve_with: ServeWith,
) -> None:
    served = serve_with(Scripted(*[says_json(completion(text)) for text in ("Sunny.", "Rain.")]))
    for _ in range(2):
        chat(served.client, "How is the weather?", metadata={"conv_id": "x"})
    assert {answer for _, answer in sides(stored(served.runtime))} == {"Sunny.", "Rain."}


def test_completion_without_a_user_is_answered_without_memory(serve_with: ServeWith) -> None:
    served = serve_with()
    answer = chat(served.client, SUMMER, user="")
    assert answer.json()["choices"][0]["message"]["content"] == "All right."
    assert "no memory" in answer.json()["retrieved"]["notes"][0]
    assert served.runtime.memory.namespaces() == []


def test_incognito_request_is_neither_stored_nor_recalled_into(serve_with: ServeWith) -> None:
    served = serve_with()
    chat(served.client, SUMMER)
    chat(served.client, "Where did we spend last summer?", metadata={"incognito": True})
    assert "Hvar" not in json.dumps(served.sent_messages)
    assert len(stored(served.runtime)) == 1


@pytest.mark.parametrize("history", [True, False])
def test_broken_stream_ends_with_an_error_and_is_stored_once_as_partial(
    serve_with: ServeWith, history: bool
) -> None:
    broken = streams([chunk("Once upon "), chunk("a time")])
    served = serve_with(Scripted(broken, streamed("Once upon a time in Rome.")))
    texts = ["Hi", "Hello.", "A story!"] if history else ["A story!"]
    answer = chat(served.client, *texts, stream=True)
    last = events(answer)[-1]
    assert "broke off" in last["error"]["message"]
    partial = next(e for e in stored(served.runtime) if e.user == "A story!")
    assert (partial.assistant, dict(partial.metadata)) == ("Once upon a time", {"partial": True})
    chat(served.client, *texts, stream=True)
    found = [e for e in stored(served.runtime) if e.user == "A story!"]
    assert [(e.assistant, dict(e.metadata)) for e in found] == [("Once upon a time in Rome.", {})]


def test_second_choice_is_not_held_back_with_the_end_of_the_first(serve_with: ServeWith) -> None:
    second = json.loads(chunk("In Oslo.").removeprefix("data: "))
    second["choices"][0]["index"] = 1
    lines = [chunk("In Rome."), chunk(end="stop"), f"data: {json.dumps(second)}", "data: [DONE]"]
    *pieces, last, _ = events(chat(serve_with(streams(lines)).client, "Where?", stream=True))
    assert [piece["choices"][0]["index"] for piece in pieces] == [0, 1]
    assert last["choices"][0]["finish_reason"] == "stop"
    assert last["retrieved"]["stored"] is True


def test_stream_ends_at_done_although_the_connection_stays_open(serve_with: ServeWith) -> None:
    lines = [chunk("In Rome."), chunk(end="stop"), "data: [DONE]", chunk(" Later.")]
    served = serve_with(Scripted(streams(lines, then_hangs=True)))
    found = events(chat(served.client, "A story!", stream=True))
    assert found[-1] == "[DONE]"
    assert found[-2]["retrieved"]["stored"] is True
    assert sides(stored(served.runtime)) == [("A story!", "In Rome.")]


def test_broken_stream_in_a_named_conversation_without_history_is_replaced(
    serve_with: ServeWith,
) -> None:
    broken = streams([chunk("Once")])
    served = serve_with(Scripted(streamed("Hello."), broken, streamed("Once in Rome.")))
    for text in ("Hi", "A story!", "A story!"):
        chat(served.client, text, stream=True, metadata={"conv_id": "x"})
    found = sorted(sides(stored(served.runtime)))
    assert found == [("A story!", "Once in Rome."), ("Hi", "Hello.")]


def test_refusal_of_the_backend_is_passed_on_and_nothing_is_stored(serve_with: ServeWith) -> None:
    refusal = {"error": {"message": "unknown model"}}
    for stream in (False, True):
        served = serve_with(Scripted(says_json(refusal, status=404)))
        answer = chat(served.client, "Hi", stream=stream)
        assert (answer.status_code, answer.json()) == (404, refusal)
        assert stored(served.runtime) == []


def test_backend_that_is_not_running_is_a_clear_error(serve_with: ServeWith) -> None:
    served = serve_with(server={"backend_url": "http://127.0.0.1:9/v1"})
    for stream in (False, True):
        answer = chat(served.client, "Hi", stream=stream)
        assert answer.status_code == 502
        assert "is it running?" in answer.json()["error"]["message"]


def test_tool_turn_stores_one_exchange_with_its_steps(serve_with: ServeWith) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}
    first = says_json(completion("", tool_calls=[call]))
    served = serve_with(Scripted(first, says_json(completion("It is noon."))))
    user = {"role": "user", "content": "What time is it?"}
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "t1", "content": "12:00"}
    for messages in ([user], [user, called, result]):
        body = {"messages": messages, "user": "ana"}
        served.client.post("/v1/chat/completions", json=body)
    assert served.sent_messages[-2:] == [called, result]
    (exchange,) = stored(served.runtime)
    assert (exchange.user, exchange.assistant) == ("What time is it?", "It is noon.")


def test_continued_answer_is_stored_with_its_beginning(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(says_json(completion(" in Rome."))))
    messages = [
        {"role": "user", "content": "A story!"},
        {"role": "assistant", "content": "Once upon a time"},
    ]
    served.client.post("/v1/chat/completions", json={"messages": messages, "user": "ana"})
    assert sides(stored(served.runtime)) == [("A story!", "Once upon a time in Rome.")]


def test_old_messages_are_left_out_of_a_small_context(serve_with: ServeWith) -> None:
    served = serve_with(server={"context_length": 1000})
    texts = [f"Message {number} " + "word " * 60 for number in range(41)]
    chat(served.client, *texts, max_tokens=100)
    sent = json.dumps(served.sent_messages)
    assert ("Message 0 " in sent, "Message 40 " in sent) == (False, True)
    assert len(sent) < 5000


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [1]}, "messages[0]"),
        ({"messages": [{"role": "user"}], "user": 1}, "user"),
        ({"messages": [{"role": "user"}], "stream": "yes"}, "stream"),
        ({"messages": [{"role": "user"}], "metadata": []}, "metadata"),
    ],
)
def test_malformed_request_is_refused_by_the_field(
    plain_server: Served, body: object, param: str
) -> None:
    answer = plain_server.client.post("/v1/chat/completions", json=body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


def test_openai_client_streams_and_sees_what_was_recalled(serve_with: ServeWith) -> None:
    served = serve_with()
    chat(served.client, SUMMER)
    with openai.OpenAI(base_url=f"{served.client.base_url}/v1", api_key="none") as client:
        stream = client.chat.completions.create(
            model="m",
            user="ana",
            stream=True,
            messages=[{"role": "user", "content": "Where did we spend last summer?"}],
            extra_body={"metadata": {"conversation_id": "two"}},
        )
        chunks = list(stream)
        models = client.models.list()
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == "All right."
    assert chunks[-1].model_extra is not None
    assert "Hvar" in json.dumps(chunks[-1].model_extra["retrieved"])
    assert [model.id for model in models] == ["m"]


def test_openai_client_raises_when_the_stream_breaks_off(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(streams([chunk("Once")])))
    with openai.OpenAI(
        base_url=f"{served.client.base_url}/v1", api_key="none", max_retries=0
    ) as client:
        stream = client.chat.completions.create(
            model="m", user="ana", stream=True, messages=[{"role": "user", "content": "A story!"}]
        )
        with pytest.raises(openai.APIError, match="broke off"):
            list(stream)


def test_client_that_leaves_has_the_answer_stored_as_partial(serve_with: ServeWith) -> None:
    slow = streams([chunk("Once upon"), chunk(" a time")], then_hangs=True)
    served = serve_with(Scripted(slow))
    body = {"messages": [{"role": "user", "content": "A story!"}], "user": "ana", "stream": True}
    with served.client.stream("POST", "/v1/chat/completions", json=body) as answer:
        next(answer.iter_lines())
    end = time.monotonic() + 60
    while not stored(served.runtime) and time.monotonic() < end:
        time.sleep(0.02)
    (exchange,) = stored(served.runtime, ANA)
    assert exchange.metadata == {"partial": True}


@pytest.mark.parametrize("metadata", [{}, {"conv_id": "x"}, {"conv_id": "x", "recent_turns": 5}])
def test_command_stores_neither_itself_nor_earlier_messages(
    serve_with: ServeWith, metadata: dict[str, Any]
) -> None:
    served = serve_with()
    chat(served.client, SUMMER, metadata=metadata)
    answer = chat(served.client, "/off I like Bob.", metadata=metadata)
    assert answer.json()["retrieved"]["stored"] is False
    assert sides(stored(served.runtime)) == [(SUMMER, "All right.")]


def test_answer_says_why_its_exchange_is_not_stored(serve_with: ServeWith) -> None:
    served = serve_with()
    folder = ANA.folder(served.runtime.memory.root)
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    for is_stream in (False, True):
        answer = chat(served.client, "My name is Quint.", stream=is_stream)
        last = events(answer)[-2] if is_stream else answer.json()
        assert last["retrieved"]["stored"] is False
        (reason,) = (note for note in last["retrieved"]["notes"] if "not stored" in note)
        assert "the storage failed (Not a directory)" in reason
        assert str(served.runtime.memory.root) not in reason


def test_answer_says_that_remember_is_off(serve_with: ServeWith) -> None:
    served = serve_with(ltm_writes={"enabled": False})
    retrieved = chat(served.client, "My name is Quint.").json()["retrieved"]
    assert (retrieved["stored"], "ltm_writes.enabled" in str(retrieved["notes"])) == (False, True)
