"""Faults of a chat endpoint, over real sockets, and the messages for the user."""

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import openai  # noqa: F401  (else a time limit would include this import)
import pytest

from memory_core.domain.errors import ConfigError, LLMUnavailable
from memory_core.domain.records import Role, Turn
from memory_core.providers.llm.openai import OpenAILanguageModel
from tests.in_time import within
from tests.loopback import (
    Answer,
    Asked,
    Loopback,
    drips_body,
    drips_headers,
    hangs,
    says,
    says_json,
    serve,
    streams,
)
from tests.providers.llm.test_llm_contract import WANTED, echoes
from tests.providers.test_refusals import TOO_LONG

SECRET = "sk-very-secret"
HELLO = (Turn(role=Role.USER, text="Hello"),)
SOON = {**WANTED, "timeout_s": 0.3}


def _llm(url: str, **settings: object) -> OpenAILanguageModel:
    return OpenAILanguageModel(**{"base_url": url, "model": "echo", **settings})


def _faults(url: str, wanted: Mapping[str, Any] = WANTED) -> list[str]:
    """Returns the error messages of complete and stream, which both must fail."""
    messages = []
    for ask in (_llm(url).complete, lambda *a, **k: list(_llm(url).stream(*a, **k))):
        with pytest.raises(LLMUnavailable) as caught:
            ask(HELLO, **wanted)
        assert url in str(caught.value)
        messages.append(str(caught.value))
    return messages


def _event(text: str, **choice: object) -> str:
    return "data: " + json.dumps({"choices": [{"delta": {"content": text}, **choice}]})


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "check llm.api_key"),
        (404, "check llm.model"),
        (429, "try again later"),
        (500, "HTTP 500"),
    ],
)
def test_llm_reports_a_refusal_with_advice_and_does_not_retry(status: int, advice: str) -> None:
    with serve(says_json({"error": {"message": "no!"}}, status=status)) as server:
        assert all(advice in message for message in _faults(server.url))
        assert len(server.asked) == 2


@pytest.mark.parametrize(
    "garbage",
    ["<html>it works</html>", "", "[]", '{"choices": []}', '{"choices": [{"message": 3}]}',
     '{"choices": [{"message": {"content": ""}}]}', '{"choices": [{"message": {"content": nul'],
)  # fmt: skip
def test_llm_answer_without_text_is_a_failure(garbage: str) -> None:
    with serve(says(garbage)) as server:
        _faults(server.url)


@pytest.mark.parametrize("slow", [hangs(), drips_body()], ids=["hangs", "drips its body"])
def test_llm_times_out_on_a_slow_server(slow: Answer) -> None:
    with serve(slow) as server, within(20):
        assert all("did not answer in time" in message for message in _faults(server.url, SOON))


def test_llm_times_out_on_dripping_headers() -> None:
    late = pytest.raises(LLMUnavailable, match="did not answer in time")
    with serve(drips_headers()) as server, within(20), late:
        _llm(server.url).complete(HELLO, **SOON)


def _stream(server: Loopback, wanted: Mapping[str, Any] = WANTED) -> tuple[list[str], str]:
    """Returns the pieces before the failure, and the failure's message."""
    pieces: list[str] = []
    with pytest.raises(LLMUnavailable) as caught:
        pieces.extend(_llm(server.url).stream(HELLO, **wanted))
    return pieces, str(caught.value)


@pytest.mark.slow
def test_a_silent_stream_times_out_after_its_pieces() -> None:
    with serve(streams([_event("He"), _event("llo")], then_hangs=True)) as server:
        pieces, message = _stream(server, {**SOON, "timeout_s": 3.0})  # machines are busy
    assert pieces == ["He", "llo"]
    assert "did not answer in time" in message


@pytest.mark.parametrize(
    "broken",
    ["data: {not json", 'data: {"choices": 3}', "data: 3", 'data: {"error": {"message": "oom"}}'],
)
def test_a_broken_event_ends_the_stream_as_a_failure(broken: str) -> None:
    with serve(streams([_event("He"), broken, "data: [DONE]"])) as server:
        pieces, _ = _stream(server)
    assert pieces == ["He"]


def test_a_stream_cut_off_before_its_end_is_a_failure() -> None:
    with serve(streams([_event("He")])) as server:
        pieces, message = _stream(server)
    assert pieces == ["He"]
    assert "broke off" in message


@pytest.mark.parametrize("end", [["data: [DONE]"], [_event("", finish_reason="length")]])
def test_each_end_marker_ends_a_stream(end: list[str]) -> None:
    comments = [": still here", 'data: {"choices": [], "usage": {"total_tokens": 3}}']
    with serve(streams([*comments, _event("Hello"), *end])) as server:
        assert list(_llm(server.url).stream(HELLO, **WANTED)) == ["Hello"]


def test_a_stream_closed_by_its_reader_releases_the_connection() -> None:
    with serve(streams([_event("He")], then_hangs=True)) as server:
        pieces = _llm(server.url).stream(HELLO, **WANTED)
        assert next(pieces) == "He"
        pieces.close()


