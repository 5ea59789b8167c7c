"""What was said incognito stays unstored when a client sends it again as history."""

import pytest

from memory_core.domain.namespaces import Namespace
from tests.loopback import says_json, streams
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import (
    Scripted,
    chat,
    chunk,
    completion,
    events,
    sides,
    stored,
    streamed,
)
from tests.server.test_front_ends import request as recorded

SECRET, ANSWER = "I am going to propose to Ben.", "How lovely."
NEXT = "Which ring fits a carpenter?"
INCOGNITO = {"incognito": True}


def backend() -> Scripted:
    return Scripted(says_json(completion(ANSWER)))


def on_disk(served: Served) -> bytes:
    return b"".join(p.read_bytes() for p in served.runtime.memory.root.rglob("*") if p.is_file())


@pytest.mark.parametrize(
    "conversation", [{}, {"conversation_id": "ring"}], ids=["unnamed", "named"]
)
def test_incognito_message_stays_unstored_in_the_history_of_the_next(
    serve_with: ServeWith, conversation: dict[str, str]
) -> None:
    served = serve_with(backend())
    assert chat(served.client, SECRET, metadata=INCOGNITO | conversation).status_code == 200
    chat(served.client, SECRET, ANSWER, NEXT, metadata=conversation)
    assert sides(stored(served.runtime)) == [(NEXT, "All right.")]
    assert b"propose" not in on_disk(served)


def test_incognito_messages_between_others_stay_unstored(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(says_json(completion("Hello.")), says_json(completion(ANSWER))))
    chat(served.client, "Hi")
    chat(served.client, "Hi", "Hello.", SECRET, metadata=INCOGNITO)
    chat(served.client, "Hi", "Hello.", SECRET, ANSWER, NEXT)
    assert sides(stored(served.runtime)) == [(NEXT, "All right."), ("Hi", "Hello.")]


def test_new_answer_to_an_incognito_message_stays_unstored(serve_with: ServeWith) -> None:
    served = serve_with(backend())
    chat(served.client, "Hi", "Hello.", SECRET, metadata=INCOGNITO)
    chat(served.client, "Hi", "Hello.", SECRET, "Edited by the client.", NEXT)
    assert sides(stored(served.runtime)) == [(NEXT, "All right.")]


def test_incognito_stream_that_broke_off_stays_unstored(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(streams([chunk("How ")])))
    assert "error" in events(chat(served.client, SECRET, stream=True, metadata=INCOGNITO))[-1]
    chat(served.client, SECRET, "How ", NEXT)
    assert sides(stored(served.runtime)) == [(NEXT, "All right.")]


def test_incognito_message_whose_answer_never_came_stays_unstored(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(says_json({"error": {"message": "busy"}}, status=503)))
    named = {"conversation_id": "ring"}
    assert chat(served.client, SECRET, metadata=INCOGNITO | named).status_code == 503
    chat(served.client, SECRET, "", NEXT, metadata=named)
    assert b"propose" not in on_disk(served)


def test_message_stored_before_stays_when_it_is_sent_along_incognito(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(says_json(completion("Hello."))))
    chat(served.client, "Hi")
    chat(served.client, "Hi", "Hello.", SECRET, metadata=INCOGNITO)
    assert sides(stored(served.runtime)) == [("Hi", "Hello.")]


def test_first_message_said_incognito_may_begin_another_chat(serve_with: ServeWith) -> None:
    served = serve_with(backend())
    chat(served.client, SECRET, metadata=INCOGNITO)
    now = served.runtime.clock()
    served.runtime.clock = lambda: now + 60
    assert chat(served.client, SECRET).json()["retrieved"]["stored"] is True


def test_exchange_that_repeats_an_incognito_one_says_why_it_is_not_stored(
    serve_with: ServeWith,
) -> None:
    served = serve_with(Scripted(*[says_json(completion(ANSWER))] * 2))
    chat(served.client, SECRET, metadata=INCOGNITO)
    retrieved = chat(served.client, SECRET).json()["retrieved"]
    assert retrieved["stored"] is False
    assert "such as incognito" in retrieved["notes"][-1]


def test_repeated_wish_not_to_be_remembered_is_named_as_a_cause(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(*[says_json(completion(ANSWER))] * 2))
    for _ in range(2):
        retrieved = chat(served.client, f"Don't remember this: {SECRET}").json()["retrieved"]
    assert retrieved["stored"] is False
    assert "with the wish not to be remembered" in retrieved["notes"][-1]


def test_title_that_open_webui_asks_for_excludes_nothing(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(says_json(completion('{"title": "Dogs"}'))))
    asked = recorded("open_webui_title")
    served.client.post("/v1/chat/completions", json=asked["body"], headers=asked["headers"])
    assert list(served.runtime.memory.root.rglob("switches.json")) == []


def test_temporary_chat_stays_unstored_when_it_is_kept(serve_with: ServeWith) -> None:
    served = serve_with(Scripted(streamed("Bruno.")))
    asked = recorded("open_webui")
    temporary = {**asked["headers"], "x-openwebui-chat-id": "temporary:one"}
    served.client.post("/v1/chat/completions", json=asked["body"], headers=temporary)
    more = [{"role": "assistant", "content": "Bruno."}, {"role": "user", "content": NEXT}]
    asked["body"]["messages"] += more
    served.client.post("/v1/chat/completions", json=asked["body"], headers=asked["headers"])
    assert sides(stored(served.runtime)) == [(NEXT, "All right.")]


@pytest.mark.parametrize(
    "said",
    [[SECRET], ["Hi", "Hello.", SECRET]],
    ids=["first message", "later message"],
)
@pytest.mark.parametrize("named", [{}, {"conversation_id": "ring"}], ids=["unnamed", "named"])
def test_incognito_message_to_a_new_character_leaves_nothing_on_disk(
    serve_with: ServeWith, said: list[str], named: dict[str, str]
) -> None:
    served = serve_with(Scripted(*[says_json(completion(ANSWER))] * 2))
    asked = {"character": "Mara", "recent_turns": 2, **named}
    for _ in range(2):
        assert chat(served.client, *said, metadata=asked | INCOGNITO).status_code == 200
    assert list(served.runtime.memory.root.rglob("*")) == []
    assert served.client.get("/namespaces").json() == {"results": []}
    chat(served.client, *said, ANSWER, NEXT, metadata=asked)
    mara = Namespace("api:ana", "Mara")
    assert sides(stored(served.runtime, mara)) == [(NEXT, "All right.")]


def test_character_to_whom_all_was_said_while_remember_was_off_is_not_listed(
    serve_with: ServeWith,
) -> None:
    served = serve_with(backend(), ltm_writes={"enabled": False})
    chat(served.client, SECRET, metadata={"character": "Mara"})
    assert served.client.get("/namespaces").json() == {"results": []}
