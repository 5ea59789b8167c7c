"""The card in the header that offers to restore an automatic backup."""

from collections.abc import Callable
from functools import partial

import gradio as gr

from ....admin.administration import Administration
from ....admin.backup.copy_folder import CopyContents
from ....admin.exporters.restore import RestoreMode, restore_for_tab
from ....domain.errors import LongTermMemoryError
from ....domain.unicode import well_formed
from ....infra.command_lines import as_argument
from ....text.locales import Words
from ..common import visible_namespaces
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph
from ..common.wording import minute
from . import restore_html

_MAX_LISTED_NAMES = 12


def offer_texts(administration: Administration, words: Words) -> list[str]:
    """Returns paragraphs on a backup that is worth restoring, or an empty list.

    Raises StorageError.
    """
    if administration.hooks.host.is_multi_user():
        return []
    found = administration.copies.read_only_backup().find_offer()
    if found is None:
        return []
    key = "copies_offer" if can_dismiss(administration) else "copies_offer_empty"
    path = well_formed(str(found.copy.path))
    message = words(
        key,
        made=minute(found.copy.made_at),
        exchanges=found.exchanges,
        notes=found.notes,
        names=_names(found, words),
        path=path,
    )
    return [message, words("copies_command", path=as_argument(path))]


def can_dismiss(administration: Administration) -> bool:
    """Returns False without any memories, because a backup is then offered as long as it exists."""
    return not administration.copies.read_only_backup().is_empty()


def _names(found: CopyContents, words: Words) -> str:
    labels = list(map(visible_namespaces.labels_among(found.namespaces, words), found.namespaces))
    listed = words["list_comma"].join(labels[:_MAX_LISTED_NAMES])
    return listed + (" …" if len(labels) > _MAX_LISTED_NAMES else "")


def restore_offered(administration: Administration, words: Words) -> str:
    """Restores the offered backup and returns a report as HTML.

    Raises ImportFailed, StorageError.
    """
    if administration.hooks.host.is_multi_user():
        return paragraph(words["copies_elsewhere"])
    found = administration.copies.read_only_backup().find_offer()
    if found is None:
        return paragraph(words["copies_none"])
    done = restore_for_tab(administration.hooks, found.copy.path, RestoreMode.MERGE)
    administration.copies.dismiss_offers()
    return restore_html.restored_html(done, words)


def dismiss_offer(administration: Administration, words: Words) -> str:
    """Withdraws the offer for good and returns a message as HTML. Raises StorageError."""
    if administration.hooks.host.is_multi_user():
        return paragraph(words["copies_elsewhere"])
    administration.copies.dismiss_offers()
    return paragraph(words["copies_left"])


class BackupOffer(Panel):
    """Offers to restore a backup; hidden while there is none."""

    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._offer = gr.HTML(elem_id="ltm-copies-offer")
        with gr.Row():
            self._restore = header.button("copies_restore", "ltm-copies-restore", is_visible=False)
            self._dismiss = header.button("copies_leave", "ltm-copies-leave", is_visible=False)
        self._message = gr.HTML(elem_id="ltm-copies-told")
        self.outputs = [self._offer, self._restore, self._dismiss]

    def wire(self, refresh: Refresh) -> None:
        for button, act in ((self._restore, restore_offered), (self._dismiss, dismiss_offer)):
            refresh.after(self._header.on(button.click, partial(self._run, act), self._message))

    def show(self, view: Selection) -> Updates:
        """Updates the offer; the last message stays."""
        administration = self._header.administration
        try:
            texts = offer_texts(administration, view.words)
            can_leave = bool(texts) and can_dismiss(administration)
        except LongTermMemoryError:
            texts, can_leave = [], False  # the Health panel reports it
        html = "".join(map(paragraph, texts))
        return [html, gr.update(visible=bool(texts)), gr.update(visible=can_leave)]

    def _run(
        self, act: Callable[[Administration, Words], str], view: Selection, given: InputValues
    ) -> str:
        return act(self._header.administration, view.words)
