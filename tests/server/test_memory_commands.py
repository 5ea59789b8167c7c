"""Commands to the memory, which the server does not carry out: model and client are told so."""

import json

import pytest

from tests.server.conftest import ServeWith
from tests.server.live_server import chat, sides, stored

BOB = "I like Bob."


@pytest.mark.parametrize(
    "text",
    [
        "/remember I am allergic to nuts",
        "/forget Bob",
        "/pause",
        "Remember that the captain is called Quint, in this chat only.",
    ],
)
def test_command_is_told_not_to_be_carried_out(serve_with: ServeWith, text: str) -> None:
    served = serve_with()
    answer = chat(served.client, BOB, "All right.", text).json()["retrieved"]
    assert "nothing was saved, changed or forgotten" in json.dumps(served.sent_messages)
    assert answer["stored"] is False
    assert any("commands are not carried out" in note for note in answer["notes"])


@pytest.mark.parametrize("text", ["/off I hate Tom", "Don't remember this: I hate Tom"])
def test_message_off_the_record_says_so(serve_with: ServeWith, text: str) -> None:
    served = serve_with()
    answer = chat(served.client, text).json()["retrieved"]
    assert "neither will be remembered" in json.dumps(served.sent_messages)
    assert answer["stored"] is False
    assert any("off the record" in note for note in answer["notes"])
    assert stored(served.runtime) == []
    assert served.runtime.traces.latest() == []


def test_wish_to_forget_is_told_to_forget_nothing(serve_with: ServeWith) -> None:
    served = serve_with()
    chat(served.client, BOB)
    answer = chat(served.client, BOB, "All right.", "forget what I said about Bob")
    assert "Nothing was forgotten" in json.dumps(served.sent_messages)
    assert "/forget" not in json.dumps(served.sent_messages)
    assert any("nothing was forgotten" in note for note in answer.json()["retrieved"]["notes"])


@pytest.mark.parametrize("text", ["Remember that I am allergic to nuts.", "I remember Bob."])
def test_request_to_remember_in_plain_words_is_an_ordinary_message(
    serve_with: ServeWith, text: str
) -> None:
    served = serve_with()
    answer = chat(served.client, text).json()["retrieved"]
    assert answer["stored"] is True
    assert not any("command" in note for note in answer["notes"])
    assert sides(stored(served.runtime)) == [(text, "All right.")]


def test_commands_switched_off_are_ordinary_text_for_the_model(serve_with: ServeWith) -> None:
    served = serve_with(commands={"enabled": False})
    chat(served.client, "/forget Bob")
    assert "carried out" not in json.dumps(served.sent_messages)
