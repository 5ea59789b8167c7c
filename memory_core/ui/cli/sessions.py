"""The command `sessions`: lists conversations with their user, time and channel."""

import argparse
from collections.abc import Sequence
from typing import Any

from ...admin.names import display_name
from ...domain.errors import ConfigError
from ...memory.browse import SessionInfo, get_sessions, latest_of_each_user
from ...prompt.templates import date_in_digits
from ...storage.listing import SessionQuery
from . import common
from .common import (
    Commands,
    Terminal,
    add_command,
    add_namespace_arguments,
    counted,
    existing_namespace,
)
from .memory_rows import add_window_options, since_and_until
from .rich_output import Rows


def add_sessions_command(commands: Commands) -> None:
    parser = add_command(
        commands,
        "sessions",
        "List the conversations, the latest first.",
        _run,
        description="List the conversations of a character, or of all, the latest first.",
    )
    add_namespace_arguments(parser, is_optional=True)
    parser.add_argument("--latest", action="store_true", help="Only the latest of each user.")
    parser.add_argument("--channel", default="", help="Count only what came through this channel.")
    parser.add_argument("--limit", type=int, default=20, help="At most so many (default: 20).")
    add_window_options(parser)


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    if args.limit < 0:
        raise ConfigError("--limit must not be negative", key="--limit")
    since, until = since_and_until(args)
    query = SessionQuery(channel=args.channel, since=since, until=until)
    wanted = [existing_namespace(args)] if args.character else None
    with common.open_memory(args) as memory:
        spaces = wanted or [
            space for space in memory.namespaces() if args.user in (None, space.user)
        ]
        found = get_sessions(memory, spaces, query)
    chosen = (latest_of_each_user(found) if args.latest else found)[: args.limit]
    fields = {"sessions": [_fields(session) for session in chosen], "total": len(found)}
    shown = f"{len(chosen):,} of {counted(len(found), 'conversation')}"
    terminal.show(fields, _rows(chosen, shown))
    return 0


def _rows(sessions: Sequence[SessionInfo], shown: str) -> Rows:
    cells = list(map(_cells, sessions))
    return Rows(
        columns=("name", "conversation", "days", "size", "channel"),
        cells=cells,
        lines=["  ".join(row).removesuffix("  ") for row in cells],  # many have no channel
        remarks=[shown],
    )


def _cells(session: SessionInfo) -> tuple[str, ...]:
    first, last = date_in_digits(session.first), date_in_digits(session.last)
    days = last if first == last else f"{first} to {last}"
    size = counted(session.count, "exchange")
    name = display_name(session.namespace)
    return name, session.conversation, days, size, session.channel


def _fields(session: SessionInfo) -> dict[str, Any]:
    return {
        **session.namespace.to_fields(),
        "conversation": session.conversation,
        "first": session.first,
        "last": session.last,
        "count": session.count,
        "channel": session.channel,
    }
