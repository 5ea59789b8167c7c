"""Faults of an embedding endpoint, over real sockets, and the messages for the user."""

import json
import logging
import sys

import numpy as np
import pytest

from memory_core.domain.errors import ConfigError, EmbedderUnavailable
from memory_core.providers.embedders.openai import OpenAIEmbedder
from tests.in_time import within
from tests.loopback import Answer, Asked, drips_body, drips_headers, hangs, says, says_json, serve
from tests.providers.embedders.servers import embeddings, serves_the_fake, url_of_nobody

SECRET = "sk-very-secret"


def _embedder(url: str, **settings: object) -> OpenAIEmbedder:
    return OpenAIEmbedder(**{"base_url": url, "model": "fake", "timeout_s": 5.0, **settings})


def _fault(url: str, **settings: object) -> str:
    with pytest.raises(EmbedderUnavailable) as caught:
        _embedder(url, **settings).embed(["a", "b"])
    assert url in str(caught.value)
    return str(caught.value)


GARBAGE = {
    "one vector too few": embeddings([[1.0, 2.0]]),
    "one vector too many": embeddings([[1.0], [2.0], [3.0]]),
    "ragged": embeddings([[1.0, 2.0], [1.0]]),
    "not a number": says('{"data": [{"embedding": [NaN]}, {"embedding": [1.0]}]}'),
    "infinite as float32": embeddings([[1e300], [1.0]]),
    "words for numbers": embeddings([["1.0"], ["2.0"]]),
    "booleans": embeddings([[True], [False]]),
    "null": embeddings([None, None]),
    "base64": embeddings(["AACAPw==", "AACAPw=="]),
    "empty vectors": embeddings([[], []]),
    "no data": says_json({"data": []}),
    "an index twice": says_json({"data": [{"index": 0, "embedding": [1.0]}] * 2}),
    "another API": says_json({"result": "ok"}),
    "a list": says_json([[1.0], [2.0]]),
    "a web page": says("<html>it works</html>"),
    "nothing": says(""),
    "half an answer": says('{"data": [{"embedding": [1.0'),
    "bytes": says(b"\xff\xfe\x00"),
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_embedder_refuses_a_garbage_answer(garbage: Answer) -> None:
    with serve(garbage) as server:
        assert "embedder.base_url" in _fault(server.url)


def test_embedder_refuses_another_width_than_requested() -> None:
    with serve(serves_the_fake) as server:
        assert "vectors of 16 numbers instead of 8" in _fault(server.url, dimensions=8)
        assert server.asked[0].body["dimensions"] == 8


def test_embedder_refuses_a_width_that_changes_between_two_answers() -> None:
    widths = iter([4, 5])
    with serve(lambda asked: embeddings([[1.0] * next(widths)])) as server:
        embedder = _embedder(server.url)
        assert embedder.dim == 0
        embedder.embed(["a"])
        assert embedder.dim == 4
        with pytest.raises(EmbedderUnavailable, match="vectors of 5 numbers instead of 4"):
            embedder.embed(["b"])


def test_embedder_orders_vectors_by_their_index() -> None:
    rows = [{"index": 1, "embedding": [0.0, 1.0]}, {"index": 0, "embedding": [1.0, 0.0]}]
    with serve(says_json({"data": rows})) as server:
        np.testing.assert_array_equal(_embedder(server.url).embed(["a", "b"]), np.eye(2))


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "check embedder.api_key"),
        (403, "check embedder.api_key"),
        (404, "check embedder.model"),
        (429, "try again later"),
        (503, "HTTP 503"),
    ],
)
def test_embedder_reports_a_refusal_with_advice_and_does_not_retry(
    status: int, advice: str
) -> None:
    with serve(says_json({"error": {"message": "no!"}}, status=status)) as server:
        message = _fault(server.url)
        assert advice in message
        assert "no!" in message
        assert len(server.asked) == 1


def test_embedder_reports_a_server_that_is_down() -> None:
    assert "is the server running?" in _fault(url_of_nobody())


