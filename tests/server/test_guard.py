"""The guard before writing, as clients of the server meet it."""

from typing import Any

import httpx
import pytest

from memory_core.domain.private_parts import PrivatePart
from memory_core.memory.held_inbox import HeldDecision, HeldInbox
from memory_core.storage.pauses import ChatPauses
from tests.loopback import says_json
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import Scripted, chat, completion, sides, stored

CARD = "4111 1111 1111 1111"
SAID = f"My card is {CARD}"
MARKED = "My card is [card number removed]"
ONE = {"conversation_id": "one"}


def add(served: Served, **body: Any) -> Any:
    return served.client.post("/memories", json={"user_id": "ana", **body})


def assert_not_stored(answer: httpx.Response, why: str) -> None:
    """Checks that the reason names the guard's setting, and quotes nothing."""
    retrieved = answer.json()["retrieved"]
    (reason,) = (note for note in retrieved["notes"] if "guard" in note)
    assert retrieved["stored"] is False
    assert reason.startswith(why)
    assert "a card number (guard.cards)" in reason
    assert CARD not in str(retrieved["notes"])


def test_completion_with_a_private_part_is_stored_redacted_and_once(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "redact"})
    answer = chat(served.client, SAID, metadata=ONE)
    assert answer.json()["retrieved"]["stored"] is True
    chat(served.client, SAID, "All right.", "And now?", metadata=ONE)
    found = sorted(sides(stored(served.runtime)))
    assert found == [("And now?", "All right."), (MARKED, "All right.")]
    assert CARD in str(served.asked[0].body)


def test_skipped_completion_says_that_it_is_not_stored(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "skip"})
    assert_not_stored(chat(served.client, SAID, metadata=ONE), "not stored, since")
    chat(served.client, SAID, "All right.", "And now?", metadata=ONE)
    assert sides(stored(served.runtime)) == [("And now?", "All right.")]
    assert [*served.runtime.memory.guard.counts().values()] == [1]


def test_asked_completion_is_held_and_says_that_it_is_not_stored(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "ask"})
    assert_not_stored(chat(served.client, SAID, metadata=ONE), "held back")
    again = chat(served.client, SAID, "All right.", "And now?", metadata=ONE)
    assert again.json()["retrieved"]["stored"] is True
    other = chat(served.client, "Hello", "Hi.", SAID, metadata={"conversation_id": "two"})
    assert_not_stored(other, "held back")
    assert CARD not in str(sides(stored(served.runtime)))
    files = served.runtime.memory.root.rglob("held.json")
    assert CARD in "".join(file.read_text() for file in files)


def test_private_part_in_the_answer_of_the_model_is_found(serve_with: ServeWith) -> None:
    backend = Scripted(says_json(completion("Ask ana@example.org")))
    served = serve_with(backend, guard={"emails": "redact"})
    chat(served.client, "Who knows?")
    assert sides(stored(served.runtime)) == [("Who knows?", "Ask [e-mail address removed]")]


def test_added_memory_with_a_private_part_is_refused_whole(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "skip"})
    refused = add(served, text=SAID)
    assert refused.status_code == 422
    assert "a card number (guard.cards)" in refused.json()["error"]["message"]
    assert CARD not in refused.text
    messages = [{"role": "user", "content": text} for text in ("Hello", SAID)]
    assert add(served, messages=messages).status_code == 422
    assert served.client.get("/memories", params={"user_id": "ana"}).json()["results"] == []


def test_added_and_changed_memories_are_redacted(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "redact"})
    memory = add(served, text=SAID).json()["results"][0]
    assert memory["text"] == MARKED
    path, body = f"/memories/{memory['id']}", {"user_id": "ana", "text": f"Yes: {SAID}"}
    assert served.client.patch(path, json=body).json()["text"] == f"Yes: {MARKED}"


def test_history_of_chatmemory_is_guarded(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "skip", "emails": "redact"})
    said = [("user", SAID), ("assistant", "OK."), ("user", "Mail a@b.org"), ("assistant", "Yes.")]
    messages = [{"role": role, "content": text} for role, text in said]
    body = {"user_id": "ana", "session_id": "s", "messages": messages}
    assert served.client.post("/history", json=body).status_code == 200
    late = [{"role": "user", "content": "Wait"}]
    served.client.post("/history", json={**body, "messages": late})
    late = [{"role": "assistant", "content": "Mail c@d.org"}]
    served.client.post("/history", json={**body, "messages": late})
    found = served.client.get("/history", params={"user_id": "ana"}).json()["messages"]
    assert [message["content"] for message in found] == [
        "Mail [e-mail address removed]",
        "Yes.",
        "Wait",
        "Mail [e-mail address removed]",
    ]
    assert served.runtime.memory.guard.counts().keys() == {
        ("skip", PrivatePart.CARD),
        ("redact", PrivatePart.EMAIL),
    }


