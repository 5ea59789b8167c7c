"""Draws the chats that can be imported from the host, and the automatic copies, as HTML."""

from collections.abc import Sequence

from ....admin.administration import Administration
from ....admin.backup.copy_folder import BackupCopy
from ....domain.errors import StorageError
from ....domain.unicode import well_formed
from ....text.locales import Words
from ....text.problem_text import failure_text
from ..common.actions import button_html, primary
from ..common.status import escaped
from ..common.wording import minute
from .intake_view import FIELD, buttons, folded, line

_MAX_LISTED = 30


def host_html(words: Words) -> str:
    """Returns the offer to import the host's past chats."""
    run = primary(button_html(FIELD, "host", words["host_run"]))
    title = f"<h3>{escaped(words['host_title'])}</h3>"
    return f"{title}{line(words['host_help'], 'ltm-muted')}{buttons(run)}"


def copies_html(administration: Administration, words: Words) -> str:
    """Returns the state of the automatic copies; a shared page gets none."""
    if administration.hooks.host.is_multi_user():
        return ""
    title = f"<h3>{escaped(words['copies_title'])}</h3>"
    if not administration.hooks.runtime.memory.shared.is_in_files:
        return title + line(words["copies_database"], "ltm-muted")
    backup = administration.copies.read_only_backup()
    if backup.folder is None:
        return title + line(words["copies_nowhere"], "ltm-muted")
    try:
        copies = backup.copies()
    except StorageError as exc:
        return title + line(failure_text(exc, words), "ltm-alert")
    folder = well_formed(str(backup.folder))
    if not backup.settings.enabled:
        return title + line(words("copies_off", folder=folder)) + _list(copies, words)
    if not copies:
        return title + line(words("copies_yet", folder=folder), "ltm-muted")
    made = minute(copies[0].made_at)
    state = words("copies_on", folder=folder, made=made)
    return title + line(state, "ltm-muted") + _list(copies, words)


def _list(copies: Sequence[BackupCopy], words: Words) -> str:
    if not copies:
        return ""
    items = "".join(f"<li>{_item(copy, words)}</li>" for copy in copies[:_MAX_LISTED])
    listed = f'<ul class="ltm-copies">{items}</ul>'
    return folded(words("copies_list", count=len(copies)), listed)


def _item(copy: BackupCopy, words: Words) -> str:
    made = minute(copy.made_at)
    named = words("copies_look_at", made=made)
    look = button_html(FIELD, "copy", words["copies_look"], copy=copy.path.name, aria_label=named)
    return f'<span class="ltm-row"><time>{made}</time>{look}</span>'
