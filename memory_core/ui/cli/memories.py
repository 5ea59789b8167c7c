"""The commands `list`, `show` and `remember` for single memories, and `sessions` for chats."""

import argparse
from collections.abc import Sequence
from typing import Any

from ...admin.names import display_name
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace, encode, namespace_of
from ...domain.records import MemoryKind
from ...memory.browse import SessionInfo, browse, get_sessions, latest_of_each_user
from ...memory.long_term_memory import LongTermMemory
from ...memory.remember_switch import IS_OFF
from ...prompt.templates import date_in_digits
from ...storage.listing import ListQuery, SessionQuery
from ...text.search_terms import terms
from . import common
from .common import (
    Commands,
    Terminal,
    add_command,
    add_namespace_arguments,
    counted,
    existing_namespace,
)
from .forget import add_forget_command
from .memory_rows import (
    ID_HELP,
    add_window_options,
    known_record,
    memory_fields,
    memory_rows,
    since_and_until,
)
from .rich_output import Rows


def add_memory_commands(commands: Commands) -> None:
    listing = add_command(commands, "list", "List memories, the newest first.", _list)
    add_namespace_arguments(listing)
    listing.add_argument("--words", default="", help="Only memories that contain all these words.")
    listing.add_argument("--limit", type=int, default=20, help="At most so many (default: 20).")
    listing.add_argument("--offset", type=int, default=0, help="Leave out so many first.")
    listing.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=list(map(str, MemoryKind)),
        help="Only memories of this kind; can be repeated.",
    )
    listing.add_argument("--conversation", default="", metavar="NAME", help="Only of this one.")
    listing.add_argument("--channel", default="", help="Only what came through this channel.")
    add_window_options(listing)
    listing.add_argument(
        "--forgotten", action="store_true", help="Those that `forget --undo` can bring back."
    )
    showing = add_command(commands, "show", "Show one memory with all that is known of it.", _show)
    add_namespace_arguments(showing)
    showing.add_argument("id", help=ID_HELP)
    keeping = add_command(
        commands, "remember", "Keep a note that is in every prompt of this character.", _remember
    )
    add_namespace_arguments(keeping)
    keeping.add_argument("text", help="The note, in quotation marks.")
    add_forget_command(commands)


def _list(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace = existing_namespace(args)
    with common.open_memory(args) as memory:
        if args.forgotten:
            found = [record.memory for record in memory.forgotten(namespace)]
            total = len(found)
        else:
            listed = browse(memory, namespace, _query(args))
            found, total = list(listed.memories), listed.total
    fields = {"memories": [memory_fields(entry) for entry in found], "total": total}
    shown = f"{len(found):,} of {common.memories(total)}"
    terminal.show(fields, memory_rows(found, [shown]))
    return 0


def _query(args: argparse.Namespace) -> ListQuery:
    for name in ("limit", "offset"):
        if getattr(args, name) < 0:
            raise ConfigError(f"--{name} must not be negative", key=f"--{name}")
    since, until = since_and_until(args)
    return ListQuery(
        words=tuple((word,) for word in dict.fromkeys(terms(args.words))),
        kinds=frozenset(map(MemoryKind, args.kind)),
        conversation=encode(args.conversation) if args.conversation else "",
        channel=args.channel,
        since=since,
        until=until,
        limit=args.limit,
        offset=args.offset,
    )


def _show(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace = existing_namespace(args)
    with common.open_memory(args) as memory:
        record = known_record(memory, namespace, args.id)
    fields = memory_fields(record.memory) | {"status": record.status.value}
    lines = [f"{name}: {value}" for name, value in fields.items() if value not in ("", [])]
    terminal.show(fields, "\n".join(lines))
    return 0


def _refuse_other_case(memory: LongTermMemory, namespace: Namespace) -> None:
    """Raises ConfigError for a new name that differs from an existing one only in its case."""
    known = memory.namespaces()
    label = display_name(namespace)
    twin = next((name for name in map(display_name, known) if name.lower() == label.lower()), None)
    if twin is not None and memory.resolve(namespace) not in known:
        raise ConfigError(f"no memories of {label}; there is {twin}: write it so", key="character")


def _remember(args: argparse.Namespace, terminal: Terminal) -> int:
    if not args.text.strip():
        raise ConfigError("the note is empty", key="text")
    if not common.load_settings().ltm_writes.enabled:
        raise ConfigError(IS_OFF, key="ltm_writes.enabled")
    namespace = namespace_of(args.user, args.character)
    with common.open_memory(args, must_exist=False) as memory:
        _refuse_other_case(memory, namespace)
        memory_id = memory.add_note(namespace, args.text, kind=MemoryKind.KNOWLEDGE, pinned=False)
    terminal.show({"id": memory_id}, f"kept: {memory_id}")
    return 0


def add_sessions_command(commands: Commands) -> None:
    parser = add_command(
        commands,
        "sessions",
        "List the conversations, the latest first.",
        _sessions,
        description="List the conversations of a character, or of all, the latest first.",
    )
    add_namespace_arguments(parser, is_optional=True)
    parser.add_argument("--latest", action="store_true", help="Only the latest of each user.")
    parser.add_argument("--channel", default="", help="Count only what came through this channel.")
    parser.add_argument("--limit", type=int, default=20, help="At most so many (default: 20).")
    add_window_options(parser)


def _sessions(args: argparse.Namespace, terminal: Terminal) -> int:
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
    fields = {"sessions": [_session_fields(session) for session in chosen], "total": len(found)}
    shown = f"{len(chosen):,} of {counted(len(found), 'conversation')}"
    terminal.show(fields, _session_rows(chosen, shown))
    return 0


def _session_rows(sessions: Sequence[SessionInfo], shown: str) -> Rows:
    cells = list(map(_session_cells, sessions))
    return Rows(
        columns=("name", "conversation", "days", "size", "channel"),
        cells=cells,
        lines=["  ".join(row).removesuffix("  ") for row in cells],  # many have no channel
        remarks=[shown],
    )


def _session_cells(session: SessionInfo) -> tuple[str, ...]:
    first, last = date_in_digits(session.first), date_in_digits(session.last)
    days = last if first == last else f"{first} to {last}"
    size = counted(session.count, "exchange")
    name = display_name(session.namespace)
    return name, session.conversation, days, size, session.channel


def _session_fields(session: SessionInfo) -> dict[str, Any]:
    return {
        **session.namespace.to_fields(),
        "conversation": session.conversation,
        "first": session.first,
        "last": session.last,
        "count": session.count,
        "channel": session.channel,
    }
