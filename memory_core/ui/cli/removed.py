"""`removed`: what was taken out of its chat but is still kept, and forgetting it."""

import argparse
import json
from collections.abc import Sequence
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...host.chat_sync.deletions import removed_memories
from ...memory.long_term_memory import LongTermMemory
from ...prompt.templates import date_in_digits
from . import common
from .common import Terminal, add_command, add_namespace_arguments, existing_namespace


def add_removed_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    told = "List memories that are in no chat any more. They are kept until you forget them."
    parser = add_command(
        commands,
        "removed",
        "List or forget memories that are in no chat any more.",
        _run,
        description=told,
    )
    add_namespace_arguments(parser)
    parser.add_argument(
        "--forget", nargs="*", metavar="ID", help="Forget all of them, or those with these ids."
    )


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace = existing_namespace(args)
    with common.open_memory(args) as memory:
        found = removed_memories(memory, namespace)
        if args.forget is None:
            return _list(args, terminal, found)
        return _forget(args, terminal, memory, namespace, found)


def _list(args: argparse.Namespace, terminal: Terminal, found: Sequence[Memory]) -> int:
    if args.json:
        fields = [{"id": it.id, "ts": it.ts, "text": it.text} for it in found]
        terminal.print_result(json.dumps({"removed": fields}))
    else:
        told = [f"{it.id}  {date_in_digits(it.ts)}  {' '.join(it.text.split())}" for it in found]
        terminal.print_result("\n".join([*told, f"in no chat any more: {len(found):,}"]))
    return 0


def _forget(
    args: argparse.Namespace,
    terminal: Terminal,
    memory: LongTermMemory,
    namespace: Namespace,
    found: Sequence[Memory],
) -> int:
    wanted: list[str] = args.forget
    going = [it.id for it in found if not wanted or it.id in wanted]
    unknown = sorted(set(wanted) - set(going))
    for memory_id in unknown:
        terminal.print_note(f"error: {memory_id} is none of these")
    memory.forget_exactly(namespace, going)
    told = "their words are erased once the undo time is over, while the program runs"
    done = {"forgotten": len(going), "unknown": unknown}
    terminal.print_result(json.dumps(done) if args.json else f"forgotten: {len(going):,}; {told}")
    return 1 if unknown else 0
