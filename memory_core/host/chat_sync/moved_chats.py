"""Finds a character's renamed chat folder by the content of its chats.

Used for folders that the registry does not know: copies, a new disk, a new installation.
"""

from collections.abc import Sequence
from pathlib import Path

from ...domain.errors import HostError
from ...domain.namespaces import API_PREFIX, Namespace, Scope, encode
from ...memory.long_term_memory import LongTermMemory
from ..chat.chat_file import read_rows
from ..chat.exchanges import to_exchanges
from ..chat.paths import ChatFolder, conversation_of, is_unnamed, list_chats
from .owners import known_speakers
from .rename_detection import have_common_exchange

_MAX_FILES_READ = 3
_MAX_EXCHANGES_COMPARED = 200


def owners_without_folder(memory: LongTermMemory, folder: ChatFolder) -> list[Namespace]:
    """Returns the namespaces of all page users that have the name of this folder."""
    return [
        namespace
        for namespace in memory.namespaces()
        if namespace.scope is Scope.CHARACTER
        and namespace.character == folder.character
        and not namespace.user.startswith(API_PREFIX)
        and memory.resolve(namespace) == namespace
    ]


def find_new_folder_name(
    memory: LongTermMemory, namespace: Namespace, folder: ChatFolder
) -> str | None:
    """Returns the sibling folder with most remembered chats, matched by name and content.

    Returns None if there is none. Raises OSError, LongTermMemoryError.
    """
    if not memory.has_namespace(namespace):
        return None
    with memory.open_namespace(namespace) as opened:
        logs = set(opened.event_log.logs())
    if not logs or not folder.parent.is_dir():
        return None
    siblings = {
        sibling: _remembered_files(sibling, logs)
        for sibling in folder.parent.iterdir()
        if sibling.is_dir()
    }
    for sibling, names in sorted(siblings.items(), key=lambda pair: (-len(pair[1]), pair[0].name)):
        if names and _all_match(memory, namespace, sibling, names):
            return sibling.name
    return None


def _remembered_files(folder: Path, logs: set[str]) -> list[str]:
    """Returns the files with the names of remembered chats, newest first."""
    dated = [(stamp.mtime_ns, name) for name, stamp in list_chats(folder) if not is_unnamed(name)]
    newest_first = sorted(dated, reverse=True)
    return [name for _, name in newest_first if encode(conversation_of(name)) in logs]


def _all_match(
    memory: LongTermMemory, namespace: Namespace, folder: Path, names: Sequence[str]
) -> bool:
    """Returns whether each of the newest files shares an exchange with its memories."""
    return all(
        _matches_memory(memory, namespace, folder / name) for name in names[:_MAX_FILES_READ]
    )


def _matches_memory(memory: LongTermMemory, namespace: Namespace, path: Path) -> bool:
    conversation = conversation_of(path.name)
    memories = memory.conversation(namespace, conversation, _MAX_EXCHANGES_COMPARED)
    known = [stored.exchange for stored in memories if stored.exchange]
    try:
        shown = to_exchanges(read_rows(path), known_speakers(memory, namespace, conversation))
    except HostError:
        return False
    return have_common_exchange(known, shown)
