"""The inbox of the review: memories that are proposed as notes for every prompt.

An approved note names its source memory, and is withdrawn together with it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..domain.derivations import NO_DERIVATION, Derivation
from ..domain.errors import UnknownMemory
from ..domain.namespaces import Namespace
from ..domain.records import Memory, MemoryKind
from ..recall.derived_memories import outdated_ids
from ..storage.contract import DerivedFilter
from ..storage.log.projection import MemoryRecord, MemoryStatus
from ..text.commands.parser import CommandKind, parse_command
from ..text.names import without_name
from ..text.search_terms import terms
from .derived_memories import DerivedMemories, NewDerived
from .diary import BY_USER
from .long_term_memory import LongTermMemory
from .namespace_memory import NamespaceMemory

PROPOSED = frozenset((MemoryKind.INSIGHT, MemoryKind.OBSERVATION))
_NOTES = frozenset((MemoryKind.KNOWLEDGE,))
_MAX_READ = 2_000  # of the latest; older ones were shown before
_MAX_REQUESTS = 300  # facts whose exchanges are read


class Reason(StrEnum):
    """Why a memory is proposed, the most urgent first."""

    CHANGED = "changed"  # it replaced the source of an approved note
    ASKED = "asked"  # the user asked in the chat to remember it
    INSIGHT = "insight"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A memory that may become a note for every prompt.

    `times` is how often it was said or, of an insight, how many facts are behind it. `replaces`
    are the approved notes that it brings up to date.
    """

    record: MemoryRecord
    reason: Reason
    times: int
    replaces: tuple[Memory, ...] = ()

    @property
    def memory(self) -> Memory:
        return self.record.memory


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The memories that an id replaced, and the live notes that were made of an id's memory."""

    replaced: Mapping[str, Sequence[Memory]]
    notes: Mapping[str, Sequence[Memory]]


class Inbox:
    """Proposes facts that were said `min_times`. Safe for many threads of one program."""

    def __init__(self, memory: LongTermMemory, *, min_times: int) -> None:
        self._memory = memory
        self._min_times = min_times
        self._derived = DerivedMemories(memory)

    def proposals(self, namespace: Namespace) -> list[Proposal]:
        """Returns the memories that wait for a decision, by reason, then the newest first."""
        with self._memory.open_namespace(namespace) as opened:
            return open_proposals(opened, min_times=self._min_times)

    def approve(self, namespace: Namespace, memory_id: str, text: str = "") -> str:
        """Makes the memory a note for every prompt, worded as `text` if given; returns its id.

        Raises UnknownMemory for one that is not proposed, SourcesChanged, StorageError.
        """
        found = next((one for one in self.proposals(namespace) if one.memory.id == memory_id), None)
        if found is None:
            raise UnknownMemory(memory_id)
        note = self._derived.add(namespace, note_of(found, text))
        for old in found.replaces:
            if old.id != note:
                self._derived.supersede(namespace, old.id, note)
        self._derived.mark_reflected(namespace, memory_id, [note])
        return note

    def withdraw(self, namespace: Namespace, note_id: str) -> None:
        """Takes approve() back; the notes that were replaced hold again. Raises UnknownMemory."""
        self._memory.forget_exactly(namespace, [note_id])

    def reject(self, namespace: Namespace, memory_id: str) -> None:
        """Never proposes the memory again. It stays a memory. Raises UnknownMemory."""
        self._derived.reject(namespace, memory_id)

    def reconsider(self, namespace: Namespace, memory_id: str) -> None:
        """Takes reject() back. Raises UnknownMemory."""
        self._derived.reconsider(namespace, memory_id)


def note_of(proposal: Proposal, text: str = "") -> NewDerived:
    """Returns the note that a proposal becomes, worded as `text` if given."""
    memory, own = proposal.memory, " ".join(text.split())
    derived = memory.derived or NO_DERIVATION
    is_edited = bool(own) and own != memory.text
    return NewDerived(
        kind=MemoryKind.KNOWLEDGE,
        text=own if is_edited else memory.text,
        sources={memory.id: proposal.record.seq},
        derived=Derivation(
            made_by=BY_USER if is_edited or not derived.made_by else derived.made_by,
            subject=derived.subject,
            key=derived.key,
            value="" if is_edited else derived.value,
            search_words="" if is_edited else derived.search_words,
        ),
    )


def open_proposals(
    opened: NamespaceMemory, *, min_times: int, ids: Collection[str] | None = None
) -> list[Proposal]:
    """Returns the proposals among the memories with these ids; None: among all."""
    candidates = _candidates(opened, ids)
    known = _known(opened, [one.id for one in candidates])
    waiting = [one for one in candidates if not known.notes.get(one.id)]
    asked = _requested_ids(opened, waiting)
    chosen = {
        one.id: reason
        for one in waiting
        if (reason := _reason(one, known, one.id in asked, min_times)) is not None
    }
    records = opened.records(chosen)
    found = [_proposal(record, known, chosen[name]) for name, record in records.items()]
    order = list(Reason)
    newest = sorted(found, key=lambda one: -(one.memory.ts or 0.0))
    return sorted(newest, key=lambda one: order.index(one.reason))


