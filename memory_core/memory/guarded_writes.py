"""Writes exchanges as the guard admits them, and keeps those that it asks about outside the log."""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace

from ..domain.errors import HeldForReview, LooksPrivate
from ..domain.namespaces import Namespace
from ..domain.private_parts import GuardAction
from ..domain.records import Exchange, Memory, mark_repeats
from ..storage.held import HeldExchange, erased_events
from ..storage.log.diff import Diff
from ..storage.log.events import EventType, NewEvent
from ..text.private_parts import parts_of
from .chat_notes import copy_notes_to_branch, moved_notes
from .guard import Guard, GuardedChat
from .late_answers import store_answer, with_answer
from .namespace_memory import NamespaceMemory

_ID_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedWrites:
    """The writes of one caller to an open namespace; `now` is in seconds since the epoch."""

    opened: NamespaceMemory
    guard: Guard
    namespace: Namespace
    now: float

    def remember(self, log: str, exchange: Exchange) -> str:
        """Appends one exchange; returns its id.

        Raises LooksPrivate for one that is skipped, HeldForReview for one that waits from now on.
        """
        if asked := self.guard.parts_to_ask_about(exchange):
            self._hold(log, exchange)
            raise HeldForReview(asked)
        admitted = self.guard.admit_exchange(self.namespace, exchange)
        return self.opened.remember(log, admitted).id

    def remember_all(self, log: str, exchanges: Iterable[Exchange]) -> None:
        """Appends the admitted exchanges, in as few writes as possible; skips or holds others."""
        admitted: list[Exchange] = []
        for exchange in exchanges:
            if self.guard.parts_to_ask_about(exchange):
                self._append(log, admitted)  # before holding: held ones are positioned after these
                admitted = []
                self._hold(log, exchange)
            else:
                with suppress(LooksPrivate):  # the guard has reported it
                    admitted.append(self.guard.admit_exchange(self.namespace, exchange))
        self._append(log, admitted)

    def _append(self, log: str, admitted: Sequence[Exchange]) -> None:
        if admitted:
            self.opened.remember_all(log, admitted)

    def complete(self, log: str, waiting: Memory, answer: Exchange) -> None:
        """Adds an answer to the stored message that waits for one.

        Raises LooksPrivate for one that is skipped, HeldForReview for one that waits from now on.
        """
        if asked := self.guard.parts_to_ask_about(answer):
            self._hold_answer(log, waiting, answer)
            raise HeldForReview(asked)
        admitted = self.guard.admit_exchange(self.namespace, answer)
        store_answer(self.opened, log, waiting.id, admitted, self.now)

    def complete_held(self, log: str, answer: Exchange) -> bool:
        """Adds an answer to the held message at the end of its conversation.

        Returns whether there is one without an answer. Raises LooksPrivate for an answer to be
        skipped.
        """
        if not self.opened.held.exists():
            return False
        with self.opened.held.locked():
            before = self.opened.held.read()
            last = self._last_held(log, before)
            if last is None or not _waits_for(answer, last):
                return False
            found = parts_of(answer)
            if refused := found & self.guard.skipped:
                self.guard.report_all(self.namespace, GuardAction.SKIP, [refused])
                raise LooksPrivate(refused)
            whole = replace(
                last,
                exchange=with_answer(last.exchange, answer),
                parts=last.parts | found & self.guard.asked,
            )
            self._save([whole if one is last else one for one in before], before)
        return True

    def _last_held(self, log: str, waiting: Sequence[HeldExchange]) -> HeldExchange | None:
        """Returns the held exchange at the conversation's end; None if a stored one comes later."""
        own = [one for one in waiting if one.log == log]
        last = max(own, key=lambda one: one.position, default=None)
        ends = [entry.position for entry in self.opened.known_exchanges(log)]
        return last if last and last.position > max(ends, default=0.0) else None

    def reconcile(self, log: str, shown: Sequence[Exchange], *, whole: bool) -> Diff:
        """Writes the differences between the chat and the stored conversation."""
        shown = mark_repeats(shown)
        with self._locked():
            guarded = self.guard.check_chat(self.opened, log, shown)
            if not self.opened.known_exchanges(log):
                copy_notes_to_branch(self.opened, log, guarded.storable)
            if guarded.held or self.opened.held.exists():
                self._update_held(log, guarded, whole=whole)
            diff = self.opened.reconcile(log, guarded.storable, whole=whole, now=self.now)
            if guarded.held:
                self._place_held(log, guarded, whole=whole)
        if guarded.redacted:
            self.guard.report_all(self.namespace, GuardAction.REDACT, guarded.redacted.values())
        return diff

    def move(self, log: str, to: str) -> None:
        """Moves a conversation's exchanges to another one, with the notes that apply only in it.

        It can be repeated after a crash; until then both conversations may show the exchanges.
        Raises StorageCorrupt, StorageFailed, StorageLocked.
        """
        ts, opened = self.now, self.opened
        known = opened.query(lambda store: store.catalog.known_exchanges(log))
        additions = [
            NewEvent(op=EventType.PLACE, id=old.id, log=to, ts=ts, fields={"place": old.position})
            for old in known
        ]
        removals = [NewEvent(op=EventType.REMOVE, id=old.id, log=log, ts=ts) for old in known]
        opened.write_all([*additions, *removals, *moved_notes(opened, log, to, ts)])
        opened.held.move(log, to)

    def _locked(self) -> AbstractContextManager[None]:
        """Blocks decisions during the comparison of a chat, which would remove their additions."""
        if self.guard.asked or self.opened.held.exists():
            return self.opened.held.locked()
        return nullcontext()

    def _hold(self, log: str, exchange: Exchange) -> None:
        """Holds an exchange that belongs at the end of its conversation."""
        with self.opened.held.locked():
            before = self.opened.held.read()
            if any(one.log == log and one.exchange == exchange for one in before):
                return
            ends = [entry.position for entry in self.opened.known_exchanges(log)]
            ends += [one.position for one in before if one.log == log]
            position = float(int(max(ends, default=0.0)) + 1)
            self._save([*before, self._new_held(log, exchange, position)], before)

    def _hold_answer(self, log: str, waiting: Memory, answer: Exchange) -> None:
        """Holds an answer that belongs to a stored message."""
        with self.opened.held.locked():
            before = self.opened.held.read()
            new = replace(self._new_held(log, answer, waiting.position), completes=waiting.id)
            if not any((one.completes, one.exchange) == (waiting.id, answer) for one in before):
                self._save([*before, new], before)

    def _new_held(self, log: str, exchange: Exchange, position: float) -> HeldExchange:
        return HeldExchange(
            id=secrets.token_hex(_ID_BYTES),
            log=log,
            position=position,
            exchange=exchange,
            parts=parts_of(exchange) & self.guard.asked,
            held_at=self.now,
        )

    def _update_held(self, log: str, guarded: GuardedChat, *, whole: bool) -> None:
        """Holds what the chat shows now, and drops what it no longer shows."""
        before = self.opened.held.read()
        others = [one for one in before if one.log != log]
        own = list(self._held_of_chat(log, guarded, before))
        used = {one.id for one in own}
        if not whole:
            decided = {exchange.key for exchange in guarded.storable}
            own += [
                one
                for one in before
                if one.log == log and one.id not in used and one.exchange.key not in decided
            ]
        self._save([*others, *own], before)

    def _held_of_chat(
        self, log: str, guarded: GuardedChat, before: Sequence[HeldExchange]
    ) -> Iterator[HeldExchange]:
        known = [one for one in before if one.log == log]
        for index in guarded.held:
            exchange = guarded.exchanges[index]
            old = next((one for one in known if one.exchange.key == exchange.key), None)
            if old is None:
                yield self._new_held(log, exchange, position=0.0)
            else:
                known.remove(old)
                yield old

    def _place_held(self, log: str, guarded: GuardedChat, *, whole: bool) -> None:
        """Stores where the held exchanges belong among those that are stored by now."""
        before = self.opened.held.read()
        positions = self._positions(log, guarded, whole=whole)
        placed = [
            replace(one, position=positions.get(one.exchange.key, one.position))
            if one.log == log
            else one
            for one in before
        ]
        self._save(placed, before)

    def _positions(self, log: str, guarded: GuardedChat, *, whole: bool) -> Mapping[str, float]:
        """Returns content key → the position that each held exchange would have in the log."""
        shown = [
            exchange
            for index, exchange in enumerate(guarded.exchanges)
            if index not in guarded.skipped
        ]
        diff = self.opened.compare(log, shown, whole=whole)
        places = {id(one.exchange): one.position for one in diff.added}
        places |= {id(one.exchange): one.position for one in diff.changed}
        waiting = [guarded.exchanges[index] for index in guarded.held]
        return {one.key: places[id(one)] for one in waiting if id(one) in places}

    def _save(self, now_held: Sequence[HeldExchange], before: Sequence[HeldExchange]) -> None:
        """Saves the held exchanges. The words of dropped ones are erased from backups too."""
        left = {one.id for one in now_held}
        gone = [one for one in before if one.id not in left]
        new = {one.id for one in now_held} - {one.id for one in before}
        if new:
            self._begin_log()
        if gone:
            self.opened.write_all(erased_events(gone, self.now))
        if tuple(now_held) != tuple(before):
            self.opened.held.write(now_held)
        found = [one.parts for one in now_held if one.id in new]
        self.guard.report_all(self.namespace, GuardAction.ASK, found)

    def _begin_log(self) -> None:
        """Makes the namespace visible to backups and lists, even before its first memory."""
        if self.opened.begin_writing() is None:
            self.opened.secret()


def _waits_for(answer: Exchange, one: HeldExchange) -> bool:
    is_message = not one.completes and not one.exchange.assistant
    return is_message and one.exchange.channel == answer.channel
