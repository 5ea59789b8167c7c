"""Faults of a rerank endpoint, over real sockets, and the messages for the user."""

import json
import logging

import pytest

from memory_core.domain.errors import ConfigError, RerankerUnavailable
from memory_core.providers.rerankers.http_endpoint import EndpointReranker
from tests.in_time import within
from tests.loopback import Answer, Asked, drips_body, drips_headers, hangs, says, says_json, serve
from tests.providers.embedders.servers import url_of_nobody
from tests.providers.rerankers.servers import counts_shared_words, ranked

SECRET = "sk-very-secret"
TEXTS = ["dog", "cat", "bird"]


def _reranker(url: str, **settings: object) -> EndpointReranker:
    return EndpointReranker(**{"base_url": url, "model": "judge", **settings})


def _scores(answer: Answer) -> dict[int, float]:
    with serve(answer) as server:
        return dict(_reranker(server.url).scores("cat", TEXTS, timeout_s=5))


def _fault(url: str, *, timeout_s: float = 5.0, **settings: object) -> str:
    with pytest.raises(RerankerUnavailable) as caught:
        _reranker(url, **settings).scores("cat", TEXTS, timeout_s=timeout_s)
    assert url in str(caught.value)
    return str(caught.value)


def test_reranker_request_has_the_common_format_of_the_servers() -> None:
    with serve(counts_shared_words) as server:
        _reranker(server.url).scores("cat", TEXTS, timeout_s=5)
        _reranker(f"{server.url}/", model="").scores("cat", TEXTS, timeout_s=5)
        assert [request.path for request in server.asked] == ["/v1/rerank", "/v1/rerank"]
        first, second = (request.body for request in server.asked)
    assert first == {"model": "judge", "query": "cat", "documents": TEXTS, "top_n": 3}
    assert second == {"query": "cat", "documents": TEXTS, "top_n": 3}


def _rows(*rows: dict[str, object], key: str = "results", **more: object) -> Answer:
    return says_json({key: rows, **more})


UNDERSTOOD = {
    "in any order": ranked([(2, 0.5), (0, 0.1), (1, 0.9)]),
    "score": _rows({"index": 0, "score": 0.1}, {"index": 1, "score": 0.9},
                   {"index": 2, "score": 0.5}),
    "data": _rows({"index": 0, "relevance_score": 0.1}, {"index": 1, "relevance_score": 0.9},
                  {"index": 2, "relevance_score": 0.5}, key="data"),
    "more than was asked for": _rows(
        {"index": 0, "relevance_score": 0.1, "document": {"text": "dog"}},
        {"index": 1, "relevance_score": 0.9, "document": None},
        {"index": 2, "relevance_score": 0.5}, id="x", usage={"total_tokens": 3}, meta=[],
    ),
    "indices beyond the texts": ranked([(0, 0.1), (1, 0.9), (2, 0.5), (3, 9), (-1, 9), (99, 9)]),
    "an index twice": ranked([(1, 0.9), (1, 0.2), (2, 0.5), (0, 0.1), (0, 7)]),
}  # fmt: skip


@pytest.mark.parametrize("answer", UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_reranker_reads_answers_in_all_known_formats(answer: Answer) -> None:
    assert _scores(answer) == {0: 0.1, 1: 0.9, 2: 0.5}


def test_reranker_gives_no_score_to_a_text_that_the_server_leaves_out() -> None:
    assert _scores(ranked([(2, -3.5)])) == {2: -3.5}


GARBAGE = {
    "no results": ranked([]),
    "none that was asked for": ranked([(7, 1.0)]),
    "not a number": says('{"results": [{"index": 0, "relevance_score": NaN}]}'),
    "infinite": says('{"results": [{"index": 0, "relevance_score": 1e999}]}'),
    "a word for a score": ranked([(0, "0.9")]),
    "a word for an index": ranked([("0", 0.9)]),
    "null": ranked([(0, None)]),
    "no score": _rows({"index": 0}),
    "no index": _rows({"relevance_score": 0.9}),
    "another API": says_json({"choices": []}),
    "embeddings": _rows({"index": 0, "embedding": [1.0]}, key="data"),
    "a list": says_json([0.1, 0.9, 0.5]),
    "a web page": says("<html>it works</html>"),
    "nothing": says(""),
    "half an answer": says('{"results": [{"index": 0, "relev'),
    "bytes": says(b"\xff\xfe\x00"),
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_reranker_refuses_a_garbage_answer(garbage: Answer) -> None:
    with serve(garbage) as server:
        assert "reranker.base_url" in _fault(server.url)


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "check reranker.api_key"),
        (404, "check reranker.model"),
        (429, "try again later"),
        (500, "HTTP 500"),
        (503, "HTTP 503"),
    ],
)
def test_reranker_reports_a_refusal_with_advice_and_does_not_retry(
    status: int, advice: str
) -> None:
    with serve(says_json({"error": {"message": "no!"}}, status=status)) as server:
        message = _fault(server.url)
        assert advice in message
        assert "no!" in message
        assert len(server.asked) == 1


