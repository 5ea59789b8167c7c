"""Client of OpenAI-compatible servers with few headers, a deadline, a size limit and clear errors.

All providers use this one.
"""

import importlib
import json
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from email.utils import parsedate_to_datetime
from functools import cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from ..domain.errors import OutsideServiceError
from ..infra.deadlines import Deadline, call_with_timeout
from .allowed_hosts import check_endpoint
from .refusals import is_too_long, quoted_refusal

if TYPE_CHECKING:
    import openai

Sent = Mapping[str, object]
T = TypeVar("T")

NO_KEY = "EMPTY"
NOT_OPENAI = "did not answer like OpenAI's API: check llm.base_url, which usually ends in /v1"
TOO_LONG = (
    "has too short a context for the prompt and its answer: load the model with at least 4,096 "
    "tokens of context, or lower consolidation.max_tokens (in chats: ltm_context.max_tokens)"
)
# The openai package would send more: OPENAI_CUSTOM_HEADERS, organisation, platform. By the last
# header it knows itself how to read the answer.
_HEADERS_SENT = {
    "host", "accept", "accept-encoding", "connection", "user-agent", "content-type",
    "content-length", "x-stainless-raw-response",
}  # fmt: skip
_LONGEST_NUMBER = 7

_MB = 2**20
LONGEST_ANSWER = 16 * _MB
_LONGEST_REFUSAL = 65_536
_LASTING = (401, 402, 404, 405)  # a wrong key, path or model; 403 may be about one message
_TRANSIENT = (408, 409, 425, 429)
# Servers refuse texts longer than their model reads, some with an internal error.
_TOO_MUCH = (400, 413, 422, 500)
_SERVER = 500  # from here on, the server itself failed
# 64 KB in these encodings unpack to at most 64 MB, so it is enough to count unpacked bytes. In the
# other encodings that httpx may support, they could unpack to gigabytes.
_PACKINGS = ("gzip", "deflate")


class _Request(Protocol):
    """A request of httpx or httpx2."""

    headers: MutableMapping[str, str]


