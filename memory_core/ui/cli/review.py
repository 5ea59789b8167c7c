"""The command `review`: lists the exchanges that the guard holds back, and decides about them."""

import argparse
from typing import Any

from ...domain.errors import ConfigError, UnknownMemory
from ...domain.namespaces import Namespace
from ...memory.held_inbox import HeldDecision, HeldInbox
from ...memory.long_term_memory import LongTermMemory
from ...storage.held import HeldExchange
from ...storage.pauses import ChatPauses
from . import common
from .common import (
    Commands,
    Terminal,
    add_command,
    add_namespace_arguments,
    counted,
    existing_namespace,
)

_DONE = {
    HeldDecision.APPROVE: "stored",
    HeldDecision.REDACT: "stored with marks",
    HeldDecision.DISCARD: "discarded",
}


def add_review_command(commands: Commands) -> None:
    parser = add_command(
        commands,
        "review",
        "Decide about messages that the guard holds back.",
        _run,
        description="List the messages that wait because a setting of the guard says ask, or "
        "decide about one of them. They are in no memory until they are approved. Without USER "
        "and CHARACTER, the messages of everybody are listed.",
    )
    add_namespace_arguments(parser, is_optional=True)
    work = parser.add_mutually_exclusive_group()
    for decision, help_text in (
        (HeldDecision.APPROVE, "Store this message and its answer as they are."),
        (HeldDecision.REDACT, "Store them with marks in place of the private details."),
        (HeldDecision.DISCARD, "Never store them."),
    ):
        work.add_argument(f"--{decision}", metavar="ID", help=help_text)


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    with common.open_memory(args) as memory:
        inbox = HeldInbox(memory, ChatPauses(memory.root, memory.shared.files))
        waiting = [
            (space, one) for space in _namespaces(args, memory) for one in inbox.waiting(space)
        ]
        chosen = next((one for one in HeldDecision if getattr(args, one)), None)
        if chosen is None:
            return _list(terminal, waiting)
        wanted = getattr(args, chosen)
        space = next((space for space, one in waiting if one.id == wanted), None)
        if space is None:
            raise UnknownMemory(wanted)
        inbox.decide(space, wanted, chosen)
    terminal.show({"id": wanted, "decision": chosen}, _DONE[chosen])
    return 0


def _namespaces(args: argparse.Namespace, memory: LongTermMemory) -> list[Namespace]:
    if args.character:
        return [existing_namespace(args)]
    spaces = memory.namespaces()
    found = [space for space in spaces if not args.user or space.user == args.user]
    if args.user and not found:
        raise ConfigError(f"there are no memories of {args.user}", key="user")
    return found


def _list(terminal: Terminal, waiting: list[tuple[Namespace, HeldExchange]]) -> int:
    fields = {"held": [_fields(*each) for each in waiting]}
    lines = [_text(*each) for each in waiting]
    terminal.show(fields, "\n\n".join([*lines, f"{counted(len(waiting), 'message')} held"]))
    return 0


def _fields(space: Namespace, one: HeldExchange) -> dict[str, Any]:
    return {
        "id": one.id,
        "user": space.user,
        "character": space.character,
        "conversation": one.conversation,
        "parts": sorted(one.parts),
        "ts": one.exchange.ts,
        "held_at": one.held_at,
        "message": one.exchange.user,
        "answer": one.exchange.assistant,
    }


def _text(space: Namespace, one: HeldExchange) -> str:
    said, answer = one.exchange.user, one.exchange.assistant
    head = f"{one.id}  {space.label}  ({', '.join(sorted(one.parts))})"
    return "\n".join([head, *(f"  {text}" for text in (said, answer) if text)])
