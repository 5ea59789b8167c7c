"""Chooses the names under which an import stores conversations.

A conversation without a name of its own is named after its file, and several files may have one
name. An own export gives conversations the names that they have where it was made.
"""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from ...domain.namespaces import Namespace
from ...domain.records import Note
from ...memory.long_term_memory import LongTermMemory
from .base import ImportChat


class ConversationNames:
    """The names that one import gave to its conversations."""

    def __init__(self, memory: LongTermMemory) -> None:
        self._memory = memory
        self._names: dict[tuple[Namespace, str], str] = {}  # of the latest chat with this name
        self._files: dict[tuple[Namespace, str], Path] = {}

    def name_of(self, chat: ImportChat) -> str:
        """Returns the name for a chat; the same when its file is imported again."""
        name = self._free_name(chat) if chat.conversation else ""
        self._names[chat.namespace, chat.conversation] = name
        return self._memory.aliases.chat_name(chat.namespace, chat.namespace.character, name)

    def name_for(self, note: Note, chat: ImportChat) -> str:
        """Returns the name of the conversation to which a note belongs, or an empty text.

        Its messages were read before. A conversation without messages is not in the file.
        """
        wanted = note.conversation
        if not wanted:
            return ""
        name = self._names.get((chat.namespace, wanted), wanted)
        return self._memory.aliases.chat_name(chat.namespace, chat.namespace.character, name)

    def _free_name(self, chat: ImportChat) -> str:
        if chat.exported_conversation and self._keeps_its_name(chat):
            return chat.exported_conversation
        if not chat.is_named_after_file:
            return chat.conversation
        name = next(one for one in _numbered(chat.conversation) if self._is_free(one, chat))
        self._files[chat.namespace, name] = chat.source
        return name

    def _keeps_its_name(self, chat: ImportChat) -> bool:
        """Returns whether an exported chat has its name here, too.

        In the storage from which it was exported it gets another one: messages that its chat no
        longer has may come back, and the chat would take them away again. So it does if it was
        imported under another name before.
        """
        if self._is_stored(chat.namespace, chat.conversation):
            return False
        if not self._is_stored(chat.namespace, chat.exported_conversation):
            return True
        ids = [name for name in chat.exchange_ids if name]
        was_made_here = bool(self._memory.get_records(chat.namespace, ids))
        return not was_made_here and self._is_part(chat.exported_conversation, chat)

    def _is_free(self, name: str, chat: ImportChat) -> bool:
        """Returns whether no other file has the name, and no messages but those of this chat."""
        if self._files.get((chat.namespace, name), chat.source) != chat.source:
            return False
        return not self._is_stored(chat.namespace, name) or self._is_part(name, chat)

    def _is_stored(self, namespace: Namespace, conversation: str) -> bool:
        if not self._memory.has_namespace(namespace):
            return False
        return bool(self._memory.conversation(namespace, conversation, 1))

    def _is_part(self, name: str, chat: ImportChat) -> bool:
        """Returns whether a message of the chat is known under this name, even if it was edited."""
        diff = self._memory.compare(chat.namespace, name, chat.exchanges, whole=False)
        records = self._memory.get_records(chat.namespace, [change.id for change in diff.changed])
        same = [
            one
            for one in diff.changed
            if (known := records[one.id].chat) and known.user == one.exchange.user
        ]
        return len(diff.added) + len(diff.changed) - len(same) < len(chat.exchanges)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))
