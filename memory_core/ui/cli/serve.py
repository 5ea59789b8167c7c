"""The commands `serve` and `mcp`: the memory for other programs, over HTTP or as their tools."""

import argparse
import gc
import logging
import signal
import sys
from contextlib import suppress

from ... import bootstrap
from ...config.schema import Settings
from ...config.server_settings import ServerSettings
from ...consolidation.service import Consolidation
from ...domain.errors import ConfigError
from ...domain.namespaces import namespace_of
from ...infra.open_files import allow_open_files
from ...providers.allowed_hosts import check_endpoint, is_loopback
from . import common
from .common import (
    Commands,
    Terminal,
    add_namespace_arguments,
    installation_with,
    missing_package,
)

_PACKAGES = "fastapi uvicorn httpx"
_LOG_LINE = "%(asctime)s %(levelname)s %(message)s"
_MAX_PORT = 65_535
_FILES_OF_MEMORIES = 1_000  # of those that are kept open
_FILES_PER_REQUEST = 2  # the client's connection, and that of the model server
_SWITCH_S = 0.001  # makes a recall delay the chunks of other streams less


def add_serve_commands(commands: Commands) -> None:
    _add_serve(commands)
    _add_mcp(commands)


def _add_serve(commands: Commands) -> None:
    parser = commands.add_parser(
        "serve",
        help="Serve chats with memory, and the memories, over HTTP.",
        description="Serve chats with memory in front of any OpenAI-compatible server "
        "(server.backend_url), and the memories themselves, over HTTP. Chat programs get the "
        "address http://HOST:PORT/v1; http://HOST:PORT/docs describes every endpoint.",
        epilog="All settings are in section server of ltm_config.json, see docs/settings.md. "
        "`keys add` makes API keys.",
    )
    defaults = ServerSettings()
    parser.add_argument(
        "--host", help=f"Address to listen on (default: server.host, {defaults.host})."
    )
    parser.add_argument(
        "--port", type=_port, help=f"Port to listen on (default: server.port, {defaults.port})."
    )
    parser.add_argument(
        "--backend",
        metavar="URL",
        help="The model server, such as http://127.0.0.1:8000/v1 (default: server.backend_url).",
    )
    parser.add_argument(
        "--verbose", action="store_true", help="Log each call and each recall, without any text."
    )
    common.add_storage_option(parser)
    parser.set_defaults(run=_serve)


def _serve(args: argparse.Namespace, terminal: Terminal) -> int:
    try:
        from ...server.security.keys import KeyFile
        from ...server.stopping_server import StoppingServer, open_listener
    except ImportError as exc:
        raise missing_package(exc, "serve", _PACKAGES) from exc
    _start_log(is_verbose=args.verbose)
    options = {
        "LTM_SERVER__HOST": args.host,
        "LTM_SERVER__PORT": args.port,
        "LTM_SERVER__BACKEND_URL": args.backend,
    }
    runtime = bootstrap.build_runtime(installation_with(args, options))
    settings, memory = runtime.settings.server, runtime.memory
    has_keys = bool(KeyFile(memory.root, memory.shared.files).keys())
    _check_address(settings, has_keys=has_keys)
    _check_backend(runtime.settings, "--backend" if args.backend else "server.backend_url")
    listener = open_listener(settings.host, settings.port)
    Consolidation(runtime)
    server = StoppingServer(runtime)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C, which closes the files
    sys.setswitchinterval(_SWITCH_S)
    gc.freeze()  # loaded objects stay, so no collection has to walk them during a stream
    runtime.start()
    try:
        _announce(runtime.settings, terminal, has_keys=has_keys)
        _allow_files(settings, terminal)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
    finally:
        runtime.close()
    return 0


def _start_log(*, is_verbose: bool) -> None:
    logging.basicConfig(format=_LOG_LINE)  # first, or the package mcp takes the log for itself
    logging.getLogger("long_term_memory").setLevel(logging.INFO if is_verbose else logging.WARNING)


def _port(text: str) -> int:
    if text.isdecimal() and 0 < int(text) <= _MAX_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text} is no port: write a number from 1 to {_MAX_PORT}")


def _check_address(settings: ServerSettings, *, has_keys: bool) -> None:
    """Raises ConfigError if others could reach the memories without a key."""
    if not has_keys and not is_loopback(settings.host):
        raise ConfigError(
            f"without an API key the server listens on this machine alone, not on {settings.host}: "
            "make a key with `python -m memory_core keys add NAME --user USER`",
            key="--host",
        )


def _check_backend(settings: Settings, key: str) -> None:
    """Raises ConfigError, which names the option or setting `key`, for an unusable address."""
    if url := settings.server.backend_url:
        check_endpoint(url, allow_remote=settings.allow_remote, key=key)


def _announce(configured: Settings, terminal: Terminal, *, has_keys: bool) -> None:
    settings = configured.server
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    where = f"http://{host}:{settings.port}"
    terminal.print_result(f"Serving at {where}/v1; its endpoints: {where}/docs")
    if settings.allowed_hosts or not is_loopback(settings.host):
        terminal.print_note("note: /docs and /openapi.json need an API key, too")
    if not has_keys:
        terminal.print_note(
            "note: there is no API key, so only programs on this machine are served, each for any "
            "user; make keys with `python -m memory_core keys add NAME --user USER`"
        )
    if not settings.backend_url:
        terminal.print_note(
            "note: server.backend_url is empty: llm.base_url answers the chats"
            if configured.llm.base_url
            else "note: no model answers chats: name its server (--backend, server.backend_url)"
        )


def _allow_files(settings: ServerSettings, terminal: Terminal) -> None:
    """Lets all connections be open at the same time, or says that they cannot be."""
    wanted = _FILES_OF_MEMORIES + _FILES_PER_REQUEST * settings.parallel_requests
    allowed = allow_open_files(wanted)
    if allowed < wanted:
        terminal.print_note(
            f"note: the system allows {allowed:,} open files, fewer than the {wanted:,} that "
            f"server.parallel_requests = {settings.parallel_requests:,} may need: raise the limit "
            "(ulimit -Hn, LimitNOFILE=), or lower that setting"
        )


_MCP_PACKAGES = "fastapi uvicorn httpx 'mcp>=1.27,<2'"


def _add_mcp(commands: Commands) -> None:
    parser = commands.add_parser(
        "mcp",
        help="Offer recall, remember, forget and answer as MCP tools on standard input and output.",
        description="Offer recall, remember, forget and answer on the memories of one user and "
        "character as tools of the Model Context Protocol, over standard input and output.",
    )
    add_namespace_arguments(parser)
    common.add_storage_option(parser)
    parser.set_defaults(run=_serve_tools)


def _serve_tools(args: argparse.Namespace, terminal: Terminal) -> int:
    try:
        from ...server.mcp.tools import build_server
    except ImportError as exc:
        raise missing_package(exc, "mcp", _MCP_PACKAGES) from exc
    runtime = bootstrap.build_runtime(installation_with(args, {}))
    namespace = runtime.memory.resolve(namespace_of(args.user, args.character))
    server = build_server(runtime, lambda _: namespace)
    if sys.stdin.isatty():
        terminal.print_note("note: this command talks to another program, not to a person")
    runtime.start()
    try:
        server.run("stdio")
    finally:
        runtime.close()
    return 0