def test_reranker_reports_a_server_that_is_down() -> None:
    assert "is the server running?" in _fault(url_of_nobody())


@pytest.mark.parametrize("slow", [hangs(), drips_body(), drips_headers()],
                         ids=["hangs", "drips its body", "drips its headers"])  # fmt: skip
def test_reranker_times_out_on_a_slow_server(slow: Answer) -> None:
    with serve(slow) as server, within(20):
        assert "did not answer in time" in _fault(server.url, timeout_s=0.3)


@pytest.mark.slow
def test_reranker_time_limit_covers_all_requests_together() -> None:
    def slow_to_refuse(asked: Asked) -> Answer:
        return hangs() if len(asked.body["query"]) <= 250 else says_json({}, status=400)

    with serve(slow_to_refuse) as server:
        with within(20), pytest.raises(RerankerUnavailable, match="in time"):
            _reranker(server.url).scores("cat " * 500, TEXTS, timeout_s=3.0)
        assert len(server.asked) == 2


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_reranker_cuts_texts_too_long_for_the_server_once(status: int) -> None:
    def short_only(asked: Asked) -> Answer:
        if any(len(text) > 300 for text in [asked.body["query"], *asked.body["documents"]]):
            return says_json({"error": "input is too large"}, status=status)
        return counts_shared_words(asked)

    with serve(short_only) as server:
        texts = ["dog", "cat " * 500]
        assert _reranker(server.url).scores("the cat", texts, timeout_s=5)[1] > 1
        assert len(server.asked) == 2


def test_reranker_follows_no_redirect() -> None:
    with serve(counts_shared_words) as other:
        elsewhere = says("", status=307, location=f"{other.url}/rerank")
        with serve(elsewhere) as server:
            assert "reranker.base_url" in _fault(server.url, api_key=SECRET)
        assert not other.asked


def test_reranker_takes_neither_address_nor_headers_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, url_of_nobody().removesuffix("/v1"))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "COHERE_API_KEY", "JINA_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    with serve(counts_shared_words) as server:
        _reranker(server.url).scores("cat", TEXTS, timeout_s=5)
        headers = server.asked[0].headers
    assert headers["authorization"] == "Bearer EMPTY"
    assert SECRET not in json.dumps(headers)


def test_reranker_sends_its_key_and_shows_it_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serve(says_json({"error": {"message": f"{SECRET} is wrong"}}, status=401)) as server:
        reranker = _reranker(server.url, api_key=SECRET)
        with pytest.raises(RerankerUnavailable) as caught:
            reranker.scores("cat", TEXTS, timeout_s=5)
        assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    logging.getLogger("test").error("failed", exc_info=caught.value)
    assert "*** is wrong" in str(caught.value)
    assert SECRET not in caplog.text
    assert SECRET not in repr(vars(reranker))


def test_reranker_on_another_machine_needs_allow_remote() -> None:
    with pytest.raises(ConfigError, match="allow_remote"):
        _reranker("https://api.example.com/v1")
    assert _reranker("https://api.example.com/v1", allow_remote=True).name == "judge"


def test_reranker_endpoint_needs_an_address() -> None:
    with pytest.raises(ConfigError, match=r"reranker\.base_url"):
        _reranker("")
