"""The endpoint /v1/chat/completions: recall, relay, store."""

import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import AbstractAsyncContextManager, aclosing
from functools import cached_property, partial
from typing import Any

import anyio
import httpx
from anyio import to_thread
from fastapi import Request
from fastapi.responses import Response, StreamingResponse
from starlette.types import Send

from ...infra.json_codec import load_json
from ..errors import BAD_GATEWAY, BAD_REQUEST, FAILED, RequestRefused, error_body
from ..responses import JSON
from ..security.access import caller_of
from .backend import BackendSource, lines_of, read_whole
from .request import read_request
from .retrieved import StoreResult
from .stream import AnswerStream, error_event, parsed_object
from .turn_recall import TurnRecall
from .turn_storage import TurnStorage
from .turns import PreparedTurn

_log = logging.getLogger("long_term_memory")

_PATH = "/chat/completions"
_MAX_RECALLS = 2
_OK, _HUNG_UP, _NO_STATUS = 200, 499, 600
_NO_STREAM = ("application/json", "text/html")  # of an answer with 200, such as an error


class ChatCompletions:
    """Answers chat completions by the backend, with memories added to the messages."""

    def __init__(self, recall: TurnRecall, storage: TurnStorage, backends: BackendSource) -> None:
        self._recall = recall
        self._storage = storage
        self._backends = backends

    @cached_property
    def _recall_limit(self) -> anyio.CapacityLimiter:
        """Limits simultaneous recalls, because more threads would only delay the streams."""
        return anyio.CapacityLimiter(_MAX_RECALLS)

    async def create(self, request: Request) -> Response:
        """Answers a chat with the model behind this server, which gets fitting memories.

        Takes and returns what OpenAI's endpoint does; the answer also has `retrieved`.
        """
        backend = self._backends.get()
        turn = await self._prepare(request)
        body = turn.request.for_backend(list(turn.messages))
        base_url = backend.address.base_url
        if turn.request.is_streaming:
            opened = backend.open("POST", _PATH, body)
            response = await _while_client_waits(request, opened.__aenter__())
            return await self._answer_streamed(opened, response, turn, base_url)
        response = await _while_client_waits(request, backend.fetch("POST", _PATH, body))
        return await self._answer_whole(response, turn, base_url)

    async def _prepare(self, request: Request) -> PreparedTurn:
        asked = read_request(await json_body(request), request.headers)
        user = caller_of(request).memory_user(asked.user)
        prepare = partial(self._recall.prepare, asked, user)
        return await to_thread.run_sync(prepare, limiter=self._recall_limit)

    async def _answer_whole(
        self, response: httpx.Response, turn: PreparedTurn, base_url: str
    ) -> Response:
        answer = parsed_object(response.content)
        if answer is None or _status_of(response, answer) != _OK:
            return relayed(response, base_url)
        text, is_whole = _first_answer(answer)
        stored = StoreResult()
        if is_whole:
            stored = await self._store(turn, text, is_partial=False)
        return JSON({**answer, "retrieved": turn.retrieved.payload(stored)})

    async def _answer_streamed(
        self,
        opened: AbstractAsyncContextManager[httpx.Response],
        response: httpx.Response,
        turn: PreparedTurn,
        base_url: str,
    ) -> Response:
        if response.status_code != _OK or _is_no_stream(response):
            try:
                await read_whole(response, base_url)
            finally:
                await opened.__aexit__(None, None, None)
            return await self._answer_whole(response, turn, base_url)
        relay = self._relay(opened, response, turn, base_url)
        return _RelayedStream(relay, media_type="text/event-stream", headers=_STREAM_HEADERS)

    async def _relay(
        self,
        opened: AbstractAsyncContextManager[httpx.Response],
        response: httpx.Response,
        turn: PreparedTurn,
        base_url: str,
    ) -> AsyncGenerator[bytes, None]:
        """Yields the stream. Stores its text however it ends, even if the client disconnects."""
        stream, is_stored = AnswerStream(), False
        try:
            async for lines in lines_of(response, base_url):
                if sent := b"".join(map(stream.take, lines)):
                    yield sent
                if stream.fault:
                    return
                if stream.is_closed:
                    break  # some servers keep the connection open
            if not stream.is_finished:
                raise RequestRefused(
                    f"{base_url} broke off in the middle of its answer", status=BAD_GATEWAY
                )
            is_stored = True
            stored = await self._store_stream(turn, stream, is_partial=False)
            yield stream.end(turn.retrieved.payload(stored))
        except RequestRefused as exc:
            _log.warning("a streamed answer broke off: %s", exc)
            yield error_event(error_body(exc))
        finally:
            with anyio.CancelScope(shield=True):
                await opened.__aexit__(None, None, None)
                if not is_stored:
                    await self._store_stream(turn, stream, is_partial=True)

    async def _store_stream(
        self, turn: PreparedTurn, stream: AnswerStream, *, is_partial: bool
    ) -> StoreResult:
        if stream.has_tool_calls:
            return StoreResult()  # the answer follows the tool's result
        return await self._store(turn, stream.answer, is_partial=is_partial)

    async def _store(self, turn: PreparedTurn, answer: str, *, is_partial: bool) -> StoreResult:
        store = partial(self._storage.store, turn, answer, is_partial=is_partial)
        with anyio.CancelScope(shield=True):
            return await to_thread.run_sync(store)
        return StoreResult()  # unreachable: the scope is never cancelled


