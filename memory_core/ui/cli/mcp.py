"""The command `mcp`: the memory as tools of a program that starts this one."""

import argparse
import sys
from typing import Any

from ... import bootstrap
from ...domain.namespaces import namespace_of
from . import common
from .common import (
    Terminal,
    add_namespace_arguments,
    installation_with,
    missing_package,
)

_PACKAGES = "fastapi uvicorn httpx 'mcp>=1.27,<2'"


def add_mcp_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    parser = commands.add_parser(
        "mcp",
        help="Offer recall, remember, forget and answer as MCP tools on standard input and output.",
        description="Offer recall, remember, forget and answer on the memories of one user and "
        "character as tools of the Model Context Protocol, over standard input and output.",
    )
    add_namespace_arguments(parser)
    common.add_storage_option(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    try:
        from ...server.mcp.tools import build_server
    except ImportError as exc:
        raise missing_package(exc, "mcp", _PACKAGES) from exc
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
