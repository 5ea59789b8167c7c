"""Which notes from elsewhere are new: neither kept here under another id, nor ever forgotten."""

from collections.abc import Sequence

from .archive import Archive
from .records import Note, content_key
from .transcript.entries import seal
from .transcript.seals import tombstones


def unknown(archive: Archive, notes: Sequence[Note]) -> list[Note]:
    """What somebody kept by hand bears no id by which its words are known."""
    if not notes:
        return []  # nobody has to read all logs for the forgotten
    keys = [content_key(it.text, "") for it in notes]
    same = archive.read(lambda store: store.get(store.copies(keys)))
    memories = [it.memory for it in same.values()]
    kept = {(it.kind, it.text) for it in memories if it.exchange is None and not it.only_in}
    secrets, seals = tombstones(archive.folder)
    return [
        it
        for it in notes
        if (it.kind, it.text) not in kept
        and seals.isdisjoint(seal(secret, it.text, "") for secret in secrets)
    ]