class _RelayedStream(StreamingResponse):
    """A stream that is closed before its request ends, also if the client stopped reading."""

    body_iterator: AsyncGenerator[bytes, None]

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self.body_iterator):
            await super().stream_response(send)


_RELAYED = ("retry-after",)  # how long a busy server wants to be left alone
_ADDRESS_ADVICE = "check this address; that of an OpenAI-compatible server usually ends in /v1"
_FAILED_ADVICE = "it failed; its own log says why"
_STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}


async def _while_client_waits(
    request: Request, call: Coroutine[Any, Any, httpx.Response]
) -> httpx.Response:
    """Returns the result of a call to the model, which ends as soon as the client hangs up."""
    fault = RequestRefused("the client hung up", status=_HUNG_UP)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_at_hang_up, request, tasks.cancel_scope)
        try:
            return await call
        except RequestRefused as exc:  # the group would wrap it
            fault = exc
        finally:
            tasks.cancel_scope.cancel()
    raise fault


async def _cancel_at_hang_up(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def json_body(request: Request) -> dict[str, Any]:
    """Returns the request's JSON object. Raises RequestRefused for anything else."""
    try:
        body = load_json(await request.body())
    except (ValueError, RecursionError) as exc:
        raise RequestRefused("the body is no JSON") from exc
    if not isinstance(body, dict):
        raise RequestRefused("the body must be a JSON object")
    return body


def relayed(response: httpx.Response, base_url: str) -> Response:
    """Returns the backend's own answer, such as its error, as it is.

    Raises RequestRefused for one without JSON, which no client of OpenAI's API could read.
    """
    try:
        answer = load_json(response.content)
    except (ValueError, RecursionError) as exc:
        advice = _FAILED_ADVICE if response.status_code >= FAILED else _ADDRESS_ADVICE
        raise RequestRefused(
            f"{base_url} answered {response.status_code} without JSON: {advice}",
            status=BAD_GATEWAY,
        ) from exc
    return Response(
        response.content,
        status_code=_status_of(response, answer),
        media_type="application/json",
        headers={name: response.headers[name] for name in _RELAYED if name in response.headers},
    )


def _status_of(response: httpx.Response, answer: object) -> int:
    """Returns the status of the answer; that of its error, if the backend sends one with 200."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if response.status_code != _OK or not error:
        return response.status_code
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and BAD_REQUEST <= code < _NO_STATUS else BAD_GATEWAY


def _is_no_stream(response: httpx.Response) -> bool:
    return str(response.headers.get("content-type", "")).startswith(_NO_STREAM)


def _first_answer(answer: dict[str, Any]) -> tuple[str, bool]:
    """Returns the first choice's text, and whether it answers the user rather than call a tool."""
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    message = first.get("message") if isinstance(first, dict) else {}
    message = message if isinstance(message, dict) else {}
    content = message.get("content")
    return (content if isinstance(content, str) else "", not message.get("tool_calls"))
