"""Detects that an unnamed chat restarted: its first message was sent again for a new answer.

A chat without a file is named by its first exchange, so a new first answer makes a new chat. Chats
of two users or windows may begin with the same words. A chat removed here by mistake returns with
its next message, since clients send the whole chat.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ...domain.namespaces import Namespace
from ...domain.records import Exchange, side_key
from ...infra.lru_cache import LRUCache
from ...memory.runtime import Runtime

RESTART_WINDOW_S = 300.0  # users regenerate the first answer within this time, if ever
_MAX_CHATS = 256


@dataclass(frozen=True, slots=True)
class _ChatStart:
    conversation: str
    started_at: float


class RestartedChats:
    """Remembers the beginnings of recent chats without a file. `clock` returns seconds."""

    def __init__(self, runtime: Runtime, *, clock: Callable[[], float]) -> None:
        self._runtime = runtime
        self._clock = clock
        self._recent: LRUCache[tuple[Namespace, str], _ChatStart] = LRUCache(_MAX_CHATS)

    def observe(self, namespace: Namespace, conversation: str, first: Exchange) -> None:
        """Notes the beginning of a chat, and removes the chat that it restarts.

        Ignores chats that begin without user text, since any two may look alike.
        """
        if not first.user:
            return
        key, now = (namespace, side_key(first.user)), self._clock()
        previous = self._recent.get(key)
        if previous is None or previous.conversation != conversation:
            self._recent.put(key, _ChatStart(conversation, now))
            if previous is not None and now - previous.started_at < RESTART_WINDOW_S:
                self._remove_abandoned(namespace, previous.conversation)

    def _remove_abandoned(self, namespace: Namespace, conversation: str) -> None:
        """Removes a chat, unless it has several exchanges or a pinned one."""
        memory = self._runtime.memory
        exchanges = memory.conversation(namespace, conversation, 2)
        if len(exchanges) == 1 and not exchanges[0].pinned:
            memory.reconcile(namespace, conversation, [], whole=True)