def _candidates(opened: NamespaceMemory, ids: Collection[str] | None) -> list[Memory]:
    wanted = None if ids is None else frozenset(ids)
    only = DerivedFilter(kinds=PROPOSED, ids=wanted)
    found = opened.find_derived(only)[-_MAX_READ:]
    gone = outdated_ids(opened.records, found, None)
    rejected = {one.text for one in found if one.derived and one.derived.is_rejected}
    return [
        one
        for one in found
        if one.id not in gone
        and one.text not in rejected
        and (one.derived is None or (one.derived.is_fact and not one.derived.in_doubt_with))
    ]


def _known(opened: NamespaceMemory, ids: Collection[str]) -> _Known:
    replaced: dict[str, list[Memory]] = {}
    seen, front = set(ids), frozenset(ids)
    while front:
        only = DerivedFilter(superseded_by=front)
        older = opened.find_derived(only)
        for one in older:
            replaced.setdefault(one.derived.superseded_by if one.derived else "", []).append(one)
        front = frozenset(one.id for one in older) - seen
        seen |= front
    return _Known(replaced=replaced, notes=_notes_of(opened, seen))


def _notes_of(opened: NamespaceMemory, sources: Collection[str]) -> dict[str, list[Memory]]:
    notes: dict[str, list[Memory]] = {}
    if not sources:
        return notes
    only = DerivedFilter(kinds=_NOTES, sources=frozenset(sources))
    found = opened.find_derived(only)
    gone = outdated_ids(opened.records, found, None)
    for note in found:
        for source in note.sources if note.id not in gone else ():
            notes.setdefault(source, []).append(note)
    return notes


def _reason(memory: Memory, known: _Known, is_asked_for: bool, min_times: int) -> Reason | None:
    is_insight = memory.kind is MemoryKind.INSIGHT
    reasons = {
        Reason.CHANGED: bool(_stale_notes(memory, known)),
        Reason.ASKED: is_asked_for,
        Reason.INSIGHT: is_insight,
        Reason.REPEATED: not is_insight and _count_times(memory, known) >= min_times,
    }
    return next((one for one, holds in reasons.items() if holds), None)


def _proposal(record: MemoryRecord, known: _Known, reason: Reason) -> Proposal:
    memory = record.memory
    stale = _stale_notes(memory, known)
    return Proposal(record=record, reason=reason, times=_count_times(memory, known), replaces=stale)


def _count_times(memory: Memory, known: _Known) -> int:
    if memory.kind is MemoryKind.INSIGHT:
        return len(memory.sources)
    return 1 + sum(_is_repeat(one, memory) for one in known.replaced.get(memory.id, ()))


def _stale_notes(memory: Memory, known: _Known) -> tuple[Memory, ...]:
    """Returns the approved notes that were made of what this memory replaced."""
    older = _replaced_memories(memory.id, known)
    return tuple({note.id: note for one in older for note in known.notes.get(one.id, ())}.values())


def _replaced_memories(memory_id: str, known: _Known) -> Iterator[Memory]:
    waiting, seen = [memory_id], {memory_id}
    while waiting:
        for one in known.replaced.get(waiting.pop(), ()):
            if one.id not in seen:
                seen.add(one.id)
                waiting.append(one.id)
                yield one


def _is_repeat(replaced: Memory, memory: Memory) -> bool:
    """Returns whether a replaced memory already said what this one says."""
    ends = replaced.derived.valid_to if replaced.derived else None
    return ends is not None and ends == replaced.ts and (replaced.ts or 0.0) >= (memory.ts or 0.0)


def _requested_ids(opened: NamespaceMemory, memories: Sequence[Memory]) -> set[str]:
    """Returns the ids of facts from messages that ask to remember them, and are no notes yet."""
    facts = [one for one in memories if one.kind is MemoryKind.OBSERVATION][-_MAX_REQUESTS:]
    sources = opened.records({source for one in facts for source in one.sources})
    requests = {name: text for name, record in sources.items() if (text := _request(record))}
    if not requests:
        return set()
    kept = {note.text.casefold() for note in opened.always_in_prompt()}
    wanted = {name: text for name, text in requests.items() if text.casefold() not in kept}
    return {
        one.id for one in facts if any(_shares_words(one, wanted.get(s, "")) for s in one.sources)
    }


def _shares_words(fact: Memory, request: str) -> bool:
    """Returns whether the fact has words of the request; the message may state others, too."""
    derived = fact.derived or NO_DERIVATION
    return not set(terms(without_name(fact.text, derived.subject))).isdisjoint(terms(request))


def _request(record: MemoryRecord) -> str:
    """Returns what the user asked to remember in this exchange; "" for nothing."""
    exchange = record.memory.exchange
    if exchange is None or record.status is not MemoryStatus.LIVE:
        return ""
    found = parse_command(exchange.user)
    return found.argument if found is not None and found.kind is CommandKind.REMEMBER else ""
