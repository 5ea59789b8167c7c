"""The guard checks all words before they are stored: it keeps, redacts or skips private details.

An exchange is judged once, when it is new. A stored exchange stays unchanged when the settings
change, and is recognised by its stored form when a chat shows the original words again.
"""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ..domain.errors import LooksPrivate
from ..domain.namespaces import Namespace
from ..domain.private_parts import GuardAction, GuardRules, PrivatePart
from ..domain.records import Exchange
from ..storage.log.diff import KnownExchange
from ..storage.log.erasure import keys_by_tombstone
from ..text.private_parts import find_parts, parts_of, redact_exchange, redact_parts, redacted_forms
from .namespace_memory import NamespaceMemory

Parts = frozenset[PrivatePart]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardReport:
    """Reports the action taken on `count` new memories, without any of their words."""

    namespace: Namespace
    action: GuardAction
    parts: Parts
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedChat:
    """A chat in the forms in which its exchanges are stored, or would be.

    `exchanges` is as long as the chat; those not to be stored are unchanged. `skipped`, `held` and
    `redacted` map index → parts for the exchanges that are not stored yet.
    """

    exchanges: Sequence[Exchange]
    skipped: Mapping[int, Parts] = field(default_factory=dict)
    held: Mapping[int, Parts] = field(default_factory=dict)
    redacted: Mapping[int, Parts] = field(default_factory=dict)

    @property
    def storable(self) -> list[Exchange]:
        kept_out = self.skipped.keys() | self.held.keys()
        return [one for index, one in enumerate(self.exchanges) if index not in kept_out]

    def keys_of(self, shown: Sequence[Exchange]) -> dict[str, str]:
        """Returns content key → key of the stored form, for the exchanges that differ."""
        pairs = zip(shown, self.exchanges, strict=True)
        return {said.key: form.key for said, form in pairs if said is not form}


class Guard:
    """Follows its rules, which may change at any time. Safe for many threads.

    `redacted`, `skipped` and `asked` are the parts with this action, `refused` are those of the
    latter two, `forbidden` all of them; by default none.
    """

    def __init__(self, rules: GuardRules) -> None:
        self.follow(rules)
        self._lock = threading.Lock()
        self._counts: Counter[tuple[GuardAction, PrivatePart]] = Counter()
        self._listeners: list[Callable[[GuardReport], None]] = []

    def follow(self, rules: GuardRules) -> None:
        """Uses these rules from now on."""
        self.redacted, self.skipped, self.asked = rules.redacted, rules.skipped, rules.asked
        self.refused, self.forbidden = rules.refused, rules.forbidden

    def listen(self, listener: Callable[[GuardReport], None]) -> None:
        """Calls this for each report, in the thread that stores the words."""
        self._listeners.append(listener)

    def counts(self) -> Mapping[tuple[GuardAction, PrivatePart], int]:
        """Returns how many memories had each part that was acted on, since the start."""
        with self._lock:
            return dict(self._counts)

    def _report(self, report: GuardReport) -> None:
        with self._lock:
            self._counts.update({(report.action, part): report.count for part in report.parts})
        for listener in self._listeners:
            listener(report)

    def report_all(
        self, namespace: Namespace, action: GuardAction, found: Collection[Parts]
    ) -> None:
        """Reports each set of parts with the number of memories that had it."""
        for parts, count in Counter(filter(None, found)).items():
            self._report(GuardReport(namespace=namespace, action=action, parts=parts, count=count))

    def is_forbidden(self, text: str) -> bool:
        """Returns whether the text has a part that is redacted, skipped or asked about."""
        return not self.forbidden.isdisjoint(find_parts(text))

    def parts_to_ask_about(self, exchange: Exchange) -> Parts:
        """Returns the parts for which the exchange is held back; none if it is skipped anyway."""
        found = parts_of(exchange)
        return frozenset() if found & self.skipped else found & self.asked

    def check_chat(
        self, opened: NamespaceMemory, log: str, shown: Sequence[Exchange]
    ) -> GuardedChat:
        """Returns the chat in its stored form, or in the form to store; has no side effects."""
        known = opened.known_exchanges(log)
        keys = frozenset(entry.key for entry in known)
        found = {
            index: parts
            for index, exchange in enumerate(shown)
            if exchange.key not in keys and (parts := parts_of(exchange))
        }
        if not found:
            return GuardedChat(exchanges=list(shown))
        return _ChatCheck(opened, log, self, known, keys).check(shown, found)

    def admit_text(self, namespace: Namespace, text: str) -> str:
        """Returns the text as it may be stored. Raises LooksPrivate if it may not."""
        self._refuse_skipped(namespace, find_parts(text))
        return self.redact_text(namespace, text)

    def admit_fields(self, namespace: Namespace, fields: Mapping[str, str]) -> dict[str, str]:
        """Returns texts by their names as they may be stored. Raises LooksPrivate."""
        self._refuse_skipped(namespace, frozenset().union(*map(find_parts, fields.values())))
        return {name: self.redact_text(namespace, text) for name, text in fields.items()}

    def admit_exchange(self, namespace: Namespace, exchange: Exchange) -> Exchange:
        """Returns the exchange as it may be stored. Raises LooksPrivate if it may not."""
        found = parts_of(exchange)
        self._refuse_skipped(namespace, found)
        redacted = found & self.redacted
        self.report_all(namespace, GuardAction.REDACT, [redacted])
        return redact_exchange(exchange, self.redacted) if redacted else exchange

    def redact_text(self, namespace: Namespace, text: str) -> str:
        """Returns the text without private details, also without those that would be skipped.

        For derived memories: if they were skipped, they would be made again and again.
        """
        found = find_parts(text) & self.forbidden if self.forbidden else frozenset()
        self.report_all(namespace, GuardAction.REDACT, [found])
        return redact_parts(text, self.forbidden) if found else text

    def _refuse_skipped(self, namespace: Namespace, found: Parts) -> None:
        """Refuses parts to ask about, too: the author of a single text can leave them out."""
        if refused := found & self.refused:
            self.report_all(namespace, GuardAction.SKIP, [refused])
            raise LooksPrivate(refused)


