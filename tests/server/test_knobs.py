"""The settings of OpenPersistentMemory that a request for a completion can carry."""

import json
from typing import Any

import pytest

from memory_core.server.chat.request import LONGEST_NAME
from tests.builders import said
from tests.loopback import Answer, Asked, says_json
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import ANA, chat, completion

PATIENT = {"time_limit_s": 30.0}  # the judge answers at once, but a machine may be busy
QUESTION = "What do you know of Jelena on Hvar?"
FACTS = (
    "Jelena has a boat on Hvar.",
    "Jelena works as a nurse on Hvar.",
    "Jelena sings in a choir on Hvar.",
)


class Judge:
    """A model that answers questions about memories with `choice`, and chats otherwise."""

    def __init__(self, choice: dict[str, Any]) -> None:
        self.choice = choice
        self.questions = 0

    def __call__(self, asked: Asked) -> Answer:
        is_question = "MEMORIES:" in json.dumps(asked.body)
        self.questions += is_question
        return says_json(completion(json.dumps(self.choice) if is_question else "All right."))


def retrieved(served: Served, **knobs: Any) -> dict[str, Any]:
    answer = chat(served.client, QUESTION, metadata={"conv_id": "now", **knobs})
    found: dict[str, Any] = answer.json()["retrieved"]
    return found


def count(found: dict[str, Any]) -> int:
    return len(found["replay"]) + len(found["summary_only"])


def with_facts(served: Served) -> Served:
    for number, fact in enumerate(FACTS):
        served.runtime.memory.remember(ANA, f"c{number}", said(fact))
    return served


@pytest.mark.parametrize(
    ("knobs", "expected"), [({}, 3), ({"candidate_n": 1}, 1), ({"candidate_n": "2"}, 2)]
)
def test_request_can_limit_the_candidates(
    serve_with: ServeWith, knobs: dict[str, Any], expected: int
) -> None:
    assert count(retrieved(with_facts(serve_with()), **knobs)) == expected


@pytest.mark.parametrize(
    ("knobs", "kept", "expected"),
    [
        ({"use_gate": False}, [], 3),
        ({"use_gate": True}, [], 0),
        ({"use_gate": True}, [1, 2, 3], 3),
        ({"use_gate": True, "gate_keep_max": 2}, [1, 2, 3], 2),
    ],
)
def test_gate_of_the_language_model_is_chosen_by_the_request(
    serve_with: ServeWith, knobs: dict[str, Any], kept: list[int], expected: int
) -> None:
    judge = Judge({"keep_ids": kept, "drop_ids": [], "reasons": {}})
    served = with_facts(serve_with(judge, has_llm=True, recall=PATIENT))
    found = retrieved(served, **knobs)
    assert (count(found), judge.questions) == (expected, int(knobs["use_gate"]))


@pytest.mark.parametrize("wanted", [False, True])
def test_rerank_by_the_language_model_is_chosen_by_the_request(
    serve_with: ServeWith, wanted: bool
) -> None:
    judge = Judge({"top_ids": [3]})
    served = with_facts(serve_with(judge, has_llm=True, recall=PATIENT))
    retrieved(served, use_rerank=wanted)
    assert judge.questions == int(wanted)


@pytest.mark.parametrize("knob", ["use_gate", "use_rerank"])
def test_knob_that_needs_a_language_model_says_so_without_one(
    serve_with: ServeWith, knob: str
) -> None:
    found = retrieved(with_facts(serve_with()), **{knob: True})
    assert count(found) == 3
    assert any("llm.base_url" in note for note in found["notes"])


def test_misspelt_field_of_the_metadata_is_noted_and_passed_on(serve_with: ServeWith) -> None:
    served = serve_with()
    metadata = {"charcter": "Mira", "tenant": "x"}
    for user in ("ana", ""):
        answer = chat(served.client, "Hello", user=user, metadata=metadata).json()
        note = "metadata.charcter is not known here: do you mean metadata.character?"
        assert answer["retrieved"]["notes"][-1] == note
        assert "tenant" not in str(answer["retrieved"])
    assert served.asked[-1].body["metadata"] == metadata


def test_field_of_the_metadata_in_the_wrong_place_is_noted_and_passed_on(
    serve_with: ServeWith,
) -> None:
    """A client's extra_body puts it there, and a message meant to be incognito would be stored."""
    served = serve_with()
    notes = chat(served.client, "Hello", incognito=True).json()["retrieved"]["notes"]
    assert "incognito is not read beside messages: send metadata.incognito" in notes
    assert served.asked[-1].body["incognito"] is True


def test_user_name_of_more_than_500_letters_is_refused(serve_with: ServeWith) -> None:
    served = serve_with()
    longest = "x" * LONGEST_NAME
    assert chat(served.client, "Hello", user=longest).status_code == 200
    refused = chat(served.client, "Hello", user=f"{longest}x")
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "user")
    assert served.client.get("/memories", params={"user_id": longest}).json()["results"]


@pytest.mark.parametrize("field", ["user_id", "metadata.user_id", "metadata.user"])
def test_user_in_the_wrong_field_is_noted_with_the_right_one(
    serve_with: ServeWith, field: str
) -> None:
    served, name = serve_with(), field.removeprefix("metadata.")
    fields = {name: "ana"} if name == field else {"metadata": {name: "ana"}}
    (note,) = chat(served.client, "Hello", user="", **fields).json()["retrieved"]["notes"]
    assert note.endswith(f"here {field} must be called `user`")
    notes = chat(served.client, "Hello", user="ben", **fields).json()["retrieved"]["notes"]
    assert not any(field in note for note in notes)
