"""The endpoints /memories: add, get, list, change, forget, restore and their history."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Query, Request

from ...admin.importers.pairing import role_of, to_chat_exchanges
from ...domain.errors import UnknownMemory
from ...domain.namespaces import Namespace, encode
from ...domain.records import Exchange, Memory, MemoryKind, Role, Turn
from ...memory.browse import browse, history
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.listing import ListQuery, SessionQuery
from ...storage.log.events import Event
from ...storage.log.projection import MemoryStatus
from ...text.search_terms import terms
from ..chat.retrieved import iso_time
from ..errors import RequestRefused
from ..memory_access import refuse_while_off
from .owners import Owners
from .shapes import (
    Added,
    AddMemory,
    Character,
    Forgotten,
    HistoryEntry,
    Limit,
    MemoryHistory,
    MemoryOut,
    MemoryPage,
    MessageIn,
    Name,
    Offset,
    UpdateMemory,
    UserId,
    memory_out,
    record_out,
    seconds,
)

_ALL = 10**9
_NOTES = frozenset(MemoryKind) - {MemoryKind.EXCHANGE}
_ROLES = (Role.USER, Role.ASSISTANT)
_SIDES = ("user", "assistant")
_OF_TEXTS, _OF_MESSAGES = ("kind", "pinned"), ("channel",)  # fields of AddMemory


@dataclass(frozen=True)
class ListFilter:
    """The parameters of the list of memories."""

    user_id: UserId = ""
    character: Character = ""
    kind: MemoryKind | None = None
    conversation_id: Name = ""
    q: Annotated[str, Query(description="Words that the memories must contain.")] = ""
    limit: Limit = 50
    offset: Offset = 0

    @property
    def query(self) -> ListQuery:
        words = tuple((word,) for word in terms(self.q))
        kinds = frozenset([self.kind] if self.kind else ())
        return ListQuery(words=words, kinds=kinds, limit=self.limit, offset=self.offset)


class Memories:
    """Reads and changes the memories of one user and character at a time."""

    def __init__(self, runtime: Runtime, owners: Owners) -> None:
        self._runtime = runtime
        self._owners = owners

    @property
    def _memory(self) -> LongTermMemory:
        return self._runtime.memory

    def add(self, request: Request, body: AddMemory) -> Added:
        """Adds a text as a memory, or messages as exchanges of a conversation.

        Refused while Remember (ltm_writes.enabled) is off.
        """
        _check_addition(body)
        namespace = self._owners.namespace(request, body.user_id, body.character)
        refuse_while_off(self._runtime)
        ids = self._add_messages(namespace, body) if body.messages else self._add(namespace, body)
        self._runtime.schedule(namespace)
        return Added(results=[record_out(self._memory.get_record(namespace, i)) for i in ids])

    def _add(self, namespace: Namespace, body: AddMemory) -> list[str]:
        kind = MemoryKind(body.kind)
        try:
            return [
                self._memory.add_note(
                    namespace,
                    body.text,
                    kind=kind,
                    pinned=body.pinned,
                    conversation=body.conversation_id,
                )
            ]
        except ValueError as exc:
            raise RequestRefused(str(exc), param="conversation_id") from exc

    def _add_messages(self, namespace: Namespace, body: AddMemory) -> list[str]:
        now = self._runtime.clock()
        turns = [_turn(index, message, now) for index, message in enumerate(body.messages)]
        exchanges = to_chat_exchanges(turns, body.channel or "api")
        conversation = body.conversation_id or "memories"
        admitted = [self._memory.guard.admit_exchange(namespace, said) for said in exchanges]
        return [self._memory.remember(namespace, conversation, said) for said in admitted]

    def get(
        self, request: Request, memory_id: str, user_id: UserId = "", character: Character = ""
    ) -> MemoryOut:
        """Returns one memory, also a forgotten one, which loses its text when it is erased."""
        namespace = self._owners.of_memory(request, user_id, character, memory_id)
        return record_out(self._memory.get_record(namespace, memory_id))

    def list(self, request: Request, wanted: Annotated[ListFilter, Depends()]) -> MemoryPage:
        """Lists memories, newest first."""
        namespace = self._owners.existing(request, wanted.user_id, wanted.character)
        if namespace is None:
            return MemoryPage(results=[])
        query, end = wanted.query, wanted.offset + wanted.limit
        if wanted.conversation_id:
            both = self._of_conversation(namespace, query, encode(wanted.conversation_id))
            listed, total = both[wanted.offset : end], len(both)
        else:
            page = browse(self._memory, namespace, query)
            listed, total = page.memories, page.total
        return MemoryPage(
            results=list(map(memory_out, listed)), next_offset=end if total > end else None
        )

    def _of_conversation(
        self, namespace: Namespace, query: ListQuery, log: str
    ) -> Sequence[Memory]:
        """Returns all exchanges of a conversation, and the notes for it alone, newest first."""
        every = replace(query, limit=_ALL, offset=0)
        found = browse(self._memory, namespace, replace(every, conversation=log)).memories
        if query.kinds <= _NOTES:
            of_notes = replace(every, kinds=query.kinds or _NOTES)
            notes = browse(self._memory, namespace, of_notes).memories
            found = [*found, *(note for note in notes if note.conversation == log)]
        return sorted(found, key=lambda memory: memory.ts or 0.0, reverse=True)

    def update(self, request: Request, memory_id: str, body: UpdateMemory) -> MemoryOut:
        """Changes a memory's text, or pins it. The chat that it came from stays as it is."""
        namespace = self._owners.of_memory(request, body.user_id, body.character, memory_id)
        record = self._memory.get_record(namespace, memory_id)
        if record.status is MemoryStatus.FORGOTTEN:
            raise UnknownMemory(memory_id)
        if fields := _changed_fields(body, record.memory.exchange):
            self._memory.edit(namespace, memory_id, fields)
        if body.pinned is not None:
            change = self._memory.pin if body.pinned else self._memory.unpin
            change(namespace, memory_id)
        self._runtime.schedule(namespace)
        return record_out(self._memory.get_record(namespace, memory_id))

    def forget(
        self, request: Request, memory_id: str, user_id: UserId = "", character: Character = ""
    ) -> Forgotten:
        """Forgets a memory and its copies: hidden at once, erased after the undo time."""
        namespace = self._owners.of_memory(request, user_id, character, memory_id)
        self._memory.get_record(namespace, memory_id)
        self._runtime.forget(namespace, [memory_id])
        return Forgotten(forgotten=[memory_id])

    def forget_conversation(
        self,
        request: Request,
        conversation_id: Annotated[Name, Query(min_length=1)],
        user_id: UserId = "",
        character: Character = "",
    ) -> Forgotten:
        """Forgets the exchanges of one conversation. There is no call that forgets everything."""
        namespace = self._owners.existing(request, user_id, character)
        if namespace is None:
            return Forgotten(forgotten=[])
        log = encode(conversation_id)
        said = history(self._memory, namespace, SessionQuery(), conversation=conversation_id)
        ids = [exchange.id for exchange in said if exchange.conversation == log]
        if ids:
            self._runtime.forget_exactly(namespace, ids)
        return Forgotten(forgotten=ids)

    def restore(
        self, request: Request, memory_id: str, user_id: UserId = "", character: Character = ""
    ) -> MemoryOut:
        """Restores a forgotten memory, as long as its words are not erased."""
        namespace = self._owners.of_memory(request, user_id, character, memory_id)
        self._memory.unforget(namespace, memory_id)
        return record_out(self._memory.get_record(namespace, memory_id))

    def history(
        self, request: Request, memory_id: str, user_id: UserId = "", character: Character = ""
    ) -> MemoryHistory:
        """Lists what happened to a memory, oldest first; without words once it is forgotten."""
        namespace = self._owners.of_memory(request, user_id, character, memory_id)
        record = self._memory.get_record(namespace, memory_id)
        tells_text = record.status is not MemoryStatus.FORGOTTEN
        events = [
            event for space in _scopes(namespace) for event in self._events_of(space, memory_id)
        ]
        events.sort(key=lambda event: event.seq)
        return MemoryHistory(results=[_entry(event, tells_text=tells_text) for event in events])

    def _events_of(self, space: Namespace, memory_id: str) -> Iterator[Event]:
        if not self._memory.shared.namespaces.has(space):
            return
        with self._memory.open_namespace(space) as opened:
            log = opened.event_log
            for name in log.logs():
                yield from (event for event in log.read(name).events if event.id == memory_id)