class StrictAnswer(BaseModel):
    """A part of an answer, whose values are not converted."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, hide_input_in_errors=True)


class OpenAIClient:
    """Client of one server at a checked address. Raises `fault`, without the key, for any failure.

    `section` is the section of the settings that configures it: embedder, llm or reranker.
    """

    def __init__(
        self, *, base_url: str, api_key: str, allow_remote: bool, section: str,
        fault: type[OutsideServiceError],
    ) -> None:  # fmt: skip
        endpoint = check_endpoint(base_url, allow_remote=allow_remote, key=f"{section}.base_url")
        self.base_url = endpoint.base_url
        self._trust_env = not endpoint.loopback
        self._api_key = api_key or NO_KEY
        self._section = section
        self._fault = fault
        self.last_fault = ""  # without the key; empty again after an answer
        self.is_untried = True

    def __repr__(self) -> str:
        return f"OpenAIClient({self.base_url!r})"

    def load(self) -> None:
        """Imports the libraries. Raises the fault if one is missing."""
        try:
            _ = self._client
        except ImportError as exc:
            raise self._fault(f"{exc.name} is not installed: pip install openai") from exc

    def call_in_time(self, timeout_s: float, call: Callable[[], T]) -> T:
        """Returns the result of several requests. Raises the fault after `timeout_s`."""
        try:
            return call_with_timeout(timeout_s, call)
        except TimeoutError as exc:
            self.fail("did not answer in time", exc)

    def fetch_body(
        self, path: str, sent: Sent | None, *, timeout_s: float, longest: int = LONGEST_ANSWER
    ) -> bytes:
        """Returns the whole answer of `path` to a POST, or to a GET without anything `sent`.

        Raises the fault for an answer later than `timeout_s` or longer than `longest` bytes.
        """
        with self._translate_errors(), self._opened(path, sent, timeout_s) as answer:
            return b"".join(_pieces(answer, Deadline(timeout_s), longest))

    def events(self, path: str, sent: Sent, *, timeout_s: float) -> Iterator[Any]:
        """Yields the JSON events of a stream of at most LONGEST_ANSWER bytes.

        Raises the fault for an event later than `timeout_s` after the last one.
        """
        deadline = Deadline(timeout_s)
        others = list[bytes]()
        with self._translate_errors(), self._opened(path, sent, timeout_s) as answer:
            for line in _lines(_pieces(answer, deadline, LONGEST_ANSWER)):
                if not line.startswith(b"data:"):
                    others.append(line)
                    continue
                if line[5:].strip() == b"[DONE]":
                    return
                yield json.loads(line[5:])
                deadline.restart()
                others.clear()
            if b"".join(others).lstrip().startswith((b"{", b"<")):
                yield self._unstreamed(b"\n".join(others))
                return
        self.fail("broke off in the middle of its answer")

    def _opened(
        self, path: str, sent: Sent | None, timeout_s: float
    ) -> AbstractContextManager[Any]:
        """Returns the answer unread, as the package does for its own header."""
        client = self._client.with_options(timeout=timeout_s)
        wanted: dict[str, Any] = {
            "cast_to": self._http.Response,
            "options": {"headers": {"X-Stainless-Raw-Response": "stream"}},
        }
        if sent is None:
            return closing(client.get(path, **wanted))
        return closing(client.post(path, body=sent, **wanted))

    def _unstreamed(self, body: bytes) -> object:
        """Returns the JSON of a server that does not stream. Raises the fault for a page."""
        try:
            answer = json.loads(body)
        except ValueError as exc:
            self.fail(NOT_OPENAI, exc)
        if _has_text(answer) or (isinstance(answer, dict) and answer.get("error")):
            return answer
        self.fail("sent an empty answer")

    def fail(self, what: str, cause: BaseException | None = None) -> NoReturn:
        """Raises the fault with the address and, unless it may hold the key, its cause."""
        self.is_untried = False
        message = f"{self.base_url} {what}"
        if self._is_free_of_key(message) and self._is_free_of_key(repr(cause)):
            self.last_fault = message
            raise self._fault_of(message, cause) from cause
        self.last_fault = message.replace(self._api_key, "***")
        raise self._fault_of(self.last_fault, cause) from None

    def fail_with(self, error: object, sent: Sent) -> NoReturn:
        """Raises the fault for the error that a server sent in its answer to `sent`."""
        reason = error.get("message") if isinstance(error, dict) else error
        if not isinstance(reason, str) or not reason.strip():
            self.fail("stopped with an error; see the server's log")
        quote = quoted_refusal(reason, json.dumps(sent).encode())
        self.fail(f"{TOO_LONG if is_too_long(quote) else 'stopped with an error'} ({quote})")

    def _fault_of(self, message: str, cause: BaseException | None) -> OutsideServiceError:
        """Returns the fault with its HTTP status, and whether a retry may help."""
        import openai

        fault = self._fault(message)
        if isinstance(cause, openai.APIStatusError):
            fault.status = cause.status_code
            fault.is_transient = cause.status_code in _TRANSIENT or cause.status_code >= _SERVER
            fault.is_lasting = cause.status_code in _LASTING
            fault.retry_after_s = _seconds(cause.response.headers.get("retry-after", ""))
        else:
            timeouts = TimeoutError, openai.APITimeoutError, self._http.TimeoutException
            fault.is_timeout = isinstance(cause, timeouts)
            is_unreachable = isinstance(cause, openai.APIConnectionError)
            fault.is_transient = is_unreachable and not fault.is_timeout
            fault.is_lasting = NOT_OPENAI in message
        fault.is_too_long = TOO_LONG in message
        fault.is_transient = fault.is_transient and not fault.is_too_long
        return fault

    def _is_free_of_key(self, text: str) -> bool:
        return self._api_key == NO_KEY or self._api_key not in text

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        self.load()
        import openai

        try:
            yield
            self.last_fault, self.is_untried = "", False
        except _Unreadable as exc:
            self.fail(f"{exc}: is {self._section}.base_url right?", exc)
        except openai.APIStatusError as exc:
            quote = quoted_refusal(str(exc), exc.request.content)
            self.fail(f"{self._advice(exc.status_code, quote)} ({quote})", exc)
        except (TimeoutError, openai.APITimeoutError, self._http.TimeoutException) as exc:
            self.fail("did not answer in time", exc)
        except (openai.APIConnectionError, self._http.HTTPError) as exc:
            reason = exc.__cause__ or exc
            self.fail(f"cannot be reached; is the server running? ({reason})", exc)
        except (openai.OpenAIError, ValueError, RecursionError) as exc:
            self.fail(f"sent an answer that cannot be read: {type(exc).__name__}", exc)

    def _advice(self, status: int, quote: str) -> str:
        if self._section == "llm" and is_too_long(quote):
            return TOO_LONG
        base_url, key = f"{self._section}.base_url", f"{self._section}.api_key"
        if 300 <= status < 400:
            return f"redirects to another address: put the final one into {base_url}"
        return {
            401: f"refused the key: check {key}",
            403: f"refused the key: check {key}",
            404: f"does not know the path or the model: {base_url} usually ends in /v1; "
            f"check {self._section}.model too",
            429: "is too busy: try again later",
        }.get(status, f"failed with HTTP {status}: see the server's log")

    @cached_property
    def _http(self) -> ModuleType:
        """Returns the HTTP package that openai uses: httpx before 3, httpx2 since."""
        import openai

        base = openai.DefaultHttpxClient.__mro__[1]
        return importlib.import_module(base.__module__.partition(".")[0])

    @cached_property
    def _client(self) -> "openai.OpenAI":
        import openai

        http_client = _bounded(openai.DefaultHttpxClient, self._http)(
            trust_env=self._trust_env,
            follow_redirects=False,
            event_hooks={"request": [partial(_send_only_what_is_needed, self._api_key)]},
        )
        weakref.finalize(self, http_client.close)
        return openai.OpenAI(
            base_url=self.base_url, api_key=self._api_key, max_retries=0, http_client=http_client
        )


def may_be_too_much(fault: OutsideServiceError) -> bool:
    """Returns whether the server may have refused a text because of its length."""
    return fault.status in _TOO_MUCH


def _bounded(base: type[Any], http: ModuleType) -> type[Any]:
    """Returns a subclass of the HTTP client that cuts long error bodies, which openai reads."""

    class BoundedClient(base):  # type: ignore[misc]
        def send(self, request: _Request, **how: Any) -> Any:  # noqa: ANN401
            response = super().send(request, **how)
            if response.is_success or not how.get("stream"):
                return response
            content = _beginning(response, http)
            headers = {
                name: response.headers[name]
                for name in ("content-type", "retry-after")
                if name in response.headers
            }
            return http.Response(
                response.status_code, headers=headers, content=content, request=request
            )

    return BoundedClient


def _beginning(response: Any, http: ModuleType) -> bytes:  # noqa: ANN401  (of either package)
    """Returns the part of an error body that arrives in time and fits the limit."""
    deadline = Deadline(response.request.extensions["timeout"]["read"])
    content = b""
    with closing(response), suppress(http.HTTPError, _Unreadable, TimeoutError):
        for piece in _pieces(response, deadline, _LONGEST_REFUSAL):
            content += piece
    return content


def _send_only_what_is_needed(api_key: str, request: _Request) -> None:
    for name in set(request.headers) - _HEADERS_SENT:
        del request.headers[name]
    request.headers["authorization"] = f"Bearer {api_key}"
    request.headers["accept-encoding"] = ", ".join(_PACKINGS)


class _Unreadable(Exception):
    """An answer is too long, or compressed in a way that cannot be bounded."""


def _pieces(answer: Any, deadline: Deadline, longest: int) -> Iterator[bytes]:  # noqa: ANN401
    """Yields the unpacked answer, up to a deadline and a number of bytes."""
    packing = answer.headers.get("content-encoding", "").lower()
    if packing not in ("", "identity", *_PACKINGS):
        raise _Unreadable(f"sent an answer in the unsupported encoding {packing[:40]!r}")
    left = longest
    for piece in answer.iter_bytes():
        deadline.check()
        left -= len(piece)
        if left < 0:
            raise _Unreadable(f"sent an answer of more than {longest / _MB:.2g} MB")
        yield piece


def _has_text(answer: Any) -> bool:  # noqa: ANN401
    try:
        return bool(answer["choices"][0]["message"]["content"])
    except (TypeError, LookupError):
        return False


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    # httpx's iter_lines also splits at U+2028 and the like, which JSON may hold unescaped.
    partial_line: list[bytes] = []
    for piece in pieces:
        *ends, rest = piece.split(b"\n")
        for end in ends:
            yield b"".join([*partial_line, end])
            partial_line.clear()
        partial_line.append(rest)
    yield b"".join(partial_line)


def _seconds(retry_after: str) -> float:
    """Returns the seconds of a Retry-After header, which may be a date; 0 without one."""
    if retry_after.isdecimal() and len(retry_after) < _LONGEST_NUMBER:
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return 0.0
