"""Gives memories another place: a conversation's to another one, a namespace's to another one.

Of a namespace the lines move, under their own ids, behind what is there. Nothing is said anew:
edits, pins, tombstones and places stay what they are. A tombstone's seal is made with its
namespace's secret, so that goes along.
"""

from pathlib import Path

from . import durable, switches
from .archive import INDEX, Archive
from .backup.staging import staging
from .chat_notes import moved
from .merging import join
from .namespaces import Namespace, write_manifest
from .transcript.lines import Draft, Op
from .transcript.transcript import Transcript


def move_conversation(archive: Archive, log: str, to: str, *, now: float) -> None:
    """With what holds in it alone. After a crash it can be repeated: at worst both conversations
    show it meanwhile.

    Raises StorageFailed, StorageLocked.
    """
    known = archive.read(lambda store: store.known(log))
    there = [
        Draft(op=Op.PLACE, id=it.id, log=to, ts=now, fields={"place": it.place}) for it in known
    ]
    here = [Draft(op=Op.REMOVE, id=it.id, log=log, ts=now) for it in known]
    archive.write_all([*there, *here, *moved(archive, log, to, now)])


def move_lines(source: Namespace, target: Namespace, root: Path) -> dict[str, str]:
    """Both become what they are then at once: one has everything, the other nothing any more.
    Where both have a conversation of one name, the source's gets another: returns log → name.

    Nothing of either may be open. Raises StorageFailed, StorageLocked; nothing is changed then.
    """
    seen = {it: Transcript(it.folder(root)).logs() for it in (source, target)}
    who = (source.character, source.scope) != (target.character, target.scope)
    apart = (source.character or f"_{source.scope}") if who else ""  # else one file is both's chat
    with staging(root) as stage:
        folders = source.folder(root), target.folder(root), stage.of(target)
        renamed = join(*folders, apart=apart)
        durable.make_folder(stage.of(source))
        stage.put_in_place(seen, keep=(switches.FILE, INDEX))
    return renamed


def move_folder(old: Namespace, new: Namespace, root: Path) -> None:
    """Nothing of either may be open, and nothing of the new one exist. Raises StorageFailed."""
    folder = new.folder(root)
    with durable.naming(folder):
        durable.make_folder(folder.parent)
        old.folder(root).replace(folder)
        durable.sync_folder(folder.parent)
        write_manifest(new, folder)
