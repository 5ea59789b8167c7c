"""The tab's texts and its two buttons for the rolling backup, without the page."""

import time
from collections.abc import Iterator

from ...backup.copies import CopyContents
from ...errors import StorageError
from ...exporting.restoring import Mode
from ...wellformed import well_formed
from ..bringing_back import bring_back
from ..hooks import Hooks
from . import exports, scope, status
from .texts import Words

_MOST_NAMED = 12


def offer(hooks: Hooks, words: Words) -> list[str]:
    """What a backup holds and what restoring it does, in paragraphs; nothing where none is worth
    it. Raises StorageError.
    """
    if hooks.host.is_multi_user():
        return []
    found = hooks.copies.offer()
    if found is None:
        return []
    key = "copies_offer_empty" if hooks.copies.backup().is_empty() else "copies_offer"
    path = well_formed(str(found.copy.path))
    told = words[key].format(
        made=_date(found.copy.made),
        exchanges=f"{found.exchanges:,}",
        notes=f"{found.notes:,}",
        names=_names(found, words),
        path=path,
    )
    return [told, words["copies_command"].format(path=path)]


def can_leave(hooks: Hooks) -> bool:
    """Where nothing is remembered at all, a backup is offered as long as it is there."""
    return not hooks.copies.backup().is_empty()


def _names(found: CopyContents, words: Words) -> str:
    labels = [scope.label(it, words) for it in found.namespaces]
    return ", ".join(labels[:_MOST_NAMED]) + (" …" if len(labels) > _MOST_NAMED else "")


def restored(hooks: Hooks, words: Words) -> str:
    """Returns what is said of it, as HTML. Raises ImportFailed, StorageError."""
    if hooks.host.is_multi_user():
        return status.line(words["copies_elsewhere"])
    found = hooks.copies.offer()
    if found is None:
        return status.line(words["copies_none"])
    done = bring_back(hooks, found.copy.path, Mode.MERGE)
    hooks.copies.decide()
    return exports.told(done, words)


def left(hooks: Hooks, words: Words) -> str:
    """The same of leaving it alone. Raises StorageError."""
    if hooks.host.is_multi_user():
        return status.line(words["copies_elsewhere"])
    hooks.copies.decide()
    return status.line(words["copies_left"])


def health(hooks: Hooks, words: Words) -> Iterator[str]:
    """Where the copies lie, and of when they are; then what is offered."""
    backup = hooks.copies.backup()
    if backup.folder is None:
        yield words["health_copies_nowhere"]
        return
    try:
        copies = backup.copies()
        made = _date(copies[0].made) if copies else ""
        key = "value" if copies else "yet"
        key = key if backup.settings.enabled else "off"
        told = words[f"health_copies_{key}"]
        yield told.format(count=len(copies), folder=well_formed(str(backup.folder)), made=made)
        yield from offer(hooks, words)
    except StorageError as exc:
        yield words["failed"].format(reason=exc)


def _date(made: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(made))