def _check_addition(body: AddMemory) -> None:
    """Raises RequestRefused unless the call adds either a text or messages."""
    if body.text.strip() and body.messages:
        raise RequestRefused("text and messages cannot go together: send one of them", param="text")
    if body.messages and not any(message.content.strip() for message in body.messages):
        raise RequestRefused("messages has only blank messages", param="messages")
    if not body.messages and not body.text.strip():
        raise RequestRefused("either text or messages must be given", param="text")
    given, unused = ("messages", _OF_TEXTS) if body.messages else ("text", _OF_MESSAGES)
    for name in unused:
        if getattr(body, name) != AddMemory.model_fields[name].default:
            raise RequestRefused(f"{name} cannot go together with {given}", param=name)


def _turn(index: int, message: MessageIn, now: float) -> Turn:
    role, ts = role_of(message.role), seconds(message.created_at)
    if role not in _ROLES:
        raise RequestRefused(
            f"messages.{index}.role must be user or assistant", param=f"messages.{index}.role"
        )
    return Turn(
        role=role,
        text=message.content,
        ts=now if ts is None else ts,
        metadata=message.metadata,
    )


def _changed_fields(body: UpdateMemory, exchange: Exchange | None) -> dict[str, str]:
    """Returns the texts to change. Raises RequestRefused for one that the memory does not have, and
    if no words would be left.
    """
    own = _SIDES if exchange else ("text",)
    given = {
        name: value
        for name in ("text", "user", "assistant")
        if (value := getattr(body, name)) is not None
    }
    if wrong := sorted(given.keys() - set(own)):
        raise RequestRefused(
            f"this memory has no {wrong[0]}: change {' or '.join(own)}", param=wrong[0]
        )
    sides = {side: getattr(exchange, side) for side in _SIDES} | given if exchange else given
    if given and not any(text.strip() for text in sides.values()):
        raise RequestRefused("no words would be left: forget the memory instead", param=_SIDES[0])
    return given


def _scopes(namespace: Namespace) -> list[Namespace]:
    shared = Namespace.shared(namespace.user)
    return [namespace] if namespace == shared else [namespace, shared]


def _entry(event: Event, *, tells_text: bool) -> HistoryEntry:
    sides = (str(event.fields.get(name) or "") for name in ("user", "assistant", "text"))
    text = "\n".join(filter(None, sides))
    return HistoryEntry(
        event=event.op.value,
        created_at=iso_time(event.ts),
        text=text if tells_text and text else None,
    )