@pytest.mark.parametrize("slow", [hangs(), drips_body(), drips_headers()],
                         ids=["hangs", "drips its body", "drips its headers"])  # fmt: skip
def test_embedder_query_to_a_slow_server_times_out(slow: Answer) -> None:
    late = pytest.raises(EmbedderUnavailable, match="did not answer in time")
    with serve(slow) as server, within(20), late:
        _embedder(server.url).embed_query("a", timeout_s=0.3)


@pytest.mark.parametrize("slow", [hangs(), drips_body()], ids=["hangs", "drips its body"])
def test_embedder_batch_to_a_slow_server_times_out(slow: Answer) -> None:
    with serve(slow) as server:
        assert "did not answer in time" in _fault(server.url, timeout_s=0.3)


def test_embedder_cuts_a_text_too_long_for_the_server_and_no_other() -> None:
    def short_only(asked: Asked) -> Answer:
        if any(len(text) > 1000 for text in asked.body["input"]):
            return says_json({"error": "input is too large"}, status=400)
        return serves_the_fake(asked)

    with serve(short_only) as server:
        embedder = _embedder(server.url)
        rows = embedder.embed(["cat", "dog " * 1000, "bird"])
        np.testing.assert_allclose(rows, embedder.embed(["cat", "dog", "bird"]), atol=1e-6)
        assert embedder.embed_query("dog " * 1000, timeout_s=5) @ rows[1] == pytest.approx(1)


def test_embedder_sends_few_requests_to_a_server_that_refuses_all() -> None:
    with serve(says_json({}, status=400)) as server:
        with pytest.raises(EmbedderUnavailable):
            _embedder(server.url).embed(["a" * 10_000] * 64)
        assert len(server.asked) < 15


def test_embedder_follows_no_redirect() -> None:
    with serve(serves_the_fake) as other:
        elsewhere = says("", status=307, location=f"{other.url}/embeddings")
        with serve(elsewhere) as server:
            assert "embedder.base_url" in _fault(server.url, api_key=SECRET)
        assert not other.asked


def test_embedder_takes_neither_address_nor_headers_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, url_of_nobody().removesuffix("/v1"))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"authorization: {SECRET}\nx-gateway: {SECRET}")
    with serve(serves_the_fake) as server:
        _embedder(server.url).embed(["a"])
        headers = server.asked[0].headers
    assert headers["authorization"] == "Bearer EMPTY"
    assert SECRET not in json.dumps(headers)
    assert [name for name in headers if name.startswith("x-")] == ["x-stainless-raw-response"]


def test_embedder_sends_its_key_and_shows_it_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serve(says_json({"error": {"message": f"{SECRET} is wrong"}}, status=401)) as server:
        embedder = _embedder(server.url, api_key=SECRET)
        with pytest.raises(EmbedderUnavailable) as caught:
            embedder.embed(["a"])
        assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    logging.getLogger("test").error("failed", exc_info=caught.value)
    assert "*** is wrong" in str(caught.value)
    assert SECRET not in caplog.text
    assert SECRET not in repr(vars(embedder))


def test_embedder_endpoint_needs_the_name_of_its_model() -> None:
    with pytest.raises(ConfigError, match=r"embedder\.model"):
        _embedder("http://127.0.0.1:1/v1", model="")


def test_embedder_on_another_machine_needs_allow_remote() -> None:
    with pytest.raises(ConfigError, match="allow_remote"):
        _embedder("https://api.example.com/v1")
    assert _embedder("https://api.example.com/v1", allow_remote=True).dim == 0


def test_embedder_fingerprint_differs_by_model_and_width() -> None:
    url = "http://127.0.0.1:1/v1"
    made = [_embedder(url), _embedder(url, model="b"), _embedder(url, dimensions=8)]
    assert len({each.fingerprint for each in made}) == 3


def test_embedder_without_its_package_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(EmbedderUnavailable, match="pip install openai"):
        _embedder("http://127.0.0.1:1/v1").embed(["a"])