def post(served: Served, role: str, text: str) -> None:
    message = {"role": role, "content": text}
    body = {"user_id": "ana", "session_id": "s", "messages": [message]}
    assert served.client.post("/history", json=body).status_code == 200


def contents(served: Served) -> list[str]:
    found = served.client.get("/history", params={"user_id": "ana"}).json()["messages"]
    return [message["content"] for message in found]


def decide(served: Served, decision: HeldDecision) -> str:
    """Decides about the one held exchange; returns its words."""
    (space,) = served.runtime.memory.namespaces()
    inbox = HeldInbox(served.runtime.memory, ChatPauses(served.runtime.memory.root))
    (one,) = inbox.waiting(space)
    inbox.decide(space, one.id, decision)
    assert inbox.waiting(space) == []
    return f"{one.exchange.user}|{one.exchange.assistant}"


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        (HeldDecision.APPROVE, ["My number?", SAID]),
        (HeldDecision.REDACT, ["My number?", MARKED]),
        (HeldDecision.DISCARD, ["My number?"]),
    ],
)
def test_late_answer_of_chatmemory_is_held_and_completes_its_message_once_decided(
    serve_with: ServeWith, decision: HeldDecision, expected: list[str]
) -> None:
    served = serve_with(guard={"cards": "ask"})
    post(served, "user", "My number?")
    post(served, "assistant", SAID)
    assert contents(served) == ["My number?"]
    assert decide(served, decision) == f"|{SAID}"
    assert contents(served) == expected
    post(served, "user", "Thanks")
    exchanges = sides(stored(served.runtime))
    assert ("My number?", "".join(expected[1:])) in exchanges
    assert len(exchanges) == 2


def test_second_answer_does_not_take_the_place_of_a_held_one(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "ask"})
    post(served, "user", "My number?")
    post(served, "assistant", SAID)
    post(served, "assistant", "There it is.")
    assert contents(served) == ["My number?", "There it is."]
    decide(served, HeldDecision.APPROVE)
    assert sorted(contents(served)) == sorted(["My number?", "There it is.", SAID])
    assert len(stored(served.runtime)) == 1


def test_answer_to_a_held_message_of_chatmemory_is_held_with_it(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "ask"})
    post(served, "user", "Hello")
    post(served, "assistant", "Hi.")
    post(served, "user", SAID)
    post(served, "assistant", "All right.")
    post(served, "user", "Bye")
    assert contents(served) == ["Hello", "Hi.", "Bye"]
    assert decide(served, HeldDecision.APPROVE) == f"{SAID}|All right."
    assert (SAID, "All right.") in sides(stored(served.runtime))


def test_message_held_in_the_middle_of_a_request_keeps_the_others(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "ask"})
    said = [("user", "Hello"), ("assistant", "Hi."), ("user", SAID), ("user", "Bye")]
    messages = [{"role": role, "content": text} for role, text in said]
    body = {"user_id": "ana", "session_id": "s", "messages": messages}
    assert served.client.post("/history", json=body).status_code == 200
    assert contents(served) == ["Hello", "Hi.", "Bye"]
    assert decide(served, HeldDecision.APPROVE) == f"{SAID}|"
    assert (SAID, "") in sides(stored(served.runtime))


def test_answer_held_for_a_message_that_was_forgotten_is_stored_alone(
    serve_with: ServeWith,
) -> None:
    served = serve_with(guard={"cards": "ask"})
    post(served, "user", "My number?")
    post(served, "assistant", SAID)
    params = {"user_id": "ana", "session_id": "s"}
    assert served.client.request("DELETE", "/history", params=params).status_code == 200
    decide(served, HeldDecision.APPROVE)
    assert contents(served) == [SAID]


def test_diary_of_chatmemory_is_guarded(serve_with: ServeWith) -> None:
    served = serve_with(guard={"cards": "redact"})
    body = {"user_id": "ana", "diary_date": "2026-11-01", "content": SAID}
    assert served.client.post("/diary", json=body).status_code == 200
    diaries = served.client.get("/diary", params={"user_id": "ana"}).json()["diaries"]
    assert [page["content"] for page in diaries] == [MARKED]
