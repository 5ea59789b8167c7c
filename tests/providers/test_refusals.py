"""A server that repeats its request brings no memory into error messages, queues and logs."""

import json

import pytest

from memory_core.domain.errors import EmbedderUnavailable, LLMUnavailable
from memory_core.domain.records import Role, Turn
from memory_core.providers.embedders.openai import OpenAIEmbedder
from memory_core.providers.llm.openai import OpenAILanguageModel
from memory_core.providers.refusals import REPEATS, is_too_long, quoted_refusal
from tests.cases import for_each
from tests.loopback import Answer, Asked, says_json, serve
from tests.providers.llm.test_llm_contract import WANTED

SECRET = "My PIN is 4711 and my whale tattoo hurts"


def repeats_what_it_is_asked(asked: Asked) -> Answer:
    details = [{"loc": ["body"], "msg": "too long", "input": asked.body}]
    return says_json({"detail": details}, status=422)


def test_language_model_that_repeats_the_prompt_is_not_quoted() -> None:
    with serve(repeats_what_it_is_asked) as server, pytest.raises(LLMUnavailable) as caught:
        OpenAILanguageModel(base_url=server.url, model="m").complete(
            [Turn(role=Role.USER, text=SECRET)], **WANTED
        )
    assert "4711" not in str(caught.value)
    assert "HTTP 422" in str(caught.value)


def test_embedder_that_repeats_its_input_is_not_quoted() -> None:
    with serve(repeats_what_it_is_asked) as server, pytest.raises(EmbedderUnavailable) as caught:
        OpenAIEmbedder(base_url=server.url, model="m").embed([SECRET])
    assert "4711" not in str(caught.value)


@for_each(
    ("text", "refusal"),
    [
        (SECRET, f"bad input: {SECRET}"),
        (SECRET, "input: {'text': 'My PIN is 4711 and'}"),
        ("PIN 4711", "cannot read 'PIN 4711'"),
        ("我住在里斯本，喜欢喝茶", "无效：我住在里斯本"),
        ("我住在里斯本", r'{"input": "\u6211\u4f4f\u5728\u91cc\u65af\u672c"}'),
        ("line one\nline two", r"bad: 'line one\nline two'"),
    ],
)
def test_refusal_that_repeats_a_text_is_left_out(text: str, refusal: str) -> None:
    for body in ({"messages": [{"role": "user", "content": text}]}, {"input": [text]}):
        assert quoted_refusal(refusal, json.dumps(body).encode()) == REPEATS


def test_refusal_that_does_not_repeat_the_request_is_quoted() -> None:
    sent = json.dumps({"model": "qwen2.5", "messages": [{"content": SECRET}]}).encode()
    for refusal in ("the model 'qwen2.5' does not exist", "maximum context length is 4096"):
        assert quoted_refusal(refusal, sent) == refusal
    assert quoted_refusal("bad  request", b"\xff") == "bad request"


TOO_LONG = (
    "request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it",
    "the request exceeds the available context size. try increasing the context size or enable "
    "context shift",
    "the input length exceeds the context length",
    "Trying to keep the first 5012 tokens when context the overflows. However, the model is loaded "
    "with context length of only 4096 tokens",
    "The number of tokens to keep from the initial prompt is greater than the context length",
    "Context size has been exceeded.",
    "This model's maximum context length is 4096 tokens. However, you requested 5012 tokens",
    "The decoder prompt (length 5012) is longer than the maximum model length of 4096",
    "This model maximum context length is 4096 tokens. However, your messages are longer",
    "Requested tokens (5012) exceed context window of 4096",
    "Prompt length 5012 is greater than max_seq_len 4096",
    "{'code': 'context_length_exceeded'}",
    "{'type': 'exceed_context_size_error'}",
)


@for_each("refusal", TOO_LONG)
def test_refusal_of_each_server_says_that_the_context_is_too_short(refusal: str) -> None:
    assert is_too_long(refusal)


@for_each(
    "refusal",
    [
        "unknown field context_length",
        "maximum number of images exceeded",
        "This model does not exist",
        REPEATS,
    ],
)
def test_other_refusal_does_not_blame_the_context(refusal: str) -> None:
    assert not is_too_long(refusal)
