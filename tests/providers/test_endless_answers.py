"""Every client abandons an endless answer at a limit."""

import gzip
from collections.abc import Callable
from functools import cache

import pytest

from memory_core.domain.errors import OutsideServiceError
from memory_core.domain.records import Role, Turn
from memory_core.providers.embedders.openai import OpenAIEmbedder
from memory_core.providers.llm.openai import OpenAILanguageModel
from memory_core.providers.rerankers.http_endpoint import EndpointReranker
from tests.loopback import Answer, Pours, says, serve, streams

# Bytes that stay in the buffers of both sockets after the reader has left.
_MOST_SENT = 48 * 2**20
_HELLO = (Turn(role=Role.USER, text="Hello"),)
_WANTED = {"max_tokens": 5, "temperature": 0.0, "timeout_s": 30.0}


def _embed(url: str) -> object:
    return OpenAIEmbedder(base_url=url, model="m").embed(["a", "b"])


def _embed_query(url: str) -> object:
    return OpenAIEmbedder(base_url=url, model="m").embed_query("a", timeout_s=30)


def _rerank(url: str) -> object:
    return EndpointReranker(base_url=url).scores("a", ["b"], timeout_s=30)


def _complete(url: str) -> object:
    return OpenAILanguageModel(base_url=url, model="m").complete(_HELLO, **_WANTED)


def _stream(url: str) -> object:
    return list(OpenAILanguageModel(base_url=url, model="m").stream(_HELLO, **_WANTED))


def _list_models(url: str) -> object:
    return OpenAILanguageModel(base_url=url).complete(_HELLO, **_WANTED)


Ask = Callable[[str], object]
ASKED = {
    "embedder": _embed, "embedder.query": _embed_query, "reranker": _rerank,
    "llm": _complete, "llm.stream": _stream, "llm.models": _list_models,
}  # fmt: skip
every_endpoint = pytest.mark.parametrize(("part", "ask"), ASKED.items(), ids=ASKED)


def _fault(ask: Ask, pours: Pours) -> str:
    with serve(Answer(pours.write)) as server:
        with pytest.raises(OutsideServiceError) as caught:
            ask(server.url)
        assert server.url in str(caught.value)
    assert pours.sent < _MOST_SENT
    return str(caught.value)


@every_endpoint
@pytest.mark.parametrize("begins", [b"", b'{"data": [', b"data: "])
def test_an_endless_answer_is_abandoned_and_its_limit_is_named(
    part: str, ask: Ask, begins: bytes
) -> None:
    message = _fault(ask, Pours(begins, b"1," * 32_768))
    assert "more than" in message
    assert "MB" in message
    assert f"{part.partition('.')[0]}.base_url" in message


@every_endpoint
def test_an_endless_error_body_is_abandoned_and_its_status_is_named(part: str, ask: Ask) -> None:
    assert "HTTP 503" in _fault(ask, Pours(b'{"error": {"message": "', b"no" * 32_768, status=503))


def test_a_stream_of_empty_events_is_abandoned() -> None:
    event = b'data: {"choices": [], "padding": "' + b"x" * 60_000 + b'"}\n\n'
    assert "more than" in _fault(_stream, Pours(goes_on=event))


@every_endpoint
def test_a_decompression_bomb_is_abandoned(part: str, ask: Ask) -> None:
    assert "more than" in _fault(ask, Pours(_bomb(), b"", encoding="gzip"))


@cache
def _bomb() -> bytes:
    return gzip.compress(b" " * 50_000_000)


@every_endpoint
@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br"])
def test_an_answer_in_an_unsupported_encoding_is_not_unpacked(
    part: str, ask: Ask, encoding: str
) -> None:
    assert f"unsupported encoding {encoding!r}" in _fault(ask, Pours(encoding=encoding))


def test_requests_accept_only_bounded_encodings() -> None:
    with serve(says("")) as server:
        with pytest.raises(OutsideServiceError):
            _embed(server.url)
        assert server.asked[0].headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("depth", [1_000, 200_000])
def test_deeply_nested_events_are_a_fault_of_the_endpoint(depth: int) -> None:
    nested = streams([f"data: {'[' * depth}{']' * depth}"])
    with serve(nested) as server, pytest.raises(OutsideServiceError):
        _stream(server.url)


def test_a_model_with_an_endless_name_is_refused() -> None:
    listed = '{"data": [{"id": "' + "m" * 100_000 + '"}]}'
    with serve(says(listed)) as server, pytest.raises(OutsideServiceError) as caught:
        _list_models(server.url)
    assert len(str(caught.value)) < 500
