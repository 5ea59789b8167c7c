"""The OpenAI-compatible server that answers: requests to it, and its failures in plain words."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from ...config.schema import Settings
from ...domain.errors import ConfigError
from ...infra.json_codec import dump_json
from ...memory.runtime import Runtime
from ...providers.allowed_hosts import check_endpoint
from ..errors import BAD_GATEWAY, GATEWAY_TIMEOUT, UNAVAILABLE, RequestRefused
from .local_transport import LocalTransport

_CONNECT_S = 10.0
_KEY = "server.backend_url"
LONGEST_LINE = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendAddress:
    base_url: str
    api_key: str
    timeout_s: float
    is_loopback: bool


def backend_address(settings: Settings) -> BackendAddress:
    """Returns the configured backend. Raises RequestRefused if none is, or a bad one."""
    server, llm = settings.server, settings.llm
    url = server.backend_url or llm.base_url
    if not url:
        raise RequestRefused(
            f"no model server is configured: set {_KEY}, e.g. http://127.0.0.1:8000/v1",
            status=UNAVAILABLE,
        )
    try:
        endpoint = check_endpoint(url, allow_remote=settings.allow_remote, key=_KEY)
    except ConfigError as exc:  # not the client's fault
        raise RequestRefused(str(exc), status=UNAVAILABLE) from exc
    own_key = server.backend_api_key or ("" if server.backend_url else llm.api_key)
    return BackendAddress(
        base_url=endpoint.base_url,
        api_key=own_key,
        timeout_s=server.backend_timeout_s,
        is_loopback=endpoint.loopback,
    )


class Backend:
    """Keeps connections to one server open. Of a client's request it only sends the body."""

    def __init__(self, address: BackendAddress) -> None:
        self.address = address
        headers = {"authorization": f"Bearer {address.api_key}"} if address.api_key else {}
        is_plain_and_local = address.is_loopback and address.base_url.startswith("http://")
        self._http = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(address.timeout_s, connect=_CONNECT_S, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
            trust_env=not address.is_loopback,
            transport=LocalTransport() if is_plain_and_local else None,
        )

    async def fetch(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> httpx.Response:
        """Returns the whole answer, whatever its status. Raises RequestRefused without one."""
        async with self.open(method, path, body) as response:
            await read_whole(response, self.address.base_url)
            return response

    @asynccontextmanager
    async def open(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> AsyncIterator[httpx.Response]:
        """Opens an answer for reading piece by piece. Raises RequestRefused without one."""
        content = None if body is None else dump_json(body)
        request = self._http.build_request(
            method,
            f"{self.address.base_url}{path}",
            content=content,
            headers={"content-type": "application/json"} if content else {},
        )
        with _translated(self.address.base_url):
            response = await self._http.send(request, stream=True)
        try:
            yield response
        finally:
            await response.aclose()

    async def close(self) -> None:
        await self._http.aclose()


class BackendSource:
    """Keeps the client of the configured backend; a change of the settings makes a new one."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._backends: dict[BackendAddress, Backend] = {}

    def get(self) -> Backend:
        """Returns the backend. Raises RequestRefused without one, or for a bad one."""
        address = backend_address(self._runtime.settings)
        if address not in self._backends:
            self._backends[address] = Backend(address)
        return self._backends[address]

    async def close(self) -> None:
        while self._backends:
            _, backend = self._backends.popitem()
            await backend.close()


async def read_whole(response: httpx.Response, base_url: str) -> None:
    """Reads the answer's body. Raises RequestRefused if it breaks off."""
    with _translated(base_url):
        await response.aread()


async def lines_of(response: httpx.Response, base_url: str) -> AsyncIterator[list[bytes]]:
    """Yields the lines of a stream, those that arrive together as one list.

    Raises RequestRefused if the stream breaks off.
    """
    rest = b""
    with _translated(base_url):
        async for piece in response.aiter_bytes():
            *lines, rest = (rest + piece).split(b"\n")
            yield [line.rstrip(b"\r") for line in lines]
            if len(rest) > LONGEST_LINE:
                raise RequestRefused(f"{base_url} sent an endless line", status=BAD_GATEWAY)
        if rest:
            yield [rest]


@contextmanager
def _translated(base_url: str) -> Iterator[None]:
    """Turns failures of the connection into RequestRefused."""
    try:
        yield
    except httpx.TimeoutException as exc:
        message = f"{base_url} did not answer in time (server.backend_timeout_s)"
        raise RequestRefused(message, status=GATEWAY_TIMEOUT) from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        reason = str(exc) or type(exc).__name__
        message = f"{base_url} cannot be reached or broke off ({reason}): is it running?"
        raise RequestRefused(message, status=BAD_GATEWAY) from exc
