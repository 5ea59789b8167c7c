"""Reads a file of another program as memories of one namespace, whatever users it names."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ...admin.importers.base import ImportChat, MemoryOwner, Reader
from ...domain.namespaces import Namespace
from ...domain.records import Note
from ...memory.long_term_memory import LongTermMemory

_WHOLE_CONVERSATION = 1_000_000
_ROUNDED_S = 1.0  # a file may hold whole seconds


class OwnedReader(Reader):
    """Makes all chats the owner's own. Those of an own export keep their conversations' names.

    Another name is needed where a chat of another owner in the file has it, and where other
    messages are stored under it.
    """

    def __init__(self, reader: Reader, owner: Namespace, memory: LongTermMemory) -> None:
        self.name = reader.name
        self._reader = reader
        self._owner = owner
        self._memory = memory
        self._owners: dict[str, Namespace] = {}  # of the chats in the file, by their names
        self._names: dict[tuple[Namespace, str], str] = {}  # those of the chats read so far

    def recognises(self, path: Path) -> bool:
        return self._reader.recognises(path)

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        for chat in self._reader.read(path, owner):
            name = self._name_of(chat)
            self._names[chat.namespace, chat.conversation] = name
            notes = [self._note(note, chat) for note in chat.notes]
            yield replace(
                chat,
                namespace=self._owner,
                conversation=name,
                notes=notes,
                exported_conversation="",
                is_named_after_file=False,
            )

    def _note(self, note: Note, chat: ImportChat) -> Note:
        """Returns the note; one for a chat alone follows that chat, which was read before.

        A chat without messages is not in the file, and keeps its name.
        """
        exported = note.conversation.removeprefix(f"{self.name}-")
        name = self._names.get((chat.namespace, note.conversation), exported)
        return replace(note, conversation=name) if note.conversation else note

    def _name_of(self, chat: ImportChat) -> str:
        """Returns the conversation's name; the same when the file is imported again."""
        wanted, other = chat.exported_conversation, _with_owner(chat.namespace, chat.conversation)
        if not wanted or self._is_stored(other):
            return other
        first = self._owners.setdefault(wanted, chat.namespace)
        return wanted if first == chat.namespace and self._is_free(wanted, chat) else other

    def _is_free(self, conversation: str, chat: ImportChat) -> bool:
        """Returns whether nothing is stored under this name, or a part of this chat.

        A character's greeting is no such part: all its chats may begin with it.
        """
        if not self._is_stored(conversation):
            return True
        chat_name = self._owner, conversation
        forms = self._memory.guarded_chat(*chat_name, chat.exchanges).exchanges
        stored = self._memory.conversation(*chat_name, _WHOLE_CONVERSATION)
        times = {memory.key: memory.exchange.ts for memory in stored if memory.exchange}
        said = [one for one in forms if one.user] or forms
        return any(one.key in times and _is_same_time(one.ts, times[one.key]) for one in said)

    def _is_stored(self, conversation: str) -> bool:
        return self._memory.has_namespace(self._owner) and bool(
            self._memory.conversation(self._owner, conversation, 1)
        )


def _with_owner(owner: Namespace, conversation: str) -> str:
    """Returns a name that differs for chats of different owners in one file."""
    return f"{owner.user}/{owner.character}/{conversation}" if conversation else ""


def _is_same_time(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one == other
    return abs(one - other) < _ROUNDED_S
