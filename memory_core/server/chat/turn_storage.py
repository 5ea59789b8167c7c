"""Stores the exchange of a chat completion as soon as its answer is complete, or broke off."""

from collections.abc import Sequence
from dataclasses import replace

from ...domain.errors import HeldForReview, LooksPrivate, StorageError
from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...host.chat.exchanges import date_last_exchange, to_exchanges
from ...host.chat_sync.withheld import StoredChat, writable_exchanges
from ...infra.deadlines import limit_database_wait
from ...infra.lru_cache import LRUCache
from ...memory.remember_switch import IS_OFF
from ...memory.runtime import Runtime
from ...text.private_parts import parts_of
from ..errors import INTERNAL_MESSAGE, to_refusal
from .retrieved import StoreResult
from .turns import NewCharacters, PreparedTurn, conversation_of, positioned

PARTIAL = "partial"  # in the metadata of an exchange whose answer broke off
_MAX_PARTIAL_STARTS = 256
_WAS_EXCLUDED = (
    "not stored: it was said before where nothing is stored, such as incognito or in a pause, "
    "or with the wish not to be remembered"
)
_LONGEST_WAIT_S = 5.0  # for a database, because the client waits for the end of its answer


class TurnStorage:
    """Writes exchanges. Synchronous, safe for many threads."""

    def __init__(self, runtime: Runtime, new_characters: NewCharacters) -> None:
        self._runtime = runtime
        self._new_characters = new_characters
        self._partial_starts: LRUCache[tuple[Namespace, str], str] = LRUCache(_MAX_PARTIAL_STARTS)

    def store(self, turn: PreparedTurn, answer: str, *, is_partial: bool) -> StoreResult:
        """Writes the exchange to disk. Reports a failure, and never raises one.

        Memory commands, messages of paused chats and a front end's own tasks are not stored.
        Incognito messages, and those said while Remember is off, are excluded for good: clients
        send them again as the history of later messages.
        """
        if not self._may_store(turn, answer) or turn.namespace is None:
            return StoreResult()
        try:
            with limit_database_wait(_LONGEST_WAIT_S):
                stored = self._write(turn, turn.namespace, answer, PARTIAL if is_partial else "")
            self._runtime.clear("server.store")
            return stored
        except LooksPrivate as exc:  # the guard has reported it
            return StoreResult(reason=str(exc))
        except (StorageError, OSError) as exc:
            self._runtime.report("server.store", f"an exchange could not be stored: {exc}")
            return StoreResult(reason=f"not stored: {_fault_for_client(exc)}")
        except Exception as exc:  # noqa: BLE001  (as in prepare())
            self._runtime.report_bug("storing an exchange failed", exc)
        return StoreResult(reason=f"not stored: {INTERNAL_MESSAGE}")

    def _may_store(self, turn: PreparedTurn, answer: str) -> bool:
        is_complete = bool(turn.chat.window.question and answer.strip())
        is_task = turn.chat.is_task or turn.request.is_task
        return is_complete and (turn.rules.stores or turn.rules.excludes) and not is_task

    def _write(
        self, turn: PreparedTurn, namespace: Namespace, answer: str, mark: str
    ) -> StoreResult:
        earlier = to_exchanges(turn.chat.window.rows, turn.speakers)
        exchanges = to_exchanges(turn.chat.rows_with_answer(answer), turn.speakers)
        if len(exchanges) == len(earlier):
            return StoreResult()  # a command, which is never remembered
        exchanges = date_last_exchange(exchanges, self._runtime.clock())
        if mark:
            exchanges[-1] = replace(exchanges[-1], metadata={mark: True})
        conversation = self._conversation_to_write(turn, namespace, exchanges, mark)
        is_appended = turn.conversation and not (turn.has_history or turn.chat.answer_start)
        shown = positioned(self._runtime, turn, namespace, exchanges)
        pauses = self._new_characters.pauses_for(turn, namespace)
        stored = StoredChat(self._runtime.memory, pauses, namespace, conversation)
        was_excluded = exchanges[-1] not in stored.without_excluded(shown)
        writable = writable_exchanges(self._runtime, stored, shown, whole=False, rules=turn.rules)
        if not turn.rules.stores:
            return StoreResult(reason="" if turn.request.is_incognito else IS_OFF)
        is_writable = exchanges[-1] in writable
        if not is_appended:
            self._reconcile(namespace, conversation, writable)
        elif is_writable:
            self._append(namespace, conversation, exchanges[-1])
        self._runtime.schedule(namespace)
        result = self._result(namespace, exchanges[-1], is_writable=is_writable)
        is_unexplained = was_excluded and not (result.is_stored or result.reason)
        return StoreResult(reason=_WAS_EXCLUDED) if is_unexplained else result

    def _result(self, namespace: Namespace, said: Exchange, *, is_writable: bool) -> StoreResult:
        """Returns whether the exchange is stored; the guard may skip it, or hold it back."""
        memory = self._runtime.memory
        waiting = memory.held_file(namespace).read()
        if held := [one for one in waiting if one.exchange.key == said.key]:
            return StoreResult(reason=str(HeldForReview(held[0].parts)))
        skipped = frozenset() if is_writable else parts_of(said) & memory.guard.skipped
        reason = str(LooksPrivate(skipped)) if skipped else ""
        return StoreResult(is_stored=is_writable, reason=reason)

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


def _fault_for_client(exc: StorageError | OSError) -> str:
    """Returns the fault without paths, which are in the server's log."""
    cause = exc if isinstance(exc, OSError) else exc.__cause__
    if isinstance(cause, OSError) and cause.strerror:
        return f"the storage failed ({cause.strerror}); the server's log says more"
    return str(to_refusal(exc)) if isinstance(exc, StorageError) else INTERNAL_MESSAGE
