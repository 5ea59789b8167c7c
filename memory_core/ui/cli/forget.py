"""The commands `forget`: memories by id or channel, and `removed`: those that are in no chat."""

import argparse
import sys
from collections.abc import Sequence

from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...host.chat_sync.deletions import removed_memories
from ...memory.browse import browse
from ...memory.long_term_memory import LongTermMemory
from ...prompt.templates import date_in_digits
from ...storage.listing import ListQuery
from ...storage.log.projection import MemoryRecord
from . import common
from .common import (
    Commands,
    Terminal,
    add_command,
    add_namespace_arguments,
    existing_namespace,
    require_name,
)
from .memory_rows import ID_HELP, known_record


def add_forget_command(commands: Commands) -> None:
    parser = add_command(
        commands,
        "forget",
        "Forget memories by their ids, or those of one channel.",
        _run,
        description="Forget memories by their ids, and all that say exactly the same; or with "
        "--channel all that came through it, after you typed its name, but no copies elsewhere. "
        "They are hidden at once; their words are erased after the undo time, while the program "
        "runs.",
    )
    add_namespace_arguments(parser)
    parser.add_argument("ids", nargs="*", metavar="ID", help=ID_HELP)
    parser.add_argument(
        "--channel", metavar="NAME", help="Forget all exchanges that came through this channel."
    )
    parser.add_argument("--undo", action="store_true", help="Bring these memories back instead.")
    parser.add_argument(
        "--confirm", metavar="NAME", help="The channel that you would have to type, for scripts."
    )


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    if bool(args.ids) == bool(args.channel):
        raise ConfigError("name ids of memories, or one channel with --channel", key="--channel")
    if args.confirm is not None and (not args.channel or args.undo):
        raise ConfigError("--confirm is for forgetting with --channel alone", key="--confirm")
    namespace = existing_namespace(args)
    with common.open_memory(args) as memory:
        changed = _change(args, terminal, memory, namespace)
    done = "brought_back" if args.undo else "forgotten"
    terminal.show({done: changed}, f"{done.replace('_', ' ')}: {common.memories(len(changed))}")
    return 0


def _change(
    args: argparse.Namespace, terminal: Terminal, memory: LongTermMemory, namespace: Namespace
) -> list[str]:
    """Forgets or restores the memories that the arguments name; returns their ids."""
    if args.undo:
        return _restore(args, memory, namespace)
    if args.channel:
        ids = _ids_of_channel(memory, namespace, args.channel)
        warning = f"This forgets {common.memories(len(ids))} of {namespace.label}."
        require_name(terminal, args.channel, given=args.confirm, warning=warning)
        return memory.forget_exactly(namespace, ids)
    _refuse_unknown(memory, namespace, args.ids)
    return memory.forget(namespace, args.ids)


def _restore(args: argparse.Namespace, memory: LongTermMemory, namespace: Namespace) -> list[str]:
    if args.channel:
        ids = _forgotten_of_channel(memory, namespace, args.channel)
    else:
        _refuse_unknown(memory, namespace, ids := args.ids)
    memory.unforget(namespace, *ids)
    return list(ids)


def _refuse_unknown(memory: LongTermMemory, namespace: Namespace, ids: Sequence[str]) -> None:
    """Raises ConfigError for the first unknown id, before anything is changed."""
    for memory_id in ids:
        known_record(memory, namespace, memory_id)


def _ids_of_channel(memory: LongTermMemory, namespace: Namespace, channel: str) -> list[str]:
    """Returns the ids of all live exchanges of a channel. Raises ConfigError if there are none."""
    found = browse(memory, namespace, ListQuery(channel=channel, limit=sys.maxsize)).memories
    return _known([entry.id for entry in found], namespace, channel, "memories")


def _forgotten_of_channel(memory: LongTermMemory, namespace: Namespace, channel: str) -> list[str]:
    found = [one for one in memory.forgotten(namespace) if _channel(one) == channel]
    ids = [one.memory.id for one in found]
    return _known(ids, namespace, channel, "forgotten memories that can come back")


def _known(ids: list[str], namespace: Namespace, channel: str, noun: str) -> list[str]:
    if not ids:
        message = f"{namespace.label} has no {noun} of the channel {channel}; `sessions` shows "
        raise ConfigError(message + "the channels", key="--channel")
    return ids


def _channel(record: MemoryRecord) -> str:
    exchange = record.memory.exchange
    return exchange.channel if exchange else ""


def add_removed_command(commands: Commands) -> None:
    description = (
        "List memories that are in no chat any more. They stay stored until you forget them."
    )
    parser = add_command(
        commands,
        "removed",
        "List or forget memories that are in no chat any more.",
        _removed,
        description=description,
    )
    add_namespace_arguments(parser)
    parser.add_argument(
        "--forget", nargs="*", metavar="ID", help="Forget them all, or those with the given ids."
    )


def _removed(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace = existing_namespace(args)
    with common.open_memory(args) as memory:
        found = removed_memories(memory, namespace)
        if args.forget is None:
            return _list_removed(terminal, found)
        return _forget_removed(args, terminal, memory, namespace, found)


def _list_removed(terminal: Terminal, found: Sequence[Memory]) -> int:
    fields = [{"id": memory.id, "ts": memory.ts, "text": memory.text} for memory in found]
    lines = [
        f"{memory.id}  {date_in_digits(memory.ts)}  {' '.join(memory.text.split())}"
        for memory in found
    ]
    text = "\n".join([*lines, f"in no chat any more: {len(found):,}"])
    terminal.show({"removed": fields}, text)
    return 0


def _forget_removed(
    args: argparse.Namespace,
    terminal: Terminal,
    memory: LongTermMemory,
    namespace: Namespace,
    found: Sequence[Memory],
) -> int:
    wanted: list[str] = args.forget
    chosen = [entry.id for entry in found if not wanted or entry.id in wanted]
    unknown = sorted(set(wanted) - set(chosen))
    for memory_id in unknown:
        terminal.print_note(f"error: {memory_id} is not the id of a removed memory")
    memory.forget_exactly(namespace, chosen)
    message = "their words are erased after the undo time, while the program runs"
    done = {"forgotten": len(chosen), "unknown": unknown}
    terminal.show(done, f"forgotten: {len(chosen):,}; {message}")
    return 1 if unknown else 0
