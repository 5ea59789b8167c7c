"""Finds the other name under which a character's chats lie now, by the content of the chats.

It serves folders without other records: copied ones, a new disk, a new installation.
"""

from collections.abc import Sequence
from pathlib import Path

from ...domain.errors import HostError
from ...domain.namespaces import Namespace, Scope, encode
from ...domain.users import API_PREFIX
from ...memory.long_term_memory import LongTermMemory
from ...storage.log.event_log import Transcript
from ..chat.chat_file import read_rows
from ..chat.exchanges import exchanges
from ..chat.paths import ChatFolder, chats_in, conversation_of, is_nameless
from .owners import cast_for
from .rename_detection import say_the_same

_MOST_READ = 3
_MOST_COMPARED = 200


def owners_without_folder(memory: LongTermMemory, folder: ChatFolder) -> list[Namespace]:
    """Whose memories have the name of this folder, over all users of the page."""
    return [
        it
        for it in memory.namespaces()
        if it.scope is Scope.CHARACTER
        and it.character == folder.character
        and not it.user.startswith(API_PREFIX)
        and memory.resolve(it) == it
    ]


def name_now(memory: LongTermMemory, namespace: Namespace, folder: ChatFolder) -> str | None:
    """The folder beside a missing one that has chats of these memories, by name and by what they
    say; the one that has most of them. Raises OSError, LongTermMemoryError.
    """
    logs = set(Transcript(namespace.folder(memory.root)).logs())
    if not logs or not folder.parent.is_dir():
        return None
    siblings = {it: _shared(it, logs) for it in folder.parent.iterdir() if it.is_dir()}
    for sibling, names in sorted(siblings.items(), key=lambda pair: (-len(pair[1]), pair[0].name)):
        if names and _agree(memory, namespace, sibling, names):
            return sibling.name
    return None


def _shared(folder: Path, logs: set[str]) -> list[str]:
    """The files there whose chats are remembered by name, the newest first."""
    found = [(stamp.mtime_ns, name) for name, stamp in chats_in(folder) if not is_nameless(name)]
    newest_first = sorted(found, reverse=True)
    return [name for _, name in newest_first if encode(conversation_of(name)) in logs]


def _agree(
    memory: LongTermMemory, namespace: Namespace, folder: Path, names: Sequence[str]
) -> bool:
    """Returns whether each of the newest says something that is remembered of it."""
    return all(_is_of(memory, namespace, folder / it) for it in names[:_MOST_READ])


def _is_of(memory: LongTermMemory, namespace: Namespace, path: Path) -> bool:
    conversation = conversation_of(path.name)
    known = memory.conversation(namespace, conversation, _MOST_COMPARED)
    written = [it.exchange for it in known if it.exchange]
    try:
        said = exchanges(read_rows(path), cast_for(memory, namespace, conversation))
    except HostError:
        return False
    return say_the_same(written, said)
