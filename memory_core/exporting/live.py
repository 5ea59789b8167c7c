"""A namespace's live memories, one conversation after the other, in bounded memory."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ..errors import StorageCorrupt
from ..long_term_memory import LongTermMemory
from ..namespaces import Namespace
from ..records import Memory
from ..transcript.entries import Entry, State
from ..transcript.lines import Op, unpack
from ..transcript.log import whole_lines
from ..transcript.transcript import Transcript

_BATCH = 200


def live_memories(memory: LongTermMemory, namespace: Namespace) -> Iterator[Memory]:
    """Conversations by name, each in the chat's order, then notes in theirs.

    What several conversations share comes once. Held at a time are the ids of one conversation,
    and the words of a few memories. Raises StorageFailed.
    """
    folder = namespace.folder(memory.root)
    if not folder.is_dir():
        return
    transcript = Transcript(folder)
    for log in sorted(transcript.logs(), key=lambda log: (not log, log)):
        ids = iter(_ids(transcript.path(log), log))
        while some := list(islice(ids, _BATCH)):
            entries = memory.entries(namespace, some)
            found = (entries[it] for it in some if it in entries)
            yield from (it.memory for it in found if it.state is State.LIVE and _home(it) == log)


def _ids(path: Path, log: str) -> list[str]:
    """Of all that ever stood in this log, in the order of their places in the chat."""
    places: dict[str, float] = {}
    for data in whole_lines(path):
        try:
            line = unpack(data[:-1], log)
        except StorageCorrupt:
            continue
        if line.op in (Op.ADD, Op.PLACE):
            places[line.id] = float(line.fields.get("place", line.fields.get("turn_id", 0)))
        elif line.op is Op.NOTE:
            places[line.id] = float(line.seq)
    return sorted(places, key=places.__getitem__)


def _home(entry: Entry) -> str:
    """The conversation that it is listed under: its first, while that shows it."""
    if entry.chat is None:
        return ""
    first = entry.memory.conversation
    return first if first in entry.places else min(entry.places)
