"""A chat completion with its owner and its memories, and its place among the stored ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...config.schema import ContextStrategy
from ...domain.namespaces import Namespace
from ...domain.records import Exchange, Memory
from ...host.chat.exchanges import Speakers
from ...host.chat.turn_request import hashed_conversation
from ...host.chat_sync.withheld import STORE_ALL, WriteRules
from ...memory.runtime import Runtime
from ...storage.pauses import ChatPauses
from ...storage.small_files import FilesInMemory
from ...text.private_parts import stored_keys
from .messages import Message, ReadChat
from .request import ChatRequest
from .retrieved import Retrieved

_MAX_CHARACTERS = 4096
_WHOLE_CONVERSATION = 1_000_000


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


class NewCharacters:
    """Keeps a new character off the disk while all that was said to it is incognito.

    Finds the place of keyed hashes: in memory alone until something of a character is stored.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._unsaved = ChatPauses(runtime.memory.root, FilesInMemory(_MAX_CHARACTERS))

    def pauses_for(self, turn: PreparedTurn, namespace: Namespace) -> ChatPauses:
        """Returns the pauses that exclude this turn's messages. Raises StorageError."""
        if turn.request.metadata.incognito and not self._runtime.memory.has_namespace(namespace):
            return self._unsaved
        self._runtime.pauses.take_over(self._unsaved, namespace)
        return self._runtime.pauses


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


def older_exchanges(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    *,
    shown: Sequence[Exchange],
    question: str,
) -> tuple[Exchange, ...]:
    """Returns the stored exchanges before those that the request shows, oldest first.

    Returns none if the settings leave older messages to recall alone, as by default. Nor does it
    if the store does not know the first exchange shown: then nobody knows what comes before it.
    """
    is_left_to_recall = runtime.settings.ltm_context.strategy is ContextStrategy.RETRIEVE
    if is_left_to_recall or not conversation:
        return ()
    stored = runtime.memory.conversation(namespace, conversation, _WHOLE_CONVERSATION)
    older = stored[: _start_of(stored, shown, question)]
    return tuple(memory.exchange for memory in older if memory.exchange)


def _start_of(stored: Sequence[Memory], shown: Sequence[Exchange], question: str) -> int:
    """Returns the index of the first exchange shown among the stored ones; 0 if it is unknown.

    Of several equal exchanges, picks the one that leaves as many stored ones as are shown.
    """
    expected = len(stored) - len(shown)
    if not shown:
        last = stored[-1].exchange if stored else None
        return expected - (last is not None and last.user == question)  # it is answered anew
    keys = stored_keys(shown[:1])
    places = [place for place, memory in enumerate(stored) if memory.key in keys]
    return min(places, key=lambda place: abs(place - expected), default=0)
