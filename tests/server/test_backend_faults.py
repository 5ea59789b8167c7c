"""Answers of the server when the model server behind it is missing, wrong or no model server."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler

import pytest

from tests.cases import for_each
from tests.conftest import MakeRuntime
from tests.loopback import Answer, says, says_json, streams
from tests.server.conftest import ServeWith
from tests.server.live_server import chat, chunk, events, live


@pytest.mark.parametrize("status", [200, 307, 404])
def test_backend_that_answers_without_json_is_named_in_an_error(
    serve_with: ServeWith, status: int
) -> None:
    """An address without /v1, or that of another program."""
    served = serve_with(says("<html>404 page not found</html>", status=status))
    address = served.runtime.settings.server.backend_url
    answers = [
        chat(served.client, "Hi"),
        served.client.get("/v1/models"),
        served.client.post("/v1/embeddings", json={"model": "e", "input": "Hi"}),
        chat(served.client, "Hi", stream=True),
    ]
    for answer in answers:
        assert answer.status_code == 502
        message = answer.json()["error"]["message"]
        assert message.startswith(f"{address} answered {status} without JSON")
        assert "/v1" in message.removeprefix(address)


def test_backend_that_fails_without_json_is_not_blamed_on_its_address(
    serve_with: ServeWith,
) -> None:
    served = serve_with(says("Internal Server Error", status=500))
    for stream in (False, True):
        answer = chat(served.client, "Hi", stream=stream)
        assert answer.status_code == 502
        message = answer.json()["error"]["message"]
        assert message.endswith("answered 500 without JSON: it failed; its own log says why")


def test_error_of_the_backend_reaches_the_client_as_it_is(serve_with: ServeWith) -> None:
    fault = {"error": {"message": "model 'x' not found", "code": "model_not_found"}}
    served = serve_with(says_json(fault, status=404))
    for stream in (False, True):
        answer = chat(served.client, "Hi", stream=stream)
        assert (answer.status_code, answer.json()) == (404, fault)


@for_each(
    "error, status",
    [
        ({"message": "overloaded", "code": 429}, 429),
        ({"message": "overloaded", "code": 7}, 502),
        ("model not loaded", 502),
    ],
)
def test_error_that_the_backend_sends_with_200_has_its_own_status(
    serve_with: ServeWith, error: object, status: int
) -> None:
    served = serve_with(says_json({"error": error}))
    answers = [
        chat(served.client, "Hi"),
        chat(served.client, "Hi", stream=True),
        served.client.post("/v1/embeddings", json={"model": "e", "input": "Hi"}),
    ]
    for answer in answers:
        assert (answer.status_code, answer.json()) == (status, {"error": error})


def test_busy_backend_tells_the_client_when_to_come_again(serve_with: ServeWith) -> None:
    served = serve_with(says('{"error": {"message": "busy"}}', status=429, retry_after="7"))
    for stream in (False, True):
        answer = chat(served.client, "Hi", stream=stream)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")


def test_backend_that_hangs_up_is_named_in_plain_words_and_logged(
    serve_with: ServeWith, caplog: pytest.LogCaptureFixture
) -> None:
    served = serve_with(Answer(lambda handler, closing: None))
    message = chat(served.client, "Hi").json()["error"]["message"]
    assert "(it closed the connection without an answer)" in message
    assert caplog.messages == [f"POST /v1/chat/completions failed: {message}"]


@for_each("stream", [False, True])
def test_model_stops_working_when_the_client_hangs_up(serve_with: ServeWith, stream: bool) -> None:
    asked, freed = threading.Event(), threading.Event()

    def work(handler: BaseHTTPRequestHandler, _: object) -> None:
        asked.set()
        if not handler.connection.recv(1):  # the connection ends
            freed.set()

    served = serve_with(Answer(work))
    body = json.dumps({"messages": [{"role": "user", "content": "Hi"}], "stream": stream})
    url = served.client.base_url
    with socket.create_connection((url.host, url.port or 80)) as client:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {url.host}\r\n"
        client.sendall(f"{head}content-length: {len(body)}\r\n\r\n{body}".encode())
        assert asked.wait(60)
        assert not freed.is_set()
    assert freed.wait(60)


def test_error_that_breaks_off_is_no_fault_of_this_server(serve_with: ServeWith) -> None:
    def break_off(handler: BaseHTTPRequestHandler, _: object) -> None:
        handler.send_response(500)
        handler.send_header("content-length", "99")
        handler.end_headers()
        handler.wfile.write(b'{"error":')

    served = serve_with(Answer(break_off))
    for stream in (False, True):
        answer = chat(served.client, "Hi", stream=stream)
        assert (answer.status_code, "broke off" in answer.text) == (502, True)


def test_stream_that_breaks_off_is_logged_without_its_words(
    serve_with: ServeWith, caplog: pytest.LogCaptureFixture
) -> None:
    served = serve_with(streams([chunk("Once upon")]))
    error = events(chat(served.client, "A story!", stream=True))[-1]["error"]
    assert caplog.messages == [f"a streamed answer broke off: {error['message']}"]
    assert "Once upon" not in caplog.text


def test_bad_address_of_the_backend_is_no_fault_of_the_client(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime(server={"backend_url": "https://api.openai.com/v1"})
    with live(runtime) as client:
        answer = chat(client, "Hi")
    assert answer.status_code == 503
    assert "allow_remote" in answer.json()["error"]["message"]
