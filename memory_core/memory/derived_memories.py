"""Writes and finds memories that are made of others: summaries, observations, insights, diary.

All code that makes them goes through this class. A derived memory names its sources. When one of
these changes or is forgotten, the derived memory is withdrawn (forgetting.py) and may be remade.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..domain.derivations import Derivation
from ..domain.errors import UnknownMemory
from ..domain.namespaces import Namespace
from ..domain.records import Memory, MemoryKind, empty_mapping
from ..recall.derived_memories import is_superseded, superseding
from ..storage.contract import DerivedFilter
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryRecord
from .event_factory import withdraw_event
from .long_term_memory import LongTermMemory
from .namespace_memory import NamespaceMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDerived:
    """A derived memory to be written.

    `sources` is id → seq (MemoryRecord.seq) of each memory that was read to make it. `ts` is when
    it was said, in seconds since the epoch; None: the time of the latest source. `derived` needs
    `made_by`. `replaces` are ids of older ones of the same kind and key, made of one of these
    sources: they are withdrawn when this one is written.
    """

    kind: MemoryKind
    text: str
    sources: Mapping[str, int] = field(default_factory=empty_mapping)
    derived: Derivation
    ts: float | None = None
    replaces: tuple[str, ...] = ()


class DerivedMemories:
    """Safe for many threads. Every method but find() writes, and is on disk when it returns."""

    def __init__(self, memory: LongTermMemory) -> None:
        self._memory = memory

    def add(self, namespace: Namespace, new: NewDerived) -> str:
        """Writes a derived memory and returns its id; an equal one with equal sources is kept.

        Raises SourcesChanged if a source changed or went since it was read, ValueError for an
        exchange, a blank text or a missing maker, and StorageError.
        """
        return self.add_all(namespace, [new])[0]

    def add_all(self, namespace: Namespace, news: Sequence[NewDerived]) -> list[str]:
        """Writes several at once, as add() does; returns their ids.

        A crash between separate writes would leave some, and their job would count as done.
        """
        for new in news:
            _check(new)
        guarded = [self._guarded(namespace, new) for new in news]
        with self._memory.open_namespace(namespace) as opened:
            equal = [_equal_memory(opened, new) for new in guarded]
            for new, same in zip(guarded, equal, strict=True):
                _withdraw_replaced(opened, new, same, self._memory.now())
            missing = {
                _identity(new): new
                for new, same in zip(guarded, equal, strict=True)
                if same is None
            }
            seqs = {name: seq for new in missing.values() for name, seq in new.sources.items()}
            events = [self._event(opened, new) for new in missing.values()]
            written = dict(zip(missing, opened.write_if_unchanged(events, seqs), strict=True))
        return [
            same.id if same else written[_identity(new)].id
            for new, same in zip(guarded, equal, strict=True)
        ]

    def _event(self, opened: NamespaceMemory, new: NewDerived) -> NewEvent:
        sources = [record.memory for record in opened.records(new.sources.keys()).values()]
        times = [source.ts for source in sources if source.ts is not None]
        ts = max(times, default=self._memory.now()) if new.ts is None else new.ts
        subject = new.derived.subject.casefold()
        is_about_speaker = bool(subject) and any(_names_speaker(one, subject) for one in sources)
        derived = replace(new.derived, is_about_speaker=is_about_speaker)
        own = {"kind": new.kind, "text": new.text, "sources": list(new.sources)}
        return NewEvent(op=EventType.NOTE, ts=ts, fields={**derived.to_fields(), **own})

    def _guarded(self, namespace: Namespace, new: NewDerived) -> NewDerived:
        """Returns the memory without the private details that the guard stores nowhere."""
        redact = self._memory.guard.redact_text
        about = replace(
            new.derived,
            value=redact(namespace, new.derived.value),
            search_words=redact(namespace, new.derived.search_words),
        )
        return replace(new, text=redact(namespace, new.text), derived=about)

    def supersede(
        self, namespace: Namespace, old: str, new: str, *, valid_to: float | None = None
    ) -> None:
        """Marks `old` as replaced by `new`: only questions about the past recall it.

        It holds until `valid_to`, by default until the newer one was said. Raises UnknownMemory,
        and ValueError for exchanges and where `old` would come to supersede itself.
        """
        with self._memory.open_namespace(namespace) as opened:
            records = opened.records([old, new])
            older, newer = (_note_among(records, memory_id) for memory_id in (old, new))
            later = {record.memory.id for record in superseding(opened.records, newer)}
            if old in {new, *later}:
                raise ValueError(f"{old} cannot supersede itself")
            begins = newer.derived.valid_from if newer.derived else None
            ends = next((ts for ts in (valid_to, begins, newer.ts) if ts is not None), None)
            fields = {"superseded_by": new} | ({} if ends is None else {"valid_to": ends})
            opened.write(
                NewEvent(op=EventType.SUPERSEDE, id=older.id, ts=self._memory.now(), fields=fields)
            )

    def reinstate(self, namespace: Namespace, memory_id: str) -> None:
        """Lets a superseded memory hold again. Raises UnknownMemory, ValueError for an exchange."""
        self._write_about(namespace, memory_id, EventType.REINSTATE, {})

    def mark_reflected(self, namespace: Namespace, memory_id: str, into: Collection[str]) -> None:
        """Notes which memories were made of this one. Raises UnknownMemory."""
        self._write_about(namespace, memory_id, EventType.REFLECT, {"into": sorted(into)})

    def doubt(self, namespace: Namespace, memory_id: str, others: Collection[str]) -> None:
        """Notes which memories this one may contradict; an empty sequence clears the doubt.

        Raises UnknownMemory, ValueError for an exchange.
        """
        self._write_about(namespace, memory_id, EventType.DOUBT, {"with": sorted(others)})

    def reject(self, namespace: Namespace, memory_id: str) -> None:
        """Rejects the memory as a note for every prompt.

        Raises UnknownMemory, ValueError for an exchange.
        """
        self._write_about(namespace, memory_id, EventType.REVIEW, {"rejected": True})

    def reconsider(self, namespace: Namespace, memory_id: str) -> None:
        """Takes reject() back. Raises UnknownMemory, ValueError for an exchange."""
        self._write_about(namespace, memory_id, EventType.REVIEW, {"rejected": False})

    def _write_about(
        self, namespace: Namespace, memory_id: str, op: EventType, fields: Mapping[str, object]
    ) -> None:
        with self._memory.open_namespace(namespace) as opened:
            memory = _note_among(opened.records([memory_id]), memory_id)
            opened.write(NewEvent(op=op, id=memory.id, ts=self._memory.now(), fields=fields))

    def find(self, namespace: Namespace, only: DerivedFilter) -> list[Memory]:
        """Returns the live derived memories that pass the filter, the oldest first.

        Includes superseded ones, which is_superseded() recognises.
        """
        with self._memory.open_namespace(namespace) as opened:
            return opened.find_derived(only)

    def is_superseded(self, namespace: Namespace, memory: Memory) -> bool:
        """Returns whether a newer memory that is live replaced this one."""
        with self._memory.open_namespace(namespace) as opened:
            return is_superseded(opened.records, memory)


def _check(new: NewDerived) -> None:
    if new.kind is MemoryKind.EXCHANGE:
        raise ValueError("an exchange is said, not derived")
    if not new.text.strip():
        raise ValueError("a derived memory needs a text")
    if not new.derived.made_by:
        raise ValueError("a derived memory needs made_by: a model's name, or EXTRACTIVE")


def _identity(new: NewDerived) -> tuple[MemoryKind, str, frozenset[str]]:
    return new.kind, new.text, frozenset(new.sources)


def _equal_memory(opened: NamespaceMemory, new: NewDerived) -> Memory | None:
    """Returns the live memory with equal text and sources; None if there is none."""
    made = opened.derived_records(new.sources.keys()) if new.sources else []
    memories = (entry.memory for entry in made)
    return next(
        (
            memory
            for memory in memories
            if (memory.kind, memory.text) == (new.kind, new.text)
            and set(memory.sources) == set(new.sources)
        ),
        None,
    )


def _withdraw_replaced(
    opened: NamespaceMemory, new: NewDerived, equal: Memory | None, now: float
) -> None:
    """Withdraws what the new memory replaces, first, because a crash must not leave both."""
    if not new.replaces:
        return
    opened.check_unchanged(new.sources)
    made = opened.derived_records(new.sources.keys())
    old = [entry for entry in made if _is_replaced(entry.memory, new) and entry.memory != equal]
    secret = opened.secret()
    opened.write_all([withdraw_event(entry, secret, now) for entry in old])


def _is_replaced(memory: Memory, new: NewDerived) -> bool:
    key = memory.derived.key if memory.derived else None
    return memory.id in new.replaces and (memory.kind, key) == (new.kind, new.derived.key)


def _names_speaker(source: Memory, subject: str) -> bool:
    if exchange := source.exchange:
        return subject in (exchange.user_name.casefold(), exchange.assistant_name.casefold())
    derived = source.derived
    return bool(derived and derived.is_about_speaker and derived.subject.casefold() == subject)


def _note_among(records: Mapping[str, MemoryRecord], memory_id: str) -> Memory:
    if memory_id not in records:
        raise UnknownMemory(memory_id)
    memory = records[memory_id].memory
    if memory.exchange is not None:
        raise ValueError(f"{memory_id} is an exchange, which nothing supersedes or reflects")
    return memory


def memorised_ids(
    memory: LongTermMemory, namespace: Namespace, ids: Collection[str]
) -> frozenset[str]:
    """Returns those of these exchanges that a live derived memory names as a source."""
    if not ids:
        return frozenset()
    only = DerivedFilter(sources=frozenset(ids))
    with memory.open_namespace(namespace) as opened:
        derived = opened.find_derived(only)
    named = frozenset(source for note in derived for source in note.sources)
    return named & frozenset(ids)


def exchanges_in(messages: int) -> int:
    """Returns the number of exchanges that hold so many messages."""
    return (messages + 1) // 2
