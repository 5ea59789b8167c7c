"""A chat that nobody names began anew: its first message was sent again, for another answer.

A chat without a file is named by how it began, so that another first answer makes it another chat.
Two people, or two windows, may begin with the same words: what is taken back here comes back as
soon as its chat goes on, since a client sends all that was said.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ...domain.namespaces import Namespace
from ...domain.records import Exchange, side_key
from ...infra.lru_cache import LRUCache
from ...memory.runtime import Runtime

RESTART_WINDOW_S = 300.0  # who wants another answer to the first message says so soon
_MAX_CHATS = 256


@dataclass(frozen=True, slots=True)
class _ChatStart:
    conversation: str
    started_at: float


class RestartedChats:
    """Of the last chats without a file. `clock` counts seconds."""

    def __init__(self, runtime: Runtime, *, clock: Callable[[], float]) -> None:
        self._runtime = runtime
        self._clock = clock
        self._recent: LRUCache[tuple[Namespace, str], _ChatStart] = LRUCache(_MAX_CHATS)

    def observe(self, namespace: Namespace, conversation: str, first: Exchange) -> None:
        """This is how a chat began; the answer that was given up for that is taken back.

        Two chats that begin without words may be any two.
        """
        if not first.user:
            return
        key, now = (namespace, side_key(first.user)), self._clock()
        before = self._recent.get(key)
        if before is None or before.conversation != conversation:
            self._recent.put(key, _ChatStart(conversation, now))
            if before is not None and now - before.started_at < RESTART_WINDOW_S:
                self._remove_abandoned(namespace, before.conversation)

    def _remove_abandoned(self, namespace: Namespace, conversation: str) -> None:
        """Unless that chat went on, or somebody wants to keep it."""
        memory = self._runtime.memory
        said = memory.conversation(namespace, conversation, 2)
        if len(said) == 1 and not said[0].pinned:
            memory.reconcile(namespace, conversation, [], whole=True)
