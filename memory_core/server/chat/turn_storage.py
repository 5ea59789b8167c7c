"""Stores the exchange of a chat completion as soon as its answer is complete, or broke off."""

from collections.abc import Sequence
from dataclasses import replace

from ...domain.errors import LooksPrivate, StorageError
from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...host.chat.exchanges import date_last_exchange, to_exchanges
from ...host.chat_sync.withheld import StoredChat, writable_exchanges
from ...infra.deadlines import limit_database_wait
from ...infra.lru_cache import LRUCache
from ...memory.runtime import Runtime
from ...storage.held import read as read_held
from .turns import PreparedTurn, conversation_of, positioned

PARTIAL = "partial"  # in the metadata of an exchange whose answer broke off
_MAX_PARTIAL_STARTS = 256
_LONGEST_WAIT_S = 5.0  # for a database, because the client waits for the end of its answer


class TurnStorage:
    """Writes exchanges. Synchronous, safe for many threads."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._partial_starts: LRUCache[tuple[Namespace, str], str] = LRUCache(_MAX_PARTIAL_STARTS)

    def store(self, turn: PreparedTurn, answer: str, *, is_partial: bool) -> bool:
        """Writes the exchange to disk; returns whether it is stored. Reports a failure.

        Memory commands, messages of paused chats and a front end's own tasks are not stored.
        Messages said while Remember is off are excluded for good.
        """
        if not self._may_store(turn, answer) or turn.namespace is None:
            return False
        try:
            with limit_database_wait(_LONGEST_WAIT_S):
                is_stored = self._write(turn, turn.namespace, answer, PARTIAL if is_partial else "")
            self._runtime.clear("server.store")
            return is_stored
        except LooksPrivate:  # the guard has reported it
            return False
        except (StorageError, OSError) as exc:
            self._runtime.report("server.store", f"an exchange could not be stored: {exc}")
        except Exception as exc:  # noqa: BLE001  (as in prepare())
            self._runtime.report_bug("storing an exchange failed", exc)
        return False

    def _may_store(self, turn: PreparedTurn, answer: str) -> bool:
        is_complete = bool(turn.chat.window.question and answer.strip())
        is_wanted = (turn.rules.stores or turn.rules.excludes) and not turn.chat.is_task
        return is_complete and is_wanted and not turn.request.metadata.incognito

    def _write(self, turn: PreparedTurn, namespace: Namespace, answer: str, mark: str) -> bool:
        earlier = to_exchanges(turn.chat.window.rows, turn.speakers)
        exchanges = to_exchanges(turn.chat.rows_with_answer(answer), turn.speakers)
        if len(exchanges) == len(earlier):
            return False  # a command, which is never remembered
        exchanges = date_last_exchange(exchanges, self._runtime.clock())
        if mark:
            exchanges[-1] = replace(exchanges[-1], metadata={mark: True})
        conversation = self._conversation_to_write(turn, namespace, exchanges, mark)
        is_appended = turn.conversation and not (turn.has_history or turn.chat.answer_start)
        shown = positioned(self._runtime, turn, namespace, exchanges)
        stored = StoredChat.of(self._runtime, namespace, conversation)
        writable = writable_exchanges(self._runtime, stored, shown, whole=False, rules=turn.rules)
        if not turn.rules.stores:
            return False
        is_writable = exchanges[-1] in writable
        if not is_appended:
            self._reconcile(namespace, conversation, writable)
        elif is_writable:
            self._append(namespace, conversation, exchanges[-1])
        self._runtime.schedule(namespace)
        return is_writable and not self._is_held(namespace, exchanges[-1])

    def _is_held(self, namespace: Namespace, said: Exchange) -> bool:
        """Returns whether the guard holds the exchange back until the user decides."""
        memory = self._runtime.memory
        waiting = read_held(memory.folder_of(namespace), memory.shared.files)
        return any(one.exchange.key == said.key for one in waiting)

    def _conversation_to_write(
        self, turn: PreparedTurn, namespace: Namespace, exchanges: Sequence[Exchange], mark: str
    ) -> str:
        """Names the conversation; a repeated first message continues one that broke off."""
        if turn.conversation:
            return turn.conversation
        key = (namespace, exchanges[0].user)
        begun = self._partial_starts.pop(key)
        name = begun or conversation_of(self._runtime, turn, namespace, exchanges)
        if mark:
            self._partial_starts.put(key, name)
        return name

    def _reconcile(
        self, namespace: Namespace, conversation: str, shown: Sequence[Exchange]
    ) -> None:
        diff = self._runtime.memory.reconcile(namespace, conversation, shown, whole=False)
        self._runtime.journal.add_write(namespace, diff)

    def _append(self, namespace: Namespace, conversation: str, new: Exchange) -> None:
        """Adds an exchange of a client without history, in place of an interrupted one."""
        memory = self._runtime.memory
        said = [m.exchange for m in memory.conversation(namespace, conversation, 2) if m.exchange]
        if said and PARTIAL in said[-1].metadata and said[-1].user == new.user:
            self._reconcile(namespace, conversation, [*said[:-1], new])
        else:
            memory.remember(namespace, conversation, new)
