"""Excludes messages from storage that ask for it in plain words, those that the guard skips, and
those said during a pause or while Remember is off. Writes the others.

"Remember X, in this chat only" would be recalled in other chats; "don't remember this: X" says it.

The decision is made when a message is first seen. So stored chats stay as they are when the
settings of commands and of the guard change. The host's times tell which messages were said before
Remember was off, or after that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.private_parts import GuardAction
from ...domain.records import Exchange
from ...infra.lru_cache import LRUCache
from ...memory.long_term_memory import LongTermMemory
from ...memory.remember_switch import OffPeriod, RememberPhase, RememberSwitch
from ...memory.runtime import Runtime
from ...prompt.window import ChatRow
from ...storage.log.diff import Diff, reconcile
from ...storage.pauses import ChatPauses
from ...text.commands.parser import is_unstored_request
from ..chat.exchanges import Speakers, to_exchanges, version_times
from ..chat.turn_request import ChatRef
from .owners import with_known_names

# The host gives minutes, and an hour occurs twice when the clock is set back.
_TIMES_VARY_S = 3660.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRules:
    """Whether new exchanges are stored, and whether they are excluded for good.

    `spared` are content keys of exchanges that are not excluded.
    """

    stores: bool = True
    excludes: bool = False
    spared: frozenset[str] = frozenset()


STORE_ALL = WriteRules()
UNSTORED = WriteRules(stores=False, excludes=True)


@dataclass(frozen=True, slots=True)
class StoredChat:
    """A chat as it is stored, and what is excluded of it.

    Each method takes the exchanges that the chat shows now, and raises StorageCorrupt or
    StorageFailed.
    """

    memory: LongTermMemory
    pauses: ChatPauses
    namespace: Namespace
    conversation: str

    @classmethod
    def of(cls, runtime: Runtime, namespace: Namespace, conversation: str) -> "StoredChat":
        return cls(runtime.memory, runtime.pauses, namespace, conversation)

    def without_excluded(self, shown: Sequence[Exchange]) -> Sequence[Exchange]:
        return self.pauses.without_excluded(self.namespace, self.conversation, shown)

    def exclude_unstored_requests(self, shown: Sequence[Exchange]) -> None:
        """Excludes such messages from storage in all chats, except for those already stored."""
        candidates = self.without_excluded(shown)
        if any(is_unstored_request(exchange.user) for exchange in candidates):
            fresh = self._not_yet_stored(candidates)
            self._exclude(shown, [one for one in fresh if is_unstored_request(one.user)])

    def exclude_private_messages(self, shown: Sequence[Exchange]) -> None:
        """Excludes the new exchanges that the guard skips from all chats, and reports them."""
        candidates, chat = self.without_excluded(shown), (self.namespace, self.conversation)
        if skipped := self.memory.guarded_chat(*chat, candidates).skipped:
            self._exclude(shown, [candidates[index] for index in skipped])
            self.memory.guard.report_all(self.namespace, GuardAction.SKIP, skipped.values())

    def exclude_question(self, shown: Sequence[Exchange]) -> None:
        """Excludes the last exchange, which has no answer yet, unless its message is stored."""
        writable = self.without_excluded(shown)
        if shown[-1] in writable:
            forms, diff = self._compare(writable, whole=False)
            if any(addition.exchange == forms[-1] for addition in diff.added):
                self._exclude(shown, shown[-1:])

    def exclude_all_new(self, shown: Sequence[Exchange], *, whole: bool) -> None:
        """Excludes all exchanges that this chat does not show as they are stored."""
        self._exclude(shown, self._new_exchanges(self.without_excluded(shown), whole=whole))

    def exclude_unstored(
        self, shown: Sequence[Exchange], spared: frozenset[str], *, whole: bool
    ) -> None:
        """Excludes the exchanges that no chat has stored, new versions of excluded ones included.

        Exchanges with a content key in `spared` are left alone.
        """
        writable = self.without_excluded(shown)
        kept = {exchange.key for exchange in writable}
        again = [exchange for exchange in shown if exchange.key not in kept]
        new = [
            exchange
            for exchange in self._new_exchanges(writable, whole=whole)
            if exchange.key not in spared
            and self.memory.conversation_of(self.namespace, exchange) is None
        ]
        self._exclude(shown, [*again, *new])

    def with_stored(
        self, shown: Sequence[Exchange], writable: Sequence[Exchange], *, whole: bool
    ) -> list[Exchange]:
        """Returns the writable exchanges, and the excluded ones that were stored before.

        If only the answer is a new, excluded one, the message stays with its stored answer.
        """
        forms, diff = self._compare(shown, whole=whole)
        added = {addition.exchange.key for addition in diff.added}
        changed = {change.exchange.key: change.id for change in diff.changed}
        records = self.memory.get_records(self.namespace, list(changed.values()))
        kept, found = set(map(id, writable)), list[Exchange]()
        for said, form in zip(shown, forms, strict=True):
            record = records.get(changed.get(form.key, ""))
            if id(said) in kept or form.key not in added | changed.keys():
                found.append(said)
            elif record and record.chat and record.chat.user == form.user:
                found.append(record.chat)
        return found

    def _exclude(self, shown: Sequence[Exchange], new: Sequence[Exchange]) -> None:
        self.pauses.exclude(self.namespace, self.conversation, shown, new)

    def _compare(
        self, exchanges: Sequence[Exchange], *, whole: bool
    ) -> tuple[Sequence[Exchange], Diff]:
        """Returns the stored forms of these exchanges, and how they differ from the log."""
        if not self.memory.has_namespace(self.namespace):  # opening it would create it
            return exchanges, reconcile((), [(one.key, one) for one in exchanges])
        chat = self.namespace, self.conversation
        forms = self.memory.guarded_chat(*chat, exchanges).exchanges
        return forms, self.memory.compare(*chat, forms, whole=whole)

    def _not_yet_stored(self, exchanges: Sequence[Exchange]) -> Sequence[Exchange]:
        """Returns exchanges with a message that no chat has stored; a new answer does not count."""
        forms, diff = self._compare(exchanges, whole=False)
        memory, space = self.memory, self.namespace
        added = (addition.exchange for addition in diff.added)
        new = [form for form in added if memory.conversation_of(space, form) is None]
        records = memory.get_records(space, [change.id for change in diff.changed])
        for change in diff.changed:
            stored = records[change.id].chat
            if stored is None or stored.user != change.exchange.user:
                new.append(change.exchange)
        return _originals(new, forms, exchanges)

    def _new_exchanges(self, writable: Sequence[Exchange], *, whole: bool) -> list[Exchange]:
        """Returns the new and changed exchanges, but none that wait for a decision of the user."""
        forms, diff = self._compare(writable, whole=whole)
        held = self.memory.held_file(self.namespace).read()
        waiting = {one.exchange.key for one in held}
        new = [one for one in diff.new_exchanges if one.key not in waiting]
        return _originals(new, forms, writable)


def _originals(
    wanted: Sequence[Exchange], forms: Sequence[Exchange], exchanges: Sequence[Exchange]
) -> list[Exchange]:
    """Returns the exchanges, as the chat shows them, whose stored forms are wanted."""
    keys = {form.key for form in wanted}
    return [said for form, said in zip(forms, exchanges, strict=True) if form.key in keys]


def write_shown(
    runtime: Runtime, chat: ChatRef, shown: Sequence[Exchange], rules: WriteRules, *, whole: bool
) -> None:
    """Stores the changes of a chat, or excludes its new exchanges."""
    namespace = runtime.memory.resolve(chat.namespace)
    stored = StoredChat.of(runtime, namespace, chat.conversation)
    writable = writable_exchanges(runtime, stored, shown, whole=whole, rules=rules)
    if not rules.stores:
        return
    if len(writable) < len(shown):
        writable = stored.with_stored(shown, writable, whole=whole)
    if not chat.speakers.has_names:
        writable = with_known_names(runtime.memory, namespace, chat.conversation, writable)
    diff = runtime.memory.reconcile(namespace, chat.conversation, writable, whole=whole)
    if diff:
        runtime.journal.add_write(namespace, diff)
        runtime.schedule(namespace)


def writable_exchanges(
    runtime: Runtime,
    stored: StoredChat,
    shown: Sequence[Exchange],
    *,
    whole: bool,
    rules: WriteRules = STORE_ALL,
) -> Sequence[Exchange]:
    """Returns the exchanges that may be stored: none that ask not to be, none from pauses.

    New exchanges of a chat with paused writing are excluded for good, and so are those that the
    guard skips, and those that the rules exclude.
    """
    if runtime.settings.commands.enabled and rules.stores:
        stored.exclude_unstored_requests(shown)
    if runtime.pauses.is_writing_paused(stored.namespace, stored.conversation):
        stored.exclude_all_new(shown, whole=whole)
    else:
        if rules.excludes:
            stored.exclude_unstored(shown, rules.spared, whole=whole)
        if rules.stores and runtime.memory.guard.skipped:
            stored.exclude_private_messages(shown)
    return stored.without_excluded(shown)


def current_rules(switch: RememberSwitch) -> WriteRules:
    """Returns the rules for messages that are said now."""
    if switch.state.is_off:
        return UNSTORED
    return WriteRules(stores=switch.state.stores)


def rules_for_rows(
    switch: RememberSwitch,
    rows: Sequence[ChatRow],
    speakers: Speakers,
    asked: LRUCache[str, bool] | None = None,
) -> WriteRules:
    """Returns the rules for a chat that may have messages from before and after a switch.

    `asked` has whether Remember was off for messages whose prompt was built lately.
    """
    state, spared = switch.state, frozenset[str]()
    if state.excludes and (period := state.period):
        is_starting = state.phase is RememberPhase.STARTING_OFF
        outside = [
            row
            for row in rows
            if not (was_off := asked.get(row.question) if asked else None)
            and (was_off is False or _is_outside(row, period, is_starting=is_starting))
        ]
        spared = frozenset(exchange.key for exchange in to_exchanges(outside, speakers))
    return WriteRules(stores=state.stores, excludes=state.excludes, spared=spared)


def _is_outside(row: ChatRow, period: OffPeriod, *, is_starting: bool) -> bool:
    """Returns whether the row was not said or changed in the period.

    A row without times counts as said before a period that starts just now, and as said in any
    other.
    """
    times = list(_times(row))
    if is_starting:
        return all(time is None or time <= period.since for time in times)
    known = [time for time in times if time is not None]
    if len(known) < len(times) or not known:
        return False
    is_later = period.until is not None and min(known) >= period.until
    return is_later or max(known) < period.since - _TIMES_VARY_S


def _times(row: ChatRow) -> Iterator[float | None]:
    """Yields the times of all versions of both messages; None for a message without times."""
    for text, meta in ((row.question, row.user_meta), (row.assistant, row.assistant_meta)):
        if text:
            yield from _side_times(meta)


def _side_times(meta: Mapping[str, Any] | None) -> list[float | None]:
    return [*version_times(meta)] or [None]
