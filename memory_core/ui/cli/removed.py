"""The command `removed`: lists and forgets memories that were removed from their chats."""

import argparse
from collections.abc import Sequence

from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...host.chat_sync.deletions import removed_memories
from ...memory.long_term_memory import LongTermMemory
from ...prompt.templates import date_in_digits
from . import common
from .common import Commands, Terminal, add_command, add_namespace_arguments, existing_namespace


def add_removed_command(commands: Commands) -> None:
    description = (
        "List memories that are in no chat any more. They stay stored until you forget them."
    )
    parser = add_command(
        commands,
        "removed",
        "List or forget memories that are in no chat any more.",
        _run,
        description=description,
    )
    add_namespace_arguments(parser)
    parser.add_argument(
        "--forget", nargs="*", metavar="ID", help="Forget them all, or those with the given ids."
    )


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace = existing_namespace(args)
    with common.open_memory(args) as memory:
        found = removed_memories(memory, namespace)
        if args.forget is None:
            return _list(terminal, found)
        return _forget(args, terminal, memory, namespace, found)


def _list(terminal: Terminal, found: Sequence[Memory]) -> int:
    fields = [{"id": memory.id, "ts": memory.ts, "text": memory.text} for memory in found]
    lines = [
        f"{memory.id}  {date_in_digits(memory.ts)}  {' '.join(memory.text.split())}"
        for memory in found
    ]
    text = "\n".join([*lines, f"in no chat any more: {len(found):,}"])
    terminal.show({"removed": fields}, text)
    return 0


def _forget(
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
