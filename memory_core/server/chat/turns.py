"""A chat completion with its owner and its memories, between recall and storage."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ...domain.errors import ConfigError, LongTermMemoryError
from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...host.chat.exchanges import Speakers
from ...host.chat.turn_request import hashed_conversation
from ...host.chat_sync.write_rules import STORE_ALL, WriteRules, current_rules
from ...memory.remember_switch import IS_OFF
from ...memory.runtime import Runtime
from .messages import Message, ReadChat
from .request import ChatRequest
from .retrieved import Retrieved


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTurn:
    """A request with its memories. `messages` go to the model.

    `namespace` is None if memory is off. `has_history` tells whether the client itself sent
    earlier messages. `rules` are those of the moment when the message arrived.
    """

    request: ChatRequest
    chat: ReadChat
    messages: Sequence[Message]
    speakers: Speakers
    namespace: Namespace | None = None
    conversation: str = ""
    has_history: bool = False
    rules: WriteRules = STORE_ALL
    retrieved: Retrieved = field(default_factory=Retrieved)


def latest_rules(runtime: Runtime) -> WriteRules:
    """Returns the rules for messages that arrive now, also if another program switched Remember."""
    if runtime.remember_switch.was_switched_elsewhere():
        with suppress(LongTermMemoryError):  # the answer counts more than new settings
            runtime.reload_settings()
    return current_rules(runtime.remember_switch)


def refuse_while_off(runtime: Runtime) -> None:
    """Raises ConfigError while Remember is off: then nothing is added to the memories."""
    if not latest_rules(runtime).stores:
        raise ConfigError(IS_OFF, key="ltm_writes.enabled")


def positioned(
    runtime: Runtime, turn: PreparedTurn, namespace: Namespace, exchanges: Sequence[Exchange]
) -> Sequence[Exchange]:
    """Returns the new exchange, the last one, after those that give it a position.

    Without earlier messages of the client, the last stored exchange gives it.
    """
    if turn.has_history:
        return exchanges
    if turn.chat.answer_start or not turn.conversation:
        return exchanges[-1:]
    stored = runtime.memory.conversation(namespace, turn.conversation, 1)
    return [*(memory.exchange for memory in stored if memory.exchange), exchanges[-1]]


def conversation_of(
    runtime: Runtime, turn: PreparedTurn, namespace: Namespace, exchanges: Sequence[Exchange]
) -> str:
    """Returns the conversation's name, which is derived from its beginning if it has none."""
    if turn.conversation or not exchanges:
        return turn.conversation
    known = runtime.memory.conversation_of(namespace, exchanges[0])
    return known or hashed_conversation(namespace, exchanges[0])