def test_without_a_model_name_the_first_listed_model_is_looked_up_once() -> None:
    def reply(asked: Asked) -> Answer:
        listed = says_json({"data": [{"id": "first"}, {"id": "second"}]})
        return listed if asked.path == "/v1/models" else echoes(asked)

    with serve(reply) as server:
        llm = _llm(server.url, model="")
        assert not server.asked
        assert llm.complete(HELLO, **WANTED) == "Hello"
        assert "".join(llm.stream(HELLO, **WANTED)) == "Hello"
        paths = [asked.path for asked in server.asked]
        assert paths == ["/v1/models", "/v1/chat/completions", "/v1/chat/completions"]
        assert server.asked[1].body["model"] == llm.name == "first"


@pytest.mark.parametrize("listed", ['{"data": []}', "{}", "no"])
def test_a_server_that_lists_no_model_is_reported(listed: str) -> None:
    with serve(says(listed)) as server, pytest.raises(LLMUnavailable, match=r"llm\.base_url"):
        _llm(server.url, model="").complete(HELLO, **WANTED)


def test_llm_request_has_the_given_turns_and_limits() -> None:
    turns = [Turn(role=role, text=f"{role} \ud800") for role in Role]
    with serve(echoes) as server:
        _llm(server.url).complete(turns, max_tokens=7, temperature=0.5, timeout_s=5)
        sent = server.asked[0].body
    assert sent["messages"] == [
        {"role": "user", "content": "user ?"},
        {"role": "assistant", "content": "assistant ?"},
        {"role": "system", "content": "system ?"},
        {"role": "user", "content": "tool ?"},
    ]
    assert (sent["max_tokens"], sent["temperature"], sent["model"]) == (7, 0.5, "echo")


def test_llm_errors_never_contain_the_key() -> None:
    with serve(says_json({"error": {"message": f"{SECRET}?"}}, status=401)) as server:
        llm = _llm(server.url, api_key=SECRET)
        with pytest.raises(LLMUnavailable) as caught:
            llm.complete(HELLO, **WANTED)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_llm_on_another_machine_needs_allow_remote() -> None:
    with pytest.raises(ConfigError, match=r"llm\.base_url.*allow_remote"):
        _llm("https://api.example.com/v1")


def test_llm_with_too_short_a_context_says_what_to_change() -> None:
    with serve(says_json({"error": {"message": TOO_LONG[0]}}, status=400)) as server:
        for message in _faults(server.url):
            assert "has too short a context" in message
            assert "consolidation.max_tokens" in message
            assert "4096 tokens" in message


def test_error_inside_a_stream_keeps_the_reason_of_the_server() -> None:
    for error in ({"message": "CUDA out of memory"}, "CUDA out of memory"):
        broken = "data: " + json.dumps({"error": error})
        with serve(streams([_event("He"), broken])) as server:
            _, message = _stream(server)
        assert message.endswith("stopped with an error (CUDA out of memory)")


def test_error_inside_a_stream_that_repeats_the_prompt_is_not_quoted() -> None:
    turns = (Turn(role=Role.USER, text="My PIN is 4711 and my whale tattoo hurts"),)
    broken = "data: " + json.dumps({"error": {"message": f"cannot read {turns[0].text}"}})
    failed = pytest.raises(LLMUnavailable)
    with serve(streams([broken])) as server, failed as caught:
        list(_llm(server.url).stream(turns, **WANTED))
    assert "4711" not in str(caught.value)


def test_error_without_a_reason_points_to_the_log_of_the_server() -> None:
    with serve(streams(['data: {"error": {"code": 5}}'])) as server:
        assert _stream(server)[1].endswith("stopped with an error; see the server's log")


def test_error_with_status_200_keeps_the_reason_of_the_server() -> None:
    with serve(says_json({"error": {"message": "no slot is free"}})) as server:
        assert all("(no slot is free)" in message for message in _faults(server.url))


def plain_roles(status: int) -> Callable[[Asked], Answer]:
    """Returns a server whose chat template knows users and assistants in turn."""

    def reply(asked: Asked) -> Answer:
        roles = [message["role"] for message in asked.body["messages"]]
        if "system" in roles:
            return says_json({"error": {"message": "System role not supported"}}, status=status)
        if any(one == other for one, other in pairwise(roles)):
            message = "Conversation roles must alternate user/assistant/user/assistant/..."
            return says_json({"error": {"message": message}}, status=status)
        return echoes(asked)

    return reply


@pytest.mark.parametrize("status", [400, 500])
def test_llm_that_refuses_the_system_role_gets_the_rules_with_the_question(status: int) -> None:
    turns = [Turn(role=Role.SYSTEM, text="Be brief."), *HELLO, *HELLO]
    with serve(plain_roles(status)) as server:
        llm = _llm(server.url)
        llm.complete(turns, **WANTED)
        list(llm.stream(turns, **WANTED))
        assert len(server.asked) == 3
        merged = [{"role": "user", "content": "Be brief.\n\nHello\n\nHello"}]
        assert [seen.body["messages"] for seen in server.asked[1:]] == [merged, merged]


def test_llm_that_refuses_merged_roles_too_is_asked_twice() -> None:
    refusal = says_json({"error": {"message": "System role not supported"}}, status=400)
    with serve(refusal) as server:
        failed = pytest.raises(LLMUnavailable, match="System role")
        with failed:
            _llm(server.url).complete([Turn(role=Role.SYSTEM, text="Be brief."), *HELLO], **WANTED)
        assert len(server.asked) == 2
