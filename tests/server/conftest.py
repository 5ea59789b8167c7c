"""Fixtures of the server's tests: a server in front of a scripted backend."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from memory_core.bootstrap import build_runtime
from memory_core.memory.installation import Installation
from memory_core.memory.runtime import Runtime
from tests.conftest import MakeRuntime
from tests.loopback import Asked, serve
from tests.server.live_server import Backend, Scripted, live


@dataclass(frozen=True)
class Served:
    client: httpx.Client
    runtime: Runtime
    asked: list[Asked]

    @property
    def sent_messages(self) -> list[dict[str, Any]]:
        """Returns the messages that the backend got last."""
        found: list[dict[str, Any]] = self.asked[-1].body["messages"]
        return found


@pytest.fixture(scope="module")
def plain_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all calls of a file that are refused, and leave nothing behind."""
    home = Installation(folder=tmp_path_factory.mktemp("plain"))
    with serve(Scripted()) as loopback:
        config = {"embedder": {"kind": "none"}, "server": {"backend_url": loopback.url}}
        home.config_path.write_text(json.dumps(config), encoding="utf-8")
        runtime = build_runtime(home)
        with live(runtime) as client:
            yield Served(client, runtime, loopback.asked)
        runtime.close()


ServeWith = Callable[..., Served]


@pytest.fixture
def serve_with(make_runtime: MakeRuntime) -> Iterator[ServeWith]:
    """Starts a backend with these answers, and a server in front of it with these settings."""
    with ExitStack() as open_servers:

        def start(
            backend: Backend | None = None, *, has_llm: bool = False, **settings: Any
        ) -> Served:
            loopback = open_servers.enter_context(serve(backend or Scripted()))
            if has_llm:  # the memory itself may ask the backend, too
                llm = {"base_url": loopback.url, "model": "m"}
                settings["llm"] = llm | settings.get("llm", {})
            server = {"backend_url": loopback.url, **settings.pop("server", {})}
            runtime = make_runtime(server=server, **settings)
            client = open_servers.enter_context(live(runtime))
            return Served(client, runtime, loopback.asked)

        yield start
