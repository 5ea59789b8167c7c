"""The exchanges that the guard holds back, and the user's decisions about them."""

from collections.abc import Sequence
from enum import StrEnum

from ..domain.errors import UnknownMemory
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..storage.held import HeldExchange, erased_events
from ..storage.log.diff import Added, Diff
from ..storage.pauses import ChatPauses
from ..text.private_parts import redact_exchange
from .event_factory import events_for_diff
from .late_answers import has_answer, store_answer
from .long_term_memory import LongTermMemory
from .namespace_memory import NamespaceMemory


class HeldDecision(StrEnum):
    APPROVE = "approve"  # it is stored as it is
    REDACT = "redact"  # it is stored with marks in place of the private details
    DISCARD = "discard"  # it is never stored


class HeldInbox:
    """Safe for many threads and programs. All methods raise StorageCorrupt, StorageFailed."""

    def __init__(self, memory: LongTermMemory, pauses: ChatPauses) -> None:
        self._memory = memory
        self._pauses = pauses

    def waiting(self, namespace: Namespace) -> list[HeldExchange]:
        """Returns the exchanges that await a decision, the newest first, without branch copies."""
        waiting = self._memory.held_file(namespace).read()
        newest_first = sorted(waiting, key=lambda one: -one.held_at)
        return list({one.exchange.key: one for one in reversed(newest_first)}.values())[::-1]

    def decide(self, namespace: Namespace, held_id: str, decision: HeldDecision) -> None:
        """Decides about an exchange and its copies in branches; then it no longer waits.

        Raises UnknownMemory if it does not wait.
        """
        space = self._memory.resolve(namespace)
        with (
            self._memory.open_namespace(space) as opened,
            opened.held.locked(),
        ):
            before = opened.held.read()
            copies = _copies(before, held_id)
            for one in copies:
                self._apply_decision(space, opened, one, decision)
            if decision is not HeldDecision.APPROVE:
                opened.write_all(erased_events(copies, self._memory.now()))
            left = [one for one in before if one not in copies]
            opened.held.write(left)

    def _apply_decision(
        self,
        namespace: Namespace,
        opened: NamespaceMemory,
        one: HeldExchange,
        decision: HeldDecision,
    ) -> None:
        redacted = self._memory.guard.redacted
        if decision is HeldDecision.DISCARD:
            self._pauses.exclude(namespace, one.conversation, [one.exchange], [one.exchange])
        else:
            is_redacted = decision is HeldDecision.REDACT
            parts = redacted - one.parts | (one.parts if is_redacted else frozenset())
            form = redact_exchange(one.exchange, parts)
            if one.completes:
                _store_answer(opened, one, form, self._memory.now())
            else:
                _store(opened, one, form, self._memory.now())


def _copies(waiting: Sequence[HeldExchange], held_id: str) -> list[HeldExchange]:
    chosen = next((one for one in waiting if one.id == held_id), None)
    if chosen is None:
        raise UnknownMemory(held_id)
    return [one for one in waiting if one.exchange.key == chosen.exchange.key]


def _store_answer(opened: NamespaceMemory, one: HeldExchange, form: Exchange, now: float) -> None:
    """Adds a held answer to its message, unless an interrupted call did; else stores it alone."""
    if has_answer(opened, one.completes, form):
        return
    try:
        store_answer(opened, one.log, one.completes, form, now)
    except UnknownMemory:  # the message was forgotten meanwhile
        _store(opened, one, form, now)


def _store(opened: NamespaceMemory, one: HeldExchange, form: Exchange, now: float) -> None:
    """Writes the exchange at its place in its conversation, unless an interrupted call did."""
    known = opened.known_exchanges(one.log)
    if any(entry.key == form.key and entry.position == one.position for entry in known):
        return
    position = _free_position([entry.position for entry in known], one.position)
    diff = Diff(added=(Added(exchange=form, position=position),))
    elsewhere = opened.match_known_exchanges(one.log, [form])
    opened.write_all(list(events_for_diff(one.log, diff, elsewhere, now)))


def _free_position(taken: Sequence[float], wanted: float) -> float:
    """Returns the wanted position, or one before the later exchange that took it."""
    if wanted not in taken:
        return wanted
    before = max((position for position in taken if position < wanted), default=wanted - 2.0)
    return (before + wanted) / 2.0