@dataclass(frozen=True, slots=True)
class _ChatCheck:
    """Compares a chat with its stored exchanges, which have these content keys."""

    _opened: NamespaceMemory
    _log: str
    _guard: Guard
    _known: Sequence[KnownExchange]
    _keys: frozenset[str]

    def check(self, shown: Sequence[Exchange], found: Mapping[int, Parts]) -> GuardedChat:
        """Returns the chat's forms; `found` maps index → private parts of exchanges not stored."""
        stored = {index: self._stored_form(shown[index], parts) for index, parts in found.items()}
        new = {index: parts for index, parts in found.items() if stored[index] is None}
        waiting = self._opened.held.read() if new else ()
        keys = {one.exchange.key for one in waiting if one.log == self._log}
        held = {index: parts for index, parts in new.items() if shown[index].key in keys}
        skipped = _select_parts(new, self._guard.skipped, without=held)
        held |= _select_parts(new, self._guard.asked, without=(*skipped, *held))
        redacted = _select_parts(new, self._guard.redacted, without=(*skipped, *held))
        forms = {index: form for index, form in stored.items() if form is not None}
        forms |= {index: redact_exchange(shown[index], self._guard.redacted) for index in redacted}
        return GuardedChat(
            exchanges=[forms.get(index, exchange) for index, exchange in enumerate(shown)],
            skipped=skipped,
            held=held,
            redacted=redacted,
        )

    def _stored_form(self, exchange: Exchange, parts: Parts) -> Exchange | None:
        """Returns the form in which the exchange is stored already, None for a new exchange."""
        forms = [exchange, *redacted_forms(exchange, parts)]
        own = next(filter(self._is_in_log, forms), None)
        if own is not None or not parts & self._guard.forbidden:
            return own
        elsewhere = self._opened.match_known_exchanges
        return next((form for form in forms if elsewhere(self._log, [form])), None)

    def _is_in_log(self, form: Exchange) -> bool:
        if form.key in self._keys:
            return True
        if not any(entry.is_forgotten for entry in self._known):
            return False
        secrets = self._opened.event_log.secrets()
        return not self._keys.isdisjoint(keys_by_tombstone(secrets, [form]))


def _select_parts(
    found: Mapping[int, Parts], wanted: Parts, without: Collection[int] = ()
) -> dict[int, Parts]:
    """Returns index → the wanted parts among those found there."""
    return {
        index: parts & wanted
        for index, parts in found.items()
        if parts & wanted and index not in without
    }
